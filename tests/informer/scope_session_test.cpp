// A session against a scripted API server: what it asks for, what it hands over, what it tells about itself.
#include "kube_events/informer/scope_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/fake_http_client.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class NoCredentials final : public Credentials {
 public:
  Result<std::vector<HttpHeader>> Headers() override { return std::vector<HttpHeader>{}; }
  void Refresh() override { ++refreshed; }
  int refreshed = 0;
};

class RecordingConsumer final : public ChangeConsumer {
 public:
  void OnListBegin(ScopeIndex, ListReason reason, WallTime time) override {
    static constexpr const char* kWords[] = {"first", "relist", "restored", "resumed"};
    seen.push_back(std::string("begin ") + kWords[static_cast<int>(reason)]);
    list_time = time;
  }
  void OnListCommitted(ScopeIndex, std::string_view, WallTime) override { seen.push_back("commit"); }
  void OnChange(const Change& change) override {
    static constexpr const char* kWords[] = {"listed ", "added ", "modified ", "deleted "};
    seen.push_back(kWords[static_cast<int>(change.kind)] + std::string(change.event.name) + "@" +
                   std::string(change.event.resource_version));
  }
  std::vector<std::string> Take() { return std::exchange(seen, {}); }

  std::vector<std::string> seen;
  WallTime list_time{};
};

class RecordingMonitor final : public InformerMonitor {
 public:
  void OnScopeState(const Scope&, const ScopeState& now) override { state = now; }
  void OnRequest(std::string_view verb, RequestOutcome outcome, const Error* error) override {
    static constexpr const char* kWords[] = {" started", " granted", " failed"};
    requests.push_back(std::string(verb) + kWords[static_cast<int>(outcome)]);
    if (error != nullptr) last_error = *error;
  }
  void OnRelist(std::string_view reason) override { relists.emplace_back(reason); }
  void OnGap(const Scope&, std::chrono::milliseconds) override { ++gaps; }
  void OnFrame(const FrameType* type, WallTime) override { ++(type == nullptr ? undecodable : frames); }

  ScopeState state;
  std::vector<std::string> requests;
  std::vector<std::string> relists;
  Error last_error;
  int gaps = 0, frames = 0, undecodable = 0;
};

std::string Object(std::string_view name, std::string_view version) {
  return R"({"kind":"Event","apiVersion":"v1","metadata":{"name":")" + std::string(name) +
         R"(","namespace":"default","uid":"u-)" + std::string(name) + R"(","resourceVersion":")" +
         std::string(version) + R"("},"involvedObject":{"kind":"Pod"},"reason":"R","type":"Normal"})";
}

std::string Frame(std::string_view type, std::string_view name, std::string_view version) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + Object(name, version) + "}\n";
}

std::string Page(std::string_view version, const std::vector<std::string>& items, std::string_view token = "") {
  std::string page = R"({"kind":"EventList","apiVersion":"v1","metadata":{"resourceVersion":")" + std::string(version) +
                     R"(","continue":")" + std::string(token) + R"("},"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) page += (i == 0 ? "" : ",") + items[i];
  return page + "]}";
}

std::string Status(int code, std::string_view reason) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":")" + std::string(reason) +
         R"(","code":)" + std::to_string(code) + "}";
}

class ScopeSessionTest : public testing::Test {
 protected:
  FakeExchange& Last() { return http_.last(); }
  const std::string& Target() { return Last().request().target; }
  void Poll() {
    while (session_.Poll()) {
    }
  }
  // Also answers the probe that precedes a watch.
  void Pass(std::chrono::milliseconds time) {
    clock_.Advance(time);
    Poll();
    if (Target().ends_with("limit=1") && !Last().ended() && !Last().cancelled()) Answer(200, Page("1000000", {}));
  }
  // Lets the pause before the next request go by, where there is one.
  void PassPause() {
    if (!Last().ended() && !Last().cancelled()) return Pass(0ms);
    ASSERT_NE(session_.NextDeadline(), MonotonicTime::max());
    Pass(std::chrono::ceil<std::chrono::milliseconds>(session_.NextDeadline() - clock_.Monotonic()));
  }
  void Answer(int status, std::string_view body) {
    Last().Respond(status, body);
    Poll();
  }
  void Stream(std::string_view bytes) {
    Last().Body(bytes);
    Poll();
  }
  void EndStream() {
    Last().End();
    Poll();
  }
  void Break(std::string reason) {
    Last().Fail(Error{ErrorKind::kRetry, "the network broke", {}, std::move(reason)});
    Poll();
  }
  void OpenWatch() {
    Last().Head(200);
    Poll();
  }
  void GetWatching() {
    session_.Start();
    Answer(200, Page("100", {Object("a", "90")}));
    OpenWatch();
    ASSERT_TRUE(monitor_.state.watch_open);
    consumer_.Take();
  }

