#include "kube_events/forward/record.h"

#include <gtest/gtest.h>

#include "kube_events/event/event.h"

namespace kube_events {
namespace {

TEST(RecordTest, TypesHaveTheWordsOfTheWatchProtocol) {
  EXPECT_EQ(ToString(RecordType::kAdded), "ADDED");
  EXPECT_EQ(ToString(RecordType::kModified), "MODIFIED");
  EXPECT_EQ(ToString(RecordType::kDeleted), "DELETED");
  EXPECT_EQ(ToString(RecordType::kGap), "GAP");
}

TEST(RecordTest, IdIsTheUidOrElseTheNameAndTheVersion) {
  Event event;
  event.namespace_name = "shop";
  event.name = "web.1";
  event.resource_version = "7";
  EXPECT_EQ(RecordId(event), "shop/web.1/7");
  event.uid = "0f8f";
  EXPECT_EQ(RecordId(event), "0f8f/7");
}

}  // namespace
}  // namespace kube_events
