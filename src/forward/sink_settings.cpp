#include "kube_events/forward/sink_settings.h"

#include <algorithm>
#include <utility>

#include "forward/sink_address.h"
#include "forward/sink_options.h"
#include "kube_events/base/flag_values.h"
#include "kube_events/base/text.h"
#include "kube_events/base/utf8.h"

namespace kube_events {
namespace {

using flag_values::BadValue;

std::string NamesFor(SinkScheme scheme) {
  std::string names;
  for (const SinkOption& option : SinkOptions()) {
    if ((option.schemes & scheme) != 0) names += (names.empty() ? "" : ", ") + std::string(option.name);
  }
  return names;
}

Result<void> Apply(const GivenOption& given, SinkScheme scheme, SinkSettings& settings) {
  const SinkOption* option = FindSinkOption(given.name);
  if (option == nullptr) {
    return BadValue("there is no option \"" + Shortened(given.name, 60) + "\"; this sink has: " + NamesFor(scheme));
  }
  const std::string start = "option " + given.name;
  if ((option->schemes & scheme) == 0) {
    return BadValue(start + " is for sinks of another kind: " + SchemesText(option->schemes) + "; leave it out");
  }
  if (!std::all_of(given.values.begin(), given.values.end(), [](const auto& text) { return IsValidUtf8(text); })) {
    return BadValue(start + " has bytes that are no UTF-8; write it in UTF-8");
  }
  if (given.values.size() > 1 && !option->repeatable) return BadValue(start + " has several values; keep one of them");
  if (auto applied = option->apply(settings, given.values); !applied) {
    return BadValue(start + ": " + applied.error().message);
  }
  return {};
}

// Both or none.
Result<void> CheckPair(bool first, std::string_view first_name, bool second, std::string_view second_name) {
  if (first == second) return {};
  return BadValue("option " + std::string(first ? first_name : second_name) + " needs " +
                  std::string(first ? second_name : first_name) + " beside it");
}

Result<void> CheckTls(const SinkTlsSettings& tls) {
  return CheckPair(!tls.cert_file.empty(), "cert-file", !tls.key_file.empty(), "key-file");
}

Result<void> CheckHttp(const HttpSinkSettings& http) {
  if (const auto address = ParseHttpAddress(http.url); !address) return Fail(address.error());
  const bool basic = !http.basic_user.empty();
  auto pair = CheckPair(basic, "basic-user", !http.basic_password_file.empty(), "basic-password-file");
  if (!pair) return pair;
  const bool by_header = std::any_of(http.headers.begin(), http.headers.end(), [](const auto& header) {
    return EqualIgnoringCase(header.first, "authorization");
  });
  if (basic + by_header + !http.bearer_token_file.empty() > 1) {
    return BadValue(
        "it authenticates in two ways; keep one of bearer-token-file, basic-user and a header Authorization");
  }
  return CheckTls(http.tls);
}

Result<void> CheckForward(const ForwardSinkSettings& forward) {
  auto pair = CheckPair(!forward.username.empty(), "username", !forward.password_file.empty(), "password-file");
  if (!pair) return pair;
  return CheckTls(forward.tls);
}

Result<void> CheckFilter(const EventFilterOptions& options) {
  const auto filter = EventFilter::Create(options);
  if (filter) return {};
  // It speaks of flags.
  std::string_view message = filter.error().message;
  if (message.starts_with("--")) message.remove_prefix(2);
  return BadValue("option " + std::string(message));
}

Result<void> CheckTogether(const SinkSettings& settings) {
  if (auto filter = CheckFilter(settings.filter); !filter) return filter;
  if (settings.kind == SinkKind::kHttp) return CheckHttp(settings.http);
  if (settings.kind == SinkKind::kForward) return CheckForward(settings.forward);
  return {};
}

}  // namespace

Result<SinkSettings> MakeSinkSettings(std::string_view address, const std::vector<GivenOption>& given,
                                      const SinkDefaults& defaults) {
  SinkSettings settings;
  settings.watch_types = defaults.watch_types;
  settings.updates = defaults.updates;
  settings.existing = defaults.existing;
  settings.overflow = defaults.overflow;
  const auto scheme = ReadAddress(address, settings);
  if (!scheme) return Fail(scheme.error());
  for (const GivenOption& option : given) {
    if (auto applied = Apply(option, *scheme, settings); !applied) return Fail(applied.error());
  }
  if (auto checked = CheckTogether(settings); !checked) return Fail(checked.error());
  return settings;
}

Result<UpdatePolicy> ParseUpdatePolicy(std::string_view text) {
  constexpr std::string_view kThrottle = "throttle:";
  if (text == "all") return UpdatePolicy{};
  if (text == "first") return UpdatePolicy{UpdatePolicy::Kind::kFirst};
  if (!text.starts_with(kThrottle)) {
    return BadValue("\"" + Shortened(text, 60) +
                    "\" is unknown; write all, first, or throttle:DURATION as in throttle:30s");
  }
  const auto every = flag_values::ParseDurationIn(std::string(text.substr(kThrottle.size())),
                                                  std::chrono::milliseconds{1}, std::chrono::hours{24});
  if (!every) return Fail(every.error());
  return UpdatePolicy{UpdatePolicy::Kind::kThrottle, *every};
}

Result<OverflowPolicy> ParseOverflowPolicy(std::string_view text) {
  if (text == "pause") return OverflowPolicy::kPause;
  if (text == "drop-oldest") return OverflowPolicy::kDropOldest;
  return BadValue("\"" + Shortened(text, 60) + "\" is unknown; write pause or drop-oldest");
}

Result<std::vector<std::string>> ParseWatchTypes(const std::vector<std::string>& types) {
  for (const std::string& type : types) {
    if (type != "ADDED" && type != "MODIFIED" && type != "DELETED") {
      return BadValue("\"" + Shortened(type, 60) + "\" is unknown; write some of ADDED, MODIFIED and DELETED");
    }
    if (std::count(types.begin(), types.end(), type) > 1) return BadValue(type + " is given twice; keep one of them");
  }
  if (types.empty()) return BadValue("is empty; write some of ADDED, MODIFIED and DELETED");
  return types;
}

}  // namespace kube_events
