#include "sim/gzip_reply.h"

#include <zlib.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kube_events::sim {
namespace {

constexpr std::size_t kThreshold = 128U << 10U;

bool AcceptsGzip(std::string_view accepted) {
  while (!accepted.empty()) {
    const std::size_t end = std::min(accepted.find(','), accepted.size());
    std::string_view token = accepted.substr(0, end);
    while (token.starts_with(' ')) token.remove_prefix(1);
    while (token.ends_with(' ')) token.remove_suffix(1);
    if (token == "gzip") return true;
    accepted.remove_prefix(std::min(end + 1, accepted.size()));
  }
  return false;
}

// Nothing where memory is short.
std::optional<std::string> Gzip(std::string& text) {
  constexpr int kGzipFormat = 15 + 16;  // zlib: the largest window, and a gzip header
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipFormat, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return std::nullopt;
  return out;
}

}  // namespace

void CompressReply(const Request& request, Reply& reply) {
  if (reply.stream != nullptr || reply.body.size() <= kThreshold || !AcceptsGzip(request.accept_encoding)) return;
  std::optional<std::string> compressed = Gzip(reply.body);
  if (!compressed) return;
  reply.body = std::move(*compressed);
  reply.headers.emplace_back("Content-Encoding", "gzip");
  reply.headers.emplace_back("Vary", "Accept-Encoding");
}

}  // namespace kube_events::sim
