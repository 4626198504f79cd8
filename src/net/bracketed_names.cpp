#include "net/bracketed_names.h"

#include <dlfcn.h>
#include <netdb.h>

#include <string>
#include <string_view>

namespace {

using Resolver = int(const char*, const char*, const addrinfo*, addrinfo**);

}  // namespace

// Goes before the C library's function in the whole process.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  static auto* const next = reinterpret_cast<Resolver*>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  if (next == nullptr) return EAI_SYSTEM;
  const std::string_view name = node == nullptr ? "" : node;
  if (!name.starts_with('[') || !name.ends_with(']')) return next(node, service, hints, result);
  const std::string address(name.substr(1, name.size() - 2));
  return next(address.c_str(), service, hints, result);
}

namespace kube_events {

void ResolveBracketedNames() {}

}  // namespace kube_events
