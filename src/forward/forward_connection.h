// A connection to a receiver of the forward protocol, plain or with TLS. Each call blocks until it is done, its
// patience is over or its stop token ends it, whatever the peer does; after a failure the connection is of no more use.
// Owned by a sink; its delivery thread only. It has no thread of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "forward/forward_failure.h"
#include "forward/patience.h"
#include "kube_events/base/result.h"
#include "kube_events/net/tls_settings.h"

namespace kube_events {

class ForwardConnection {
 public:
  // `server`: for messages, "the forward receiver host:port".
  explicit ForwardConnection(std::string server);
  // Says goodbye where TLS wants it, without waiting.
  ~ForwardConnection();
  ForwardConnection(const ForwardConnection&) = delete;
  ForwardConnection& operator=(const ForwardConnection&) = delete;

  // Tries the addresses, of which there is at least one, in their order. Fails as DescribeForwardTimeout and
  // DescribeForwardFailure say, and with kCancelled; so do the other calls.
  Result<void> Connect(const std::vector<std::string>& addresses, std::uint16_t port, const Patience& patience);
  // After Connect. `host`: what the server's certificate has to be valid for, see TlsClient. Fails with kConfiguration
  // too.
  Result<void> StartTls(const TlsSettings& settings, const std::string& host, const Patience& patience);
  Result<void> Write(ForwardStage stage, std::string_view bytes, const Patience& patience);
  // The next value that the peer sends. Fails also with kRetry and reason "protocol" where it sends anything else; at
  // most AnswerReader::kMaxBytes and a read's worth are kept.
  Result<nlohmann::json> Read(ForwardStage stage, const Patience& patience);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kube_events
