// Permissions, and the reviews that ask for them.
#include "sim/sim_test_support.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

class Review : public ::testing::Test {
 protected:
  json Token(const std::string& token, const std::vector<std::string>& audiences = {}) {
    json spec = {{"token", token}};
    if (!audiences.empty()) spec["audiences"] = audiences;
    return Ask("/apis/authentication.k8s.io/v1/tokenreviews", spec);
  }
  bool MayDo(const std::string& user, const json& attributes) {
    const bool path = attributes.contains("path");
    return Ask("/apis/authorization.k8s.io/v1/subjectaccessreviews",
               {{"user", user}, {path ? "nonResourceAttributes" : "resourceAttributes", attributes}})["allowed"];
  }

  SimServer server_{
      SimServerOptions{.tokens = {{"good", "system:serviceaccount:monitoring:prometheus"}, {"a", "alice"}}}};

 private:
  json Ask(const std::string& path, const json& spec) {
    const auto response =
        Post(server_.Url() + path, json{{"spec", spec}}.dump(), {.headers = {{"Authorization", "Bearer good"}}});
    EXPECT_EQ(response.status, 201) << response.body;
    return ParseJson(response.body)["status"];
  }
};

TEST_F(Review, KnownTokenIsAuthenticated) {
  EXPECT_EQ(
      Token("good"),
      (json{{"authenticated", true},
            {"user",
             {{"username", "system:serviceaccount:monitoring:prometheus"},
              {"groups", {"system:serviceaccounts", "system:serviceaccounts:monitoring", "system:authenticated"}}}},
            {"audiences", {"https://kubernetes.default.svc"}}}));
  EXPECT_EQ(Token("a", {"other", "https://kubernetes.default.svc"})["user"]["username"], "alice");
}

TEST_F(Review, UnknownTokenOrAudienceIsNot) {
  const json refused = {{"user", json::object()}, {"error", "invalid bearer token"}};
  EXPECT_EQ(Token("bad"), refused);
  EXPECT_EQ(Token("good", {"other"}), refused);
}

TEST_F(Review, AccessIsWhatTheTablesSay) {
  const json list = {{"verb", "list"}, {"resource", "events"}, {"namespace", "shop"}};
  EXPECT_TRUE(MayDo("alice", list)) << "everything is allowed that is not denied";
  server_.SetDenied({{.user = "alice", .verb = "list"}});
  EXPECT_FALSE(MayDo("alice", list));
  EXPECT_TRUE(MayDo("bob", list));
}

TEST_F(Review, PermissionsAreForWhomTheyName) {
  const json metrics = {{"verb", "get"}, {"path", "/metrics"}};
  const json list = {{"verb", "list"}, {"resource", "events"}, {"namespace", "shop"}};
  server_.SetAllowed({{{.user = "system:serviceaccount:monitoring:prometheus"},
                       {.user = "alice", .verb = "list", .group = "", .resource = "events", .namespace_name = "shop"},
                       {.user = "bob", .verb = "get", .path = "/metrics"},
                       {.user = "carol", .path = "/debug/*"}}});
  EXPECT_TRUE(MayDo("alice", list));
  EXPECT_FALSE(MayDo("alice", {{"verb", "list"}, {"resource", "events"}})) << "one namespace only";
  EXPECT_FALSE(MayDo("alice", metrics));
  EXPECT_FALSE(MayDo("bob", list));
  EXPECT_TRUE(MayDo("bob", metrics));
  EXPECT_FALSE(MayDo("bob", {{"verb", "post"}, {"path", "/metrics"}}));
  EXPECT_TRUE(MayDo("carol", {{"verb", "get"}, {"path", "/debug/heap"}}));
  EXPECT_FALSE(MayDo("carol", metrics));
}

TEST_F(Review, PermissionsBindTheRequestsToo) {
  server_.SetAllowed({{{.user = "alice", .verb = "list", .namespace_name = "shop"}}});
  const FetchOptions alice{.headers = {{"Authorization", "Bearer a"}}};
  EXPECT_EQ(Get(server_.Url() + "/api/v1/namespaces/shop/events", alice).status, 200);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/events", alice).status, 403);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/namespaces/shop/pods", alice).status, 404);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/namespaces/other/pods", alice).status, 403) << "not told what there is";
  EXPECT_EQ(Get(server_.Url() + "/metrics", alice).status, 403);
  server_.SetAllowed(std::nullopt);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/events", alice).status, 200);
}

TEST_F(Review, StrangersMayDoNothingButByTheirName) {
  const std::string url = server_.Url() + "/api/v1/events";
  server_.SetAllowed({{{.verb = "list"}}});
  EXPECT_EQ(Get(url).status, 403);
  server_.SetAllowed({{{.user = "system:anonymous", .verb = "list"}}});
  EXPECT_EQ(Get(url).status, 200);
}

TEST_F(Review, IncompleteReviewsAreRefused) {
  const FetchOptions good{.headers = {{"Authorization", "Bearer good"}}};
  const std::string tokens = server_.Url() + "/apis/authentication.k8s.io/v1/tokenreviews";
  const std::string access = server_.Url() + "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  EXPECT_EQ(Post(tokens, R"({"spec":{}})", good).status, 400);
  EXPECT_EQ(Post(tokens, R"({"spec":{"token":5}})", good).status, 400);
  EXPECT_EQ(Get(tokens, good).status, 405);
  EXPECT_EQ(Post(access, R"({"spec":{"user":"x"}})", good).status, 422);
  EXPECT_EQ(Post(access, R"({"spec":{"resourceAttributes":{}}})", good).status, 422);
}

TEST_F(Review, TablesCanBeSetOverTheControlRequests) {
  const FetchOptions good{.headers = {{"Authorization", "Bearer good"}}};
  EXPECT_EQ(Post(server_.Url() + "/sim/v1/access", R"({"allowed":[{"user":"carol","path":"*"}]})").status, 200);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/events", good).status, 403);
  EXPECT_EQ(Post(server_.Url() + "/sim/v1/access", R"({"allowed":null})").status, 200);
  EXPECT_EQ(Get(server_.Url() + "/api/v1/events", good).status, 200);
}

}  // namespace
}  // namespace kube_events::sim
