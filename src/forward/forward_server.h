// One of the receivers of a forward sink: how to reach it, and how to hand it messages.
// Owned by a sink; its delivery thread only.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "forward/forward_connection.h"
#include "forward/forward_handshake.h"
#include "forward/forward_message.h"
#include "forward/name_lookup.h"
#include "kube_events/base/result.h"
#include "kube_events/forward/sink_settings.h"
#include "kube_events/net/tls_settings.h"

namespace kube_events {

// The shared key and the password, as the files hold them now. Fails with kConfiguration where they cannot be read, or
// a file is empty; the message names the file.
Result<ForwardSecrets> ReadForwardSecrets(const ForwardSinkSettings& settings);

class ForwardServer {
 public:
  // `settings` and `tls`, which is empty for no TLS, are used for every connection and must outlive this object.
  ForwardServer(const ForwardSinkSettings::Server& address, const ForwardSinkSettings& settings,
                const TlsProvider& tls);

  // "host:24224".
  const std::string& name() const { return name_; }
  // A new connection, ready for messages: looks the name up, connects, and does the handshakes of TLS and of the shared
  // key, with the files as they are now. Blocks. Fails with kRetry, kUnauthenticated, kForbidden or kCancelled.
  Result<std::unique_ptr<ForwardConnection>> Open(const Patience& patience);
  // Sends the messages over such a connection and waits until each is acknowledged; takes those that are off the front
  // of `messages`. Blocks. Fails as ForwardConnection does, and with kUnauthenticated where the server wants a shared
  // key and there is none.
  Result<void> Deliver(ForwardConnection& connection, std::span<const ForwardMessage>& messages,
                       const Patience& patience) const;

 private:
  Result<void> Authenticate(ForwardConnection& connection, const Patience& patience);

  const ForwardSinkSettings::Server address_;
  const ForwardSinkSettings& settings_;
  const TlsProvider& tls_;
  const std::string name_;   // with brackets around an IPv6 address
  const std::string label_;  // for messages
  NameLookup lookup_;
};

}  // namespace kube_events
