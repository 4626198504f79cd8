#include "kube_events/net/body_collector.h"

#include <utility>

namespace kube_events {

BodyCollector::BodyCollector(std::size_t max_bytes, Handler handler, BodyUse use)
    : max_bytes_(max_bytes), use_(use), handler_(std::move(handler)) {}

void BodyCollector::OnHead(const HttpHead& head) { response_.head = head; }

bool BodyCollector::OnBody(std::string_view bytes) {
  if (!handler_) return true;
  const std::size_t room = max_bytes_ - response_.body.size();
  response_.body.append(bytes.substr(0, room));
  if (bytes.size() <= room) return true;
  if (use_ == BodyUse::kExcerpt) {
    Tell(std::move(response_));
    return true;
  }
  response_.body = {};
  Tell(Fail(ErrorKind::kInvalid, "the response is longer than the " + std::to_string(max_bytes_) +
                                     " bytes allowed here; the rest was dropped"));
  return true;
}

void BodyCollector::OnEnd(const Result<void>& result) {
  if (!handler_) return;
  const bool enough = use_ == BodyUse::kExcerpt && response_.head.status != 0;
  if (result || enough) {
    Tell(std::move(response_));
  } else {
    Tell(Fail(result.error()));
  }
}

void BodyCollector::Tell(Result<HttpResponse> response) {
  const Handler handler = std::exchange(handler_, nullptr);
  handler(std::move(response));
}

}  // namespace kube_events
