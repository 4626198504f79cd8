// What several sinks must not share, and whether files of sinks are files.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include "forward/sink_address.h"
#include "kube_events/base/flag_values.h"
#include "kube_events/forward/dead_letter.h"
#include "kube_events/forward/sink_settings.h"

namespace kube_events {
namespace {

namespace fs = std::filesystem;
using flag_values::BadValue;

// A file that a sink writes, with those that its rotation makes and deletes: PATH.1 … PATH.N.
struct WrittenFile {
  fs::path path;
  int rotated = 0;
};

std::vector<WrittenFile> FilesOf(const SinkSettings& sink) {
  std::vector<WrittenFile> files;
  if (sink.kind == SinkKind::kFile)
    files.push_back({sink.file.path, sink.file.max_bytes > 0 ? sink.file.max_files : 0});
  if (!sink.dead_letter_file.empty()) files.push_back({sink.dead_letter_file, DeadLetterFile::kRotatedFiles});
  return files;
}

// Not what a link to a device leads to in the end: /dev/stderr may be a file that belongs to somebody else.
bool IsOfTheSystem(const fs::path& path) {
  const std::string text = path.lexically_normal().string();
  if (text.starts_with("/dev/shm/")) return false;
  constexpr std::array<std::string_view, 3> kFolders = {"/dev/", "/proc/", "/sys/"};
  return std::any_of(kFolders.begin(), kFolders.end(),
                     [&](std::string_view folder) { return text.starts_with(folder); });
}

struct Target {
  fs::path path;
  bool of_the_system = false;  // or a link on the way to it
};

// Where a file is or would be, also behind links that lead to nothing yet.
Target TargetOf(fs::path path) {
  constexpr int kMostLinks = 40;  // as Linux follows (path_resolution(7))
  std::error_code code;
  path = fs::absolute(path, code);
  bool of_the_system = IsOfTheSystem(path);
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, code); ++links) {
    path = path.parent_path() / fs::read_symlink(path, code);
    of_the_system = of_the_system || IsOfTheSystem(path);
  }
  fs::path whole = fs::weakly_canonical(path, code);
  if (code) whole = path.lexically_normal();
  return {whole, of_the_system || IsOfTheSystem(whole)};
}

using Owners = std::map<std::string, std::string>;  // ids by path

Result<void> Claim(const std::string& path, const std::string& id, Owners& owners) {
  const auto [owner, is_new] = owners.emplace(path, id);
  if (is_new) return {};
  const std::string who = owner->second == id ? "sink \"" + ShownAddress(id) + "\" writes " + path + " twice"
                                              : "sinks \"" + ShownAddress(owner->second) + "\" and \"" +
                                                    ShownAddress(id) + "\" both write " + path;
  return BadValue(who +
                  ", counting rotated files (PATH.1 and so on) and dead-letter files; give each a file of its own");
}

Result<void> ClaimFiles(const SinkSettings& sink, Owners& owners) {
  for (const WrittenFile& file : FilesOf(sink)) {
    const std::string path = TargetOf(file.path).path.string();
    if (auto claimed = Claim(path, sink.id, owners); !claimed) return claimed;
    for (int number = 1; number <= file.rotated; ++number) {
      if (auto claimed = Claim(path + "." + std::to_string(number), sink.id, owners); !claimed) return claimed;
    }
  }
  return {};
}

Result<void> CheckFile(const fs::path& path) {
  const Target target = TargetOf(path);
  if (target.of_the_system) {
    return BadValue(path.string() + " is no file of its own; name a regular file, or use stdout: for standard output");
  }
  std::error_code code;
  const fs::file_status status = fs::status(target.path, code);
  if (fs::is_directory(status)) return BadValue(path.string() + " is a folder; name a file in it");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return BadValue(path.string() + " is not a regular file; name another one");
  }
  const fs::path folder = target.path.parent_path();
  const fs::file_status above = fs::status(folder, code);
  if (above.type() == fs::file_type::not_found) {
    return BadValue("the folder " + folder.string() + " of " + path.string() +
                    " is missing; create it or mount a volume there, or name another one");
  }
  return {};
}

}  // namespace

Result<void> CheckDistinctSinks(const std::vector<SinkSettings>& sinks) {
  std::map<std::string, int> ids;
  Owners owners;
  int on_stdout = 0;
  for (const SinkSettings& sink : sinks) {
    if (ids[sink.id]++ > 0) {
      return BadValue("two sinks are called \"" + ShownAddress(sink.id) +
                      "\", under which a position is kept; give one of them a name of its own, by the option name");
    }
    if (sink.kind == SinkKind::kStdout && on_stdout++ > 0) {
      return BadValue(
          "two sinks write standard output, where their lines would get mixed up; keep one of them, or let "
          "the other write a file");
    }
    if (auto claimed = ClaimFiles(sink, owners); !claimed) return claimed;
  }
  return {};
}

Result<void> CheckSinkFiles(const std::vector<SinkSettings>& sinks) {
  for (const SinkSettings& sink : sinks) {
    for (const WrittenFile& file : FilesOf(sink)) {
      if (const auto checked = CheckFile(file.path); !checked) {
        return BadValue("sink \"" + ShownAddress(sink.id) + "\": " + checked.error().message);
      }
    }
  }
  return {};
}

}  // namespace kube_events
