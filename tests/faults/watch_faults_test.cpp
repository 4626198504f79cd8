// What may happen to a watch that is open or being opened.
#include "faults/faults_fixture.h"
#include "support/sockets.h"

namespace kube_events {
namespace {

using sim::DropMode;
using sim::Fault;
using sim::FaultAction;
using sim::SimServer;

using Disturb = std::function<void(SimServer&, FaultProxy&)>;

Disturb Drop(DropMode mode) {
  return [mode](SimServer& server, FaultProxy&) { server.DropWatches(mode); };
}

// The next watch meets the fault.
Disturb Meet(Fault fault) {
  return [fault](SimServer& server, FaultProxy&) {
    server.AddFault(fault);
    server.DropWatches(DropMode::kEnd);
  };
}

Fault AfterFrames(Fault fault, std::size_t frames = 5) {
  fault.after_frames = frames;
  return fault;
}

Fault WithText(Fault fault, std::string text) {
  fault.text = std::move(text);
  return fault;
}

Fault WithRetryAfter(Fault fault) {
  fault.retry_after_seconds = 1;
  return fault;
}

Fault WithReason(Fault fault, std::string reason, std::string message = {}) {
  fault.reason = std::move(reason);
  fault.message = std::move(message);
  return fault;
}

Fault Delayed(Fault fault) {
  fault.delay_ms = 700;
  return fault;
}

Disturb Inject(std::string frame) {
  return [frame](SimServer& server, FaultProxy&) {
    server.InjectFrame(frame);
    // So that a next request shows that the frame has been passed.
    server.DropWatches(DropMode::kEnd);
  };
}

// Noticed by the kernel, from which the test does not wait for a minute.
void LosePackets(SimServer&, FaultProxy& proxy) {
  proxy.DropPackets();
  for (const int socket : SocketsTo(proxy.Port())) NoticeDeadPeerSoon(socket);
}

// An ERROR frame with this Status, in which things may be missing.
Disturb InjectError(const std::string& status) {
  return Inject(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",)" + status + "}}\n");
}

class WatchFaults : public FaultMatrix {};

// Waits until so many more changes have been written.
void LetPass(SimServer& server, std::uint64_t changes) {
  const std::uint64_t now = server.State().revision;
  EXPECT_TRUE(Eventually([&] { return server.State().revision >= now + changes; }));
}

TEST_P(WatchFaults, AreOvercomeWithTheRightCounts) { ASSERT_NO_FATAL_FAILURE(Meet()); }

INSTANTIATE_TEST_SUITE_P(
    OpenWatch, WatchFaults,
    testing::Values(FaultRow{"CleanEnd", Drop(DropMode::kEnd), Cost::kNothing, "watch", 1},
                    FaultRow{"EndWithoutTerminator", Drop(DropMode::kClose), Cost::kNothing, "watch", 1},
                    FaultRow{"Reset", Drop(DropMode::kReset), Cost::kNothing, "watch", 1},
                    FaultRow{"Silence", Drop(DropMode::kSilence), Cost::kNothing, "watch", 1},
                    FaultRow{"PeerHangs", [](SimServer&, FaultProxy& proxy) { proxy.Freeze(); }, Cost::kNothing,
                             "watch", 1},
                    FaultRow{"PacketsDropped", LosePackets, Cost::kNothing, "watch", 1},
                    FaultRow{"ResetMidChunk", [](SimServer&, FaultProxy& proxy) { proxy.ResetAfter(3001); },
                             Cost::kNothing, "watch", 1},
                    FaultRow{"SplitAtEveryByte",
                             [](SimServer& server, FaultProxy& proxy) {
                               proxy.Split(1);
                               server.DropWatches(DropMode::kEnd);
                             },
                             Cost::kNothing, "watch", 1},
                    FaultRow{"AllConnectionsClosed", [](SimServer& server, FaultProxy&) { server.CloseConnections(); },
                             Cost::kNothing, "watch", 1},
                    FaultRow{"NobodyListensForAWhile",
                             [](SimServer& server, FaultProxy& proxy) {
                               proxy.Refuse();
                               server.CloseConnections();
                               std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // the outage
                               proxy.Heal();
                             },
                             Cost::kNothing, "watch", 1},
                    FaultRow{"CompactionUnderIt",
                             [](SimServer& server, FaultProxy&) {
                               // Up to where the load began: the watch may not have sent yet what came after that.
                               const sim::SimState state = server.State();
                               server.Compact(state.revision - state.load_changes);
                             },
                             Cost::kNothing, "watch", 1},
                    FaultRow{"RestartWithAnEmptyWatchWindow",
                             [](SimServer& server, FaultProxy& proxy) {
                               proxy.Refuse();
                               server.CloseConnections();
                               LetPass(server, 200);
                               server.Compact();
                               proxy.Heal();
                             },
                             Cost::kGap, "watch", 1},
                    FaultRow{"BackupRestored",
                             [](SimServer& server, FaultProxy&) {
                               LetPass(server, 200);
                               server.StopLoad();
                               server.Rewind(server.State().revision - 50);
                             },
                             Cost::kGap, "watch", 1}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    NextWatch, WatchFaults,
    testing::Values(
        FaultRow{"FrameCutOff", Meet(AfterFrames(WatchFault(FaultAction::kTruncate))), Cost::kNothing, "watch", 2},
        FaultRow{"ResetAfterFrames", Meet(AfterFrames(WatchFault(FaultAction::kReset))), Cost::kNothing, "watch", 2},
        FaultRow{"ResetAtOnce", Meet(WatchFault(FaultAction::kReset)), Cost::kNothing, "watch", 2},
        FaultRow{"ClosedWithoutAnAnswer", Meet(WatchFault(FaultAction::kClose)), Cost::kNothing, "watch", 2},
        FaultRow{"OneEmptyStream", Meet(WatchFault(FaultAction::kEnd)), Cost::kNothing, "watch", 2},
        FaultRow{"EmptyStreams", Meet(WatchFault(FaultAction::kEnd, 0, 2)), Cost::kGap, "watch", 3},
        FaultRow{"AnswersLate", Meet(Delayed(WatchFault(FaultAction::kDelay))), Cost::kNothing, "watch", 1},
        FaultRow{"ErrorFrameExpired", Meet(AfterFrames(WatchFault(FaultAction::kError, 410))), Cost::kGap, "list", 2},
        FaultRow{"ErrorFrameGone", Meet(AfterFrames(WithReason(WatchFault(FaultAction::kError, 410), "Gone"))),
                 Cost::kGap, "list", 2},
        FaultRow{"ErrorFrame429", Meet(AfterFrames(WatchFault(FaultAction::kError, 429))), Cost::kNothing, "watch", 2},
        FaultRow{"ErrorFrame500", Meet(AfterFrames(WatchFault(FaultAction::kError, 500))), Cost::kNothing, "watch", 2},
        FaultRow{"ErrorFrame503", Meet(AfterFrames(WatchFault(FaultAction::kError, 503))), Cost::kNothing, "watch", 2},
        FaultRow{"ErrorFrame504", Meet(AfterFrames(WatchFault(FaultAction::kError, 504))), Cost::kNothing, "watch", 2},
        FaultRow{"AnswerExpired", Meet(WatchFault(FaultAction::kStatus, 410)), Cost::kGap, "list", 2},
        FaultRow{"AnswerTooLargeVersion",
                 Meet(WithReason(WatchFault(FaultAction::kStatus, 504), "Timeout",
                                 "Too large resource version: 900, current: 100")),
                 Cost::kGap, "list", 2},
        FaultRow{"AnswerUnauthorizedOnce", Meet(WatchFault(FaultAction::kStatus, 401)), Cost::kNothing, "watch", 2},
        FaultRow{"AnswerForbidden", Meet(WatchFault(FaultAction::kStatus, 403)), Cost::kNothing, "watch", 2},
        FaultRow{"AnswerNotFound", Meet(WatchFault(FaultAction::kStatus, 404)), Cost::kNothing, "watch", 2},
        FaultRow{"AnswerTooManyRequests", Meet(WithRetryAfter(WatchFault(FaultAction::kStatus, 429))), Cost::kNothing,
                 "watch", 2},
        FaultRow{"AnswerUnavailable", Meet(WithRetryAfter(WatchFault(FaultAction::kStatus, 503))), Cost::kNothing,
                 "watch", 2},
        FaultRow{"AnswerBadGateway",
                 Meet(WithText(WatchFault(FaultAction::kStatus, 502), "<html>502 Bad Gateway</html>")), Cost::kNothing,
                 "watch", 2},
        FaultRow{"AnswerRedirect", Meet(WithText(WatchFault(FaultAction::kStatus, 302), "elsewhere")), Cost::kNothing,
                 "watch", 2}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Frames, WatchFaults,
    testing::Values(
        FaultRow{"NoJson", Inject("no JSON\n"), Cost::kNothing, "watch", 1},
        FaultRow{"HalfAnObject", Inject("{\"type\":\"ADDED\",\"object\":{\n"), Cost::kNothing, "watch", 1},
        FaultRow{"UnknownType", Inject("{\"type\":\"RENAMED\",\"object\":{}}\n"), Cost::kNothing, "watch", 1},
        FaultRow{"WrongKind",
                 Inject(R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"x",)"
                        R"("resourceVersion":"1"}}})"
                        "\n"),
                 Cost::kNothing, "watch", 1},
        FaultRow{"NoVersion",
                 Inject(R"({"type":"ADDED","object":{"kind":"Event","metadata":{"name":"x"}}})"
                        "\n"),
                 Cost::kNothing, "watch", 1},
        FaultRow{"BlankLines", Inject("\n\r\n \n"), Cost::kNothing, "watch", 1},
        FaultRow{"BadUtf8", Inject("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Event\",\"metadata\":\"\xff\xfe\"}}\n"),
                 Cost::kNothing, "watch", 1},
        FaultRow{"NestedTooDeep", Inject(std::string(5000, '[') + std::string(5000, ']') + "\n"), Cost::kNothing,
                 "watch", 1}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    ErrorFrames, WatchFaults,
    testing::Values(
        FaultRow{"Code410Only", InjectError(R"("code":410)"), Cost::kGap, "list", 2},
        FaultRow{"Code429Only", InjectError(R"("code":429)"), Cost::kNothing, "watch", 1},
        FaultRow{"Code500Only", InjectError(R"("code":500)"), Cost::kNothing, "watch", 1},
        FaultRow{"Code504Only", InjectError(R"("code":504)"), Cost::kNothing, "watch", 1},
        FaultRow{"Nothing", InjectError(R"("message":"")"), Cost::kNothing, "watch", 1},
        FaultRow{"Details429",
                 InjectError(R"("code":429,"reason":"TooManyRequests","details":{"retryAfterSeconds":1})"),
                 Cost::kNothing, "watch", 1},
        FaultRow{"Details500",
                 InjectError(R"("code":500,"reason":"InternalError","details":{"causes":[{"message":"etcd"}]})"),
                 Cost::kNothing, "watch", 1},
        FaultRow{"Details504TooLarge",
                 InjectError(R"("code":504,"reason":"Timeout","details":{"causes":[)"
                             R"({"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]})"),
                 Cost::kGap, "list", 2}),
    NameOf);

TEST_F(FaultsFixture, TenThousandEventsInOneChunkAreCounted) {
  ASSERT_NO_FATAL_FAILURE(Start());
  server_.StopLoad();
  const std::string version = std::to_string(server_.State().revision);
  std::string chunk;
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = "burst-" + std::to_string(i);
    chunk += R"({"type":"ADDED","object":{"kind":"Event","apiVersion":"v1","metadata":{"name":")" + name +
             R"(","namespace":"default","uid":")" + name + R"(","resourceVersion":")" + version +
             R"("},"reason":"Burst","type":"Normal","involvedObject":{"kind":"Pod","namespace":"default"},)"
             R"("count":1,"firstTimestamp":"2999-01-01T00:00:00Z"}})"
             "\n";
  }
  const auto counted = [this] {
    const chaos::Scrape scrape = Read();
    const auto found = scrape.occurrences.find({"Normal", "default", "Pod", "Burst"});
    return found != scrape.occurrences.end() && found->second == 10'000;
  };
  // It is in no history: a watch that is being recreated at that moment does not get it. Told twice it counts once.
  bool all = false;
  for (int i = 0; i < 4 && !all; ++i) {
    ASSERT_TRUE(server_.WaitForWatches(1));
    server_.InjectFrame(chunk);
    all = Eventually(counted, std::chrono::seconds(20));
  }
  EXPECT_TRUE(all);
}

