// Walking paths and folders as far as a change of them matters. Functions that block while they read folders; any
// thread.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kube_events {

// Which names in a folder concern us.
struct FolderInterest {
  bool all = false;
  std::set<std::string> names = {};

  bool Includes(const std::string& name) const { return all || name.empty() || names.contains(name); }
};
using Folders = std::map<std::filesystem::path, FolderInterest>;

// Adds every folder in which something can change what `path` leads to: the folder of each symbolic link on the way
// and of the file itself, or the nearest one that exists.
void AddFoldersOf(const std::filesystem::path& path, Folders& folders);

struct FolderContent {
  std::set<std::filesystem::path> files;
  std::set<std::filesystem::path> folders;
  std::vector<std::string> warnings;
};
// What is below a path, links followed, each folder once, to a depth of 16 and 10 000 files; the path itself where it
// is a file. Names that begin with ".." are left out: that is where Kubernetes keeps the versions of a volume, which
// are reached through links. Nothing where the path does not exist.
FolderContent ReadFolder(const std::filesystem::path& path);

}  // namespace kube_events
