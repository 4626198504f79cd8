// What text from outside needs everywhere: trimming, cutting, ASCII case, control characters. Locales do not matter.
// Pure, any thread; none of it blocks or fails.
#pragma once

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

}  // namespace kube_events