TEST_F(FaultsFixture, TenThousandEventsAtOnceAreCounted) {
  ASSERT_NO_FATAL_FAILURE(Start());
  Fault fault = Delayed(WatchFault(FaultAction::kDelay));
  server_.AddFault(fault);
  server_.DropWatches(DropMode::kEnd);
  sim::LoadOptions burst = Load();
  burst.rate = 1e6;
  burst.limit = 10'000;
  server_.StartLoad(burst);
  ASSERT_TRUE(Eventually([this] { return server_.State().load_changes >= 10'000; }, std::chrono::seconds(60)));
  ASSERT_TRUE(AwaitFaults()) << "the watch was not delayed";
  ExpectCounts(Cost::kNothing);
}

TEST_F(FaultsFixture, AnEventOfFifteenMegabytesIsCountedLikeAnyOther) {
  ASSERT_NO_FATAL_FAILURE(Start());
  sim::EventObject event;
  event.metadata.name = "huge";
  const std::string fields =
      R"("reason":"Huge","type":"Warning","involvedObject":{"kind":"Pod","namespace":"default"},"count":1,)"
      R"("firstTimestamp":"2999-01-01T00:00:00Z","message":")" +
      std::string(std::size_t{15} << 20, 'm') + "\"";
  ASSERT_TRUE(server_.CreateRaw(std::move(event), fields));
  ASSERT_TRUE(Eventually(
      [this] {
        const chaos::Scrape scrape = Read();
        const auto found = scrape.occurrences.find({"Warning", "default", "Pod", "Huge"});
        return found != scrape.occurrences.end() && found->second == 1;
      },
      std::chrono::seconds(60)));
}

}  // namespace
}  // namespace kube_events
