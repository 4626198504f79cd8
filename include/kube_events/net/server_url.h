// The address of a server, as a user writes it. Pure functions and plain values, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube_events/base/result.h"

namespace kube_events {

struct ServerUrl {
  bool tls = false;
  std::string host;        // a name or an address, IPv6 without brackets
  std::uint16_t port = 0;  // always set: 443 or 80 where the text had none
  std::string path;        // prefix of every request, "" or "/clusters/one"; no slash at its end

  // "https://host:6443/prefix", "https://[::1]:6443".
  std::string ToString() const;
};

// Parses http://… or https://… without user, query and fragment. Fails with kConfiguration on anything else. The
// message names what is wrong and what to write, without the file or flag that the text came from, and without a
// password.
Result<ServerUrl> ParseServerUrl(std::string_view text);

// Whether `host` is an IPv4 or IPv6 address rather than a name.
bool IsIpAddress(std::string_view host);

}  // namespace kube_events