  FakeClock clock_;
  FakeHttpClient http_;
  NoCredentials credentials_;
  KubeClient client_{http_, credentials_};
  EventDecoder decoder_;
  RecordingConsumer consumer_;
  RecordingMonitor monitor_;
  Doorbell doorbell_;
  ScopeSession session_{
      0, Scope{}, SessionOptions{}, {client_, clock_, decoder_, consumer_, monitor_, doorbell_, Logger()}};
};

TEST_F(ScopeSessionTest, ListsPageByPageThenWatches) {
  session_.Start();
  EXPECT_THAT(Target(),
              AllOf(StartsWith("/api/v1/events?"), HasSubstr("limit=500"), Not(HasSubstr("resourceVersion"))));
  Answer(200, Page("100", {Object("a", "90"), Object("b", "95")}, "token"));
  EXPECT_THAT(consumer_.Take(), ElementsAre("begin first", "listed a@90", "listed b@95"));
  EXPECT_THAT(Target(), HasSubstr("continue=token"));
  EXPECT_FALSE(monitor_.state.synced);
  Answer(200, Page("100", {Object("c", "99")}));
  EXPECT_THAT(consumer_.Take(), ElementsAre("listed c@99", "commit"));
  EXPECT_THAT(Target(),
              AllOf(HasSubstr("watch=true"), HasSubstr("resourceVersion=100"), HasSubstr("timeoutSeconds=360")));
  EXPECT_TRUE(Last().request().own_connection);
  EXPECT_FALSE(monitor_.state.watch_open);
  OpenWatch();
  EXPECT_TRUE(monitor_.state.synced);
  EXPECT_TRUE(monitor_.state.watch_open);
  EXPECT_THAT(monitor_.requests, ElementsAre("list started", "list granted", "watch started", "watch granted"));
}

TEST_F(ScopeSessionTest, HandsChangesOverInOrderAndWatchesOnBehindThem) {
  GetWatching();
  Stream(Frame("ADDED", "b", "101") + Frame("MODIFIED", "b", "102") + Frame("DELETED", "a", "103"));
  EXPECT_THAT(consumer_.Take(), ElementsAre("added b@101", "modified b@102", "deleted a@103"));
  Pass(5s);
  EndStream();
  PassPause();
  EXPECT_THAT(Target(), HasSubstr("resourceVersion=103"));
}

TEST_F(ScopeSessionTest, BookmarksMoveThePositionOnly) {
  GetWatching();
  Stream(R"({"type":"BOOKMARK","object":{"kind":"Event","apiVersion":"v1","metadata":{"resourceVersion":"555"}}})"
         "\n");
  EXPECT_THAT(consumer_.Take(), IsEmpty());
  Pass(5s);
  Break("reset");
  Pass(0s);
  EXPECT_THAT(Target(), HasSubstr("resourceVersion=555"));
}

TEST_F(ScopeSessionTest, FramesMayBeCutAnywhere) {
  GetWatching();
  const std::string stream = Frame("ADDED", "b", "101") + Frame("MODIFIED", "b", "102");
  for (const char c : stream) Stream(std::string_view(&c, 1));
  EXPECT_THAT(consumer_.Take(), ElementsAre("added b@101", "modified b@102"));
}

TEST_F(ScopeSessionTest, AFrameCutOffByTheNetworkComesAgainFromTheLastPosition) {
  GetWatching();
  Stream(Frame("ADDED", "b", "101") + Frame("MODIFIED", "b", "102").substr(0, 40));
  Break("reset");
  PassPause();
  EXPECT_THAT(Target(), HasSubstr("resourceVersion=101"));
  OpenWatch();
  Stream(Frame("MODIFIED", "b", "102"));
  EXPECT_THAT(consumer_.Take(), ElementsAre("added b@101", "modified b@102"));
  EXPECT_EQ(monitor_.undecodable, 0);
}

TEST_F(ScopeSessionTest, AFrameThatCannotBeDecodedIsSkippedAndCounted) {
  GetWatching();
  Stream(Frame("ADDED", "b", "101") + "nonsense\n" + "{\"type\":\"ADDED\",\"object\":{\"kind\":\n" +
         R"({"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1"}})"
         "\n" +
         Frame("ADDED", "c", "104"));
  EXPECT_THAT(consumer_.Take(), ElementsAre("added b@101", "added c@104"));
  EXPECT_EQ(monitor_.undecodable, 3);
  EXPECT_TRUE(monitor_.state.watch_open);
}

