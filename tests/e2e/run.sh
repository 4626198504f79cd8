#!/bin/sh
# Runs the end-to-end tests against a real kube-apiserver and etcd.
# Usage: tests/e2e/run.sh [arguments for go test]
#        tests/e2e/run.sh --build-only    builds the servers, which takes minutes when the cache is cold
# KUBE_EVENTS_EXPORTER names another program to test than the release build.
set -eu
if [ -n "${KUBE_EVENTS_EXPORTER:-}" ]; then
  KUBE_EVENTS_EXPORTER=$(realpath "$KUBE_EVENTS_EXPORTER")
  export KUBE_EVENTS_EXPORTER
fi
cd "$(dirname "$0")"

if ! command -v go >/dev/null 2>&1; then
  echo "The end-to-end tests are skipped because Go is not installed."
  exit 0
fi

# The build takes minutes when the cache is cold; it must not count against
# the time limit of the tests.
go run ./cmd/build-apiserver >/dev/null
go build -C receivers ./...
if [ "${1:-}" = --build-only ]; then exit 0; fi
# Most tests wait for something most of the time, so many more of them than
# there are cores may run at once, and both packages.
exec go test -count=1 -p=2 -parallel=16 -timeout=10m "$@" . ./contract
