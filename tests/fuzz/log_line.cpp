// Log lines: a text from outside stays within its line and its quotes, in every format.
//   byte: format; line: levels; the rest: message and value, separated by NUL
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "fuzz/check.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/utf8.h"

namespace {

using kube_events::LogFormat;
using kube_events::fuzz::Check;

std::string Valid(std::string_view text) {
  std::string out;
  kube_events::AppendValidUtf8(out, text);
  return out;
}

std::string LogWith(LogFormat format, std::string_view message, std::string_view value) {
  std::ostringstream out;
  const auto logging =
      kube_events::Logging::CreateWithSink("info", format, std::make_shared<spdlog::sinks::ostream_sink_st>(out));
  Check(logging.has_value(), "the level is known");
  logging->For("fuzz").Info(message, {{"value", value}});
  return out.str();
}

void CheckJson(const std::string& line, std::string_view message, std::string_view value) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  Check(json.is_object(), "a line is JSON", line);
  Check(json["msg"] == Valid(message) && json["value"] == Valid(value), "message and value read back", line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  const auto format = static_cast<LogFormat>(bytes.Below(3));
  const std::string_view levels = bytes.Until('\n');
  const std::string_view message = bytes.Until('\0');
  const std::string_view value = bytes.Rest();
  std::ostringstream unused;
  const auto logging =
      kube_events::Logging::CreateWithSink(levels, format, std::make_shared<spdlog::sinks::ostream_sink_st>(unused));
  if (!logging) {
    Check(logging.error().kind == kube_events::ErrorKind::kConfiguration, "bad levels are a configuration error");
  }
  const std::string line = LogWith(format, message, value);
  Check(line.find('\n') == line.size() - 1, "a message is one line", line);
  Check(kube_events::IsValidUtf8(line), "a line is valid UTF-8", line);
  for (const char c : line.substr(0, line.size() - 1)) {
    Check(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a line has no control characters", line);
  }
  if (format == LogFormat::kJson) CheckJson(line, message, value);
  return 0;
}
