#!/usr/bin/env bash
# Which lines of the product the standard tests run: a table per file, and build/coverage/report with every line. What a
# program does after its last destructor is not seen, since it leaves without the runtime's own end.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh --clang
scripts/build.sh coverage

profiles=$PWD/build/coverage/profiles
rm -rf "$profiles"
# One file for each program, which its runs share.
LLVM_PROFILE_FILE="$profiles/%1m.profraw" ctest --test-dir build/coverage --output-on-failure --parallel "$(nproc)" |
  tail -n 3
llvm-profdata merge --sparse "$profiles"/*.profraw --output build/coverage/all.profdata

programs=(build/coverage/bin/kube-events-exporter build/coverage/bin/fluent-bit-watcher)
for test in build/coverage/bin/*_test; do programs+=(--object "$test"); done
of_the_product=(--instr-profile build/coverage/all.profdata --ignore-filename-regex '/(tests|build|usr)/')
llvm-cov show "${programs[0]}" --object "${programs[1]}" "${programs[@]:2}" "${of_the_product[@]}" --format html \
  --output-dir build/coverage/report
llvm-cov report "${programs[0]}" --object "${programs[1]}" "${programs[@]:2}" "${of_the_product[@]}" \
  --show-branch-summary=false --show-region-summary=false --show-functions=false
