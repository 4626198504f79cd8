#include "kube_events/kube/api_error.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kForbidden =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"events is forbidden: User )"
    R"(\"system:serviceaccount:mon:exporter\" cannot list resource \"events\" in API group \"\" at the cluster )"
    R"(scope","reason":"Forbidden","details":{"kind":"events"},"code":403})";
constexpr const char* kExpired =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"The resourceVersion for the )"
    R"(provided watch is too old.","reason":"Expired","code":410})";

Error FromResponse(int status, std::string_view body, const Scope& scope = {}) {
  HttpHead head;
  head.status = status;
  return ErrorFromResponse(head, body, "list", scope);
}

TEST(ApiError, NamesVerbResourceGroupAndRemedyWhereAccessIsMissing) {
  const Error error = FromResponse(403, kForbidden);
  EXPECT_EQ(error.kind, ErrorKind::kForbidden);
  EXPECT_EQ(error.reason, "Forbidden");
  EXPECT_EQ(error.message,
            "list of events in API group \"\" in all namespaces is forbidden (403): events is forbidden: User "
            "\"system:serviceaccount:mon:exporter\" cannot list resource \"events\" in API group \"\" at the cluster "
            "scope; grant verbs list and watch on events to the exporter's service account");
}

TEST(ApiError, SaysOfOneObjectWhatCannotBeMendedByRepeating) {
  const ObjectPath lease{"coordination.k8s.io", "leases", "mon", "exporter"};
  const auto kind = [&](int status) {
    HttpHead head;
    head.status = status;
    return ErrorFromResponse(head, "", "update", lease).kind;
  };
  for (const int status : {400, 405, 413, 415, 422}) EXPECT_EQ(kind(status), ErrorKind::kInvalid) << status;
  for (const int status : {408, 429, 500, 503}) EXPECT_EQ(kind(status), ErrorKind::kRetry) << status;
  EXPECT_EQ(kind(404), ErrorKind::kNotFound);
  EXPECT_EQ(kind(409), ErrorKind::kConflict);
  EXPECT_EQ(kind(410), ErrorKind::kExpired);
}

TEST(ApiError, NamesTheObjectAndTheMissingRight) {
  HttpHead head;
  head.status = 403;
  const Error error = ErrorFromResponse(head, "no", "update", ObjectPath{"coordination.k8s.io", "leases", "mon", "e"});
  EXPECT_EQ(error.kind, ErrorKind::kForbidden);
  EXPECT_EQ(error.message,
            "update of leases \"e\" in namespace \"mon\" is forbidden (403): no; grant verb update on leases in API "
            "group \"coordination.k8s.io\" to the exporter's service account");
}

TEST(ApiError, NamesTheGroupAndNamespaceOfTheScope) {
  const Error error = ErrorFromStatus(kForbidden, "watch", {EventApi::kEventsV1, "team-a", "", ""});
  EXPECT_TRUE(error.message.starts_with(
      "watch of events in API group \"events.k8s.io\" in namespace \"team-a\" is forbidden (403): "))
      << error.message;
}

TEST(ApiError, AsksForOtherCredentialsOn401) {
  const Error error = FromResponse(
      401, R"({"kind":"Status","status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401})");
  EXPECT_EQ(error.kind, ErrorKind::kUnauthenticated);
  EXPECT_EQ(error.reason, "Unauthorized");
  EXPECT_NE(error.message.find("check that the token"), std::string::npos);
}

TEST(ApiError, KnowsExpiryAsStatusAndInStream) {
  for (const Error& error : {FromResponse(410, kExpired), ErrorFromStatus(kExpired, "watch", {})}) {
    EXPECT_EQ(error.kind, ErrorKind::kExpired);
    EXPECT_EQ(error.reason, "Expired");
  }
  EXPECT_EQ(FromResponse(410, "").kind, ErrorKind::kExpired);
  EXPECT_EQ(ErrorFromStatus(R"({"reason":"Gone"})", "watch", {}).kind, ErrorKind::kExpired);
  EXPECT_EQ(ErrorFromStatus(R"({"code":410})", "watch", {}).kind, ErrorKind::kExpired);
}

