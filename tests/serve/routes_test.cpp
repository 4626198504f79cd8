#include "kube_events/serve/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube_events/metrics/event_counters.h"
#include "kube_events/serve/metrics_request_observer.h"
#include "support/fake_clock.h"
#include "support/gunzip.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

class RoutesTest : public testing::Test {
 protected:
  HttpReply Ask(const std::string& path, HttpHeaders headers = {}) const {
    Router router({MetricsRoute({&counters_, &self_}), IndexRoute({"events & <more>", "1.2", {"/metrics", "/livez"}})});
    router.Add(HealthRoutes(health_));
    return router.Dispatch({.method = "GET", .path = path, .query = {}, .headers = std::move(headers)});
  }

  FakeClock clock_;
  Health health_{clock_};
  EventCounters counters_{10};
  SelfMetrics self_{{.version = "1.2", .revision = "abc", .scopes = {"all"}}};
};

TEST_F(RoutesTest, MetricsAreTextUnlessAskedOtherwise) {
  counters_.Add({"Normal", "default", "Pod", "Pulled"}, 3);
  const HttpReply reply = Ask("/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(reply.body, HasSubstr("reason=\"Pulled\"} 3\n"));
  EXPECT_THAT(reply.body, HasSubstr("kube_events_exporter_version{version=\"1.2\"} 1\n"));
  EXPECT_THAT(reply.body, Not(HasSubstr("# EOF")));
  EXPECT_THAT(reply.headers, Contains(Pair("Vary", "Accept, Accept-Encoding")));
}

TEST_F(RoutesTest, MetricsAreOpenMetricsWhenAsked) {
  const HttpReply reply = Ask("/metrics", {{"Accept", "application/openmetrics-text;version=1.0.0"}});
  EXPECT_EQ(reply.content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_TRUE(reply.body.ends_with("# EOF\n"));
}

TEST_F(RoutesTest, MetricsAreCompressedWhenAsked) {
  counters_.Add({"Normal", "default", "Pod", "Pulled"}, 3);
  const HttpReply plain = Ask("/metrics", {{"Accept-Encoding", "gzip;q=0"}});
  EXPECT_THAT(plain.headers, Not(Contains(Pair("Content-Encoding", testing::_))));
  const HttpReply reply = Ask("/metrics", {{"Accept-Encoding", "gzip"}});
  EXPECT_THAT(reply.headers, Contains(Pair("Content-Encoding", "gzip")));
  EXPECT_THAT(Gunzip(reply.body), HasSubstr("reason=\"Pulled\"} 3\n"));
  EXPECT_LT(reply.body.size(), plain.body.size());
}

TEST_F(RoutesTest, ReadinessAndHealthFollowTheConditions) {
  health_.SetNotReady("scope a", "scope a: forbidden\nto list");
  health_.SetNotReady("scope b", "scope b: no watch");
  for (const auto* path : {"/healthz", "/readyz"}) {
    const HttpReply reply = Ask(path);
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.body, "scope a: forbidden to list\nscope b: no watch\n") << "one line per reason";
  }
  health_.SetReady("scope a");
  health_.SetReady("scope b");
  for (const auto* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(Ask(path).status, 200);
    EXPECT_EQ(Ask(path).body, "ok\n");
  }
  health_.SetShuttingDown();
  EXPECT_EQ(Ask("/healthz").status, 503);
}

TEST_F(RoutesTest, LivenessFollowsTheLoopsOnly) {
  health_.SetNotReady("scope a", "scope a: API server is down");
  Heartbeat& loop = health_.AddLoop("informer", 10s);
  EXPECT_EQ(Ask("/livez").status, 200) << "an API server that is down must not restart the process";
  clock_.Advance(11s);
  EXPECT_EQ(Ask("/livez").status, 503);
  EXPECT_EQ(Ask("/livez").body, "informer: no progress for 11s\n");
  loop.Beat();
  EXPECT_EQ(Ask("/livez").body, "ok\n");
}

TEST_F(RoutesTest, TheIndexLinksThePagesAndEscapesItsTexts) {
  const HttpReply reply = Ask("/");
  EXPECT_EQ(reply.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(reply.body, HasSubstr("<h1>events &amp; &lt;more&gt;</h1>"));
  EXPECT_THAT(reply.body, HasSubstr("Version 1.2"));
  EXPECT_THAT(reply.body, HasSubstr("<a href=\"/metrics\">/metrics</a>"));
  EXPECT_THAT(reply.body, HasSubstr("<a href=\"/livez\">/livez</a>"));
}

TEST_F(RoutesTest, RequestsForMetricsAreCountedAndNoOthers) {
  MetricsRequestObserver observer(self_);
  observer.OnRequestBegin("/metrics");
  EXPECT_THAT(Ask("/metrics").body, HasSubstr("requests_in_flight 1\n"));
  observer.OnRequestEnd("/metrics", 200, 2ms);
  observer.OnRequestBegin("/healthz");
  observer.OnRequestEnd("/healthz", 503, 1ms);
  observer.OnRequestBegin("/metrics");
  observer.OnRequestEnd("/metrics", 405, 1ms);
  const std::string page = Ask("/metrics").body;
  EXPECT_THAT(page, HasSubstr("requests_total{code=\"200\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("requests_total{code=\"405\"} 1\n"));
  EXPECT_THAT(page, Not(HasSubstr("code=\"503\"")));
  EXPECT_THAT(page, HasSubstr("requests_in_flight 0\n"));
  EXPECT_THAT(page, HasSubstr("request_duration_seconds_count 2\n"));
}

}  // namespace
}  // namespace kube_events
