#!/usr/bin/env bash
# Builds the libFuzzer targets of tests/fuzz with clang and runs them, one after the other.
#   scripts/fuzz.sh [--seconds N] [TARGET...]   N: for each target (default 60); TARGET: as event_frame; default all
# Inputs that reach new code are collected in build/fuzz/corpus. An input that breaks something becomes
# tests/fuzz/corpus/TARGET/finding-…, from where the test suite replays it; the script then fails.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=60
targets=()
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    -*) echo "usage: $0 [--seconds N] [TARGET...]" >&2; exit 2 ;;
    *) targets+=("$1") ;;
  esac
  shift
done
if [ ${#targets[@]} -eq 0 ]; then mapfile -t targets < <(ls tests/fuzz/corpus); fi
for target in "${targets[@]}"; do
  [ -f "tests/fuzz/$target.cpp" ] || { echo "$0: there is no target $target in tests/fuzz" >&2; exit 2; }
done

scripts/install-deps.sh --clang
scripts/build.sh fuzz "${targets[@]/#/fuzz_}"

export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/tests/sanitizers/lsan.supp:print_suppressions=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
findings=0
for target in "${targets[@]}"; do
  collected=build/fuzz/corpus/$target
  log=build/fuzz/$target.log
  mkdir -p "$collected"
  broken=0
  build/fuzz/bin/"fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="tests/fuzz/corpus/$target/finding-" "$collected" "tests/fuzz/corpus/$target" >"$log" 2>&1 || broken=1
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf '%-18s %12s executions in %s s, %s\n' "$target" "${executions:-0}" "$seconds" \
    "$([ $broken -eq 0 ] && echo 'no finding' || echo "a finding: see $log")"
  findings=$((findings + broken))
done
[ "$findings" -eq 0 ] || exit 1
