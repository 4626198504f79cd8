#include "sim/load_generator.h"

#include <algorithm>
#include <utility>

namespace kube_events::sim {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kRecreationDelay = 1'000;  // steps
constexpr std::string_view kCombined = "(combined from similar events): ";

WallTime WholeSeconds(WallTime time) { return WallTime{std::chrono::floor<seconds>(time)}; }

std::int32_t Total(const EventObject& event) {
  return std::max({1, event.count, event.series ? event.series->count : 0});
}

}  // namespace

LoadGenerator::LoadGenerator(const LoadOptions& options, EventStore& store, Truth& truth, const Clock& clock)
    : options_(options),
      store_(store),
      truth_(truth),
      clock_(clock),
      cluster_({options.seed, std::max<std::size_t>(options.namespaces, 1), std::max<std::size_t>(options.nodes, 1)}),
      random_(options.seed ^ 0x9e3779b97f4a7c15U) {}

void LoadGenerator::Preload() {
  while (counted_.size() + seried_.size() < options_.objects) {
    EventObject event = cluster_.NewEvent(clock_.Wall());
    Age(event);
    const std::int32_t total = Total(event);
    StoredEventPtr stored = WriteCreate(std::move(event), total);
    if (stored != nullptr) Keep(std::move(stored));
  }
}

