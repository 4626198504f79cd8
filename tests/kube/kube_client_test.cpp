#include "kube_events/kube/kube_client.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/fake_http_client.h"

namespace kube_events {
namespace {

class CountingCredentials final : public Credentials {
 public:
  Result<std::vector<HttpHeader>> Headers() override {
    if (broken) return Fail(ErrorKind::kConfiguration, "no token");
    return std::vector<HttpHeader>{{"Authorization", "Bearer abc"}};
  }
  void Refresh() override { ++refreshed; }

  bool broken = false;
  int refreshed = 0;
};

class NullObserver final : public HttpObserver {
 public:
  void OnHead(const HttpHead&) override {}
  bool OnBody(std::string_view) override { return true; }
  void OnEnd(const Result<void>&) override {}
};

class KubeClientTest : public ::testing::Test {
 protected:
  const HttpRequest& List(const Scope& scope, const ListRequest& request) {
    exchange_ = client_.ListEvents(scope, request, observer_).value();
    return http_.last().request();
  }
  const HttpRequest& Watch(const Scope& scope, const WatchRequest& request) {
    exchange_ = client_.WatchEvents(scope, request, observer_).value();
    return http_.last().request();
  }

  FakeHttpClient http_;
  CountingCredentials credentials_;
  NullObserver observer_;
  KubeClient client_{http_, credentials_};
  std::unique_ptr<HttpExchange> exchange_;
};

TEST_F(KubeClientTest, ListsTheFirstPageWithoutAResourceVersion) {
  const HttpRequest& request = List({}, {});
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/api/v1/events?limit=500");
  EXPECT_FALSE(request.own_connection);
  EXPECT_EQ(request.body, "");
}

TEST_F(KubeClientTest, ListsFurtherPagesByTheirToken) {
  EXPECT_EQ(List({}, {50, "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0="}).target,
            "/api/v1/events?limit=50&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0%3D");
}

TEST_F(KubeClientTest, ListsOneNamespaceOfTheOtherApiWithSelectors) {
  const Scope scope{EventApi::kEventsV1, "team-a", "app in (a,b),!c", "type!=Normal,regarding.kind=Pod"};
  EXPECT_EQ(List(scope, {}).target,
            "/apis/events.k8s.io/v1/namespaces/team-a/events?limit=500&labelSelector=app%20in%20%28a%2Cb%29%2C%21c"
            "&fieldSelector=type%21%3DNormal%2Cregarding.kind%3DPod");
}

TEST_F(KubeClientTest, CannotBeLedElsewhereByANamespace) {
  EXPECT_EQ(List({EventApi::kCoreV1, "../../secrets?", "", ""}, {}).target,
            "/api/v1/namespaces/..%2F..%2Fsecrets%3F/events?limit=500");
}

TEST_F(KubeClientTest, WatchesOnAConnectionOfItsOwn) {
  const HttpRequest& request = Watch({}, {"4711", std::chrono::seconds(360), std::chrono::seconds(370)});
  EXPECT_EQ(request.target,
            "/api/v1/events?watch=true&allowWatchBookmarks=true&resourceVersion=4711&timeoutSeconds=360");
  EXPECT_TRUE(request.own_connection);
  EXPECT_EQ(request.idle_timeout, std::chrono::seconds(370));
  // A server that cannot be reached must not take the whole of that to be noticed.
  EXPECT_LE(request.head_timeout, std::chrono::seconds(60));
}

TEST_F(KubeClientTest, WatchesWithSelectors) {
  const Scope scope{EventApi::kCoreV1, "team-a", "a=b", "type=Warning"};
  EXPECT_EQ(Watch(scope, {"1", std::chrono::seconds(60), std::chrono::seconds(70)}).target,
            "/api/v1/namespaces/team-a/events?watch=true&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=60"
            "&labelSelector=a%3Db&fieldSelector=type%3DWarning");
}

TEST_F(KubeClientTest, AuthenticatesEveryRequest) {
  List({}, {});
  EXPECT_EQ(http_.last().Header("Authorization"), "Bearer abc");
  EXPECT_EQ(http_.last().Header("Accept"), "application/json");
  EXPECT_EQ(http_.last().Header("Accept-Encoding"), "");
  Watch({}, {"1", std::chrono::seconds(60), std::chrono::seconds(70)});
  EXPECT_EQ(http_.last().Header("Authorization"), "Bearer abc");
}

TEST_F(KubeClientTest, SendsNothingWithoutCredentials) {
  credentials_.broken = true;
  const auto list = client_.ListEvents({}, {}, observer_);
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().message, "no token");
  EXPECT_FALSE(client_.WatchEvents({}, {"1", {}, {}}, observer_));
  EXPECT_EQ(http_.size(), 0U);
}

TEST_F(KubeClientTest, HasTheCredentialsReadAgain) {
  client_.RefreshCredentials();
  EXPECT_EQ(credentials_.refreshed, 1);
}

TEST(EventApi, IsSpelledAsOnTheCommandLine) {
  EXPECT_EQ(ToString(EventApi::kCoreV1), "v1");
  EXPECT_EQ(ToString(EventApi::kEventsV1), "events.k8s.io/v1");
}

}  // namespace
}  // namespace kube_events
