// Whether a sanitizer is built in: it needs memory of its own and is slow, so that sizes say nothing. GCC has macros
// for it, Clang its __has_feature.
#pragma once

namespace kube_events {

#if defined(__has_feature)
inline constexpr bool kUnderSanitizer = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kUnderSanitizer = true;
#else
inline constexpr bool kUnderSanitizer = false;
#endif

}  // namespace kube_events
