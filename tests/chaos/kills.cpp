// kills: the exporter with a checkpoint, ended again and again at random moments under load, while the API server
// compacts its history at times. What each process counts is compared with what happened since the position that the
// one before had saved: so over all of them nothing is missing, and what is repeated is what was counted since the last
// write. With --leader-elect there are always two of them, and the one that waits takes over.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "chaos/marker.h"
#include "chaos/succession.h"
#include "chaos/trial.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/http_fetch.h"

namespace kube_events::chaos {
namespace {

using namespace std::chrono_literals;

struct KillOptions {
  std::string exporter;
  std::string folder;
  std::string store = "file";  // or configmap
  bool leader_elect = false;
  int kills = 20;
  std::uint64_t seed = 0;
};

class KillRun {
 public:
  explicit KillRun(KillOptions options) : options_(std::move(options)), random_(options_.seed) {
    sim::SimServerOptions server;
    server.seed = options_.seed;
    server_ = std::make_unique<sim::SimServer>(server);
    server_->PrepareLoad(SteadyLoad(options_.seed));
  }

  // Whether all is as it must be.
  bool Run() {
    exporter_ = Launch();
    if (!Check(Eventually([this] { return Position().has_value(); }, kSettling), "a first checkpoint is written")) {
      return false;
    }
    bool good = true;
    while (good && kills_ < options_.kills) {
      if (options_.leader_elect) standby_ = Launch();  // not before the other one leads, since either might take over
      good = PassRound(++rounds_);
    }
    std::cout << kills_ << " times SIGKILL and " << rounds_ - kills_ << " times SIGTERM; the history was compacted "
              << compacted_running_ << " times while it ran and " << compacted_down_
              << " times while it was down: " << exact_ << " exact, " << gaps_ << " with a gap, " << occurrences_
              << " occurrences, " << lost_ << " lost in gaps" << std::endl;
    return good;
  }

 private:
  static constexpr std::chrono::seconds kSettling{60};

  std::string Place() const {
    return options_.store == "file" ? "file:" + options_.folder + "/checkpoint.json" : "configmap:default/checkpoint";
  }

  std::unique_ptr<ExporterProcess> Launch() {
    std::vector<std::string> arguments{"--apiserver",
                                       server_->Url(),
                                       "--host",
                                       "127.0.0.1",
                                       "--port",
                                       "0",
                                       "--list-page-size",
                                       "100",
                                       "--checkpoint",
                                       Place(),
                                       "--checkpoint-interval",
                                       "1s"};
    if (options_.leader_elect) {
      for (const char* more :
           {"--leader-elect", "--leader-elect-lease=default/exporter", "--leader-elect-lease-duration=4s",
            "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=100ms"})
        arguments.emplace_back(more);
    }
    return std::make_unique<ExporterProcess>(options_.exporter, std::move(arguments),
                                             options_.folder + "/exporter-" + std::to_string(++processes_) + ".log");
  }

  // As saved last; nothing where there is no checkpoint.
  std::optional<std::uint64_t> Position() const {
    std::string text;
    if (options_.store == "file") {
      std::ifstream file(options_.folder + "/checkpoint.json");
      text.assign(std::istreambuf_iterator<char>(file), {});
    } else {
      const auto answer = Get(server_->Url() + "/api/v1/namespaces/default/configmaps/checkpoint");
      const auto object = nlohmann::json::parse(answer.body, nullptr, false);
      if (answer.status != 200 || !object.contains("data")) return std::nullopt;
      text = object["data"].value("checkpoint.json", "");
    }
    const auto checkpoint = nlohmann::json::parse(text, nullptr, false);
    if (!checkpoint.is_object()) return std::nullopt;
    return std::stoull(checkpoint.at("scopes").at(0).at("positions").at("counted").get<std::string>());
  }

  void Sleep(int most_ms) {  // the pace of the world, not a wait for anything
    std::this_thread::sleep_for(std::chrono::milliseconds(random_() % static_cast<unsigned>(most_ms)));
  }

