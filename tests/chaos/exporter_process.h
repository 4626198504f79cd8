// The real exporter as a process, for whoever wants to see it from outside.
// Owned and used by one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/truth.h"

namespace kube_events::chaos {

// What one scrape tells.
struct Scrape {
  sim::OccurrenceCounts occurrences;  // kube_events_total
  std::int64_t counted = 0;           // uncertain_occurrences_total, by kind
  std::int64_t not_counted = 0;
  std::int64_t gaps = 0;  // over all scopes
  bool watching = false;  // a watch is open, so no list is under way
};

// Reads a page of /metrics; nothing where a line of it cannot be read.
std::optional<Scrape> ReadPage(const std::string& page);

class ExporterProcess {
 public:
  // Starts it and waits until it listens; its log goes to the file `log`. Throws std::runtime_error where it does not.
  ExporterProcess(const std::string& program, std::vector<std::string> arguments, std::string log);
  // Kills it if it still runs.
  ~ExporterProcess();
  ExporterProcess(const ExporterProcess&) = delete;
  ExporterProcess& operator=(const ExporterProcess&) = delete;

  // 200, 503 or 0 where it did not answer in time.
  int Health() const;
  std::optional<Scrape> Read() const;
  // What /metrics answers; "" where it does not in time.
  std::string Page() const;
  // "http://127.0.0.1:40123".
  const std::string& Url() const { return url_; }
  pid_t Pid() const { return pid_; }
  // VmRSS or VmHWM, in MiB; -1 where the process has ended.
  long Memory(const std::string& field) const;
  // What all its threads have used so far, user and system, by the process' own clock: exact on a busy machine too.
  double CpuSeconds() const;
  bool Running();
  void Signal(int signal) const;
  // Sends SIGTERM; the exit code, or nothing where it did not end in time and was killed.
  std::optional<int> Stop(std::chrono::milliseconds patience);
  // The same without a signal.
  std::optional<int> AwaitEnd(std::chrono::milliseconds patience);

 private:
  bool Ended();

  pid_t pid_ = -1;
  std::optional<int> exit_code_;
  std::string url_;
};

}  // namespace kube_events::chaos
