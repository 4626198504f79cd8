#include "chaos/exporter_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "support/eventually.h"
#include "support/http_fetch.h"
#include "support/metrics_page.h"

namespace kube_events::chaos {
namespace {

constexpr std::chrono::milliseconds kPatience{5'000};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The port that the program says it serves on, or "".
std::string ServedPort(const std::string& log) {
  std::smatch found;
  static const std::regex kServing("serving port=([0-9]+)");
  return std::regex_search(log, found, kServing) ? found[1].str() : "";
}

bool Add(const MetricSample& sample, Scrape& scrape) {
  const auto value = static_cast<std::int64_t>(sample.value);
  const std::vector<std::string>& labels = sample.labels;
  if (sample.name == "kube_events_total") {
    if (labels.size() != 4) return false;
    scrape.occurrences[{labels[0], labels[1], labels[2], labels[3]}] = value;
  }
  if (sample.name == "kube_events_exporter_uncertain_occurrences_total") {
    if (labels.size() != 1) return false;
    (labels[0] == "counted" ? scrape.counted : scrape.not_counted) += value;
  }
  if (sample.name == "kube_events_exporter_gaps_total") scrape.gaps += value;
  if (sample.name == "kube_events_exporter_watch_open") scrape.watching = value == 1;
  return true;
}

}  // namespace

std::optional<Scrape> ReadPage(const std::string& page) {
  Scrape scrape;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto sample = ReadSampleLine(line);
    if (!sample || !Add(*sample, scrape)) return std::nullopt;
  }
  return scrape;
}

ExporterProcess::ExporterProcess(const std::string& program, std::vector<std::string> arguments, std::string log) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  // Sockets of servers in this process, which could not be closed otherwise.
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  const int error = ::posix_spawn(&pid_, program.c_str(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error("cannot start " + program);
  std::string port;
  Eventually(
      [&] {
        port = ServedPort(ReadFile(log));
        return !port.empty() || Ended();
      },
      std::chrono::seconds(30));
  if (port.empty()) throw std::runtime_error(program + " does not serve: " + ReadFile(log));
  url_ = "http://127.0.0.1:" + port;
}

ExporterProcess::~ExporterProcess() {
  if (Ended()) return;
  Signal(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

int ExporterProcess::Health() const { return Get(url_ + "/healthz", {.headers = {}, .timeout = kPatience}).status; }

std::string ExporterProcess::Page() const {
  FetchResponse response = Get(url_ + "/metrics", {.headers = {}, .timeout = kPatience});
  return response.status == 200 ? std::move(response.body) : std::string();
}

std::optional<Scrape> ExporterProcess::Read() const {
  const std::string page = Page();
  return page.empty() ? std::nullopt : ReadPage(page);
}

// proc(5).
long ExporterProcess::Memory(const std::string& field) const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stol(line.substr(field.size() + 1)) / 1024;
  }
  return -1;
}

double ExporterProcess::CpuSeconds() const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

bool ExporterProcess::Running() { return !Ended(); }

void ExporterProcess::Signal(int signal) const { ::kill(pid_, signal); }

std::optional<int> ExporterProcess::Stop(std::chrono::milliseconds patience) {
  if (!Ended()) Signal(SIGTERM);
  return AwaitEnd(patience);
}

std::optional<int> ExporterProcess::AwaitEnd(std::chrono::milliseconds patience) {
  Eventually([this] { return Ended(); }, patience);
  return exit_code_;
}

bool ExporterProcess::Ended() {
  int status = 0;
  if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return exit_code_.has_value();
}

}  // namespace kube_events::chaos
