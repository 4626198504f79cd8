// What slow, broken and hostile clients get, and that others are served meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <vector>

#include "serve/server_fixture.h"
#include "support/eventually.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

TEST_F(HttpServerTest, AClientThatSendsNothingIsClosed) {
  StartWith(&HttpServerOptions::header_timeout, 50ms);
  EXPECT_TRUE(Connect().AwaitClosed());
}

TEST_F(HttpServerTest, AClientThatSendsHalfAHeaderIsClosed) {
  StartWith(&HttpServerOptions::header_timeout, 50ms);
  RawClient client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  EXPECT_TRUE(client.AwaitClosed());
}

TEST_F(HttpServerTest, AClientThatDripsItsHeaderIsClosed) {
  StartWith(&HttpServerOptions::header_timeout, 100ms);
  RawClient client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  bool closed = false;
  for (int i = 0; i < 1000 && !closed; ++i) closed = !client.Send("a") || client.ClosedWithin(10);
  EXPECT_TRUE(closed) << "each byte must not buy more time";
}

TEST_F(HttpServerTest, AClientThatSendsHalfABodyIsClosed) {
  StartWith(&HttpServerOptions::header_timeout, 50ms);
  RawClient client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_TRUE(client.AwaitClosed());
}

TEST_F(HttpServerTest, AnIdleClientIsClosedAfterALongerTime) {
  StartWith(&HttpServerOptions::idle_timeout, 50ms);
  RawClient client = Connect();
  EXPECT_EQ(client.Get("/").status, 200);
  EXPECT_TRUE(client.AwaitClosed());
}

TEST_F(HttpServerTest, BetweenTwoRequestsTheHeaderTimeoutDoesNotCount) {
  StartWith(&HttpServerOptions::header_timeout, 500ms);
  RawClient idle = Connect();
  EXPECT_EQ(idle.Get("/").status, 200);
  EXPECT_TRUE(Connect().AwaitClosed()) << "the header timeout has passed for somebody else";
  EXPECT_EQ(idle.Get("/").status, 200);
  idle.Send("GET /");
  EXPECT_TRUE(idle.AwaitClosed()) << "once a request has begun it counts";
}

TEST_F(HttpServerTest, AClientThatDoesNotTakeItsAnswerIsClosed) {
  StartWith(&HttpServerOptions::write_timeout, 100ms);
  RawClient client = AskForBig();
  EXPECT_TRUE(Eventually([&] { return server_->Connections() == 0; }));
  EXPECT_FALSE(client.Receive()) << "the answer is not complete";
}

TEST_F(HttpServerTest, AClientThatVanishesDuringTheAnswerIsForgotten) {
  Start(Patient());
  for (int i = 0; i < 3; ++i) AskForBig().Reset();
  EXPECT_TRUE(Eventually([&] { return server_->Connections() == 0; }));
  EXPECT_TRUE(Serves());
}

TEST_F(HttpServerTest, AnswersThatNobodyTakesAreBoundedInMemory) {
  StartWith(&HttpServerOptions::max_pending_bytes, kBigSize * 2 + kBigSize / 2);
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(AskForBig());
  EXPECT_TRUE(Eventually([&] { return server_->Connections() == 2; }));
  EXPECT_FALSE(clients[0].Receive()) << "the oldest are given up";
  EXPECT_FALSE(clients[1].Receive());
  EXPECT_TRUE(clients[2].Receive());
  EXPECT_TRUE(clients[3].Receive());
}

TEST_F(HttpServerTest, AnAnswerAboveTheBoundIsStillGiven) {
  StartWith(&HttpServerOptions::max_pending_bytes, 1000);
  EXPECT_EQ(Connect().Get("/big").body.size(), kBigSize);
}

struct BadRequest {
  const char* name;
  std::string text;
  int status;
};

TEST_F(HttpServerTest, WhatIsNotARequestIsRefusedAndTheConnectionClosed) {
  Start(Patient());
  const std::vector<BadRequest> requests{
      {"garbage", "\x16\x03\x01\x02\x05\x01\r\n\r\n", 400},
      {"words", "hello world\r\n\r\n", 400},
      {"HTTP/0.9", "GET /\r\n\r\n", 400},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
      {"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"header without colon", "GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n", 400},
      {"bad length", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n", 400},
      {"negative length", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
      {"two lengths", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {"bad chunk", "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"bad target", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"bad encoding", "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"expectation", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n", 417},
      {"large body", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n", 413},
      {"large chunks",
       "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n" + std::string(70000, 'x') +
           "\r\n0\r\n\r\n",
       413},
      {"body of a POST", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 405},
      {"huge header", "GET / HTTP/1.1\r\nHost: x\r\nX-Huge: " + std::string(17'000, 'x') + "\r\n\r\n", 431},
      {"huge target", "GET /" + std::string(17'000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
  };
  for (const BadRequest& request : requests) {
    SCOPED_TRACE(request.name);
    RawClient client = Connect();
    client.Send(request.text);
    const auto response = client.Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response.status, request.status);
    EXPECT_EQ(response.Header("Connection"), "close");
    EXPECT_TRUE(client.AwaitClosed());
  }
  EXPECT_TRUE(Serves());
}

TEST_F(HttpServerTest, AHeaderJustBelowTheLimitIsTaken) {
  Start(Patient());
  EXPECT_EQ(Connect().Get("/", "X-Large: " + std::string(15'000, 'x') + "\r\n").status, 200);
}

TEST_F(HttpServerTest, AnEndlessHeaderIsRefusedAfterTheLimit) {
  Start(Patient());
  RawClient client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: x\r\n");
  std::size_t sent = 0;
  while (sent < 100'000'000 && !client.AwaitReadable(0) && client.Send("X-More: and more\r\n")) sent += 18;
  const auto response = client.Receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response.status, 431);
  EXPECT_LT(sent, 100'000'000U);
  EXPECT_TRUE(Serves());
}

TEST_F(HttpServerTest, WhoSendsManyRequestsAheadAndReadsNothingHasFewAnswersMade) {
  std::atomic<int> pages = 0;
  const auto page = [&pages](const HttpQuery&) {
    ++pages;
    return HttpReply{.body = std::string(16 * 1024, 'p')};
  };
  Start(Patient(),
        Router({{"GET", "/", [](const HttpQuery&) { return HttpReply{.body = "hello\n"}; }}, {"GET", "/page", page}}));
  RawClient client = Connect();
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(client.Send("GET /page HTTP/1.1\r\nHost: x\r\n\r\n"));
  int before = -1;
  // Each answer to somebody else is a round in which the server could have gone on.
  while (before != pages) {
    before = pages;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(Serves());
  }
  EXPECT_GT(pages, 0);
  EXPECT_LT(pages, 60) << "of 16 KiB each";
}

TEST_F(HttpServerTest, RandomBytesDoNoHarm) {
  Start(Patient());
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string valid = "GET /echo?x=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nAccept: */*;q=0.1\r\n\r\nabc";
  for (int i = 0; i < 300; ++i) {
    std::string text = valid;
    for (auto changes = 1 + random() % 8; changes > 0; --changes) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    if (random() % 2 == 0) text.resize(random() % text.size());
    RawClient client = Connect();
    client.Send(text);
    if (random() % 4 == 0) client.Reset();
  }
  EXPECT_TRUE(Serves());
  EXPECT_TRUE(Eventually([&] { return server_->Connections() == 0; })) << server_->Connections();
}

}  // namespace
}  // namespace kube_events
