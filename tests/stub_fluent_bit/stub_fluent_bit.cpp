// A stand-in for Fluent Bit: see README.md.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "stub_fluent_bit/stub_config.h"
#include "stub_fluent_bit/stub_http.h"

namespace stub {
namespace {

using Clock = std::chrono::steady_clock;
using Ms = std::chrono::milliseconds;

void Record(const std::string& line) {
  const char* path = std::getenv("STUB_STATE");
  if (path == nullptr) return;
  // One write, so that lines stay whole.
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const std::string text = line + "\n";
  if (file < 0 || write(file, text.data(), text.size()) < 0) std::perror("STUB_STATE");
  close(file);
}

void Say(const std::string& level, const std::string& text) {
  const std::string line = "[2026/01/01 00:00:00.000000000] [" + level + "] " + text + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

struct Arguments {
  std::string config;
  bool dry_run = false;
  bool hot_reload = false;
  std::string all;
};

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    arguments.all += " " + argument;
    if (argument == "--dry-run") arguments.dry_run = true;
    if (argument == "--enable-hot-reload") arguments.hot_reload = true;
    if (argument == "-c" && i + 1 < argc) arguments.config = argv[i + 1];
    if (argument == "--version") {
      const char* version = std::getenv("STUB_VERSION");
      std::cout << (version == nullptr ? "Fluent Bit v5.1.1\nGit commit: stub" : version) << std::endl;
      std::exit(0);
    }
  }
  return arguments;
}

int DryRun(const Config& config) {
  if (config.Text("stub.fail") == "crash") {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (config.failure.empty()) {
    Say(" info", "configuration test is successful");
    return 0;
  }
  Say("error", "[config] " + config.failure);
  Say("error", "configuration file contains errors, aborting.");
  return 1;
}

class FluentBit {
 public:
  explicit FluentBit(Arguments arguments)
      : arguments_(std::move(arguments)), http_([this](const Request& request) { return Answer(request); }) {
    const char* seed = std::getenv("STUB_SEED");
    random_.seed(seed == nullptr ? std::random_device{}() : std::strtoul(seed, nullptr, 10));
  }

  int Run() {
    running_ = Read(arguments_.config);
    Record("start pid=" + std::to_string(getpid()) + " cwd=" + std::filesystem::current_path().string() +
           " blocked=" + Blocked() + " args=" + arguments_.all);
    if (!running_.failure.empty()) {
      Say("error", "[config] " + running_.failure);
      return running_.Text("stub.fail") == "property" ? 255 : 1;
    }
    if (running_.Text("stub.fail") == "init") return 255;
    std::this_thread::sleep_for(Ms{running_.Number("stub.start_ms", 5)});
    TakeSignals();
    if (!OpenHttp()) return 255;
    StartOrphans();
    Record("running " + Name(running_));
    began_ = Clock::now();
    while (!exit_code_) Turn();
    return *exit_code_;
  }

 private:
  static std::string Name(const Config& config) { return config.empty ? "empty" : config.Text("stub.id", "unnamed"); }

  static std::string Blocked() {
    sigset_t mask;
    sigprocmask(SIG_SETMASK, nullptr, &mask);
    std::string blocked;
    for (const int number : {SIGHUP, SIGTERM, SIGINT, SIGQUIT, SIGCHLD}) {
      if (sigismember(&mask, number) == 1) blocked += std::to_string(number) + ",";
    }
    struct sigaction action {};
    sigaction(SIGPIPE, nullptr, &action);
    if (action.sa_handler == SIG_IGN) blocked += "ignored SIGPIPE";
    return blocked.empty() ? "none" : blocked;
  }

  void TakeSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGHUP, SIGTERM, SIGINT, SIGQUIT}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  bool OpenHttp() {
    if (!running_.On("http_server") || running_.On("stub.close_port")) {
      http_.Close();
      return true;
    }
    if (http_.Open(running_.Number("http_port", 2020))) return true;
    Say("error", "[http_server] could not bind");
    return false;
  }

  void StartOrphans() const {
    for (int i = running_.Number("stub.orphans", 0); i > 0; --i) {
      const pid_t parent = fork();
      if (parent == 0) {
        if (fork() == 0) _exit(0);
        _exit(0);
      }
      siginfo_t info;
      waitid(P_PID, static_cast<id_t>(parent), &info, WEXITED);
    }
  }

  void Turn() {
    pollfd fds[] = {{signals_, POLLIN, 0}, {http_.fd(), POLLIN, 0}};
    poll(fds, 2, Timeout());
    signalfd_siginfo info;
    while (read(signals_, &info, sizeof info) == sizeof info) OnSignal(static_cast<int>(info.ssi_signo));
    if (fds[1].revents != 0 && http_.fd() == fds[1].fd) http_.Serve();
    OnTime(Clock::now());
  }

  int Timeout() const {
    auto next = Clock::now() + Ms{1'000};
    if (finish_at_) next = std::min(next, *finish_at_);
    if (abort_at_) next = std::min(next, *abort_at_);
    if (running_.values.contains("stub.exit_code")) next = std::min(next, ExitAt());
    const auto wait = std::chrono::ceil<Ms>(next - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(wait, 0));
  }

  Clock::time_point ExitAt() const { return began_ + Ms{running_.Number("stub.exit_after_ms", 0)}; }

  void OnTime(Clock::time_point now) {
    if (abort_at_ && now >= *abort_at_) {
      Say("error", "[hot_reload_watchdog] Hot reload timeout exceeded, aborting...");
      signal(SIGABRT, SIG_DFL);
      raise(SIGABRT);
    }
    if (finish_at_ && now >= *finish_at_) Finish(now);
    if (running_.values.contains("stub.exit_code") && now >= ExitAt())
      exit_code_ = running_.Number("stub.exit_code", 0);
  }

  void OnSignal(int number) {
    Record("signal " + std::to_string(number));
    if (number == SIGHUP) return Trigger();
    const bool deaf = running_.On("stub.ignore_term") || (reloading_ && running_.On("stub.hang"));
    if (!deaf) exit_code_ = 0;
  }

  void Trigger() {
    const auto now = Clock::now();
    if (!arguments_.hot_reload) return Say(" warn", "[reload] hot reloading is not enabled");
    if (reloading_) {
      Record("trigger busy");
      return Say("error", "reloading in progress, aborting.");
    }
    if (now < deaf_until_ || Swallows()) return Record("trigger swallowed");
    next_ = Read(arguments_.config);
    if (!next_.failure.empty()) {
      deaf_until_ = now + Ms{running_.Number("stub.dead_ms", 1'000)};
      Record("rejected");
      return Say("error", "[reload] " + next_.failure + ", reloading is halted");
    }
    Record("trigger accepted");
    reloading_ = true;
    const Ms drain{running_.Number("stub.drain_ms", 20)};
    if (!running_.On("stub.hang")) finish_at_ = now + drain;
    const Ms limit{1'000 * running_.Number("hot_reload.timeout", 0)};
    if (limit.count() > 0 && (drain > limit || running_.On("stub.hang"))) abort_at_ = now + limit;
  }

  bool Swallows() {
    if (swallowed_ < running_.Number("stub.swallow_first", 0)) return ++swallowed_ > 0;
    return std::bernoulli_distribution(std::atof(running_.Text("stub.swallow", "0").c_str()))(random_);
  }

  void Finish(Clock::time_point now) {
    finish_at_.reset();
    abort_at_.reset();
    reloading_ = false;
    if (running_.Number("hot_reload.timeout", 0) > 0) deaf_until_ = now + Ms{100};
    running_ = std::move(next_);
    if (running_.Text("stub.fail") == "init" || !OpenHttp()) {
      Say("error", "[reload] reloading is aborted and exit");
      exit_code_ = 255;
      return;
    }
    ++count_;
    const std::string level = running_.Text("log_level", "info");
    Record("running " + Name(running_));
    if (running_.Text("log_file").empty() && level == "info") Say(" info", "[reload] successful reload done.");
  }

  Reply Answer(const Request& request) {
    if (request.path != "/api/v2/reload") return {request.path == "/" ? 200 : 404, "{}"};
    if (request.method == "GET") return {200, "{\"hot_reload_count\":" + std::to_string(count_) + "}"};
    if (request.method != "POST" && request.method != "PUT") return {405, "{}"};
    if (!request.has_body) return {.body = "", .none = true};
    if (!arguments_.hot_reload) return {200, R"({"reload":"not enabled","status":-1})"};
    if (reloading_) {
      Record("trigger busy");
      return {400, R"({"reload":"in progress","status":-2})"};
    }
    kill(getpid(), SIGHUP);
    return {200, R"({"reload":"done","status":0})"};
  }

  const Arguments arguments_;
  Http http_;
  std::mt19937 random_;
  int signals_ = -1;
  Config running_;
  Config next_;
  int count_ = 0;
  int swallowed_ = 0;
  bool reloading_ = false;
  Clock::time_point began_{};
  Clock::time_point deaf_until_{};
  std::optional<Clock::time_point> finish_at_;
  std::optional<Clock::time_point> abort_at_;
  std::optional<int> exit_code_;
};

}  // namespace
}  // namespace stub

int main(int argc, char** argv) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const stub::Arguments arguments = stub::Parse(argc, argv);
  if (arguments.dry_run) return stub::DryRun(stub::Read(arguments.config));
  return stub::FluentBit(arguments).Run();
}
