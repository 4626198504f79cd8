// Spool files: whatever bytes are in one, reading goes on behind them, finds only what was written, and good records
// around garbage are all found.
#include <algorithm>
#include <string>
#include <vector>

#include "forward/spool_file.h"
#include "fuzz/check.h"

namespace {

using kube_events::DecodeSpoolFrame;
using kube_events::Record;
using kube_events::RecordType;
using kube_events::ScanSpoolFile;
using kube_events::SpoolScan;
using kube_events::WallTime;
using kube_events::fuzz::Check;

constexpr std::uint64_t kId = 7;

std::string FrameOf(std::string_view object, std::uint32_t index) {
  std::string frame;
  kube_events::AppendSpoolFrame({RecordType::kAdded, std::string(object), WallTime{}}, kId, index, frame);
  return frame;
}

// The bytes as a whole file.
void CheckAnyBytes(std::string_view bytes) {
  const auto id = kube_events::DecodeSpoolHeader(bytes);
  Check(!id || !kube_events::IsUnfinishedSpoolHeader(bytes), "a header is finished or not");
  const std::uint64_t file = id.value_or(kId);
  const SpoolScan scan = ScanSpoolFile(bytes, file);
  std::uint64_t before = 0;
  for (const std::uint32_t offset : scan.offsets) {
    Check(offset >= kube_events::kSpoolHeaderBytes && offset >= before, "frames follow each other");
    const auto record = DecodeSpoolFrame(bytes.substr(offset), file);
    Check(record.has_value(), "what was found can be read");
    before = offset + kube_events::SpoolFrameBytes(*record);
    Check(before <= bytes.size(), "frames end within the file");
  }
}

// Two good records with the bytes between them and behind them.
void CheckGarbageBetween(std::string_view garbage) {
  std::string file = kube_events::EncodeSpoolHeader(kId);
  file += FrameOf("first", 0);
  file += garbage;
  const std::size_t second = file.size();
  file += FrameOf("second", 2'000'000'000);
  file += garbage;
  const SpoolScan scan = ScanSpoolFile(file, kId);
  Check(scan.offsets.size() >= 2, "good records are found");
  Check(scan.offsets.front() == kube_events::kSpoolHeaderBytes, "the first record is found");
  Check(std::find(scan.offsets.begin(), scan.offsets.end(), second) != scan.offsets.end(), "the second one too");
  Check(scan.damaged > 0, "what is missing is said");
}

// A good file with one byte changed.
void CheckFlip(kube_events::fuzz::Bytes bytes) {
  const std::size_t at = bytes.Byte() * 256U + bytes.Byte();
  const auto bits = static_cast<char>(bytes.Byte());
  std::string file = kube_events::EncodeSpoolHeader(kId);
  std::vector<std::string> objects;
  for (std::uint32_t index = 0; index < 8; ++index) {
    objects.emplace_back(bytes.Until('\n'));
    file += FrameOf(objects.back(), index);
  }
  file[at % file.size()] = static_cast<char>(file[at % file.size()] ^ bits);
  Check(kube_events::DecodeSpoolHeader(file) == kId, "a header survives a changed byte");
  const SpoolScan scan = ScanSpoolFile(file, kId);
  Check(scan.offsets.size() + scan.damaged == objects.size(), "a changed byte costs one record at most, and is said");
  Check(scan.damaged <= 1, "a changed byte costs one record at most");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = kube_events::fuzz::Text(data, size);
  CheckAnyBytes(bytes);
  CheckGarbageBetween(bytes);
  CheckFlip({data, size});
  return 0;
}
