// Cancelling in every phase of a request: it is prompt, frees the connection, and nothing is told afterwards.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
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
using std::chrono::steady_clock;

// Far below any timeout of the requests here, far above what a busy machine needs.
constexpr milliseconds kPrompt{2000};

TlsProvider NoTlsCheck() {
  return [] {
    TlsSettings settings;
    settings.insecure_skip_verify = true;
    return Result<TlsSettings>(settings);
  };
}

// Cancels, and destroys the client too, whose destructor waits for the library to let go of the request.
void ExpectPromptEnd(std::unique_ptr<HttpExchange> exchange, std::unique_ptr<HttpClient> client) {
  const auto start = steady_clock::now();
  exchange.reset();
  client.reset();
  EXPECT_LT(steady_clock::now() - start, kPrompt);
}

TEST(CpprestCancel, BeforeAnythingHappened) {
  auto client = ClientOf("http://127.0.0.1:" + std::to_string(ClosedPort()));
  for (int i = 0; i < 100; ++i) {
    RecordingObserver observer;
    client->Start(Get(), observer).reset();
  }
  ExpectPromptEnd(nullptr, std::move(client));
}

TEST(CpprestCancel, WhileConnecting) {
  HangingAddress hanging;
  auto client = ClientOf("http://127.0.0.1:" + std::to_string(hanging.port()));
  RecordingObserver observer;
  auto exchange = client->Start(Watch(), observer);
  ExpectPromptEnd(std::move(exchange), std::move(client));
  EXPECT_FALSE(observer.ended());
}

TEST(CpprestCancel, DuringTheTlsHandshake) {
  std::latch connected(1);
  std::latch closed(1);
  // Accepts the connection, but never says anything of TLS.
  ScriptedServer server([&](ScriptedConnection& connection) {
    connected.count_down();
    connection.WaitUntilClosed();
    closed.count_down();
  });
  auto client = ClientOf("https://127.0.0.1:" + std::to_string(server.port()), NoTlsCheck());
  RecordingObserver observer;
  auto exchange = client->Start(Watch(), observer);
  connected.wait();
  ExpectPromptEnd(std::move(exchange), std::move(client));
  closed.wait();
  EXPECT_FALSE(observer.ended());
}

TEST(CpprestCancel, WhileWaitingForTheHead) {
  std::latch asked(1);
  std::latch closed(1);
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.ReadRequest();
    asked.count_down();
    connection.WaitUntilClosed();
    closed.count_down();
  });
  auto client = ClientOf(server.url());
  RecordingObserver observer;
  auto exchange = client->Start(Watch(), observer);
  asked.wait();
  ExpectPromptEnd(std::move(exchange), std::move(client));
  closed.wait();
  EXPECT_FALSE(observer.head());
}

TEST(CpprestCancel, InTheMiddleOfTheBody) {
  std::latch closed(1);
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    connection.SendChunk("one");
    connection.Send("10\r\nhalf");
    connection.WaitUntilClosed();
    closed.count_down();
  });
  auto client = ClientOf(server.url());
  RecordingObserver observer;
  auto exchange = client->Start(Watch(), observer);
  ASSERT_TRUE(observer.WaitForBody(3));
  ExpectPromptEnd(std::move(exchange), std::move(client));
  closed.wait();
  EXPECT_EQ(observer.body(), "one");
  EXPECT_FALSE(observer.ended());
}

TEST(CpprestCancel, WhilePaused) {
  std::latch closed(1);
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    connection.SendChunk("one");
    connection.WaitUntilClosed();
    closed.count_down();
  });
  auto client = ClientOf(server.url());
  RecordingObserver observer;
  observer.SetPausing(true);
  auto exchange = client->Start(Watch(), observer);
  ASSERT_TRUE(observer.WaitForBody(3));
  ExpectPromptEnd(std::move(exchange), std::move(client));
  closed.wait();
}

