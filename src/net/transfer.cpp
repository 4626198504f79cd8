#include "net/transfer.h"

#include <cpprest/http_client.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <stdexcept>
#include <utility>

#include "kube_events/net/http_headers.h"
#include "net/network_thread.h"
#include "net/peer_verification.h"

namespace kube_events {
namespace {

using web::http::http_request;
using web::http::http_response;

// The library takes a chunk size of -1 for a number and hands it on as the size of what it read.
constexpr std::size_t kMaxChunk = std::size_t{1} << 32;
constexpr int kFirstFinalStatus = 200;

http_request ToLibrary(const HttpRequest& request) {
  http_request result(request.method);
  result.set_request_uri(web::uri(request.target));
  if (!request.body.empty()) result.set_body(request.body);
  for (const HttpHeader& header : request.headers) result.headers()[header.name] = header.value;
  return result;
}

std::string HeaderValue(const http_response& response, const char* name) {
  const auto found = response.headers().find(name);
  return found == response.headers().end() ? std::string{} : found->second;
}

HttpHead ToHead(const http_response& response) {
  HttpHead head;
  head.status = response.status_code();
  head.content_type = HeaderValue(response, "Content-Type");
  head.date = ParseHttpDate(HeaderValue(response, "Date"));
  head.retry_after = ParseRetryAfter(HeaderValue(response, "Retry-After"), head.date);
  return head;
}

}  // namespace

Transfer::Transfer(HttpRequest request, HttpObserver& observer, std::string server,
                   std::shared_ptr<TransferOwner> owner)
    : request_(std::move(request)),
      server_(std::move(server)),
      owner_(std::move(owner)),
      gate_(observer),
      head_timer_(NetworkService()) {}

void Transfer::Detach() {
  gate_.Close();
  PostToNetwork([self = shared_from_this()] { self->Cancel(); });
}

void Transfer::Resume() {
  // Posted, so that it comes after the OnBody that asked for the pause, even if that has not returned yet.
  PostToNetwork([self = shared_from_this()] {
    if (self->paused_) self->ReleaseHeld();
  });
}

void Transfer::Begin(ClientConnection connection) {
  if (gate_.closed()) return owner_->OnGone();
  connection_ = std::move(connection);
  StartHeadTimer();
  try {
    Send();
  } catch (const std::exception& e) {
    // Nothing was sent: the library does not like the request itself.
    OnDone(Fail(ErrorKind::kConfiguration,
                "the request to " + server_ + request_.target + " cannot be made: " + e.what()));
  }
}

void Transfer::Refuse(const Error& error) {
  Finish(Fail(error));
  owner_->OnGone();
}

void Transfer::Send() {
  http_request request = ToLibrary(request_);
  if (!connection_.server_name.empty()) request.headers()["Host"] = connection_.server_name;
  request.set_response_stream(MakeBodyStream(shared_from_this()));
  connection_.client->request(request, cancellation_.get_token())
      .then([self = shared_from_this()](const http_response& response) {
        self->OnHead(response);
        return response.content_ready();
      })
      .then([self = shared_from_this()](const pplx::task<http_response>& response) {
        // The code says nothing about success: the library reports some failures with code 0.
        try {
          response.get();
          self->OnDone({});
        } catch (const web::http::http_exception& e) {
          self->OnDone(Fail(self->Failure(e.what(), e.error_code().value())));
        } catch (const std::exception& e) {
          self->OnDone(Fail(self->Failure(e.what(), 0)));
        }
      });
}

void Transfer::StartHeadTimer() {
  head_timer_.expires_after(request_.head_timeout);
  // Weak: a timer must not keep a request alive that is over.
  head_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->OnHeadDeadline();
  });
}

void Transfer::OnHeadDeadline() {
  // The timer may have been about to run when the head came.
  if (head_seen_ || ended_) return;
  Error error = Failure("", ETIMEDOUT);
  owner_->OnFailed(connection_);
  // Told now rather than when the library gives up: it cannot end a name lookup, for instance.
  Finish(Fail(std::move(error)));
  Cancel();
}

// The library takes an interim response for the final one, and what follows it for its body, without an end (RFC 9110,
// section 15.2).
void Transfer::OnInterim(int status) {
  owner_->OnFailed(connection_);
  Finish(Fail({ErrorKind::kRetry,
               server_ + " sent an interim response (" + std::to_string(status) +
                   "), which is not supported; have the proxy before the server send none",
               {},
               "protocol"}));
  Cancel();
}

void Transfer::OnHead(const http_response& response) {
  head_timer_.cancel();
  if (ended_) return;
  head_seen_ = true;
  const HttpHead head = ToHead(response);
  if (head.status < kFirstFinalStatus) return OnInterim(head.status);
  gate_.Call([&](HttpObserver& observer) { observer.OnHead(head); });
  if (!held_.empty()) DeliverHeld();
}

pplx::task<std::size_t> Transfer::Write(const std::uint8_t* data, std::size_t size) noexcept {
  if (size > kMaxChunk) {
    return pplx::task_from_exception<std::size_t>(std::runtime_error("the size of a chunk makes no sense"));
  }
  if (ended_) return pplx::task_from_result(size);
  held_ = {reinterpret_cast<const char*>(data), size};
  written_ = {};
  auto task = pplx::create_task(written_);
  if (head_seen_) DeliverHeld();
  return task;
}

void Transfer::DeliverHeld() {
  gate_.Call([&](HttpObserver& observer) { paused_ = !observer.OnBody(held_); });
  if (!paused_) return ReleaseHeld();
  paused_at_ = std::chrono::steady_clock::now();
}

void Transfer::ReleaseHeld() {
  // The library counts our pause as the server's silence.
  if (paused_ && std::chrono::steady_clock::now() - paused_at_ >= request_.idle_timeout) paused_too_long_ = true;
  paused_ = false;
  if (held_.empty()) return;
  written_.set(std::exchange(held_, {}).size());
}

void Transfer::Cancel() {
  ended_ = true;
  head_timer_.cancel();
  cancellation_.cancel();
  ReleaseHeld();
}

void Transfer::OnDone(const Result<void>& result) {
  head_timer_.cancel();
  if (!result && !ended_) owner_->OnFailed(connection_);
  Finish(result);
  connection_ = {};
  owner_->OnGone();
}

void Transfer::Finish(const Result<void>& result) {
  if (std::exchange(ended_, true)) return;
  gate_.Call([&](HttpObserver& observer) { observer.OnEnd(result); });
}

Error Transfer::Failure(std::string library, int code) const {
  HttpFailure failure;
  failure.server = server_;
  failure.library = std::move(library);
  failure.code = code;
  if (connection_.verification) failure.verification = connection_.verification->failure();
  failure.head_seen = head_seen_;
  failure.paused = paused_too_long_;
  failure.waited = head_seen_ ? request_.idle_timeout : std::min(request_.idle_timeout, request_.head_timeout);
  return DescribeHttpFailure(failure);
}

}  // namespace kube_events
