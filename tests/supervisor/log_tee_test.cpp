#include "kube_events/supervisor/log_tee.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "kube_events/base/file_descriptor.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

// A pipe in, a pipe out, and a tee between them.
class LogTeeTest : public testing::Test {
 protected:
  std::string Pass(const std::string& text) {
    auto in = MakePipe(), out = MakePipe();
    const UniqueFd &sink = out->write_end, &reader = out->read_end;
    UniqueFd& writer = in->write_end;
    fcntl(reader.get(), F_SETFL, O_NONBLOCK);
    LogTee tee(loop_, std::move(in->read_end), sink.get());
    std::string passed;
    const auto watch = loop_.WatchFd(reader.get(), EventLoop::Ready::kToRead, [&] {
      char buffer[1000];
      const auto size = read(reader.get(), buffer, sizeof buffer);
      if (size > 0) passed.append(buffer, static_cast<std::size_t>(size));
      if (passed.size() >= text.size()) loop_.Stop();
    });
    std::size_t sent = 0;
    fcntl(writer.get(), F_SETFL, O_NONBLOCK);
    auto source = loop_.WatchFd(writer.get(), EventLoop::Ready::kToWrite, [&] {
      const auto size = write(writer.get(), text.data() + sent, std::min<std::size_t>(3'000, text.size() - sent));
      if (size > 0) sent += static_cast<std::size_t>(size);
    });
    const auto closer = loop_.MakeTimer([&] {
      if (sent == text.size()) {
        source.reset();
        writer.Reset();
      } else {
        retry_->After(1ms);
      }
    });
    retry_ = closer.get();
    closer->After(1ms);
    loop_.Run();
    counts_ = tee.Counts();
    return passed;
  }

  EventLoop loop_;
  EventLoop::Timer* retry_ = nullptr;
  LogCounts counts_;
};

TEST_F(LogTeeTest, EverythingIsPassedOnAlsoWithoutALastNewline) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "line " + std::to_string(i) + "\n";
  text += std::string(100'000, 'x') + "\nend";
  EXPECT_EQ(Pass(text), text);
}

TEST_F(LogTeeTest, LinesAboutReloadsAreCounted) {
  Pass(
      "[reload] successful reload done.\nreloading in progress, aborting.\n[reload] successful reload done.\n"
      "[ warn] [reload] hot reloading is not enabled\nother\n");
  EXPECT_EQ(counts_.reloaded, 2U);
  EXPECT_EQ(counts_.aborted, 1U);
  EXPECT_EQ(counts_.disabled, 1U);
}

}  // namespace
}  // namespace kube_events
