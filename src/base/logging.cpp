#include "kube_events/base/logging.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <map>
#include <optional>

#include "kube_events/base/json_text.h"

namespace kube_events {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

std::optional<LogLevel> ParseLevel(std::string_view word) {
  static const std::map<std::string_view, LogLevel> levels{{"debug", LogLevel::kDebug}, {"info", LogLevel::kInfo},
                                                           {"warn", LogLevel::kWarn},   {"warning", LogLevel::kWarn},
                                                           {"error", LogLevel::kError}, {"off", LogLevel::kOff}};
  const auto found = levels.find(word);
  return found == levels.end() ? std::nullopt : std::optional(found->second);
}

const char* Pattern(LogFormat format) {
  switch (format) {
    case LogFormat::kJson:
      return R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","component":"%n",%v})";
    case LogFormat::kLogfmt:
      return "time=%Y-%m-%dT%H:%M:%S.%eZ level=%l component=%n %v";
    case LogFormat::kText:
      break;
  }
  return "%Y-%m-%dT%H:%M:%S.%eZ %-7l %n: %v";
}

// As AppendJsonString, without quotes and without escaping them: a value that comes from outside must not be able to
// start a new line.
void AppendUnquoted(std::string& out, std::string_view text) {
  std::string quoted;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of("\"\\"), text.size());
    quoted.clear();
    AppendJsonString(quoted, text.substr(0, plain));
    out.append(quoted, 1, quoted.size() - 2);
    if (plain == text.size()) return;
    out += text[plain];
    text.remove_prefix(plain + 1);
  }
}

bool NeedsQuotes(std::string_view value) {
  return value.empty() || std::any_of(value.begin(), value.end(), [](char c) {
           return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f;
         });
}

std::string Render(LogFormat format, std::string_view message, Logger::Fields fields) {
  std::string line;
  line.reserve(message.size() + 48 * (fields.size() + 1));
  if (format == LogFormat::kText) {
    AppendUnquoted(line, message);
  } else {
    line += format == LogFormat::kJson ? "\"msg\":" : "msg=";
    AppendJsonString(line, message);
  }
  for (const LogField& field : fields) {
    line += format == LogFormat::kJson ? "," : " ";
    if (format == LogFormat::kJson) {
      AppendJsonString(line, field.key);
      line += ':';
      AppendJsonString(line, field.value);
      continue;
    }
    line += field.key;
    line += '=';
    if (NeedsQuotes(field.value)) {
      AppendJsonString(line, field.value);
    } else {
      AppendUnquoted(line, field.value);
    }
  }
  return line;
}

}  // namespace

Logger::Logger(std::shared_ptr<spdlog::logger> logger, LogFormat format)
    : logger_(std::move(logger)), format_(format) {}

bool Logger::Enabled(LogLevel level) const { return logger_ && logger_->should_log(ToSpdlog(level)); }

void Logger::Write(LogLevel level, std::string_view message, Fields fields) const {
  if (Enabled(level)) logger_->log(ToSpdlog(level), Render(format_, message, fields));
}

struct Logging::State {
  LogFormat format = LogFormat::kText;
  LogLevel default_level = LogLevel::kInfo;
  std::map<std::string, LogLevel, std::less<>> component_levels;
  std::shared_ptr<spdlog::sinks::sink> sink;
};

Logging::Logging(std::unique_ptr<State> state) : state_(std::move(state)) {}
Logging::Logging(Logging&&) noexcept = default;
Logging& Logging::operator=(Logging&&) noexcept = default;
Logging::~Logging() = default;

Result<Logging> Logging::Create(std::string_view levels, LogFormat format) {
  return CreateWithSink(levels, format, std::make_shared<spdlog::sinks::stderr_sink_mt>());
}

Result<Logging> Logging::CreateWithSink(std::string_view levels, LogFormat format,
                                        std::shared_ptr<spdlog::sinks::sink> sink) {
  auto state = std::make_unique<State>();
  state->format = format;
  while (!levels.empty()) {
    const std::string_view item = levels.substr(0, levels.find(','));
    levels.remove_prefix(std::min(levels.size(), item.size() + 1));
    const auto equals = item.find('=');
    const auto level = ParseLevel(equals == item.npos ? item : item.substr(equals + 1));
    if (!level) {
      return Fail(ErrorKind::kConfiguration, "log level \"" + std::string(item) +
                                                 "\" is unknown; write debug, info, warn, error or off, alone or as "
                                                 "component=level, for example info,informer=debug");
    }
    if (equals == item.npos) {
      state->default_level = *level;
    } else {
      state->component_levels[std::string(item.substr(0, equals))] = *level;
    }
  }
  state->sink = std::move(sink);
  state->sink->set_formatter(
      std::make_unique<spdlog::pattern_formatter>(Pattern(format), spdlog::pattern_time_type::utc));
  return Logging(std::move(state));
}

Logger Logging::For(std::string_view component) const {
  auto logger = std::make_shared<spdlog::logger>(std::string(component), state_->sink);
  const auto found = state_->component_levels.find(component);
  logger->set_level(ToSpdlog(found == state_->component_levels.end() ? state_->default_level : found->second));
  logger->flush_on(spdlog::level::debug);
  return Logger(std::move(logger), state_->format);
}

}  // namespace kube_events
