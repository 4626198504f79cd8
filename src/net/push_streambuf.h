// The write side of a cpprestsdk stream that hands every piece of a response body to a BodySink at once, on the
// library's thread: no queue in between, and a sink that is not done yet stops the reading of the socket.
#pragma once

#include <cpprest/streams.h>
#include <pplx/pplxtasks.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace kube_events {

class BodySink {
 public:
  virtual ~BodySink() = default;
  // `data` stays valid until the task is done, which must yield `size`. The next call comes after that.
  virtual pplx::task<std::size_t> Write(const std::uint8_t* data, std::size_t size) noexcept = 0;
};

// A stream that writes to `sink`; shared with the library, which drops it when the request is over.
concurrency::streams::ostream MakeBodyStream(std::shared_ptr<BodySink> sink);

}  // namespace kube_events
