#include <map>
#include <string>

#include "sim/control.h"
#include "sim/sim_test_support.h"
#include "support/eventually.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

// Counts what it sees by identity, as naively as the load allows for whom no gap hides anything.
class Recount {
 public:
  void Baseline(const json& list) {
    for (const json& item : list.at("items")) Highest(item) = Total(item);
  }
  void Apply(const json& frame) {
    const json& event = frame.at("object");
    if (frame.at("type") == "DELETED") return;
    const auto rise = Total(event) - (IsNewRun(event) ? 0 : Highest(event).total);
    if (rise > 0) counts_[Labels(event)] += rise;
    Highest(event) = {Total(event), Epoch(event)};
  }
  const OccurrenceCounts& counts() const { return counts_; }

 private:
  struct Seen {
    std::int64_t total = 0;
    std::string epoch = {};
    Seen& operator=(std::int64_t value) {
      total = value;
      return *this;
    }
    Seen& operator=(const Seen&) = default;
    Seen() = default;
    Seen(std::int64_t t, std::string e) : total(t), epoch(std::move(e)) {}
    Seen(const Seen&) = default;
  };

  static std::int64_t Total(const json& event) {
    const std::int64_t count = event.value("count", 0);
    return std::max({std::int64_t{1}, count, event.value("series", json::object()).value("count", std::int64_t{0})});
  }
  static std::string Epoch(const json& event) {
    return event.at("firstTimestamp").is_null() ? event.at("eventTime").dump() : event.at("firstTimestamp").dump();
  }
  static LabelSet Labels(const json& event) {
    const json& involved = event.at("involvedObject");
    return {event.at("type"), involved.value("namespace", ""), involved.at("kind"), event.at("reason")};
  }
  Seen& Highest(const json& event) {
    Seen& seen = seen_[event.at("metadata").at("name")];
    if (seen.epoch.empty()) seen.epoch = Epoch(event);
    return seen;
  }
  bool IsNewRun(const json& event) { return Highest(event).epoch != Epoch(event); }

  std::map<std::string, Seen> seen_;
  OccurrenceCounts counts_;
};

class Load : public ::testing::Test {
 protected:
  // Everything that a watch from `revision` says until the server has nothing more.
  void Follow(std::uint64_t revision, Recount& recount) {
    FetchStream stream(WatchUrl(server_, revision));
    const std::uint64_t end = server_.State().revision;
    for (std::uint64_t seen = revision; seen < end;) {
      const json frame = NextFrame(stream);
      ASSERT_TRUE(frame.is_object());
      recount.Apply(frame);
      seen = std::stoull(frame["object"]["metadata"]["resourceVersion"].get<std::string>());
    }
  }
  void RunLoad(LoadOptions options) {
    options.rate = 1e6;
    server_.StartLoad(options);
    ASSERT_TRUE(Eventually([&] { return !server_.State().load_running; })) << "seed " << options.seed;
  }

  SimServer server_;
};

TEST_F(Load, NaiveClientThatRecountsGetsTheTruth) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    server_.PrepareLoad({.seed = seed, .objects = 60});
    server_.Mark();
    const json list = GetJson(server_.Url() + "/api/v1/events");
    Recount recount;
    recount.Baseline(list);
    const std::uint64_t revision = std::stoull(list["metadata"]["resourceVersion"].get<std::string>());
    RunLoad({.seed = seed, .objects = 60, .limit = 2'000});
    Follow(revision, recount);
    EXPECT_EQ(server_.State().first_list_revision, revision);
    EXPECT_EQ(recount.counts(), server_.TruthSince(revision));
    EXPECT_GT(recount.counts().size(), 50U);
  }
}

TEST_F(Load, SameSeedWritesTheSameEvents) {
  const LoadOptions options{.seed = 7, .objects = 100, .rate = 1e6, .limit = 500};
  SimServer other;
  const auto names = [&](SimServer& server) {
    server.StartLoad(options);
    EXPECT_TRUE(Eventually([&] { return !server.State().load_running; }));
    std::vector<std::string> result;
    const json list = GetJson(server.Url() + "/api/v1/events");
    for (const json& item : list["items"]) {
      result.push_back(item["metadata"]["name"].get<std::string>() + item["metadata"]["uid"].get<std::string>());
    }
    return result;
  };
  EXPECT_EQ(names(server_), names(other));
}

TEST_F(Load, PreloadedEventsArePartOfTheTruth) {
  server_.PrepareLoad({.objects = 200});
  std::int64_t truth = 0;
  const OccurrenceCounts counts = server_.TruthSince(0).value();
  for (const auto& [labels, count] : counts) truth += count;
  std::int64_t listed = 0;
  const json list = GetJson(server_.Url() + "/api/v1/events");
  for (const json& item : list["items"]) {
    listed += std::max({1, item.value("count", 0), item.value("series", json::object()).value("count", 0)});
  }
  EXPECT_EQ(list["items"].size(), 200U);
  EXPECT_EQ(truth, listed);
  EXPECT_TRUE(server_.TruthSince(server_.Mark())->empty());
}

