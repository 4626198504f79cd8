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
// At most `max_bytes` of `text` on one line: control characters become spaces, what is cut shows as "...", and no
// UTF-8 sequence is cut in two.
std::string Shortened(std::string_view text, std::size_t max_bytes);

}  // namespace kube_events
