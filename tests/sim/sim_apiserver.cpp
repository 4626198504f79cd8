// The program around SimServer: a lively synthetic cluster for demonstrations, benchmarks and chaos tests.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kube_events/base/signals.h"
#include "sim/sim_server.h"

namespace {

using kube_events::sim::LoadOptions;
using kube_events::sim::SimServer;
using kube_events::sim::SimServerOptions;
using kube_events::sim::SimTls;

struct Options {
  SimServerOptions server;
  LoadOptions load;
  std::vector<std::string> tokens;
  std::string tls_cert;
  std::string tls_key;
  std::string client_ca;
  bool start_paused = false;
};

void AddServerFlags(CLI::App& app, Options& options) {
  app.add_option("--host", options.server.host, "address to listen on")->capture_default_str();
  app.add_option("--port", options.server.port, "port to listen on; 0: any free one")->capture_default_str();
  app.add_option("--token", options.tokens, "bearer token that is admitted (repeatable); without one everybody is");
  app.add_option("--tls-cert", options.tls_cert, "server certificate chain (PEM file): serve HTTPS");
  app.add_option("--tls-key", options.tls_key, "its key (PEM file)");
  app.add_option("--client-ca", options.client_ca, "CA of client certificates (PEM file)");
  app.add_flag("--strict-namespaces", options.server.strict_namespaces,
               "refuse writes into namespaces that were not created");
  app.add_option("--history", options.server.history, "changes that can be watched before they are compacted away")
      ->capture_default_str();
  app.add_option("--chunk-bytes", options.server.chunk_bytes,
                 "cut watch streams into chunks of so many bytes; 0: one frame per chunk")
      ->capture_default_str();
}

void AddLoadFlags(CLI::App& app, LoadOptions& load) {
  const CLI::Range share(0.0, 1.0);
  app.add_option("--seed", load.seed, "of everything random")->capture_default_str();
  app.add_option("--objects", load.objects, "live Events")->capture_default_str();
  app.add_option("--rate", load.rate, "changes per second")->capture_default_str();
  app.add_option("--limit", load.limit, "changes after which the load stops; 0: none")->capture_default_str();
  app.add_option("--namespaces", load.namespaces, "namespaces of the cluster")->capture_default_str();
  app.add_option("--nodes", load.nodes, "nodes of the cluster")->capture_default_str();
  app.add_option("--repeats", load.repeats, "share of repeats")->check(share)->capture_default_str();
  app.add_option("--jumps", load.jumps, "share of the repeats that jump")->check(share)->capture_default_str();
  app.add_option("--series", load.series, "share of series updates")->check(share)->capture_default_str();
  app.add_option("--deletions", load.deletions, "share of expiries")->check(share)->capture_default_str();
  app.add_option("--recreations", load.recreations, "share of re-creations")->check(share)->capture_default_str();
  app.add_option("--resets", load.resets, "share of new runs under an old name")->check(share)->capture_default_str();
  app.add_option("--touches", load.touches, "share of updates without an occurrence")
      ->check(share)
      ->capture_default_str();
  app.add_option("--late-retries", load.late_retries, "share of counts that fall and come back")
      ->check(share)
      ->capture_default_str();
  app.add_option("--delayed-recreations", load.delayed_recreations, "share of re-creations long after an expiry")
      ->check(share)
      ->capture_default_str();
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw CLI::ValidationError(path, "cannot be read");
  return text.str();
}

void Finish(Options& options) {
  for (std::size_t i = 0; i < options.tokens.size(); ++i) {
    options.server.tokens[options.tokens[i]] = "system:serviceaccount:monitoring:client-" + std::to_string(i);
  }
  options.server.seed = options.load.seed;
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    throw CLI::ValidationError("--tls-cert and --tls-key", "go together");
  }
  if (options.tls_cert.empty()) return;
  options.server.tls = SimTls{ReadFile(options.tls_cert), ReadFile(options.tls_key)};
  if (!options.client_ca.empty()) options.server.tls->client_ca = ReadFile(options.client_ca);
}

void Serve(const Options& options, kube_events::Termination& termination) {
  SimServer server(options.server);
  if (options.start_paused) {
    server.PrepareLoad(options.load);
  } else {
    server.StartLoad(options.load);
  }
  std::printf("listening on %s\nseed %llu, %zu Events, %s\n", server.Url().c_str(),
              static_cast<unsigned long long>(options.load.seed), server.State().objects,
              options.start_paused ? "paused" : "running");
  std::fflush(stdout);
  termination.Wait();
}

}  // namespace

int main(int argc, char** argv) {
  kube_events::Termination termination(std::chrono::seconds(5));
  Options options;
  CLI::App app("Simulated Kubernetes API server for Events; control requests go to /sim/v1/");
  AddServerFlags(app, options);
  AddLoadFlags(app, options.load);
  app.add_flag("--start-paused", options.start_paused, "create the Events, start the load with POST /sim/v1/load");
  try {
    app.parse(argc, argv);
    Finish(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    Serve(options, termination);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sim-apiserver: %s\n", error.what());
    return 1;
  }
}
