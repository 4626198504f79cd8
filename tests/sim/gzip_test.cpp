// Compressed answers.
#include "sim/sim_test_support.h"
#include "support/gunzip.h"

namespace kube_events::sim {
namespace {

class GzipReply : public ::testing::Test {
 protected:
  FetchResponse List(const std::string& encoding, const std::string& query = "") {
    return Get(server_.Url() + "/api/v1/events" + query, {.headers = {{"Accept-Encoding", encoding}}});
  }
  void Fill(std::size_t bytes) {
    EventObject event = MakeEvent("shop", "long");
    event.message = std::string(bytes, 'x');
    server_.Create(event);
  }

  SimServer server_;
};

TEST_F(GzipReply, LargeListIsCompressedForWhoAsks) {
  Fill(200'000);
  const std::string plain = List("identity").body;
  for (const char* encoding : {"gzip", "deflate, gzip", "br,gzip"}) {
    const auto response = List(encoding);
    EXPECT_EQ(response.headers.at("content-encoding"), "gzip");
    EXPECT_EQ(response.headers.at("vary"), "Accept-Encoding");
    EXPECT_EQ(Gunzip(response.body), plain);
  }
}

TEST_F(GzipReply, OnlyGzipByItselfAsksForIt) {
  Fill(200'000);
  for (const char* encoding : {"", "identity", "deflate", "gzip;q=1.0", "x-gzip"}) {
    EXPECT_FALSE(List(encoding).headers.contains("content-encoding")) << encoding;
  }
}

TEST_F(GzipReply, SmallAnswersAreNotWorthIt) {
  Fill(100'000);
  EXPECT_FALSE(List("gzip").headers.contains("content-encoding"));
}

TEST_F(GzipReply, WatchesStayAsTheyAre) {
  Fill(200'000);
  FetchStream stream(WatchUrl(server_, 0), {.headers = {{"Accept-Encoding", "gzip"}}});
  EXPECT_EQ(NextFrame(stream)["object"]["metadata"]["name"], "long");
}

}  // namespace
}  // namespace kube_events::sim
