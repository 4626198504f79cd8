// What an HTTP receiver's answer means for the batch it was given. Private to the forward library. Pure, any thread.
#pragma once

#include <string_view>

#include "kube_events/base/result.h"
#include "kube_events/forward/sink.h"
#include "kube_events/net/body_collector.h"

namespace kube_events {

// Nothing for 2xx: the batch is acknowledged. Otherwise fails as Sink::Send says; docs/forwarding.md has the table.
// `receiver`: for the message, without secrets.
Result<void> JudgeHttpAnswer(const HttpResponse& answer, std::string_view receiver);

// Whether it is the complaint of a server (Go, nginx, Apache) that got plain HTTP at a port for TLS.
bool WantsTls(const HttpResponse& answer);

}  // namespace kube_events
