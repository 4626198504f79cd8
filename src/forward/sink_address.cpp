#include "forward/sink_address.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>

#include "kube_events/base/flag_values.h"
#include "kube_events/base/text.h"
#include "kube_events/base/utf8.h"

namespace kube_events {
namespace {

using flag_values::BadValue;

Result<SinkScheme> ReadStdout(std::string_view rest, SinkSettings& settings) {
  if (!rest.empty()) return BadValue("nothing follows stdout: in a URL but options");
  settings.kind = SinkKind::kStdout;
  return kStdoutScheme;
}

Result<SinkScheme> ReadFile(std::string_view rest, SinkSettings& settings) {
  const auto path = PercentDecoded(rest);
  if (path && !IsValidUtf8(*path)) return BadValue("the path has bytes that are no UTF-8; name another file");
  if (!rest.starts_with("///") || rest.ends_with('/') || !path || HasControlCharacter(*path)) {
    return BadValue("no file is named; write file:///var/log/events.json, with %XX for unusual characters");
  }
  settings.kind = SinkKind::kFile;
  settings.file.path = path->substr(2);
  return kFileScheme;
}

// "fluentd:24224", "fluentd", "[::1]:24224".
Result<ForwardSinkSettings::Server> ReadServer(const std::string& text) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  const bool has_port = text.find(':', bracket) != text.npos;
  const ForwardSinkSettings::Server usual;
  const auto url = ParseServerUrl("http://" + text + (has_port ? "" : ":" + std::to_string(usual.port)));
  if (!url || !url->path.empty()) {
    return BadValue(
        "\"" + text +
        "\" is no HOST:PORT; write for example forward://fluentd.logging:24224, several servers with commas, "
        "an IPv6 address in brackets");
  }
  return ForwardSinkSettings::Server{url->host, url->port};
}

Result<SinkScheme> ReadForward(std::string_view rest, SinkScheme scheme, SinkSettings& settings) {
  if (!rest.starts_with("//")) return BadValue("two slashes are missing; write forward://HOST:PORT");
  rest.remove_prefix(2);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  settings.kind = SinkKind::kForward;
  settings.forward.use_tls = scheme == kForwardTlsScheme;
  for (const std::string& text : flag_values::SplitList({std::string(rest)})) {
    auto server = ReadServer(text);
    if (!server) return Fail(server.error());
    settings.forward.servers.push_back(std::move(*server));
  }
  return scheme;
}

Result<SinkScheme> ReadHttp(std::string_view address, SinkScheme scheme, SinkSettings& settings) {
  settings.kind = SinkKind::kHttp;
  settings.http.url = address;
  return scheme;  // options may change the URL, so it is read later
}

// Those of RFC 3986 that the HTTP library takes too.
bool IsTargetCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-._~!$&'()*+,;=:@%/?").find(c) != std::string_view::npos;
}

}  // namespace

Result<SinkScheme> ReadAddress(std::string_view address, SinkSettings& settings) {
  if (const auto checked = CheckNoUser(address); !checked) return Fail(checked.error());
  // It becomes a label of metrics, and part of the checkpoint.
  if (!IsValidUtf8(address)) return BadValue("the URL has bytes that are no UTF-8; write unusual characters as %XX");
  settings.id = address.substr(0, address.find('?'));
  const std::size_t colon = std::min(address.find(':'), address.size());
  const std::string scheme = LowerAscii(address.substr(0, colon));
  const std::string_view rest = address.substr(std::min(colon + 1, address.size()));
  if (!scheme.starts_with("http") && rest.find('?') != rest.npos) {
    return BadValue("the URL has a query; in the file, options are keys beside url");
  }
  if (colon < address.size()) {
    if (scheme == "stdout") return ReadStdout(rest, settings);
    if (scheme == "file") return ReadFile(rest, settings);
    if (scheme == "http") return ReadHttp(address, kHttpScheme, settings);
    if (scheme == "https") return ReadHttp(address, kHttpsScheme, settings);
    if (scheme == "forward") return ReadForward(rest, kForwardScheme, settings);
    if (scheme == "forward+tls") return ReadForward(rest, kForwardTlsScheme, settings);
  }
  return BadValue(
      "no sink is written like this; write stdout:, file:///PATH, http://HOST:PORT/PATH, https://HOST/PATH, "
      "forward://HOST:24224 or forward+tls://HOST:24224");
}

std::string ShownAddress(std::string_view address) {
  constexpr std::size_t kMost = 200;
  address = address.substr(0, address.find_first_of("?#"));
  const std::size_t colon = std::min(address.find(':'), address.size());
  if (LowerAscii(address.substr(0, colon)) == "file") return Shortened(address, kMost);
  const std::size_t slashes = address.find("://");
  const std::size_t path = address.find('/', slashes == address.npos ? 0 : slashes + 3);
  const bool shown_whole = path == address.npos || path + 1 == address.size();
  return Shortened(address.substr(0, path), kMost) + (shown_whole ? "" : "/...");
}

Result<void> CheckNoUser(std::string_view url) {
  if (url.find('@') == url.npos) return {};
  return BadValue(
      "the URL has an @, as before a host stand user and password; secrets belong into files: use the options "
      "bearer-token-file, or basic-user and basic-password-file (forward: username and password-file), and write %40 "
      "for an @ elsewhere");
}

Result<HttpAddress> ParseHttpAddress(std::string_view url) {
  const std::size_t slashes = url.find("://");
  const std::size_t begin = slashes == url.npos ? url.size() : slashes + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  auto server = ParseServerUrl(url.substr(0, end));
  if (!server) return Fail(server.error());
  HttpAddress address{std::move(*server), std::string(url.substr(end))};
  if (!address.target.starts_with('/')) address.target.insert(0, 1, '/');
  if (!std::all_of(address.target.begin(), address.target.end(), IsTargetCharacter) ||
      !PercentDecoded(address.target)) {
    return BadValue(
        "path and query have a character that a URL cannot have there; write it as %XX, for example %20 for a blank "
        "and %23 for #");
  }
  return address;
}

}  // namespace kube_events
