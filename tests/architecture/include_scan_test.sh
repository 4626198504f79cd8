#!/usr/bin/env bash
# Shows that include_scan.sh finds what it exists to find: plants one violation at a time in a small tree.
set -euo pipefail
scan=$(cd "$(dirname "$0")" && pwd)/include_scan.sh
# shellcheck source=tests/architecture/planted.sh
. "$(dirname "$0")/planted.sh"

fresh_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{docs,include/kube_events/base,include/kube_events/net,src/base,src/net,src/programs}
  cat >"$tree/docs/architecture.md" <<'TABLE'
| library | may use | third party |
|---|---|---|
| `base` | – | spdlog, tl-expected |
| `net` | base | cpprestsdk |
| `programs` | net | – |
TABLE
  echo '#include <tl/expected.hpp>' >"$tree/include/kube_events/base/result.h"
  echo '#include "kube_events/base/result.h"' >"$tree/include/kube_events/net/client.h"
  printf '#include <string>\n#include <sys/stat.h>\n#include <cpprest/http_client.h>\n#include "net/gate.h"\n' >"$tree/src/net/client.cpp"
  printf 'kube_events_library(net\n  SOURCES client.cpp\n  USES base\n  PRIVATE x)\n' >"$tree/src/net/CMakeLists.txt"
  echo '#include <spdlog/logger.h>' >"$tree/src/base/log.cpp"
  echo '#include "kube_events/net/client.h"' >"$tree/src/programs/main.cpp"
}

fresh_tree
"$scan" "$tree" 1 >/dev/null || report "the clean tree does not pass"
if "$scan" "$tree" 100 >/dev/null; then report "a scan that finds too few files passes"; fi

expect_violation src/base/log.cpp:2 'base may not use net' '#include "kube_events/net/client.h"'
expect_violation src/base/log.cpp:2 'base may not use cpprestsdk' '#include <pplx/threadpool.h>'
expect_violation src/base/log.cpp:2 'is private to net' '#include "net/gate.h"'
expect_violation src/net/client.cpp:5 'net may not use spdlog' '#  include <spdlog/spdlog.h>'
expect_violation src/net/client.cpp:5 'belongs to no library' '#include <grpc/grpc.h>'
expect_violation src/net/client.cpp:5 'library http is not in the table' '#include "kube_events/http/x.h"'
expect_violation include/kube_events/net/client.h:2 'a public header may not include cpprest' '#include <cpprest/json.h>'
expect_violation include/kube_events/net/client.h:2 'the private header gate.h' '#include "gate.h"'
expect_violation src/programs/main.cpp:31 'a main has at most 30 lines' "$(printf '\\n%.0s' {1..29})"
expect_violation src/net/client.cpp:301 'more than 300 lines' "$(printf '\\n%.0s' {1..296})"
expect_violation src/net/CMakeLists.txt:6 'net may not use programs' 'kube_events_library(y\n  USES programs)'
expect_violation src/net/CMakeLists.txt:5 'net may not use programs' 'target_link_libraries(z kube_events::programs)'
expect_violation docs/architecture.md:6 'which is not above it' '| `kube` | serve | – |'
expect_violation docs/architecture.md:1 'src/kube is missing' '| `kube` | net | – |'
mkdir "$tree/src/stray"
expect_violation src/stray/x.cpp:1 'library stray is not in the table' 'int x;'

verdict
