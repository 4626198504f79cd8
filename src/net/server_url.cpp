#include "kube_events/net/server_url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>

namespace kube_events {
namespace {

constexpr std::string_view kExample = "; write it as https://HOST:PORT, for example https://192.0.2.1:6443";

tl::unexpected<Error> Bad(std::string_view text, std::string_view problem) {
  return Fail(ErrorKind::kConfiguration, "the server address \"" + std::string(text) + "\" " + std::string(problem));
}

// Those of RFC 3986; the HTTP library throws on others.
bool HasOnlyUrlCharacters(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-._~:/?#[]@!$&'()*+,;=%").find(c) != std::string_view::npos;
  });
}

bool IsHostCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
}

// Takes "https://" or "http://" off the front.
bool TakeScheme(std::string_view& rest, ServerUrl& url) {
  const std::size_t end = rest.find("://");
  if (end == std::string_view::npos) return false;
  std::string scheme(rest.substr(0, end));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  rest.remove_prefix(end + 3);
  url.tls = scheme == "https";
  return url.tls || scheme == "http";
}

// The IPv6 address between brackets; empty where there is none. Without a zone, which means something on this machine
// only.
std::string Bracketed(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return {};
  const std::string address(text.substr(1, text.size() - 2));
  return address.find(':') != std::string::npos && IsIpAddress(address) ? address : std::string();
}

bool ParsePort(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port != 0;
}

}  // namespace

std::string ServerUrl::ToString() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (tls ? "https://" : "http://") + (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + path;
}

Result<ServerUrl> ParseServerUrl(std::string_view text) {
  // Said without the text, which may hold a password.
  if (text.find('@') != std::string_view::npos) {
    return Fail(ErrorKind::kConfiguration,
                "the server address holds a user or password, which is not supported; "
                "remove the part before @ and use a token or a client certificate");
  }
  ServerUrl url;
  std::string_view rest = text;
  if (!TakeScheme(rest, url)) return Bad(text, std::string("is no http or https URL") + std::string(kExample));
  if (!HasOnlyUrlCharacters(rest)) return Bad(text, "contains a character that a URL cannot have");
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return Bad(text, "has a query or a fragment; remove the part from ? or # on");
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  url.path = rest.substr(slash);
  while (!url.path.empty() && url.path.back() == '/') url.path.pop_back();
  const std::string_view authority = rest.substr(0, slash);
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  const std::size_t colon = std::min(authority.find(':', bracket), authority.size());
  url.host = authority.substr(0, colon);
  if (authority.starts_with('[')) {
    url.host = Bracketed(url.host);
  } else if (!std::all_of(url.host.begin(), url.host.end(), IsHostCharacter)) {
    url.host.clear();
  }
  if (url.host.empty()) return Bad(text, "has no valid host" + std::string(kExample));
  url.port = url.tls ? 443 : 80;
  if (colon < authority.size() && !ParsePort(authority.substr(colon + 1), url.port)) {
    return Bad(text, "has no valid port: it must be a number from 1 to 65535");
  }
  return url;
}

bool IsIpAddress(std::string_view host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  const std::string text(host);
  return inet_pton(AF_INET, text.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

}  // namespace kube_events
