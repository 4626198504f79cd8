// What text from outside needs everywhere: trimming, cutting, ASCII case, control characters, names of objects. Locales
// do not matter.
// Pure, any thread; none of it blocks or fails.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kube_events {

// Without spaces, tabs and line ends at both ends.
std::string_view Trimmed(std::string_view text);

// Takes the part before the first `separator` (or all of it) off the front of `rest`, with the separator.
std::string_view TakeUntil(std::string_view& rest, char separator);

// %XX as the byte it stands for; nothing where a % is not followed by two hexadecimal digits (RFC 3986, 2.1).
std::optional<std::string> PercentDecoded(std::string_view text);

// ASCII letters in lower case; other bytes stay.
char LowerAscii(char c);
std::string LowerAscii(std::string_view text);
bool EqualIgnoringCase(std::string_view a, std::string_view b);

// C0 controls and DEL; bytes of UTF-8 sequences are none.
bool IsControlCharacter(char c);
bool HasControlCharacter(std::string_view text);

// At most `max_bytes` of `text`, fit for one line of a message: control characters become spaces, what is not UTF-8
// becomes U+FFFD, what is cut shows as "...", and no UTF-8 sequence is cut in two.
std::string Shortened(std::string_view text, std::size_t max_bytes);

// The names of namespaces: 1 to 63 lower-case letters, digits and dashes, no dash at either end (RFC 1123, 2.1, as
// Kubernetes reads it).
bool IsDnsLabel(std::string_view text);
// The names of most other objects and of API groups: such words with dots between them, 1 to 253 bytes as a whole.
// Kubernetes does not limit the single words.
bool IsDnsSubdomain(std::string_view text);

}  // namespace kube_events
