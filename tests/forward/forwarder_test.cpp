// The whole way from an API server to files: live, behind after a restart, and behind what the server still knows.
#include "kube_events/forward/forwarder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "forward/fakes.h"
#include "kube/temp_dir.h"
#include "kube_events/net/cpprest_client.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/exporter_fixture.h"
#include "support/silent_monitor.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ForwarderTest : public ::testing::Test {
 protected:
  ForwarderTest() { options_.scopes.emplace_back(); }
  ~ForwarderTest() override { End(); }

  void AddFileSink(const std::string& name) {
    SinkSettings sink;
    sink.id = name;
    sink.kind = SinkKind::kFile;
    sink.file.path = dir_.path() / name;
    sink.batch_wait = 0ms;
    options_.sinks.push_back(sink);
  }
  // `resume`: where counting goes on, and where the sinks do.
  void Begin(std::optional<ScopePosition> counted = {}, ConsumerPositions sinks = {}) {
    auto started = Forwarder::Start(options_, {client_, clock_, health_, monitor_, Logger()});
    ASSERT_TRUE(started) << started.error().message;
    forwarder_ = std::move(*started);
    InformerParts parts{client_, clock_, *forwarder_, quiet_, health_.AddLoop("informer", 1h), Logger()};
    parts.resume = [this, counted, sinks](const std::stop_token&) {
      std::vector<std::optional<ScopePosition>> positions{counted};
      forwarder_->Resume(positions, sinks);
      return positions;
    };
    informer_ = std::make_unique<Informer>(InformerOptions{options_.scopes, {}}, std::move(parts));
    ASSERT_TRUE(server_.WaitForWatches(1));
  }
  void End() {
    informer_.reset();
    if (forwarder_) forwarder_->Finish(10s);
    forwarder_.reset();
  }
  std::string Create(const std::string& name) {
    return std::to_string(
        server_.Create(MakePodEvent(name, "Reason", 1, "default", clock_.Wall()))->metadata.resource_version);
  }
  ScopePosition At(const std::string& version) { return {version, clock_.Wall()}; }

  // Names of Events in the file of a sink, "GAP" for a gap.
  std::vector<std::string> Arrived(const std::string& sink) const {
    std::vector<std::string> names;
    std::ifstream file(dir_.path() / sink);
    for (std::string line; std::getline(file, line);) {
      const auto record = nlohmann::json::parse(line, nullptr, false);
      if (record.is_discarded()) continue;
      const bool gap = record.value("type", "") == "GAP";
      names.push_back(gap ? "GAP" : record.at("object").at("metadata").at("name").get<std::string>());
    }
    return names;
  }
  bool Arrives(const std::string& sink, std::size_t count) {
    return Eventually([&] { return Arrived(sink).size() >= count; });
  }

  TempDir dir_;
  SystemClock clock_;
  Health health_{clock_};
  sim::SimServer server_;
  std::unique_ptr<HttpClient> http_ = MakeCpprestClient(server_.Url(), {}).value();
  std::unique_ptr<Credentials> credentials_ = MakeAnonymousCredentials();
  KubeClient client_{*http_, *credentials_};
  FakeForwardMonitor monitor_;
  SilentMonitor quiet_;
  ForwarderOptions options_;
  std::unique_ptr<Forwarder> forwarder_;
  std::unique_ptr<Informer> informer_;
};

TEST_F(ForwarderTest, EveryEventArrivesAtEverySink) {
  AddFileSink("one");
  AddFileSink("two");
  Create("before");
  Begin();
  Create("a");
  const std::string last = Create("b");
  for (const auto* sink : {"one", "two"}) {
    EXPECT_TRUE(Arrives(sink, 2));
    EXPECT_THAT(Arrived(sink), ElementsAre("a", "b"));
  }
  EXPECT_TRUE(Eventually([&] { return forwarder_->SafePositions().at("one").at(0).version == last; }));
}

TEST_F(ForwarderTest, SinkThatLaggedBehindGetsWhatItMissedAndWhatFollows) {
  AddFileSink("behind");
  AddFileSink("level");
  const std::string first = Create("seen");
  Create("missed");
  const std::string counted = Create("missed-too");
  Begin(At(counted), {{"behind", {At(first)}}, {"level", {At(counted)}}});
  EXPECT_TRUE(Arrives("behind", 2));
  Create("live");
  EXPECT_TRUE(Arrives("behind", 3));
  EXPECT_TRUE(Arrives("level", 1));
  EXPECT_THAT(Arrived("behind"), ElementsAre("missed", "missed-too", "live"));
  EXPECT_THAT(Arrived("level"), ElementsAre("live"));
}

TEST_F(ForwarderTest, NewSinkBeginsWhereCountingGoesOn) {
  AddFileSink("new");
  Create("counted");
  const std::string counted = Create("counted-too");
  Create("after");
  Begin(At(counted));
  EXPECT_TRUE(Arrives("new", 1));
  EXPECT_THAT(Arrived("new"), ElementsAre("after"));
}

TEST_F(ForwarderTest, ExpiredHistoryIsMarkedAndWhatIsThereIsHandedOn) {
  AddFileSink("behind");
  const std::string first = Create("seen");
  Create("missed");
  server_.Compact();
  const std::string counted = Create("taken");
  server_.Compact();
  Begin(At(counted), {{"behind", {At(first)}}});
  EXPECT_TRUE(Arrives("behind", 3));
  EXPECT_THAT(Arrived("behind"), ElementsAre("GAP", "missed", "taken"));
  Create("live");
  EXPECT_TRUE(Arrives("behind", 4));
}

TEST_F(ForwarderTest, SecondProcessOnOneSpoolIsRefused) {
  options_.spool = dir_.path() / "spool";
  options_.spool_max_bytes = 1 << 20;
  AddFileSink("one");
  Begin();
  const auto second = Forwarder::Start(options_, {client_, clock_, health_, monitor_, Logger()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(second.error().message, HasSubstr("spool"));
}

TEST_F(ForwarderTest, DamageInASpoolIsMarkedBehindWhatWasKept) {
  options_.spool = dir_.path() / "spool";
  options_.spool_max_bytes = 1 << 20;
  AddFileSink("one");
  options_.sinks.back().file.path = dir_.path() / "missing" / "one";  // cannot be written: all goes into the spool
  Begin();
  Create("kept");
  Create("lost");
  EXPECT_TRUE(Eventually([&] { return forwarder_->Stats().at(0).stats.spool_records == 2; }));
  End();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options_.spool)) {
    if (entry.path().extension() == ".spool") std::filesystem::resize_file(entry.path(), entry.file_size() - 1);
  }
  options_.sinks.back().file.path = dir_.path() / "one";
  Begin();
  EXPECT_TRUE(Arrives("one", 2));
  EXPECT_THAT(Arrived("one"), ElementsAre("kept", "GAP"));
  EXPECT_EQ(monitor_.Count("dropped spool"), 1U);
}

}  // namespace
}  // namespace kube_events
