#include "kube_events/base/gzip.h"

#include <zlib.h>

#include <new>

namespace kube_events {

std::string Gzip(std::string_view text) {
  constexpr int kFastest = 1;
  constexpr int kGzipWindow = 15 + 16;  // the largest window, with a gzip header
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  if (deflateInit2(&stream, kFastest, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);  // cannot fail: the bound is large enough
  out.resize(stream.total_out);
  deflateEnd(&stream);
  out.shrink_to_fit();
  return out;
}

}  // namespace kube_events
