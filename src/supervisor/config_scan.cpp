#include "kube_events/supervisor/config_scan.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "kube_events/base/file_descriptor.h"

namespace kube_events {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxParsedBytes = std::size_t{4} * 1024 * 1024;
constexpr int kMaxIncludeDepth = 16;

class Hasher {
 public:
  Hasher() : state_(XXH3_createState(), XXH3_freeState) { XXH3_64bits_reset(state_.get()); }
  void Add(std::string_view bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }
  template <typename Number>
  void AddNumber(Number number) {
    Add({reinterpret_cast<const char*>(&number), sizeof number});
  }
  std::uint64_t Value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

// What changes with every write. 0: there is no such file.
std::uint64_t StampOfFile(const fs::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return 0;
  Hasher hasher;
  hasher.Add(path.native());
  hasher.AddNumber(info.st_dev);
  hasher.AddNumber(info.st_ino);
  hasher.AddNumber(info.st_size);
  for (const timespec& time : {info.st_mtim, info.st_ctim}) {
    hasher.AddNumber(time.tv_sec);
    hasher.AddNumber(time.tv_nsec);
  }
  return hasher.Value();
}

// The names in a folder, and what links among them lead to: that may come and go behind the same name.
std::uint64_t StampOfNames(const fs::path& folder) {
  std::uint64_t sum = 0;  // in whatever order they are read
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().native().starts_with("..")) continue;
    std::error_code ignored;
    Hasher hasher;
    hasher.Add(entry->path().native());
    if (entry->is_symlink(ignored)) hasher.AddNumber(StampOfFile(entry->path()));
    sum += hasher.Value();
  }
  return sum;
}

struct FileContent {
  std::uint64_t hash = 0;
  int error = 0;           // of errno; 0: it could be read
  bool too_large = false;  // to be kept as a text
  std::string text = {};   // where it was asked for
};

FileContent ReadFile(const fs::path& path, bool keep_text) {
  FileContent content;
  // Not blocking, in case that it is a named pipe.
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!file || fstat(file.get(), &info) != 0) {
    content.error = errno;
    return content;
  }
  if (!S_ISREG(info.st_mode)) {
    content.error = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    return content;
  }
  content.too_large = static_cast<std::size_t>(info.st_size) > kMaxParsedBytes;
  Hasher hasher;
  std::array<char, 65'536> buffer;
  ssize_t size = 0;
  while ((size = read(file.get(), buffer.data(), buffer.size())) > 0) {
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(size));
    hasher.Add(piece);
    if (keep_text && !content.too_large) content.text += piece;
  }
  if (size < 0) content.error = errno;
  content.hash = hasher.Value();
  return content;
}

bool IsPattern(const std::string& path) { return path.find_first_of("*?[") != path.npos; }

