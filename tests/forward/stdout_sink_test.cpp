#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "forward/descriptor_sink.h"
#include "forward/disk_trouble.h"
#include "forward/files.h"
#include "forward/samples.h"
#include "kube/temp_dir.h"
#include "kube_events/base/file_descriptor.h"

namespace kube_events::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kSoon = 20ms;  // for batches that nobody reads

std::vector<RecordPtr> Batch(int first, int last, std::size_t size = 10) {
  std::vector<RecordPtr> batch;
  for (int i = first; i <= last; ++i) batch.push_back(SmallRecord(i, std::string(size, 'x')));
  return batch;
}
std::string Lines(const std::vector<RecordPtr>& batch) {
  std::string lines;
  for (const RecordPtr& record : batch) lines += JsonOf(*record) + "\n";
  return lines;
}

SendLimits Limits(std::chrono::milliseconds timeout, std::stop_token stop = {}) { return {timeout, std::move(stop)}; }

// A pipe whose reader decides when to read.
class StdoutSinkTest : public ::testing::Test {
 protected:
  StdoutSinkTest() : handler_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~StdoutSinkTest() override { std::signal(SIGPIPE, handler_); }

  std::unique_ptr<Sink> Make() const { return MakeDescriptorSink(pipe_.write_end.get(), {}).value(); }

  // Reads so many bytes.
  std::string Take(std::size_t bytes) const {
    std::string text(bytes, '\0');
    std::size_t done = 0;
    while (done < bytes) {
      const ssize_t got = ::read(pipe_.read_end.get(), text.data() + done, bytes - done);
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
  }
  // Reads what is there now.
  std::string TakeAll() const {
    ::fcntl(pipe_.read_end.get(), F_SETFL, O_NONBLOCK);
    std::string text = Take(std::size_t{1} << 24);
    ::fcntl(pipe_.read_end.get(), F_SETFL, 0);
    return text;
  }

  Pipe pipe_ = MakePipe().value();

 private:
  sighandler_t handler_;
};

TEST_F(StdoutSinkTest, WritesOneLineForEachRecord) {
  ASSERT_TRUE(Make()->Send(Batch(1, 3), {}));
  EXPECT_EQ(TakeAll(), Lines(Batch(1, 3)));
}

TEST_F(StdoutSinkTest, WritesAllOfABatchThatIsLargerThanThePipe) {
  const auto batch = Batch(1, 500, 2000);
  std::string read;
  std::jthread reader([&] { read = Take(Lines(batch).size()); });
  ASSERT_TRUE(Make()->Send(batch, {}));
  reader.join();
  EXPECT_EQ(read, Lines(batch));
}

TEST_F(StdoutSinkTest, APipeThatNobodyReadsIsAReasonToTryAgain) {
  const auto sent = Make()->Send(Batch(1, 500, 2000), Limits(kSoon));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
  EXPECT_NE(sent.error().message.find("is not read"), std::string::npos) << sent.error().message;
}

TEST_F(StdoutSinkTest, AStopEndsTheWaitForAReader) {
  std::stop_source stop;
  const auto sink = Make();
  std::jthread stopper([&] {
    // The first bytes tell that the sink is at it.
    Take(1);
    stop.request_stop();
  });
  const auto sent = sink->Send(Batch(1, 5000, 2000), Limits(10min, stop.get_token()));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kCancelled);
  // A stop that is over does not end the next one.
  TakeAll();
  const auto again = sink->Send(Batch(1, 5000, 2000), Limits(kSoon));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kRetry);
}

TEST_F(StdoutSinkTest, TheSameBatchGoesOnWhereItStopped) {
  const auto batch = Batch(1, 500, 2000);
  const auto sink = Make();
  std::string read;
  int failures = 0;
  while (!sink->Send(Batch(1, 500, 2000), Limits(kSoon))) {
    ++failures;
    read += TakeAll();
  }
  read += TakeAll();
  EXPECT_GT(failures, 0);
  EXPECT_EQ(read, Lines(batch));
}

TEST_F(StdoutSinkTest, AnotherBatchBeginsOnALineOfItsOwn) {
  const auto batch = Batch(1, 50, 5000);
  const auto sink = Make();
  ASSERT_FALSE(sink->Send(batch, Limits(kSoon)));
  std::string read = TakeAll();
  ASSERT_FALSE(read.ends_with('\n')) << "the pipe has taken whole lines only; choose another size";
  ASSERT_TRUE(sink->Send(Batch(7, 8), {}));
  read += TakeAll();
  const std::string other = Lines(Batch(7, 8));
  ASSERT_TRUE(read.ends_with("\n" + other));
  EXPECT_TRUE(Lines(batch).starts_with(read.substr(0, read.size() - other.size())));
}

TEST_F(StdoutSinkTest, AReaderThatHasGoneIsAReasonToTryAgain) {
  const auto sink = Make();
  pipe_.read_end.Reset();
  const auto sent = sink->Send(Batch(1, 1), {});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kRetry);
  EXPECT_NE(sent.error().message.find("Broken pipe"), std::string::npos);
}

TEST_F(StdoutSinkTest, LeavesTheFlagsOfASharedPipeAlone) {
  ASSERT_TRUE(Make()->Send(Batch(1, 1), {}));
  EXPECT_EQ(::fcntl(pipe_.write_end.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(StdoutSinkTest, DoesNotHangInAPipeThatCannotBeOpenedAgain) {
  if (!AsNobody::Works()) GTEST_SKIP() << "only root can be kept from opening its own pipe";
  std::unique_ptr<Sink> sink;
  {
    const AsNobody nobody;
    sink = Make();
  }
  const auto batch = Batch(1, 100, 2000);
  std::string read;
  while (!sink->Send(batch, Limits(kSoon))) read += TakeAll();
  read += TakeAll();
  EXPECT_EQ(read, Lines(batch));
}

TEST_F(StdoutSinkTest, WritesToASocketAndToAFileToo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const auto socket_sink = MakeDescriptorSink(ours.get(), {}).value();
  EXPECT_FALSE(socket_sink->Send(Batch(1, 5000, 2000), Limits(kSoon)));

  const TempDir dir;
  const UniqueFd file(::open((dir.path() / "out").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::write(file.get(), "before\n", 7), 7);
  ASSERT_TRUE(MakeDescriptorSink(file.get(), {}).value()->Send(Batch(1, 2), {}));
  EXPECT_EQ(ContentOf(dir.path() / "out"), "before\n" + Lines(Batch(1, 2)));
}

TEST_F(StdoutSinkTest, ADescriptorThatIsOpenForReadingOnlyIsRefused) {
  const UniqueFd null(::open("/dev/null", O_RDONLY));
  for (const int fd : {null.get(), pipe_.read_end.get()}) {
    const auto sink = MakeDescriptorSink(fd, {});
    ASSERT_FALSE(sink);
    EXPECT_EQ(sink.error().kind, ErrorKind::kConfiguration);
  }
}

TEST_F(StdoutSinkTest, AClosedDescriptorIsRefused) {
  const int fd = pipe_.write_end.get();
  pipe_.write_end.Reset();
  const auto sink = MakeDescriptorSink(fd, {});
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().kind, ErrorKind::kConfiguration);
}

}  // namespace
}  // namespace kube_events::testing
