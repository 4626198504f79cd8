// forward_outage: a receiver that is down while a cluster makes as many changes as in an hour, and then is back. Beside
// the exporter that forwards runs one that does not: both count exactly and are healthy all the time, and what the
// first needs more is bounded. In the end everything has arrived, or what was dropped is counted and told as a gap.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "chaos/exporter_process.h"
#include "chaos/http_receiver.h"
#include "chaos/marker.h"
#include "chaos/receipts.h"
#include "chaos/trial.h"
#include "chaos/verdict.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/metrics_page.h"
#include "support/sanitizers.h"

namespace kube_events::chaos {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct OutageOptions {
  std::string exporter;
  std::string folder;
  std::size_t changes = 360'000;
  double rate = 20'000;
  std::size_t history = 0;  // that the API server keeps; 0: all
  std::string overflow = "pause";
  std::size_t spool_mib = 0;  // 0: none
  std::uint64_t seed = 7;
};

constexpr std::size_t kObjects = 2'000;
constexpr std::chrono::minutes kPatience{10};
// docs/forwarding.md: the queue, a batch in three shapes, a second Informer, and what the allocator keeps of them.
constexpr long kMostMiB = 96;

class Outage {
 public:
  explicit Outage(OutageOptions options)
      : options_(std::move(options)),
        server_(
            {.history = options_.history > 0 ? options_.history : options_.changes + 100'000, .seed = options_.seed}) {
    server_.PrepareLoad(Load());
    receiver_.SetMode(ReceiverMode::kDown);
  }

  // Whether all is as it must be.
  bool Run() {
    plain_.emplace(options_.exporter, Arguments(false), options_.folder + "/plain.log");
    forwarding_.emplace(options_.exporter, Arguments(true), options_.folder + "/forwarding.log");
    const auto healthy = [this] { return plain_->Health() == 200 && forwarding_->Health() == 200; };
    Check(Eventually(healthy, 60s), "both exporters become healthy");
    if (failures_ > 0) return false;
    baseline_ = server_.State().first_list_revision;
    const Snapshot plain_before = Look(*plain_);
    const Snapshot forwarding_before = Look(*forwarding_);
    PassOutage();
    JudgeCounts("without forwarding", plain_before, Look(*plain_));
    JudgeCounts("with forwarding", forwarding_before, Look(*forwarding_));
    Recover();
    JudgeDelivery();
    JudgeMemory();
    Check(unhealthy_ == 0, "/healthz is 200 all the time");
    return failures_ == 0;
  }

 private:
  sim::LoadOptions Load() const {
    sim::LoadOptions load;
    load.seed = options_.seed;
    load.objects = kObjects;
    load.rate = options_.rate;
    load.limit = options_.changes;
    return load;
  }

  std::vector<std::string> Arguments(bool forwards) const {
    std::vector<std::string> arguments{"--apiserver", server_.Url(), "--host", "127.0.0.1", "--port", "0"};
    if (!forwards) return arguments;
    for (const std::string& more : {std::string("--forward"), receiver_.Url() + "/events?name=http&header=X-Process:1",
                                    std::string("--forward-overflow"), options_.overflow}) {
      arguments.push_back(more);
    }
    if (options_.spool_mib == 0) return arguments;
    for (const std::string& more :
         {std::string("--forward-spool"), options_.folder + "/spool", std::string("--forward-spool-max-bytes"),
          std::to_string(options_.spool_mib << 20)}) {
      arguments.push_back(more);
    }
    return arguments;
  }

  // One look at what has to hold all the time, and at what grows.
  void Watch() {
    if (forwarding_->Health() != 200) ++unhealthy_;
    const std::string page = forwarding_->Page();
    most_queued_ = std::max(most_queued_, Own(page, "forward_queue_records{sink=\"http\"}"));
    most_spooled_ = std::max(most_spooled_, Own(page, "forward_spool_bytes{sink=\"http\"}"));
  }

  static double Own(const std::string& page, const std::string& name) {
    return ReadSample(page, "kube_events_exporter_" + name).value_or(0);
  }

  void PassOutage() {
    const auto began = steady_clock::now();
    server_.StartLoad(Load());
    while (server_.State().load_running) {
      Watch();
      if (!options_.history) continue;
      RememberHistory();
    }
    Check(RememberHistory(), "the history is known");
    for (const auto* exporter : {&*plain_, &*forwarding_}) {
      Check(Settle(server_, *exporter, ++markers_), "all is counted");
    }
    Watch();
    Print("after the outage", began);
  }

  // Often enough that nothing of it is compacted away before.
  bool RememberHistory() {
    auto changes = server_.ChangesSince(history_.empty() ? baseline_ : history_.back().revision);
    if (!changes) return false;
    std::move(changes->begin(), changes->end(), std::back_inserter(history_));
    return true;
  }

  void Recover() {
    const auto began = steady_clock::now();
    receiver_.SetMode(ReceiverMode::kGood);
    const auto last = server_.Create(MakeMarker(++markers_, SystemClock().Wall())).value().metadata;
    const bool arrived = Eventually(
        [&] {
          Watch();
          Receive();
          return receipts_.Has(last.uid, last.resource_version);
        },
        kPatience);
    Print("after the recovery", began);
    Check(arrived, "the newest Event arrives in the end");
    Check(RememberHistory(), "the history is known");
    // A list comes in the order of names, so the newest Event need not be the last.
    Eventually(
        [this] {
          Receive();
          return receipts_.Compare(history_, Drops()).outside == 0;
        },
        60s);
  }

  bool Drops() const { return options_.overflow == "drop-oldest"; }

  void Receive() {
    for (const Received& record : receiver_.Take()) receipts_.Take(record);
  }

  void JudgeDelivery() {
    const Receipts::Missing missing = receipts_.Compare(history_, Drops());
    const std::size_t twice = receipts_.again() + receipts_.again_from_one_process();
    const double dropped = Own(forwarding_->Page(), "forward_dropped_total{reason=\"overflow\",sink=\"http\"}");
    std::printf(
        "%zu changes, %zu states arrived, %zu came again, %zu missing within %zu gaps, %zu otherwise; %.0f "
        "records dropped\n",
        history_.size(), receipts_.events(), twice, missing.within_gaps, receipts_.gaps(), missing.outside, dropped);
    for (const std::string& example : missing.examples) std::printf("  missing: %s\n", example.c_str());
    for (const std::string& fault : receipts_.faults()) std::printf("  %s\n", fault.c_str());
    Check(missing.outside == 0, "nothing is missing outside of a gap that was told");
    Check(receipts_.faults().empty() && receiver_.Faults().empty(), "all records are in order");
    Check(twice == 0, "nothing comes twice");
    if (Drops()) {
      Check(static_cast<double>(missing.within_gaps) <= dropped, "what is dropped is counted");
      Check(dropped == 0 || receipts_.gaps_with("overflow") > 0, "what is dropped is told as a gap");
    } else {
      Check(dropped == 0, "nothing is dropped");
      // A sink that pauses misses what came and went while its position expired.
      Check(options_.history > 0 || receipts_.gaps() == 0, "there is no gap");
    }
  }

  Snapshot Look(const ExporterProcess& exporter) {
    auto scrape = exporter.Read();
    auto truth = server_.TruthSince(baseline_);
    if (!scrape || !truth) throw std::runtime_error("truth and counts cannot be read");
    RemoveMarkers(*scrape);
    return {std::move(*scrape), std::move(*truth)};
  }

  void JudgeCounts(const char* who, const Snapshot& before, const Snapshot& after) {
    const Verdict verdict = Judge(before, after);
    for (const std::string& fault : verdict.faults) std::printf("  %s\n", fault.c_str());
    std::printf("%s: %lld occurrences, %s\n", who, static_cast<long long>(verdict.occurrences),
                verdict.exact ? "counted exactly" : "counted within bounds");
    Check(verdict.faults.empty() && after.scrape.gaps == 0, std::string(who) + ": the counts");
  }

  void Print(const char* when, steady_clock::time_point began) const {
    std::printf(
        "%s, %.1f s: resident %ld MiB without forwarding, %ld MiB with; at most %ld and %ld MiB; CPU %.1f and "
        "%.1f s; at most %.0f records in memory, %.1f MiB in the spool\n",
        when, std::chrono::duration<double>(steady_clock::now() - began).count(), plain_->Memory("VmRSS"),
        forwarding_->Memory("VmRSS"), plain_->Memory("VmHWM"), forwarding_->Memory("VmHWM"), plain_->CpuSeconds(),
        forwarding_->CpuSeconds(), most_queued_, most_spooled_ / (1 << 20));
    std::fflush(stdout);
  }

  void JudgeMemory() {
    const long more = forwarding_->Memory("VmHWM") - plain_->Memory("VmHWM");
    std::printf("forwarding needs %ld MiB more at most\n", more);
    Check(kUnderSanitizer || more <= kMostMiB, "memory is bounded: " + std::to_string(kMostMiB) + " MiB");
  }

  void Check(bool good, const std::string& what) {
    if (!chaos::Check(good, what)) ++failures_;
  }

  const OutageOptions options_;
  sim::SimServer server_;
  HttpReceiver receiver_;
  Receipts receipts_;
  std::optional<ExporterProcess> plain_;
  std::optional<ExporterProcess> forwarding_;
  std::vector<sim::SimChange> history_;
  std::uint64_t baseline_ = 0;
  int markers_ = 0;
  int unhealthy_ = 0;
  int failures_ = 0;
  double most_queued_ = 0;
  double most_spooled_ = 0;
};

}  // namespace
}  // namespace kube_events::chaos

int main(int argc, char** argv) {
  kube_events::chaos::OutageOptions options;
  CLI::App app("Takes the receiver of an exporter that forwards away for an hour's load, and looks what that costs.");
  app.add_option("--exporter", options.exporter, "The program")->required();
  app.add_option("--changes", options.changes, "While the receiver is down")->capture_default_str();
  app.add_option("--rate", options.rate, "Of them per second")->capture_default_str();
  app.add_option("--history", options.history, "Changes that the API server keeps; 0: all")->capture_default_str();
  app.add_option("--overflow", options.overflow, "--forward-overflow")
      ->check(CLI::IsMember({"pause", "drop-oldest"}))
      ->capture_default_str();
  app.add_option("--spool-mib", options.spool_mib, "--forward-spool-max-bytes; 0: no spool")->capture_default_str();
  app.add_option("--seed", options.seed, "Of the simulated cluster")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return kube_events::chaos::RunTrial("forward-outage", options.seed, [&options](const std::string& folder) {
    options.folder = folder;
    return kube_events::chaos::Outage(options).Run();
  });
}
