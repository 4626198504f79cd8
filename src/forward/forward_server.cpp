#include "forward/forward_server.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/hex.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "forward/forward_answer.h"
#include "kube_events/base/files.h"
#include "kube_events/base/text.h"

namespace kube_events {
namespace {

using nlohmann::json;

constexpr std::size_t kSaltBytes = 16;

// How many messages may be on their way unacknowledged: enough to hide the round trip, and so few that neither side
// waits for the other to read.
constexpr std::size_t kWindow = 64;

std::string Bracketed(const ForwardSinkSettings::Server& address) {
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

std::string HostName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "kube-events-exporter";
  return name.data();
}

Result<std::string> ReadSecret(const std::filesystem::path& path, const std::string& what) {
  auto content = ReadSmallFile(path);
  if (!content) return content;
  std::string secret(Trimmed(*content));
  if (secret.empty()) return Fail(ErrorKind::kConfiguration, path.string() + " is empty; put the " + what + " there");
  return secret;
}

// Files that have become unusable may become usable again.
Error Retryable(Error error) {
  if (error.kind == ErrorKind::kConfiguration) error.kind = ErrorKind::kUnauthenticated;
  return error;
}

Result<void> CheckAck(const json& answer, const std::string& chunk, std::string_view server) {
  if (IsForwardHelo(answer)) {
    return Fail(ErrorKind::kUnauthenticated,
                std::string(server) +
                    " wants a shared key, and none is configured here; set shared-key-file to a file "
                    "that holds the same key");
  }
  const auto ack = answer.is_object() ? answer.find("ack") : answer.end();
  if (ack == answer.end()) return Fail(DescribeForwardNonsense(server, "what is no acknowledgement"));
  if (BytesOf(*ack) != chunk) return Fail(DescribeForwardNonsense(server, "the acknowledgement of another chunk"));
  return {};
}

}  // namespace

Result<ForwardSecrets> ReadForwardSecrets(const ForwardSinkSettings& settings) {
  ForwardSecrets secrets{.shared_key = {}, .username = settings.username, .password = {}};
  if (!settings.shared_key_file.empty()) {
    auto key = ReadSecret(settings.shared_key_file, "shared key");
    if (!key) return Fail(key.error());
    secrets.shared_key = std::move(*key);
  }
  if (!settings.password_file.empty()) {
    auto password = ReadSecret(settings.password_file, "password");
    if (!password) return Fail(password.error());
    secrets.password = std::move(*password);
  }
  return secrets;
}

ForwardServer::ForwardServer(const ForwardSinkSettings::Server& address, const ForwardSinkSettings& settings,
                             const TlsProvider& tls)
    : address_(address),
      settings_(settings),
      tls_(tls),
      name_(Bracketed(address)),
      label_("the forward receiver " + name_),
      lookup_(address.host) {}

Result<std::unique_ptr<ForwardConnection>> ForwardServer::Open(const Patience& patience) {
  const auto addresses = lookup_.Addresses(patience);
  if (!addresses) return Fail(addresses.error());
  auto connection = std::make_unique<ForwardConnection>(label_);
  if (auto done = connection->Connect(*addresses, address_.port, patience); !done) return Fail(done.error());
  if (tls_) {
    const auto tls = tls_();
    if (!tls) return Fail(Retryable(tls.error()));
    auto done = connection->StartTls(*tls, address_.host, patience);
    if (!done) return Fail(Retryable(done.error()));
  }
  if (!settings_.shared_key_file.empty()) {
    if (auto done = Authenticate(*connection, patience); !done) return Fail(done.error());
  }
  return connection;
}

Result<void> ForwardServer::Authenticate(ForwardConnection& connection, const Patience& patience) {
  const auto secrets = ReadForwardSecrets(settings_);
  if (!secrets) return Fail(Retryable(secrets.error()));
  const auto first = connection.Read(ForwardStage::kHelo, patience);
  if (!first) return Fail(first.error());
  const auto helo = ParseForwardHelo(*first, label_);
  if (!helo) return Fail(helo.error());
  ForwardClient client{.host_name = HostName(), .salt = {}};
  client.salt = boost::algorithm::hex_lower(RandomBytes(kSaltBytes));
  auto sent = connection.Write(ForwardStage::kPong, MakeForwardPing(*helo, client, *secrets), patience);
  if (!sent) return sent;
  const auto pong = connection.Read(ForwardStage::kPong, patience);
  if (!pong) return Fail(pong.error());
  return CheckForwardPong(*pong, *helo, client, *secrets, label_);
}

Result<void> ForwardServer::Deliver(ForwardConnection& connection, std::span<const ForwardMessage>& messages,
                                    const Patience& patience) const {
  while (!messages.empty()) {
    auto window = messages.first(std::min(messages.size(), kWindow));
    Result<void> sent;
    for (std::size_t i = 0; i < window.size() && sent; ++i) {
      sent = connection.Write(ForwardStage::kSend, window[i].bytes, patience);
      if (!sent) window = window.first(i);
    }
    if (!sent && !IsBrokenConnection(sent.error())) return sent;
    // A receiver that has closed the connection may have acknowledged something before.
    for (const ForwardMessage& message : window) {
      const auto answer = connection.Read(ForwardStage::kAck, patience);
      if (!answer) return sent ? Fail(answer.error()) : Fail(sent.error());
      if (auto taken = CheckAck(*answer, message.chunk, label_); !taken) return taken;
      messages = messages.subspan(1);
    }
    if (!sent) return sent;
  }
  return {};
}

}  // namespace kube_events
