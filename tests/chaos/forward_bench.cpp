// forward_bench: how fast the exporter hands on to a receiver that acknowledges at once, and what that adds to the
// processor time of counting. For each sink an exporter and, in turn with it, one without any get the same stream from
// a simulated API server of their own. docs/performance.md tells what the figures mean.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "chaos/exporter_process.h"
#include "chaos/fast_receiver.h"
#include "chaos/verdict.h"
#include "kube/temp_dir.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/metrics_page.h"

namespace kube_events::chaos {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct BenchOptions {
  std::string exporter;
  std::string only;
  std::size_t changes = 300'000;
  int trials = 3;
  std::uint64_t seed = 7;
};

struct Case {
  std::string name;  // empty: without forwarding
  std::optional<ReceiverProtocol> protocol = std::nullopt;
  std::string options = {};  // of the sink
};

// So that all of a stream that comes at once is taken once, however slowly it is delivered.
constexpr const char* kLongQueue = "&queue-records=1000000&queue-bytes=4Gi";
constexpr double kTarget = 50'000;  // Events per second
constexpr std::size_t kChunkBytes = 65'536;
constexpr std::chrono::minutes kPatience{5};

std::vector<Case> Cases() {
  return {{"http, raw", ReceiverProtocol::kHttp, kLongQueue},
          {"http, flat", ReceiverProtocol::kHttp, std::string("&format=flat") + kLongQueue},
          {"http, gzip", ReceiverProtocol::kHttp, std::string("&gzip=true") + kLongQueue},
          {"http, raw, default queue", ReceiverProtocol::kHttp},
          {"forward protocol, raw", ReceiverProtocol::kForward, kLongQueue},
          {"forward protocol, flat", ReceiverProtocol::kForward, std::string("&format=flat") + kLongQueue},
          {"forward protocol, raw, default queue", ReceiverProtocol::kForward},
          {"file, raw", std::nullopt, std::string("&max-bytes=0") + kLongQueue}};
}

struct Figures {
  double cpu_per_event = 0;  // seconds
  double events_per_second = 0;
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// One exporter beside a simulated API server of its own.
class Trial {
 public:
  Trial(const BenchOptions& options, const Case& what)
      : options_(options),
        what_(what),
        server_({.history = options.changes + 10'000, .chunk_bytes = kChunkBytes, .seed = options.seed}) {
    if (what.protocol) receiver_.emplace(*what.protocol);
  }

  // Throws std::runtime_error where something does not arrive, or a count is wrong.
  Figures Run() {
    sim::LoadOptions load;
    load.seed = options_.seed;
    server_.PrepareLoad(load);
    Require(server_.RecordTape(options_.changes), "the history can hold the tape");
    exporter_.emplace(options_.exporter, Arguments(), (dir_.path() / "exporter.log").string());
    Require(Eventually([this] { return exporter_->Health() == 200; }, 60s), "the exporter becomes healthy");
    const std::uint64_t baseline = server_.State().first_list_revision;
    const double cpu_before = CpuAtRest();
    const auto began = steady_clock::now();
    server_.PlayTape(0);
    Await([this] { return Handled() >= Changes(); }, "all is counted");
    auto ended = steady_clock::now();
    double events = Changes();
    if (!what_.name.empty()) {
      events = Records(baseline);
      Await([&] { return Own("forward_records_total{result=\"sent\",sink=\"bench\"}") >= events; }, "all is delivered");
      ended = receiver_ ? receiver_->last() : steady_clock::now();
    }
    const double cpu = CpuAtRest() - cpu_before;
    JudgeCounts(baseline);
    return {cpu / Changes(), events / std::chrono::duration<double>(ended - began).count()};
  }

 private:
  double Changes() const { return static_cast<double>(options_.changes); }

  // What of the tape is handed on.
  double Records(std::uint64_t baseline) {
    const auto changes = server_.ChangesSince(baseline);
    Require(changes.has_value(), "the history is there");
    return static_cast<double>(
        std::count_if(changes->begin(), changes->end(), [](const sim::SimChange& change) { return !change.deleted; }));
  }

  std::vector<std::string> Arguments() const {
    std::vector<std::string> arguments{"--apiserver", server_.Url(), "--host", "127.0.0.1", "--port", "0"};
    if (what_.name.empty()) return arguments;
    std::string url = "file://" + (dir_.path() / "events.json").string();
    if (what_.protocol == ReceiverProtocol::kHttp) url = "http://127.0.0.1:" + Port() + "/events";
    if (what_.protocol == ReceiverProtocol::kForward) url = "forward://127.0.0.1:" + Port();
    arguments.emplace_back("--forward");
    arguments.emplace_back(url + "?name=bench" + what_.options);
    return arguments;
  }
  std::string Port() const { return std::to_string(receiver_->port()); }

  double Own(const std::string& name) const {
    return ReadSample(exporter_->Page(), "kube_events_exporter_" + name).value_or(0);
  }
  double Handled() const {
    double sum = 0;
    const std::string page = exporter_->Page();
    for (const char* type : {"ADDED", "MODIFIED", "DELETED"}) {
      sum +=
          ReadSample(page, std::string("kube_events_exporter_watch_events_total{type=\"") + type + "\"}").value_or(0);
    }
    return sum;
  }

  // Asks seldom, since answering costs the exporter what is measured here.
  template <typename Condition>
  static void Await(Condition condition, const char* what) {
    const auto deadline = steady_clock::now() + kPatience;
    while (!condition()) {
      Require(steady_clock::now() < deadline, what);
      std::this_thread::sleep_for(100ms);
    }
  }

  // As soon as it uses hardly any.
  double CpuAtRest() const {
    double last = exporter_->CpuSeconds();
    while (true) {
      std::this_thread::sleep_for(400ms);  // a window, not a wait
      const double now = exporter_->CpuSeconds();
      if (now - last <= 0.008) return last;
      last = now;
    }
  }

  void JudgeCounts(std::uint64_t baseline) {
    auto scrape = exporter_->Read();
    auto truth = server_.TruthSince(baseline);
    Require(scrape && truth, "truth and counts can be read");
    const Verdict verdict = Judge({}, {std::move(*scrape), std::move(*truth)});
    if (!verdict.faults.empty()) throw std::runtime_error(verdict.faults.front());
  }

  static void Require(bool good, const char* what) {
    if (!good) throw std::runtime_error(std::string("not so: ") + what);
  }

  const BenchOptions& options_;
  const Case& what_;
  const TempDir dir_;
  sim::SimServer server_;
  std::optional<FastReceiver> receiver_;
  std::optional<ExporterProcess> exporter_;
};

// Medians of trials that take turns.
void Measure(const BenchOptions& options, const Case& what) {
  const Case plain;
  std::vector<double> cpu_plain;
  std::vector<double> cpu;
  std::vector<double> speed;
  for (int i = 0; i < options.trials; ++i) {
    cpu_plain.push_back(Trial(options, plain).Run().cpu_per_event);
    const Figures figures = Trial(options, what).Run();
    cpu.push_back(figures.cpu_per_event);
    speed.push_back(figures.events_per_second);
    std::fprintf(stderr, "trial %d: %s: %.2f and %.2f us, %.0f per second\n", i + 1, what.name.c_str(),
                 cpu_plain.back() * 1e6, cpu.back() * 1e6, speed.back());
  }
  const double without = Median(cpu_plain) * 1e6;
  const double with = Median(cpu) * 1e6;
  const double rate = Median(speed);
  std::printf("%-38s %9.0f/s  %-11s %6.2f us  %6.2f us  x %.2f  +%.2f us\n", what.name.c_str(), rate,
              what.protocol ? (rate >= kTarget ? "reached" : "not reached") : "-", without, with, with / without,
              with - without);
  std::fflush(stdout);
}

}  // namespace
}  // namespace kube_events::chaos

int main(int argc, char** argv) {
  kube_events::chaos::BenchOptions options;
  bool quick = false;
  CLI::App app("Measures what an exporter that forwards delivers, and what it needs more than one that does not.");
  app.add_option("--exporter", options.exporter, "The program")->required();
  app.add_option("--only", options.only, "Only cases whose name matches this expression");
  app.add_option("--changes", options.changes, "Of the stream")->capture_default_str();
  app.add_option("--trials", options.trials, "Of each case")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--seed", options.seed, "Of the simulated cluster")->capture_default_str();
  app.add_flag("--quick", quick, "A shorter stream, one trial each");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    options.changes = 50'000;
    options.trials = 1;
  }
  try {
    const std::regex wanted(options.only);
    bool any = false;
    for (const auto& what : kube_events::chaos::Cases()) {
      if (!std::regex_search("forwarding, " + what.name, wanted)) continue;
      if (!std::exchange(any, true)) {
        std::printf(
            "forwarding: seed %llu, %zu changes at once, medians of %d trials; CPU per counted change without "
            "and with\n%-38s %11s  %-11s\n",
            static_cast<unsigned long long>(options.seed), options.changes, options.trials, "sink", "delivered",
            "50 000/s");
      }
      kube_events::chaos::Measure(options, what);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "forward_bench: %s\n", error.what());
    return 1;
  }
}
