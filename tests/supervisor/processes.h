// Looking at other processes through /proc, for tests.
#pragma once

#include <sys/types.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kube_events {

// A file below /proc/PID, or "".
inline std::string ProcFile(const std::string& pid, const std::string& name) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + pid + "/" + name, std::ios::binary).rdbuf();
  return text.str();
}

// Processes whose command line has `text` in it. Zombies have none.
inline std::vector<pid_t> ProcessesWith(const std::string& text) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string pid = entry.path().filename();
    if (std::isdigit(static_cast<unsigned char>(pid[0])) == 0) continue;
    if (ProcFile(pid, "cmdline").find(text) != std::string::npos) found.push_back(std::stoi(pid));
  }
  return found;
}

// Children of a process that have ended and were not reaped.
inline std::size_t Zombies(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::istringstream children(ProcFile(id, "task/" + id + "/children"));
  std::size_t zombies = 0;
  for (std::string child; children >> child;) {
    const std::string stat = ProcFile(child, "stat");
    const auto name_end = stat.rfind(')');
    if (name_end != std::string::npos && stat.compare(name_end, 4, ") Z ") == 0) ++zombies;
  }
  return zombies;
}

}  // namespace kube_events