TEST_F(Load, EventsAreAsLargeAsRealOnes) {
  server_.PrepareLoad({.objects = 500});
  const std::string core = Get(server_.Url() + "/api/v1/events").body;
  EXPECT_GT(core.size() / 500, 950U);
  EXPECT_LT(core.size() / 500, 1'400U);
}

TEST_F(Load, KeepsTheNumberOfLiveEvents) {
  RunLoad({.objects = 50, .limit = 2'000});
  EXPECT_LE(server_.State().objects, 50U);
  EXPECT_GT(server_.State().objects, 30U);
}

TEST_F(Load, NodeEventsLiveInDefaultAndHaveNoInvolvedNamespace) {
  server_.PrepareLoad({.objects = 500});
  int nodes = 0;
  const json events = GetJson(server_.Url() + "/api/v1/events");
  for (const json& item : events["items"]) {
    if (item["involvedObject"]["kind"] != "Node") continue;
    ++nodes;
    EXPECT_EQ(item["metadata"]["namespace"], "default");
    EXPECT_FALSE(item["involvedObject"].contains("namespace"));
  }
  EXPECT_GT(nodes, 5);
}

TEST_F(Load, IsControlledOverHttp) {
  const std::string control = server_.Url() + "/sim/v1/";
  EXPECT_EQ(Post(control + "load", R"({"objects":20,"rate":100000,"limit":300})").status, 200);
  EXPECT_TRUE(Eventually([&] { return !GetJson(control + "state")["load_running"].get<bool>(); }));
  const json truth = GetJson(control + "truth");
  EXPECT_EQ(truth["occurrences"], ToJson(server_.TruthSince(0).value()));
  EXPECT_EQ(Post(control + "mark", "").status, 200);
  EXPECT_EQ(GetJson(control + "truth?since=mark")["total"], 0);
  EXPECT_EQ(Post(control + "load", R"({"rate":10,"limit":0})").status, 200);
  EXPECT_TRUE(GetJson(control + "state")["load_running"]);
  EXPECT_EQ(Post(control + "load", R"({"running":false})").status, 200);
  EXPECT_FALSE(GetJson(control + "state")["load_running"]);
  const auto refused = Post(control + "load", R"({"speed":10})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("speed"), std::string::npos);
  EXPECT_EQ(Post(control + "nothing", "{}").status, 404);
}

TEST_F(Load, TapeShowsNothingUntilItIsPlayed) {
  server_.PrepareLoad({.objects = 40});
  const std::uint64_t begin = server_.State().revision;
  ASSERT_TRUE(server_.RecordTape(500));
  EXPECT_FALSE(server_.RecordTape(50'001)) << "longer than the history";
  const json list = GetJson(server_.Url() + "/api/v1/events");
  EXPECT_EQ(list["metadata"]["resourceVersion"], std::to_string(begin));
  EXPECT_EQ(list["items"].size(), 40U);
  FetchStream stream(WatchUrl(server_, begin));
  EXPECT_TRUE(NextFrame(stream, std::chrono::milliseconds{50}).is_null());
  Recount recount;
  recount.Baseline(list);
  server_.PlayTape(5'000);
  EXPECT_TRUE(Eventually([&] { return server_.State().hidden == 0; }));
  Follow(begin, recount);
  EXPECT_EQ(recount.counts(), server_.TruthSince(begin));
  EXPECT_GE(server_.State().revision, begin + 500);
  EXPECT_EQ(Post(server_.Url() + "/sim/v1/tape", R"({"changes":20,"rate":0})").status, 200);
  EXPECT_EQ(server_.State().hidden, 0U);
}

TEST_F(Load, RateIsKept) {
  server_.StartLoad({.objects = 10, .rate = 2'000});
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(Eventually([&] { return server_.State().load_changes > 1'000; }));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(elapsed.count(), 0.4) << "faster than asked for";
}

TEST(Truth, KnowsWhatWasBeforeAndAfterARevision) {
  Truth truth;
  const LabelSet a{"Normal", "shop", "Pod", "Started"};
  const LabelSet b{"Warning", "", "Node", "NodeNotReady"};
  truth.Add(5, a, 2);
  truth.Add(6, b, 1);
  truth.Add(9, a, 40);
  EXPECT_EQ(truth.Since(0), (OccurrenceCounts{{a, 42}, {b, 1}}));
  EXPECT_EQ(truth.Since(5), (OccurrenceCounts{{a, 40}, {b, 1}}));
  EXPECT_EQ(truth.Since(9), OccurrenceCounts{});
}

}  // namespace
}  // namespace kube_events::sim
