#!/usr/bin/env bash
# Fails where clang-format, gofmt or the end of a file would change something. --fix changes it.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files 'include/*.h' 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp')
if [ "${1:-}" = --fix ]; then
  clang-format -i "${sources[@]}"
  if command -v gofmt >/dev/null; then gofmt -w tests; fi
  exit 0
fi
clang-format --dry-run --Werror "${sources[@]}"
if command -v gofmt >/dev/null; then
  unformatted=$(gofmt -l tests)
  [ -z "$unformatted" ] || { echo "gofmt would change: $unformatted" >&2; exit 1; }
fi
echo "${#sources[@]} C++ files are formatted"
