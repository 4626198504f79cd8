// The network library's own texts: headers, server addresses, and bodies in pieces.
//   line: a server's address, also a header's name; line: a header's value; the rest: a body, whose first bytes say how
//   it is cut
#include <algorithm>
#include <optional>
#include <string>

#include "fuzz/check.h"
#include "kube_events/net/body_collector.h"
#include "kube_events/net/http_headers.h"
#include "kube_events/net/server_url.h"

namespace {

using kube_events::fuzz::Check;

void CheckServerUrl(std::string_view text) {
  const auto url = kube_events::ParseServerUrl(text);
  if (!url) {
    Check(url.error().kind == kube_events::ErrorKind::kConfiguration, "a bad address is a configuration error");
    const bool secret = text.find('@') != text.npos && text.find("s3cr3t") != text.npos;
    Check(!secret || url.error().message.find("s3cr3t") == std::string::npos, "a password is not shown", text);
    return;
  }
  Check(!url->host.empty() && url->port != 0, "host and port are set", text);
  const std::string written = url->ToString();
  const auto again = kube_events::ParseServerUrl(written);
  Check(again && again->ToString() == written, "a written address reads back", written);
  Check(again->tls == url->tls && again->host == url->host && again->port == url->port && again->path == url->path,
        "a written address means the same", written);
  (void)kube_events::IsIpAddress(url->host);
}

void CheckHeader(std::string_view name, std::string_view value) {
  const auto checked = kube_events::CheckHeaders({{std::string(name), std::string(value)}});
  if (!checked) return;
  Check(!name.empty() && name.find_first_of(": \t\r\n") == name.npos, "a name cannot end a header", name);
  Check(value.find_first_of(std::string_view("\r\n\0", 3)) == value.npos, "a value cannot end a header", value);
}

// Told once, with all bytes or with none.
void CheckBody(std::string_view body, std::size_t max_bytes, std::size_t piece) {
  int told = 0;
  std::optional<std::string> received;
  kube_events::BodyCollector collector(max_bytes, [&](kube_events::Result<kube_events::HttpResponse> response) {
    ++told;
    if (response) received = response->body;
  });
  collector.OnHead(kube_events::HttpHead{});
  for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size()))) {
    Check(collector.OnBody(rest.substr(0, piece)), "collecting never pauses");
  }
  collector.OnEnd({});
  Check(told == 1, "the end is told once");
  Check(received.has_value() == (body.size() <= max_bytes), "what is too long is refused");
  if (received) Check(*received == body, "the body is what was sent");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  const std::string_view first = bytes.Until('\n');
  const std::string_view second = bytes.Until('\n');
  CheckServerUrl(first);
  CheckHeader(first, second);
  const std::size_t max_bytes = bytes.Below(64);
  const std::size_t piece = 1 + bytes.Below(16);
  CheckBody(bytes.Rest(), max_bytes, piece);
  return 0;
}
