#include "spool_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "kube_events/base/durable_file.h"

namespace kube_events {
namespace {

constexpr std::string_view kSuffix = ".spool";
constexpr std::size_t kDigits = 8;  // at least

tl::unexpected<Error> Unusable(const std::filesystem::path& folder, const std::string& why) {
  return Fail(ErrorKind::kConfiguration, "the spool folder " + folder.string() + " cannot be used: " + why +
                                             "; give --forward-spool a folder that this process alone may write to");
}

std::string Reason(int code) { return std::generic_category().message(code); }

// Makes the folder and those above it; ours alone where it is new.
int MakeFolder(const std::filesystem::path& folder) {
  std::error_code failed;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), failed);
  if (failed) return failed.value();
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

// The number of a file's name; nothing for names of another kind.
std::optional<std::uint64_t> SequenceOf(const std::string& name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  const char* const end = name.data() + name.size() - kSuffix.size();
  std::uint64_t sequence = 0;
  const auto [stopped, failed] = std::from_chars(name.data(), end, sequence);
  if (failed != std::errc{} || stopped != end) return std::nullopt;
  return sequence;
}

// The position file is one line of fixed length: id, offset and their checksum, all hexadecimal.
std::string FormatPosition(const SpoolPosition& position) {
  const std::array<std::uint64_t, 2> numbers{position.id, position.offset};
  const std::uint64_t checksum = XXH3_64bits(numbers.data(), sizeof numbers);
  std::array<char, 64> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%016llx %016llx %016llx\n", static_cast<unsigned long long>(position.id),
                    static_cast<unsigned long long>(position.offset), static_cast<unsigned long long>(checksum));
  return {text.data(), static_cast<std::size_t>(size)};
}

std::optional<std::uint64_t> HexAt(std::string_view text, std::size_t at) {
  std::uint64_t number = 0;
  const char* const begin = text.data() + at;
  const auto [end, failed] = std::from_chars(begin, begin + 16, number, 16);
  if (failed != std::errc{} || end != begin + 16) return std::nullopt;
  return number;
}

}  // namespace

Result<void> SpoolFolder::Lock() {
  if (const int code = MakeFolder(path_)) return Unusable(path_, Reason(code));
  UniqueFd lock(::open((path_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) return Unusable(path_, Reason(errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return Unusable(path_, errno == EWOULDBLOCK ? "another process uses it" : Reason(errno));
  }
  lock_ = std::move(lock);
  return {};
}

std::filesystem::path SpoolFolder::PathOf(std::uint64_t sequence) const {
  std::string number = std::to_string(sequence);
  number.insert(0, kDigits - std::min(kDigits, number.size()), '0');
  return path_ / number.append(kSuffix);
}

Result<std::vector<std::uint64_t>> SpoolFolder::List() const {
  std::vector<std::uint64_t> sequences;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(path_, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    const auto sequence = SequenceOf(name);
    // Only names that we would give, so that no two are the same number.
    if (sequence && PathOf(*sequence).filename() == name) sequences.push_back(*sequence);
  }
  if (failed) return Unusable(path_, failed.message());
  std::sort(sequences.begin(), sequences.end());
  return sequences;
}

Result<UniqueFd> SpoolFolder::Create(std::uint64_t sequence, std::string_view content) {
  if (!lock_ || !IsStillAt(lock_.get(), path_ / "lock")) {
    if (auto locked = Lock(); !locked) return Fail(ErrorKind::kRetry, locked.error().message);
  }
  const std::filesystem::path path = PathOf(sequence);
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!file) return Fail(FileError("create", path, errno));
  const auto undo = [&](Error error) {
    Remove(sequence);
    return Fail(std::move(error));
  };
  if (const int code = WriteAll(file.get(), content)) return undo(FileError("write", path, code));
  if (::fsync(file.get()) != 0) return undo(FileError("flush", path, errno));
  if (const auto flushed = FlushFolderOf(path); !flushed) return undo(flushed.error());
  return file;
}

bool SpoolFolder::Remove(std::uint64_t sequence) const {
  return ::unlink(PathOf(sequence).c_str()) == 0 || errno == ENOENT;
}

std::optional<SpoolPosition> SpoolFolder::ReadPosition() const {
  const UniqueFd file(::open((path_ / "position").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 51> text{};
  if (!file || ::read(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return std::nullopt;
  const std::string_view line(text.data(), text.size());
  const auto id = HexAt(line, 0);
  const auto offset = HexAt(line, 17);
  if (!id || !offset) return std::nullopt;
  const SpoolPosition position{*id, *offset};
  return FormatPosition(position) == line ? std::optional(position) : std::nullopt;
}

void SpoolFolder::WritePosition(const SpoolPosition& position) const {
  const UniqueFd file(::open((path_ / "position").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::string text = FormatPosition(position);
  if (file) std::ignore = ::pwrite(file.get(), text.data(), text.size(), 0);
}

}  // namespace kube_events