TEST_F(ScopeSessionTest, SeveralFramesOnOneLineAreAllTaken) {
  GetWatching();
  std::string line = Frame("ADDED", "b", "101");
  line.pop_back();
  Stream(line + Frame("ADDED", "c", "102"));
  EXPECT_THAT(consumer_.Take(), ElementsAre("added b@101", "added c@102"));
  EXPECT_EQ(monitor_.undecodable, 0);
}

TEST_F(ScopeSessionTest, AnOversizedFrameIsSkippedAndCounted) {
  GetWatching();
  const std::string piece(1024 * 1024, 'x');
  Stream("{\"type\":\"ADDED\",\"object\":{\"note\":\"");
  for (int i = 0; i < 17; ++i) Stream(piece);
  Stream("\"}}\n" + Frame("ADDED", "c", "104"));
  EXPECT_THAT(consumer_.Take(), ElementsAre("added c@104"));
  EXPECT_EQ(monitor_.undecodable, 1);
}

TEST_F(ScopeSessionTest, AStreamOfNothingButNonsenseIsGivenUpAndListedAgain) {
  GetWatching();
  std::string nonsense;
  for (int i = 0; i < 2000; ++i) nonsense += "nonsense\n";
  Stream(nonsense);
  EXPECT_THAT(monitor_.relists, ElementsAre("invalid"));
  EXPECT_FALSE(monitor_.state.watch_open);
  PassPause();
  EXPECT_THAT(Target(), HasSubstr("limit=500"));
}

TEST_F(ScopeSessionTest, A410FrameLeadsToARelistAndAGap) {
  GetWatching();
  Pass(5s);
  Stream("{\"type\":\"ERROR\",\"object\":" + Status(410, "Expired") + "}\n" + Frame("ADDED", "z", "999"));
  EXPECT_THAT(consumer_.Take(), IsEmpty()) << "nothing behind an ERROR is read";
  EXPECT_THAT(monitor_.relists, ElementsAre("expired"));
  PassPause();
  EXPECT_THAT(Target(), Not(HasSubstr("watch")));
  Answer(200, Page("300", {Object("b", "250")}));
  EXPECT_THAT(consumer_.Take(), ElementsAre("begin relist", "listed b@250", "commit"));
  EXPECT_EQ(monitor_.gaps, 1);
  EXPECT_THAT(Target(), HasSubstr("resourceVersion=300"));
}

TEST_F(ScopeSessionTest, A410AsTheAnswerLeadsToARelist) {
  GetWatching();
  Pass(5s);
  Break("reset");
  PassPause();
  Answer(410, Status(410, "Expired"));
  EXPECT_THAT(monitor_.relists, ElementsAre("expired"));
  PassPause();
  EXPECT_THAT(Target(), HasSubstr("limit=500"));
}

TEST_F(ScopeSessionTest, AnEmptyStreamThatEndsAtOnceTwiceLeadsToARelist) {
  GetWatching();
  EndStream();
  EXPECT_TRUE(monitor_.state.watches_last);
  PassPause();
  OpenWatch();
  EndStream();
  EXPECT_THAT(monitor_.relists, ElementsAre("short_watch"));
  PassPause();
  Answer(200, Page("100", {}));
  EXPECT_FALSE(monitor_.state.watches_last);
}

TEST_F(ScopeSessionTest, AForbiddenListNamesVerbResourceAndGroupAndIsTriedAgain) {
  session_.Start();
  Answer(403, Status(403, "Forbidden"));
  EXPECT_FALSE(monitor_.state.synced);
  EXPECT_THAT(monitor_.state.trouble, AllOf(HasSubstr("scope all"), HasSubstr("list"), HasSubstr("events")));
  PassPause();
  Answer(200, Page("100", {}));
  OpenWatch();
  EXPECT_TRUE(monitor_.state.watch_open);
  EXPECT_THAT(monitor_.state.trouble, IsEmpty());
}

TEST_F(ScopeSessionTest, A401ReadsTheCredentialsAgainAndRetriesAtOnce) {
  session_.Start();
  Answer(401, Status(401, "Unauthorized"));
  EXPECT_EQ(credentials_.refreshed, 1);
  EXPECT_EQ(http_.size(), 2U) << "without a pause";
}

TEST_F(ScopeSessionTest, AListThatMakesNoSenseIsTriedAgainAndChangesNothing) {
  session_.Start();
  for (const std::string& body : {std::string("<html>"), std::string("{}"), std::string(""), Page("", {}),
                                  Page("100", {Object("a", "90")}).substr(0, 150)}) {
    Answer(200, body);
    EXPECT_FALSE(monitor_.state.synced) << body;
    EXPECT_THAT(consumer_.seen, Not(testing::Contains("commit"))) << body;
    PassPause();
    EXPECT_THAT(Target(), HasSubstr("limit=500")) << body;
  }
}

