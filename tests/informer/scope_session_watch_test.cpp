// A session that watches: frames, ends and breaks of streams, and what is asked for next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "informer/scope_session_fixture.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
