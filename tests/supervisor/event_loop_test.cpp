#include "kube_events/supervisor/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "kube_events/base/file_descriptor.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(EventLoopTest, TimersComeInOrderAndOnce) {
  EventLoop loop;
  std::vector<int> calls;
  const auto second = loop.MakeTimer([&] { calls.push_back(2); });
  const auto first = loop.MakeTimer([&] { calls.push_back(1); });
  const auto never = loop.MakeTimer([&] { calls.push_back(0); });
  const auto last = loop.MakeTimer([&] { loop.Stop(); });
  never->After(0ms);
  never->Set(std::nullopt);
  first->After(1ms);
  second->After(5ms);
  last->After(20ms);
  loop.Run();
  EXPECT_THAT(calls, ElementsAre(1, 2));
}

TEST(EventLoopTest, TimersThatAreDueTogetherComeInTheOrderOfTheirTimes) {
  EventLoop loop;
  std::vector<int> calls;
  const auto second = loop.MakeTimer([&] { calls.push_back(2); });
  const auto first = loop.MakeTimer([&] { calls.push_back(1); });
  const auto last = loop.MakeTimer([&] { loop.Stop(); });
  const MonotonicTime past = std::chrono::steady_clock::now() - 1s;
  second->Set(past + 2ms);
  first->Set(past + 1ms);
  last->Set(past + 3ms);
  loop.Run();
  EXPECT_THAT(calls, ElementsAre(1, 2));
}

TEST(EventLoopTest, HandlersMayDestroyThemselvesAndEachOther) {
  EventLoop loop;
  const auto pipe = MakePipe();
  ASSERT_TRUE(pipe);
  const UniqueFd &reader = pipe->read_end, &writer = pipe->write_end;
  int calls = 0;
  std::unique_ptr<EventLoop::Watch> one, two;
  std::unique_ptr<EventLoop::Timer> timer;
  const auto end = [&] {
    ++calls;
    one.reset();
    two.reset();
    timer.reset();
    loop.Stop();
  };
  one = loop.WatchFd(reader.get(), EventLoop::Ready::kToRead, end);
  two = loop.WatchFd(writer.get(), EventLoop::Ready::kToWrite, end);
  timer = loop.MakeTimer(end);
  timer->After(0ms);
  ASSERT_EQ(write(writer.get(), "x", 1), 1);
  loop.Run();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace kube_events
