#include "totals_format.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace kube_events {
namespace {

constexpr std::chrono::minutes kBuriedUnit{15};
constexpr std::uint64_t kBaselined = 1, kSeries = 2, kHasLast = 4, kNoEpoch = 8, kFlagBits = 4;
constexpr std::uint32_t kMaxTotal = std::numeric_limits<std::int32_t>::max();

class ByteWriter {
 public:
  void Fixed(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// After a read beyond the end everything is 0 and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t Fixed(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= std::uint64_t{Byte()} << (8 * i);
    return value;
  }
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = Byte();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  bool ok() const { return ok_; }
  bool AtEnd() const { return rest_.empty(); }

 private:
  std::uint8_t Byte() {
    ok_ = ok_ && !rest_.empty();
    if (!ok_) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  std::string_view rest_;
  bool ok_ = true;
};

std::uint64_t Flags(const SavedTotal& total) {
  return (total.baselined ? kBaselined : 0) | (total.series_at_baseline ? kSeries : 0) |
         (total.last != total.highest ? kHasLast : 0) | (total.epoch ? 0 : kNoEpoch);
}

void WritePart(std::vector<SavedTotal> totals, bool tombstones, WallTime saved_at, ByteWriter& out) {
  std::stable_sort(totals.begin(), totals.end(),
                   [](const SavedTotal& a, const SavedTotal& b) { return a.epoch < b.epoch; });
  WallTime before{};
  for (const SavedTotal& total : totals) {
    out.Fixed(total.key, 8);
    out.Fixed(total.uid, 4);
    out.Varint(std::uint64_t{total.highest} << kFlagBits | Flags(total));
    // Epochs before 1970 do not occur: the decoder of Events takes them for unset or they sort first and wrap around.
    if (total.epoch) out.Varint(static_cast<std::uint64_t>((*total.epoch - before).count()));
    if (total.epoch) before = *total.epoch;
    if (total.last != total.highest) out.Varint(total.last);
    if (tombstones) {
      const auto units = total.buried ? (saved_at - *total.buried) / kBuriedUnit : 0;
      out.Fixed(static_cast<std::uint64_t>(std::clamp<std::int64_t>(units, 0, 255)), 1);
    }
  }
}

SavedTotal ReadTotal(ByteReader& in, WallTime& before) {
  SavedTotal total;
  total.key = in.Fixed(8);
  total.uid = static_cast<std::uint32_t>(in.Fixed(4));
  const std::uint64_t highest = in.Varint();
  total.baselined = (highest & kBaselined) != 0;
  total.series_at_baseline = (highest & kSeries) != 0;
  total.highest = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(highest >> kFlagBits, 1, kMaxTotal));
  if ((highest & kNoEpoch) == 0) {
    before = WallTime{std::chrono::microseconds{
        static_cast<std::int64_t>(static_cast<std::uint64_t>(before.time_since_epoch().count()) + in.Varint())}};
    total.epoch = before;
  }
  total.last = total.highest;
  if ((highest & kHasLast) != 0) {
    total.last = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(in.Varint(), 1, kMaxTotal));
  }
  return total;
}

std::vector<SavedTotal> ReadPart(ByteReader& in, std::size_t count, bool tombstones, WallTime saved_at) {
  std::vector<SavedTotal> totals;
  WallTime before{};
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    totals.push_back(ReadTotal(in, before));
    if (tombstones) totals.back().buried = saved_at - static_cast<int>(in.Fixed(1)) * kBuriedUnit;
  }
  // The newest first, as they are cut; tombstones by their burial.
  std::reverse(totals.begin(), totals.end());
  std::stable_sort(totals.begin(), totals.end(),
                   [](const SavedTotal& a, const SavedTotal& b) { return a.buried > b.buried; });
  return totals;
}

}  // namespace

std::string TotalsToBytes(const SavedCounts& counts, WallTime saved_at) {
  ByteWriter out;
  WritePart(counts.live, false, saved_at, out);
  WritePart(counts.tombstones, true, saved_at, out);
  return out.Take();
}

bool TotalsFromBytes(std::string_view bytes, std::size_t live, std::size_t tombstones, WallTime saved_at,
                     SavedCounts& counts) {
  ByteReader in(bytes);
  counts.live = ReadPart(in, live, false, saved_at);
  counts.tombstones = ReadPart(in, tombstones, true, saved_at);
  return in.ok() && in.AtEnd();
}

}  // namespace kube_events
