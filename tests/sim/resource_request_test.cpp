// What paths name, and which methods that has.
#include "sim/resource_request.h"

#include "sim/sim_test_support.h"

namespace kube_events::sim {
namespace {

std::optional<ResourceRequest> Parse(const std::string& method, const std::string& target) {
  Request request;
  request.method = method;
  request.target = target;
  ParseTarget(request);
  return ParseResource(request);
}

int RouteStatus(const std::string& method, const std::string& target) {
  const std::optional<Status> refusal = RefuseRoute(Parse(method, target).value());
  return refusal ? refusal->code : 200;
}

TEST(ResourceRequest, NamesWhatThePathNames) {
  const auto event = Parse("PATCH", "/apis/events.k8s.io/v1/namespaces/shop/events/e%20f").value();
  EXPECT_EQ(event.kind, ResourceKind::kEvent);
  EXPECT_EQ(event.api, Api::kEventsV1);
  EXPECT_EQ(event.ApiVersion(), "events.k8s.io/v1");
  EXPECT_EQ(event.verb, "patch");
  EXPECT_EQ(event.Key(), "shop/e f");
  const auto space = Parse("GET", "/api/v1/namespaces/shop").value();
  EXPECT_EQ(space.kind, ResourceKind::kNamespace);
  EXPECT_EQ(space.verb, "get");
  EXPECT_EQ(space.Key(), "shop");
  EXPECT_EQ(space.namespace_name, "shop") << "as permissions see it";
  EXPECT_EQ(Parse("GET", "/api/v1/namespaces").value().verb, "list");
  EXPECT_EQ(Parse("GET", "/api/v1/events?watch=1").value().verb, "watch");
  EXPECT_EQ(Parse("DELETE", "/api/v1/namespaces/shop/configmaps").value().verb, "deletecollection");
  EXPECT_EQ(Parse("GET", "/api/v1/namespaces/shop/events/e/status").value().subresource, "status");
}

TEST(ResourceRequest, OtherPathsAreNone) {
  for (const char* path : {"/", "/version", "/api", "/api/v1", "/apis/events.k8s.io/v1", "/metrics"}) {
    EXPECT_FALSE(Parse("GET", path)) << path;
  }
}

TEST(ResourceRequest, UnknownResourcesKeepTheirNames) {
  const auto pods = Parse("GET", "/api/v1/namespaces/shop/pods/p").value();
  EXPECT_EQ(pods.kind, ResourceKind::kUnknown);
  EXPECT_EQ(pods.resource.resource, "pods");
  EXPECT_TRUE(pods.known_group);
  EXPECT_FALSE(Parse("GET", "/apis/example.com/v1/things").value().known_group);
  EXPECT_EQ(Parse("GET", "/api/v2/events").value().kind, ResourceKind::kUnknown);
}

TEST(ResourceRequest, MethodsAreThoseOfTheResource) {
  const std::string events = "/api/v1/namespaces/shop/events";
  for (const char* method : {"GET", "POST", "DELETE"}) EXPECT_EQ(RouteStatus(method, events), 200) << method;
  for (const char* method : {"PUT", "PATCH", "OPTIONS"}) EXPECT_EQ(RouteStatus(method, events), 405) << method;
  for (const char* method : {"GET", "PUT", "PATCH", "DELETE"}) EXPECT_EQ(RouteStatus(method, events + "/e"), 200);
  EXPECT_EQ(RouteStatus("POST", events + "/e"), 405);
  EXPECT_EQ(RouteStatus("GET", "/api/v1/events"), 200);
  EXPECT_EQ(RouteStatus("POST", "/api/v1/events"), 405);
  EXPECT_EQ(RouteStatus("GET", "/api/v1/events/e"), 404);
  EXPECT_EQ(RouteStatus("GET", events + "/e/status"), 404);
  EXPECT_EQ(RouteStatus("POST", "/apis/authentication.k8s.io/v1/tokenreviews"), 200);
  EXPECT_EQ(RouteStatus("GET", "/apis/authentication.k8s.io/v1/tokenreviews"), 405);
  EXPECT_EQ(RouteStatus("POST", "/apis/authentication.k8s.io/v1/namespaces/shop/tokenreviews"), 404);
}

}  // namespace
}  // namespace kube_events::sim
