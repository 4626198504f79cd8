// forward_kills: an exporter that forwards to a receiver and to a file, ended again and again at random moments under
// load, while the receiver is down, silent, slow or refuses, and while the API server compacts its history. At the end
// everything is delivered, and what arrived is compared with what was written: nothing is missing outside of a gap that
// was told, first arrivals are in order, and what came twice was not in the last checkpoint before a kill.
#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <thread>

#include "chaos/delivery_verdict.h"
#include "chaos/http_receiver.h"
#include "chaos/json_lines.h"
#include "chaos/marker.h"
#include "chaos/succession.h"
#include "chaos/trial.h"
#include "support/eventually.h"

namespace kube_events::chaos {
namespace {

using namespace std::chrono_literals;

struct ForwardKillOptions {
  std::string exporter;
  std::string folder;
  bool spool = false;
  int kills = 20;
  int restarts = 0;  // instead of kills, each by SIGTERM
  std::uint64_t seed = 0;
};

constexpr std::size_t kBatch = 200;

// Where the exporter was when it ended: the checkpoint that it left.
struct Positions {
  std::uint64_t counted = 0;
  std::uint64_t http = 0;
  std::uint64_t file = 0;
};

class ForwardKillRun {
 public:
  explicit ForwardKillRun(ForwardKillOptions options)
      : options_(std::move(options)),
        random_(options_.seed),
        server_({.seed = options_.seed}),
        file_(options_.folder + "/events.json"),
        http_receipts_(options_.spool, kBatch),
        file_receipts_(options_.spool, kBatch) {
    server_.PrepareLoad(SteadyLoad(options_.seed));
  }

  // Whether all is as it must be.
  bool Run() {
    Start();
    const bool began = Eventually([this] { return ReadPositions().has_value(); }, kSettling);
    if (!Check(began, "a first checkpoint with positions of both sinks is written")) return false;
    seen_ = server_.State().first_list_revision;
    while (Ends() < (options_.restarts > 0 ? options_.restarts : options_.kills)) {
      if (!PassRound()) return false;
    }
    return Drain() && Judge();
  }

