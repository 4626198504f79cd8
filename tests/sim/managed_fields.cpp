#include "sim/managed_fields.h"

#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

constexpr std::string_view kCoreFields =
    R"({"f:count":{},"f:firstTimestamp":{},"f:involvedObject":{},"f:lastTimestamp":{},"f:message":{},"f:reason":{},)"
    R"("f:reportingComponent":{},"f:reportingInstance":{},"f:source":{"f:component":{},"f:host":{}},"f:type":{}})";
constexpr std::string_view kEventsFields =
    R"({"f:action":{},"f:eventTime":{},"f:note":{},"f:reason":{},"f:regarding":{},"f:reportingController":{},)"
    R"("f:reportingInstance":{},"f:series":{".":{},"f:count":{},"f:lastObservedTime":{}},"f:type":{}})";

}  // namespace

std::string RecorderManagedFields(std::string_view manager, bool events_v1, WallTime time) {
  std::string out = R"([{"manager":)";
  AppendJsonString(out, manager);
  out.append(R"(,"operation":"Update","apiVersion":")").append(events_v1 ? "events.k8s.io/v1" : "v1");
  out.append(R"(","time":)");
  AppendJsonTime(out, time);
  out.append(R"(,"fieldsType":"FieldsV1","fieldsV1":)").append(events_v1 ? kEventsFields : kCoreFields);
  return out + "}]";
}

}  // namespace kube_events::sim
