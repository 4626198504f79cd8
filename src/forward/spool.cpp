#include "kube_events/forward/spool.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "spool_appender.h"
#include "spool_file.h"
#include "spool_folder.h"
#include "spool_index.h"
#include "spool_loader.h"
#include "spool_reader.h"

namespace kube_events {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;

std::uint64_t FileBytes(const SpoolOptions& options) {
  return std::min({options.file_bytes, options.max_bytes / 8, kMaxFileBytes});
}

class DiskSpool final : public Spool {
 public:
  DiskSpool(const SpoolOptions& options, SpoolFolder folder, LoadedSpool loaded)
      : max_bytes_(options.max_bytes),
        where_(options.folder.string()),
        folder_(std::move(folder)),
        appender_(folder_, loaded.next_sequence, FileBytes(options)),
        reader_(folder_),
        index_(std::move(loaded.index)) {
    DeleteDone(0);  // files without a record in them
  }

  Result<void> Append(std::span<const RecordPtr> records) override {
    if (records.empty()) return {};
    std::vector<SpoolPart> parts;
    if (auto begun = BeginAppend(records, parts); !begun) return begun;
    const auto written = appender_.Write(records, parts);
    if (!written) parts.clear();
    EndAppend(std::move(parts));
    if (!written) DeleteDone(0);  // what RemoveBefore had to leave to us
    return written;
  }

  Result<std::vector<RecordPtr>> Peek(std::uint64_t from, std::size_t max_records, std::size_t max_bytes) override {
    SpoolSlice slice;
    {
      const std::lock_guard lock(mutex_);
      slice = index_.Find(from, max_records, max_bytes);
    }
    if (slice.offsets.empty()) return std::vector<RecordPtr>{};
    auto records = reader_.Read(from, slice);
    if (records && from < Front()) records->clear();  // dropped while it was read
    return records;
  }

  void RemoveBefore(std::uint64_t number) override { DeleteDone(number); }

  std::uint64_t DropOldestFor(std::span<const RecordPtr> records) override {
    const std::uint64_t needed = std::min(appender_.BytesFor(records), max_bytes_);
    SpoolIndex::Dropped dropped;
    std::optional<SpoolWriter> closed;
    {
      const std::lock_guard lock(mutex_);
      dropped = index_.DropDownTo(max_bytes_ - needed);
      closed = CloseIfAmong(dropped.sequences);
    }
    for (const std::uint64_t sequence : dropped.sequences) folder_.Remove(sequence);
    return dropped.records;
  }

  std::uint64_t Front() const override {
    const std::lock_guard lock(mutex_);
    return index_.front();
  }
  std::uint64_t End() const override {
    const std::lock_guard lock(mutex_);
    return index_.end();
  }
  SpoolStats Stats() const override {
    const std::lock_guard lock(mutex_);
    return {index_.end() - index_.front(), index_.bytes()};
  }

 private:
  // Checks that there is room, and takes the file that is begun out of the reach of RemoveBefore.
  Result<void> BeginAppend(std::span<const RecordPtr> records, std::vector<SpoolPart>& parts) {
    for (const RecordPtr& record : records) {
      if (SpoolFrameBytes(*record) > kMaxSpoolFrameBytes) return TooLarge(SpoolFrameBytes(*record));
    }
    const std::uint64_t bytes = appender_.BytesFor(records);
    const std::lock_guard lock(mutex_);
    if (index_.bytes() + bytes > max_bytes_) return Full(index_.bytes(), bytes);
    if (!active_) return {};
    appending_ = active_->sequence;
    const std::uint64_t before = active_->bytes;
    parts.push_back({std::move(*active_), false, before});
    active_.reset();
    return {};
  }

  // Makes what was written visible; its last file is gone on with.
  void EndAppend(std::vector<SpoolPart> parts) {
    const std::lock_guard lock(mutex_);
    appending_.reset();
    for (SpoolPart& part : parts) {
      if (part.is_new) {
        index_.Add({part.writer.sequence, part.writer.id, part.writer.bytes, std::move(part.offsets)});
      } else {
        index_.Extend(part.offsets, part.writer.bytes);
      }
    }
    if (!parts.empty()) active_ = std::move(parts.back().writer);
  }

  void DeleteDone(std::uint64_t number) {
    std::optional<SpoolPosition> position;
    std::optional<SpoolWriter> closed;
    std::vector<std::uint64_t> removed;
    {
      const std::lock_guard lock(mutex_);
      removed = index_.RemoveBefore(number, appending_);
      closed = CloseIfAmong(removed);
      position = index_.Position();
    }
    for (const std::uint64_t sequence : removed) folder_.Remove(sequence);
    if (position) folder_.WritePosition(*position);
  }

  // Under the lock. The result is closed by the caller, without it.
  std::optional<SpoolWriter> CloseIfAmong(const std::vector<std::uint64_t>& sequences) {
    std::optional<SpoolWriter> closed;
    if (active_ && std::find(sequences.begin(), sequences.end(), active_->sequence) != sequences.end()) {
      closed = std::move(active_);
      active_.reset();
    }
    return closed;
  }

  tl::unexpected<Error> Full(std::uint64_t used, std::uint64_t more) const {
    return Fail({ErrorKind::kConflict,
                 "the spool " + where_ + " is full: " + std::to_string(used) + " of " + std::to_string(max_bytes_) +
                     " bytes are taken and " + std::to_string(more) +
                     " more are needed; see why its receiver takes nothing, or raise --forward-spool-max-bytes",
                 {},
                 "full"});
  }

  static tl::unexpected<Error> TooLarge(std::size_t bytes) {
    return Fail({ErrorKind::kInvalid,
                 "a record of " + std::to_string(bytes) + " bytes is too large for the spool",
                 {},
                 "too_large"});
  }

  const std::uint64_t max_bytes_;
  const std::string where_;
  SpoolFolder folder_;      // the appender changes it, the rest only asks for paths
  SpoolAppender appender_;  // spooling thread
  SpoolReader reader_;      // delivery thread

  mutable std::mutex mutex_;  // guards these three
  SpoolIndex index_;
  std::optional<SpoolWriter> active_;       // what the next Append goes on with
  std::optional<std::uint64_t> appending_;  // the file that an Append under way goes on with
};

}  // namespace

Result<Spool::Opened> Spool::Open(const SpoolOptions& options) {
  SpoolFolder folder(options.folder);
  if (auto locked = folder.Lock(); !locked) return Fail(locked.error());
  auto loaded = LoadSpool(folder);
  if (!loaded) return Fail(loaded.error());
  Opened opened;
  opened.damaged = loaded->damaged;
  opened.first_problem = loaded->first_problem;
  opened.intact_until = loaded->intact_until;
  opened.spool = std::make_unique<DiskSpool>(options, std::move(folder), std::move(*loaded));
  return opened;
}

}  // namespace kube_events
