// The API of ConfigMaps, Leases and Namespaces: what each verb does with the store. Watching them is not simulated.
// Server thread only.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <random>
#include <string>

#include "kube_events/base/clock.h"
#include "sim/api_request.h"
#include "sim/event_store.h"
#include "sim/object_store.h"
#include "sim/resource_request.h"

namespace kube_events::sim {

class ObjectsApi {
 public:
  // A cluster has its four namespaces from the beginning; the same seed gives them the same uids. All must outlive the
  // API.
  ObjectsApi(EventStore& revisions, const Clock& clock, std::uint64_t seed);

  // Carries out a request that RefuseRoute() accepts.
  Reply Handle(const Request& request, const ResourceRequest& resource);

  bool HasNamespace(const std::string& name) const;
  // The state of `revision` is the current one again.
  void Rewind(std::uint64_t revision) { store_.Rewind(revision); }

 private:
  Reply List(const Request& request, const ResourceRequest& resource);
  Reply Get(const ResourceRequest& resource);
  Reply Create(const Request& request, const ResourceRequest& resource);
  Reply Update(const Request& request, const ResourceRequest& resource);
  Reply Patch(const Request& request, const ResourceRequest& resource);
  Reply Delete(const Request& request, const ResourceRequest& resource);
  Reply DeleteCollection(const Request& request, const ResourceRequest& resource);
  // Stores a new object, whose fields conform, and answers with what is stored then.
  Reply Store(nlohmann::json object, const Request& request, const ResourceRequest& resource);
  // … in place of `current`.
  Reply Replace(nlohmann::json object, const nlohmann::json& current, const Request& request,
                const ResourceRequest& resource);
  std::string Now() const;

  const EventStore& revisions_;
  const Clock& clock_;
  ObjectStore store_;
  std::mt19937_64 random_;
};

}  // namespace kube_events::sim
