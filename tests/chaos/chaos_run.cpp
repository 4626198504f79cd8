#include "chaos/chaos_run.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>
#include <utility>

#include "chaos/marker.h"
#include "support/eventually.h"

namespace kube_events::chaos {
namespace {

using namespace std::chrono_literals;

// A disturbance may cost a backoff of 30 s, and a silent watch its whole interval.
constexpr std::chrono::seconds kSettling{90};
constexpr std::chrono::milliseconds kStopping{2'000};

void WriteFile(const std::string& path, const std::string& text) {
  // Renamed into place: the exporter must never see half of it.
  std::ofstream(path + ".new") << text;
  std::filesystem::rename(path + ".new", path);
}

sim::SimServerOptions ServerOptions(const TestAuthority& authority, const std::string& token, std::uint64_t seed) {
  const TestCertificate certificate = authority.Issue();
  sim::SimServerOptions options;
  options.tls = sim::SimTls{certificate.cert_pem, certificate.key_pem};
  options.tokens = {{token, "exporter"}};
  options.seed = seed;
  return options;
}

}  // namespace

ChaosRun::ChaosRun(ChaosOptions options) : options_(std::move(options)), random_(options_.seed), token_("token-0") {
  server_ = std::make_unique<sim::SimServer>(ServerOptions(authority_, token_, options_.seed));
  server_->PrepareLoad(FirstLoad());
  WriteAccess();
  exporter_ = std::make_unique<ExporterProcess>(
      options_.exporter,
      std::vector<std::string>{"--kubeconfig", options_.folder + "/config", "--host", "127.0.0.1", "--port", "0",
                               "--watch-interval", "3s", "--list-page-size", "40"},
      options_.folder + "/exporter.log");
}

ChaosRun::~ChaosRun() = default;

sim::LoadOptions ChaosRun::FirstLoad() const {
  sim::LoadOptions load;
  load.seed = options_.seed;
  load.objects = 500;
  return load;
}

void ChaosRun::WriteAccess() {
  WriteFile(options_.folder + "/ca.crt", authority_.cert_pem());
  WriteFile(options_.folder + "/token", token_);
  WriteFile(options_.folder + "/config",
            "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
            "clusters: [{name: k, cluster: {server: \"" +
                server_->Url() +
                "\", certificate-authority: ca.crt}}]\nusers: [{name: u, user: "
                "{tokenFile: token}}]\n");
}

void ChaosRun::RotateToken() {
  token_ = "token-" + std::to_string(random_());
  server_->SetTokens({{token_, "exporter"}});
  server_->CloseConnections();
  WriteFile(options_.folder + "/token", token_);
}

void ChaosRun::Suspend() {
  exporter_->Signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 900));
  exporter_->Signal(SIGCONT);
}

ChaosReport ChaosRun::Run() {
  Check(Eventually([this] { return exporter_->Health() == 200; }, kSettling), "the exporter becomes healthy");
  if (report_.failed > 0) return report_;
  baseline_ = server_->State().first_list_revision;
  disturbances_ = std::make_unique<Disturbances>(
      World{*server_, baseline_, [this] { RotateToken(); },
            [this] { Check(Settle(*server_, *exporter_, ++markers_), "the exporter catches up before a restore"); },
            [this] { Suspend(); }},
      FirstLoad(), random_());
  last_ = Look();
  const auto end = std::chrono::steady_clock::now() + options_.duration;
  for (int number = 1; report_.failed == 0 && std::chrono::steady_clock::now() < end; ++number) PassRound(number);
  const auto code = exporter_->Stop(kStopping);
  Check(code == 0, "SIGTERM ends the exporter with 0 within 2 s");
  return report_;
}

void ChaosRun::PassRound(int number) {
  server_->StartLoad(disturbances_->DrawLoad());
  std::string done;
  for (std::size_t left = 1 + random_() % 6; left > 0 && report_.failed == 0; --left) {
    // The pace of the world, not a wait for anything.
    std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 600));
    done += (done.empty() ? "" : ", ") + disturbances_->DisturbOnce();
    CheckAlive();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 600));
  server_->StopLoad();
  disturbances_->Calm();
  Check(Settle(*server_, *exporter_, ++markers_), "the exporter is healthy again after: " + done);
  if (report_.failed > 0) return;
  const Snapshot now = Look();
  const Verdict verdict = Judge(last_, now);
  Check(verdict.faults.empty(), "the counts of round " + std::to_string(number) + " after: " + done);
  for (const std::string& fault : verdict.faults) std::cout << "  " << fault << '\n';
  report_.exact += verdict.exact ? 1 : 0;
  report_.occurrences += verdict.occurrences;
  report_.lost += verdict.lost;
  if (options_.verbose) {
    std::cout << "round " << number << ": " << verdict.occurrences << " occurrences, "
              << (verdict.exact ? "exact" : "within bounds") << ", " << verdict.lost << " lost in gaps; " << done
              << std::endl;
  }
  last_ = now;
}

void ChaosRun::Check(bool good, const std::string& what) {
  ++(good ? report_.passed : report_.failed);
  if (!good) std::cout << "FAILED: " << what << std::endl;
}

void ChaosRun::CheckAlive() {
  Check(exporter_->Running(), "the exporter runs");
  const int health = exporter_->Health();
  Check(health == 200 || health == 503, "/healthz answers");
  Check(exporter_->Read().has_value(), "/metrics answers with a page that can be read");
}

Snapshot ChaosRun::Look() {
  const auto truth = server_->TruthSince(baseline_);
  auto scrape = exporter_->Read();
  Check(truth.has_value() && scrape.has_value(), "truth and counts can be read");
  if (report_.failed > 0) return {};
  RemoveMarkers(*scrape);
  return {std::move(*scrape), std::move(*truth)};
}

}  // namespace kube_events::chaos
