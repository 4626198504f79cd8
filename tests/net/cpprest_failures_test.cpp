// The client against servers that misbehave: every failure is told, with the right reason, and none as success.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <string>
#include <utility>

#include "net/client_under_test.h"
#include "net/recording_observer.h"
#include "support/scripted_server.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;

// How the exchange ends with a server that plays `script`, and what of the body came before.
struct Outcome {
  std::string told;
  std::string body;
};

Outcome Play(ScriptedServer::Script script, HttpRequest request = Watch()) {
  ScriptedServer server(std::move(script));
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  const auto exchange = client->Start(std::move(request), observer);
  const auto result = observer.WaitForEnd();
  return {Told(result), observer.body()};
}

void ExpectReason(const std::string& told, const std::string& reason) {
  EXPECT_EQ(told.substr(0, told.find(':')), reason) << told;
}

TEST(CpprestFailures, RefusedConnection) {
  const std::string url = "http://127.0.0.1:" + std::to_string(ClosedPort());
  const auto client = ClientOf(url);
  RecordingObserver observer;
  const auto exchange = client->Start(Get(), observer);
  const std::string told = Told(observer.WaitForEnd());
  ExpectReason(told, "connect");
  EXPECT_NE(told.find(url), std::string::npos) << told;
  EXPECT_NE(told.find("refused"), std::string::npos) << told;
}

TEST(CpprestFailures, AChunkSizeThatTheLibraryTripsOverDoesNotEndTheProcess) {
  // The library hands such a size on as that of what it read.
  for (const char* size : {"-1\r\n{}\r\n", "-2\r\n{}\r\n"}) {
    HttpRequest request = Watch();
    request.idle_timeout = milliseconds(300);
    const auto outcome = Play(
        [size](ScriptedConnection& connection) {
          connection.ReadRequest();
          connection.Send(kChunkedHead);
          connection.Send(size);
          connection.WaitUntilClosed();
        },
        request);
    EXPECT_NE(outcome.told, "ok") << size;
  }
}

// With a watch, what follows would come as its body, and never end; with a kept connection, as the next answer.
TEST(CpprestFailures, AnInterimResponseIsNotTakenForTheFinalOne) {
  ScriptedServer server([](ScriptedConnection& connection) {
    while (!connection.ReadRequest().empty()) {
      connection.Send("HTTP/1.1 103 Early Hints\r\nLink: </style>\r\n\r\n");
      connection.Respond(200, "late");
    }
  });
  const auto client = ClientOf(server.url());
  for (const bool own_connection : {true, false, false}) {
    HttpRequest request = Get();
    request.own_connection = own_connection;
    RecordingObserver observer;
    const auto exchange = client->Start(std::move(request), observer);
    const std::string told = Told(observer.WaitForEnd());
    ExpectReason(told, "protocol");
    EXPECT_NE(told.find("interim response (103)"), std::string::npos) << told;
    EXPECT_EQ(observer.body(), "");
    EXPECT_FALSE(observer.head());
  }
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CpprestFailures, UnknownHost) {
  const auto client = ClientOf("http://no-such-host.invalid:1");
  RecordingObserver observer;
  const auto exchange = client->Start(Get(), observer);
  const std::string told = Told(observer.WaitForEnd());
  ExpectReason(told, "connect");
  EXPECT_NE(told.find("cannot resolve"), std::string::npos) << told;
}

TEST(CpprestFailures, ConnectionThatHangsEndsAtTheHeadTimeout) {
  HangingAddress hanging;
  const auto client = ClientOf("http://127.0.0.1:" + std::to_string(hanging.port()));
  HttpRequest request = Watch();
  request.idle_timeout = std::chrono::minutes(6);  // as a watch has
  request.head_timeout = milliseconds(100);
  RecordingObserver observer;
  const auto exchange = client->Start(request, observer);
  const std::string told = Told(observer.WaitForEnd());
  ExpectReason(told, "timeout");
  EXPECT_NE(told.find("within 100ms"), std::string::npos) << told;
}

TEST(CpprestFailures, SilentServerEndsAtTheHeadTimeout) {
  HttpRequest request = Get();
  request.head_timeout = milliseconds(100);
  const auto outcome = Play(
      [](ScriptedConnection& connection) {
        connection.ReadRequest();
        connection.WaitUntilClosed();
      },
      request);
  ExpectReason(outcome.told, "timeout");
}

TEST(CpprestFailures, ResponseThatStopsEndsAtTheIdleTimeout) {
  HttpRequest request = Watch();
  request.idle_timeout = milliseconds(200);
  const auto outcome = Play(StreamAndStay({"one"}), request);
  ExpectReason(outcome.told, "timeout");
  EXPECT_NE(outcome.told.find("(for 200ms"), std::string::npos) << outcome.told;
  EXPECT_EQ(outcome.body, "one");
}

TEST(CpprestFailures, ResetInTheMiddleOfAChunk) {
  const auto outcome = Play([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    connection.SendChunk("whole\n");
    connection.Send("10\r\nhalf");
    connection.ResetAtEnd();
  });
  // The reset may overtake what was sent; but what came is whole pieces, and it is no success.
  EXPECT_TRUE(outcome.told.starts_with("reset:") || outcome.told.starts_with("eof:")) << outcome.told;
  EXPECT_TRUE(outcome.body.empty() || outcome.body == "whole\n") << outcome.body;
}

