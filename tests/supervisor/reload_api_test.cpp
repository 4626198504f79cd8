#include "kube_events/supervisor/reload_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scripted_server.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

TEST(ReloadApiTest, OnlyTheCountIsACount) {
  EXPECT_EQ(ParseReloadCount({200, R"({"hot_reload_count":7})"}), 7U);
  for (const char* body : {"", "{}", "[]", "7", R"({"hot_reload_count":"7"})", R"({"hot_reload_count":-1})", "{"}) {
    EXPECT_EQ(ParseReloadCount({200, body}), std::nullopt) << body;
  }
  EXPECT_EQ(ParseReloadCount({404, R"({"hot_reload_count":7})"}), std::nullopt);
}

TEST(ReloadApiTest, TheAnswerToATriggerIsRead) {
  EXPECT_EQ(ParseTriggerAnswer({200, R"({"reload":"done","status":0})"}), TriggerAnswer::kAccepted);
  EXPECT_EQ(ParseTriggerAnswer({400, R"({"reload":"in progress","status":-2})"}), TriggerAnswer::kBusy);
  EXPECT_EQ(ParseTriggerAnswer({200, R"({"reload":"not enabled","status":-1})"}), TriggerAnswer::kDisabled);
  for (const int status : {200, 404, 405, 500}) {
    EXPECT_EQ(ParseTriggerAnswer({status, "error"}), TriggerAnswer::kUnreachable);
  }
}

TEST(ReloadApiTest, TheVersionIsFoundInTheOutput) {
  EXPECT_EQ(ParseVersion("Fluent Bit v5.1.1\nGit commit: x"), (FluentBitVersion{5, 1}));
  EXPECT_LT(*ParseVersion("Fluent Bit v2.0.14"), (FluentBitVersion{2, 1}));
  for (const char* text : {"", "Fluent Bit v", "Fluent Bit v5", "Fluent Bit v5.", "Fluentd v1.2", "Fluent Bit vx.1"}) {
    EXPECT_EQ(ParseVersion(text), std::nullopt) << text;
  }
}

class ApiCallTest : public testing::Test {
 protected:
  Result<ApiAnswer> Call(std::uint16_t port, std::string_view method, std::chrono::milliseconds timeout = 10s) {
    ServiceSettings server;
    server.port = port;
    Result<ApiAnswer> result = Fail(ErrorKind::kCancelled, "never told");
    int told = 0;
    const auto call = CallReloadApi(loop_, server, method, timeout, [&](Result<ApiAnswer> answer) {
      result = std::move(answer);
      ++told;
      loop_.Stop();
    });
    EXPECT_EQ(told, 0) << "the handler was called from within";
    loop_.Run();
    EXPECT_EQ(told, 1);
    return result;
  }

  EventLoop loop_;
};

TEST_F(ApiCallTest, APostHasABodySinceItWouldNotBeAnsweredWithout) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Respond(200, "{}");
  });
  const auto answer = Call(server.port(), "POST");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "{}");
  EXPECT_THAT(server.requests().at(0), HasSubstr("POST /api/v2/reload HTTP/1.1\r\n"));
  EXPECT_THAT(server.requests().at(0), HasSubstr("Content-Length: 2\r\n"));
  EXPECT_THAT(server.requests().at(0), EndsWith("{}"));
}

TEST_F(ApiCallTest, AnAnswerInPiecesOrChunksIsWhole) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead.substr(0, 20));
    connection.Send(kChunkedHead.substr(20));
    connection.SendChunk("{\"a\"");
    connection.SendChunk(":1}");
    connection.Send(kLastChunk);
  });
  const auto answer = Call(server.port(), "GET");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "{\"a\":1}");
}

TEST_F(ApiCallTest, WhatIsNoAnswerIsAFailureThatNamesTheAddress) {
  for (const char* text : {"", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "nonsense\r\n\r\n"}) {
    ScriptedServer server([text](ScriptedConnection& connection) {
      connection.ReadRequest();
      connection.Send(text);
    });
    const auto answer = Call(server.port(), "GET");
    ASSERT_FALSE(answer) << text;
    EXPECT_THAT(answer.error().message, HasSubstr("127.0.0.1:" + std::to_string(server.port())));
  }
}

TEST_F(ApiCallTest, ASilentServerIsGivenUp) {
  ScriptedServer server([](ScriptedConnection& connection) { connection.WaitUntilClosed(); });
  const auto answer = Call(server.port(), "GET", 50ms);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("no answer in time"));
}

TEST_F(ApiCallTest, ABodyWithoutEndIsGivenUp) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\n\r\n");
    while (connection.Send(std::string(10'000, 'x'))) {
    }
  });
  EXPECT_FALSE(Call(server.port(), "GET"));
}

}  // namespace
}  // namespace kube_events
