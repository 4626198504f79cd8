#include "kube_events/base/command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kube_events/base/file_descriptor.h"

namespace kube_events {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLastWords = 1024;
// How often we look whether the program has ended: the end of its output does not tell, since what it starts may keep
// that open.
constexpr std::chrono::milliseconds kEndPoll{10};

// A pipe that is read without blocking.
bool Open(Pipe& pipe) {
  auto made = MakePipe();
  if (!made) return false;
  pipe = std::move(*made);
  return ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK) == 0;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the program; returns 0 or an error number.
int Spawn(const Command& command, const Pipe& out, const Pipe& err, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.write_end.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> words{command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  const std::vector<char*> arguments = Pointers(words);
  const std::vector<char*> environment = Pointers(command.environment);
  const int error =
      ::posix_spawnp(&pid, command.program.c_str(), &files, &attributes, arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// A program under way, until its end or its killing.
class Run {
 public:
  Run(const Command& command, const std::stop_token& stop) : command_(command), stop_(stop) {}
  ~Run() { Kill(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Result<void> Start() {
    wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_ || !Open(out_) || !Open(err_)) return CannotRun(errno);
    if (const int error = Spawn(command_, out_, err_, pid_)) {
      pid_ = -1;
      return CannotRun(error);
    }
    out_.write_end.Reset();
    err_.write_end.Reset();
    return {};
  }

  Result<CommandResult> Finish() {
    const std::stop_callback on_stop(stop_, [this] {
      const std::uint64_t one = 1;
      static_cast<void>(::write(wake_.get(), &one, sizeof one));
    });
    const auto deadline = Clock::now() + command_.timeout;
    while (!HasEnded()) {
      if (stop_.stop_requested()) return Fail(ErrorKind::kCancelled, command_.program + " was stopped");
      if (Clock::now() >= deadline) return TookTooLong();
      AwaitOutput();
      Read();
      if (result_.output.size() > command_.max_output) return WroteTooMuch();
    }
    Read();
    if (result_.output.size() > command_.max_output) return WroteTooMuch();
    return std::move(result_);
  }

 private:
  tl::unexpected<Error> CannotRun(int error) const {
    return Fail(ErrorKind::kConfiguration, "cannot run " + command_.program + ": " + std::strerror(error));
  }

  tl::unexpected<Error> TookTooLong() const {
    return Fail(ErrorKind::kRetry, command_.program + " did not end within " +
                                       std::to_string(command_.timeout.count()) + " ms and was killed");
  }

  tl::unexpected<Error> WroteTooMuch() const {
    return Fail(ErrorKind::kRetry, command_.program + " wrote more than " + std::to_string(command_.max_output) +
                                       " bytes to its standard output");
  }

  bool HasEnded() {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
    result_.exit_code = ExitCode(status);
    ::kill(-pid_, SIGKILL);  // whatever it left behind
    pid_ = -1;
    return true;
  }

  void AwaitOutput() {
    std::array<pollfd, 3> fds{pollfd{out_.read_end.get(), POLLIN, 0}, pollfd{err_.read_end.get(), POLLIN, 0},
                              pollfd{wake_.get(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(), static_cast<int>(kEndPoll.count()));
  }

  void Read() {
    ReadAll(out_.read_end, result_.output, command_.max_output + 1);
    ReadAll(err_.read_end, result_.last_words, SIZE_MAX);
    std::string& words = result_.last_words;
    if (words.size() > kLastWords) words.erase(0, words.size() - kLastWords);
  }

  // Takes what is there, until `text` has `enough` bytes; closes at the end.
  static void ReadAll(UniqueFd& from, std::string& text, std::size_t enough) {
    std::array<char, 16384> piece{};
    while (from && text.size() < enough) {
      const ssize_t size = ::read(from.get(), piece.data(), piece.size());
      if (size > 0) {
        text.append(piece.data(), static_cast<std::size_t>(size));
        continue;
      }
      if (size < 0 && errno == EINTR) continue;
      if (size == 0 || errno != EAGAIN) from.Reset();
      return;
    }
  }

  void Kill() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }

  const Command& command_;
  const std::stop_token& stop_;
  UniqueFd wake_;
  Pipe out_;
  Pipe err_;
  pid_t pid_ = -1;
  CommandResult result_;
};

}  // namespace

Result<CommandResult> RunCommand(const Command& command, const std::stop_token& stop) {
  Run run(command, stop);
  if (auto started = run.Start(); !started) return Fail(started.error());
  return run.Finish();
}

int ExitCode(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace kube_events
