#include "kube_events/informer/frame_splitter.h"

#include <cstring>
#include <utility>

#include "kube_events/base/text.h"
#include "kube_events/event/event_decoder.h"

namespace kube_events {
namespace {

// Given-out bytes are removed from the buffer when they are at least this many, or when nothing else is left.
constexpr std::size_t kCompactAt = std::size_t{256} << 10;
// A buffer that one huge frame has grown is given back when it is empty again.
constexpr std::size_t kKeepCapacity = std::size_t{4} << 20;

// Whether a line is a frame as the API server writes it; cheap and nearly always right.
bool LooksWhole(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line.size() >= 2 && line.front() == '{' && line.back() == '}';
}

}  // namespace

std::size_t ObjectScanner::Scan(std::string_view text) {
  if (text.empty() || text[0] != '{') return 0;
  for (; at_ < text.size(); ++at_) {
    const char c = text[at_];
    if (in_string_) {
      in_string_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && --depth_ == 0) {
      return at_ + 1;
    }
  }
  return 0;
}

std::size_t CompleteObjectLength(std::string_view text) { return ObjectScanner().Scan(text); }

void FrameSplitter::Append(std::string_view bytes) {
  if (begin_ == buffer_.size() || begin_ >= kCompactAt) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
    if (buffer_.empty() && buffer_.capacity() > kKeepCapacity) buffer_ = std::string();
  }
  const std::size_t wanted = buffer_.size() + bytes.size() + kJsonPadding;
  if (buffer_.capacity() < wanted) buffer_.reserve(wanted * 2);
  buffer_.append(bytes);
}

std::optional<std::string_view> FrameSplitter::Next() {
  while (auto frame = NextLine()) {
    if (!frame->empty()) return frame;
  }
  return skipping_ ? std::nullopt : TakeTail();
}

// The next line, or value over several lines, that may be a frame; an empty one where a line held nothing of use.
std::optional<std::string_view> FrameSplitter::NextLine() {
  while (scanned_ < buffer_.size()) {
    const void* newline = std::memchr(buffer_.data() + scanned_, '\n', buffer_.size() - scanned_);
    if (newline == nullptr) break;
    const auto end = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data());
    if (spans_lines_ && LooksWhole(LastLine(end))) {
      // A frame of its own: what stands before it was cut short and will not become whole.
      const std::size_t line_begin = end - LastLine(end).size();
      return GiveOut(line_begin, line_begin);
    }
    scanned_ = end + 1;
    const std::string_view text = Trimmed(Text(begin_, end));
    if (!skipping_ && text.size() <= max_frame_bytes_ && IsUnfinished(text)) {
      spans_lines_ = true;
      continue;
    }
    return GiveOut(end, scanned_);
  }
  scanned_ = buffer_.size();
  SkipOversized();
  return std::nullopt;
}

// The line up to `end`, of what spans lines.
std::string_view FrameSplitter::LastLine(std::size_t end) const { return Text(buffer_.rfind('\n', end - 1) + 1, end); }

bool FrameSplitter::IsUnfinished(std::string_view text) {
  if (text.empty() || text.front() != '{') return false;
  return (spans_lines_ || !LooksWhole(text)) && scanner_.Scan(text) == 0;
}

// What is pending up to `end`; the rest of the buffer begins at `next`.
std::string_view FrameSplitter::GiveOut(std::size_t end, std::size_t next) {
  const std::string_view text = Trimmed(Text(begin_, end));
  begin_ = scanned_ = next;
  spans_lines_ = false;
  scanner_.Reset();
  if (std::exchange(skipping_, false)) return {};
  if (text.size() <= max_frame_bytes_) return text;
  oversized_ = true;
  return {};
}

// What stands behind the last newline, if it is whole: a peer that writes none must not make us wait.
std::optional<std::string_view> FrameSplitter::TakeTail() {
  const std::string_view tail = Trimmed(Text(begin_, buffer_.size()));
  if (!LooksWhole(tail)) return std::nullopt;
  // A line that begins as a frame has to come whole: only then can it be told from one that belongs to what is pending.
  if (spans_lines_ && LastLine(buffer_.size()).starts_with('{')) return std::nullopt;
  const std::size_t length = scanner_.Scan(tail);
  if (length == 0) return std::nullopt;
  scanner_.Reset();
  begin_ = static_cast<std::size_t>(tail.data() - buffer_.data()) + length;
  spans_lines_ = false;
  return tail.substr(0, length);
}

void FrameSplitter::SkipOversized() {
  if (buffer_.size() - begin_ <= max_frame_bytes_) return;
  if (!skipping_) oversized_ = true;
  // The line that has begun behind it may become a frame of its own.
  const std::string_view line = spans_lines_ ? LastLine(buffer_.size()) : Text(begin_, begin_);
  skipping_ = !spans_lines_ || !(line.empty() || line.starts_with('{'));
  begin_ = buffer_.size() - (skipping_ ? 0 : line.size());
  scanned_ = buffer_.size();
  spans_lines_ = false;
  scanner_.Reset();
}

bool FrameSplitter::TakeOversized() { return std::exchange(oversized_, false); }

void FrameSplitter::Reset() {
  buffer_.clear();
  begin_ = scanned_ = 0;
  skipping_ = oversized_ = spans_lines_ = false;
  scanner_.Reset();
}

}  // namespace kube_events
