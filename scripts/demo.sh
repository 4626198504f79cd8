#!/usr/bin/env bash
# Shows the exporter at work on a simulated, lively cluster: installs, builds, starts both on loopback and shows the
# label sets with the most occurrences until Ctrl-C.
#   scripts/demo.sh          the live table
#   scripts/demo.sh --once   one bounded round: exits 0 only if every count equals what really happened
set -euo pipefail
cd "$(dirname "$0")/.."

once=false
case "${1:-}" in
  '') ;;
  --once) once=true ;;
  *) echo "usage: $0 [--once]" >&2; exit 2 ;;
esac

scripts/install-deps.sh
echo "building, if need be (the first time takes some minutes)" >&2
if [ -t 2 ]; then
  scripts/build.sh release kube-events-exporter sim-apiserver >&2
elif ! log=$(scripts/build.sh release kube-events-exporter sim-apiserver 2>&1); then
  sed -n '/FAILED:/,$p' <<<"$log" >&2
  exit 1
fi

. scripts/local_cluster.sh
trap 'exit 0' INT TERM
start_local_cluster --objects 400 --rate 80 --seed "${SEED:-$RANDOM}"

# "COUNT TYPE NAMESPACE KIND REASON" for each label set with occurrences, tab-separated and sorted.
exporter_counts() {
  curl -fsS "$url/metrics" | gawk -v OFS='\t' '
    match($0, /^kube_events_total\{type="([^"]*)",involved_object_namespace="([^"]*)",involved_object_kind="([^"]*)",reason="([^"]*)"\} ([0-9.e+]+)$/, m) &&
      m[5] > 0 { print m[5] + 0, m[1], m[2], m[3], m[4] }' | LC_ALL=C sort -k2
}
# The same as the simulated API server knows it, since the exporter's list.
true_counts() {
  curl -fsS "$sim/sim/v1/truth?since=list" | jq -r '.occurrences[] | select(.count > 0) |
    [.count, .type, .involved_object_namespace, .involved_object_kind, .reason] | @tsv' | LC_ALL=C sort -k2
}

if $once; then
  sleep 10
  curl -fsS -X POST -d '{"running": false}' "$sim/sim/v1/load" >/dev/null
  true_counts >"$work/truth"
  same() { exporter_counts >"$work/counted"; cmp -s "$work/truth" "$work/counted"; }
  [ -s "$work/truth" ] || give_up "the simulated cluster did nothing" "$work/sim.log"
  if ! eventually same; then
    echo "counts differ; < happened, > counted ($(grep '^seed' "$work/sim.log")):" >&2
    diff "$work/truth" "$work/counted" >&2 || true
    exit 1
  fi
  gawk '{ sum += $1 } END { printf "%d occurrences in %d label sets: every count is exact\n", sum, NR }' "$work/truth"
  exit 0
fi

while true; do
  clear 2>/dev/null || true
  echo "kube_events_total of a simulated cluster, $(date +%T)      (Ctrl-C ends)"
  echo
  { printf 'COUNT\tTYPE\tNAMESPACE\tKIND\tREASON\n'; exporter_counts | sort -nr | head -n 20; } |
    gawk -F '\t' '{ printf "%8s  %-8s  %-16s  %-12s  %s\n", $1, $2, $3 == "" ? "(cluster)" : $3, $4, $5 }'
  echo
  echo "metrics: $url/metrics     health: $url/healthz     API server: $sim"
  sleep 2
done
