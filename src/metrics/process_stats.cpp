#include "kube_events/metrics/process_stats.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <sstream>
#include <string_view>
#include <vector>

namespace kube_events {
namespace {

// The boot time in seconds: the line "btime N" of /proc/stat.
std::optional<double> ReadBootTime(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  constexpr std::string_view kKey = "btime ";
  while (std::getline(file, line)) {
    if (line.starts_with(kKey)) return std::strtod(line.c_str() + kKey.size(), nullptr);
  }
  return std::nullopt;
}

// The fields of /proc/PID/stat from the third on ("state"); the second is a name in parentheses that may hold anything.
std::vector<std::string> ReadStatFields(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(line.substr(name_end + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

}  // namespace

std::optional<ProcessStats> ReadProcessStats(const std::string& proc) {
  // Field numbers of proc(5), less the three before and with the third.
  constexpr std::size_t kUserTime = 14 - 3, kSystemTime = 15 - 3, kThreads = 20 - 3, kStartTime = 22 - 3,
                        kVirtualBytes = 23 - 3, kResidentPages = 24 - 3;
  const auto fields = ReadStatFields(proc + "/self/stat");
  const auto boot_time = ReadBootTime(proc + "/stat");
  if (fields.size() <= kResidentPages || !boot_time) return std::nullopt;
  const auto number = [&fields](std::size_t i) { return std::strtod(fields[i].c_str(), nullptr); };
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  ProcessStats stats;
  stats.cpu_seconds = (number(kUserTime) + number(kSystemTime)) / ticks_per_second;
  stats.start_time_seconds = *boot_time + number(kStartTime) / ticks_per_second;
  stats.virtual_memory_bytes = number(kVirtualBytes);
  stats.resident_memory_bytes = number(kResidentPages) * static_cast<double>(sysconf(_SC_PAGESIZE));
  stats.threads = number(kThreads);
  return stats;
}

std::optional<double> CountOpenFds(const std::string& proc) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir((proc + "/self/fd").c_str()), closedir);
  if (!directory) return std::nullopt;
  double count = -1;  // the descriptor that reads the directory is not meant
  while (const dirent* entry = readdir(directory.get())) {
    if (entry->d_name[0] != '.') ++count;
  }
  return count;
}

std::optional<double> MaxFds() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  if (limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<double>::infinity();
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace kube_events
