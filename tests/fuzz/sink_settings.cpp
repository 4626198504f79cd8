// Sinks as administrators describe them: any URL or YAML gives settings that can be used, or one line that says what is
// wrong, and what may be a password is never part of that line.
//   byte: 0 a URL, 1 YAML; the rest: the text
#include <algorithm>
#include <string>

#include "forward/sink_address.h"
#include "fuzz/check.h"
#include "kube_events/base/text.h"
#include "kube_events/forward/sink_settings.h"

namespace {

using kube_events::Error;
using kube_events::ErrorKind;
using kube_events::SinkKind;
using kube_events::SinkSettings;
using kube_events::fuzz::Check;

// What stands before an @.
constexpr std::string_view kPassword = "s3cr3t@";

void CheckUsable(const SinkSettings& sink) {
  Check(!sink.id.empty(), "a sink has an id");
  Check(sink.batch_records > 0 && sink.timeout.count() > 0 && !sink.watch_types.empty(), "limits make sense");
  if (sink.kind == SinkKind::kFile) Check(sink.file.path.is_absolute(), "a file has a path", sink.file.path.string());
  if (sink.kind == SinkKind::kForward) Check(!sink.forward.servers.empty(), "there is a server");
  if (sink.kind == SinkKind::kHttp) {
    Check(kube_events::ParseHttpAddress(sink.http.url).has_value(), "the URL can be used", sink.http.url);
  }
}

void CheckMessage(const Error& error) {
  Check(error.kind == ErrorKind::kConfiguration, "a bad text is a configuration error");
  Check(!error.message.empty() && !kube_events::HasControlCharacter(error.message), "one line", error.message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  const bool is_url = bytes.Below(2) == 0;
  const std::string_view text = bytes.Rest();
  if (is_url) {
    const auto sink = kube_events::ParseSinkUrl(text, {});
    if (sink) {
      CheckUsable(*sink);
      Check(text.find('@') == text.npos, "no URL has a password");
    } else {
      CheckMessage(sink.error());
      Check(sink.error().message.find(kPassword) == std::string::npos, "no password is shown", sink.error().message);
    }
    return 0;
  }
  const auto sinks = kube_events::ParseForwardConfig(text, "forward.yaml", {});
  if (!sinks) {
    CheckMessage(sinks.error());
    return 0;
  }
  for (const SinkSettings& sink : *sinks) CheckUsable(sink);
  Check(kube_events::CheckDistinctSinks(*sinks).has_value(), "ids are distinct");
  return 0;
}
