#!/usr/bin/env bash
# Builds one preset of CMakePresets.json (default: release) into build/<preset>/bin.
#   scripts/build.sh [PRESET [TARGET...]]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
shift || true

# Lets clones in other folders share what the compiler cache knows.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true
# Precompiled headers (cmake/Prelude.cmake) are told apart by their contents.
export CCACHE_SLOPPINESS=pch_defines,time_macros

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
targets=()
for target in "$@"; do targets+=(--target "$target"); done
cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}"
