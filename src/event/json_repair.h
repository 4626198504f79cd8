// The slow path of the decoder: makes a text acceptable to a strict parser where a lenient reader would go on.
// Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace kube_events {

// Sets `out` to a copy of `json` in which invalid UTF-8 and lone surrogate escapes have become U+FFFD and integers
// beyond 64 bits the largest ones that fit. Everything else, broken JSON included, is copied as it is.
void RepairJson(std::string_view json, std::string& out);

}  // namespace kube_events