std::vector<std::string> Matches(const std::string& pattern) {
  if (!IsPattern(pattern)) return {pattern};
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

// One scan under way.
class Scanner {
 public:
  explicit Scanner(const ConfigSources& sources) : sources_(sources) {}

  ConfigScan Run() {
    ReadConfig(sources_.config, 0);
    for (const fs::path& file : sources_.files) AddFile(file);
    for (const fs::path& path : sources_.watched) AddWatched(path);
    return Finish();
  }

 private:
  std::string Lookup(const std::string& name) const {
    if (const auto found = variables_.find(name); found != variables_.end()) return found->second;
    return sources_.environment ? sources_.environment(name).value_or("") : "";
  }
  std::string Expand(const std::string& text) const {
    return ExpandVariables(text, [this](const std::string& name) { return Lookup(name); });
  }

  // Notes the file for both hashes and, with `keep_text`, returns its text.
  FileContent AddFile(const fs::path& path, bool keep_text = false) {
    stamps_[path] = StampOfFile(path);
    FileContent content = ReadFile(path, keep_text);
    contents_[path] = content.error == 0 ? content.hash : static_cast<std::uint64_t>(content.error);
    AddFoldersOf(path, scan_.folders);
    if (content.error != 0) {
      scan_.warnings.push_back("cannot read " + path.string() + ": " + std::strerror(content.error));
    }
    return content;
  }

  void ReadConfig(const fs::path& path, int depth) {
    if (contents_.contains(path)) return;
    const FileContent content = AddFile(path, true);
    if (depth == 0 && content.error != 0) scan_.seen.refusal = scan_.warnings.back();
    if (content.too_large) {
      has_content_ = true;
      scan_.warnings.push_back(path.string() + " is too large to be searched for includes");
      return;
    }
    if (content.error != 0) return;
    const auto config = ReadConfigText(KindOf(path.native()), content.text);
    if (!config) {  // the check will tell
      has_content_ = true;
      return;
    }
    Follow(*config, path, depth);
  }

  void Follow(const ConfigText& config, const fs::path& path, int depth) {
    if (!config.empty) has_content_ = true;
    for (const auto& [name, value] : config.variables) variables_[name] = Expand(value);
    for (const auto& [key, value] : config.service) service_[key] = Expand(value);
    for (const std::string& file : config.files) AddFile(Resolve(Expand(file), path));
    if (depth >= kMaxIncludeDepth) {
      has_content_ = true;
      scan_.warnings.push_back(path.string() + " includes too deeply; what it includes is not watched");
      return;
    }
    for (const std::string& include : config.includes) {
      const fs::path pattern = Resolve(Expand(include), path);
      AddFoldersOf(pattern, scan_.folders);
      AddFoldersOfPattern(pattern);
      for (const std::string& match : Matches(pattern.native())) ReadConfig(match, depth + 1);
    }
  }

  // Those in which something new may match: for each part of the path that is a pattern.
  void AddFoldersOfPattern(const fs::path& pattern) {
    std::error_code ignored;
    for (fs::path path = pattern; IsPattern(path.native()); path = path.parent_path()) {
      if (!IsPattern(path.filename().native())) continue;
      for (const std::string& folder : Matches(path.parent_path().native())) {
        if (fs::is_directory(folder, ignored)) scan_.folders[folder].all = true;
      }
    }
  }

  // Relative to the main file, which is where the child runs; else to the file that names it.
  fs::path Resolve(const std::string& written, const fs::path& includer) const {
    fs::path path(written);
    if (path.is_absolute()) return path;
    const fs::path from_main = sources_.config.parent_path() / path;
    const fs::path from_includer = includer.parent_path() / path;
    const bool yaml = KindOf(includer.native()) == ConfigKind::kYaml;
    std::error_code ignored;
    if (yaml) return from_includer.lexically_normal();
    return (fs::exists(from_main, ignored)       ? from_main
            : fs::exists(from_includer, ignored) ? from_includer
                                                 : from_main)
        .lexically_normal();
  }

  void AddWatched(const fs::path& path) {
    AddFoldersOf(path, scan_.folders);
    FolderContent content = ReadFolder(path);
    for (const fs::path& folder : content.folders) scan_.folders[folder].all = true;
    for (const fs::path& file : content.files) {
      if (!contents_.contains(file)) AddFile(file);
    }
    for (std::string& warning : content.warnings) scan_.warnings.push_back(std::move(warning));
  }

  ConfigScan Finish() {
    Hasher content, stamp;
    for (const auto& [path, hash] : contents_) {
      content.Add(path.native());
      content.AddNumber(hash);
      stamp.Add(path.native());
      stamp.AddNumber(stamps_[path]);
      stamp.AddNumber(hash);
      scan_.files.push_back(path);
    }
    scan_.seen.content = content.Value();
    scan_.seen.stamp = stamp.Value();
    if (scan_.seen.refusal.empty() && !has_content_) {
      scan_.seen.refusal =
          sources_.config.string() + " is empty; Fluent Bit would accept that and drop its whole pipeline";
    }
    scan_.settings = SettingsOf(service_, sources_.arguments);
    return std::move(scan_);
  }

  const ConfigSources& sources_;
  ConfigScan scan_;
  std::map<fs::path, std::uint64_t> contents_;
  std::map<fs::path, std::uint64_t> stamps_;
  std::map<std::string, std::string> variables_;
  std::map<std::string, std::string> service_;
  bool has_content_ = false;
};

}  // namespace

ConfigScan ScanConfiguration(const ConfigSources& sources) { return Scanner(sources).Run(); }

std::uint64_t StampOf(const ConfigSources& sources, const ConfigScan& last) {
  Hasher stamp;
  for (const fs::path& file : last.files) stamp.AddNumber(StampOfFile(file));
  std::set<fs::path> walked;
  for (const fs::path& path : sources.watched) {
    FolderContent content = ReadFolder(path);
    for (const fs::path& file : content.files) stamp.AddNumber(StampOfFile(file));
    walked.merge(content.folders);
  }
  // Those in which a new name may be one that an include matches; what is behind the old ones is among the files.
  for (const auto& [folder, interest] : last.folders) {
    if (interest.all && !walked.contains(folder)) stamp.AddNumber(StampOfNames(folder));
  }
  return stamp.Value();
}

std::string HashText(std::uint64_t hash) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(hash >> shift) & 15];
  return text;
}

}  // namespace kube_events
