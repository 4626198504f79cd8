#include "forward/forward_answer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace kube_events {
namespace {

using nlohmann::json;

std::string Packed(const json& value) {
  std::string bytes;
  json::to_msgpack(value, bytes);
  return bytes;
}

// All values in `bytes`, which come in pieces of `size`; ends with the message of an error.
std::vector<std::string> ReadInPieces(const std::string& bytes, std::size_t size) {
  AnswerReader reader;
  std::vector<std::string> read;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    reader.Append(bytes.substr(at, size));
    while (true) {
      auto next = reader.Next();
      if (!next) {
        read.push_back(next.error().message);
        return read;
      }
      if (!*next) break;
      read.push_back((*next)->dump());
    }
  }
  return read;
}

TEST(AnswerReaderTest, ValuesAreTheSameHoweverTheyAreCut) {
  const json helo = json::array({"HELO", {{"nonce", "n"}, {"auth", ""}, {"keepalive", true}}});
  const json ack = {{"ack", "p8n9gmxTQVC8/nh2wlKKeQ=="}};
  const std::string bytes = Packed(helo) + Packed(ack) + Packed(ack);
  const std::vector<std::string> all{helo.dump(), ack.dump(), ack.dump()};
  for (std::size_t size = 1; size <= bytes.size(); ++size) EXPECT_EQ(ReadInPieces(bytes, size), all) << size;
}

TEST(AnswerReaderTest, NothingIsNothing) {
  AnswerReader reader;
  const auto next = reader.Next();
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->has_value());
}

TEST(AnswerReaderTest, ADeepNestingIsRefusedBeforeItIsBuilt) {
  for (const char open : {'\x91', '\x81'}) {
    const auto read = ReadInPieces(std::string(100'000, open), 4096);
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0], "what is not MessagePack or is nested too deeply");
  }
}

TEST(AnswerReaderTest, ALongValueIsRefused) {
  const auto read = ReadInPieces(std::string("\xc6\xff\xff\xff\xff", 5) + std::string(100'000, 'x'), 1000);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0], "more than 16384 bytes in one piece");
}

TEST(AnswerReaderTest, AByteThatMeansNothingIsRefused) {
  EXPECT_EQ(ReadInPieces(std::string("\xc1", 1), 1).at(0), "what is not MessagePack or is nested too deeply");
  EXPECT_EQ(ReadInPieces(std::string("\x81\x01\x01", 3), 3).at(0), "what is not MessagePack or is nested too deeply")
      << "a number as a name";
}

TEST(BytesOfTest, TextAndBytesAreTheSame) {
  EXPECT_EQ(BytesOf(json("text")), "text");
  EXPECT_EQ(BytesOf(json::binary({'t', 'e'})), "te");
  EXPECT_EQ(BytesOf(json(1)), std::nullopt);
  EXPECT_EQ(BytesOf(json(nullptr)), std::nullopt);
}

}  // namespace
}  // namespace kube_events
