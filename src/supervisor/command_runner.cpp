#include "kube_events/supervisor/command_runner.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <utility>

#include "kube_events/base/command.h"
#include "kube_events/base/text.h"

namespace kube_events {
namespace {

constexpr std::size_t kMaxOutput = std::size_t{16} * 1024;
constexpr std::size_t kMaxEssence = 500;

// Without the escape sequences that colour a log.
std::string Plain(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      i = std::min(text.find_first_of("ABCDHJKfmsu", i + 2), text.size() - 1);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

CommandRunner::~CommandRunner() {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

void CommandRunner::Run(ChildOptions command, std::chrono::milliseconds timeout,
                        std::function<void(CommandOutcome)> handler) {
  handler_ = std::move(handler);
  output_.clear();
  timed_out_ = false;
  auto pipe = MakePipe();
  if (pipe) command.stdout_fd = command.stderr_fd = pipe->write_end.get();
  const Result<pid_t> started = pipe ? StartChild(command) : Fail(pipe.error());
  if (!started) {
    output_ = started.error().message;
    timer_ = loop_.MakeTimer([this] { Finish({.started = false, .output = std::move(output_)}); });
    timer_->After(std::chrono::nanoseconds{0});
    return;
  }
  pid_ = *started;
  read_end_ = std::move(pipe->read_end);
  fcntl(read_end_.get(), F_SETFL, O_NONBLOCK);
  readable_ = loop_.WatchFd(read_end_.get(), EventLoop::Ready::kToRead, [this] { Read(); });
  timer_ = loop_.MakeTimer([this] {
    timed_out_ = true;
    kill(pid_, SIGKILL);
  });
  timer_->After(timeout);
}

void CommandRunner::Read() {
  std::array<char, 4'096> buffer;
  ssize_t size = 0;
  while ((size = read(read_end_.get(), buffer.data(), buffer.size())) > 0) {
    output_.append(buffer.data(), static_cast<std::size_t>(size));
    if (output_.size() > kMaxOutput) output_.erase(0, output_.size() - kMaxOutput);
  }
  if (size == 0) readable_.reset();
}

bool CommandRunner::OnChildEnded(pid_t pid, int wait_status) {
  if (pid_ == 0 || pid != pid_) return false;
  pid_ = 0;
  Read();
  Finish({.ended = !timed_out_, .exit_code = ExitCode(wait_status), .output = std::move(output_)});
  return true;
}

void CommandRunner::Finish(CommandOutcome outcome) {
  readable_.reset();
  timer_.reset();
  read_end_ = UniqueFd();
  const auto handler = std::exchange(handler_, nullptr);
  handler(std::move(outcome));
}

std::string EssenceOf(const std::string& output) {
  std::istringstream lines(Plain(output));
  std::string errors, last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    last = line;
    if (line.find("rror") == line.npos || errors.find(line) != errors.npos) continue;
    errors += (errors.empty() ? "" : "; ") + line;
  }
  const std::string& essence = errors.empty() ? last : errors;
  return Shortened(essence, kMaxEssence);
}

}  // namespace kube_events
