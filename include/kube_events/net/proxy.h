// Which HTTP proxy leads to a server, by kubeconfig or environment. Pure functions and plain values, any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube_events/base/result.h"
#include "kube_events/net/server_url.h"

namespace kube_events {

// An http proxy: asked with CONNECT for an https server, and for the whole URL for an http one.
struct Proxy {
  std::string host;
  std::uint16_t port = 0;
  std::string user;  // for basic authentication; empty: none
  std::string password;

  // "http://host:port"; never user and password.
  std::string ToString() const;
};

// Parses "http://[user:password@]host[:port]" or the same without a scheme; user and password percent-encoded. Fails
// with kConfiguration on anything else; what it says of https and socks5 proxies is what to do instead. The message
// never holds the password.
Result<Proxy> ParseProxyUrl(std::string_view text);

// Whether NO_PROXY says that the server is reached directly. Its form is Go's (golang.org/x/net/http/httpproxy), on
// which kubectl relies: entries between commas; "*"; addresses and CIDR ranges; a domain, which includes its
// subdomains, only those where it begins with a dot or "*."; each but a range with an optional ":port". Local names
// and addresses never use a proxy.
bool BypassesProxy(std::string_view no_proxy, const ServerUrl& server);

// What HTTPS_PROXY, for an http server HTTP_PROXY, and NO_PROXY say, in capital or else in small letters; nothing
// where the server is reached directly. Fails as ParseProxyUrl, with the variable's name.
Result<std::optional<Proxy>> ProxyFromEnvironment(
    const std::function<std::optional<std::string>(const std::string& name)>& environment, const ServerUrl& server);

}  // namespace kube_events
