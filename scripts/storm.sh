#!/usr/bin/env bash
# Floods the exporter: a million live Events, then 50 000 changes per second for a minute, from a simulated API server.
# Prints what it took, how far it lagged behind and what it lost; exits with 1 where a count is wrong.
# Needs 17 GiB of memory, nearly all of it for the simulated API server, and about five minutes; with --seconds 15 it is
# 8 GiB.
#   scripts/storm.sh [--objects N] [--rate N] [--seconds N] [--chunk-bytes N] [--seed N]
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh
if ! log=$(scripts/build.sh release kube-events-exporter storm 2>&1); then printf '%s\n' "$log" >&2; exit 1; fi
exec build/release/bin/storm --exporter build/release/bin/kube-events-exporter "$@"
