#include "supervisor/watcher_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "supervisor/processes.h"
#include "support/eventually.h"
#include "support/http_fetch.h"
#include "support/metrics_page.h"

extern char** environ;

namespace kube_events {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kDeadline{20};

std::string Content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(bind(fd, generic, size), 0);
  getsockname(fd, generic, &size);
  close(fd);
  return ntohs(address.sin_port);
}

void ConfigMapVolume::Write(const std::map<std::string, std::string>& files, std::chrono::milliseconds gap) {
  const fs::path before = folder_ / ("..version_" + std::to_string(version_));
  const std::string name = "..version_" + std::to_string(++version_);
  fs::create_directories(folder_ / name);
  for (const auto& [file, content] : files) std::ofstream(folder_ / name / file) << content;
  std::this_thread::sleep_for(gap);  // not to wait for anything: the gap is what is tested
  fs::create_directory_symlink(name, folder_ / "..data_tmp");
  fs::rename(folder_ / "..data_tmp", folder_ / "..data");
  for (const auto& [file, content] : files) {
    if (!fs::is_symlink(folder_ / file)) fs::create_symlink("..data/" + file, folder_ / file);
  }
  fs::remove_all(before);
}

WatcherProcess::WatcherProcess() {
  fs::create_directories(dir_.path() / "cfg");
  Set("STUB_STATE", Path("state"));
}

WatcherProcess::~WatcherProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    if (!WaitForExit()) {
      ADD_FAILURE() << "the watcher does not end:\n" << Log();
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  EXPECT_TRUE(Eventually([&] { return ProcessesWith(dir_.path().string()).empty(); })) << "a process is left:\n"
                                                                                       << Log();
  for (const pid_t left : ProcessesWith(dir_.path().string())) kill(left, SIGKILL);
  if (testing::Test::HasFailure()) std::fprintf(stderr, "--- log of the watcher\n%s---\n", Log().c_str());
}

void WatcherProcess::Start(std::vector<std::string> arguments, std::vector<std::string> prefix) {
  std::vector<std::string> command = std::move(prefix);
  command.insert(command.end(), {FLUENT_BIT_WATCHER, "-b", STUB_FLUENT_BIT, "--debounce", "100ms", "--host",
                                 "127.0.0.1", "--port", "0"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  for (const auto& [name, value] : environment_) variables.push_back(name + "=" + value);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, Path("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ASSERT_EQ(
      posix_spawnp(&pid_, command[0].c_str(), &actions, nullptr, Pointers(command).data(), Pointers(variables).data()),
      0);
  posix_spawn_file_actions_destroy(&actions);
}

void WatcherProcess::StartOnFolder(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-c", config(), "-watch-path", Path("cfg")});
  Start(std::move(arguments));
}

std::string WatcherProcess::Conf(const std::string& id, const std::string& lines) const {
  return "[SERVICE]\n    http_server on\n    http_port " + std::to_string(child_port_) + "\n    stub.id " + id + "\n" +
         lines + "\n";
}

pid_t WatcherProcess::child() const {
  pid_t child = 0;
  for (const std::string& line : State()) {
    if (line.starts_with("start pid=")) child = std::atoi(line.c_str() + std::strlen("start pid="));
  }
  return child;
}

void WatcherProcess::Signal(int number) const { kill(pid_, number); }

std::optional<int> WatcherProcess::WaitForExit() {
  int status = 0;
  if (pid_ <= 0 || !Eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; }, kDeadline)) return std::nullopt;
  pid_ = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string WatcherProcess::Log() const { return Content(Path("log")); }

std::vector<std::string> WatcherProcess::State() const {
  std::istringstream text(Content(Path("state")));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::size_t WatcherProcess::Count(const std::string& line) const {
  const auto lines = State();
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [&](const auto& each) { return each.starts_with(line); }));
}

std::string WatcherProcess::Running() const {
  std::string id;
  for (const std::string& line : State()) {
    if (line.starts_with("running ")) id = line.substr(std::strlen("running "));
  }
  return id;
}

bool WatcherProcess::EventuallyRuns(const std::string& id) const {
  return Eventually([&] { return Running() == id; }, kDeadline);
}

bool WatcherProcess::EventuallyLogs(const std::string& text) const {
  return Eventually([&] { return Log().find(text) != std::string::npos; }, kDeadline);
}

int WatcherProcess::PortOfWatcher() const {
  constexpr const char* kMark = "serving port=";
  if (port_ == 0 && EventuallyLogs(kMark)) {
    const std::string log = Log();
    port_ = std::atoi(log.c_str() + log.find(kMark) + std::strlen(kMark));
  }
  return port_;
}

std::pair<int, std::string> WatcherProcess::Page(const std::string& path) const {
  const FetchResponse response = Get("http://127.0.0.1:" + std::to_string(PortOfWatcher()) + path);
  return {response.status, response.body};
}

double WatcherProcess::Metric(const std::string& sample) const {
  return ReadSample(Page("/metrics").second, "fluent_bit_watcher_" + sample).value_or(-1);
}

bool WatcherProcess::EventuallyMetric(const std::string& sample, double value) const {
  return Eventually([&] { return Metric(sample) == value; }, kDeadline);
}

}  // namespace kube_events
