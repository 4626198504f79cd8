// storm: what the real exporter needs, and whether it loses anything, in a cluster full of Events that come faster than
// clusters write them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "chaos/exporter_process.h"
#include "chaos/verdict.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/metrics_page.h"

namespace kube_events::chaos {
namespace {

using std::chrono::steady_clock;

struct StormOptions {
  std::string exporter;
  std::size_t objects = 1'000'000;
  std::size_t rate = 50'000;
  std::size_t seconds = 60;
  std::size_t chunk_bytes = 0;
  std::uint64_t seed = 7;
  std::string log;
};

double Seconds(steady_clock::time_point since) {
  return std::chrono::duration<double>(steady_clock::now() - since).count();
}

class Storm {
 public:
  explicit Storm(StormOptions options)
      : options_(std::move(options)), server_({.history = Changes() + 100'000, .chunk_bytes = options_.chunk_bytes}) {}

  // Whether nothing was lost.
  bool Run() {
    List();
    std::printf("writing the tape of %zu changes\n", Changes());
    std::fflush(stdout);
    const Snapshot before = Look();
    if (!server_.RecordTape(Changes())) throw std::runtime_error("the history cannot hold the tape");
    Play();
    return Report(before, Look());
  }

 private:
  std::size_t Changes() const { return options_.rate * options_.seconds; }

  double Own(const std::string& name) const {
    return ReadSample(exporter_->Page(), name.starts_with("process") ? name : "kube_events_exporter_" + name)
        .value_or(-1);
  }

  std::size_t Handled() const {
    const std::string page = exporter_->Page();
    double sum = 0;
    for (const char* type : {"ADDED", "MODIFIED", "DELETED"}) {
      const std::string name = std::string("kube_events_exporter_watch_events_total{type=\"") + type + "\"}";
      sum += ReadSample(page, name).value_or(0);
    }
    return static_cast<std::size_t>(sum);
  }

  void PrintNeeds(const char* when, double seconds) const {
    std::printf("%s: %.1f s, %.1f s of CPU in all, %ld MiB resident, at most %ld MiB\n", when, seconds,
                Own("process_cpu_seconds_total"), exporter_->Memory("VmRSS"), exporter_->Memory("VmHWM"));
    std::fflush(stdout);
  }

  void List() {
    sim::LoadOptions load;
    load.seed = options_.seed;
    load.objects = options_.objects;
    server_.PrepareLoad(load);
    const auto began = steady_clock::now();
    exporter_.emplace(options_.exporter,
                      std::vector<std::string>{"--apiserver", server_.Url(), "--host", "127.0.0.1", "--port", "0"},
                      options_.log);
    if (!Eventually([this] { return exporter_->Health() == 200; }, std::chrono::minutes(10))) {
      throw std::runtime_error("the exporter does not get ready");
    }
    PrintNeeds(("first list of " + std::to_string(options_.objects) + " Events").c_str(), Seconds(began));
  }

  void Play() {
    const auto began = steady_clock::now();
    server_.PlayTape(static_cast<double>(options_.rate));
    std::size_t shown = 0;
    while (shown < Changes()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      shown = Changes() - server_.State().hidden;
      const std::size_t handled = Handled();
      worst_backlog_ = std::max(worst_backlog_, shown - std::min(shown, handled));
    }
    const double playing = Seconds(began);
    if (!Eventually([this] { return Handled() >= Changes(); }, std::chrono::minutes(10))) {
      throw std::runtime_error("the exporter does not take all that was written");
    }
    std::printf("%zu changes written in %.1f s, %.0f per second; counted %.1f s later\n", Changes(), playing,
                static_cast<double>(Changes()) / playing, Seconds(began) - playing);
    std::printf("lag at most %zu changes, %.2f s\n", worst_backlog_,
                static_cast<double>(worst_backlog_) / static_cast<double>(options_.rate));
    PrintNeeds("storm", Seconds(began));
  }

  Snapshot Look() {
    Snapshot snapshot;
    snapshot.scrape = exporter_->Read().value();
    snapshot.truth = server_.TruthSince(server_.State().first_list_revision).value();
    return snapshot;
  }

  bool Report(const Snapshot& before, const Snapshot& after) {
    const Verdict verdict = Judge(before, after);
    for (const std::string& fault : verdict.faults) std::printf("wrong: %s\n", fault.c_str());
    std::printf("%.0f live Events, %.0f traces of deleted ones, %.0f series\n", Own("cached_events"), Own("tombstones"),
                Own("series"));
    const double undecodable = Own("decode_errors_total");
    const double overflow = Own("series_overflow_total");
    std::printf("dropped: %lld occurrences lost, %lld gaps, %.0f undecodable, %.0f in the overflow series\n",
                static_cast<long long>(verdict.lost), static_cast<long long>(after.scrape.gaps), undecodable, overflow);
    // The tape is seen later than it was written, which makes first rises of what was there before uncertain.
    std::printf("%lld occurrences, %lld of them counted as uncertain, %lld more uncertain and not counted\n",
                static_cast<long long>(verdict.occurrences),
                static_cast<long long>(after.scrape.counted - before.scrape.counted),
                static_cast<long long>(after.scrape.not_counted - before.scrape.not_counted));
    const bool right = verdict.faults.empty() && verdict.lost == 0 && after.scrape.gaps == 0;
    std::printf("%s\n", right ? "every count is right within what is said to be uncertain" : "NOT RIGHT");
    return right;
  }

  const StormOptions options_;
  sim::SimServer server_;
  std::optional<ExporterProcess> exporter_;
  std::size_t worst_backlog_ = 0;
};

}  // namespace
}  // namespace kube_events::chaos

int main(int argc, char** argv) {
  kube_events::chaos::StormOptions options;
  options.log = (std::filesystem::temp_directory_path() / ("storm-" + std::to_string(::getpid()) + ".log")).string();
  CLI::App app("Floods an exporter with Events of a simulated API server, and measures.");
  app.add_option("--exporter", options.exporter, "The program")->required();
  app.add_option("--objects", options.objects, "Live Events")->capture_default_str();
  app.add_option("--rate", options.rate, "Changes per second")->capture_default_str();
  app.add_option("--seconds", options.seconds, "How long")->capture_default_str();
  app.add_option("--chunk-bytes", options.chunk_bytes, "Size of chunks; 0: one change each")->capture_default_str();
  app.add_option("--seed", options.seed, "Of the simulated cluster")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const bool right = kube_events::chaos::Storm(options).Run();
    if (right) std::filesystem::remove(options.log);
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "storm: %s; the exporter's log: %s\n", error.what(), options.log.c_str());
    return 2;
  }
}
