#!/usr/bin/env bash
# Shows that field_failures.sh finds what it exists to find: plants one mistake at a time in a small table.
set -euo pipefail
scan=$(cd "$(dirname "$0")" && pwd)/field_failures.sh
# shellcheck source=tests/architecture/planted.sh
. "$(dirname "$0")/planted.sh"
table=docs/field-failures.md

fresh_tree() {
  rm -rf "${tree:?}"/*
  mkdir "$tree/docs"
  # shellcheck disable=SC2016
  printf '%s\n' '| id | elsewhere | here | test |' '|---|---|---|---|' \
    '| B001 | skipped | counted | `field.FieldTimes.B001IsCounted`, `informer.Machine.Lists` |' \
    '| B002 | twice | once | needs forwarding |' >"$tree/$table"
  printf '%s\n' field.FieldTimes.B001IsCounted informer.Machine.Lists >"$tree/tests"
}

run() { "$scan" "$tree/tests" "$tree" 'B001 B002' 2>&1; }

# expect_violation WORDS: the scan has to fail and say so.
expect_violation() {
  local output
  if output=$(run); then report "not found: $1"; fi
  grep -qF "$table:" <<<"$output" && grep -qF "$1" <<<"$output" || report "expected \"$1\", got: $output"
  fresh_tree
}

fresh_tree
run >/dev/null || report "the clean table does not pass"
mkdir "$tree/build"
sed 's/.*/add_test([=[&]=]  program [==[--gtest_filter=X]==])/' "$tree/tests" >"$tree/build/x_tests.cmake"
"$scan" "$tree/build" "$tree" 'B001 B002' >/dev/null || report "the tests of a build directory are not found"

echo informer.Machine.Lists >"$tree/tests"
expect_violation 'the test field.FieldTimes.B001IsCounted of B001 does not exist'
echo field.FieldTimes.B001IsNotListed >>"$tree/tests"
expect_violation 'the test field.FieldTimes.B001IsNotListed stands in no row'
sed -i '/^| B002/d' "$tree/$table"
expect_violation 'B002 has no row'
sed -n '/^| B002/p' "$tree/$table" >>"$tree/$table"
expect_violation 'B002 has a second row'
echo '| B003 | a | b | needs forwarding |' >>"$tree/$table"
expect_violation 'B003 is not among the ids'
sed -i 's/needs forwarding/needs luck/' "$tree/$table"
expect_violation 'waits for "luck"'
sed -i 's/needs forwarding/later/' "$tree/$table"
expect_violation 'B002 names neither a test nor the capability'
sed -i 's/| once |/| |/' "$tree/$table"
expect_violation 'B002 does not say what went wrong and what happens here'
# shellcheck disable=SC2016
sed -i 's/needs forwarding/`field.FieldTimes.B001IsCounted`/' "$tree/$table"
expect_violation 'belongs to B001, not to B002'
sed -i 's/^| B001/| B003/' "$tree/$table"
expect_violation 'B002 stands behind B003'

verdict
