// The API of Events: what each verb does with the store. Server thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "kube_events/base/clock.h"
#include "sim/api_request.h"
#include "sim/event_store.h"
#include "sim/resource_request.h"
#include "sim/watch_stream.h"

namespace kube_events::sim {

class EventsApi {
 public:
  // All must outlive the API.
  EventsApi(EventStore& store, WatchHub& hub, const Clock& clock, std::uint64_t seed)
      : store_(store), hub_(hub), clock_(clock), random_(seed) {}

  // Carries the request out. A `fault` that concerns a watch is handed to its stream.
  Reply Handle(const Request& request, const ResourceRequest& resource, const std::optional<Fault>& fault);

  // Revision of the oldest first list page since ForgetLists(), 0 before there was one: what a consumer that began
  // then took as its baseline.
  std::uint64_t first_list_revision() const { return first_list_revision_; }
  void ForgetLists() { first_list_revision_ = 0; }

 private:
  Reply List(const Request& request, const ResourceRequest& resource);
  Reply Watch(const Request& request, const ResourceRequest& resource, const std::optional<Fault>& fault);
  Reply Get(const ResourceRequest& resource);
  Reply Create(const Request& request, const ResourceRequest& resource);
  Reply Update(const Request& request, const ResourceRequest& resource);
  Reply Patch(const Request& request, const ResourceRequest& resource);
  Reply Delete(const Request& request, const ResourceRequest& resource);
  Reply DeleteCollection(const Request& request, const ResourceRequest& resource);
  // Stores a new `event`, as a create or an update does, and answers with what is stored then.
  Reply Store(EventObject event, const Request& request, const ResourceRequest& resource);
  // Stores `event` in place of `current` and answers with what is stored then.
  Reply Replace(EventObject event, const StoredEvent& current, const Request& request, const ResourceRequest& resource);

  EventStore& store_;
  WatchHub& hub_;
  const Clock& clock_;
  std::mt19937_64 random_;
  std::uint64_t first_list_revision_ = 0;
};

// What validation finds wrong with a new Event written through `api`; empty where it is acceptable.
std::vector<StatusCause> ValidateCreate(const EventObject& event, Api api);
// … with an update of `old`.
std::vector<StatusCause> ValidateUpdate(const EventObject& event, const EventObject& old, Api api);

}  // namespace kube_events::sim