// Makes a new Event one that began up to an hour ago and went on since.
void LoadGenerator::Age(EventObject& event) {
  const WallTime now = clock_.Wall();
  const WallTime begin = now - seconds{60 + Draw(3'300)};
  const bool repeated = DrawShare() < 0.3;
  const auto total = repeated ? static_cast<std::int32_t>(2 + Draw(4) * Draw(4) * Draw(12)) : 1;
  const WallTime last = repeated ? begin + (now - begin) / static_cast<int>(1 + Draw(9)) : begin;
  event.metadata.creation_time = WholeSeconds(begin);
  if (event.event_time) {
    event.event_time = begin;
    if (repeated) event.series = EventSeries{total, last};
  } else {
    event.first_time = WholeSeconds(begin);
    event.last_time = WholeSeconds(last);
    event.count = total;
  }
}

std::size_t LoadGenerator::Step() {
  const std::uint64_t before = changes_;
  ++steps_;
  RecreateDue();
  Perform(DrawAction());
  while (counted_.size() + seried_.size() > options_.objects) {
    std::vector<StoredEventPtr>& from = counted_.size() > seried_.size() ? counted_ : seried_;
    Expire(from, Draw(from.size()));
  }
  return static_cast<std::size_t>(changes_ - before);
}

LoadGenerator::Action LoadGenerator::DrawAction() {
  double share = DrawShare();
  const std::pair<double, Action> shares[] = {
      {options_.repeats, Action::kRepeat},         {options_.series, Action::kSeries},
      {options_.deletions, Action::kDelete},       {options_.recreations, Action::kRecreate},
      {options_.resets, Action::kReset},           {options_.touches, Action::kTouch},
      {options_.late_retries, Action::kLateRetry}, {options_.delayed_recreations, Action::kDelayedRecreate}};
  for (const auto& [part, action] : shares) {
    if (share < part) return action;
    share -= part;
  }
  return Action::kCreate;
}

void LoadGenerator::Perform(Action action) {
  std::vector<StoredEventPtr>& any = Draw(3) == 0 ? seried_ : counted_;
  const bool on_series = action == Action::kSeries;
  const bool on_count = action == Action::kRepeat || action == Action::kReset || action == Action::kLateRetry;
  std::vector<StoredEventPtr>& from = on_series ? seried_ : on_count ? counted_ : any;
  if (action == Action::kCreate || from.empty()) {
    Create();
    return;
  }
  const std::size_t index = Draw(from.size());
  StoredEventPtr& slot = from[index];
  switch (action) {
    case Action::kRepeat:
      Repeat(slot);
      break;
    case Action::kSeries:
      ContinueSeries(slot);
      break;
    case Action::kDelete:
      Expire(from, index);
      break;
    case Action::kRecreate:
      Recreate(slot);
      break;
    case Action::kReset:
      Reset(slot);
      break;
    case Action::kTouch:
      Touch(slot);
      break;
    case Action::kLateRetry:
      LateRetry(slot);
      break;
    default:
      pending_.push_back({steps_ + kRecreationDelay, slot});
      Expire(from, index);
  }
  // Someone else has deleted it.
  if (index < from.size() && from[index] == nullptr) {
    from[index] = from.back();
    from.pop_back();
  }
}

void LoadGenerator::Create() {
  EventObject event = cluster_.NewEvent(clock_.Wall());
  // The tenth different message about one thing goes to an object for all of them.
  if (!event.event_time && Draw(25) == 0) {
    event.message.insert(0, kCombined);
    event.reporting_controller.clear();
    event.reporting_instance.clear();
  }
  StoredEventPtr stored = WriteCreate(std::move(event), 1);
  if (stored != nullptr) Keep(std::move(stored));
}

EventObject LoadGenerator::Raised(const EventObject& event, std::int32_t rise) const {
  const WallTime now = clock_.Wall();
  EventObject next = event;
  if (event.event_time) {
    next.series = EventSeries{Total(event) + rise, now};
  } else {
    next.count = Total(event) + rise;
    next.last_time = WholeSeconds(now);
  }
  return next;
}

void LoadGenerator::Repeat(StoredEventPtr& slot) {
  const std::int32_t rise = DrawShare() < options_.jumps ? static_cast<std::int32_t>(2 + Draw(5)) : 1;
  EventObject next = Raised(slot->object(), rise);
  if (next.message.starts_with(kCombined)) next.message = std::string(kCombined) + "similar " + std::to_string(steps_);
  WriteUpdate(slot, std::move(next), rise);
}

void LoadGenerator::ContinueSeries(StoredEventPtr& slot) {
  const std::int32_t rise = slot->object().series ? static_cast<std::int32_t>(1 + Draw(20)) : 1;
  WriteUpdate(slot, Raised(slot->object(), rise), rise);
}

void LoadGenerator::Expire(std::vector<StoredEventPtr>& from, std::size_t index) {
  WriteDelete(from[index]);
  from[index] = from.back();
  from.pop_back();
}

// The recorder's PATCH met a 404: it creates the Event again, with all that it knows of it. Nothing lies between the
// deletion and the creation, so that no list can miss that this is the same run.
void LoadGenerator::Recreate(StoredEventPtr& slot) {
  EventObject next = Raised(slot->object(), 1);
  next.metadata = {.name = next.metadata.name,
                   .generate_name = "",
                   .namespace_name = next.metadata.namespace_name,
                   .uid = "",
                   .resource_version = 0,
                   .creation_time = std::nullopt,
                   .labels = next.metadata.labels,
                   .annotations = {},
                   .managed_fields = next.metadata.managed_fields};
  slot = WriteDelete(slot) ? WriteCreate(std::move(next), 1) : nullptr;
}

// A writer of its own kind begins a new run under the old name.
void LoadGenerator::Reset(StoredEventPtr& slot) {
  const WallTime now = WholeSeconds(clock_.Wall());
  EventObject next = slot->object();
  // Within the second of its beginning nobody could tell the new run from the old one.
  if (next.first_time && *next.first_time >= now) {
    Touch(slot);
    return;
  }
  next.first_time = now;
  next.last_time = now;
  next.count = 1;
  WriteUpdate(slot, std::move(next), 1);
}

void LoadGenerator::Touch(StoredEventPtr& slot) {
  EventObject next = slot->object();
  next.metadata.annotations["example.com/touched"] = std::to_string(steps_);
  WriteUpdate(slot, std::move(next), 0);
}

void LoadGenerator::LateRetry(StoredEventPtr& slot) {
  const EventObject& now = slot->object();
  if (now.count < 3) {
    Repeat(slot);
    return;
  }
  const StoredEventPtr latest = slot;
  EventObject old = now;
  old.count = 2;
  WriteUpdate(slot, std::move(old), 0);
  if (slot != nullptr) WriteUpdate(slot, Raised(latest->object(), 1), 1);
}

void LoadGenerator::RecreateDue() {
  while (!pending_.empty() && pending_.front().due_step <= steps_) {
    const auto rise = static_cast<std::int32_t>(1 + Draw(5));
    EventObject next = Raised(pending_.front().last->object(), rise);
    pending_.pop_front();
    next.metadata.uid.clear();
    next.metadata.creation_time.reset();
    StoredEventPtr stored = WriteCreate(std::move(next), rise);
    if (stored != nullptr) Keep(std::move(stored));
  }
}

bool LoadGenerator::WriteUpdate(StoredEventPtr& slot, EventObject event, std::int32_t occurrences) {
  slot = store_.Replace(*slot, std::move(event));
  if (slot == nullptr) return false;
  ++changes_;
  AddTruth(*slot, occurrences);
  return true;
}

StoredEventPtr LoadGenerator::WriteCreate(EventObject event, std::int32_t occurrences) {
  StoredEventPtr stored = store_.Create(std::move(event));
  if (stored == nullptr) return nullptr;
  ++changes_;
  AddTruth(*stored, occurrences);
  return stored;
}

bool LoadGenerator::WriteDelete(const StoredEventPtr& event) {
  if (store_.Remove(*event) == nullptr) return false;
  ++changes_;
  return true;
}

void LoadGenerator::Keep(StoredEventPtr event) {
  std::vector<StoredEventPtr>& to = event->object().event_time ? seried_ : counted_;
  to.push_back(std::move(event));
}

void LoadGenerator::AddTruth(const StoredEvent& event, std::int64_t occurrences) {
  if (occurrences == 0) return;
  const EventObject& object = event.object();
  truth_.Add(event.revision(),
             {object.type, object.involved_object.namespace_name, object.involved_object.kind, object.reason},
             occurrences);
}

}  // namespace kube_events::sim
