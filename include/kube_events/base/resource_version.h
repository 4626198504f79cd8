// resourceVersions are opaque strings, but decimal etcd revisions in practice and comparable since Kubernetes 1.35.
// Pure functions, any thread.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kube_events {

// The version as a number; nothing where it is not a plain decimal of 64 bits.
inline std::optional<std::uint64_t> ParseResourceVersion(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Whether `left` is known to be older than `right`; false where either is no number.
inline bool ComesBefore(std::string_view left, std::string_view right) {
  const auto a = ParseResourceVersion(left);
  const auto b = ParseResourceVersion(right);
  return a && b && *a < *b;
}

}  // namespace kube_events
