// Rounds of load and disturbances, each followed by calm and a comparison with the truth.
// Owned and used by one thread, but for the servers and processes that it starts.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "chaos/disturbances.h"
#include "chaos/exporter_process.h"
#include "chaos/verdict.h"
#include "sim/sim_server.h"
#include "support/test_certificates.h"

namespace kube_events::chaos {

struct ChaosOptions {
  std::string exporter;  // the program
  std::string folder;    // for kubeconfig, token and log; exists
  std::chrono::seconds duration{180};
  std::uint64_t seed = 0;
  bool verbose = false;  // tell each disturbance
};

struct ChaosReport {
  int passed = 0;  // checks
  int failed = 0;
  int exact = 0;  // rounds in which nothing was uncertain, so that every count was compared for equality
  std::int64_t occurrences = 0;
  std::int64_t lost = 0;  // within reported gaps
};

class ChaosRun {
 public:
  explicit ChaosRun(ChaosOptions options);
  ~ChaosRun();

  // Goes on for `duration`, or until a check fails. Prints a line per round.
  ChaosReport Run();
  const std::map<std::string, int>& disturbances() const { return disturbances_->done(); }

 private:
  sim::LoadOptions FirstLoad() const;
  void WriteAccess();
  void RotateToken();
  void Suspend();
  void PassRound(int number);
  void Check(bool good, const std::string& what);
  void CheckAlive();
  Snapshot Look();

  const ChaosOptions options_;
  const TestAuthority authority_;
  std::mt19937_64 random_;
  std::string token_;
  std::unique_ptr<sim::SimServer> server_;
  std::unique_ptr<ExporterProcess> exporter_;
  std::unique_ptr<Disturbances> disturbances_;
  std::uint64_t baseline_ = 0;
  int markers_ = 0;
  Snapshot last_;
  ChaosReport report_;
};

}  // namespace kube_events::chaos
