// The bytes of a watch, cut anywhere: nothing is lost, invented or reordered, and every good frame arrives however the
// network cuts the stream and whatever broken lines stand around it.
//   byte: style and limit; byte: seed for the cuts; then texts separated by NUL: JSON becomes a good frame, anything
//   else is put into the stream as it is
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "fuzz/check.h"
#include "kube_events/informer/frame_reader.h"

namespace {

using kube_events::FrameSplitter;
using kube_events::fuzz::Check;
using nlohmann::json;

constexpr std::ptrdiff_t kDeepest = 500;  // less than what the decoder allows

enum class Cuts { kNone, kEveryByte, kRandom };

template <typename Feed>
void FeedInPieces(std::string_view stream, Cuts cuts, unsigned seed, Feed feed) {
  std::minstd_rand random(seed);
  while (!stream.empty()) {
    std::size_t size = stream.size();
    if (cuts == Cuts::kEveryByte) size = 1;
    if (cuts == Cuts::kRandom) size = std::min<std::size_t>(size, 1 + random() % 40);
    feed(stream.substr(0, size));
    stream.remove_prefix(size);
  }
}

std::string WithoutBlanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return c != ' ' && c != '\t' && c != '\r' && c != '\n'; });
  return out;
}

struct Split {
  std::vector<std::string> frames;
  bool oversized = false;
};

Split SplitStream(std::string_view stream, std::size_t limit, Cuts cuts, unsigned seed) {
  FrameSplitter splitter(limit);
  Split split;
  FeedInPieces(stream, cuts, seed, [&](std::string_view piece) {
    const std::string copy(piece);  // so that nothing can refer to what the network lent
    splitter.Append(copy);
    while (const auto frame = splitter.Next()) split.frames.emplace_back(*frame);
    split.oversized = splitter.TakeOversized() || split.oversized;
  });
  return split;
}

void CheckSplitter(std::string_view raw, std::size_t limit, unsigned seed) {
  constexpr std::string_view kLast = R"({"end":true})";
  const std::string stream = std::string(raw) + "\n" + std::string(kLast) + "\n";
  for (const Cuts cuts : {Cuts::kNone, Cuts::kEveryByte, Cuts::kRandom}) {
    const Split split = SplitStream(stream, limit, cuts, seed);
    Check(!split.frames.empty() && split.frames.back() == kLast, "a frame on a line of its own always arrives");
    std::string all;
    for (const std::string& frame : split.frames) {
      Check(!frame.empty() && frame.size() <= limit, "a frame is not empty and keeps to the limit");
      all += WithoutBlanks(frame);
    }
    if (!split.oversized) Check(all == WithoutBlanks(stream), "no byte is lost, invented or moved", all);
  }
}

std::string GoodFrame(const json& content, std::size_t number) {
  const json frame{{"type", "MODIFIED"},
                   {"object",
                    {{"kind", "Event"},
                     {"metadata", {{"name", "good"}, {"resourceVersion", "good-" + std::to_string(number)}}},
                     {"message", content}}}};
  return frame.dump(-1, ' ', false, json::error_handler_t::replace);
}

// A stream of good frames, on lines of their own or one behind the other, or over several lines.
std::string Compose(std::string_view texts, std::size_t style, std::size_t& good) {
  std::string stream;
  while (!texts.empty()) {
    const std::string_view text = texts.substr(0, texts.find('\0'));
    texts.remove_prefix(std::min(texts.size(), text.size() + 1));
    const auto brackets = std::count_if(text.begin(), text.end(), [](char c) { return c == '[' || c == '{'; });
    if (brackets > kDeepest) continue;
    const json content = json::parse(text, nullptr, false);
    if (content.is_discarded()) {
      if (style == 0) stream += std::string(text) + "\n";  // broken things have lines of their own
      continue;
    }
    const std::string frame = GoodFrame(content, good++);
    stream += style == 2 ? json::parse(frame).dump(1) + "\n" : frame;
    if (style == 0) stream += "\r\n";
  }
  return stream;
}

std::vector<std::string> ReadGoodFrames(std::string_view stream, Cuts cuts, unsigned seed) {
  kube_events::EventDecoder decoder;
  kube_events::FrameReader reader(decoder);
  std::vector<std::string> versions;
  FeedInPieces(stream, cuts, seed, [&](std::string_view piece) {
    reader.Append(std::string(piece));
    while (const auto frame = reader.Next()) {
      if (*frame && (*frame)->event.name == "good") versions.emplace_back((*frame)->resource_version);
    }
  });
  return versions;
}

void CheckReader(std::string_view texts, std::size_t style, unsigned seed) {
  std::size_t good = 0;
  const std::string stream = Compose(texts, style, good);
  for (const Cuts cuts : {Cuts::kNone, Cuts::kEveryByte, Cuts::kRandom}) {
    const std::vector<std::string> versions = ReadGoodFrames(stream, cuts, seed);
    Check(versions.size() == good, "every good frame arrives, once", stream);
    for (std::size_t i = 0; i < good; ++i) Check(versions[i] == "good-" + std::to_string(i), "in order", stream);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  const std::uint8_t choice = bytes.Byte();
  const unsigned seed = bytes.Byte();
  constexpr std::size_t kSmallLimit = 48;
  CheckSplitter(bytes.Rest(), choice & 4 ? kSmallLimit : kube_events::kMaxFrameBytes, seed);
  CheckReader(bytes.Rest(), choice % 3, seed);
  return 0;
}
