#include "kube_events/supervisor/folders.h"

#include <sys/stat.h>

#include <utility>

namespace kube_events {
namespace {

namespace fs = std::filesystem;

// As many links as Linux follows.
constexpr int kMaxLinks = 40;
constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxFiles = 10'000;

// `name` in `folder`, or what is missing on the way to it.
void AddNearest(fs::path folder, fs::path name, Folders& folders) {
  std::error_code ignored;
  while (!fs::is_directory(folder, ignored) && folder.has_relative_path()) {
    name = folder.filename();
    folder = folder.parent_path();
  }
  folders[folder].names.insert(name);
}

void Resolve(const fs::path& path, Folders& folders, int links) {
  std::error_code error;
  fs::path so_far;
  for (auto part = path.begin(); part != path.end(); ++part) {
    so_far /= *part;
    if (!fs::is_symlink(so_far, error)) continue;
    AddNearest(so_far.parent_path(), *part, folders);
    fs::path target = fs::read_symlink(so_far, error);
    if (error || links >= kMaxLinks) return;
    if (target.is_relative()) target = so_far.parent_path() / target;
    while (++part != path.end()) target /= *part;
    Resolve(target.lexically_normal(), folders, links + 1);
    return;
  }
  AddNearest(path.parent_path(), path.filename(), folders);
}

class Walk {
 public:
  void Visit(const fs::path& path, int depth) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) {
      // Named by a folder, yet not there: a link to nothing, or one that leads in a circle.
      if (depth > 0) result_.files.insert(path);
      return;
    }
    if (!S_ISDIR(info.st_mode)) {
      if (S_ISREG(info.st_mode)) result_.files.insert(path);
      return;
    }
    if (!seen_.emplace(info.st_dev, info.st_ino).second) return;
    result_.folders.insert(path);
    if (depth >= kMaxDepth) {
      Warn(path.string() + " is too deep; what is below it is not watched");
      return;
    }
    Enter(path, depth);
  }

  FolderContent Take() { return std::move(result_); }

 private:
  void Enter(const fs::path& folder, int depth) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().filename().native().starts_with("..")) continue;
      if (result_.files.size() >= kMaxFiles) {
        Warn(folder.string() + ": there are more than " + std::to_string(kMaxFiles) + " files; not all are watched");
        return;
      }
      Visit(entry->path(), depth + 1);
    }
    if (error) Warn("cannot read " + folder.string() + ": " + error.message());
  }

  void Warn(std::string warning) {
    if (result_.warnings.size() < 10) result_.warnings.push_back(std::move(warning));
  }

  FolderContent result_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace

void AddFoldersOf(const fs::path& path, Folders& folders) { Resolve(path, folders, 0); }

FolderContent ReadFolder(const fs::path& path) {
  Walk walk;
  walk.Visit(path, 0);
  return walk.Take();
}

}  // namespace kube_events
