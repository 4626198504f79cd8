// The program as a process with --forward: what its sinks hold over ends, restarts and a receiver that is away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "chaos/exporter_process.h"
#include "kube/temp_dir.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/exporter_fixture.h"
#include "support/scripted_server.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using chaos::ExporterProcess;
using testing::ElementsAre;
using testing::HasSubstr;

class ForwardingProcess : public testing::Test {
 protected:
  void Start(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"--apiserver", server_.Url(), "--host", "127.0.0.1", "--port", "0"};
    for (const std::string& argument :
         {std::string("--forward"), "file://" + File(), std::string("--checkpoint"), "file:" + Path("checkpoint"),
          std::string("--checkpoint-interval"), std::string("1s")}) {
      arguments.push_back(argument);
    }
    for (std::string& argument : more) arguments.push_back(std::move(argument));
    exporter_.emplace(KUBE_EVENTS_EXPORTER, std::move(arguments), Path("log"));
    EXPECT_TRUE(server_.WaitForWatches(1));
  }
  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  std::string File() const { return Path("events.jsonl"); }
  std::string Log() const {
    std::ifstream file(Path("log"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Create(const std::string& name) { server_.Create(MakePodEvent(name, "Reason")); }

  static std::vector<std::string> Names(const std::string& path) {
    std::vector<std::string> names;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const auto record = nlohmann::json::parse(line, nullptr, false);
      if (record.is_discarded()) continue;
      names.push_back(record.contains("object") ? record["object"]["metadata"].value("name", "")
                                                : record.value("type", ""));
    }
    return names;
  }
  bool Arrive(std::size_t count) const {
    return Eventually([&] { return Names(File()).size() >= count; });
  }

  TempDir dir_;
  sim::SimServer server_;
  std::optional<ExporterProcess> exporter_;
};

TEST_F(ForwardingProcess, RestartInGoodOrderLosesNothingAndRepeatsNothing) {
  Create("before");
  Start();
  Create("a");
  EXPECT_TRUE(Arrive(1));
  Create("b");
  EXPECT_EQ(exporter_->Stop(10s), 0);
  Create("while-away");
  Start();
  Create("c");
  EXPECT_TRUE(Arrive(4));
  EXPECT_EQ(exporter_->Stop(10s), 0);
  EXPECT_THAT(Names(File()), ElementsAre("a", "b", "while-away", "c"));
}

TEST_F(ForwardingProcess, HangupOpensTheFileAnew) {
  Start();
  Create("a");
  EXPECT_TRUE(Arrive(1));
  std::filesystem::rename(File(), Path("rotated"));
  exporter_->Signal(SIGHUP);
  Create("b");
  EXPECT_TRUE(Arrive(1));
  EXPECT_THAT(Names(Path("rotated")), ElementsAre("a"));
  EXPECT_THAT(Names(File()), ElementsAre("b"));
}

TEST_F(ForwardingProcess, EndsInTimeWhileAReceiverNeverAnswers) {
  ScriptedServer silent([](ScriptedConnection& connection) { connection.WaitUntilClosed(); });
  Start({"--forward", "http://127.0.0.1:" + std::to_string(silent.port()) + "/", "--shutdown-timeout", "300ms"});
  Create("a");
  EXPECT_TRUE(Eventually([&] { return silent.connections() >= 1; }));
  EXPECT_TRUE(Arrive(1)) << "another sink is not held up";
  EXPECT_EQ(exporter_->Stop(4s), 0);
  EXPECT_THAT(Log(), HasSubstr("records are neither delivered nor in the spool"));
}

TEST_F(ForwardingProcess, MetricsTellOfEverySink) {
  Start();
  Create("a");
  EXPECT_TRUE(Arrive(1));
  EXPECT_TRUE(Eventually([&] {
    return exporter_->Page().find("kube_events_exporter_forward_records_total{result=\"sent\",sink=\"file://" + File() +
                                  "\"} 1\n") != std::string::npos;
  })) << exporter_->Page();
}

}  // namespace
}  // namespace kube_events
