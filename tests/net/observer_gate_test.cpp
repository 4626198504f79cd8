#include "net/observer_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "net/recording_observer.h"

namespace kube_events {
namespace {

TEST(ObserverGate, RunsCallsUntilItIsClosed) {
  RecordingObserver observer;
  ObserverGate gate(observer);
  EXPECT_TRUE(gate.Call([](HttpObserver& o) { o.OnHead({}); }));
  gate.Close();
  EXPECT_TRUE(gate.closed());
  EXPECT_FALSE(gate.Call([](HttpObserver& o) { o.OnEnd({}); }));
  EXPECT_FALSE(observer.ended());
}

TEST(ObserverGate, CloseWaitsForACallInProgress) {
  RecordingObserver observer;
  ObserverGate gate(observer);
  std::latch called(1);
  std::atomic<bool> finish = false;
  std::atomic<bool> finished = false;
  std::jthread network([&] {
    gate.Call([&](HttpObserver&) {
      called.count_down();
      finish.wait(false);
      finished = true;
    });
  });
  called.wait();
  std::jthread helper([&] {
    // Close has begun once the gate says that it is closed; only then may the call end.
    while (!gate.closed()) std::this_thread::yield();
    finish = true;
    finish.notify_all();
  });
  gate.Close();
  EXPECT_TRUE(finished);
}

TEST(ObserverGate, MayBeClosedFromWithinACall) {
  RecordingObserver observer;
  ObserverGate gate(observer);
  EXPECT_TRUE(gate.Call([&](HttpObserver&) { gate.Close(); }));
  EXPECT_FALSE(gate.Call([](HttpObserver&) {}));
}

}  // namespace
}  // namespace kube_events
