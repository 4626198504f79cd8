#include "msgpack.h"

#include <bit>

namespace kube_events {

void MessagePackWriter::BigEndian(std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) Byte(static_cast<std::uint8_t>(value >> shift));
}

void MessagePackWriter::Unsigned(std::uint64_t value) {
  if (value < 0x80) return Byte(static_cast<std::uint8_t>(value));
  const int power = value <= 0xff ? 0 : value <= 0xffff ? 1 : value <= 0xffff'ffff ? 2 : 3;
  Byte(static_cast<std::uint8_t>(0xcc + power));
  BigEndian(value, 1 << power);
}

void MessagePackWriter::Integer(std::int64_t value) {
  if (value >= 0) return Unsigned(static_cast<std::uint64_t>(value));
  if (value >= -32) return Byte(static_cast<std::uint8_t>(value));
  const int power = value >= INT8_MIN ? 0 : value >= INT16_MIN ? 1 : value >= INT32_MIN ? 2 : 3;
  Byte(static_cast<std::uint8_t>(0xd0 + power));
  BigEndian(static_cast<std::uint64_t>(value), 1 << power);
}

void MessagePackWriter::Double(double value) {
  Byte(0xcb);
  BigEndian(std::bit_cast<std::uint64_t>(value), 8);
}

void MessagePackWriter::String(std::string_view text) {
  const std::size_t size = text.size();
  if (size < 32) {
    Byte(static_cast<std::uint8_t>(0xa0 + size));
  } else {
    const int power = size <= 0xff ? 0 : size <= 0xffff ? 1 : 2;
    Byte(static_cast<std::uint8_t>(0xd9 + power));
    BigEndian(size, 1 << power);
  }
  out_ += text;
}

void MessagePackWriter::Array(std::size_t size) {
  if (size < 16) return Byte(static_cast<std::uint8_t>(0x90 + size));
  const bool small = size <= 0xffff;
  Byte(small ? 0xdc : 0xdd);
  BigEndian(size, small ? 2 : 4);
}

void MessagePackWriter::Map(std::size_t size) {
  if (size < 16) return Byte(static_cast<std::uint8_t>(0x80 + size));
  const bool small = size <= 0xffff;
  Byte(small ? 0xde : 0xdf);
  BigEndian(size, small ? 2 : 4);
}

}  // namespace kube_events
