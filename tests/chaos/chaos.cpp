// chaos: the real exporter against a simulated API server on which everything goes wrong, compared with the truth.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <random>

#include "chaos/chaos_run.h"

namespace {

using kube_events::chaos::ChaosOptions;
using kube_events::chaos::ChaosReport;
using kube_events::chaos::ChaosRun;

int Report(const ChaosRun& run, const ChaosReport& report, const ChaosOptions& options) {
  for (const auto& [name, times] : run.disturbances()) std::cout << times << " x " << name << '\n';
  std::cout << report.occurrences << " occurrences, " << report.exact << " rounds exact to the last one, "
            << report.lost << " lost within reported gaps\n";
  if (report.failed > 0) std::cout << "the exporter's log: " << options.folder << "/exporter.log\n";
  std::cout << "seed " << options.seed << ": " << report.passed << " checks passed, " << report.failed << " failed"
            << std::endl;
  return report.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  ChaosOptions options;
  options.seed = std::random_device{}();
  double minutes = 3;
  CLI::App app("Runs an exporter under random load, faults and restores, and compares its counts with the truth.");
  app.add_option("--exporter", options.exporter, "The program")->required();
  app.add_option("--minutes", minutes, "How long")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "Of everything that is random");
  app.add_flag("--verbose", options.verbose, "Tell each round");
  CLI11_PARSE(app, argc, argv);
  options.duration = std::chrono::seconds(static_cast<long>(minutes * 60));
  std::string folder = (std::filesystem::temp_directory_path() / "chaos-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    std::cerr << "chaos: cannot make a folder in " << std::filesystem::temp_directory_path() << '\n';
    return 2;
  }
  options.folder = folder;
  std::cout << "seed " << options.seed << std::endl;
  int code = 2;
  try {
    ChaosRun run(options);
    code = Report(run, run.Run(), options);
  } catch (const std::exception& error) {
    std::cerr << "chaos: " << error.what() << '\n';
  }
  if (code == 0) std::filesystem::remove_all(folder);
  return code;
}
