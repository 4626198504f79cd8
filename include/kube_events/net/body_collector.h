// Collects the response of a short request and hands it over in one piece.
// Owned by whoever starts the request; must outlive the exchange. The handler runs on the network thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "kube_events/base/result.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

struct HttpResponse {
  HttpHead head;
  std::string body;
};

enum class BodyUse {
  kWhole,    // a body that is too long or breaks off is a failure
  kExcerpt,  // the status decides, the body is for a message: its beginning will do
};

class BodyCollector final : public HttpObserver {
 public:
  // Told exactly once: a response of whatever status, or why there is none. Must not block or throw.
  using Handler = std::function<void(Result<HttpResponse>)>;

  // `max_bytes`: a longer body fails with kInvalid, or is cut there, at once; the rest is dropped.
  BodyCollector(std::size_t max_bytes, Handler handler, BodyUse use = BodyUse::kWhole);

  void OnHead(const HttpHead& head) override;
  bool OnBody(std::string_view bytes) override;
  void OnEnd(const Result<void>& result) override;

 private:
  void Tell(Result<HttpResponse> response);

  const std::size_t max_bytes_;
  const BodyUse use_;
  Handler handler_;  // empty once told
  HttpResponse response_;
};

}  // namespace kube_events
