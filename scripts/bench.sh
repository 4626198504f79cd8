#!/usr/bin/env bash
# Measures the exporter beside a Go program of client-go and client_golang that does the same, on the same simulated
# stream, and prints what both cost; then what forwarding delivers, and what it adds. docs/performance.md tells what the
# figures mean. Needs Go.
#   scripts/bench.sh                   everything on simulated API servers, about 20 minutes
#   scripts/bench.sh --real            beside a real kube-apiserver too; the first time, that is built
#   scripts/bench.sh --quick           smaller sizes, one trial each, about 2 minutes
#   scripts/bench.sh --only 'scrape'   only cases whose name matches; 'forwarding' for its section
# Exits with 0 whether or not a target is reached, and with 1 if a program fails or a count is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --help ]; then sed -n '2,9s/^# \?//p' "$0"; exit 0; fi
args=()
forward_args=()
for arg in "$@"; do
  if [ "$arg" = --real ]; then args+=(-real tests/e2e/apiserver); else args+=("$arg"); forward_args+=("$arg"); fi
done
command -v go >/dev/null || { echo "$0: Go is needed for the program to compare with; see https://go.dev/dl" >&2; exit 2; }

scripts/install-deps.sh
echo "building" >&2
if ! log=$(scripts/build.sh release kube-events-exporter sim-apiserver forward_bench 2>&1); then printf '%s\n' "$log" >&2; exit 1; fi
bin=$PWD/build/release/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd tests/e2e && go build -o "$work/" ./cmd/go-exporter ./cmd/bench)

# As shipped: the image installs the exporter stripped; Go programs are usually shipped as built.
strip -o "$work/exporter.stripped" "$bin/kube-events-exporter"
strip -o "$work/go-exporter.stripped" "$work/go-exporter"
libraries=$(ldd "$bin/kube-events-exporter" | awk '$3 ~ /^\// { print $3 }' | xargs -n 1 realpath | paste -sd ';')
files="binary as built=$bin/kube-events-exporter:$work/go-exporter"
files+=",binary stripped=$work/exporter.stripped:$work/go-exporter.stripped"
files+=",binary stripped with all its shared libraries=$work/exporter.stripped;$libraries:$work/go-exporter.stripped"

"$work/bench" -exporter "$bin/kube-events-exporter" -go-exporter "$work/go-exporter" -sim "$bin/sim-apiserver" \
  -files "$files" "${args[@]}"
echo
"$bin/forward_bench" --exporter "$bin/kube-events-exporter" "${forward_args[@]}"
