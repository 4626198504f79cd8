// Small text helpers of the kube library. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube_events {

// All but RFC 3986's unreserved characters as %XX.
std::string PercentEncoded(std::string_view text);
std::string Base64Encoded(std::string_view bytes);
// Standard alphabet with padding; white space is skipped. Nothing on anything else.
std::optional<std::string> Base64Decoded(std::string_view text);

}  // namespace kube_events
