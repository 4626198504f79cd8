# For sourcing by the scripts beside it: the exporter on a simulated API server, both on loopback, from build/release.
# Whatever was started ends with the calling script.

# shellcheck shell=bash
work=$(mktemp -d)
local_cluster_pids=()
end_local_cluster() {
  for pid in "${local_cluster_pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap end_local_cluster EXIT

# Fails with the last lines of a program's log.
give_up() { echo "$1" >&2; tail -n 20 "$2" >&2; exit 1; }

# Waits up to 30 s until the command succeeds.
eventually() {
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  return 1
}

# Starts both, the simulated API server with the given load options, and waits until the exporter is healthy. Sets
# `sim` and `url`, their addresses; their logs are $work/sim.log and $work/exporter.log.
start_local_cluster() {
  build/release/bin/sim-apiserver --port 0 "$@" >"$work/sim.log" 2>&1 &
  local_cluster_pids+=($!)
  eventually grep -q '^seed' "$work/sim.log" || give_up "the simulated API server did not start" "$work/sim.log"
  sim=$(awk '/^listening on/ {print $3}' "$work/sim.log")

  build/release/bin/kube-events-exporter --apiserver "$sim" --host 127.0.0.1 --port 0 >"$work/exporter.log" 2>&1 &
  local_cluster_pids+=($!)
  eventually grep -q 'serving port=' "$work/exporter.log" || give_up "the exporter did not start" "$work/exporter.log"
  url=http://127.0.0.1:$(sed -n 's/.*serving port=\([0-9]*\).*/\1/p' "$work/exporter.log" | head -n 1)
  eventually curl -fsS "$url/healthz" || give_up "the exporter did not become healthy" "$work/exporter.log"
}
