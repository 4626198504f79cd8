// Peers that vanish without a word: the kernel has to find out, whatever kind of connection it is.
#include <gtest/gtest.h>

#include "net/client_under_test.h"
#include "net/dead_peers.h"
#include "net/recording_observer.h"
#include "support/scripted_server.h"

namespace kube_events {
namespace {

void AnswerAndStay(ScriptedConnection& connection) {
  connection.ReadRequest();
  connection.Send(kChunkedHead);
  connection.SendChunk("one\n");
  connection.WaitUntilClosed();
}

void ExpectAllProbed(ScriptedServer& server, HttpClient& client) {
  RecordingObserver watching;
  RecordingObserver listing;
  const auto watch = client.Start(Watch(), watching);
  const auto list = client.Start(Get(), listing);
  ASSERT_TRUE(watching.WaitForHead());
  ASSERT_TRUE(listing.WaitForHead());
  ExpectProbed(server.port(), 2);
}

TEST(CpprestDeadPeers, AreProbedForByTheKernelOnPlainConnections) {
  ScriptedServer server(AnswerAndStay);
  ExpectAllProbed(server, *ClientOf(server.url()));
}

TEST(CpprestDeadPeers, AreProbedForByTheKernelOnTlsConnections) {
  const TestAuthority authority;
  ScriptedServer server(AnswerAndStay, ScriptedTls{authority.Issue(), ""});
  const TlsSettings settings{authority.cert_pem(), "", "", "", false};
  ExpectAllProbed(server, *ClientOf(server.url(), [settings] { return Result<TlsSettings>(settings); }));
}

// The first address of localhost is that of IPv6, where nobody listens.
TEST(CpprestDeadPeers, AreProbedForByTheKernelAtTheSecondAddressOfAHost) {
  ScriptedServer server(AnswerAndStay);
  ExpectAllProbed(server, *ClientOf(server.url("localhost")));
}

TEST(CpprestDeadPeers, EndAWatchOnceTheirPacketsAreLost) {
  ScriptedServer server(AnswerAndStay);
  const auto client = ClientOf(server.url());
  RecordingObserver observer;
  HttpRequest request = Watch();
  request.idle_timeout = std::chrono::minutes(6);  // as a watch has
  const auto exchange = client->Start(std::move(request), observer);
  ASSERT_TRUE(observer.WaitForBody(4));
  const auto ours = SocketsTo(server.port());
  ASSERT_EQ(ours.size(), 1U);
  const auto theirs = SocketsTo(LocalPort(ours[0]));
  ASSERT_EQ(theirs.size(), 1U);
  if (!DropPackets(theirs[0])) GTEST_SKIP() << "the kernel does not let a test attach a filter to its own socket";
  NoticeDeadPeerSoon(ours[0]);
  const std::string told = Told(observer.WaitForEnd());
  EXPECT_TRUE(told.starts_with("timeout: ")) << told;
  EXPECT_NE(told.find("the network to it is broken"), std::string::npos) << told;
}

}  // namespace
}  // namespace kube_events
