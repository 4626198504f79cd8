// Result<T>: a T or an Error. tl::expected has the interface of C++23's std::expected, which C++20 lacks.
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
