#include "kube_events/informer/informer.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace kube_events {
namespace {

// The loop comes round at least this often, so that its heartbeat is fresh also when nothing happens.
constexpr std::chrono::seconds kMaxWait{5};

}  // namespace

Informer::Informer(InformerOptions options, InformerParts parts)
    : options_(std::move(options)), parts_(std::move(parts)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Informer::~Informer() {
  thread_.request_stop();
  doorbell_.Ring();
  thread_.join();
}

void Informer::Run(const std::stop_token& stop) {
  try {
    Loop(stop);
  } catch (const std::exception& error) {
    parts_.on_failure(std::string("the informer thread failed: ") + error.what());
  } catch (...) {
    parts_.on_failure("the informer thread failed");
  }
}

void Informer::Loop(const std::stop_token& stop) {
  parts_.heartbeat.Beat();
  MakeSessions(parts_.resume ? parts_.resume(stop) : std::vector<std::optional<ScopePosition>>{});
  if (stop.stop_requested()) return;
  for (const auto& session : sessions_) session->Start();
  while (!stop.stop_requested()) {
    parts_.heartbeat.Beat();
    bool progress = false;
    MonotonicTime deadline = parts_.clock.Monotonic() + kMaxWait;
    for (const auto& session : sessions_) {
      progress |= session->Poll();
      deadline = std::min(deadline, session->NextDeadline());
    }
    if (parts_.positions && parts_.positions->WantsPositions()) TellPositions();
    if (!progress) doorbell_.WaitUntil(deadline);
  }
  if (parts_.positions) TellPositions();
  sessions_.clear();
}

void Informer::MakeSessions(const std::vector<std::optional<ScopePosition>>& resume) {
  for (std::size_t i = 0; i < options_.scopes.size(); ++i) {
    SessionOptions session = options_.session;
    session.seed += i;
    if (i < resume.size()) session.resume = resume[i];
    sessions_.push_back(std::make_unique<ScopeSession>(
        static_cast<ScopeIndex>(i), options_.scopes[i], session,
        SessionParts{parts_.client, parts_.clock, decoder_, parts_.consumer, parts_.monitor, doorbell_, parts_.log}));
  }
}

void Informer::TellPositions() {
  std::vector<ScopePosition> positions;
  for (const auto& session : sessions_) positions.push_back(session->Position());
  parts_.positions->OnPositions(positions);
}

}  // namespace kube_events