  bool End(bool gracefully) {
    if (!Check(exporter_->Running(), "the exporter has not ended by itself")) return false;
    counts_.ProcessEnded(gracefully);
    if (gracefully) return Check(exporter_->Stop(2'000ms) == 0, "SIGTERM ends the exporter with 0 within 2 s");
    ++kills_;
    exporter_->Signal(SIGKILL);
    exporter_->AwaitEnd(5'000ms);
    return true;
  }

  // Another process goes on: a new one, or the one that waits for the Lease.
  void GoOn() {
    if (!options_.leader_elect) {
      exporter_ = Launch();
      return;
    }
    standby_->Signal(SIGCONT);
    exporter_ = std::move(standby_);
  }

  // Now or never; counts it.
  bool CompactAtTimes(int& counter) {
    if (random_() % 3 != 0) return false;
    ++counter;
    server_->Compact();
    return true;
  }

  bool PassRound(int number) {
    server_->StartLoad(SteadyLoad(options_.seed));
    Sleep(1'250);
    CompactAtTimes(compacted_running_);
    Sleep(1'250);
    const bool gracefully = random_() % 5 == 0;
    // So that what was saved last can be read before somebody goes on from there.
    if (standby_) standby_->Signal(SIGSTOP);
    if (!End(gracefully)) return false;
    const auto position = Position();
    if (options_.store == "file") {
      std::filesystem::copy_file(options_.folder + "/checkpoint.json", options_.folder + "/checkpoint.at-end.json",
                                 std::filesystem::copy_options::overwrite_existing);
    }
    if (!Check(position.has_value(), "a checkpoint is there after the end")) return false;
    Sleep(1'000);
    const bool compacted = CompactAtTimes(compacted_down_);
    GoOn();
    Sleep(1'000);
    server_->StopLoad();
    if (!Check(Settle(*server_, *exporter_, ++markers_), "the next process catches up")) return false;
    return Compare(number, *position, compacted,
                   std::string(gracefully ? "SIGTERM" : "SIGKILL") + (compacted ? ", compacted" : ""));
  }

  bool Compare(int number, std::uint64_t position, bool compacted, const std::string& done) {
    auto truth = server_->TruthSince(position);
    auto scrape = exporter_->Read();
    if (!Check(truth && scrape, "truth and counts can be read")) return false;
    if (!Check(!compacted || scrape->gaps > 0, "a history that was compacted meanwhile is a gap")) return false;
    RemoveMarkers(*scrape);
    const Verdict verdict = counts_.JudgeProcess(*scrape, *truth);
    for (const std::string& fault : verdict.faults) std::cout << "  " << fault << '\n';
    if (!verdict.faults.empty()) KeepHistory(position);
    exact_ += verdict.exact ? 1 : 0;
    gaps_ += scrape->gaps > 0 ? 1 : 0;
    occurrences_ += verdict.occurrences;
    lost_ += verdict.lost;
    std::cout << "round " << number << ": " << done << ": " << verdict.occurrences << " since " << position << ", "
              << (verdict.exact ? "exact" : "within bounds") << std::endl;
    return Check(verdict.faults.empty(), "the counts of round " + std::to_string(number));
  }

  // For whoever looks into a fault: what a watch from the position shows.
  void KeepHistory(std::uint64_t position) const {
    const auto answer =
        Get(server_->Url() + "/api/v1/events?watch=true&timeoutSeconds=1&resourceVersion=" + std::to_string(position));
    std::ofstream(options_.folder + "/history.json") << answer.body;
  }

  const KillOptions options_;
  std::mt19937_64 random_;
  std::unique_ptr<sim::SimServer> server_;
  std::unique_ptr<ExporterProcess> exporter_;  // that counts
  std::unique_ptr<ExporterProcess> standby_;   // that waits for the Lease; none without one
  Succession counts_;
  int processes_ = 0;
  int rounds_ = 0;
  int kills_ = 0;
  int compacted_running_ = 0;
  int compacted_down_ = 0;
  int markers_ = 0;
  int exact_ = 0;
  int gaps_ = 0;
  std::int64_t occurrences_ = 0;
  std::int64_t lost_ = 0;
};

}  // namespace
}  // namespace kube_events::chaos

int main(int argc, char** argv) {
  kube_events::chaos::KillOptions options;
  options.seed = std::random_device{}();
  CLI::App app(
      "Ends an exporter with a checkpoint at random moments under load, and compares its counts with the truth.");
  app.add_option("--exporter", options.exporter, "The program")->required();
  app.add_option("--kills", options.kills, "How often by SIGKILL; SIGTERM comes in between")
      ->check(CLI::PositiveNumber);
  app.add_option("--store", options.store, "Of the checkpoint")->check(CLI::IsMember({"file", "configmap"}));
  app.add_flag("--leader-elect", options.leader_elect, "Two processes that share a Lease");
  app.add_option("--seed", options.seed, "Of everything that is random");
  CLI11_PARSE(app, argc, argv);
  return kube_events::chaos::RunTrial("kills", options.seed, [&options](const std::string& folder) {
    options.folder = folder;
    return kube_events::chaos::KillRun(options).Run();
  });
}
