#include "chaos/json_lines.h"

#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <functional>
#include <map>

namespace kube_events::chaos {

namespace {

// Lines that are complete, from the place on.
void Read(const std::filesystem::path& file, int process, std::uint64_t& offset, std::size_t& torn,
          std::vector<Received>& records) {
  std::ifstream lines(file, std::ios::binary);
  lines.seekg(static_cast<std::streamoff>(offset));
  for (std::string line; std::getline(lines, line) && !lines.eof();) {  // at eof: without its newline
    offset += line.size() + 1;
    auto record = ReadRecord(line);
    if (!record) {
      ++torn;
      continue;
    }
    record->process = process;
    records.push_back(std::move(*record));
  }
}

std::uint64_t InodeOf(const std::filesystem::path& path) {
  struct ::stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

}  // namespace

// Oldest first.
std::vector<JsonLines::File> JsonLines::Files() const {
  std::map<int, std::filesystem::path, std::greater<>> rotated;
  const std::string prefix = path_.filename().string() + ".";
  for (const auto& entry : std::filesystem::directory_iterator(path_.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    int number = 0;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + prefix.size(), end, number);
    if (read.ec == std::errc{} && read.ptr == end) rotated[number] = entry.path();
  }
  std::vector<File> files;
  for (const auto& [number, file] : rotated) files.push_back({file, InodeOf(file)});
  files.push_back({path_, InodeOf(path_)});
  return files;
}

std::vector<Received> JsonLines::Take(int process) {
  while (true) {
    const std::vector<File> files = Files();
    Place place = place_;
    std::vector<Received> records = TakeFrom(files, process, place);
    // What was rotated meanwhile is read under a wrong name.
    if (Files() != files) continue;
    place_ = place;
    return records;
  }
}

std::vector<Received> JsonLines::TakeFrom(const std::vector<File>& files, int process, Place& place) {
  std::vector<Received> records;
  for (std::size_t i = place.done_files; i < files.size(); ++i) {
    Read(files[i].path, process, place.offset, place.torn, records);
    if (i + 1 == files.size()) break;
    ++place.done_files;
    place.offset = 0;
  }
  return records;
}

}  // namespace kube_events::chaos