TEST(CpprestFailures, EndInTheMiddleOfAChunk) {
  const auto outcome = Play([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    connection.SendChunk("whole\n");
    connection.Send("10\r\nhalf");
  });
  ExpectReason(outcome.told, "eof");
  EXPECT_EQ(outcome.body, "whole\n");
}

TEST(CpprestFailures, EndWithoutTheLastChunk) {
  const auto outcome = Play([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    connection.SendChunk("whole\n");
  });
  ExpectReason(outcome.told, "eof");
  EXPECT_EQ(outcome.body, "whole\n");
}

TEST(CpprestFailures, BodyShorterThanItsContentLength) {
  const auto outcome = Play([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
  });
  ExpectReason(outcome.told, "eof");
}

TEST(CpprestFailures, EndBeforeTheHead) {
  const auto outcome = Play([](ScriptedConnection& connection) { connection.ReadRequest(); });
  ExpectReason(outcome.told, "eof");
  EXPECT_NE(outcome.told.find("before it answered"), std::string::npos) << outcome.told;
}

TEST(CpprestFailures, ResetBeforeTheHead) {
  const auto outcome = Play([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.ResetAtEnd();
  });
  ExpectReason(outcome.told, "reset");
}

TEST(CpprestFailures, AnswerThatIsNotHttp) {
  const auto outcome = Play([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
    connection.WaitUntilClosed();
  });
  ExpectReason(outcome.told, "protocol");
}

TEST(CpprestFailures, ChunkSizeThatIsNoNumber) {
  const auto outcome = Play([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(std::string(kChunkedHead) + "zz\r\nhello\r\n");
    connection.WaitUntilClosed();
  });
  ExpectReason(outcome.told, "protocol");
}

TEST(CpprestFailures, NegativeChunkSizeIsNoSuccess) {
  HttpRequest request = Watch();
  request.idle_timeout = milliseconds(200);
  const auto outcome = Play(
      [](ScriptedConnection& connection) {
        connection.ReadRequest();
        connection.Send(std::string(kChunkedHead) + "-5\r\nhello\r\n");
        connection.WaitUntilClosed();
      },
      request);
  EXPECT_NE(outcome.told, "ok");
  EXPECT_EQ(outcome.body, "");
}

TEST(CpprestFailures, APauseBeyondTheIdleTimeoutIsNamedAsSuch) {
  ScriptedServer server(StreamAndStay({"one"}));
  const auto client = ClientOf(server.url());
  HttpRequest request = Watch();
  request.idle_timeout = milliseconds(100);
  RecordingObserver observer;
  observer.SetPausing(true);
  const auto exchange = client->Start(request, observer);
  ASSERT_TRUE(observer.WaitForBody(3));
  // The library gives the connection up while we pause; the other exchange takes longer than the timeout.
  RecordingObserver other;
  HttpRequest slow = Watch();
  slow.idle_timeout = milliseconds(300);
  const auto second = client->Start(slow, other);
  ASSERT_FALSE(other.WaitForEnd());
  exchange->Resume();
  const std::string told = Told(observer.WaitForEnd());
  ExpectReason(told, "timeout");
  EXPECT_NE(told.find("paused"), std::string::npos) << told;
}

TEST(CpprestFailures, TheNextRequestWorksAfterAFailure) {
  std::atomic<int> served = 0;
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.ReadRequest();
    if (served++ == 0) return connection.ResetAtEnd();
    connection.Respond(200, "hello");
    connection.WaitUntilClosed();
  });
  const auto client = ClientOf(server.url());
  RecordingObserver first;
  const auto failing = client->Start(Get(), first);
  EXPECT_FALSE(first.WaitForEnd());
  RecordingObserver second;
  const auto working = client->Start(Get(), second);
  EXPECT_TRUE(second.WaitForEnd());
}

// What broke one connection, such as a fail-over of the server, has often broken its siblings too.
TEST(CpprestFailures, AFailureEndsTheUseOfAllKeptConnections) {
  std::latch both_asked(2);
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.ReadRequest();
    if (server.connections() <= 2) both_asked.arrive_and_wait();
    connection.Respond(200, "hello");
    if (!connection.ReadRequest().empty()) connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
  });
  const auto client = ClientOf(server.url());
  {
    RecordingObserver first;
    RecordingObserver second;
    const auto one = client->Start(Get(), first);
    const auto two = client->Start(Get(), second);
    ASSERT_TRUE(first.WaitForEnd());
    ASSERT_TRUE(second.WaitForEnd());
  }
  RecordingObserver third;
  const auto failing = client->Start(Get(), third);
  ASSERT_FALSE(third.WaitForEnd());
  EXPECT_EQ(server.connections(), 2U);
  RecordingObserver fourth;
  const auto working = client->Start(Get(), fourth);
  EXPECT_TRUE(fourth.WaitForEnd());
  EXPECT_EQ(server.connections(), 3U);
}

}  // namespace
}  // namespace kube_events