// Since 1.18.6, from 1.17.0 to 1.18.5, and before.
TEST(ApiError, KnowsATooLargeResourceVersionInItsThreeSpellings) {
  for (const char* body :
       {R"({"status":"Failure","message":"Too large resource version: 999, current: 5","reason":"Timeout",)"
        R"("details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],)"
        R"("retryAfterSeconds":1},"code":504})",
        R"({"status":"Failure","message":"Timeout: whatever","reason":"Timeout",)"
        R"("details":{"causes":[{"message":"Too large resource version"}],"retryAfterSeconds":1},"code":504})",
        R"({"status":"Failure","message":"Timeout: Too large resource version: 999, current: 5","reason":"Timeout",)"
        R"("details":{"retryAfterSeconds":1},"code":504})"}) {
    for (const Error& error : {FromResponse(504, body), ErrorFromStatus(body, "watch", {})}) {
      EXPECT_EQ(error.kind, ErrorKind::kExpired) << body;
      EXPECT_EQ(error.reason, "ResourceVersionTooLarge");
      EXPECT_EQ(error.retry_after, milliseconds(1000));
    }
  }
}

TEST(ApiError, LeavesAnOrdinaryTimeoutToARetry) {
  const Error error = FromResponse(504, R"({"status":"Failure","message":"slow","reason":"Timeout","code":504})");
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_EQ(error.reason, "Timeout");
}

TEST(ApiError, TakesTheWaitFromTheHeaderBeforeTheBody) {
  const char* body =
      R"({"message":"too many requests","reason":"TooManyRequests","details":{"retryAfterSeconds":3},"code":429})";
  EXPECT_EQ(FromResponse(429, body).retry_after, milliseconds(3000));
  HttpHead head;
  head.status = 429;
  head.retry_after = seconds(7);
  const Error error = ErrorFromResponse(head, body, "list", Scope{});
  EXPECT_EQ(error.kind, ErrorKind::kRetry);
  EXPECT_EQ(error.reason, "TooManyRequests");
  EXPECT_EQ(error.retry_after, milliseconds(7000));
}

TEST(ApiError, HasAKindForEveryStatus) {
  EXPECT_EQ(FromResponse(404, "").kind, ErrorKind::kNotFound);
  EXPECT_EQ(FromResponse(409, "").kind, ErrorKind::kConflict);
  for (const int status : {103, 301, 302, 400, 408, 418, 422, 429, 500, 502, 503, 504}) {
    EXPECT_EQ(FromResponse(status, "").kind, ErrorKind::kRetry) << status;
  }
}

TEST(ApiError, HintsAtSelectorsWhereTheRequestIsInvalid) {
  const Error error =
      FromResponse(400, R"({"message":"unable to parse requirement","reason":"BadRequest","code":400})");
  EXPECT_NE(error.message.find("check --label-selector"), std::string::npos);
}

TEST(ApiError, SaysThatRedirectsAreNotFollowed) {
  EXPECT_NE(FromResponse(302, "").message.find("redirects are not followed"), std::string::npos);
}

TEST(ApiError, BelievesTheStatusLineRatherThanTheBody) {
  EXPECT_EQ(FromResponse(403, R"({"code":200,"reason":"","message":"fine"})").kind, ErrorKind::kForbidden);
}

TEST(ApiError, SurvivesAnyBody) {
  for (const char* body :
       {"", "null", "[]", "42", "\"text\"", "{", "<html>502</html>", "{\"details\":7}", "{\"details\":{\"causes\":{}}}",
        "{\"details\":{\"causes\":[1,null,[]]}}", "{\"code\":\"x\",\"reason\":5,\"message\":[]}",
        "{\"details\":{\"retryAfterSeconds\":-1}}", "{\"details\":{\"retryAfterSeconds\":1e99}}",
        "{\"code\":99999999999999999999}", "\xff\xfe{\"a\":"}) {
    const Error error = FromResponse(500, body);
    EXPECT_EQ(error.kind, ErrorKind::kRetry) << body;
    EXPECT_FALSE(error.retry_after) << body;
    EXPECT_NE(error.message.find("(500)"), std::string::npos) << error.message;
    EXPECT_EQ(ErrorFromStatus(body, "watch", {}).kind, ErrorKind::kRetry) << body;
  }
}

TEST(ApiError, QuotesALongBodyShortenedOnOneLine) {
  const std::string page = "<html>\r\n" + std::string(100'000, 'x') + "</html>";
  const Error error = FromResponse(502, page);
  EXPECT_LT(error.message.size(), 500U);
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
  EXPECT_NE(error.message.find("<html>"), std::string::npos);
}

}  // namespace
}  // namespace kube_events
