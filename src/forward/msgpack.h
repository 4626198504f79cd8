// Writes MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md) to the end of a string, each value in its
// shortest form. Owned by whoever writes; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kube_events {

class MessagePackWriter {
 public:
  // `out` must outlive the writer.
  explicit MessagePackWriter(std::string& out) : out_(out) {}

  void Nil() { Byte(0xc0); }
  void Bool(bool value) { Byte(value ? 0xc3 : 0xc2); }
  void Integer(std::int64_t value);
  void Unsigned(std::uint64_t value);
  void Double(double value);
  // `text`: UTF-8, at most 4 GiB.
  void String(std::string_view text);
  // So many values follow, or so many pairs of a name and a value; at most 2^32 - 1.
  void Array(std::size_t size);
  void Map(std::size_t size);

 private:
  void Byte(std::uint8_t byte) { out_ += static_cast<char>(byte); }
  // The lowest `bytes` bytes of a number, the highest first.
  void BigEndian(std::uint64_t value, int bytes);

  std::string& out_;
};

}  // namespace kube_events
