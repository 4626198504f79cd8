// Texts as JSON strings, for writers of lines that must stay one line. A pure function, any thread.
#pragma once

#include <string>
#include <string_view>

namespace kube_events {

// Appends `text` as a JSON string, quotes included (RFC 8259, 7). Control characters and DEL are escaped, so it stays
// on one line; what is not UTF-8 becomes U+FFFD. Does not fail or block.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace kube_events
