// All state of the simulated API server and what requests do with it, without any networking.
// Owned by SimServer; used on its thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "sim/access.h"
#include "sim/api_request.h"
#include "sim/event_store.h"
#include "sim/events_api.h"
#include "sim/faults.h"
#include "sim/load_generator.h"
#include "sim/objects_api.h"
#include "sim/resource_request.h"
#include "sim/reviews_api.h"
#include "sim/sim_server.h"
#include "sim/truth.h"
#include "sim/watch_stream.h"

namespace kube_events::sim {

class ApiServer {
 public:
  ApiServer(const SimServerOptions& options, const Clock& clock);

  // Answers API and control requests.
  Reply Handle(const Request& request);

  SimState State() const;
  std::uint64_t Mark();
  void Rewind(std::uint64_t revision);

  void PrepareLoad(const LoadOptions& options);
  void StartLoad(const LoadOptions& options);
  void StopLoad() { load_running_ = false; }
  // Writes `changes` more that nobody sees yet, rendered for `api`; false where the history cannot hold them.
  bool RecordTape(std::size_t changes, Api api);
  // Shows them, so many per second; 0: all at once.
  void PlayTape(double rate);
  // Writes, and shows of the tape, what is due `elapsed` after the last call; never works much longer than `budget`.
  void DriveLoad(std::chrono::nanoseconds elapsed, std::chrono::nanoseconds budget);

  EventStore& store() { return store_; }
  WatchHub& hub() { return hub_; }
  Truth& truth() { return truth_; }
  FaultTable& faults() { return faults_; }
  AccessControl& access() { return access_; }
  LoadGenerator* load() { return load_.get(); }

 private:
  // Requests for paths that are no resource.
  Reply HandlePath(const Request& request);
  Reply HandleResource(const Request& request, const ResourceRequest& resource);
  // Carries out what is allowed.
  Reply Dispatch(const Request& request, const ResourceRequest& resource, const std::optional<Fault>& fault);

  void DriveTape(std::chrono::nanoseconds elapsed);

  const Clock& clock_;
  const std::size_t history_;
  const bool strict_namespaces_;
  EventStore store_;
  WatchHub hub_;
  EventsApi events_;
  ObjectsApi objects_;
  AccessControl access_;
  ReviewsApi reviews_;
  FaultTable faults_;
  std::uint64_t faults_met_ = 0;  // by other responses than open watches
  Truth truth_;
  std::unique_ptr<LoadGenerator> load_;
  bool load_running_ = false;
  double load_due_ = 0;  // changes
  double tape_rate_ = 0;
  double tape_due_ = 0;
  std::uint64_t mark_ = 0;
  std::map<std::string, std::uint64_t> requests_;
};

}  // namespace kube_events::sim
