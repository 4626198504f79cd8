// Runs commands as the watcher does. A fixture for tests; their thread only.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <utility>
#include <vector>

#include "kube_events/supervisor/child_process.h"
#include "kube_events/supervisor/command_runner.h"
#include "kube_events/supervisor/event_loop.h"

namespace kube_events {

// With this test's signals blocked as a watcher's are.
class CommandFixture : public testing::Test {
 protected:
  void SetUp() override {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
    signal(SIGPIPE, SIG_IGN);
  }
  void TearDown() override {
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  CommandOutcome Run(std::vector<std::string> command, std::chrono::milliseconds timeout = std::chrono::seconds{20},
                     const std::string& directory = "") {
    CommandOutcome outcome;
    runner_.Run({.command = std::move(command), .directory = directory}, timeout, [&](CommandOutcome result) {
      outcome = std::move(result);
      loop_.Stop();
    });
    const auto reaper = loop_.MakeTimer([this] { Reap(); });
    reaper_ = reaper.get();
    reaper->After(std::chrono::milliseconds{1});
    loop_.Run();
    return outcome;
  }

  EventLoop loop_;
  CommandRunner runner_{loop_};

 private:
  void Reap() {
    for (const auto& [pid, status] : ReapChildren()) runner_.OnChildEnded(pid, status);
    reaper_->After(std::chrono::milliseconds{1});
  }

  sigset_t before_{};
  EventLoop::Timer* reaper_ = nullptr;
};

}  // namespace kube_events
