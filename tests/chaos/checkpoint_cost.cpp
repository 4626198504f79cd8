// checkpoint_cost: how large the checkpoint of the real exporter is in clusters of different sizes, and how often it is
// written, as docs/checkpoints.md tells; fails where a limit that is documented there is not kept.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "chaos/exporter_process.h"
#include "kube/temp_dir.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/http_fetch.h"
#include "support/metrics_page.h"

namespace kube_events::chaos {
namespace {

using std::chrono::steady_clock;

struct CostOptions {
  std::string exporter;
  std::string store = "configmap";  // or file
  std::vector<std::size_t> objects{1'000, 20'000, 200'000};
  double turnovers = 0;
  double rate = 50;
  int interval = 10;
  int seconds = 120;
  std::uint64_t seed = 7;
};

// What is documented.
constexpr double kMostConfigMapBytes = 256.0 * 1024;
constexpr double kMostBytesPerTotal = 24;
constexpr double kConfigMapBytesPerSecond = 20.0 * 1024;
constexpr double kFileBytesPerSecond = 1024.0 * 1024;
// Of what is no total: names of members, positions.
constexpr double kFrameBytes = 1024;
// Writes are timed by looking at a page again and again.
constexpr double kTimingError = 1.05;
constexpr int kLeastWrites = 3;

class CostRun {
 public:
  CostRun(const CostOptions& options, std::size_t objects)
      : options_(options), objects_(objects), server_({.history = 500'000}) {}

  // Whether all limits are kept.
  bool Run() {
    server_.PrepareLoad(Load());
    exporter_.emplace(
        options_.exporter,
        std::vector<std::string>{"--apiserver", server_.Url(), "--host=127.0.0.1", "--port=0", "--checkpoint", Place(),
                                 "--checkpoint-interval", std::to_string(options_.interval) + "s"},
        (dir_.path() / "exporter.log").string());
    Await([this] { return exporter_->Health() == 200; }, "the exporter gets ready");
    TurnOver();
    Measure();
    return Report();
  }

 private:
  bool OnConfigMap() const { return options_.store == "configmap"; }
  std::string File() const { return (dir_.path() / "checkpoint.json").string(); }
  std::string Place() const { return OnConfigMap() ? "configmap:default/checkpoint" : "file:" + File(); }
  double Own(const std::string& name) const {
    return ReadSample(exporter_->Page(), "kube_events_exporter_" + name).value_or(0);
  }

  sim::LoadOptions Load() const {
    sim::LoadOptions load;
    load.seed = options_.seed;
    load.objects = objects_;
    load.rate = options_.rate;
    return load;
  }

  template <typename Condition>
  void Await(Condition&& condition, const char* what) const {
    if (!Eventually(condition, std::chrono::minutes(30))) throw std::runtime_error(std::string("not: ") + what);
  }

  // As time does, only faster: Events expire, and others take their place.
  void TurnOver() {
    if (options_.turnovers <= 0) return;
    sim::LoadOptions load = Load();
    load.rate = 20'000;
    const double new_events =
        1 - load.repeats - load.series - load.deletions - load.recreations - load.resets - load.touches;
    const auto changes = static_cast<std::uint64_t>(options_.turnovers * static_cast<double>(objects_) / new_events);
    server_.StartLoad(load);
    Await([&] { return server_.State().load_changes >= changes; }, "the Events are replaced");
    server_.StopLoad();
  }

  // What the exporter says of its writes; its own times, since a scrape may come late.
  struct Sample {
    double writes = 0;
    double bytes = 0;  // of the last one
    double at = 0;     // Unix seconds of the last one
  };
  Sample Now() const {
    const std::string page = exporter_->Page();
    const auto own = [&](const std::string& name) {
      return ReadSample(page, "kube_events_exporter_" + name).value_or(0);
    };
    return {own("checkpoint_writes_total{result=\"ok\"}"), own("checkpoint_bytes"),
            own("checkpoint_last_success_timestamp_seconds")};
  }

  // From one write to another, at least kLeastWrites later.
  void Measure() {
    server_.StartLoad(Load());
    const double before = Now().writes;
    Sample first;
    Await([&] { return (first = Now()).writes > before; }, "a checkpoint is written");
    Sample last = first;
    while (last.writes < first.writes + kLeastWrites || last.at < first.at + options_.seconds) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const Sample now = Now();
      // Each write is followed by the pause that its own size asks for.
      bytes_written_ += (now.writes - last.writes) * last.bytes;
      if (now.writes > last.writes) last = now;
    }
    pause_ = (last.at - first.at) / (last.writes - first.writes);
    bytes_per_second_ = bytes_written_ / (last.at - first.at);
    server_.StopLoad();
  }

  std::string Stored() const {
    if (!OnConfigMap()) {
      std::ifstream file(File());
      return {std::istreambuf_iterator<char>(file), {}};
    }
    const auto answer = Get(server_url_ + "/api/v1/namespaces/default/configmaps/checkpoint");
    return nlohmann::json::parse(answer.body)["data"]["checkpoint.json"].get<std::string>();
  }

  bool Report() const {
    const std::string text = Stored();
    const nlohmann::json totals = nlohmann::json::parse(text)["totals"];
    const double live = totals["live"].get<double>();
    const double tombstones = totals["tombstones"].get<double>();
    const auto bytes = static_cast<double>(text.size());
    const double events = Own("cached_events");
    std::printf(
        "%-9s | %7.0f live, %7.0f deleted | totals of %6.0f and %6.0f%s | %8.0f bytes, %5.1f per live Event | "
        "every %5.1f s, %4.0f per hour | %7.1f KiB/s\n",
        options_.store.c_str(), events, Own("tombstones"), live, tombstones,
        totals["truncated"].get<bool>() ? ", cut" : "", bytes, bytes / events, pause_, 3600 / pause_,
        bytes_per_second_ / 1024);
    std::fflush(stdout);
    const double most_per_second = OnConfigMap() ? kConfigMapBytesPerSecond : kFileBytesPerSecond;
    bool kept = Check(!OnConfigMap() || bytes <= kMostConfigMapBytes, "it has at most 256 KiB");
    kept &= Check(bytes - kFrameBytes <= kMostBytesPerTotal * (live + tombstones), "a total takes at most 24 bytes");
    kept &= Check(bytes_per_second_ <= most_per_second * kTimingError, "writes keep to their bytes per second");
    return kept;
  }

  static bool Check(bool good, const char* what) {
    if (!good) std::printf("NOT KEPT: %s\n", what);
    return good;
  }

  const CostOptions options_;
  const std::size_t objects_;
  const TempDir dir_;
  sim::SimServer server_;
  const std::string server_url_ = server_.Url();
  std::optional<ExporterProcess> exporter_;
  double bytes_written_ = 0;
  double bytes_per_second_ = 0;
  double pause_ = 0;  // seconds between two writes
};

}  // namespace
}  // namespace kube_events::chaos

int main(int argc, char** argv) {
  kube_events::chaos::CostOptions options;
  CLI::App app("Measures the checkpoint of an exporter in simulated clusters.");
  app.add_option("--exporter", options.exporter, "The program")->required();
  app.add_option("--store", options.store, "Of the checkpoint")->check(CLI::IsMember({"file", "configmap"}));
  app.add_option("--objects", options.objects, "Live Events; several clusters one after another")->delimiter(',');
  app.add_option("--turnovers", options.turnovers, "How often all Events are replaced before; 24 is a day")
      ->capture_default_str();
  app.add_option("--rate", options.rate, "Changes per second")->capture_default_str();
  app.add_option("--interval", options.interval, "--checkpoint-interval, in seconds")->capture_default_str();
  app.add_option("--seconds", options.seconds, "How long, at least")->capture_default_str();
  app.add_option("--seed", options.seed, "Of the simulated cluster")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    bool kept = true;
    for (const std::size_t objects : options.objects) kept &= kube_events::chaos::CostRun(options, objects).Run();
    return kept ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "checkpoint_cost: %s\n", error.what());
    return 2;
  }
}
