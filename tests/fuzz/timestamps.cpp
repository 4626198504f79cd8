// Times of the API and of HTTP headers: what is accepted survives being written and read again, and means what the C
// library takes it for.
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "event/rfc3339.h"
#include "fuzz/check.h"
#include "kube_events/net/http_headers.h"

namespace {

using kube_events::OptionalTime;
using kube_events::ParseHttpDate;
using kube_events::ParseRetryAfter;
using kube_events::ParseRfc3339;
using kube_events::WallTime;
using kube_events::fuzz::Check;
using std::chrono::floor;
using std::chrono::seconds;

std::tm Parts(WallTime time) {
  const std::time_t whole = floor<seconds>(time).time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&whole, &parts);
  return parts;
}

std::string Written(WallTime time, const char* format) {
  const std::tm parts = Parts(time);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

void CheckRfc3339(std::string_view text) {
  OptionalTime time;
  if (!ParseRfc3339(text, time) || !time) return;
  const int year = Parts(*time).tm_year + 1900;
  if (year < 1000 || year > 9999) return;  // an offset has moved it to where years have no four digits
  const auto fraction = std::chrono::duration_cast<std::chrono::microseconds>(*time - floor<seconds>(*time));
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), ".%06ldZ", static_cast<long>(fraction.count()));
  OptionalTime again;
  Check(ParseRfc3339(Written(*time, "%Y-%m-%dT%H:%M:%S") + digits.data(), again), "a written time is accepted", text);
  Check(again == time, "a written time reads back to the same", text);
}

// The C library is laxer; where both take a text of the plain form they have to agree.
void CompareWithLibrary(std::string_view text) {
  if (text.size() != 20 || text.back() != 'Z') return;
  OptionalTime time;
  std::tm parts{};
  if (!ParseRfc3339(text, time) || !time || text.substr(17, 2) == "60") return;
  const std::string copy(text);
  const char* end = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return;
  Check(time->time_since_epoch() == seconds{timegm(&parts)}, "the C library reads the same time", text);
}

void CheckHttpDate(std::string_view text) {
  const OptionalTime time = ParseHttpDate(text);
  if (!time) return;
  Check(floor<seconds>(*time) == *time, "HTTP dates are whole seconds", text);
  if (Parts(*time).tm_year < 0) return;  // a year below 1900 may be written with two digits, which mean this century
  Check(ParseHttpDate(Written(*time, "%a, %d %b %Y %H:%M:%S GMT")) == time, "a written date reads back", text);
  Check(ParseHttpDate(Written(*time, "%a %b %e %H:%M:%S %Y")) == time, "asctime's form reads back", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = kube_events::fuzz::Text(data, size);
  CheckRfc3339(text);
  CompareWithLibrary(text);
  CheckHttpDate(text);
  if (const auto delay = ParseRetryAfter(text)) {
    Check(*delay >= seconds{0} && *delay <= std::chrono::hours{24}, "a delay is between 0 and a day", text);
  }
  return 0;
}
