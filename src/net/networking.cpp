#include <utility>  // which Boost.Asio 1.74 uses without including it

#include <pplx/threadpool.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "kube_events/net/cpprest_client.h"
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

std::string SetUp() {
  std::string bundle = FindSystemBundle();
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
  return bundle;
}

// Process-wide like what it sets up: environment and thread pool exist once.
const std::string& SetUpOnce() {
  static const std::string bundle = SetUp();
  return bundle;
}

}  // namespace

void InitialiseNetworking() { SetUpOnce(); }

std::string SystemCaBundle() { return SetUpOnce(); }

}  // namespace kube_events
