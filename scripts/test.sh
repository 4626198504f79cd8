#!/usr/bin/env bash
# Installs what is needed, builds, and runs the tests that need nothing but Debian packages.
#   scripts/test.sh                      release build
#   scripts/test.sh --preset asan-ubsan  another preset of CMakePresets.json
#   scripts/test.sh --threads            only the tests of what has threads (with --preset tsan: the others cannot fail)
#   scripts/test.sh --e2e                also the end-to-end tests on a real kube-apiserver (needs Go)
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
e2e=false
targets=()
tests=()
while [ $# -gt 0 ]; do
  case "$1" in
    --e2e) e2e=true ;;
    --threads)
      targets=(threads)
      tests=(--label-regex '^threads$') ;;
    --preset) preset=${2:?--preset needs a name}; shift ;;
    *) echo "usage: $0 [--preset NAME] [--threads] [--e2e]" >&2; exit 2 ;;
  esac
  shift
done

case "$e2e $preset" in
  true*) scripts/install-deps.sh --ci ;;
  *asan-ubsan | *tsan) scripts/install-deps.sh --clang ;;
  *) scripts/install-deps.sh ;;
esac
scripts/build.sh "$preset" "${targets[@]}"

# Seeds are random and printed; a data race or a leak ends the test that shows it.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/tests/sanitizers/lsan.supp:print_suppressions=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-suppressions=$PWD/tests/sanitizers/tsan.supp:halt_on_error=1:second_deadlock_stack=1}"
# Most tests wait most of the time: many run at once, and the servers of the next step are built beside them.
if $e2e; then
  nice -n 19 tests/e2e/run.sh --build-only >/dev/null 2>&1 &
  servers=$!
fi
ctest --preset "$preset" --parallel "$((2 * $(nproc)))" "${tests[@]}"

if $e2e; then
  wait "$servers" || true  # what failed fails again below, and says so
  KUBE_EVENTS_EXPORTER=$PWD/build/$preset/bin/kube-events-exporter tests/e2e/run.sh
fi
