// Structured logging to stderr, one line per call, with a level per component.
// Logging is owned by the composition root and must outlive nothing: Loggers are cheap values that share its sink.
// Every method may be called from any thread. Never pass a secret as a field.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "kube_events/base/result.h"

namespace spdlog {
class logger;
namespace sinks {
class sink;
}
}  // namespace spdlog

namespace kube_events {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };
enum class LogFormat { kText, kJson, kLogfmt };

// One key and its value, e.g. {"scope", "default"}.
struct LogField {
  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  LogField(std::string_view k, T v) : key(k), value(std::to_string(v)) {}

  std::string_view key;
  std::string value;
};

class Logger {
 public:
  using Fields = std::initializer_list<LogField>;

  // A logger that drops everything; for tests and defaults.
  Logger() = default;

  void Debug(std::string_view message, Fields fields = {}) const { Write(LogLevel::kDebug, message, fields); }
  void Info(std::string_view message, Fields fields = {}) const { Write(LogLevel::kInfo, message, fields); }
  void Warn(std::string_view message, Fields fields = {}) const { Write(LogLevel::kWarn, message, fields); }
  void Error(std::string_view message, Fields fields = {}) const { Write(LogLevel::kError, message, fields); }
  // Whether a line of this level would be written; ask before building costly fields.
  bool Enabled(LogLevel level) const;

 private:
  friend class Logging;
  explicit Logger(std::shared_ptr<spdlog::logger> logger, LogFormat format);
  void Write(LogLevel level, std::string_view message, Fields fields) const;

  std::shared_ptr<spdlog::logger> logger_;
  LogFormat format_ = LogFormat::kText;
};

class Logging {
 public:
  // `levels`: "info", "debug", or a list such as "warn,informer=debug,http=off"; component names are free words.
  // Fails with kConfiguration where a level is unknown. Writes to stderr.
  static Result<Logging> Create(std::string_view levels, LogFormat format);
  // The same, with lines going to `sink` (tests).
  static Result<Logging> CreateWithSink(std::string_view levels, LogFormat format,
                                        std::shared_ptr<spdlog::sinks::sink> sink);

  Logging(Logging&&) noexcept;
  Logging& operator=(Logging&&) noexcept;
  ~Logging();

  // The logger of a component; the component's name is in every line.
  Logger For(std::string_view component) const;

 private:
  struct State;
  explicit Logging(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kube_events
