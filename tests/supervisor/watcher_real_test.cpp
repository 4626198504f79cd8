// The main cases with a real Fluent Bit, which the variable FLUENT_BIT names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "supervisor/watcher_process.h"
#include "support/eventually.h"

namespace kube_events {
namespace {

using testing::HasSubstr;

class WatcherRealTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* binary = std::getenv("FLUENT_BIT");
    if (binary == nullptr) {
      GTEST_SKIP() << "FLUENT_BIT does not name a binary of Fluent Bit, so only the stub is tried";
    }
    Write("first", "null");
    watcher_.StartOnFolder({"-b", binary});
    ASSERT_TRUE(watcher_.EventuallyLogs("Fluent Bit is up"));
    ASSERT_TRUE(watcher_.EventuallyMetric("pending_reload", 0));
  }
  void Write(const std::string& tag, const std::string& output) {
    watcher_.dir().Write("cfg/fluent-bit.conf",
                         "[SERVICE]\n    http_server on\n    http_listen 127.0.0.1\n    http_port " +
                             std::to_string(watcher_.child_port()) + "\n[INPUT]\n    name dummy\n    tag " + tag +
                             "\n[OUTPUT]\n    name " + output + "\n    match *\n");
  }
  bool EventuallyReloads(const std::string& result, double times) {
    return watcher_.EventuallyMetric("reloads_total{result=\"" + result + "\"}", times);
  }

  WatcherProcess watcher_;
};

TEST_F(WatcherRealTest, ChangesAreAppliedAndProvenByTheCount) {
  for (int i = 1; i <= 3; ++i) {
    Write("change" + std::to_string(i), "null");
    ASSERT_TRUE(EventuallyReloads("applied", i));
    ASSERT_TRUE(watcher_.EventuallyMetric("pending_reload", 0));
  }
}

TEST_F(WatcherRealTest, ABadConfigurationIsRefusedInItsOwnWords) {
  Write("bad", "no_such_plugin");
  ASSERT_TRUE(EventuallyReloads("rejected", 1));
  EXPECT_THAT(watcher_.Log(), HasSubstr("no_such_plugin"));
  Write("good", "null");
  EXPECT_TRUE(EventuallyReloads("applied", 1));
}

}  // namespace
}  // namespace kube_events
