// The continue token of a paged list: at which revision and from which key it goes on. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kube_events/base/result.h"

namespace kube_events::sim {

struct ContinueToken {
  std::int64_t revision = 0;  // -1: the current one, whatever it is then
  std::string start;          // first key that was not returned yet, relative to the prefix of the list
  std::size_t remaining = 0;  // Events from there on
};

// Base64 of JSON, as the API server writes it.
std::string EncodeContinue(const ContinueToken& token);
// Fails with kInvalid, worded as the API server does, where it is no token.
Result<ContinueToken> DecodeContinue(std::string_view text);

}  // namespace kube_events::sim
