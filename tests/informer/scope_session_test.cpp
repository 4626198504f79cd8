// A session that lists and begins to watch: what it asks for, what it hands over, what it tells about itself.
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
using testing::StartsWith;

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

class ResumedSessionTest : public ScopeSessionTest {
 protected:
  static constexpr WallTime kSaved{1'700'000'000s};
  ResumedSessionTest() : ScopeSessionTest({.resume = ScopePosition{"50", kSaved}}) {}
};

TEST_F(ResumedSessionTest, WhatWasWrittenBeforeTheRestartIsNoSignThatNothingIsMissingUntilNow) {
  clock_.SetWall(kSaved + 60s);
  session_.Start();
  Answer(200, Page("100", {Object("a", "90")}));
  EXPECT_THAT(Target(), HasSubstr("resourceVersion=50"));
  OpenWatch();
  Stream(Frame("MODIFIED", "a", "80"));
  EXPECT_EQ(session_.Position(), (ScopePosition{"80", kSaved}));
  Stream(Frame("MODIFIED", "a", "90"));
  EXPECT_EQ(session_.Position(), (ScopePosition{"90", kSaved})) << "the list may have had more";
  Stream(Frame("MODIFIED", "a", "101"));
  EXPECT_EQ(session_.Position(), (ScopePosition{"101", kSaved + 60s}));
}

TEST_F(ScopeSessionTest, AWatchThatIsNeverAnsweredIsTroubleAfterItsDeadline) {
  session_.Start();
  Answer(200, Page("100", {}));
  Pass(36s);
  EXPECT_THAT(monitor_.state.trouble, HasSubstr("not answered in time"));
  EXPECT_EQ(monitor_.last_error.reason, "timeout");
}

}  // namespace
}  // namespace kube_events
