#include "kube_events/base/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kube_events {
namespace {

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(FileDescriptorTest, ItIsClosedAtTheEndOnceAndByItsLastOwner) {
  int fd = -1;
  {
    UniqueFd first(open("/dev/null", O_RDONLY));
    ASSERT_TRUE(first);
    fd = first.get();
    UniqueFd second(std::move(first));
    EXPECT_EQ(second.get(), fd);
    UniqueFd third;
    EXPECT_FALSE(third);
    third = std::move(second);
    EXPECT_TRUE(IsOpen(fd));
    EXPECT_EQ(third.get(), fd);
  }
  EXPECT_FALSE(IsOpen(fd));
}

TEST(FileDescriptorTest, ResetClosesAtOnce) {
  UniqueFd fd(open("/dev/null", O_RDONLY));
  const int number = fd.get();
  fd.Reset();
  EXPECT_FALSE(fd);
  EXPECT_FALSE(IsOpen(number));
}

TEST(FileDescriptorTest, NothingElseGetsTheNumberOfAClosedStandardStream) {
  const auto child = [] {
    for (const int fd : {0, 1, 2}) close(fd);
    FillStandardStreams();
    const bool filled = IsOpen(0) && IsOpen(1) && IsOpen(2);
    _exit(filled && write(1, "x", 1) < 0 && write(2, "x", 1) == 1 ? 0 : 1);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

TEST(FileDescriptorTest, NoProgramInheritsAPipe) {
  const auto pipe = MakePipe();
  ASSERT_TRUE(pipe);
  EXPECT_EQ(fcntl(pipe->read_end.get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(fcntl(pipe->write_end.get(), F_GETFD), FD_CLOEXEC);
  ASSERT_EQ(write(pipe->write_end.get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(pipe->read_end.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
}

}  // namespace
}  // namespace kube_events
