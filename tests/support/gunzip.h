// The opposite of Gzip, for tests.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace kube_events {

// Throws where `compressed` is not exactly one gzip stream.
inline std::string Gunzip(const std::string& compressed) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("cannot start to inflate");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    char buffer[16 * 1024];
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof buffer - stream.avail_out);
  }
  const bool complete = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!complete) throw std::runtime_error("not one whole gzip stream");
  return out;
}

}  // namespace kube_events
