// Records to an HTTP receiver, as JSON arrays.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forward/http_answer.h"
#include "forward/sink_address.h"
#include "forward/sink_tls.h"
#include "kube_events/base/gzip.h"
#include "kube_events/forward/record_format.h"
#include "kube_events/forward/sinks.h"
#include "kube_events/kube/credentials.h"
#include "kube_events/net/blocking_call.h"
#include "kube_events/net/cpprest_client.h"
#include "kube_events/net/http_headers.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kAnswerBytes = std::size_t{64} * 1024;
// A receiver that refuses by the Content-Length alone closes the connection while the body is still on its way, and its
// answer may be lost with it. Requests below this size are too small for that.
constexpr std::size_t kSmallRequest = std::size_t{64} * 1024;
constexpr int kBreaksBeforeCut = 3;

struct HttpSinkParts {
  std::unique_ptr<HttpClient> client;
  std::unique_ptr<Credentials> credentials;
  std::vector<HttpHeader> headers;
  std::string receiver;  // for messages: no path, which may be a secret
  std::string target;
  bool gzip = false;
};

class HttpSink final : public Sink {
 public:
  HttpSink(HttpSinkParts parts, const Clock& clock, RecordFormatOptions format)
      : parts_(std::move(parts)), clock_(clock), writer_(std::move(format)) {}

  Result<void> Send(std::span<const RecordPtr> batch, const SendLimits& limits) override {
    if (batch.empty()) return {};
    const std::string body = Body(batch);
    const auto answer = Post(body, limits);
    if (!answer) return Fail(Judged(answer.error(), batch.size(), body.size()));
    breaks_ = 0;
    // From a receiver that has accepted something it is about the records after all, such as an Event with these words.
    if (!accepted_ && !IsTls() && WantsTls(*answer)) {
      return Fail(
          {ErrorKind::kRetry, parts_.receiver + " speaks TLS at this port; write https:// in the URL", {}, "tls"});
    }
    auto judged = JudgeHttpAnswer(*answer, parts_.receiver);
    if (judged) accepted_ = true;
    return judged;
  }

 private:
  bool IsTls() const { return parts_.receiver.starts_with("https://"); }

  std::string Body(std::span<const RecordPtr> batch) {
    std::size_t size = 2;
    for (const RecordPtr& record : batch) size += record->object.size() + 256;
    std::string body;
    body.reserve(size);
    for (const RecordPtr& record : batch) {
      body += body.empty() ? '[' : ',';
      writer_.AppendJson(*record, body);
    }
    body += ']';
    return parts_.gzip ? Gzip(body) : body;
  }

  // Sends it, and once more where that is of use because the credentials have changed.
  Result<HttpResponse> Post(const std::string& body, const SendLimits& limits) {
    const MonotonicTime deadline = clock_.Monotonic() + limits.timeout;
    const auto authorization = parts_.credentials->Headers();
    if (!authorization) return Fail(authorization.error());
    auto answer = PostOnce(body, *authorization, limits, deadline);
    if (!answer || answer->head.status != 401) return answer;
    parts_.credentials->Refresh();
    const auto again = parts_.credentials->Headers();
    if (!again || Same(*again, *authorization)) return answer;
    return PostOnce(body, *again, {TimeLeft(deadline), limits.stop}, deadline);
  }

  milliseconds TimeLeft(MonotonicTime deadline) const {
    return std::max(milliseconds{1}, std::chrono::ceil<milliseconds>(deadline - clock_.Monotonic()));
  }

