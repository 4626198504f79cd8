// What only a leader may do, once it leads no more.
#include <gtest/gtest.h>

#include <string>

#include "kube_events/app/leadership.h"
#include "support/fake_clock.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

class CountingConsumer final : public ChangeConsumer {
 public:
  void OnListBegin(ScopeIndex, ListReason, WallTime) override { ++calls; }
  void OnListCommitted(ScopeIndex, std::string_view, WallTime) override { ++calls; }
  void OnChange(const Change&) override { ++calls; }

  int calls = 0;
};

class OneLine final : public MetricSource {
 public:
  void AppendTo(std::string& page, ExpositionFormat) const override { page += "kube_events_total 1\n"; }
};

class FencedTest : public ::testing::Test {
 protected:
  void Everything() {
    const Event event;
    fenced_.OnListBegin(0, ListReason::kFirst, {});
    fenced_.OnChange({0, ChangeKind::kListed, event, "", {}});
    fenced_.OnListCommitted(0, "1", {});
  }
  std::string Page() const {
    std::string page;
    source_.AppendTo(page, ExpositionFormat::kText);
    return page;
  }

  FakeClock clock_;
  LeaderFence fence_{clock_};
  CountingConsumer consumer_;
  OneLine line_;
  int lapses_ = 0;
  FencedConsumer fenced_{fence_, consumer_, [this] { ++lapses_; }};
  FencedSource source_{fence_, line_};
};

TEST_F(FencedTest, LetsEverythingThroughBeforeTheDeadline) {
  fence_.OpenUntil(clock_.Monotonic() + 10s);
  Everything();
  EXPECT_EQ(consumer_.calls, 3);
  EXPECT_EQ(lapses_, 0);
  EXPECT_EQ(Page(), "kube_events_total 1\n");
}

TEST_F(FencedTest, LetsNothingThroughAfterTheDeadlineAlsoIfNobodyElseHasNoticed) {
  fence_.OpenUntil(clock_.Monotonic() + 10s);
  clock_.Advance(10s);
  Everything();
  EXPECT_EQ(consumer_.calls, 0);
  EXPECT_EQ(lapses_, 1) << "told once";
  EXPECT_EQ(Page(), "");
}

TEST_F(FencedTest, DoesNotGoOnBehindAChangeThatItHasRefused) {
  fence_.OpenUntil(clock_.Monotonic() + 10s);
  clock_.Advance(10s);
  Everything();
  fence_.OpenUntil(clock_.Monotonic() + 10s);
  Everything();
  EXPECT_EQ(consumer_.calls, 0);
}

}  // namespace
}  // namespace kube_events
