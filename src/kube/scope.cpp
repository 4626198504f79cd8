#include "kube_events/kube/scope.h"

namespace kube_events {

std::string_view GroupOf(EventApi api) { return api == EventApi::kCoreV1 ? "" : "events.k8s.io"; }

std::string_view ToString(EventApi api) { return api == EventApi::kCoreV1 ? "v1" : "events.k8s.io/v1"; }

}  // namespace kube_events