 private:
  static constexpr std::chrono::seconds kSettling{60};
  // Of a sink that has been down: its backoff, and a relist's.
  static constexpr std::chrono::seconds kDraining{180};
  // SIGTERM to the end: docs/operations.md.
  static constexpr std::chrono::milliseconds kStopping{2'000 + 2'000 + 2'000};

  int Ends() const { return options_.restarts > 0 ? terms_ : kills_; }

  void Start() {
    ++process_;
    const std::string options = "?batch-wait=50ms&timeout=5s&batch-records=" + std::to_string(kBatch);
    // A short queue is full at times, so that a sink pauses and catches up.
    const std::string http =
        "&name=http&queue-records=" + std::to_string(random_() % 2 == 0 ? 10'000 : 300) + "&header=X-Process:";
    std::vector<std::string> arguments{
        "--apiserver",
        server_.Url(),
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--list-page-size",
        "100",
        "--checkpoint",
        "file:" + options_.folder + "/checkpoint.json",
        "--checkpoint-interval",
        "1s",
        "--shutdown-timeout",
        "2s",
        "--forward",
        receiver_.Url() + "/events" + options + http + std::to_string(process_),
        "--forward",
        "file://" + options_.folder + "/events.json" + options + "&name=file&max-bytes=2Mi&max-files=1000"};
    if (options_.spool) {
      arguments.emplace_back("--forward-spool");
      arguments.emplace_back(options_.folder + "/spool");
    }
    exporter_.reset();
    exporter_ = std::make_unique<ExporterProcess>(options_.exporter, std::move(arguments),
                                                  options_.folder + "/exporter-" + std::to_string(process_) + ".log");
  }

  // Nothing where there is no checkpoint, or one without a position of each sink.
  std::optional<Positions> ReadPositions() const {
    std::ifstream file(options_.folder + "/checkpoint.json");
    const auto checkpoint = nlohmann::json::parse(file, nullptr, false);
    if (!checkpoint.is_object()) return std::nullopt;
    const auto& scope = checkpoint.at("scopes").at(0);
    if (!scope.contains("sinks") || scope["sinks"].size() != 2) return std::nullopt;
    const auto of_sink = [&](const char* sink) {
      return std::stoull(scope["sinks"].at(sink).at("version").get<std::string>());
    };
    return Positions{std::stoull(scope.at("positions").at("counted").get<std::string>()), of_sink("http"),
                     of_sink("file")};
  }

  void Sleep(int most_ms) {  // the pace of the world, not a wait for anything
    std::this_thread::sleep_for(std::chrono::milliseconds(random_() % static_cast<unsigned>(most_ms)));
  }

  void ChangeReceiver() {
    static constexpr std::array<ReceiverMode, 8> kModes{
        ReceiverMode::kGood, ReceiverMode::kGood, ReceiverMode::kGood,   ReceiverMode::kGood,
        ReceiverMode::kDown, ReceiverMode::kSlow, ReceiverMode::kSilent, ReceiverMode::kRefusing};
    mode_ = kModes.at(random_() % kModes.size());
    receiver_.SetMode(mode_);
    ++modes_[mode_];
  }

  // All that was written and may be compacted away soon.
  bool RememberHistory() {
    auto changes = server_.ChangesSince(seen_);
    if (!Check(changes.has_value(), "the history is there")) return false;
    if (!changes->empty()) seen_ = changes->back().revision;
    std::move(changes->begin(), changes->end(), std::back_inserter(history_));
    return true;
  }

  // At times, and only what is remembered. Not where nothing may come twice: a list that a compaction makes necessary
  // begins anew where it breaks off, or where the queue gets full meanwhile.
  bool Compact() {
    if (!RememberHistory() || options_.restarts > 0 || random_() % 4 != 0) return false;
    server_.Compact(seen_);
    ++compactions_;
    return true;
  }

  bool PassRound() {
    server_.StartLoad(SteadyLoad(options_.seed));
    Sleep(1'200);
    ChangeReceiver();
    const bool compacted_running = Compact();
    Sleep(1'300);
    const bool killed = options_.restarts == 0 && random_() % 4 != 0;
    std::string done = std::string(killed ? "SIGKILL" : "SIGTERM") + ", receiver " + ToString(mode_) +
                       (compacted_running ? ", compacted" : "");
    if (!End(killed)) return false;
    const auto positions = ReadPositions();
    if (!Check(positions.has_value(), "a checkpoint is there after the end")) return false;
    CloseProcess(killed, *positions);
    Sleep(1'000);
    const bool compacted_down = Compact();
    ChangeReceiver();
    Start();
    Sleep(1'000);
    server_.StopLoad();
    done += std::string(", then ") + (compacted_down ? "compacted, " : "") + "receiver " + ToString(mode_);
    if (!Check(Settle(server_, *exporter_, ++markers_), "the next process catches up")) return false;
    return CompareCounts(positions->counted, done);
  }

  bool End(bool killed) {
    if (!Check(exporter_->Running(), "the exporter has not ended by itself")) return false;
    ++(killed ? kills_ : terms_);
    if (!killed) return Check(exporter_->Stop(kStopping) == 0, "SIGTERM ends the exporter with 0 in time");
    exporter_->Signal(SIGKILL);
    exporter_->AwaitEnd(5'000ms);
    return true;
  }

  void CloseProcess(bool killed, const Positions& positions) {
    TakeRecords();
    counts_.ProcessEnded(!killed);
    const std::uint64_t newest = server_.State().revision;
    const bool listing = compactions_ > 0;  // since then a list may be under way, over several processes too
    http_receipts_.ProcessEnded({killed, positions.http, newest, listing});
    file_receipts_.ProcessEnded({killed, positions.file, newest, listing});
  }

  void TakeRecords() {
    for (const Received& record : receiver_.Take()) http_receipts_.Take(record);
    for (const Received& record : file_.Take(process_)) file_receipts_.Take(record);
  }

  bool CompareCounts(std::uint64_t position, const std::string& done) {
    const auto truth = server_.TruthSince(position);
    auto scrape = exporter_->Read();
    if (!Check(truth && scrape, "truth and counts can be read")) return false;
    RemoveMarkers(*scrape);
    const Verdict verdict = counts_.JudgeProcess(*scrape, *truth);
    for (const std::string& fault : verdict.faults) std::cout << "  " << fault << '\n';
    exact_ += verdict.exact ? 1 : 0;
    std::cout << "round " << kills_ + terms_ << ": " << done << ": " << verdict.occurrences << " occurrences, "
              << (verdict.exact ? "exact" : "within bounds") << std::endl;
    return Check(verdict.faults.empty(), "the counts of round " + std::to_string(kills_ + terms_));
  }

  // As soon as an Event that is written now has come to both, what a watch brings has come too.
  bool Drain() {
    receiver_.SetMode(ReceiverMode::kGood);
    const auto last = server_.Create(MakeMarker(++markers_, SystemClock().Wall())).value().metadata;
    const bool drained = Eventually(
        [&] {
          TakeRecords();
          return http_receipts_.Has(last.uid, last.resource_version) &&
                 file_receipts_.Has(last.uid, last.resource_version);
        },
        kDraining);
    if (!Check(drained && RememberHistory(), "the newest Event is delivered in the end")) return false;
    // A list comes in the order of names, so the newest Event need not be the last. Judge tells what does not come.
    Eventually(
        [this] {
          TakeRecords();
          return http_receipts_.Compare(history_).outside == 0 && file_receipts_.Compare(history_).outside == 0;
        },
        kSettling);
    if (!Check(exporter_->Stop(kStopping) == 0, "SIGTERM ends the exporter with 0 in time")) return false;
    TakeRecords();
    return RememberHistory();
  }

  bool Judge() {
    std::cout << kills_ << " times SIGKILL, " << terms_ << " times SIGTERM, " << compactions_ << " compactions";
    for (const auto& [mode, times] : modes_) std::cout << ", " << times << " times receiver " << ToString(mode);
    std::cout << "; " << exact_ << " of " << kills_ + terms_ << " rounds counted exactly\n"
              << history_.size() << " changes, " << file_.files() << " files, " << file_.torn() << " torn lines\n";
    const bool lines = Check(file_.torn() <= static_cast<std::size_t>(kills_), "at most one torn line for each kill");
    const auto faults = receiver_.Faults();
    const bool batches = Check(faults.empty(), "every request is a batch of records");
    for (const std::string& fault : faults) std::cout << "  " << fault << '\n';
    const Disturbed disturbed{kills_, terms_, compactions_, kBatch};
    const bool http = JudgeDelivery("http", http_receipts_, history_, disturbed);
    const bool file = JudgeDelivery("file", file_receipts_, history_, disturbed);
    return lines && batches && http && file;
  }

  const ForwardKillOptions options_;
  std::mt19937_64 random_;
  sim::SimServer server_;
  HttpReceiver receiver_;
  JsonLines file_;
  Receipts http_receipts_;
  Receipts file_receipts_;
  Succession counts_;
  std::unique_ptr<ExporterProcess> exporter_;
  std::vector<sim::SimChange> history_;  // since the first list
  std::uint64_t seen_ = 0;               // the newest of it
  ReceiverMode mode_ = ReceiverMode::kGood;
  std::map<ReceiverMode, int> modes_;
  int process_ = 0;
  int kills_ = 0;
  int terms_ = 0;
  int compactions_ = 0;
  int markers_ = 0;
  int exact_ = 0;
};

}  // namespace
}  // namespace kube_events::chaos

int main(int argc, char** argv) {
  kube_events::chaos::ForwardKillOptions options;
  options.seed = std::random_device{}();
  CLI::App app(
      "Ends an exporter that forwards at random moments under load, and compares what arrived with the truth.");
  app.add_option("--exporter", options.exporter, "The program")->required();
  app.add_option("--kills", options.kills, "How often by SIGKILL; SIGTERM comes in between")
      ->check(CLI::PositiveNumber);
  app.add_option("--restarts", options.restarts, "No kills; so often by SIGTERM")->check(CLI::PositiveNumber);
  app.add_flag("--spool", options.spool, "With --forward-spool");
  app.add_option("--seed", options.seed, "Of everything that is random");
  CLI11_PARSE(app, argc, argv);
  return kube_events::chaos::RunTrial("forward-kills", options.seed, [&options](const std::string& folder) {
    options.folder = folder;
    return kube_events::chaos::ForwardKillRun(options).Run();
  });
}