TEST_F(ScopeSessionTest, AListWhoseItemsTurnOutBrokenIsAFailedList) {
  session_.Start();
  Answer(200, Page("100", {Object("a", "90") + " " + Object("b", "91")}));
  EXPECT_THAT(monitor_.requests, ElementsAre("list started", "list failed"));
  EXPECT_THAT(consumer_.Take(), Not(testing::Contains("commit")));
}

TEST_F(ScopeSessionTest, AListItemThatCannotBeDecodedIsSkippedAndCounted) {
  session_.Start();
  Answer(200, Page("100", {Object("a", "90"), R"({"metadata":7})", Object("c", "92")}));
  EXPECT_THAT(consumer_.Take(), ElementsAre("begin first", "listed a@90", "listed c@92", "commit"));
  EXPECT_EQ(monitor_.undecodable, 1);
}

TEST_F(ScopeSessionTest, AListThatFailsAtItsSecondPageStartsAgainFromTheFirst) {
  session_.Start();
  Answer(200, Page("100", {Object("a", "90")}, "token"));
  Answer(410, Status(410, "Expired"));
  consumer_.Take();
  PassPause();
  EXPECT_THAT(Target(), Not(HasSubstr("continue")));
  Answer(200, Page("120", {Object("a", "90")}));
  EXPECT_THAT(consumer_.Take(), ElementsAre("begin first", "listed a@90", "commit"));
}

TEST_F(ScopeSessionTest, AContinueTokenThatRepeatsIsAFailureAndNoLoop) {
  session_.Start();
  Answer(200, Page("100", {}, "token"));
  Answer(200, Page("100", {}, "token"));
  EXPECT_EQ(monitor_.last_error.kind, ErrorKind::kInvalid);
  EXPECT_EQ(http_.size(), 2U) << "a pause comes first";
}

TEST_F(ScopeSessionTest, TheServersClockIsWhatCounts) {
  session_.Start();
  HttpHead head;
  head.status = 200;
  head.date = WallTime(1'700'000'000s);
  Last().Head(head);
  Last().Body(Page("100", {}));
  clock_.SetWall(WallTime(1s));
  clock_.Advance(3s);
  Last().End();
  // The head is taken together with the end here, so its age is not known.
  Poll();
  EXPECT_EQ(consumer_.list_time, WallTime(1'700'000'000s));
}

TEST_F(ScopeSessionTest, RotatesTheWatchBeforeTheServerWouldCloseIt) {
  GetWatching();
  FakeExchange& before = Last();
  Stream(Frame("ADDED", "b", "101"));
  Pass(5min);
  EXPECT_TRUE(before.cancelled());
  EXPECT_THAT(Target(), AllOf(HasSubstr("watch=true"), HasSubstr("resourceVersion=101")));
  OpenWatch();
  EXPECT_TRUE(monitor_.state.watch_open);
  EXPECT_THAT(monitor_.relists, IsEmpty());
}

TEST_F(ScopeSessionTest, AServerWhoseVersionFellBelowOursIsListedAsRestored) {
  GetWatching();
  Pass(5s);
  Break("reset");
  EXPECT_THAT(Target(), Not(HasSubstr("watch")));
  Answer(200, Page("40", {}));
  EXPECT_THAT(monitor_.relists, ElementsAre("restored"));
  Answer(200, Page("41", {Object("a", "30")}));
  EXPECT_THAT(consumer_.Take(), ElementsAre("begin restored", "listed a@30", "commit"));
  EXPECT_THAT(Target(), HasSubstr("resourceVersion=41"));
}

TEST_F(ScopeSessionTest, AWatchThatIsNeverAnsweredIsTroubleAfterItsDeadline) {
  session_.Start();
  Answer(200, Page("100", {}));
  Pass(36s);
  EXPECT_THAT(monitor_.state.trouble, HasSubstr("not answered in time"));
  EXPECT_EQ(monitor_.last_error.reason, "timeout");
}

TEST_F(ScopeSessionTest, AStreamThatComesFasterThanItIsTakenIsPausedAndGoesOn) {
  GetWatching();
  const std::string half(StreamInbox::kMaxBuffered / 2, ' ');
  Last().Body(half);
  EXPECT_FALSE(Last().paused());
  Last().Body(half);
  EXPECT_TRUE(Last().paused());
  Poll();
  EXPECT_FALSE(Last().paused());
}

}  // namespace
}  // namespace kube_events
