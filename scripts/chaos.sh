#!/usr/bin/env bash
# The real exporter under random load, faults, compactions and restored backups, compared with the truth. The last line
# gives the checks passed and failed; the exit code tells.
#   scripts/chaos.sh [--minutes N] [--seed S] [--verbose]
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh
if ! log=$(scripts/build.sh release kube-events-exporter chaos 2>&1); then printf '%s\n' "$log" >&2; exit 1; fi
exec build/release/bin/chaos --exporter build/release/bin/kube-events-exporter "$@"
