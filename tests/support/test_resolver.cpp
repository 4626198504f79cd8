#include "support/test_resolver.h"

#include <dlfcn.h>
#include <netdb.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string_view>

namespace {

using kube_events::TestResolution;
using Resolver = int(const char*, const char*, const addrinfo*, addrinfo**);

TestResolution FromEnvironment() {
  const char* word = std::getenv("TEST_RESOLVER");
  const std::string_view wanted = word == nullptr ? "" : word;
  return wanted == "fail" ? TestResolution::kFails : wanted == "hang" ? TestResolution::kHangs : TestResolution::kWorks;
}

struct State {
  std::mutex mutex;  // guards resolution
  std::condition_variable changed;
  TestResolution resolution = FromEnvironment();
};

// Never destroyed: a lookup may outlast the static objects.
State& TheState() {
  static auto* const state = new State;
  return *state;
}

TestResolution Await() {
  State& state = TheState();
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return state.resolution != TestResolution::kHangs; });
  return state.resolution;
}

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  static auto* const next = reinterpret_cast<Resolver*>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  const std::string_view name = node == nullptr ? "" : node;
  if (!name.ends_with(".test")) return next(node, service, hints, result);
  if (Await() == TestResolution::kFails) return EAI_AGAIN;
  return next("127.0.0.1", service, hints, result);
}

namespace kube_events {

void SetTestResolution(TestResolution resolution) {
  State& state = TheState();
  {
    const std::lock_guard lock(state.mutex);
    state.resolution = resolution;
  }
  state.changed.notify_all();
}

}  // namespace kube_events
