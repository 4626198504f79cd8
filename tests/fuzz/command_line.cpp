// Flags and environment variables: any arguments give options or one line that says what is wrong.
//   arguments separated by NUL bytes; those of the form NAME=value are variables of the environment
#include <map>
#include <string>
#include <vector>

#include "fuzz/check.h"
#include "kube_events/app/exporter_options.h"

namespace {

using kube_events::fuzz::Check;

constexpr std::string_view kPrefix = "KUBE_EVENTS_EXPORTER_";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  std::vector<std::string> texts{"kube-events-exporter"};
  std::map<std::string, std::string> variables;
  while (!bytes.Empty()) {
    const std::string text(bytes.Until('\0'));
    const std::size_t equals = text.find('=');
    if (text.starts_with(kPrefix) && equals != std::string::npos) {
      variables[text.substr(0, equals)] = text.substr(equals + 1);
    } else {
      texts.push_back(text);
    }
  }
  std::vector<const char*> arguments;
  for (const std::string& text : texts) arguments.push_back(text.c_str());
  const auto parsed =
      kube_events::ParseExporterCommandLine(arguments, [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      });
  if (parsed) {
    const auto& options = parsed->options;
    Check(options.list_page_size >= 1 && options.max_series >= 1 && options.max_cached_events >= 1,
          "limits are 1 or more");
    Check(options.watch_interval.count() > 0 && options.sync_period.count() >= 0, "durations make sense");
    return 0;
  }
  const std::string& message = parsed.error().message;
  Check(parsed.error().kind == kube_events::ErrorKind::kConfiguration, "a bad command line is a configuration error");
  Check(!message.empty() && message.find('\n') == std::string::npos, "the message is one line", message);
  return 0;
}
