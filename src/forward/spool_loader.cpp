#include "spool_loader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "spool_file.h"

namespace kube_events {
namespace {

// Offsets have 32 bits; no file that we write comes near it.
constexpr std::uint64_t kMaxFileBytes = std::numeric_limits<std::uint32_t>::max();

// What can be read of a file; an error number where that is nothing.
int ReadUpTo(int fd, std::uint64_t size, std::string& bytes) {
  bytes.resize(size);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && done == 0) return errno;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return 0;
}

class Loader {
 public:
  explicit Loader(const SpoolFolder& folder) : folder_(folder), position_(folder.ReadPosition()) {}

  Result<LoadedSpool> Load() {
    const auto sequences = folder_.List();
    if (!sequences) return Fail(sequences.error());
    std::uint64_t expected = sequences->empty() ? 0 : sequences->front();
    for (const std::uint64_t sequence : *sequences) {
      if (sequence != expected) NoteMissing(expected, sequence);
      expected = sequence + 1;
      LoadFile(sequence, sequence == sequences->back());
    }
    loaded_.next_sequence = std::max<std::uint64_t>(expected, 1);
    return std::move(loaded_);
  }

 private:
  void Note(std::uint64_t sequence, std::uint64_t pieces, const std::string& what) {
    if (loaded_.damaged == 0) {
      loaded_.first_problem = folder_.PathOf(sequence).string() + " " + what;
      loaded_.intact_until = last_observed_;
    }
    loaded_.damaged += pieces;
  }

  void NoteMissing(std::uint64_t first, std::uint64_t next) {
    Note(first, next - first, next - first == 1 ? "is missing" : "and those behind it are missing");
  }

  void LoadFile(std::uint64_t sequence, bool newest) {
    const UniqueFd file(::open(folder_.PathOf(sequence).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) {
      return Note(sequence, 1, "cannot be read: " + std::generic_category().message(errno));
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (!S_ISREG(status.st_mode) || size > kMaxFileBytes) return Note(sequence, 1, "is not a file of a spool");
    if (const int code = ReadUpTo(file.get(), size, bytes_)) {
      return Note(sequence, 1, "cannot be read: " + std::generic_category().message(code));
    }
    const auto id = DecodeSpoolHeader(bytes_);
    if (id) return Take(sequence, *id);
    // Left by a process that ended while it made the file: nothing was in it yet.
    if (newest && IsUnfinishedSpoolHeader(bytes_) && folder_.Remove(sequence)) return;
    Note(sequence, 1, "is not a file of a spool, or its beginning is damaged; it is left alone");
  }

  void Take(std::uint64_t sequence, std::uint64_t id) {
    SpoolScan scan = ScanSpoolFile(bytes_, id);
    if (scan.damaged > 0) {
      NoteObserved(scan.offsets, id, scan.first_damage);
      Note(sequence, scan.damaged,
           "is damaged from byte " + std::to_string(scan.first_damage) + " on: " + std::to_string(scan.damaged) +
               " records or pieces of it cannot be read");
    }
    NoteObserved(scan.offsets, id, bytes_.size());
    if (position_ && position_->id == id) {
      const auto done = std::lower_bound(scan.offsets.begin(), scan.offsets.end(), position_->offset);
      scan.offsets.erase(scan.offsets.begin(), done);
    }
    scan.offsets.shrink_to_fit();
    loaded_.index.Add({sequence, id, bytes_.size(), std::move(scan.offsets)});
  }

  // The last of the frames before byte `end` of the file is the newest so far.
  void NoteObserved(const std::vector<std::uint32_t>& offsets, std::uint64_t id, std::size_t end) {
    const auto behind = std::lower_bound(offsets.begin(), offsets.end(), end);
    if (behind == offsets.begin()) return;
    const auto record = DecodeSpoolFrame(std::string_view(bytes_).substr(*std::prev(behind)), id);
    if (record) last_observed_ = record->observed;
  }

  const SpoolFolder& folder_;
  const std::optional<SpoolPosition> position_;
  std::string bytes_;
  OptionalTime last_observed_;
  LoadedSpool loaded_;
};

}  // namespace

Result<LoadedSpool> LoadSpool(const SpoolFolder& folder) { return Loader(folder).Load(); }

}  // namespace kube_events
