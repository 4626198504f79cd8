// Durations: what can be read can be written and read again, and a second look by integers sees the same value.
#include "kube_events/base/duration.h"

#include <string>

#include "fuzz/check.h"

namespace {

using kube_events::FormatDuration;
using kube_events::ParseDuration;
using kube_events::fuzz::Check;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = kube_events::fuzz::Text(data, size);
  const auto duration = ParseDuration(text);
  if (!duration) {
    Check(duration.error().kind == kube_events::ErrorKind::kConfiguration, "a bad duration is a configuration error");
    return 0;
  }
  Check(duration->count() >= 0, "a duration is 0 or more", text);
  const std::string written = FormatDuration(*duration);
  const auto again = ParseDuration(written);
  Check(again && *again == *duration, "what is written reads back to the same value", written);
  Check(FormatDuration(*again) == written, "the spelling is stable", written);
  return 0;
}
