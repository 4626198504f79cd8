#include <utility>  // which Boost.Asio 1.74 uses without including it

#include <pplx/threadpool.h>

#include <unistd.h>

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "kube_events/net/cpprest_client.h"
#include "net/bracketed_names.h"
#include "net/dead_peers.h"
#include "net/network_thread.h"
#include "net/system_ca.h"

namespace kube_events {
namespace {

// Debian and its kin, Red Hat and its kin, Alpine.
constexpr std::array<const char*, 3> kUsualBundles = {"/etc/ssl/certs/ca-certificates.crt",
                                                      "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"};

std::string FindSystemBundle() {
  const char* configured = std::getenv("SSL_CERT_FILE");
  if (configured != nullptr && *configured != '\0') return configured;
  for (const char* path : kUsualBundles) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return kUsualBundles.front();
}

// What exists once per process, like what it describes.
struct Process {
  std::string system_bundle;
  std::vector<std::string> environment;  // before we changed it
};

std::vector<std::string> CurrentEnvironment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  return variables;
}

Process SetUp() {
  ResolveBracketedNames();
  ProbeSilentPeers();
  Process process{FindSystemBundle(), CurrentEnvironment()};
  // The library loads the system's certificates for every connection, 30 ms of CPU each, and we replace them anyway.
  ::setenv("SSL_CERT_FILE", "/dev/null", 1);
  ::setenv("SSL_CERT_DIR", "/nonexistent", 1);
  try {
    crossplat::threadpool::initialize_with_threads(1);
  } catch (const std::system_error&) {
    throw;  // no thread to be had
  } catch (const std::exception&) {
    // Somebody in this process used the library before us. It works with more threads too, only less tidily.
  }
  return process;
}

const Process& SetUpOnce() {
  static const Process process = SetUp();
  return process;
}

class Pulse : public std::enable_shared_from_this<Pulse> {
 public:
  explicit Pulse(Heartbeat& heartbeat) : timer_(NetworkService()), heartbeat_(&heartbeat) {}

  // Network thread.
  void Tick() {
    {
      const std::lock_guard lock(mutex_);
      if (heartbeat_ == nullptr) return;
      heartbeat_->Beat();
    }
    timer_.expires_after(std::chrono::seconds(1));
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->Tick();
    });
  }

  // Any thread.
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      heartbeat_ = nullptr;
    }
    PostToNetwork([self = shared_from_this()] { self->timer_.cancel(); });
  }

 private:
  boost::asio::steady_timer timer_;
  std::mutex mutex_;  // guards heartbeat_
  Heartbeat* heartbeat_;
};

}  // namespace

std::shared_ptr<void> BeatOnNetworkThread(Heartbeat& heartbeat) {
  const auto pulse = std::make_shared<Pulse>(heartbeat);
  PostToNetwork([pulse] { pulse->Tick(); });
  return {pulse.get(), [pulse](Pulse*) { pulse->Stop(); }};
}

void InitialiseNetworking() { SetUpOnce(); }

std::vector<std::string> EnvironmentOfChildren() { return SetUpOnce().environment; }

std::string SystemCaBundle() { return SetUpOnce().system_bundle; }

}  // namespace kube_events
