#include "kube_events/supervisor/reload_protocol.h"

namespace kube_events {

std::string_view ToString(ReloadProof proof) {
  switch (proof) {
    case ReloadProof::kCount:
      return "reload count";
    case ReloadProof::kLogLine:
      return "log line";
    case ReloadProof::kSettled:
      return "settled interval";
  }
  return "";
}

std::string_view ToString(ReloadResult result) {
  switch (result) {
    case ReloadResult::kApplied:
      return "applied";
    case ReloadResult::kRejected:
      return "rejected";
    case ReloadResult::kFailed:
      return "failed";
    case ReloadResult::kTimeout:
      return "timeout";
  }
  return "";
}

}  // namespace kube_events
