#!/usr/bin/env bash
# Measures how large the checkpoint is and how often it is written, in simulated clusters of 1 000, 20 000 and 200 000
# live Events, in a ConfigMap and in a file; exits with 1 where a documented limit is not kept. Takes a quarter of an
# hour and 2 GiB of memory.
#   scripts/checkpoint-cost.sh [--objects N,N,…] [--turnovers N] [--rate N] [--interval SECONDS] [--seconds N]
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh
if ! log=$(scripts/build.sh release kube-events-exporter checkpoint_cost 2>&1); then printf '%s\n' "$log" >&2; exit 1; fi
status=0
for store in configmap file; do
  build/release/bin/checkpoint_cost --exporter build/release/bin/kube-events-exporter --store "$store" "$@" || status=1
done
exit "$status"
