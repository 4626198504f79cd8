#include "chaos/json_lines.h"

#include <charconv>
#include <fstream>
#include <functional>
#include <map>

namespace kube_events::chaos {

// Oldest first.
std::vector<std::filesystem::path> JsonLines::Files() const {
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
  std::vector<std::filesystem::path> files;
  for (const auto& [number, file] : rotated) files.push_back(file);
  files.push_back(path_);
  return files;
}

std::vector<Received> JsonLines::Take(int process) {
  std::vector<Received> records;
  const std::vector<std::filesystem::path> files = Files();
  for (std::size_t i = done_files_; i < files.size(); ++i) {
    Read(files[i], process, records);
    if (i + 1 == files.size()) break;
    ++done_files_;
    offset_ = 0;
  }
  return records;
}

void JsonLines::Read(const std::filesystem::path& file, int process, std::vector<Received>& records) {
  std::ifstream lines(file, std::ios::binary);
  lines.seekg(static_cast<std::streamoff>(offset_));
  for (std::string line; std::getline(lines, line) && !lines.eof();) {  // at eof: without its newline
    offset_ += line.size() + 1;
    auto record = ReadRecord(line);
    if (!record) {
      ++torn_;
      continue;
    }
    record->process = process;
    records.push_back(std::move(*record));
  }
}

}  // namespace kube_events::chaos
