// What decent clients get.
#include "kube_events/serve/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <future>
#include <mutex>
#include <sstream>

#include "serve/server_fixture.h"
#include "support/eventually.h"
#include "support/fake_clock.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::MatchesRegex;

TEST_F(HttpServerTest, AGetIsAnswered) {
  Start();
  const auto response = Connect().Get("/");
  ASSERT_TRUE(response);
  EXPECT_THAT(response.head, testing::StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(response.body, "hello\n");
  EXPECT_EQ(response.Header("Content-Length"), "6");
  EXPECT_EQ(response.Header("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(response.Header("X-Content-Type-Options"), "nosniff");
  EXPECT_THAT(response.Header("Date"), MatchesRegex("[A-Z][a-z][a-z], .* GMT"));
}

TEST_F(HttpServerTest, HandlersSeePathQueryAndHeaders) {
  Start();
  EXPECT_EQ(Connect().Get("/echo?a=%20b&c", "x-test: one\r\nX-Test: two\r\n").body, "GET /echo a=%20b&c one, two");
  EXPECT_EQ(Connect().Get("http://somewhere/%65cho").body, "GET /echo  ");
}

TEST_F(HttpServerTest, HeadTellsTheLengthWithoutTheBody) {
  Start();
  RawClient client = Connect();
  client.Send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto head = client.Receive(false);
  ASSERT_TRUE(head);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.Header("Content-Length"), "6");
  const auto next = client.Get("/");
  ASSERT_TRUE(next) << "the connection goes on, and no body was in between";
  EXPECT_EQ(next.body, "hello\n");
}

TEST_F(HttpServerTest, AnUnknownPathIs404AndAnotherMethod405) {
  Start();
  RawClient client = Connect();
  EXPECT_EQ(client.Get("/nothing").status, 404);
  client.Send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  const auto refused = client.Receive();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.Header("Allow"), "GET, HEAD");
  client.Send("BREW / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 405) << "also for a method that nobody knows";
  EXPECT_EQ(client.Get("/").status, 200) << "on the same connection";
}

TEST_F(HttpServerTest, AConnectionIsKeptForFurtherRequests) {
  Start();
  RawClient client = Connect();
  for (int i = 0; i < 50; ++i) ASSERT_EQ(client.Get("/").body, "hello\n");
  EXPECT_EQ(server_->Connections(), 1U);
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  Start();
  RawClient client = Connect();
  std::string requests;
  for (int i = 0; i < 100; ++i) requests += "GET /echo?" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  client.Send(requests);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(client.Receive().body, "GET /echo " + std::to_string(i) + " ");
}

TEST_F(HttpServerTest, ARequestMayComeByteByByte) {
  Start();
  RawClient client = Connect();
  for (const char c : std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) client.Send(std::string_view(&c, 1));
  EXPECT_EQ(client.Receive().body, "hello\n");
}

TEST_F(HttpServerTest, TheConnectionIsClosedWhereTheClientWantsThat) {
  Start();
  RawClient client = Connect();
  const auto response = client.Get("/", "Connection: close\r\n");
  ASSERT_TRUE(response);
  EXPECT_EQ(response.Header("Connection"), "close");
  EXPECT_TRUE(client.AwaitClosed());
}

TEST_F(HttpServerTest, Http10IsClosedUnlessAskedToStay) {
  Start();
  RawClient client = Connect();
  client.Send("GET / HTTP/1.0\r\n\r\n");
  const auto response = client.Receive();
  ASSERT_TRUE(response);
  EXPECT_THAT(response.head, testing::StartsWith("HTTP/1.0 200 OK\r\n"));
  EXPECT_TRUE(client.AwaitClosed());
  RawClient staying = Connect();
  for (int i = 0; i < 2; ++i) {
    staying.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const auto kept = staying.Receive();
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept.Header("Connection"), "keep-alive");
  }
}

TEST_F(HttpServerTest, ABodyOfAGetIsReadAndDropped) {
  Start();
  RawClient client = Connect();
  EXPECT_EQ(client.Get("/echo", "Content-Length: 5\r\n\r\nabcde").status, 200);
}

TEST_F(HttpServerTest, ALargeAnswerArrivesWhole) {
  Start();
  const auto response = Connect().Get("/big");
  ASSERT_TRUE(response);
  EXPECT_EQ(response.body, std::string(kBigSize, 'b'));
}

// An spdlog sink's stream that may be read while the server writes.
class LogCapture {
 public:
  LogCapture() : sink_(std::make_shared<spdlog::sinks::ostream_sink_mt>(stream_, true)) {}
  Logger Get() { return Logging::CreateWithSink("debug", LogFormat::kLogfmt, sink_)->For("http"); }
  // Only when the server has stopped.
  std::string Text() const { return stream_.str(); }

 private:
  std::ostringstream stream_;
  std::shared_ptr<spdlog::sinks::ostream_sink_mt> sink_;
};

TEST_F(HttpServerTest, AHandlerThatThrowsGives500AndALogLine) {
  LogCapture log;
  HttpServerOptions options;
  options.logger = log.Get();
  Start(std::move(options));
  RawClient client = Connect();
  const auto response = client.Get("/throw");
  ASSERT_TRUE(response);
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, testing::Not(HasSubstr("luck"))) << "clients are not told internals";
  EXPECT_EQ(client.Get("/throw-int").status, 500);
  EXPECT_EQ(client.Get("/").status, 200) << "the process lives";
  server_.reset();
  EXPECT_THAT(log.Text(), HasSubstr("out of luck"));
  EXPECT_THAT(log.Text(), HasSubstr("path=/throw-int"));
}

