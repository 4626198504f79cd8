// The kinds of values that flags and options take, as functions for the rows of a table: `Text<&Options::kubeconfig>`.
// Pure functions, any thread; each fails with kConfiguration and a text that says what to write instead.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "kube_events/base/duration.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"

namespace kube_events::flag_values {

using Values = const std::vector<std::string>&;

tl::unexpected<Error> BadValue(std::string text);

// A whole number from `min` to `max`.
Result<std::uint64_t> ParseNumber(const std::string& text, std::uint64_t min, std::uint64_t max);
// A duration from `min` to `max`, rounded up to milliseconds.
Result<std::chrono::milliseconds> ParseDurationIn(const std::string& text, std::chrono::milliseconds min,
                                                  std::chrono::milliseconds max);
// A number of bytes from `min` to `max`: "1048576", "64Ki", "16Mi" or "2Gi", also with a B at the end.
Result<std::uint64_t> ParseSize(const std::string& text, std::uint64_t min, std::uint64_t max);
// The shortest spelling that ParseSize reads back: "16Mi".
std::string FormatSize(std::uint64_t bytes);
Result<LogFormat> ParseLogFormat(const std::string& name);
// The spellings of Go's flag package: 1, t, true, 0, f, false and their capital forms.
Result<bool> ParseBool(const std::string& text);
// Splits each value at its commas. Empty elements stay.
std::vector<std::string> SplitList(Values values);

// Stores what was parsed, or passes the failure on.
template <typename Member, typename Parsed>
Result<void> Store(Member& member, const Result<Parsed>& parsed) {
  if (!parsed) return Fail(parsed.error());
  member = static_cast<Member>(*parsed);
  return {};
}

template <auto Member, typename Options>
Result<void> Text(Options& options, Values values) {
  options.*Member = values.back();
  return {};
}

template <auto Member, typename Options>
Result<void> List(Options& options, Values values) {
  options.*Member = SplitList(values);
  return {};
}

template <auto Member, typename Options>
Result<void> Switch(Options& options, Values values) {
  return Store(options.*Member, ParseBool(values.back()));
}

template <auto Member, std::uint64_t Min, std::uint64_t Max, typename Options>
Result<void> Number(Options& options, Values values) {
  return Store(options.*Member, ParseNumber(values.back(), Min, Max));
}

template <auto Member, typename Options>
Result<void> OptionalPort(Options& options, Values values) {
  const auto number = ParseNumber(values.back(), 0, 65'535);
  if (!number) return Fail(number.error());
  options.*Member = static_cast<std::uint16_t>(*number);
  return {};
}

template <auto Member, std::int64_t MinMs, std::int64_t MaxMs, typename Options>
Result<void> DurationIn(Options& options, Values values) {
  return Store(options.*Member,
               ParseDurationIn(values.back(), std::chrono::milliseconds{MinMs}, std::chrono::milliseconds{MaxMs}));
}

template <auto Member, typename Options>
Result<void> Format(Options& options, Values values) {
  return Store(options.*Member, ParseLogFormat(values.back()));
}

}  // namespace kube_events::flag_values
