// Leases as JSON. Pure functions, any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kube_events/base/result.h"
#include "kube_events/kube/object_path.h"
#include "kube_events/leader/lease_record.h"

namespace kube_events {

// What a Lease says. Fields that are missing or of another type are as if nobody had written them. Fails with kInvalid
// on what is no Lease: without a resourceVersion nothing could be replaced safely.
Result<LeaseRecord> ReadLeaseObject(const nlohmann::json& lease);

// A Lease to create.
nlohmann::json NewLeaseObject(const ObjectPath& path, const LeaseRecord& record);

// Writes `record` into a Lease that was read, and leaves everything else in it as it is: labels, other fields of its
// spec, and the resourceVersion.
void UpdateLeaseObject(nlohmann::json& lease, const LeaseRecord& record);

}  // namespace kube_events
