#include "sim/sim_test_support.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

FetchOptions WithToken(const std::string& token) { return {.headers = {{"Authorization", "Bearer " + token}}}; }

TEST(Access, TokensAdmitTheirUsersOnly) {
  SimServer server({.tokens = {{"good", "alice"}}});
  const std::string url = server.Url() + "/api/v1/events";
  EXPECT_EQ(Get(url, WithToken("good")).status, 200);
  const auto unknown = Get(url, WithToken("bad"));
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(ParseJson(unknown.body), (json{{"kind", "Status"},
                                           {"apiVersion", "v1"},
                                           {"metadata", json::object()},
                                           {"status", "Failure"},
                                           {"message", "Unauthorized"},
                                           {"reason", "Unauthorized"},
                                           {"code", 401}}));
  const auto anonymous = Get(url);
  EXPECT_EQ(anonymous.status, 403) << "as on a cluster with anonymous requests, which is the default";
  EXPECT_NE(anonymous.body.find("system:anonymous"), std::string::npos) << anonymous.body;
  server.SetTokens({{"rotated", "alice"}});
  EXPECT_EQ(Get(url, WithToken("good")).status, 401);
  EXPECT_EQ(Get(url, WithToken("rotated")).status, 200);
}

TEST(Access, RefusalNamesUserVerbAndScope) {
  SimServer server({.tokens = {{"good", "alice"}}});
  server.SetDenied(
      {{.verb = "list", .namespace_name = ""}, {.verb = "watch", .group = "events.k8s.io"}, {.user = "bob"}});
  const auto refused = Get(server.Url() + "/api/v1/events", WithToken("good"));
  EXPECT_EQ(refused.status, 403);
  const json status = ParseJson(refused.body);
  EXPECT_EQ(status["reason"], "Forbidden");
  EXPECT_EQ(status["message"],
            "events is forbidden: User \"alice\" cannot list resource \"events\" in API group \"\" at the cluster "
            "scope");
  EXPECT_EQ(Get(server.Url() + "/api/v1/namespaces/shop/events", WithToken("good")).status, 200);
  const auto watch = Get(server.Url() + "/apis/events.k8s.io/v1/namespaces/shop/events?watch=1", WithToken("good"));
  EXPECT_EQ(ParseJson(watch.body)["message"],
            "events.events.k8s.io is forbidden: User \"alice\" cannot watch resource \"events\" in API group "
            "\"events.k8s.io\" in the namespace \"shop\"");
  server.SetDenied({});
  EXPECT_EQ(Get(server.Url() + "/api/v1/events", WithToken("good")).status, 200);
}

TEST(Access, CanBeSetOverTheControlRequests) {
  SimServer server;
  const auto answer =
      Post(server.Url() + "/sim/v1/access", R"({"tokens":{"t":"bob"},"denied":[{"verb":"list","namespace":"shop"}]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(Get(server.Url() + "/api/v1/events").status, 403);
  EXPECT_EQ(Get(server.Url() + "/api/v1/events", WithToken("t")).status, 200);
  EXPECT_EQ(Get(server.Url() + "/api/v1/namespaces/shop/events", WithToken("t")).status, 403);
}

}  // namespace
}  // namespace kube_events::sim
