// The client against a real server on loopback: what arrives, in which pieces, over which connections.
#include "kube_events/net/cpprest_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/client_under_test.h"
#include "net/recording_observer.h"
#include "support/eventually.h"
#include "support/scripted_server.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(CpprestClient, DeliversHeadBodyAndEnd) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Respond(429, "slow down", "Retry-After: 7\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    connection.WaitUntilClosed();
  });
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  const auto exchange = client->Start(Get("/x"), observer);
  EXPECT_TRUE(observer.WaitForEnd());
  EXPECT_EQ(observer.body(), "slow down");
  const HttpHead head = observer.head().value();
  EXPECT_EQ(head.status, 429);
  EXPECT_EQ(head.content_type, "application/json");
  EXPECT_EQ(head.retry_after, seconds(7));
  EXPECT_EQ(head.date, WallTime{seconds{784'111'777}});
}

TEST(CpprestClient, SendsTheRequestAsGiven) {
  ScriptedServer server(AnswerAll);
  const auto client = ClientOf(server.url() + "/prefix");
  HttpRequest request;
  request.method = "PATCH";
  request.target = "/api/v1/events?limit=500&labelSelector=a%3Db%2Cc%20in%20%28d%29&continue=eyJ2%2FZZ%3D%3D";
  request.headers = {{"Authorization", "Bearer abc"}, {"Content-Type", "application/merge-patch+json"}};
  request.body = R"({"a":1})";
  RecordingObserver observer;
  const auto exchange = client->Start(request, observer);
  ASSERT_TRUE(observer.WaitForEnd());
  const std::string sent = server.requests().at(0);
  EXPECT_EQ(sent.substr(0, sent.find("\r\n")), "PATCH /prefix" + request.target + " HTTP/1.1");
  EXPECT_NE(sent.find("\r\nAuthorization:Bearer abc\r\n"), std::string::npos) << sent;
  EXPECT_NE(sent.find("\r\nContent-Type:application/merge-patch+json\r\n"), std::string::npos) << sent;
  EXPECT_TRUE(sent.ends_with("\r\n\r\n{\"a\":1}")) << sent;
}

TEST(CpprestClient, DeliversALineAtOnceWhereverItIsSplit) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    connection.Send("5\r\nab");
    connection.Send("cde\r\n3");
    connection.Send("\r\nfg\n\r\n");
    connection.WaitUntilClosed();
  });
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  const auto exchange = client->Start(Watch("/"), observer);
  // Although the response does not end.
  EXPECT_TRUE(observer.WaitForBody(8));
  EXPECT_EQ(observer.body(), "abcdefg\n");
  EXPECT_FALSE(observer.ended());
}

TEST(CpprestClient, TellsTheHeadOfAStreamBeforeAnyBodyCame) {
  ScriptedServer server(StreamAndStay());
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  const auto exchange = client->Start(Watch("/"), observer);
  EXPECT_TRUE(observer.WaitForHead());
  EXPECT_EQ(observer.body(), "");
}

// Many at once, so that bodies often arrive in the same segment as their head: the observer checks the order.
TEST(CpprestClient, ServesAHundredExchangesInParallel) {
  ScriptedServer server([](ScriptedConnection& connection) {
    const std::string target = connection.ReadRequest().substr(4, 8);
    connection.Send(std::string(kChunkedHead) + "8\r\n" + target + "\r\n");
    connection.Send(kLastChunk);
    connection.WaitUntilClosed();
  });
  const auto client = ClientOf(server.url());
  std::vector<RecordingObserver> observers(100);
  std::vector<std::unique_ptr<HttpExchange>> exchanges;
  for (std::size_t i = 0; i < observers.size(); ++i) {
    exchanges.push_back(client->Start(Watch("/" + std::to_string(1'000'000 + i)), observers[i]));
  }
  for (std::size_t i = 0; i < observers.size(); ++i) {
    ASSERT_TRUE(observers[i].WaitForEnd()) << i;
    EXPECT_EQ(observers[i].body(), "/" + std::to_string(1'000'000 + i));
  }
}

TEST(CpprestClient, KeepsAConnectionAliveForShortRequests) {
  ScriptedServer server(AnswerAll);
  const auto client = ClientOf(server.url());
  for (int i = 0; i < 3; ++i) {
    RecordingObserver observer;
    const auto exchange = client->Start(Get("/"), observer);
    ASSERT_TRUE(observer.WaitForEnd());
  }
  EXPECT_EQ(server.requests().size(), 3U);
  EXPECT_EQ(server.connections(), 1U);
}

TEST(CpprestClient, GivesAWatchAConnectionOfItsOwn) {
  ScriptedServer server(AnswerAll);
  const auto client = ClientOf(server.url());
  for (const bool own : {false, true, false, true}) {
    RecordingObserver observer;
    const auto exchange = client->Start(own ? Watch("/") : Get("/"), observer);
    ASSERT_TRUE(observer.WaitForEnd());
  }
  EXPECT_EQ(server.connections(), 3U);
}

TEST(CpprestClient, SurvivesThatTheServerClosedAKeptConnection) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Respond(200, "hello");
  });
  const auto client = ClientOf(server.url());
  for (int i = 0; i < 5; ++i) {
    RecordingObserver observer;
    const auto exchange = client->Start(Get("/"), observer);
    const auto result = observer.WaitForEnd();
    // Whether the library notices before it writes is a matter of time; but after a failure the next one works.
    if (result) continue;
    RecordingObserver second;
    const auto again = client->Start(Get("/"), second);
    EXPECT_TRUE(second.WaitForEnd());
  }
}

