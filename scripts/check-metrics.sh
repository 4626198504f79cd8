#!/usr/bin/env bash
# Lets Prometheus' own linter judge a live /metrics, in the text format, and fails on anything it finds.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v promtool >/dev/null || { echo "promtool is missing; scripts/install-deps.sh --ci installs it" >&2; exit 1; }

. scripts/local_cluster.sh
start_local_cluster --objects 400 --rate 200
moved() { curl -fsS "$url/metrics" | grep '^kube_events_total' | grep -qv ' 0$'; }
eventually moved || give_up "nothing was counted" "$work/exporter.log"
curl -fsS "$url/metrics" >"$work/metrics"
curl -fsS "$url/metrics" >/dev/null
promtool check metrics <"$work/metrics"
echo "promtool finds nothing in $(grep -vc '^#' "$work/metrics") samples"
