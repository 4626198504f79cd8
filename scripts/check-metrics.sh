#!/usr/bin/env bash
# Lets Prometheus' own linter judge a live /metrics, in the text format, and fails on anything it finds.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v promtool >/dev/null || { echo "promtool is missing; scripts/install-deps.sh --ci installs it" >&2; exit 1; }

work=$(mktemp -d)
pids=()
finish() { for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$work"; }
trap finish EXIT
eventually() { local i; for ((i = 0; i < 300; i++)); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done; return 1; }

build/release/bin/sim-apiserver --port 0 --objects 400 --rate 200 >"$work/sim.log" 2>&1 &
pids+=($!)
eventually grep -q '^listening' "$work/sim.log"
build/release/bin/kube-events-exporter --apiserver "$(awk '/^listening on/ {print $3}' "$work/sim.log")" \
  --host 127.0.0.1 --port 0 >"$work/exporter.log" 2>&1 &
pids+=($!)
eventually grep -q 'serving port=' "$work/exporter.log"
url=http://127.0.0.1:$(sed -n 's/.*serving port=\([0-9]*\).*/\1/p' "$work/exporter.log" | head -n 1)
eventually curl -fsS "$url/healthz"
moved() { curl -fsS "$url/metrics" | grep '^kube_events_total' | grep -qv ' 0$'; }
eventually moved
curl -fsS "$url/metrics" >"$work/metrics"
curl -fsS "$url/metrics" >/dev/null
promtool check metrics <"$work/metrics"
echo "promtool finds nothing in $(grep -vc '^#' "$work/metrics") samples"
