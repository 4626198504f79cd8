// What World and HistoryRunner do about checkpoints.
#include <limits>
#include <string>

#include "counting/history_runner.h"

namespace kube_events::testing {

// `expires`: if the process crashes before the next one, the API server has forgotten what came after this one. Then
// what is hidden so must have been sent before.
void HistoryRunner::Save(bool expires) {
  if (!baseline_done_ || down_) return;
  if (expires) Deliver(std::numeric_limits<std::size_t>::max());
  saved_ = counter_->Export(history_.max_saved);
  saved_->scopes.at(0).position = position_;
  saved_tallies_ = tallies_;
  saved_gap_ = gap_;
  expires_ = expires;
  since_saved_.clear();
  world_.MarkSaved();
}

void HistoryRunner::Stop(std::int64_t choice) {
  if (!baseline_done_ || down_) return;
  Save(choice % 3 == 0);
  down_ = true;
  gap_ = gap_ || expires_;
}

// What was counted since the checkpoint is taken back here; to Prometheus it happened twice.
void HistoryRunner::Crash() {
  if (!saved_ || down_) return;
  down_ = true;
  tallies_ = saved_tallies_;
  world_.RollBack();
  world_.log().insert(world_.log().begin(), since_saved_.begin(), since_saved_.end());
  since_saved_.clear();
  position_ = saved_->scopes.at(0).position;
  gap_ = saved_gap_ || expires_;
}

void HistoryRunner::Start() {
  if (!down_) return;
  down_ = false;
  expires_ = false;
  StartCounter();
  delivered_.clear();
  sent_.clear();
  counter_->OnListBegin(0, ListReason::kResumed, world_.now());
  for (const auto& [name, object] : world_.objects()) {
    if (!history_.selector || object.matches) Show(ChangeKind::kListed, name, object);
  }
  counter_->OnListCommitted(0, std::to_string(world_.version()), world_.now());
  seen_ = world_.version();
  if (gap_) world_.log().clear();
  saved_gap_ = gap_;
}

void World::MarkDelivered(const Object& object) {
  std::vector<Occurrence>& occurrences = runs_[object.run].occurrences;
  for (std::size_t i = 0; i < static_cast<std::size_t>(object.total); ++i) occurrences[i].delivered = true;
}

void World::MarkSaved() {
  for (testing::Run& run : runs_) {
    for (Occurrence& occurrence : run.occurrences) occurrence.saved = occurrence.delivered;
  }
}

void World::RollBack() {
  for (testing::Run& run : runs_) {
    for (Occurrence& occurrence : run.occurrences) occurrence.delivered = occurrence.saved;
  }
}

}  // namespace kube_events::testing
