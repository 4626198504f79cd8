// What may happen to a list: the first one, and those that follow an expired watch.
#include "faults/faults_fixture.h"

namespace kube_events {
namespace {

using sim::DropMode;
using sim::Fault;
using sim::FaultAction;
using sim::SimServer;

// Each list begins with the probe of limit=1 or its first page; `skip` leaves as many requests alone.
Fault Skipping(Fault fault, std::int64_t skip) {
  fault.skip = skip;
  return fault;
}

Fault After(Fault fault, std::size_t bytes) {
  fault.after_bytes = bytes;
  return fault;
}

Fault Saying(Fault fault, std::string text) {
  fault.text = std::move(text);
  return fault;
}

Fault Called(Fault fault, std::string reason, std::string message = {}) {
  fault.reason = std::move(reason);
  fault.message = std::move(message);
  return fault;
}

// A list has to be made, since the next watch is told that its version has expired, and it meets the fault at the
// second of its pages.
std::function<void(SimServer&, FaultProxy&)> Relist(Fault fault) {
  return [fault](SimServer& server, FaultProxy&) {
    server.AddFault(WatchFault(FaultAction::kError, 410));
    server.AddFault(Skipping(fault, 2));
    server.DropWatches(DropMode::kEnd);
  };
}

// The probe before a watch meets it.
std::function<void(SimServer&, FaultProxy&)> Probe(Fault fault) {
  return [fault](SimServer& server, FaultProxy&) {
    server.AddFault(fault);
    server.DropWatches(DropMode::kEnd);
  };
}

class ListFaults : public FaultMatrix {};

TEST_P(ListFaults, AreOvercomeWithTheRightCounts) { ASSERT_NO_FATAL_FAILURE(Meet()); }

INSTANTIATE_TEST_SUITE_P(
    ListPage, ListFaults,
    testing::Values(
        FaultRow{"Reset", Relist(ListFault(FaultAction::kReset)), Cost::kGap, "watch", 2},
        FaultRow{"CutOff", Relist(After(ListFault(FaultAction::kClose), 5000)), Cost::kGap, "watch", 2},
        FaultRow{"ExpiredToken", Relist(ListFault(FaultAction::kStatus, 410)), Cost::kGap, "watch", 2},
        FaultRow{"Error500", Relist(ListFault(FaultAction::kStatus, 500)), Cost::kGap, "watch", 2},
        FaultRow{"Unavailable", Relist(ListFault(FaultAction::kStatus, 503)), Cost::kGap, "watch", 2},
        FaultRow{"Unauthorized", Relist(ListFault(FaultAction::kStatus, 401)), Cost::kGap, "watch", 2},
        FaultRow{"Html", Relist(Saying(ListFault(FaultAction::kBody), "<html>")), Cost::kGap, "watch", 2},
        FaultRow{"Empty", Relist(Saying(ListFault(FaultAction::kBody), " ")), Cost::kGap, "watch", 2},
        FaultRow{"AnotherKind", Relist(Saying(ListFault(FaultAction::kBody), R"({"kind":"PodList","metadata":{}})")),
                 Cost::kGap, "watch", 2},
        FaultRow{"NoVersion", Relist(Saying(ListFault(FaultAction::kBody), R"({"kind":"EventList","metadata":{}})")),
                 Cost::kGap, "watch", 2},
        FaultRow{"CutOffInside",
                 Relist(Saying(ListFault(FaultAction::kBody),
                               R"({"kind":"EventList","metadata":{"resourceVersion":"9"},"items":[{"metadata)")),
                 Cost::kGap, "watch", 2}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Probe, ListFaults,
    testing::Values(
        FaultRow{"Reset", Probe(ListFault(FaultAction::kReset)), Cost::kNothing, "watch", 1},
        FaultRow{"Error500", Probe(ListFault(FaultAction::kStatus, 500)), Cost::kNothing, "watch", 1},
        FaultRow{"Forbidden", Probe(ListFault(FaultAction::kStatus, 403)), Cost::kNothing, "watch", 1},
        FaultRow{"TooManyRequests", Probe(ListFault(FaultAction::kStatus, 429)), Cost::kNothing, "watch", 1},
        FaultRow{"Nonsense", Probe(Saying(ListFault(FaultAction::kBody), "{}")), Cost::kNothing, "watch", 1}),
    NameOf);

// The first list, before which there is nothing to lose.
struct FirstListRow {
  const char* name;
  Fault fault;
};
void PrintTo(const FirstListRow& row, std::ostream* out) { *out << row.name; }

class FirstList : public FaultsFixture, public testing::WithParamInterface<FirstListRow> {};

TEST_P(FirstList, IsTriedAgainAndIsTheBaseline) {
  server_.PrepareLoad(Load());  // so that there are several pages
  server_.AddFault(GetParam().fault);
  ASSERT_NO_FATAL_FAILURE(Start(20));
  ASSERT_TRUE(AwaitFaults()) << "the fault was not met";
  ExpectCounts(Cost::kNothing);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, FirstList,
    testing::Values(FirstListRow{"Forbidden", ListFault(FaultAction::kStatus, 403)},
                    FirstListRow{"Unauthorized", ListFault(FaultAction::kStatus, 401)},
                    FirstListRow{"NotFound", ListFault(FaultAction::kStatus, 404)},
                    FirstListRow{"Unavailable", ListFault(FaultAction::kStatus, 503, 2)},
                    FirstListRow{"TooLargeByCause", Called(ListFault(FaultAction::kStatus, 504), "Timeout",
                                                           "Too large resource version: 2, current: 1")},
                    FirstListRow{"Reset", ListFault(FaultAction::kReset)},
                    FirstListRow{"ResetAtItsThirdPage", Skipping(ListFault(FaultAction::kReset), 2)},
                    FirstListRow{"ExpiredAtItsThirdPage", Skipping(ListFault(FaultAction::kStatus, 410), 2)},
                    FirstListRow{"Slow",
                                 [] {
                                   Fault fault = ListFault(FaultAction::kDelay, 0, 5);
                                   fault.delay_ms = 150;
                                   return fault;
                                 }()}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(FaultsFixture, AccessThatIsGrantedLaterIsUsed) {
  sim::AccessRule no_lists;
  no_lists.verb = "list";
  server_.SetDenied({no_lists});
  std::jthread grant([this] {
    EXPECT_TRUE(Eventually([this] { return server_.State().requests["list"] >= 2; }));
    server_.SetDenied({});
  });
  ASSERT_NO_FATAL_FAILURE(Start());
  ExpectCounts(Cost::kNothing);
}

}  // namespace
}  // namespace kube_events
