#include "kube_events/net/body_collector.h"

#include <utility>

namespace kube_events {

BodyCollector::BodyCollector(std::size_t max_bytes, Handler handler)
    : max_bytes_(max_bytes), handler_(std::move(handler)) {}

void BodyCollector::OnHead(const HttpHead& head) { response_.head = head; }

bool BodyCollector::OnBody(std::string_view bytes) {
  if (!handler_) return true;
  if (bytes.size() > max_bytes_ - response_.body.size()) {
    response_.body = {};
    std::exchange(handler_,
                  nullptr)(Fail(ErrorKind::kInvalid, "the response is longer than the " + std::to_string(max_bytes_) +
                                                         " bytes allowed here; the rest was dropped"));
    return true;
  }
  response_.body.append(bytes);
  return true;
}

void BodyCollector::OnEnd(const Result<void>& result) {
  if (!handler_) return;
  const Handler handler = std::exchange(handler_, nullptr);
  if (result) {
    handler(std::move(response_));
  } else {
    handler(Fail(result.error()));
  }
}

}  // namespace kube_events
