// The sink of forward:// and forward+tls://: hands batches to a receiver of the forward protocol, with failover.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "forward/forward_message.h"
#include "forward/forward_server.h"
#include "forward/server_choice.h"
#include "forward/sink_tls.h"
#include "kube_events/base/trouble_log.h"
#include "kube_events/forward/sinks.h"

namespace kube_events {
namespace {

// How long the batches of a receiver that works may be held up by the attempt to return to a preferred one.
constexpr std::chrono::milliseconds kReturnPatience{2000};

using Messages = std::span<const ForwardMessage>;

class ForwardSink final : public Sink {
 public:
  ForwardSink(const SinkSettings& settings, TagTemplate tag, TlsProvider tls, SinkParts parts)
      : id_(settings.id),
        settings_(settings.forward),
        tls_(std::move(tls)),
        log_(parts.log),
        trouble_(std::move(parts.log), parts.clock),
        choice_(settings.forward.servers.size(), parts.clock),
        encoder_(std::move(tag), {settings.format, std::move(parts.cluster_name)}) {
    for (const auto& address : settings_.servers) {
      servers_.push_back(std::make_unique<ForwardServer>(address, settings_, tls_));
    }
  }

  Result<void> Send(std::span<const RecordPtr> batch, const SendLimits& limits) override;
  // Has keys and certificates read again.
  void Reopen() override { current_.reset(); }

 private:
  struct Current {
    std::unique_ptr<ForwardConnection> connection;
    std::size_t server = 0;
  };

  void ReturnToBetter(const Patience& patience);
  Result<void> SendOverCurrent(Messages& rest, const Patience& patience);
  Result<void> SendAnew(std::size_t server, std::size_t attempts, Messages& rest, const Patience& patience);
  void NoteChange(std::size_t server);
  void NoteTrouble(const Error& failure) { trouble_.Note(failure.message, {{"sink", id_}}); }

