#include "kube_events/net/proxy.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <utility>

#include "kube_events/base/text.h"

namespace kube_events {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

tl::unexpected<Error> Bad(std::string message) { return Fail(ErrorKind::kConfiguration, std::move(message)); }

std::optional<ip::address> ParseAddress(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  error_code error;
  const ip::address address = ip::make_address(std::string(text), error);
  return error ? std::nullopt : std::optional(address);
}

template <typename Network>
bool IsIn(const Network& network, const ip::address& address);
template <>
bool IsIn(const ip::network_v4& network, const ip::address& address) {
  return address.is_v4() && ip::network_v4(address.to_v4(), network.prefix_length()).canonical() == network.canonical();
}
template <>
bool IsIn(const ip::network_v6& network, const ip::address& address) {
  return address.is_v6() && ip::network_v6(address.to_v6(), network.prefix_length()).canonical() == network.canonical();
}

bool RangeHolds(std::string_view range, const ip::address& address) {
  error_code error;
  const auto v4 = ip::make_network_v4(std::string(range), error);
  if (!error) return IsIn(v4, address);
  const auto v6 = ip::make_network_v6(std::string(range), error);
  return !error && IsIn(v6, address);
}

// "host:port", "host", "[::1]:port", "::1" into host and port; the port is "" where there is none.
std::pair<std::string_view, std::string_view> SplitPort(std::string_view entry) {
  const std::size_t colon = entry.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (entry.starts_with('[') ? entry[colon - 1] == ']' : entry.find(':') == colon);
  if (!has_port) return {entry, {}};
  return {entry.substr(0, colon), entry.substr(colon + 1)};
}

bool DomainHolds(std::string_view domain, std::string_view host) {
  if (domain.starts_with("*.")) domain.remove_prefix(1);
  const bool itself = !domain.starts_with('.');
  if (!itself) domain.remove_prefix(1);
  if (domain.empty()) return false;
  if (EqualIgnoringCase(domain, host)) return itself;
  return host.size() > domain.size() && host[host.size() - domain.size() - 1] == '.' &&
         EqualIgnoringCase(host.substr(host.size() - domain.size()), domain);
}

bool EntryHolds(std::string_view entry, const ServerUrl& server, const std::optional<ip::address>& address) {
  if (entry == "*") return true;
  if (entry.find('/') != std::string_view::npos) return address && RangeHolds(entry, *address);
  const auto [host, port] = SplitPort(entry);
  if (!port.empty() && port != std::to_string(server.port)) return false;
  if (const auto wanted = ParseAddress(host)) return address == wanted;
  return !address && DomainHolds(host, server.host);
}

}  // namespace

std::string Proxy::ToString() const { return ServerUrl{false, host, port, ""}.ToString(); }

Result<Proxy> ParseProxyUrl(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  const std::string scheme = scheme_end == std::string_view::npos ? "http" : LowerAscii(text.substr(0, scheme_end));
  if (scheme != "http") {
    return Bad("the proxy has the scheme " + scheme +
               ", which is not supported: only http proxies are, which do carry https connections; write it as "
               "http://HOST:PORT");
  }
  std::string_view rest = scheme_end == std::string_view::npos ? text : text.substr(scheme_end + 3);
  Proxy proxy;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    std::string_view login = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    const auto user = PercentDecoded(TakeUntil(login, ':'));
    const auto password = PercentDecoded(login);
    if (!user || !password) {
      return Bad("user or password of the proxy are not percent-encoded; write special characters as %XX");
    }
    proxy.user = *user;
    proxy.password = *password;
  }
  const auto address = ParseServerUrl("http://" + std::string(rest));
  if (!address || !address->path.empty()) {
    return Bad("the proxy is no URL of the form http://[USER:PASSWORD@]HOST:PORT");
  }
  proxy.host = address->host;
  proxy.port = address->port;
  return proxy;
}

bool BypassesProxy(std::string_view no_proxy, const ServerUrl& server) {
  const auto address = ParseAddress(server.host);
  if (EqualIgnoringCase(server.host, "localhost") || (address && address->is_loopback())) return true;
  while (!no_proxy.empty()) {
    const std::string_view entry = Trimmed(TakeUntil(no_proxy, ','));
    if (!entry.empty() && EntryHolds(entry, server, address)) return true;
  }
  return false;
}

Result<std::optional<Proxy>> ProxyFromEnvironment(
    const std::function<std::optional<std::string>(const std::string& name)>& environment, const ServerUrl& server) {
  const auto lookup = [&environment](const std::string& name) {
    const std::string capital = environment(name).value_or("");
    return capital.empty() ? environment(LowerAscii(std::string_view(name))).value_or("") : capital;
  };
  const std::string variable = server.tls ? "HTTPS_PROXY" : "HTTP_PROXY";
  const std::string url = lookup(variable);
  if (url.empty() || BypassesProxy(lookup("NO_PROXY"), server)) return std::nullopt;
  auto proxy = ParseProxyUrl(url);
  if (!proxy) return Bad(variable + ": " + proxy.error().message);
  return std::move(*proxy);
}

}  // namespace kube_events