  static bool Same(const std::vector<HttpHeader>& a, const std::vector<HttpHeader>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const HttpHeader& one, const HttpHeader& other) {
      return one.name == other.name && one.value == other.value;
    });
  }

  // A kept connection that the receiver has closed meanwhile shows only when it is used, and says nothing about this
  // request. The library notices most of them by itself.
  Result<HttpResponse> PostOnce(const std::string& body, const std::vector<HttpHeader>& authorization,
                                const SendLimits& limits, MonotonicTime deadline) {
    auto answer = Request(body, authorization, limits);
    if (!answer && kept_ && IsBroken(answer.error())) {
      answer = Request(body, authorization, {TimeLeft(deadline), limits.stop});
    }
    kept_ = answer.has_value();
    return answer;
  }

  static bool IsBroken(const Error& error) { return error.reason == "reset" || error.reason == "eof"; }

  Result<HttpResponse> Request(const std::string& body, const std::vector<HttpHeader>& authorization,
                               const SendLimits& limits) {
    HttpRequest request;
    request.method = "POST";
    request.target = parts_.target;
    request.headers = parts_.headers;
    request.headers.insert(request.headers.end(), authorization.begin(), authorization.end());
    request.body = body;
    return CallAndWait(
        *parts_.client, std::move(request),
        {.timeout = limits.timeout, .stop = limits.stop, .max_bytes = kAnswerBytes, .body = BodyUse::kExcerpt});
  }

  // A request without an answer.
  Error Judged(Error error, std::size_t records, std::size_t bytes) {
    if (error.kind == ErrorKind::kCancelled) return error;
    breaks_ = IsBroken(error) ? breaks_ + 1 : 0;
    if (breaks_ >= kBreaksBeforeCut && records > 1 && bytes > kSmallRequest) {
      breaks_ = 0;
      return {ErrorKind::kInvalid,
              parts_.receiver + " has closed the connection " + std::to_string(kBreaksBeforeCut) +
                  " times in a row without an answer, so it is taken to refuse a request of " + std::to_string(bytes) +
                  " bytes; lower batch-bytes or raise its limit",
              {},
              "too_large"};
    }
    // Whatever it is, the batch is not to blame.
    error.kind = ErrorKind::kRetry;
    // Not all say where.
    if (error.message.find(parts_.receiver) == error.message.npos) {
      error.message = parts_.receiver + ": " + error.message;
      if (error.reason == "timeout") error.message += "; check that it is running and keeps up";
    }
    error.message += Hint(error.reason);
    return error;
  }

  // What the connection cannot tell: that the URL has the wrong scheme, or which options are about its certificate.
  std::string_view Hint(std::string_view reason) const {
    if (reason == "tls") return "; the options for it are ca-file, server-name, cert-file and key-file";
    if (accepted_ || (reason != "timeout" && reason != "reset" && reason != "eof")) return {};
    return IsTls() ? "; nothing has been delivered yet: where this port speaks no TLS, write http:// in the URL"
                   : "; nothing has been delivered yet: where this port speaks TLS, write https:// in the URL";
  }

  const HttpSinkParts parts_;
  const Clock& clock_;
  RecordWriter writer_;
  bool kept_ = false;      // there may be a connection from the last request
  bool accepted_ = false;  // something, since the start
  int breaks_ = 0;         // batches in a row whose connection broke
};

Result<std::unique_ptr<Credentials>> MakeSinkCredentials(const HttpSinkSettings& http, const SinkParts& parts) {
  if (!http.bearer_token_file.empty()) {
    return MakeTokenFileCredentials(http.bearer_token_file, parts.clock, parts.log);
  }
  if (!http.basic_user.empty()) {
    return MakePasswordFileCredentials(http.basic_user, http.basic_password_file, parts.clock, parts.log);
  }
  return MakeAnonymousCredentials();
}

// Later ones win over those of the same name before.
std::vector<HttpHeader> MakeHeaders(const HttpSinkSettings& http, const std::string& user_agent) {
  std::vector<HttpHeader> headers{{"Content-Type", "application/json"}, {"Accept", "*/*"}};
  if (!user_agent.empty()) headers.push_back({"User-Agent", user_agent});
  if (http.gzip) headers.push_back({"Content-Encoding", "gzip"});
  for (const auto& [name, value] : http.headers) headers.push_back({name, value});
  return headers;
}

Result<std::unique_ptr<HttpClient>> MakeSinkClient(const HttpSinkSettings& http, const ServerUrl& server,
                                                   const SinkParts& parts) {
  std::optional<Proxy> proxy;
  if (parts.environment) {
    auto found = ProxyFromEnvironment(parts.environment, server);
    if (!found) return Fail(found.error());
    proxy = std::move(*found);
  }
  TlsProvider tls;
  if (server.tls) {
    auto provider = MakeSinkTls(http.tls, parts.log);
    if (!provider) return Fail(provider.error());
    tls = std::move(*provider);
  }
  return MakeCpprestClient(server.ToString(), std::move(tls), std::move(proxy));
}

}  // namespace

Result<std::unique_ptr<Sink>> MakeHttpSink(const SinkSettings& settings, const SinkParts& parts) {
  const HttpSinkSettings& http = settings.http;
  auto address = ParseHttpAddress(http.url);
  if (!address) return Fail(address.error());
  auto credentials = MakeSinkCredentials(http, parts);
  if (!credentials) return Fail(credentials.error());
  auto client = MakeSinkClient(http, address->server, parts);
  if (!client) return Fail(client.error());
  std::vector<HttpHeader> headers = MakeHeaders(http, parts.user_agent);
  if (auto checked = CheckHeaders(headers); !checked) return Fail(checked.error());
  HttpSinkParts made{std::move(*client),         std::move(*credentials),    std::move(headers),
                     address->server.ToString(), std::move(address->target), http.gzip};
  return std::make_unique<HttpSink>(std::move(made), parts.clock,
                                    RecordFormatOptions{settings.format, parts.cluster_name});
}

}  // namespace kube_events
