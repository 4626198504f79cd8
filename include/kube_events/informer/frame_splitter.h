// Cuts the bytes of a watch stream into frames, wherever the network cut them.
// Owned by a ScopeSession on the informer thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kube_events {

// client-go's limit for one object of a stream.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{16} << 20;

// Finds the end of the JSON object at the front of a text that grows, by counting braces outside strings; looks at each
// byte once. For input that is not one value per line.
class ObjectScanner {
 public:
  // The length of the object; 0 while it is not complete, and where the text does not start with one. `text` begins
  // as at the last call.
  std::size_t Scan(std::string_view text);
  // The next text is another one.
  void Reset() { *this = ObjectScanner(); }

 private:
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

// The same for a text that is all there.
std::size_t CompleteObjectLength(std::string_view text);

class FrameSplitter {
 public:
  explicit FrameSplitter(std::size_t max_frame_bytes = kMaxFrameBytes) : max_frame_bytes_(max_frame_bytes) {}

  // Adds what came from the network.
  void Append(std::string_view bytes);

  // The next complete frame, without surrounding white space; nothing while it is incomplete. A frame is a line, as
  // the API server writes them; a JSON value that is complete without a newline, or that spans lines, is a frame too.
  // The text is followed by kJsonPadding readable bytes and valid until the next call of Append.
  std::optional<std::string_view> Next();

  // Whether a frame longer than the limit was met since the last call; it is skipped up to its newline.
  bool TakeOversized();

  // Forgets everything: a new stream begins.
  void Reset();

 private:
  std::optional<std::string_view> NextLine();
  std::optional<std::string_view> TakeTail();
  std::string_view LastLine(std::size_t end) const;
  bool IsUnfinished(std::string_view text);
  std::string_view GiveOut(std::size_t end, std::size_t next);
  std::string_view Text(std::size_t begin, std::size_t end) const {
    return std::string_view(buffer_).substr(begin, end - begin);
  }
  void SkipOversized();

  std::size_t max_frame_bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;     // first byte not given out yet
  std::size_t scanned_ = 0;   // up to here no newline ends a frame
  bool spans_lines_ = false;  // what is pending holds a newline
  ObjectScanner scanner_;     // over what is pending
  bool skipping_ = false;     // inside an oversized frame
  bool oversized_ = false;
};

}  // namespace kube_events
