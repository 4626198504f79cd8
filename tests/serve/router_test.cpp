#include "kube_events/serve/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace kube_events {
namespace {

using testing::ElementsAre;
using testing::Pair;

Route Answering(const std::string& method, const std::string& path, const std::string& body) {
  return {method, path, [body](const HttpQuery&) { return HttpReply{.body = body}; }};
}

HttpQuery Query(const std::string& method, const std::string& path) {
  return {.method = method, .path = path, .query = {}, .headers = {}};
}

TEST(RouterTest, TheRouteOfAPathAnswers) {
  Router router({Answering("GET", "/a", "A"), Answering("GET", "/b", "B")});
  router.Add(Answering("POST", "/b", "posted"));
  EXPECT_EQ(router.Dispatch(Query("GET", "/a")).body, "A");
  EXPECT_EQ(router.Dispatch(Query("GET", "/b")).body, "B");
  EXPECT_EQ(router.Dispatch(Query("POST", "/b")).body, "posted");
  EXPECT_EQ(router.Dispatch(Query("GET", "/a")).status, 200);
}

TEST(RouterTest, AnUnknownPathIs404) {
  const Router router({Answering("GET", "/a", "A")});
  for (const auto* path : {"/", "/a/", "/A", "/ab", ""})
    EXPECT_EQ(router.Dispatch(Query("GET", path)).status, 404) << path;
  EXPECT_EQ(Router().Dispatch(Query("GET", "/")).status, 404);
}

TEST(RouterTest, AnotherMethodIs405WithTheAllowedOnes) {
  const Router router({Answering("GET", "/a", "A"), Answering("POST", "/a", "B")});
  const HttpReply reply = router.Dispatch(Query("DELETE", "/a"));
  EXPECT_EQ(reply.status, 405);
  EXPECT_THAT(reply.headers, ElementsAre(Pair("Allow", "GET, HEAD, POST")));
}

TEST(RouterTest, WhatAHandlerThrowsIsPassedOn) {
  const Router router({{"GET", "/a", [](const HttpQuery&) -> HttpReply { throw std::runtime_error("broken"); }}});
  EXPECT_THROW(router.Dispatch(Query("GET", "/a")), std::runtime_error);
}

TEST(HttpQueryTest, HeadersAreFoundInAnyCaseAndJoined) {
  const HttpQuery query{.method = "GET",
                        .path = "/",
                        .query = {},
                        .headers = {{"accept", "text/plain"}, {"Host", "h"}, {"ACCEPT", "*/*;q=0.1"}}};
  EXPECT_EQ(query.Header("Accept"), "text/plain, */*;q=0.1");
  EXPECT_EQ(query.Header("host"), "h");
  EXPECT_EQ(query.Header("Accept-Encoding"), "");
}

TEST(RequestTargetTest, PathAndQueryAreTakenApart) {
  const auto target = ParseRequestTarget("/metrics?name[]=a&x=%20?");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/metrics");
  EXPECT_EQ(target->query, "name[]=a&x=%20?");
  EXPECT_EQ(ParseRequestTarget("/metrics?")->path, "/metrics");
  EXPECT_EQ(ParseRequestTarget("/metrics#top")->path, "/metrics");
}

TEST(RequestTargetTest, ThePathIsDecoded) {
  EXPECT_EQ(ParseRequestTarget("/m%65tr%69cs")->path, "/metrics");
  EXPECT_EQ(ParseRequestTarget("/a%2Fb%3fc")->path, "/a/b?c");
}

TEST(RequestTargetTest, ProxiesMaySendTheWholeUrl) {
  EXPECT_EQ(ParseRequestTarget("http://host:8080/healthz?x")->path, "/healthz");
  EXPECT_EQ(ParseRequestTarget("http://host")->path, "/");
  EXPECT_EQ(ParseRequestTarget("http://host?x=1")->path, "/");
  EXPECT_EQ(ParseRequestTarget("http://host?x=1")->query, "x=1");
  EXPECT_EQ(ParseRequestTarget("http://host?x=1#top")->query, "x=1");
}

TEST(RequestTargetTest, OtherFormsAreRefused) {
  for (const auto* target : {"*", "", "metrics", "host:443", "/%", "/%4", "/%zz", "/a%4g"}) {
    EXPECT_FALSE(ParseRequestTarget(target)) << target;
  }
}

}  // namespace
}  // namespace kube_events
