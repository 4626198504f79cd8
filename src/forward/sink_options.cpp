#include "forward/sink_options.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kube_events/base/flag_values.h"
#include "kube_events/base/text.h"
#include "kube_events/net/http_headers.h"

namespace kube_events {
namespace {

using namespace flag_values;
using S = SinkSettings;
using std::chrono::milliseconds;

constexpr unsigned kAnyHttp = kHttpScheme | kHttpsScheme;
constexpr unsigned kAnyForward = kForwardScheme | kForwardTlsScheme;
constexpr unsigned kAnyTls = kHttpsScheme | kForwardTlsScheme;
constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kMi = kKi * 1024;
constexpr std::uint64_t kGi = kMi * 1024;
constexpr milliseconds kMinute{60'000};

// What the exporter itself says about a request.
constexpr std::array<std::string_view, 8> kOwnHeaders = {
    "content-type", "content-encoding", "content-length", "transfer-encoding",
    "host",         "connection",       "expect",         "proxy-authorization"};

Result<void> Name(S& settings, Values values) {
  const std::string& name = values.back();
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  if (name.empty() || name.size() > 63 || name.front() == '.' || !std::all_of(name.begin(), name.end(), is_good)) {
    return BadValue("\"" + Shortened(name, 80) +
                    "\" is no name; write 1 to 63 letters, digits, dashes, dots and underscores, no dot in front");
  }
  settings.id = name;
  return {};
}

Result<void> Format(S& settings, Values values) {
  if (values.back() != "raw" && values.back() != "flat") {
    return BadValue("\"" + values.back() + "\" is unknown; write raw or flat");
  }
  settings.format = values.back() == "raw" ? RecordFormat::kRaw : RecordFormat::kFlat;
  return {};
}

// The text of a path or word, which has to say something.
template <typename Member>
Result<void> NotEmpty(Member& member, Values values) {
  if (values.back().empty()) return BadValue("is empty; leave it out, or say something");
  member = values.back();
  return {};
}

Result<void> Header(S& settings, Values values) {
  for (const std::string& text : values) {
    const std::size_t colon = text.find(':');
    // Without the text: the value may be a secret.
    if (colon == text.npos) return BadValue("has no colon; write NAME:VALUE");
    std::string name(Trimmed(std::string_view(text).substr(0, colon)));
    std::string value(Trimmed(std::string_view(text).substr(colon + 1)));
    if (const auto checked = CheckHeaders({{name, value}}); !checked) return Fail(checked.error());
    if (std::find(kOwnHeaders.begin(), kOwnHeaders.end(), LowerAscii(name)) != kOwnHeaders.end()) {
      return BadValue(name + " is what the exporter sets itself; leave it out");
    }
    for (const auto& other : settings.http.headers) {
      if (EqualIgnoringCase(other.first, name)) return BadValue(name + " is given twice; keep one of them");
    }
    settings.http.headers.emplace_back(std::move(name), std::move(value));
  }
  return {};
}

// Behind what the URL has of its own.
Result<void> Query(S& settings, Values values) {
  if (values.back().empty()) return BadValue("is empty; leave it out");
  std::string& url = settings.http.url;
  url += (url.find('?') == url.npos ? "?" : "&") + values.back();
  return {};
}

template <auto Member>
Result<void> Filter(S& settings, Values values) {
  return List<Member>(settings.filter, values);
}

// TLS settings belong to the kind of sink that has them.
SinkTlsSettings& TlsOf(S& settings) {
  return settings.kind == SinkKind::kHttp ? settings.http.tls : settings.forward.tls;
}

using F = EventFilterOptions;

constexpr SinkOption kOptions[] = {
    {"name", "NAME", "the URL", kAllSchemes, false, false, Name},
    {"format", "FORMAT", "raw", kAllSchemes, false, false, Format},
    {"watch-types", "LIST", "--forward-watch-types", kAllSchemes, true, false,
     [](S& s, Values v) { return Store(s.watch_types, ParseWatchTypes(SplitList(v))); }},
    {"updates", "POLICY", "--forward-updates", kAllSchemes, false, false,
     [](S& s, Values v) { return Store(s.updates, ParseUpdatePolicy(v.back())); }},
    {"existing", "BOOL", "--forward-existing", kAllSchemes, false, false,
     [](S& s, Values v) { return Store(s.existing, ParseBool(v.back())); }},

    {"event-types", "LIST", "all", kAllSchemes, true, true, Filter<&F::event_types>},
    {"involved-object-api-groups", "LIST", "all", kAllSchemes, true, true, Filter<&F::involved_object_api_groups>},
    {"involved-object-namespaces", "LIST", "all", kAllSchemes, true, true, Filter<&F::involved_object_namespaces>},
    {"involved-object-kinds", "LIST", "all", kAllSchemes, true, true, Filter<&F::involved_object_kinds>},
    {"reasons", "LIST", "all", kAllSchemes, true, true, Filter<&F::reasons>},
    {"reporting-controllers", "LIST", "all", kAllSchemes, true, true, Filter<&F::reporting_controllers>},

    {"batch-records", "N", "500", kAllSchemes, false, false,
     [](S& s, Values v) { return Store(s.batch_records, ParseNumber(v.back(), 1, 100'000)); }},
    {"batch-bytes", "SIZE", "1Mi", kAllSchemes, false, false,
     [](S& s, Values v) { return Store(s.batch_bytes, ParseSize(v.back(), kKi, 64 * kMi)); }},
    {"batch-wait", "DURATION", "200ms", kAllSchemes, false, false,
     [](S& s, Values v) { return Store(s.batch_wait, ParseDurationIn(v.back(), milliseconds{0}, kMinute)); }},
    {"timeout", "DURATION", "30s", kAllSchemes, false, false,
     [](S& s, Values v) { return Store(s.timeout, ParseDurationIn(v.back(), milliseconds{100}, 10 * kMinute)); }},
    {"queue-records", "N", "10000", kAllSchemes, false, false,
     [](S& s, Values v) { return Store(s.queue_records, ParseNumber(v.back(), 1, 10'000'000)); }},
    {"queue-bytes", "SIZE", "16Mi", kAllSchemes, false, false,
     [](S& s, Values v) { return Store(s.queue_bytes, ParseSize(v.back(), 64 * kKi, 16 * kGi)); }},
    {"overflow", "POLICY", "--forward-overflow", kAllSchemes, false, false,
     [](S& s, Values v) { return Store(s.overflow, ParseOverflowPolicy(v.back())); }},
    {"dead-letter", "PATH", "", kAllSchemes, false, false,
     [](S& s, Values v) { return NotEmpty(s.dead_letter_file, v); }},

    {"max-bytes", "SIZE", "100Mi", kFileScheme, false, false,
     [](S& s, Values v) { return Store(s.file.max_bytes, ParseSize(v.back(), 0, 1024 * kGi)); }},
    {"max-files", "N", "5", kFileScheme, false, false,
     [](S& s, Values v) { return Store(s.file.max_files, ParseNumber(v.back(), 1, 1000)); }},

    {"gzip", "BOOL", "false", kAnyHttp, false, false,
     [](S& s, Values v) { return Store(s.http.gzip, ParseBool(v.back())); }},
    {"header", "NAME:VALUE", "", kAnyHttp, true, false, Header},
    {"query", "TEXT", "", kAnyHttp, false, false, Query},
    {"bearer-token-file", "PATH", "", kAnyHttp, false, false,
     [](S& s, Values v) { return NotEmpty(s.http.bearer_token_file, v); }},
    {"basic-user", "NAME", "", kAnyHttp, false, false, [](S& s, Values v) { return NotEmpty(s.http.basic_user, v); }},
    {"basic-password-file", "PATH", "", kAnyHttp, false, false,
     [](S& s, Values v) { return NotEmpty(s.http.basic_password_file, v); }},

    {"ca-file", "PATH", "the system's", kAnyTls, false, false,
     [](S& s, Values v) { return NotEmpty(TlsOf(s).ca_file, v); }},
    {"cert-file", "PATH", "", kAnyTls, false, false, [](S& s, Values v) { return NotEmpty(TlsOf(s).cert_file, v); }},
    {"key-file", "PATH", "", kAnyTls, false, false, [](S& s, Values v) { return NotEmpty(TlsOf(s).key_file, v); }},
    {"server-name", "NAME", "the host", kAnyTls, false, false,
     [](S& s, Values v) { return NotEmpty(TlsOf(s).server_name, v); }},
    {"insecure-skip-verify", "BOOL", "false", kAnyTls, false, false,
     [](S& s, Values v) { return Store(TlsOf(s).insecure_skip_verify, ParseBool(v.back())); }},

    {"tag", "TEXT", "kube.events", kAnyForward, false, false,
     [](S& s, Values v) { return NotEmpty(s.forward.tag, v); }},
    {"shared-key-file", "PATH", "", kAnyForward, false, false,
     [](S& s, Values v) { return NotEmpty(s.forward.shared_key_file, v); }},
    {"username", "NAME", "", kAnyForward, false, false, [](S& s, Values v) { return NotEmpty(s.forward.username, v); }},
    {"password-file", "PATH", "", kAnyForward, false, false,
     [](S& s, Values v) { return NotEmpty(s.forward.password_file, v); }},
};

}  // namespace

std::string SchemesText(unsigned schemes) {
  if (schemes == kAllSchemes) return "all";
  std::string text;
  unsigned bit = 1;
  for (const char* scheme : {"stdout", "file", "http", "https", "forward", "forward+tls"}) {
    if ((schemes & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(scheme);
    bit *= 2;
  }
  return text;
}

std::span<const SinkOption> SinkOptions() { return kOptions; }

const SinkOption* FindSinkOption(std::string_view name) {
  const auto* found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                   [name](const SinkOption& option) { return option.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

}  // namespace kube_events
