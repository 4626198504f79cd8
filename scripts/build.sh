#!/usr/bin/env bash
# Builds one preset of CMakePresets.json (default: release) into build/<preset>/bin.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
cmake --preset "$preset" >"/tmp/kube-events-configure.$$" 2>&1 || { cat "/tmp/kube-events-configure.$$" >&2; rm -f "/tmp/kube-events-configure.$$"; exit 1; }
rm -f "/tmp/kube-events-configure.$$"
cmake --build --preset "$preset" --parallel "$(nproc)"
