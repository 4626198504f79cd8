#include "forward/forward_message.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <unordered_map>
#include <utility>

namespace kube_events {
namespace {

using nlohmann::json;

constexpr std::size_t kChunkIdBytes = 16;

// Where the format is fixed (MessagePack specification): arrays of two and three, 32-bit binary, an extension of 8
// bytes.
constexpr char kArrayOfTwo = '\x92';
constexpr char kArrayOfThree = '\x93';
constexpr char kBinary32 = '\xc6';
constexpr std::string_view kEventTime{"\xd7\x00", 2};  // type 0, as the forward protocol says

// What the records of one tag become.
struct Group {
  std::string tag;
  std::string entries = {};
  std::size_t records = 0;
};

void AppendBigEndian(std::uint32_t value, std::string& to) {
  for (int shift = 24; shift >= 0; shift -= CHAR_BIT) to += static_cast<char>((value >> shift) & 0xffU);
}

// Seconds and nanoseconds; the format ends in 2106 and begins in 1970.
void AppendEventTime(WallTime time, std::string& to) {
  constexpr std::chrono::seconds kLast{std::numeric_limits<std::uint32_t>::max()};
  const auto since = std::clamp<WallTime::duration>(time.time_since_epoch(), WallTime::duration::zero(), kLast);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  to += kEventTime;
  AppendBigEndian(static_cast<std::uint32_t>(seconds.count()), to);
  AppendBigEndian(static_cast<std::uint32_t>(std::chrono::nanoseconds(since - seconds).count()), to);
}

std::string Base64(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // with the zero byte that the function adds
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

ForwardMessage MakeMessage(const Group& group) {
  ForwardMessage message{.chunk = Base64(RandomBytes(kChunkIdBytes)), .bytes = {}};
  message.bytes.reserve(group.entries.size() + group.tag.size() + 64);
  message.bytes += kArrayOfThree;
  json::to_msgpack(json(group.tag), message.bytes);
  message.bytes += kBinary32;
  AppendBigEndian(static_cast<std::uint32_t>(group.entries.size()), message.bytes);
  message.bytes += group.entries;
  json::to_msgpack(json{{"chunk", message.chunk}, {"size", group.records}}, message.bytes);
  return message;
}

}  // namespace

std::string RandomBytes(std::size_t size) {
  std::random_device source;
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(source() & 0xffU);
  return bytes;
}

std::vector<ForwardMessage> ForwardEncoder::Encode(std::span<const RecordPtr> batch) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> group_of;
  for (const RecordPtr& record : batch) {
    const WallTime time = writer_.TimeOf(*record);
    std::string tag = tag_.Fill(tag_.IsFixed() ? RecordWriter::Facts{} : writer_.FactsOf(*record));
    const auto [known, is_new] = group_of.try_emplace(tag, groups.size());
    if (is_new) groups.push_back(Group{.tag = std::move(tag)});
    Group& group = groups[known->second];
    group.entries += kArrayOfTwo;
    AppendEventTime(time, group.entries);
    writer_.AppendMessagePack(*record, group.entries);
    ++group.records;
  }
  std::vector<ForwardMessage> messages;
  messages.reserve(groups.size());
  for (const Group& group : groups) messages.push_back(MakeMessage(group));
  return messages;
}

}  // namespace kube_events