TEST(CpprestClient, DoesNotFollowARedirect) {
  ScriptedServer other(AnswerAll);
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Respond(302, "elsewhere", "Location: " + other.url() + "/\r\n");
    connection.WaitUntilClosed();
  });
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  HttpRequest request = Get("/");
  request.headers = {{"Authorization", "Bearer secret"}};
  const auto exchange = client->Start(request, observer);
  ASSERT_TRUE(observer.WaitForEnd());
  EXPECT_EQ(observer.head()->status, 302);
  EXPECT_EQ(observer.body(), "elsewhere");
  EXPECT_EQ(other.connections(), 0U);
}

TEST(CpprestClient, AcceptsAnEmptyBody) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Respond(200, "");
    connection.WaitUntilClosed();
  });
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  const auto exchange = client->Start(Get("/"), observer);
  EXPECT_TRUE(observer.WaitForEnd());
  EXPECT_EQ(observer.head()->status, 200);
}

TEST(CpprestClient, ReadsABodyThatEndsWithTheConnection) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.0 200 OK\r\n\r\nall of it");
  });
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  const auto exchange = client->Start(Get("/"), observer);
  EXPECT_TRUE(observer.WaitForEnd());
  EXPECT_EQ(observer.body(), "all of it");
}

TEST(CpprestClient, PausesUntilResumed) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    connection.SendChunk("one");
    connection.SendChunk("two");
    connection.SendChunk("three");
    connection.Send(kLastChunk);
    connection.WaitUntilClosed();
  });
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  observer.SetPausing(true);
  const auto exchange = client->Start(Watch("/"), observer);
  ASSERT_TRUE(observer.WaitForBody(3));
  // Another exchange shows that the network thread has been free to go on, had it wanted to.
  RecordingObserver other;
  const auto second = client->Start(Watch("/"), other);
  ASSERT_TRUE(other.WaitForEnd());
  EXPECT_EQ(observer.body(), "one");
  exchange->Resume();
  ASSERT_TRUE(observer.WaitForBody(6));
  EXPECT_EQ(observer.body(), "onetwo");
  observer.SetPausing(false);
  exchange->Resume();
  EXPECT_TRUE(observer.WaitForEnd());
  EXPECT_EQ(observer.body(), "onetwothree");
  EXPECT_EQ(observer.pieces(), 3);
}

TEST(CpprestClient, LetsThePeerFeelAPause) {
  std::atomic<std::size_t> sent = 0;
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    const std::string block(1 << 20, 'x');
    while (sent < 64 && connection.SendChunk(block)) ++sent;
    connection.Send(kLastChunk);
    connection.WaitUntilClosed();
  });
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  observer.SetPausing(true);
  const auto exchange = client->Start(Watch("/"), observer);
  ASSERT_TRUE(observer.WaitForBody(1));
  std::size_t before = 0;
  // Until the buffers of the kernel are full.
  EXPECT_TRUE(Eventually([&] {
    const std::size_t now = sent;
    std::this_thread::sleep_for(milliseconds(50));
    return std::exchange(before, now) == now && now > 0;
  }));
  EXPECT_LT(sent, 64U);
  observer.SetPausing(false);
  exchange->Resume();
  EXPECT_TRUE(observer.WaitForEnd());
  EXPECT_EQ(observer.body().size(), std::size_t{64} << 20);
}

TEST(CpprestClient, RefusesToInjectHeaders) {
  ScriptedServer server(AnswerAll);
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  HttpRequest request = Get("/");
  request.headers = {{"Authorization", "Bearer secret\r\nX-Evil: 1"}};
  const auto exchange = client->Start(request, observer);
  const auto result = observer.WaitForEnd();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kConfiguration);
  EXPECT_EQ(result.error().message.find("secret"), std::string::npos);
  EXPECT_EQ(server.connections(), 0U);
}

TEST(CpprestClient, RefusesTargetsThatWouldChangeTheRequest) {
  ScriptedServer server(AnswerAll);
  const auto client = ClientOf(server.url());
  for (const char* target : {"", "api", "/a b", "/a\r\nX-Evil: 1", "/\xc3\xa4", "/a|b", "http://elsewhere/"}) {
    RecordingObserver observer;
    const auto exchange = client->Start(Get(target), observer);
    const auto result = observer.WaitForEnd();
    ASSERT_FALSE(result) << target;
    EXPECT_EQ(result.error().kind, ErrorKind::kConfiguration) << result.error().message;
  }
  EXPECT_EQ(server.connections(), 0U);
}

TEST(CpprestClient, RefusesTimeoutsOfZero) {
  const auto client = ClientOf("http://127.0.0.1:1");
  RecordingObserver observer;
  HttpRequest request = Get("/");
  request.idle_timeout = milliseconds(0);
  const auto exchange = client->Start(request, observer);
  EXPECT_EQ(observer.WaitForEnd().error().kind, ErrorKind::kConfiguration);
}

TEST(CpprestClient, FailsToBeMadeForABadUrl) {
  const auto client = MakeCpprestClient("not a url", {});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().kind, ErrorKind::kConfiguration);
}

}  // namespace
}  // namespace kube_events
