#include "lease_object.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "kube_events/base/timestamp.h"

namespace kube_events {
namespace {

using nlohmann::json;

const json* At(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found != object.end() ? &*found : nullptr;
}

std::string TextAt(const json& object, const char* key) {
  const json* value = At(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string{};
}

// From 0 to the largest number that the API's 32 bits hold.
std::int32_t NumberAt(const json& object, const char* key) {
  const json* value = At(object, key);
  if (value == nullptr || !value->is_number_integer()) return 0;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(value->get<std::int64_t>(), 0, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

std::string FormatMicroTime(WallTime time) {
  std::string text;
  AppendTimestamp(text, time);
  return text;
}

Result<LeaseRecord> ReadLeaseObject(const json& lease) {
  const json* metadata = At(lease, "metadata");
  if (metadata == nullptr || TextAt(*metadata, "resourceVersion").empty()) {
    return Fail(ErrorKind::kInvalid, "the API server's answer is no Lease: it has no metadata.resourceVersion");
  }
  LeaseRecord record;
  const json* spec = At(lease, "spec");
  if (spec == nullptr) return record;
  record.holder = TextAt(*spec, "holderIdentity");
  record.duration = std::chrono::seconds{NumberAt(*spec, "leaseDurationSeconds")};
  record.acquire_time = TextAt(*spec, "acquireTime");
  record.renew_time = TextAt(*spec, "renewTime");
  record.transitions = NumberAt(*spec, "leaseTransitions");
  return record;
}

json NewLeaseObject(const ObjectPath& path, const LeaseRecord& record) {
  json lease = {{"apiVersion", path.group + "/v1"},
                {"kind", "Lease"},
                {"metadata", {{"name", path.name}, {"namespace", path.namespace_name}}}};
  UpdateLeaseObject(lease, record);
  return lease;
}

void UpdateLeaseObject(json& lease, const LeaseRecord& record) {
  json& spec = lease["spec"];
  if (!spec.is_object()) spec = json::object();
  spec["leaseDurationSeconds"] = record.duration.count();
  spec["acquireTime"] = record.acquire_time;
  spec["renewTime"] = record.renew_time;
  spec["leaseTransitions"] = record.transitions;
  // A Lease that was released names nobody, rather than somebody without a name.
  spec.erase("holderIdentity");
  if (!record.holder.empty()) spec["holderIdentity"] = record.holder;
}

}  // namespace kube_events
