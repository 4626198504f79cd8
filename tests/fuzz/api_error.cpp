// Refusals of the API server, in responses and in ERROR frames: any body gives one kind and one bounded, printable
// line.
//   two bytes: HTTP status; byte: Retry-After and API; the rest is the body
#include "kube_events/kube/api_error.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "fuzz/check.h"
#include "kube_events/base/text.h"

namespace {

using kube_events::Error;
using kube_events::ErrorKind;
using kube_events::fuzz::Check;

void CheckError(const Error& error) {
  Check(!error.message.empty() && error.message.size() < 1000, "a message is short", error.message);
  Check(!kube_events::HasControlCharacter(error.message), "a message is one line", error.message);
  Check(error.reason.size() <= 64 + 3, "a reason is a word", error.reason);
  Check(error.kind != ErrorKind::kCancelled && error.kind != ErrorKind::kConfiguration, "the kind is the server's");
  if (error.retry_after) {
    Check(error.retry_after->count() >= 0 && *error.retry_after <= std::chrono::hours{24}, "a wait is at most a day");
  }
}

// What a well-formed Status says has to arrive.
void CompareWithStatus(const Error& error, std::string_view body) {
  const nlohmann::json status = nlohmann::json::parse(body, nullptr, false);
  if (!status.is_object()) return;
  const auto code = status.find("code");
  if (code == status.end() || !code->is_number_integer()) return;
  const auto number = code->get<std::int64_t>();
  if (number == 410) Check(error.kind == ErrorKind::kExpired, "410 means expired");
  if (number == 401 && error.kind != ErrorKind::kExpired) {
    Check(error.kind == ErrorKind::kUnauthenticated, "401 means unauthenticated");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  kube_events::HttpHead head;
  head.status = 300 + static_cast<int>(bytes.Byte()) + static_cast<int>(bytes.Byte());
  const std::uint8_t choice = bytes.Byte();
  if (choice & 1) head.retry_after = std::chrono::seconds{choice};
  kube_events::Scope scope;
  if (choice & 2) scope.api = kube_events::EventApi::kEventsV1;
  if (choice & 4) scope.namespace_name = "shop";
  const std::string_view body = bytes.Rest();

  const Error response = kube_events::ErrorFromResponse(head, body, "list", scope);
  CheckError(response);
  if (head.status == 410) Check(response.kind == ErrorKind::kExpired, "410 means expired");
  if (head.retry_after) Check(response.retry_after == *head.retry_after, "the header's wait counts");
  const Error in_stream = kube_events::ErrorFromStatus(body, "watch", scope);
  CheckError(in_stream);
  CompareWithStatus(in_stream, body);
  return 0;
}
