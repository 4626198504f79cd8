#include "program.h"

#include <cstdio>

namespace kube_events {

int Complain(std::string_view program, const Error& error) {
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(program.size()), program.data(), error.message.c_str());
  return error.kind == ErrorKind::kConfiguration ? 2 : 1;
}

}  // namespace kube_events
