#include "kube_events/informer/frame_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kube_events {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Drain(FrameSplitter& splitter) {
  std::vector<std::string> frames;
  while (const auto frame = splitter.Next()) frames.emplace_back(*frame);
  return frames;
}

std::vector<std::string> Split(std::string_view bytes) {
  FrameSplitter splitter;
  splitter.Append(bytes);
  return Drain(splitter);
}

TEST(FrameSplitter, OneLineIsOneFrame) { EXPECT_THAT(Split("{\"a\":1}\n"), ElementsAre("{\"a\":1}")); }

TEST(FrameSplitter, SeveralFramesInOneChunkComeOneByOne) {
  EXPECT_THAT(Split("{\"a\":1}\n{\"b\":2}\r\n\n{\"c\":3}\n"), ElementsAre("{\"a\":1}", "{\"b\":2}", "{\"c\":3}"));
}

std::vector<std::string> SplitByteByByte(std::string_view bytes, FrameSplitter splitter = FrameSplitter()) {
  std::vector<std::string> frames;
  for (const char c : bytes) {
    splitter.Append(std::string_view(&c, 1));
    for (auto& frame : Drain(splitter)) frames.push_back(std::move(frame));
  }
  return frames;
}

TEST(FrameSplitter, AFrameMayBeCutAtEveryByte) {
  const std::string stream = "{\"a\":\"}{\\\"\"}\n{\"b\":{\"c\":[1,2]}}\n";
  EXPECT_THAT(SplitByteByByte(stream), ElementsAre("{\"a\":\"}{\\\"\"}", "{\"b\":{\"c\":[1,2]}}"));
}

TEST(FrameSplitter, AnIncompleteFrameWaits) {
  FrameSplitter splitter;
  splitter.Append("{\"a\":{\"b\":1}");
  EXPECT_THAT(Drain(splitter), IsEmpty());
  splitter.Append("}\n");
  EXPECT_THAT(Drain(splitter), ElementsAre("{\"a\":{\"b\":1}}"));
}

TEST(FrameSplitter, ACompleteValueDoesNotWaitForANewline) {
  EXPECT_THAT(Split("{\"a\":1}"), ElementsAre("{\"a\":1}"));
  EXPECT_THAT(Split("{\"a\":1}{\"b\":2}"), ElementsAre("{\"a\":1}", "{\"b\":2}"));
}

TEST(FrameSplitter, AValueMaySpanLines) {
  EXPECT_THAT(Split("{\n  \"a\": {\n    \"b\": 1\n  }\n}\n{\"c\":3}\n"),
              ElementsAre("{\n  \"a\": {\n    \"b\": 1\n  }\n}", "{\"c\":3}"));
}

TEST(FrameSplitter, AnOversizedFrameIsSkippedAndTheNextOneComes) {
  FrameSplitter splitter(32);
  splitter.Append("{\"a\":\"" + std::string(40, 'x'));
  EXPECT_THAT(Drain(splitter), IsEmpty());
  EXPECT_TRUE(splitter.TakeOversized());
  EXPECT_FALSE(splitter.TakeOversized());
  splitter.Append(std::string(40, 'x') + "\"}\n{\"b\":2}\n");
  EXPECT_THAT(Drain(splitter), ElementsAre("{\"b\":2}"));
}

TEST(FrameSplitter, AnOversizedFrameInOneChunkIsSkippedToo) {
  FrameSplitter splitter(32);
  splitter.Append("{\"a\":\"" + std::string(80, 'x') + "\"}\n{\"b\":2}\n");
  EXPECT_THAT(Drain(splitter), ElementsAre("{\"b\":2}"));
  EXPECT_TRUE(splitter.TakeOversized());
}

TEST(FrameSplitter, TheFrameBehindOneThatWasCutShortBelowTheLimitComes) {
  const std::string stream = "{\"" + std::string(25, 'x') + "\n{\"b\":2}\n";
  EXPECT_THAT(SplitByteByByte(stream, FrameSplitter(30)), ElementsAre("{\"b\":2}"));
}

TEST(FrameSplitter, GarbageLinesComeOutSoThatTheyCanBeCounted) {
  EXPECT_THAT(Split("<html>\n{\"a\":1}\n"), ElementsAre("<html>", "{\"a\":1}"));
}

TEST(FrameSplitter, AFrameThatWasCutShortDoesNotSwallowTheNextOnes) {
  EXPECT_THAT(Split("{\"a\":{\"b\n{\"c\":3}\n{\"d\":4}\n"), ElementsAre("{\"a\":{\"b", "{\"c\":3}", "{\"d\":4}"));
}

TEST(FrameSplitter, TheFrameBehindOneThatWasCutShortMayBeCutAtEveryByte) {
  EXPECT_THAT(SplitByteByByte("{\"a\":\"\n{\"b\":\"}\"}\n{\"c\":3}\n"),
              ElementsAre("{\"a\":\"", "{\"b\":\"}\"}", "{\"c\":3}"));
}

TEST(FrameSplitter, ResetForgetsWhatWasNotComplete) {
  FrameSplitter splitter;
  splitter.Append("{\"a\":");
  Drain(splitter);
  splitter.Reset();
  splitter.Append("{\"b\":2}\n");
  EXPECT_THAT(Drain(splitter), ElementsAre("{\"b\":2}"));
}

TEST(FrameSplitter, RandomCutsOfALongStreamLoseNothing) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::string stream;
  std::vector<std::string> wanted;
  for (int i = 0; i < 2000; ++i) {
    wanted.push_back("{\"i\":" + std::to_string(i) + ",\"s\":\"" + std::string(random() % 900, '}') + "\"}");
    stream += wanted.back() + "\n";
  }
  FrameSplitter splitter;
  std::vector<std::string> frames;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t length = std::min<std::size_t>(stream.size() - at, random() % 5000);
    splitter.Append(std::string_view(stream).substr(at, length));
    at += length;
    for (auto& frame : Drain(splitter)) frames.push_back(std::move(frame));
  }
  EXPECT_EQ(frames, wanted);
}

TEST(FrameSplitter, ManyOpenBracesCostNoMoreThanTheirNumber) {
  // Looked at again for every line, a megabyte of them would take minutes.
  std::string stream;
  for (int i = 0; i < 500'000; ++i) stream += "{\n";
  FrameSplitter splitter;
  splitter.Append(stream);
  EXPECT_THAT(Drain(splitter), IsEmpty());
  splitter.Append("{\"a\":1}\n");
  EXPECT_EQ(Drain(splitter).back(), "{\"a\":1}");
}

TEST(CompleteObjectLength, CountsBracesOutsideStringsOnly) {
  EXPECT_EQ(CompleteObjectLength("{}x"), 2U);
  EXPECT_EQ(CompleteObjectLength(R"({"a":"}\"}"}{)"), 12U);
  EXPECT_EQ(CompleteObjectLength("{\"a\":{"), 0U);
  EXPECT_EQ(CompleteObjectLength("x{}"), 0U);
  EXPECT_EQ(CompleteObjectLength("{\"a\\"), 0U);
}

}  // namespace
}  // namespace kube_events
