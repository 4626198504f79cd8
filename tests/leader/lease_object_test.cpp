#include "leader/lease_object.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const LeaseRecord kRecord{"me", 15s, "2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:02.000000Z", 4};

TEST(LeaseObject, IsReadAsItWasWritten) {
  json lease = NewLeaseObject({"coordination.k8s.io", "leases", "mon", "exporter"}, kRecord);
  EXPECT_EQ(lease["apiVersion"], "coordination.k8s.io/v1");
  EXPECT_EQ(lease["kind"], "Lease");
  EXPECT_EQ(lease["metadata"], (json{{"name", "exporter"}, {"namespace", "mon"}}));
  lease["metadata"]["resourceVersion"] = "7";
  EXPECT_EQ(ReadLeaseObject(lease).value(), kRecord);
}

TEST(LeaseObject, KeepsWhatOthersWroteIntoIt) {
  json lease = {{"metadata", {{"resourceVersion", "7"}, {"labels", {{"a", "b"}}}}}, {"spec", {{"strategy", "x"}}}};
  UpdateLeaseObject(lease, kRecord);
  EXPECT_EQ(lease["metadata"]["labels"]["a"], "b");
  EXPECT_EQ(lease["metadata"]["resourceVersion"], "7");
  EXPECT_EQ(lease["spec"]["strategy"], "x");
}

TEST(LeaseObject, NamesNobodyOnceItIsReleased) {
  json lease = {{"metadata", {{"resourceVersion", "7"}}}};
  UpdateLeaseObject(lease, kRecord);
  LeaseRecord released = kRecord;
  released.holder = "";
  UpdateLeaseObject(lease, released);
  EXPECT_FALSE(lease["spec"].contains("holderIdentity"));
  EXPECT_EQ(ReadLeaseObject(lease).value(), released);
}

TEST(LeaseObject, TakesWhatIsMissingOrMadeUpForNothing) {
  for (const char* spec : {"null", "7", "{}", R"({"holderIdentity":7,"leaseDurationSeconds":"x"})",
                           R"({"leaseDurationSeconds":-5,"leaseTransitions":-1})"}) {
    const json lease = {{"metadata", {{"resourceVersion", "7"}}}, {"spec", json::parse(spec)}};
    EXPECT_EQ(ReadLeaseObject(lease).value(), LeaseRecord{}) << spec;
  }
  const json large = {{"metadata", {{"resourceVersion", "7"}}}, {"spec", {{"leaseTransitions", 1'000'000'000'000}}}};
  EXPECT_EQ(ReadLeaseObject(large).value().transitions, 2'147'483'647);
}

TEST(LeaseObject, IsNothingWithoutAVersion) {
  for (const char* text : {"{}", "[]", R"({"metadata":7})", R"({"metadata":{"resourceVersion":7}})"}) {
    EXPECT_FALSE(ReadLeaseObject(json::parse(text))) << text;
  }
}

TEST(MicroTime, AlwaysHasSixDigits) {
  EXPECT_EQ(FormatMicroTime(WallTime{0us}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatMicroTime(WallTime{1'767'225'600'000'001us}), "2026-01-01T00:00:00.000001Z");
}

}  // namespace
}  // namespace kube_events
