#include "kube_events/base/gzip.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "support/gunzip.h"

namespace kube_events {
namespace {

TEST(GzipTest, WhatIsCompressedComesBack) {
  std::mt19937 random(1);
  std::string noise(300'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  for (const std::string& text : {std::string(), std::string("a"), std::string(1'000'000, 'x'), noise}) {
    EXPECT_EQ(Gunzip(Gzip(text)), text) << text.size();
  }
}

TEST(GzipTest, MetricsBecomeMuchSmallerAndHoldNoMoreMemoryThanNeeded) {
  std::string page;
  for (int i = 0; i < 5000; ++i) page += "kube_events_total{type=\"Normal\",reason=\"R" + std::to_string(i) + "\"} 1\n";
  const std::string compressed = Gzip(page);
  EXPECT_LT(compressed.size() * 5, page.size());
  EXPECT_LE(compressed.capacity(), compressed.size() + 64);
}

}  // namespace
}  // namespace kube_events
