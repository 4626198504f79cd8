// Making text safe for labels, logs and parsers that insist on UTF-8. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace kube_events {

bool IsValidUtf8(std::string_view bytes);

// Appends `bytes` to `out`; whatever is not UTF-8 (also surrogates and overlong forms) becomes U+FFFD, one per broken
// sequence. Valid text is appended unchanged. Does not fail or block.
void AppendValidUtf8(std::string& out, std::string_view bytes);

}  // namespace kube_events
