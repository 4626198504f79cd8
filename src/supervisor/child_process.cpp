#include "kube_events/supervisor/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kube_events/base/file_descriptor.h"

namespace kube_events {
namespace {

// What happens between fork and exec. Only async-signal-safe calls: other threads may hold any lock.
struct Launch {
  const char* path;
  char* const* arguments;
  const char* directory;
  int stdout_fd;
  int stderr_fd;
  int failure_fd;
  pid_t parent;
};

enum class Step : int { kDirectory, kExecute };
struct Failure {
  Step step;
  int error;
};

[[noreturn]] void GiveUp(const Launch& launch, Step step) {
  const Failure failure{step, errno};
  if (write(launch.failure_fd, &failure, sizeof failure) < 0) _exit(126);
  _exit(127);
}

void ResetSignals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void Redirect(int from, int to) {
  if (from >= 0) dup2(from, to);
}

[[noreturn]] void Execute(const Launch& launch) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(127);  // it ended before it could be noticed
  Redirect(launch.stdout_fd, STDOUT_FILENO);
  Redirect(launch.stderr_fd, STDERR_FILENO);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (launch.directory != nullptr && chdir(launch.directory) != 0) GiveUp(launch, Step::kDirectory);
  ResetSignals();
  execvp(launch.path, launch.arguments);
  GiveUp(launch, Step::kExecute);
}

std::string Explain(const ChildOptions& options, const Failure& failure) {
  const std::string reason = std::strerror(failure.error);
  if (failure.step == Step::kDirectory) return "cannot change to " + options.directory.string() + ": " + reason;
  return "cannot execute " + options.command.front() + ": " + reason;
}

}  // namespace

Result<pid_t> StartChild(const ChildOptions& options) {
  auto failure_pipe = MakePipe();
  if (!failure_pipe) return Fail(failure_pipe.error());

  std::vector<char*> arguments;
  for (const std::string& argument : options.command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const Launch launch{
      arguments[0],      arguments.data(),  options.directory.empty() ? nullptr : options.directory.c_str(),
      options.stdout_fd, options.stderr_fd, failure_pipe->write_end.get(),
      getpid()};
  const pid_t pid = fork();
  if (pid == 0) Execute(launch);
  if (pid < 0) {
    return Fail(ErrorKind::kRetry, "cannot start " + options.command.front() + ": " + std::strerror(errno));
  }
  failure_pipe->write_end.Reset();
  Failure failure{};
  ssize_t size = 0;
  while ((size = read(failure_pipe->read_end.get(), &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  if (size != sizeof failure) return pid;
  waitpid(pid, nullptr, 0);
  return Fail(ErrorKind::kConfiguration, Explain(options, failure));
}

std::string DescribeExit(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return "exited with code " + std::to_string(WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  const char* name = sigdescr_np(number);
  return "was killed by signal " + std::to_string(number) + " (" + (name == nullptr ? "unknown" : name) + ")";
}

std::vector<std::pair<pid_t, int>> ReapChildren() {
  std::vector<std::pair<pid_t, int>> ended;
  int status = 0;
  for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
    ended.emplace_back(pid, status);
  }
  return ended;
}

void AdoptOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace kube_events