class RecordingObserver final : public RequestObserver {
 public:
  void OnRequestBegin(std::string_view path) override { Note("begin " + std::string(path)); }
  void OnRequestEnd(std::string_view path, int status, std::chrono::nanoseconds took) override {
    Note("end " + std::string(path) + " " + std::to_string(status) + (took.count() >= 0 ? "" : " negative"));
  }
  std::vector<std::string> Notes() const {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

 private:
  void Note(std::string note) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(note));
  }
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
};

TEST_F(HttpServerTest, TheObserverIsToldBeginAndEndOfEachRequest) {
  RecordingObserver observer;
  Start({.observer = &observer});
  RawClient client = Connect();
  client.Get("/?x");
  client.Get("/nothing");
  client.Get("/throw");
  client.Send("garbage\r\n\r\n");
  client.Receive();
  server_.reset();
  EXPECT_THAT(observer.Notes(), testing::ElementsAre("begin /", "end / 200", "begin /nothing", "end /nothing 404",
                                                     "begin /throw", "end /throw 500"));
}

TEST_F(HttpServerTest, TheObserverIsToldTheEndWhereTheClientIsGone) {
  RecordingObserver observer;
  Start({.observer = &observer});
  RawClient client = AskForBig();
  client.Reset();
  EXPECT_TRUE(Eventually([&] { return observer.Notes().size() == 2; }));
}

TEST_F(HttpServerTest, TheHeartbeatStopsWhileAHandlerIsStuck) {
  FakeClock clock;
  Heartbeat heartbeat(clock, "http", 10s);
  std::promise<void> entered;
  std::promise<void> release;
  Router router({{"GET", "/stuck", [&](const HttpQuery&) {
                    entered.set_value();
                    release.get_future().wait();
                    return HttpReply{};
                  }}});
  HttpServerOptions options;
  options.heartbeat = &heartbeat;
  Start(std::move(options), std::move(router));
  clock.Advance(11s);
  EXPECT_TRUE(Eventually([&] { return heartbeat.Complaint().empty(); })) << "an idle loop beats";
  RawClient client = Connect();
  client.Send("GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n");
  entered.get_future().wait();
  clock.Advance(11s);
  EXPECT_THAT(heartbeat.Complaint(), HasSubstr("http"));
  release.set_value();
  EXPECT_TRUE(Eventually([&] { return heartbeat.Complaint().empty(); }));
}

TEST(HttpServerListenersTest, EachListenerHasItsOwnRoutes) {
  HttpListener first{.host = "127.0.0.1"};
  first.router.Add({"GET", "/", [](const HttpQuery&) { return HttpReply{.body = "first"}; }});
  HttpListener second{.host = "127.0.0.1"};
  second.router.Add({"GET", "/", [](const HttpQuery&) { return HttpReply{.body = "second"}; }});
  const auto server = HttpServer::Start({first, second}, {});
  ASSERT_TRUE(server) << server.error().message;
  ASSERT_NE((*server)->Port(0), (*server)->Port(1));
  EXPECT_EQ(RawClient((*server)->Port(0)).Get("/").body, "first");
  EXPECT_EQ(RawClient((*server)->Port(1)).Get("/").body, "second");
}

}  // namespace
}  // namespace kube_events
