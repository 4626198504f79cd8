#include "sim/stream_source.h"

#include <array>
#include <charconv>

namespace kube_events::sim {

void ChunkWriter::Chunk(std::initializer_list<std::string_view> pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16);
  out_.append(digits.data(), end.ptr).append("\r\n");
  for (const std::string_view piece : pieces) out_.append(piece);
  out_.append("\r\n");
}

void ChunkWriter::Frame(std::initializer_list<std::string_view> pieces) {
  if (chunk_bytes_ == 0) {
    Chunk(pieces);
    return;
  }
  for (const std::string_view piece : pieces) pending_.append(piece);
  std::size_t done = 0;
  for (; pending_.size() - done >= chunk_bytes_; done += chunk_bytes_) {
    Chunk({std::string_view(pending_).substr(done, chunk_bytes_)});
  }
  pending_.erase(0, done);
}

void ChunkWriter::LastChunk() {
  if (!pending_.empty()) Chunk({pending_});
  pending_.clear();
  out_.append("0\r\n\r\n");
}

void ChunkWriter::Take(std::string& out) {
  // What does not fill a chunk is sent all the same: nobody may wait for the frame after it.
  if (!pending_.empty()) Chunk({pending_});
  pending_.clear();
  // Both keep their memory: a busy stream allocates nothing.
  out.clear();
  out.swap(out_);
}

}  // namespace kube_events::sim
