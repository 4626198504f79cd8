// Appends JSON texts the way Go's encoder writes them: what is served must look like the real API server's bytes.
// Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube_events/base/clock.h"

namespace kube_events::sim {

// "text" with quotes; <, > and & escaped as Go does. Bytes above 0x7f are copied as they are.
void AppendJsonString(std::string& out, std::string_view text);
void AppendNumber(std::string& out, std::int64_t number);
void AppendNumber(std::string& out, std::uint64_t number);
// metav1.Time: "2026-01-01T00:00:00Z" with quotes, or null.
void AppendJsonTime(std::string& out, const OptionalTime& time);
// metav1.MicroTime: "2026-01-01T00:00:00.000000Z" with quotes, or null.
void AppendJsonMicroTime(std::string& out, const OptionalTime& time);
// The same without quotes.
std::string TimeText(WallTime time);
// RFC 7231: "Thu, 01 Jan 2026 00:00:00 GMT".
std::string HttpDate(WallTime time);

// What Go says of a text that is no metav1.MicroTime, which has exactly six digits behind the point; else empty.
std::string MicroTimeError(std::string_view text);
// … of one that is no metav1.Time.
std::string TimeError(std::string_view text);

// Reads RFC 3339 with 0 to 9 fraction digits and Z or an offset; unset where it is anything else.
OptionalTime ParseTime(std::string_view text);

}  // namespace kube_events::sim
