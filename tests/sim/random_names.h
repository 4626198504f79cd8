// Names that the API server makes up. Pure functions but for the generator.
#pragma once

#include <random>
#include <string>

namespace kube_events::sim {

// A random version 4 UUID.
std::string RandomUid(std::mt19937_64& random);
// `base` and five letters or digits: what metadata.generateName asks for.
std::string RandomName(std::mt19937_64& random, const std::string& base);

}  // namespace kube_events::sim
