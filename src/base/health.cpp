#include "kube_events/base/health.h"

#include "kube_events/base/duration.h"

namespace kube_events {

Heartbeat::Heartbeat(const Clock& clock, std::string name, std::chrono::milliseconds max_silence)
    : clock_(clock), name_(std::move(name)), max_silence_(max_silence) {
  Beat();
}

void Heartbeat::Beat() { last_.store(clock_.Monotonic().time_since_epoch().count(), std::memory_order_relaxed); }

std::string Heartbeat::Complaint() const {
  const MonotonicTime last{MonotonicTime::duration(last_.load(std::memory_order_relaxed))};
  const auto silence = std::chrono::duration_cast<std::chrono::seconds>(clock_.Monotonic() - last);
  if (silence <= max_silence_) return {};
  return name_ + ": no progress for " + FormatDuration(silence);
}

void Health::SetReady(const std::string& condition) {
  const std::lock_guard lock(mutex_);
  Condition& entry = conditions_[condition];
  entry.ready = true;
  entry.reason.clear();
}

void Health::SetNotReady(const std::string& condition, std::string reason, std::chrono::milliseconds grace) {
  const std::lock_guard lock(mutex_);
  Condition& entry = conditions_[condition];
  if (entry.ready) entry.grace_until = clock_.Monotonic() + grace;
  entry.ready = false;
  entry.reason = std::move(reason);
}

void Health::SetShuttingDown() {
  const std::lock_guard lock(mutex_);
  shutting_down_ = true;
}

std::vector<std::string> Health::NotReadyReasons() const {
  const auto now = clock_.Monotonic();
  const std::lock_guard lock(mutex_);
  if (shutting_down_) return {"shutting down"};
  if (conditions_.empty()) return {"starting"};
  std::vector<std::string> reasons;
  for (const auto& [name, condition] : conditions_) {
    if (!condition.ready && now >= condition.grace_until) reasons.push_back(condition.reason);
  }
  return reasons;
}

Heartbeat& Health::AddLoop(std::string name, std::chrono::milliseconds max_silence) {
  const std::lock_guard lock(mutex_);
  loops_.push_back(std::make_unique<Heartbeat>(clock_, std::move(name), max_silence));
  return *loops_.back();
}

std::vector<std::string> Health::StuckLoops() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> complaints;
  for (const auto& loop : loops_) {
    if (auto complaint = loop->Complaint(); !complaint.empty()) complaints.push_back(std::move(complaint));
  }
  return complaints;
}

}  // namespace kube_events
