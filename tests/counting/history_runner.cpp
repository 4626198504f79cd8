#include "counting/history_runner.h"

#include <algorithm>
#include <limits>

namespace kube_events::testing {
namespace {

constexpr std::int64_t kWhole = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

OccurrenceCounterOptions OptionsOf(const History& history) {
  OccurrenceCounterOptions options;
  options.scopes.emplace_back();
  if (history.selector) options.scopes[0].label_selector = "seen=yes";
  options.max_live = history.max_live;
  options.max_tombstones = history.max_tombstones;
  options.tombstone_ttl = history.tombstone_ttl;
  options.sync_period = history.sync_period;
  return options;
}

Event EventOf(const std::string& name, const Object& object, const std::string& version) {
  Event event;
  event.namespace_name = "default";
  event.name = name;
  event.uid = object.uid;
  event.resource_version = version;
  event.creation_time = object.created;
  if (object.series_writer) {
    event.event_time = object.epoch;
    event.has_series = object.total > 1;
    event.series_count = event.has_series ? object.total : 0;
  } else {
    event.first_time = object.epoch;
    event.count = object.total;
  }
  return event;
}

}  // namespace

HistoryRunner::HistoryRunner(const History& history) : history_(history), world_(history) { StartCounter(); }

void HistoryRunner::StartCounter() {
  counter_.emplace(OptionsOf(history_), static_cast<OccurrenceSink&>(*this));
  if (saved_) counter_->Restore(*saved_, world_.now());
}

std::optional<std::string> HistoryRunner::Run() {
  for (std::size_t i = 0; i < history_.steps.size(); ++i) {
    Do(history_.steps[i]);
    if (auto problem = Check()) return "after step " + std::to_string(i) + ": " + *problem;
  }
  Start();
  List(kWhole);
  if (auto problem = Check()) return "after a last list: " + *problem;
  return std::nullopt;
}

Tally HistoryRunner::Total() const {
  Tally total;
  for (const auto& [name, tally] : tallies_) {
    total.value += tally.value;
    total.counted += tally.counted;
    total.not_counted += tally.not_counted;
  }
  return total;
}

void HistoryRunner::OnOccurrences(const Change& change, const Occurrences& occurrences) {
  if (std::min({occurrences.add, occurrences.uncertain_counted, occurrences.uncertain_not_counted}) < 0 ||
      occurrences.uncertain_counted > occurrences.add) {
    negative_ = "occurrences of " + std::string(change.event.name) + " make no sense";
  }
  Tally& tally = tallies_[std::string(change.event.name)];
  tally.value += occurrences.add;
  tally.counted += occurrences.uncertain_counted;
  tally.not_counted += occurrences.uncertain_not_counted;
}

void HistoryRunner::Do(const Step& step) {
  switch (step.kind) {
    case StepKind::kDeliver:
      Deliver(static_cast<std::size_t>(step.amount));
      break;
    case StepKind::kReplay:
      Replay(step.amount);
      break;
    case StepKind::kFailedList:
      List(step.amount);
      break;
    case StepKind::kList:
      List(kWhole);
      break;
    case StepKind::kRestore:
      Restore(step);
      break;
    case StepKind::kGap:
      Gap();
      break;
    case StepKind::kSave:
      Save(step.amount % 3 == 0);
      break;
    case StepKind::kStop:
      Stop(step.amount);
      break;
    case StepKind::kCrash:
      Crash();
      break;
    case StepKind::kStart:
      Start();
      break;
    case StepKind::kAdvance:
      Advance(step);
      break;
    default:
      world_.Run(step, gap_ || expires_);
      break;
  }
}

void HistoryRunner::Gap() {
  if (down_) return;
  Deliver(kAll);
  gap_ = baseline_done_;
  Save(false);
}

// A watch is at most seconds behind; and a gap that outlasts the tombstones is beyond the rules.
void HistoryRunner::Advance(Step step) {
  constexpr std::int64_t kMinute = 60'000;
  if (step.amount > kMinute) Deliver(kAll);
  if (gap_ || expires_ || down_) step.amount = std::min(step.amount, 10 * kMinute);
  world_.Run(step, gap_ || expires_);
}

// A list that breaks off after some items, or a whole one.
void HistoryRunner::List(std::int64_t items_before_failure) {
  if (down_) return;
  Deliver(kAll);
  const bool whole = items_before_failure == kWhole;
  if (!whole && baseline_done_ && !gap_) return;  // there is no reason to list
  if (whole && !baseline_done_) world_.MarkBaseline();
  ListAgain(baseline_done_ ? ListReason::kRelist : ListReason::kFirst,
            whole ? world_.objects().size() : static_cast<std::size_t>(items_before_failure));
  if (!whole) return;
  counter_->OnListCommitted(0, std::to_string(world_.version()), world_.now());
  position_ = world_.version();
  baseline_done_ = true;
  gap_ = false;
  if (saved_) Save(false);  // else the one before would be too old for what it says
}

void HistoryRunner::ListAgain(ListReason reason, std::size_t items) {
  counter_->OnListBegin(0, reason, world_.now());
  delivered_.clear();
  for (const auto& [name, object] : world_.objects()) {
    if (items-- == 0) break;
    if (!history_.selector || object.matches) Send(ChangeKind::kListed, name, object);
  }
  world_.log().clear();
  seen_ = world_.version();
}

// The observer notices at once: it is beyond the rules when versions have caught up with its position.
void HistoryRunner::Restore(const Step& step) {
  if (down_) return;
  world_.Run(step, gap_);
  delivered_.clear();
  sent_.clear();  // versions begin again
  if (!baseline_done_) return;
  gap_ = true;
  if (world_.version() >= seen_) return Save(false);
  if (step.amount % 3 == 0) ListAgain(ListReason::kRestored, 2);
  ListAgain(ListReason::kRestored, world_.objects().size());
  counter_->OnListCommitted(0, std::to_string(world_.version()), world_.now());
  position_ = world_.version();
  gap_ = false;
  Save(false);
}

void HistoryRunner::Deliver(std::size_t events) {
  if (!Watches()) return;
  for (; events > 0 && !world_.log().empty(); --events) {
    const WatchEvent event = world_.log().front();
    world_.log().pop_front();
    Send(event.kind, event.name, event.object);
    since_saved_.push_back(event);
    position_ = event.object.version;
    seen_ = std::max(seen_, position_);
  }
}

void HistoryRunner::Replay(std::int64_t choice) {
  if (!Watches() || sent_.empty()) return;
  const std::size_t back = static_cast<std::size_t>(choice) % sent_.size();
  const WatchEvent old = *(sent_.end() - 1 - static_cast<std::ptrdiff_t>(back));
  // What is known of a deleted or evicted object has no version to tell a replay by.
  const bool known = delivered_.count(old.name) > 0 && history_.max_live > world_.runs().size();
  if (known) Send(ChangeKind::kModified, old.name, old.object);
}

void HistoryRunner::Send(ChangeKind kind, const std::string& name, const Object& object) {
  world_.MarkDelivered(object);
  Show(kind, name, object);
  if (kind == ChangeKind::kDeleted) {
    delivered_.erase(name);
  } else {
    delivered_.insert(name);
    sent_.push_back({kind, name, object});
  }
}

void HistoryRunner::Show(ChangeKind kind, const std::string& name, const Object& object) {
  const std::string version = std::to_string(object.version);
  const Event event = EventOf(name, object, version);
  counter_->OnChange({.scope = 0, .kind = kind, .event = event, .raw = {}, .server_time = world_.now()});
}

std::optional<std::string> HistoryRunner::Check() const {
  if (!negative_.empty()) return negative_;
  struct Truth {
    std::int64_t shown = 0;
    std::int64_t delivered = 0;
  };
  std::map<std::string, Truth> truths;
  for (const testing::Run& run : world_.runs()) {
    Truth& truth = truths[run.name];
    for (const Occurrence& occurrence : run.occurrences) {
      if (occurrence.old || !baseline_done_) continue;
      truth.shown += occurrence.shown ? 1 : 0;
      truth.delivered += occurrence.delivered ? 1 : 0;
    }
  }
  for (const auto& [name, truth] : truths) {
    const auto found = tallies_.find(name);
    const Tally tally = found == tallies_.end() ? Tally{} : found->second;
    const bool holds = tally.value - tally.counted <= truth.shown && truth.delivered <= tally.value + tally.not_counted;
    if (holds) continue;
    return name + ": value " + std::to_string(tally.value) + ", counted " + std::to_string(tally.counted) +
           ", not counted " + std::to_string(tally.not_counted) + "; truth " + std::to_string(truth.delivered) +
           " to " + std::to_string(truth.shown);
  }
  return std::nullopt;
}

}  // namespace kube_events::testing
