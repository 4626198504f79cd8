#include "kube_events/base/timestamp.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace kube_events {
namespace {

constexpr WallTime kEarliest = std::chrono::sys_days{std::chrono::year{0} / 1 / 1};
constexpr WallTime kLatest = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1} - std::chrono::microseconds{1};

void AppendDigits(std::string& out, std::int64_t value, std::size_t width) {
  const std::size_t begin = out.size();
  out.append(width, '0');
  for (std::size_t at = begin + width; at > begin; value /= 10) out[--at] = static_cast<char>('0' + value % 10);
}

}  // namespace

void AppendTimestamp(std::string& out, WallTime time) {
  time = std::clamp(time, kEarliest, kLatest);
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss<std::chrono::microseconds> clock{time - day};
  AppendDigits(out, static_cast<int>(date.year()), 4);
  out += '-';
  AppendDigits(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  AppendDigits(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  AppendDigits(out, clock.hours().count(), 2);
  out += ':';
  AppendDigits(out, clock.minutes().count(), 2);
  out += ':';
  AppendDigits(out, clock.seconds().count(), 2);
  out += '.';
  AppendDigits(out, clock.subseconds().count(), 6);
  out += 'Z';
}

}  // namespace kube_events