  const std::string id_;
  const ForwardSinkSettings settings_;
  const TlsProvider tls_;  // empty: no TLS
  const Logger log_;
  TroubleLog trouble_;  // about servers that another one stands in for
  ServerChoice choice_;
  ForwardEncoder encoder_;
  std::vector<std::unique_ptr<ForwardServer>> servers_;
  std::optional<Current> current_;   // kept from batch to batch; nothing after a failure
  std::optional<std::size_t> last_;  // the server of the last batch
};

// The one error of several attempts.
Error Together(const std::vector<Error>& failures) {
  Error all = failures.front();
  for (auto next = failures.begin() + 1; next != failures.end(); ++next) {
    if (next->kind != all.kind) all.kind = ErrorKind::kRetry;
    if (all.message.find(next->message) == std::string::npos) all.message += "; and " + next->message;
  }
  return all;
}

Result<void> ForwardSink::Send(std::span<const RecordPtr> batch, const SendLimits& limits) {
  if (batch.empty()) return {};
  const Patience patience = Patience::For(limits.timeout, limits.stop);
  const std::vector<ForwardMessage> messages = encoder_.Encode(batch);
  Messages rest(messages);
  if (current_) ReturnToBetter(patience);
  std::vector<Error> failures;
  if (current_) {
    const std::size_t server = current_->server;
    auto sent = SendOverCurrent(rest, patience);
    if (sent || sent.error().kind == ErrorKind::kCancelled) return sent;
    // That a connection was closed between two batches says nothing about the receiver.
    if (!IsBrokenConnection(sent.error())) {
      choice_.Failed(server);
      failures.push_back(sent.error());
    }
  }
  const std::vector<std::size_t> order = choice_.Order();
  for (std::size_t i = 0; i < order.size() && !patience.Over(); ++i) {
    auto sent = SendAnew(order[i], order.size() - i, rest, patience);
    if (sent) {
      for (const Error& failure : failures) NoteTrouble(failure);
      return sent;
    }
    if (sent.error().kind == ErrorKind::kCancelled) return sent;
    choice_.Failed(order[i]);
    failures.push_back(sent.error());
  }
  if (limits.stop.stop_requested()) return Fail(ErrorKind::kCancelled, "sending to " + id_ + " was ended");
  // A kept connection that broke when the time was over.
  if (failures.empty()) failures.push_back(DescribeForwardTimeout(id_, ForwardStage::kConnect, limits.timeout));
  return Fail(Together(failures));
}

// Where a preferred receiver may work again, the batches go back to it; the connection that works is kept until then.
void ForwardSink::ReturnToBetter(const Patience& patience) {
  const auto better = choice_.BetterThan(current_->server);
  if (!better) return;
  auto connection = servers_[*better]->Open(patience.AtMost(std::min(kReturnPatience, patience.Left() / 2)));
  if (connection) {
    current_ = Current{std::move(*connection), *better};
  } else if (connection.error().kind != ErrorKind::kCancelled) {
    choice_.Failed(*better);
    NoteTrouble(connection.error());
  }
}

Result<void> ForwardSink::SendOverCurrent(Messages& rest, const Patience& patience) {
  const std::size_t server = current_->server;
  auto sent = servers_[server]->Deliver(*current_->connection, rest, patience);
  if (sent) {
    choice_.Worked(server);
    NoteChange(server);
  } else {
    current_.reset();
  }
  return sent;
}

// A receiver may close the connection after each message (Fluentd's deny_keepalive), so a new one follows for as long
// as each gets on. `attempts`: at how many servers there have to be within the time that is left.
Result<void> ForwardSink::SendAnew(std::size_t server, std::size_t attempts, Messages& rest, const Patience& patience) {
  while (true) {
    auto connection = servers_[server]->Open(patience.Share(attempts));
    if (!connection) return Fail(connection.error());
    current_ = Current{std::move(*connection), server};
    const std::size_t before = rest.size();
    auto sent = SendOverCurrent(rest, patience);
    if (sent || !IsBrokenConnection(sent.error()) || rest.size() == before) return sent;
  }
}

void ForwardSink::NoteChange(std::size_t server) {
  if (last_ && *last_ != server) {
    log_.Info("batches go to another forward receiver now", {{"sink", id_}, {"receiver", servers_[server]->name()}});
  }
  last_ = server;
}

tl::unexpected<Error> Bad(std::string message) { return Fail(ErrorKind::kConfiguration, std::move(message)); }

Result<void> CheckSettings(const ForwardSinkSettings& settings) {
  if (settings.servers.empty()) return Bad("a forward sink needs a server; write forward://HOST:24224");
  const SinkTlsSettings& tls = settings.tls;
  const bool has_tls_options = !tls.ca_file.empty() || !tls.cert_file.empty() || !tls.key_file.empty() ||
                               !tls.server_name.empty() || tls.insecure_skip_verify;
  if (has_tls_options && !settings.use_tls) return Bad("options of TLS are given for forward://; write forward+tls://");
  if (tls.cert_file.empty() != tls.key_file.empty()) {
    return Bad("a client certificate needs both its certificate file and its key file");
  }
  if (settings.username.empty() != settings.password_file.empty()) {
    return Bad("a username needs a password file, and a password file a username");
  }
  if (!settings.username.empty() && settings.shared_key_file.empty()) {
    return Bad("a username needs a shared key too: receivers ask for users only in the handshake of the shared key");
  }
  if (auto secrets = ReadForwardSecrets(settings); !secrets) return Fail(secrets.error());
  return {};
}

Result<TlsProvider> MakeTls(const ForwardSinkSettings& settings, const Logger& log) {
  if (!settings.use_tls) return TlsProvider();
  return MakeSinkTls(settings.tls, log);
}

}  // namespace

Result<std::unique_ptr<Sink>> MakeForwardSink(const SinkSettings& settings, SinkParts parts) {
  if (auto checked = CheckSettings(settings.forward); !checked) return Fail(checked.error());
  auto tag = TagTemplate::Parse(settings.forward.tag);
  if (!tag) return Fail(tag.error());
  auto tls = MakeTls(settings.forward, parts.log);
  if (!tls) return Fail(tls.error());
  return std::make_unique<ForwardSink>(settings, std::move(*tag), std::move(*tls), std::move(parts));
}

}  // namespace kube_events
