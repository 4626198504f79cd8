// The informer's thread: what it does with what is thrown, and how it ends.
#include "kube_events/informer/informer.h"

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/eventually.h"
#include "support/fake_http_client.h"
#include "support/silent_monitor.h"

namespace kube_events {
namespace {

constexpr const char* kEmptyPage =
    R"({"kind":"EventList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})";

class DisturbedConsumer final : public ChangeConsumer {
 public:
  void OnListBegin(ScopeIndex, ListReason, WallTime) override {
    if (disturb) disturb();
  }
  void OnListCommitted(ScopeIndex, std::string_view, WallTime) override {}
  void OnChange(const Change&) override {}

  std::function<void()> disturb;
};

class InformerTest : public testing::Test {
 protected:
  void Start() {
    informer_ = std::make_unique<Informer>(
        InformerOptions{{Scope{}}, {}},
        InformerParts{.client = client_,
                      .clock = clock_,
                      .consumer = consumer_,
                      .monitor = monitor_,
                      .heartbeat = health_.AddLoop("informer", std::chrono::hours(1)),
                      .log = Logger(),
                      .on_failure = [this](const std::string& reason) { NoteFailure(reason); }});
  }
  void NoteFailure(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    failures_.push_back(reason);
  }
  std::vector<std::string> Failures() {
    const std::lock_guard lock(mutex_);
    return failures_;
  }
  // Answers the first list, waits for the failure, ends the informer and returns all the failures told.
  std::vector<std::string> FailuresAfterTheFirstList() {
    Start();
    http_.at(0).Respond(200, kEmptyPage);
    EXPECT_TRUE(Eventually([this] { return !Failures().empty(); }));
    informer_.reset();
    return Failures();
  }

  SystemClock clock_;
  Health health_{clock_};
  FakeHttpClient http_;
  std::unique_ptr<Credentials> credentials_ = MakeAnonymousCredentials();
  KubeClient client_{http_, *credentials_};
  DisturbedConsumer consumer_;
  SilentMonitor monitor_;
  std::mutex mutex_;  // guards failures_
  std::vector<std::string> failures_;
  std::unique_ptr<Informer> informer_;
};

TEST_F(InformerTest, WhatAConsumerThrowsIsToldOnceWithItsReason) {
  consumer_.disturb = [] { throw std::runtime_error("no memory"); };
  EXPECT_EQ(FailuresAfterTheFirstList(), std::vector<std::string>{"the informer thread failed: no memory"});
}

TEST_F(InformerTest, WhateverAConsumerThrowsIsTold) {
  consumer_.disturb = [] { throw 7; };
  EXPECT_EQ(FailuresAfterTheFirstList(), std::vector<std::string>{"the informer thread failed"});
}

TEST_F(InformerTest, EndsWithoutWaitingForAnAnswerAndWithoutAFailure) {
  Start();
  FakeExchange& list = http_.at(0);
  informer_.reset();  // or this test never ends
  EXPECT_TRUE(list.cancelled());
  EXPECT_EQ(Failures(), std::vector<std::string>{});
}

}  // namespace
}  // namespace kube_events
