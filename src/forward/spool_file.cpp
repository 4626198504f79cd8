#include "spool_file.h"

#include <xxhash.h>

#include <algorithm>
#include <chrono>

namespace kube_events {
namespace {

constexpr std::string_view kMagic = "KESPOOL1";
constexpr std::string_view kMarker = "\xFFKR\xFE";  // occurs in no UTF-8
constexpr std::size_t kHeaderCopy = kSpoolHeaderBytes / 2;
constexpr std::size_t kChecked = 16;  // bytes of a header before its checksum
constexpr std::size_t kPayloadHead = 26;

void Put(std::uint64_t value, int bytes, std::string& to) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

// Takes numbers and texts off the front of bytes that are long enough.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t Number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{static_cast<std::uint8_t>(rest_[i])} << (8 * i);
    rest_.remove_prefix(bytes);
    return value;
  }
  std::string Text(std::size_t bytes) {
    std::string text(rest_.substr(0, bytes));
    rest_.remove_prefix(bytes);
    return text;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::uint64_t Checksum(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

const std::string& NameOf(const Record& record) {
  return record.type == RecordType::kGap ? record.gap_scope : record.id;
}
const OptionalTime& TimeOf(const Record& record) {
  return record.type == RecordType::kGap ? record.gap_from : record.happened;
}

std::size_t PayloadBytes(const Record& record) {
  return kPayloadHead + NameOf(record).size() + record.gap_reason.size() + record.object.size();
}

struct Frame {
  std::uint32_t index = 0;
  std::size_t bytes = 0;  // of the whole frame
  std::string_view payload;
};

// The frame at the start of `bytes`, if its checksum is right.
std::optional<Frame> ReadFrame(std::string_view bytes, std::uint64_t id) {
  if (bytes.size() < kSpoolFrameHeadBytes || !bytes.starts_with(kMarker)) return std::nullopt;
  Reader in(bytes.substr(kMarker.size()));
  const std::uint64_t checksum = in.Number(8);
  const std::string_view checked = in.rest();
  const auto index = static_cast<std::uint32_t>(in.Number(4));
  const auto length = static_cast<std::size_t>(in.Number(4));
  if (length > in.rest().size()) return std::nullopt;
  if (Checksum(checked.substr(0, 8 + length), id) != checksum) return std::nullopt;
  return Frame{index, kSpoolFrameHeadBytes + length, in.rest().substr(0, length)};
}

// What stands before the texts of a payload, which are as long as it says.
struct PayloadHead {
  RecordType type = RecordType::kAdded;
  WallTime observed;
  OptionalTime time;
  std::size_t name = 0;
  std::size_t reason = 0;
};

WallTime TimeOf(std::uint64_t micros) { return WallTime{std::chrono::microseconds{static_cast<std::int64_t>(micros)}}; }
std::uint64_t MicrosOf(WallTime time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); }

std::optional<PayloadHead> ReadPayloadHead(std::string_view payload) {
  if (payload.size() < kPayloadHead) return std::nullopt;
  Reader in(payload);
  PayloadHead head;
  const std::uint64_t type = in.Number(1);
  if (type > static_cast<std::uint64_t>(RecordType::kGap)) return std::nullopt;
  head.type = static_cast<RecordType>(type);
  const bool has_time = in.Number(1) != 0;
  head.observed = TimeOf(in.Number(8));
  const WallTime time = TimeOf(in.Number(8));
  if (has_time) head.time = time;
  head.name = in.Number(4);
  head.reason = in.Number(4);
  if (head.name + head.reason > in.rest().size()) return std::nullopt;
  return head;
}

std::optional<Record> DecodePayload(std::string_view payload) {
  const auto head = ReadPayloadHead(payload);
  if (!head) return std::nullopt;
  Reader in(payload.substr(kPayloadHead));
  Record record;
  record.type = head->type;
  record.observed = head->observed;
  const bool gap = record.type == RecordType::kGap;
  (gap ? record.gap_from : record.happened) = head->time;
  (gap ? record.gap_scope : record.id) = in.Text(head->name);
  record.gap_reason = in.Text(head->reason);
  record.object = std::string(in.rest());
  return record;
}

}  // namespace

std::string EncodeSpoolHeader(std::uint64_t id) {
  std::string copy(kMagic);
  Put(id, 8, copy);
  Put(Checksum(copy, 0), 8, copy);
  return copy + copy;
}

std::optional<std::uint64_t> DecodeSpoolHeader(std::string_view bytes) {
  if (bytes.size() < kSpoolHeaderBytes) return std::nullopt;
  for (const std::size_t at : {std::size_t{0}, kHeaderCopy}) {
    const std::string_view copy = bytes.substr(at, kHeaderCopy);
    Reader in(copy.substr(kMagic.size()));
    const std::uint64_t id = in.Number(8);
    if (copy.starts_with(kMagic) && in.Number(8) == Checksum(copy.substr(0, kChecked), 0)) return id;
  }
  return std::nullopt;
}

bool IsUnfinishedSpoolHeader(std::string_view bytes) {
  const std::size_t magic = std::min(bytes.size(), kMagic.size());
  return bytes.size() < kSpoolHeaderBytes && bytes.substr(0, magic) == kMagic.substr(0, magic);
}

std::size_t SpoolFrameBytes(const Record& record) { return kSpoolFrameHeadBytes + PayloadBytes(record); }

void AppendSpoolFrame(const Record& record, std::uint64_t id, std::uint32_t index, std::string& to) {
  const std::size_t begin = to.size() + kMarker.size();
  to += kMarker;
  Put(0, 8, to);  // the checksum comes last
  Put(index, 4, to);
  Put(PayloadBytes(record), 4, to);
  Put(static_cast<std::uint64_t>(record.type), 1, to);
  Put(TimeOf(record) ? 1 : 0, 1, to);
  Put(MicrosOf(record.observed), 8, to);
  Put(MicrosOf(TimeOf(record).value_or(WallTime{})), 8, to);
  Put(NameOf(record).size(), 4, to);
  Put(record.gap_reason.size(), 4, to);
  to.append(NameOf(record)).append(record.gap_reason).append(record.object);
  std::string checksum;
  Put(Checksum(std::string_view(to).substr(begin + 8), id), 8, checksum);
  to.replace(begin, 8, checksum);
}

std::optional<Record> DecodeSpoolFrame(std::string_view bytes, std::uint64_t id) {
  const auto frame = ReadFrame(bytes, id);
  return frame ? DecodePayload(frame->payload) : std::nullopt;
}

SpoolScan ScanSpoolFile(std::string_view bytes, std::uint64_t id) {
  SpoolScan scan;
  const auto note = [&scan](std::size_t at, std::uint64_t records) {
    if (scan.damaged == 0) scan.first_damage = at;
    scan.damaged += records;
  };
  std::uint32_t expected = 0;
  std::size_t hole = std::min(kSpoolHeaderBytes, bytes.size());  // everything before it is told apart
  for (std::size_t at = hole; at < bytes.size();) {
    const auto frame = ReadFrame(bytes.substr(at), id);
    if (!frame || frame->index < expected || !ReadPayloadHead(frame->payload)) {
      at = std::min(bytes.find(kMarker, at + 1), bytes.size());
      continue;
    }
    if (at != hole || frame->index != expected) {
      note(hole, std::max<std::uint64_t>(frame->index - expected, 1));
    }
    scan.offsets.push_back(static_cast<std::uint32_t>(at));
    expected = frame->index + 1;
    at += frame->bytes;
    hole = at;
  }
  if (hole < bytes.size()) note(hole, 1);
  return scan;
}

}  // namespace kube_events
