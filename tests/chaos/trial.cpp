#include "chaos/trial.h"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

namespace kube_events::chaos {

bool Check(bool good, const std::string& what) {
  if (!good) std::cout << "FAILED: " << what << std::endl;
  return good;
}

sim::LoadOptions SteadyLoad(std::uint64_t seed) {
  sim::LoadOptions load;
  load.seed = seed;
  load.objects = 400;
  load.rate = 300;
  load.delayed_recreations = 0.01;
  return load;
}

int RunTrial(const std::string& program, std::uint64_t seed,
             const std::function<bool(const std::string& folder)>& run) {
  std::string folder = (std::filesystem::temp_directory_path() / (program + "-XXXXXX")).string();
  if (::mkdtemp(folder.data()) == nullptr) return 2;
  std::cout << "seed " << seed << std::endl;
  try {
    if (!run(folder)) {
      std::cout << "the exporters' logs are in " << folder << ", seed " << seed << std::endl;
      return 1;
    }
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << "; the exporters' logs are in " << folder << '\n';
    return 2;
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace kube_events::chaos
