// Label values as an exposition may carry them: one invalid byte would make a whole scrape fail.
// Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kube_events {

// The longest label value in bytes. Kubernetes allows 63 for namespaces and kinds and 128 for reasons of new Events;
// what is longer comes from a faulty or hostile writer and is cut, so that series cannot fill the memory.
inline constexpr std::size_t kMaxLabelBytes = 256;

// Appends `raw` as valid UTF-8 of at most `max_bytes` bytes: each invalid sequence and each NUL becomes U+FFFD, and
// what would exceed the bound is cut between two characters.
void AppendCleanUtf8(std::string& out, std::string_view raw, std::size_t max_bytes = kMaxLabelBytes);
std::string CleanUtf8(std::string_view raw, std::size_t max_bytes = kMaxLabelBytes);

// Appends a label value with backslash, double quote and newline escaped; valid UTF-8 stays valid.
void AppendEscapedLabelValue(std::string& out, std::string_view value);

}  // namespace kube_events
