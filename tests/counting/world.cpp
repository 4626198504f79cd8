#include "counting/world.h"

#include <algorithm>
#include <iterator>

namespace kube_events::testing {
namespace {

bool Restarts(const History& history) {
  return std::any_of(history.steps.begin(), history.steps.end(),
                     [](const Step& step) { return step.kind == StepKind::kStop || step.kind == StepKind::kCrash; });
}

bool KeepsName(WriterKind kind) { return kind != WriterKind::kRecorder && kind != WriterKind::kSeries; }

}  // namespace

World::World(const History& history)
    : selector_(history.selector),
      forgets_soon_(history.max_tombstones < 100 || history.max_saved < 100),
      restarts_(Restarts(history)),
      ttl_(history.tombstone_ttl) {
  for (const WriterSpec& spec : history.writers) {
    Writer writer;
    writer.spec = spec;
    // Timestamps renewed while a selector hides the object are beyond the rules.
    if (spec.kind == WriterKind::kRenewing) writer.spec.matches = true;
    writers_.push_back(writer);
  }
}

void World::Run(const Step& step, bool gap) {
  now_ += std::chrono::milliseconds{1};
  Writer& writer = writers_[static_cast<std::size_t>(step.writer)];
  switch (step.kind) {
    case StepKind::kAdvance:
      Advance(std::chrono::milliseconds{step.amount});
      break;
    case StepKind::kOccur:
    case StepKind::kDrop:
    case StepKind::kFail:
      Occur(writer, step.kind, gap);
      break;
    case StepKind::kRetry:
      Retry(writer, gap);
      break;
    case StepKind::kHeartbeat:
      Heartbeat(writer);
      break;
    case StepKind::kNewRun:
      NewRun(writer, gap);
      break;
    case StepKind::kDelete:
      Delete(writer, step.amount);
      break;
    case StepKind::kRelabel:
      Relabel(writer);
      break;
    case StepKind::kRestore:
      Restore(step.amount);
      break;
    default:
      break;
  }
}

void World::Advance(std::chrono::milliseconds pause) {
  now_ += pause;
  if (pause <= std::chrono::minutes{10}) return;
  for (Writer& writer : writers_) writer.queue.clear();  // recorders give up after some minutes
}

void World::Occur(Writer& writer, StepKind how, bool gap) {
  const WriterKind kind = writer.spec.kind;
  if (kind == WriterKind::kRenewing && IsForgotten(writer)) writer.has_run = false;
  if (!writer.has_run && !StartRun(writer)) return;
  if (kind == WriterKind::kNoTimestamps && (gap || Hidden(writer)) && IsReset(writer)) return;  // as in NewRun
  testing::Run& run = runs_[writer.run];
  run.occurrences.emplace_back();
  const std::size_t total = run.occurrences.size();
  if (kind == WriterKind::kRenewing) {
    const OptionalTime epoch = Epoch(writer);
    if (epoch > run.epoch) run.epoch = epoch;
    writer.last_epoch = run.epoch;
    // What it counted before its object was there would hide behind the new timestamp: beyond the rules.
    if (objects_.count(run.name) == 0) how = StepKind::kOccur;
  }
  if (kind == WriterKind::kNoTimestamps && IsReset(writer)) how = StepKind::kOccur;  // only a fall shows a reset
  if (kind == WriterKind::kSeries) {
    if (total > 2) return;                               // waits for a heartbeat
    if (how == StepKind::kDrop) how = StepKind::kOccur;  // it has no spam filter
  }
  if (how == StepKind::kOccur) Apply(writer, CurrentWrite(writer));
  if (how == StepKind::kFail && !(gap && kind == WriterKind::kRenewing)) writer.queue.push_back(CurrentWrite(writer));
}

void World::Heartbeat(Writer& writer) {
  const bool series = writer.spec.kind == WriterKind::kSeries && writer.has_run;
  if (series && runs_[writer.run].occurrences.size() > 1) Apply(writer, CurrentWrite(writer));
}

void World::Retry(Writer& writer, bool gap) {
  if (writer.queue.empty()) return;
  const Write write = writer.queue.front();
  writer.queue.pop_front();
  // A first write that is tried again only meets its own object. A lower write is beyond the rules while the object
  // is hidden by a selector, and within a gap where timestamps are renewed or missing or the cache has forgotten it.
  const bool honest_epoch = writer.spec.kind != WriterKind::kRenewing && writer.spec.kind != WriterKind::kNoTimestamps;
  if (write.total == 1 || Hidden(writer) || (gap && (!honest_epoch || forgets_soon_))) return;
  // Nor does a write whose answer was lost find its object gone: deletions within seconds of a write are not a
  // recorder's.
  if (objects_.count(runs_[write.run].name) == 0 && IsShown(write)) return;
  // An older run that re-creates the object, and then late writes of the newer one: beyond the rules.
  if (write.run != writer.run && objects_.count(runs_[write.run].name) == 0) writer.queue.clear();
  Apply(writer, write);
}

void World::NewRun(Writer& writer, bool gap) {
  // Any reset is beyond the rules while a selector hides the object, one without a new timestamp within a gap or to
  // the same total.
  if (Hidden(writer)) return;
  if (writer.spec.kind == WriterKind::kNoTimestamps) {
    const auto found = writer.has_run ? objects_.find(runs_[writer.run].name) : objects_.end();
    if (gap || (found != objects_.end() && found->second.total == 1)) return;
    writer.queue.clear();  // nothing tells a late write of the run before from this one
  }
  if (forgets_soon_) writer.queue.clear();  // the same
  writer.has_run = false;
}

void World::Delete(const Writer& writer, std::int64_t choice) {
  if (choice > 8 && !objects_.empty()) {
    return Remove(std::next(objects_.begin(), choice % static_cast<std::int64_t>(objects_.size()))->first);
  }
  if (writer.has_run) Remove(runs_[writer.run].name);
}

void World::Relabel(const Writer& writer) {
  if (!writer.has_run || (selector_ && writer.spec.kind == WriterKind::kRenewing)) return;
  const std::string name = runs_[writer.run].name;
  const auto found = objects_.find(name);
  if (found == objects_.end()) return;
  Object object = found->second;
  object.matches = !object.matches;
  Store(name, object);
}

void World::Restore(std::int64_t versions) {
  const std::uint64_t wanted = version_ - static_cast<std::uint64_t>(versions);
  while (backups_.size() > 1 && backups_.back().first > wanted) backups_.pop_back();
  if (backups_.empty()) return;
  version_ = backups_.back().first;
  objects_ = backups_.back().second;
  log_.clear();
}

bool World::StartRun(Writer& writer) {
  testing::Run run;
  run.epoch = Epoch(writer);
  // Two runs of one name within a second cannot be told apart through a gap.
  const bool same_second = KeepsName(writer.spec.kind) && run.epoch && writer.last_epoch >= run.epoch;
  if (same_second) return false;
  run.name = "w" + std::to_string(&writer - writers_.data());
  // A checkpoint leaves out what was seen once, so that a run that began right after the creation of its object looks
  // like the one before.
  const auto found = objects_.find(run.name);
  if (restarts_ && run.epoch && found != objects_.end() &&
      *run.epoch <= found->second.created + std::chrono::seconds{5}) {
    return false;
  }
  if (!KeepsName(writer.spec.kind)) run.name += "." + std::to_string(writer.runs);
  writer.last_epoch = run.epoch;
  writer.has_run = true;
  writer.run = runs_.size();
  ++writer.runs;
  runs_.push_back(run);
  return true;
}

OptionalTime World::Epoch(const Writer& writer) const {
  const WallTime clock = now_ + writer.spec.skew;
  switch (writer.spec.kind) {
    case WriterKind::kNoTimestamps:
      return std::nullopt;
    case WriterKind::kSeries:
      return clock;
    default:
      return std::chrono::floor<std::chrono::seconds>(clock);
  }
}

World::Write World::CurrentWrite(const Writer& writer) const {
  const testing::Run& run = runs_[writer.run];
  return {writer.run, static_cast<std::int64_t>(run.occurrences.size()), run.epoch};
}

bool World::Hidden(const Writer& writer) const {
  if (!writer.has_run) return false;
  const auto found = objects_.find(runs_[writer.run].name);
  return found != objects_.end() && !Matches(found->second);
}

// Nobody remembers the object any more: to go on with its count under a new timestamp is beyond the rules.
bool World::IsForgotten(const Writer& writer) const {
  if (!writer.has_run) return false;
  const std::string& name = runs_[writer.run].name;
  const auto deleted = deleted_at_.find(name);
  if (objects_.count(name) > 0) return forgets_soon_;
  // A checkpoint leaves out what was seen once.
  return forgets_soon_ || restarts_ || (deleted != deleted_at_.end() && now_ - deleted->second > ttl_);
}

// The object still holds what an earlier run wrote.
bool World::IsReset(const Writer& writer) const {
  const auto found = objects_.find(runs_[writer.run].name);
  return found != objects_.end() && found->second.run != writer.run;
}

bool World::IsShown(const Write& write) const {
  return runs_[write.run].occurrences[static_cast<std::size_t>(write.total) - 1].shown;
}

// PATCH, or POST where there is no object.
void World::Apply(const Writer& writer, const Write& write) {
  const std::string name = runs_[write.run].name;
  const auto found = objects_.find(name);
  Object object;
  if (found != objects_.end()) {
    object = found->second;
  } else {
    object.uid = "uid-" + std::to_string(++uids_);
    object.created = std::chrono::floor<std::chrono::seconds>(now_);
    object.matches = writer.spec.matches;
  }
  object.run = write.run;
  object.total = write.total;
  object.epoch = write.epoch;
  object.series_writer = writer.spec.kind == WriterKind::kSeries;
  Store(name, object);
}

void World::Store(const std::string& name, const Object& object) {
  Snapshot();
  const auto found = objects_.find(name);
  const bool matched = found != objects_.end() && Matches(found->second);
  Object stored = object;
  stored.version = ++version_;
  if (Matches(stored)) {
    Show(stored);
    log_.push_back({matched ? ChangeKind::kModified : ChangeKind::kAdded, name, stored});
  } else if (matched) {
    Object last = found->second;
    last.version = version_;
    log_.push_back({ChangeKind::kDeleted, name, last});
  }
  objects_[name] = stored;
}

void World::Remove(const std::string& name) {
  const auto found = objects_.find(name);
  if (found == objects_.end()) return;
  Snapshot();
  Object last = found->second;
  last.version = ++version_;
  if (Matches(last)) log_.push_back({ChangeKind::kDeleted, name, last});
  deleted_at_[name] = now_;
  objects_.erase(found);  // last: `name` may be its key
}

void World::Show(const Object& object) {
  std::vector<Occurrence>& occurrences = runs_[object.run].occurrences;
  for (std::size_t i = 0; i < static_cast<std::size_t>(object.total); ++i) occurrences[i].shown = true;
}

void World::Snapshot() {
  backups_.emplace_back(version_, objects_);
  if (backups_.size() > 16) backups_.erase(backups_.begin());
}

void World::MarkBaseline() {
  for (Writer& writer : writers_) {
    writer.queue.clear();
    const bool absent = writer.has_run && objects_.count(runs_[writer.run].name) == 0;
    if (absent && writer.spec.kind == WriterKind::kRenewing) writer.has_run = false;  // as in IsForgotten
    // The second occurrence of a series is written at once.
    const bool second_is_late =
        writer.spec.kind == WriterKind::kSeries && writer.has_run && runs_[writer.run].occurrences.size() > 1;
    if (second_is_late) {
      const auto found = objects_.find(runs_[writer.run].name);
      if (found != objects_.end() && found->second.total == 1) Apply(writer, CurrentWrite(writer));
    }
  }
  for (testing::Run& run : runs_) {
    for (Occurrence& occurrence : run.occurrences) occurrence.old = true;
  }
}

}  // namespace kube_events::testing
