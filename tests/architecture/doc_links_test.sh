#!/usr/bin/env bash
# Shows that doc_links.sh finds what it exists to find: plants one mistake at a time in a small tree.
set -euo pipefail
scan=$(cd "$(dirname "$0")" && pwd)/doc_links.sh
# shellcheck source=tests/architecture/planted.sh
. "$(dirname "$0")/planted.sh"

fresh_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/docs" "$tree/manifests"
  echo 'project(kube-events-exporter VERSION 1.2.3)' >"$tree/CMakeLists.txt"
  printf '# A\n[b](docs/b.md), [part](docs/b.md#part-two), [web](https://example.com)\n' >"$tree/README.md"
  printf '# B\n\n## Part two\n[up](../README.md) `[no](link)`\n```\n[not a](link)\n```\n' >"$tree/docs/b.md"
  # shellcheck disable=SC2016
  printf '| `kube_events_total` |\n| `kube_events_exporter_lag_seconds` |\n' >"$tree/docs/metrics.md"
  # shellcheck disable=SC2016
  printf '| `KUBE_EVENTS_EXPORTER_PORT` |\n' >"$tree/docs/cli.md"
  printf '## 1.2.3\n' >"$tree/CHANGELOG.md"
  printf 'image: kube-events-exporter:1.2.3\nexpr: kube_events_exporter_lag_seconds_bucket\n' >"$tree/manifests/d.yaml"
}

fresh_tree
"$scan" "$tree" 1 >/dev/null || report "the clean tree does not pass"
if "$scan" "$tree" 30 >/dev/null 2>&1; then report "a scan that finds too few links passes"; fi

expect_violation README.md:3 'docs/c.md does not exist' '[c](docs/c.md)'
expect_violation docs/b.md:8 'has no heading #part-three' '[three](#part-three)'
expect_violation docs/b.md:8 'metric kube_events_exporter_lost_total' 'sum(kube_events_exporter_lost_total)'
expect_violation manifests/d.yaml:3 'variable KUBE_EVENTS_EXPORTER_PROT' 'name: KUBE_EVENTS_EXPORTER_PROT'
expect_violation manifests/d.yaml:3 'pinned to 1.2.2' 'image: registry.example/kube-events-exporter:1.2.2'
echo '## 1.2.2' >"$tree/CHANGELOG.md"
expect_violation CHANGELOG.md:1 'nothing is said about version 1.2.3' 'x'

verdict