TEST(CpprestCancel, ALoneWatchOfABusyServer) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    while (connection.SendChunk("x")) {
    }
  });
  auto client = ClientOf(server.url());
  RecordingObserver observer;
  auto exchange = client->Start(Watch(), observer);
  ASSERT_TRUE(observer.WaitForBody(100));
  exchange.reset();
  const std::string body = observer.body();
  // The client's destructor gives the network thread the time to call, if it were to.
  client.reset();
  EXPECT_EQ(observer.body(), body);
}

// The owners end exchanges on their own threads while the network thread is in the middle of calling them.
TEST(CpprestCancel, ManyWhileTheirObserversAreCalled) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    while (connection.SendChunk("x")) {
    }
  });
  auto client = ClientOf(server.url());
  std::vector<std::jthread> owners;
  owners.reserve(8);
  for (int i = 0; i < 8; ++i) {
    owners.emplace_back([&client, i] {
      for (std::size_t round = 0; round < 10; ++round) {
        RecordingObserver observer;
        const auto exchange = client->Start(Watch(), observer);
        EXPECT_TRUE(observer.WaitForBody(1 + (static_cast<std::size_t>(i) + round) % 5));
      }
    });
  }
  owners.clear();
  ExpectPromptEnd(nullptr, std::move(client));
}

// Ends its own exchange, and itself, in the call that it has chosen.
class SelfDestroying final : public HttpObserver {
 public:
  enum class When { kHead, kBody, kEnd };
  SelfDestroying(When when, std::atomic<bool>& gone) : when_(when), gone_(gone) {}
  ~SelfDestroying() override { gone_ = true; }
  SelfDestroying(const SelfDestroying&) = delete;
  SelfDestroying& operator=(const SelfDestroying&) = delete;

  static void Start(HttpClient& client, When when, std::atomic<bool>& gone) {
    auto* observer = new SelfDestroying(when, gone);
    // Held back until the exchange is known to the observer, since calls may begin before.
    const std::lock_guard lock(observer->mutex_);
    observer->exchange_ = client.Start(Get(), *observer);
  }

  void OnHead(const HttpHead&) override { EndIf(When::kHead); }
  bool OnBody(std::string_view) override {
    EndIf(When::kBody);
    return true;
  }
  void OnEnd(const Result<void>&) override { EndIf(When::kEnd); }

 private:
  void EndIf(When now) {
    if (now != when_) return;
    mutex_.lock();
    mutex_.unlock();
    exchange_.reset();
    delete this;
  }

  const When when_;
  std::atomic<bool>& gone_;
  std::mutex mutex_;
  std::unique_ptr<HttpExchange> exchange_;
};

TEST(CpprestCancel, ByTheObserverItself) {
  ScriptedServer server([](ScriptedConnection& connection) {
    while (!connection.ReadRequest().empty()) connection.Respond(200, "hello");
  });
  const auto client = ClientOf(server.url());
  for (const auto when : {SelfDestroying::When::kHead, SelfDestroying::When::kBody, SelfDestroying::When::kEnd}) {
    std::atomic<bool> gone = false;
    SelfDestroying::Start(*client, when, gone);
    EXPECT_TRUE(Eventually([&] { return gone.load(); }));
  }
}

TEST(CpprestCancel, AfterTheEndIsHarmless) {
  ScriptedServer server([](ScriptedConnection& connection) {
    while (!connection.ReadRequest().empty()) connection.Respond(200, "hello");
  });
  const auto client = ClientOf(server.url());
  for (int i = 0; i < 20; ++i) {
    RecordingObserver observer;
    auto exchange = client->Start(Get(), observer);
    ASSERT_TRUE(observer.WaitForEnd());
    exchange->Resume();
    exchange.reset();
  }
  // None of them took the kept connection with it.
  EXPECT_EQ(server.connections(), 1U);
}

}  // namespace
}  // namespace kube_events
