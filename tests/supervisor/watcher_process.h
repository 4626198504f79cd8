// The real program fluent-bit-watcher around a Fluent Bit (the stub), in a folder of its own.
// Owned by a test; its thread only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/temp_dir.h"

namespace kube_events {

// A port of loopback that was free a moment ago.
int FreePort();

// Writes a volume as the kubelet does: files are links through ..data, which is replaced by a rename.
class ConfigMapVolume {
 public:
  explicit ConfigMapVolume(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // `gap`: between the folder of the new version and the swap.
  void Write(const std::map<std::string, std::string>& files, std::chrono::milliseconds gap = {});

 private:
  const std::filesystem::path folder_;
  int version_ = 0;
};

class WatcherProcess {
 public:
  WatcherProcess();
  // Ends the watcher, and fails the test where a process or a zombie of it is left.
  ~WatcherProcess();

  // Variables for the watcher and its child.
  void Set(const std::string& name, const std::string& value) { environment_[name] = value; }
  // Starts it with the stub, --debounce 100ms and --port 0 besides `arguments`, which may say otherwise. `prefix`: a
  // command to run it with.
  void Start(std::vector<std::string> arguments, std::vector<std::string> prefix = {});
  // The same with -c FOLDER/cfg/fluent-bit.conf and that folder as -watch-path.
  void StartOnFolder(std::vector<std::string> arguments = {});

  const TempDir& dir() const { return dir_; }
  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  std::string config() const { return Path("cfg/fluent-bit.conf"); }
  int child_port() const { return child_port_; }
  // A classic configuration with the HTTP server on child_port(), an id and further lines.
  std::string Conf(const std::string& id, const std::string& lines = "") const;
  void WriteConf(const std::string& id, const std::string& lines = "") const {
    dir_.Write("cfg/fluent-bit.conf", Conf(id, lines));
  }

  pid_t pid() const { return pid_; }
  // Of the Fluent Bit that was started last; 0: none yet.
  pid_t child() const;
  void Signal(int number) const;
  // Waits for the end and returns the code; nothing where it does not come within 20 s.
  std::optional<int> WaitForExit();

  std::string Log() const;                           // stderr so far
  std::vector<std::string> State() const;            // what the stub wrote down
  std::size_t Count(const std::string& line) const;  // of lines of State() that begin so
  std::string Running() const;                       // id of the configuration that runs
  bool EventuallyRuns(const std::string& id) const;
  bool EventuallyLogs(const std::string& text) const;
  // A page of the watcher: {status, body}.
  std::pair<int, std::string> Page(const std::string& path) const;
  double Metric(const std::string& sample) const;  // "reloads_total{result=\"applied\"}"; -1: not there
  bool EventuallyMetric(const std::string& sample, double value) const;

 private:
  int PortOfWatcher() const;

  TempDir dir_;
  const int child_port_ = FreePort();
  std::map<std::string, std::string> environment_;
  pid_t pid_ = 0;
  mutable int port_ = 0;
};

}  // namespace kube_events
