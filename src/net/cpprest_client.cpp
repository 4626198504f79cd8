#include "kube_events/net/cpprest_client.h"

#include <cpprest/base_uri.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "kube_events/net/http_headers.h"
#include "kube_events/net/server_url.h"
#include "net/network_thread.h"
#include "net/tls_context.h"
#include "net/transfer.h"

namespace kube_events {
namespace {

// A name lookup under way cannot be ended; everything else takes about a millisecond.
constexpr std::chrono::milliseconds kPatienceAtEnd{500};

Result<void> CheckRequest(const HttpRequest& request) {
  const auto is_url_character = [](char c) { return c > ' ' && c < 0x7f; };
  if (request.target.empty() || request.target.front() != '/' ||
      !std::all_of(request.target.begin(), request.target.end(), is_url_character)) {
    return Fail(ErrorKind::kConfiguration,
                "the request target \"" + request.target + "\" must begin with / and be percent-encoded");
  }
  if (request.idle_timeout <= request.idle_timeout.zero() || request.head_timeout <= request.head_timeout.zero()) {
    return Fail(ErrorKind::kConfiguration, "the timeouts of a request must be above 0");
  }
  return CheckHeaders(request.headers);
}

// The connections of a client. Network thread only, but for Started and WaitUntilGone.
class Connections final : public TransferOwner {
 public:
  explicit Connections(Destination destination) : destination_(std::move(destination)) {}

  ClientConnection Get(const HttpRequest& request, std::shared_ptr<const TlsContext> tls) {
    ConnectionOptions options{std::move(tls), request.idle_timeout};
    if (request.own_connection) return MakeConnection(destination_, options);
    // Contexts are compared by identity: the client makes a new one only when the settings change.
    if (!kept_.client || kept_options_.tls != options.tls || kept_options_.idle_timeout != options.idle_timeout) {
      kept_ = MakeConnection(destination_, options);
      kept_options_ = std::move(options);
    }
    return kept_;
  }

  void OnFailed(const ClientConnection& connection) override {
    if (kept_.client == connection.client) kept_ = {};
  }

  void DropKept() { kept_ = {}; }

  void OnStarted() {
    const std::lock_guard lock(mutex_);
    ++under_way_;
  }

  void OnGone() override {
    const std::lock_guard lock(mutex_);
    --under_way_;
    gone_.notify_all();
  }

  void WaitUntilGone() {
    std::unique_lock lock(mutex_);
    gone_.wait_for(lock, kPatienceAtEnd, [this] { return under_way_ == 0; });
  }

 private:
  const Destination destination_;
  ClientConnection kept_;  // for requests without a connection of their own
  ConnectionOptions kept_options_;

  std::mutex mutex_;  // guards under_way_
  std::condition_variable gone_;
  int under_way_ = 0;
};

class CpprestExchange final : public HttpExchange {
 public:
  explicit CpprestExchange(std::shared_ptr<Transfer> transfer) : transfer_(std::move(transfer)) {}
  CpprestExchange(const CpprestExchange&) = delete;
  CpprestExchange& operator=(const CpprestExchange&) = delete;
  ~CpprestExchange() override { transfer_->Detach(); }
  void Resume() override { transfer_->Resume(); }

 private:
  const std::shared_ptr<Transfer> transfer_;
};

class CpprestClient final : public HttpClient {
 public:
  CpprestClient(Destination destination, TlsProvider tls)
      : destination_(std::move(destination)),
        tls_provider_(std::move(tls)),
        connections_(std::make_shared<Connections>(destination_)) {}
  CpprestClient(const CpprestClient&) = delete;
  CpprestClient& operator=(const CpprestClient&) = delete;

  // The library must be done with our requests before the process ends and takes the library's statics away.
  ~CpprestClient() override {
    PostToNetwork([connections = connections_] { connections->DropKept(); });
    connections_->WaitUntilGone();
  }

  std::unique_ptr<HttpExchange> Start(HttpRequest request, HttpObserver& observer) override {
    auto checked = CheckRequest(request);
    auto tls = checked ? CurrentTls() : Fail(checked.error());
    auto transfer = std::make_shared<Transfer>(std::move(request), observer, destination_.ToString(), connections_);
    connections_->OnStarted();
    PostToNetwork([connections = connections_, transfer, tls = std::move(tls)] {
      if (!tls) return transfer->Refuse(tls.error());
      transfer->Begin(connections->Get(transfer->request(), *tls));
    });
    return std::make_unique<CpprestExchange>(std::move(transfer));
  }

 private:
  // The settings as they are now, parsed; null for http.
  Result<std::shared_ptr<const TlsContext>> CurrentTls() {
    if (!destination_.server.tls) return nullptr;
    auto settings = tls_provider_ ? tls_provider_() : Result<TlsSettings>{};
    if (!settings) return Fail(settings.error());
    const std::lock_guard lock(mutex_);
    if (tls_ && tls_->settings() == *settings) return tls_;
    auto context = TlsContext::Create(std::move(*settings));
    if (context) tls_ = *context;
    return context;
  }

  const Destination destination_;
  const TlsProvider tls_provider_;
  const std::shared_ptr<Connections> connections_;  // shared with transfers that the library is not done with yet
  std::mutex mutex_;                                // guards tls_
  std::shared_ptr<const TlsContext> tls_;           // shared with the connections made from it
};

}  // namespace

Result<std::unique_ptr<HttpClient>> MakeCpprestClient(std::string_view server_url, TlsProvider tls,
                                                      std::optional<Proxy> proxy) {
  InitialiseNetworking();
  auto server = ParseServerUrl(server_url);
  if (!server) return Fail(server.error());
  // The library has an opinion of its own, which must not show as an exception on its thread later.
  if (!web::uri::validate(server->ToString())) {
    return Fail(ErrorKind::kConfiguration, "the server address \"" + server->ToString() + "\" is not a valid URL");
  }
  return std::make_unique<CpprestClient>(Destination{std::move(*server), std::move(proxy)}, std::move(tls));
}

}  // namespace kube_events
