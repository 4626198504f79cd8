#include "spool_appender.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "kube_events/base/durable_file.h"
#include "spool_file.h"

namespace kube_events {
namespace {

std::uint64_t RandomId() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

std::uint64_t SpoolAppender::BytesFor(std::span<const RecordPtr> records) const {
  std::uint64_t frames = 0;
  for (const RecordPtr& record : records) frames += SpoolFrameBytes(*record);
  // Two files that follow each other hold more than file_bytes together.
  const std::uint64_t files = file_bytes_ > 0 ? 2 * frames / file_bytes_ + 2 : records.size() + 1;
  return frames + std::min<std::uint64_t>(files, records.size() + 1) * kSpoolHeaderBytes;
}

Result<void> SpoolAppender::Write(std::span<const RecordPtr> records, std::vector<SpoolPart>& parts) {
  buffer_.clear();
  auto written = WriteParts(records, parts);
  if (!written) Undo(parts);
  buffer_ = std::string();
  return written;
}

Result<void> SpoolAppender::WriteParts(std::span<const RecordPtr> records, std::vector<SpoolPart>& parts) {
  for (const RecordPtr& record : records) {
    if (NeedsNewFile(parts, SpoolFrameBytes(*record))) {
      if (auto flushed = Flush(parts); !flushed) return flushed;
      if (auto begun = BeginFile(parts); !begun) return begun;
    }
    SpoolPart& part = parts.back();
    part.offsets.push_back(static_cast<std::uint32_t>(part.writer.bytes + buffer_.size()));
    AppendSpoolFrame(*record, part.writer.id, part.writer.next_index++, buffer_);
  }
  return Flush(parts);
}

bool SpoolAppender::NeedsNewFile(const std::vector<SpoolPart>& parts, std::uint64_t bytes) const {
  if (parts.empty()) return true;
  const SpoolWriter& writer = parts.back().writer;
  return writer.next_index > 0 && writer.bytes + buffer_.size() + bytes > file_bytes_;
}

Result<void> SpoolAppender::BeginFile(std::vector<SpoolPart>& parts) {
  SpoolWriter writer;
  writer.id = RandomId();
  writer.sequence = next_sequence_;
  writer.bytes = kSpoolHeaderBytes;
  auto file = folder_.Create(writer.sequence, EncodeSpoolHeader(writer.id));
  std::error_code ignored;
  if (file || std::filesystem::exists(folder_.PathOf(next_sequence_), ignored)) ++next_sequence_;
  if (!file) return Fail(file.error());
  writer.fd = std::move(*file);
  parts.push_back({std::move(writer), true, 0});
  return {};
}

Result<void> SpoolAppender::Flush(std::vector<SpoolPart>& parts) {
  if (buffer_.empty()) return {};
  SpoolWriter& writer = parts.back().writer;
  const std::filesystem::path path = folder_.PathOf(writer.sequence);
  if (const int code = WriteAll(writer.fd.get(), buffer_)) return Fail(FileError("write", path, code));
  if (::fsync(writer.fd.get()) != 0) return Fail(FileError("flush", path, errno));
  if (!IsStillAt(writer.fd.get(), path)) {
    return Fail({ErrorKind::kRetry, "somebody deleted or moved the spool file " + path.string(), {}, "file"});
  }
  writer.bytes += buffer_.size();
  buffer_.clear();
  return {};
}

void SpoolAppender::Undo(const std::vector<SpoolPart>& parts) {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->is_new) {
      // Its number is given to the next file: a hole would look like a file that is missing.
      if (folder_.Remove(part->writer.sequence)) next_sequence_ = part->writer.sequence;
    } else if (::ftruncate(part->writer.fd.get(), static_cast<off_t>(part->bytes_before)) == 0) {
      ::fsync(part->writer.fd.get());
    }
  }
}

}  // namespace kube_events
