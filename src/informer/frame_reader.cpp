#include "kube_events/informer/frame_reader.h"

#include <algorithm>

namespace kube_events {
namespace {

// Cuts the next piece that may be a frame off the front: an object that its line completes, else the line.
std::string_view TakePiece(std::string_view& text) {
  text.remove_prefix(std::min(text.size(), text.find('{')));
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t length = CompleteObjectLength(line);
  const std::string_view piece = line.substr(0, length == 0 ? line.size() : length);
  text.remove_prefix(piece.size());
  return piece;
}

// Whether the text may hold several frames, or a broken one and the good ones behind it.
bool HasPieces(std::string_view text) {
  std::string_view rest = text;
  const std::size_t first = TakePiece(rest).size();
  return first > 0 && first < text.size();
}

}  // namespace

std::optional<Result<WatchFrame>> FrameReader::Next() {
  while (true) {
    if (const std::string_view piece = TakePiece(pieces_); !piece.empty()) return decoder_.DecodeFrame(piece);
    const auto text = splitter_.Next();
    if (!text && !splitter_.TakeOversized()) return std::nullopt;
    if (!text) return Fail(ErrorKind::kInvalid, "a frame is larger than 16 MiB");
    auto frame = decoder_.DecodeFrame(*text);
    if (frame || !HasPieces(*text)) return frame;
    pieces_ = *text;
  }
}

void FrameReader::Reset() {
  splitter_.Reset();
  pieces_ = {};
}

}  // namespace kube_events
