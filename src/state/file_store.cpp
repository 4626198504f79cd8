#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include "kube_events/base/durable_file.h"
#include "kube_events/base/file_descriptor.h"
#include "kube_events/state/checkpoint_format.h"
#include "kube_events/state/checkpoint_store.h"

namespace kube_events {
namespace {

// Disks are patient, but a checkpoint of two million Events is still not written every ten seconds.
constexpr double kBytesPerSecond = 1024.0 * 1024;
constexpr std::size_t kMaxBytes = std::size_t{128} * 1024 * 1024;
constexpr std::size_t kMostTotals = 6'000'000;

// Which content a path names: another one after every rename.
struct Stamp {
  ino_t inode = 0;
  std::int64_t changed_ns = 0;
  off_t size = 0;
  bool operator==(const Stamp&) const = default;
};

std::optional<Stamp> StampOf(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return Stamp{status.st_ino, status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec, status.st_size};
}

tl::unexpected<Error> Failed(const std::string& what, const std::filesystem::path& path, int code,
                             ErrorKind kind = ErrorKind::kRetry) {
  Error error = FileError(what, path, code);
  error.kind = kind;
  return Fail(std::move(error));
}

Result<void> WriteDurably(const std::filesystem::path& path, std::string_view text) {
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) return Failed("create", path, errno);
  if (const int code = WriteAll(file.get(), text)) return Failed("write", path, code);
  if (fsync(file.get()) != 0) return Failed("flush", path, errno);
  return {};
}

// So that after a power failure there is either the old content or the new one.
Result<void> RenameDurably(const std::filesystem::path& temporary, const std::filesystem::path& path) {
  if (rename(temporary.c_str(), path.c_str()) != 0) return Failed("replace", path, errno);
  return FlushFolderOf(path);
}

class FileStore final : public CheckpointStore {
 public:
  FileStore(std::filesystem::path path, IdentifyCluster identify, MayWrite may_write)
      : path_(std::move(path)), identify_(std::move(identify)), may_write_(std::move(may_write)) {}

  Result<std::optional<Checkpoint>> Load(const CallLimits& limits) override {
    auto cluster = identify_(limits);
    if (!cluster) return Fail(cluster.error());
    cluster_ = std::move(*cluster);
    seen_ = StampOf(path_);
    auto loaded = Read();
    // What cannot be used is kept for whoever wants to know, and no reason not to write a new one.
    const bool useless = !loaded && loaded.error().kind == ErrorKind::kInvalid;
    if (useless) std::rename(path_.c_str(), (path_.string() + ".old").c_str());
    return loaded;
  }

  Result<SavedCheckpoint> Save(Checkpoint checkpoint, const CallLimits&) override {
    SavedCheckpoint saved;
    const auto stamp = StampOf(path_);
    if (stamp && stamp != seen_) {
      const auto stored = Read();
      if (stored && *stored) {
        if (const auto may = MayReplace(checkpoint, **stored); !may) return Fail(may.error());
        if ((*stored)->writer != checkpoint.writer) saved.other_writer = (*stored)->writer;
      }
    }
    checkpoint.cluster = cluster_;
    const EncodedCheckpoint encoded = EncodeCheckpoint(std::move(checkpoint), kMaxBytes);
    if (const auto replaced = Replace(encoded.text); !replaced) return Fail(replaced.error());
    seen_ = StampOf(path_);
    saved.bytes = encoded.text.size();
    saved.cut = encoded.cut;
    return saved;
  }

  std::string Name() const override { return "file " + path_.string(); }
  double MaxBytesPerSecond() const override { return kBytesPerSecond; }
  std::size_t MostTotals() const override { return kMostTotals; }

 private:
  Result<void> Replace(std::string_view text) const {
    if (const auto may = CheckMayWrite(may_write_, Name()); !may) return may;
    const std::filesystem::path temporary = path_.string() + ".tmp";
    if (const auto written = WriteDurably(temporary, text); !written) return written;
    // Again: a disk may have taken its time.
    if (const auto may = CheckMayWrite(may_write_, Name()); !may) {
      std::remove(temporary.c_str());
      return may;
    }
    return RenameDurably(temporary, path_);
  }

  Result<std::optional<Checkpoint>> Read() const {
    errno = 0;
    std::ifstream file(path_, std::ios::binary);
    if (!file && errno == ENOENT) return std::nullopt;
    // No reason to wait: it will not become readable by itself, and meanwhile nothing would be counted.
    const bool refused = errno == EACCES || errno == EPERM;
    if (!file) return Failed("read", path_, errno, refused ? ErrorKind::kInvalid : ErrorKind::kRetry);
    std::ostringstream content;
    content << file.rdbuf();
    if (file.bad()) return Failed("read", path_, EIO);
    auto checkpoint = DecodeCheckpoint(content.view());
    if (!checkpoint) return Fail(checkpoint.error());
    if (const auto ours = CheckCluster(*checkpoint, cluster_, Name()); !ours) return Fail(ours.error());
    return std::move(*checkpoint);
  }

  const std::filesystem::path path_;
  const IdentifyCluster identify_;
  const MayWrite may_write_;
  ClusterIdentity cluster_;
  std::optional<Stamp> seen_;  // of what we read or wrote last
};

}  // namespace

Result<void> CheckCluster(const Checkpoint& checkpoint, const ClusterIdentity& cluster, std::string_view where) {
  if (IsSameCluster(checkpoint.cluster, cluster)) return {};
  return Fail({ErrorKind::kInvalid,
               "the checkpoint in " + std::string(where) + " was written for another cluster and is not used",
               {},
               "foreign"});
}

Result<void> CheckMayWrite(const MayWrite& may_write, std::string_view where) {
  if (!may_write || may_write()) return {};
  return Fail(ErrorKind::kCancelled, std::string(where) + " is not written: this replica leads no more");
}

std::unique_ptr<CheckpointStore> MakeFileStore(std::filesystem::path path, IdentifyCluster identify,
                                               MayWrite may_write) {
  return std::make_unique<FileStore>(std::move(path), std::move(identify), std::move(may_write));
}

}  // namespace kube_events
