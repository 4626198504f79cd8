#include "forward/http_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "metrics/source_file.h"

namespace kube_events {
namespace {

using std::chrono::seconds;

Result<void> Judge(int status, std::string body = "", std::optional<seconds> retry_after = {}) {
  HttpResponse answer;
  answer.head.status = status;
  answer.head.retry_after = retry_after;
  answer.body = std::move(body);
  return JudgeHttpAnswer(answer, "http://h:80");
}

Error ErrorOf(const Result<void>& result) {
  return result ? Error{ErrorKind::kCancelled, "it did not fail"} : result.error();
}

TEST(HttpAnswerTest, EveryStatusOf2xxAcknowledges) {
  for (int status = 200; status < 300; ++status) EXPECT_TRUE(Judge(status)) << status;
}

TEST(HttpAnswerTest, OtherStatusesSayWhatHappensToTheBatch) {
  struct Row {
    int status;
    ErrorKind kind;
    const char* reason;
  };
  for (const Row& row :
       std::vector<Row>{{301, ErrorKind::kRetry, "redirect"},   {304, ErrorKind::kRetry, "redirect"},
                        {400, ErrorKind::kInvalid, "rejected"}, {401, ErrorKind::kUnauthenticated, "401"},
                        {403, ErrorKind::kForbidden, "403"},    {404, ErrorKind::kNotFound, "404"},
                        {405, ErrorKind::kRetry, "405"},        {408, ErrorKind::kRetry, "408"},
                        {409, ErrorKind::kRetry, "409"},        {413, ErrorKind::kInvalid, "too_large"},
                        {415, ErrorKind::kRetry, "415"},        {422, ErrorKind::kInvalid, "rejected"},
                        {425, ErrorKind::kRetry, "425"},        {429, ErrorKind::kRetry, "429"},
                        {431, ErrorKind::kRetry, "431"},        {500, ErrorKind::kRetry, "500"},
                        {503, ErrorKind::kRetry, "503"},        {599, ErrorKind::kRetry, "599"},
                        {199, ErrorKind::kRetry, "199"},        {999, ErrorKind::kRetry, "999"}}) {
    const Error error = ErrorOf(Judge(row.status));
    EXPECT_EQ(error.kind, row.kind) << row.status;
    EXPECT_EQ(error.reason, row.reason) << row.status;
  }
}

TEST(HttpAnswerTest, OnlyWhatConcernsTheRecordsGivesUpOnThem) {
  for (int status = 100; status < 1000; ++status) {
    if (status / 100 == 2) continue;
    const bool of_records = status == 400 || status == 413 || status == 422;
    EXPECT_EQ(ErrorOf(Judge(status)).kind == ErrorKind::kInvalid, of_records) << status;
  }
}

TEST(HttpAnswerTest, AMessageSaysWhoWhatAndWhatToDo) {
  EXPECT_EQ(ErrorOf(Judge(429)).message, "http://h:80 answered with HTTP status 429: it asks for fewer requests");
  EXPECT_EQ(ErrorOf(Judge(429, " slow\ndown \n")).message,
            "http://h:80 answered with HTTP status 429: it asks for fewer requests. It said: slow down");
  EXPECT_LT(ErrorOf(Judge(500, std::string(10'000, 'x'))).message.size(), 400U);
}

TEST(HttpAnswerTest, ServersThatWantTlsAreKnownByTheirWords) {
  const auto wants = [](int status, const std::string& body) {
    HttpResponse answer;
    answer.head.status = status;
    answer.body = body;
    return WantsTls(answer);
  };
  EXPECT_TRUE(wants(400, "Client sent an HTTP request to an HTTPS server.\n"));
  EXPECT_TRUE(wants(400, "<center>The plain HTTP request was sent to HTTPS port</center>"));
  EXPECT_TRUE(wants(400, "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />"));
  EXPECT_FALSE(wants(400, "no HTTPS here"));
  EXPECT_FALSE(wants(422, "Client sent an HTTP request to an HTTPS server.\n"));
}

TEST(HttpAnswerTest, RetryAfterIsObeyedWithinReason) {
  EXPECT_EQ(ErrorOf(Judge(503, "", seconds{7})).retry_after, seconds{7});
  EXPECT_EQ(ErrorOf(Judge(429, "", seconds{86'400})).retry_after, kMaxReceiverPause);
  EXPECT_FALSE(ErrorOf(Judge(503)).retry_after);
}

TEST(HttpAnswerTest, TheDocumentationNamesTheStatusesWithARuleOfTheirOwn) {
  const std::string page = ReadSourceFile("docs/forwarding.md");
  for (const char* row :
       {"| 2xx |", "| 400, 422 |", "| 413 |", "| 401 |", "| 403 |", "| 404 |", "| 3xx |", "| other 4xx, 5xx |"}) {
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace kube_events
