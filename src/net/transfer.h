// One request and its response: keeps the promises of HttpExchange and HttpObserver on top of the HTTP library.
//
// Lives on the network thread, where all of its state is; Detach and Resume are called from any thread and post there.
// Shared by the exchange, the library's tasks and the body stream, whichever lets go last.
#pragma once

#include <pplx/pplxtasks.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "kube_events/net/http_client.h"
#include "net/connection.h"
#include "net/failure_text.h"
#include "net/observer_gate.h"
#include "net/push_streambuf.h"

namespace web::http {
class http_response;
}

namespace kube_events {

// Told on the network thread.
class TransferOwner {
 public:
  virtual ~TransferOwner() = default;
  // The request failed: do not use its connection for another.
  virtual void OnFailed(const ClientConnection& connection) = 0;
  // The library is done with the request.
  virtual void OnGone() = 0;
};

class Transfer final : public BodySink, public std::enable_shared_from_this<Transfer> {
 public:
  // `owner`: shared, since the library may be done only after the client is gone.
  Transfer(HttpRequest request, HttpObserver& observer, std::string server, std::shared_ptr<TransferOwner> owner);

  const HttpRequest& request() const { return request_; }

  // Any thread.
  void Detach();
  void Resume();

  // Network thread; one of them, once.
  void Begin(ClientConnection connection);
  void Refuse(const Error& error);

  pplx::task<std::size_t> Write(const std::uint8_t* data, std::size_t size) noexcept override;

 private:
  void Send();
  void StartHeadTimer();
  void OnHeadDeadline();
  void OnInterim(int status);
  void OnHead(const web::http::http_response& response);
  void OnDone(const Result<void>& result);
  void DeliverHeld();
  void ReleaseHeld();
  void Cancel();
  void Finish(const Result<void>& result);
  Error Failure(std::string library, int code) const;

  const HttpRequest request_;
  const std::string server_;
  const std::shared_ptr<TransferOwner> owner_;
  ObserverGate gate_;
  ClientConnection connection_;
  pplx::cancellation_token_source cancellation_;
  boost::asio::steady_timer head_timer_;
  bool head_seen_ = false;
  bool ended_ = false;   // the observer was told, or does not want to know any more
  bool paused_ = false;  // by the observer, for as long as a piece is held
  std::chrono::steady_clock::time_point paused_at_;
  bool paused_too_long_ = false;
  // The piece of body that the library waits for: before the head is known, and while paused.
  std::string_view held_;
  pplx::task_completion_event<std::size_t> written_;
};

}  // namespace kube_events
