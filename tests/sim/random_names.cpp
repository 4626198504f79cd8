#include "sim/random_names.h"

#include <cstdint>
#include <string_view>

namespace kube_events::sim {

std::string RandomUid(std::mt19937_64& random) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string uid = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
  std::uint64_t bits = 0;
  int left = 0;
  for (char& c : uid) {
    if (c != 'x') continue;
    if (left == 0) bits = random();
    left = left == 0 ? 15 : left - 1;
    c = kHex[bits & 0xfU];
    bits >>= 4U;
  }
  return uid;
}

std::string RandomName(std::mt19937_64& random, const std::string& base) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string name = base;
  for (int i = 0; i < 5; ++i) name += kAlphabet[random() % kAlphabet.size()];
  return name;
}

}  // namespace kube_events::sim
