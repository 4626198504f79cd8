// Result<T>: a T or an Error; a plain value, any thread. tl::expected is what C++20 lacks of C++23's std::expected.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "kube_events/base/error.h"

namespace kube_events {

template <typename T>
using Result = tl::expected<T, Error>;

// `return Fail(ErrorKind::kInvalid, "what, where, what to do");`
inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> Fail(ErrorKind kind, std::string message) {
  return tl::unexpected<Error>(Error{kind, std::move(message)});
}

}  // namespace kube_events
