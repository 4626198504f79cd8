#include "kube_events/forward/record.h"

#include <gtest/gtest.h>

namespace kube_events {
namespace {

TEST(RecordTest, TypesHaveTheWordsOfTheWatchProtocol) {
  EXPECT_EQ(ToString(RecordType::kAdded), "ADDED");
  EXPECT_EQ(ToString(RecordType::kModified), "MODIFIED");
  EXPECT_EQ(ToString(RecordType::kDeleted), "DELETED");
  EXPECT_EQ(ToString(RecordType::kGap), "GAP");
}

}  // namespace
}  // namespace kube_events
