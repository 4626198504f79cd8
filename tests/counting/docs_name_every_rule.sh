#!/usr/bin/env bash
# docs/counting.md and the tests of the rules belong together: every test that the page names exists, and every test of
# a rule is named there.
set -euo pipefail
cd "$(dirname "$0")/../.."

page=docs/counting.md
tests=$(sed -nE 's/^TEST(_F)?\(([A-Za-z]+), *([A-Za-z0-9]+)\).*/\2.\3/p' tests/counting/*_test.cpp tests/event/*_test.cpp)
named=$(grep -oE '`[A-Z][A-Za-z]+\.[A-Z][A-Za-z0-9]+`' "$page" | tr -d '`' | sort -u)
rules=$(sed -nE 's/^TEST\(([A-Za-z]+), *([A-Za-z0-9]+)\).*/\1.\2/p' tests/counting/rules_*_test.cpp)
status=0

for name in $named; do
  if ! grep -qxF "$name" <<<"$tests"; then
    echo "$page names the test $name, which does not exist" >&2
    status=1
  fi
done
for name in $rules; do
  if ! grep -qxF "$name" <<<"$named"; then
    echo "$page does not name $name, the test of a rule" >&2
    status=1
  fi
done
if [[ -z $rules ]]; then
  echo "found no test of a rule in tests/counting" >&2
  status=1
fi
exit "$status"
