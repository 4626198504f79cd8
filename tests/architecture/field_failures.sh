#!/usr/bin/env bash
# Compares the table of docs/field-failures.md with the tests that were built: each id has one row, each row names tests
# that exist or the capability that it waits for, and each test with an id in its name stands in the row of that id.
#   field_failures.sh BUILD [ROOT [IDS]]   BUILD: a build directory, or a file with the names of its tests, one a line;
#                                          IDS: the ids that the table has to have
set -euo pipefail

build=${1:?the build directory is missing}
root=${2:-$(cd "$(dirname "$0")/../.." && pwd)}
ids=${3:-B001 B003 B004 B006 B007 B009 B010 B012 B013 B015 B016 B018 B019 B021 B022 B024 B025 B027 B028 B030 B031 B033
  B034 B036 B037 B039 B040 B042 B043 B045 B046 B048 B049 B051 B052 B054 B055 B057 B058 B060 B061 B063 B064 B066 B067
  B069 B070 B072 B073 B075 B076 B078 B079 B081 B082 B084 B085 B087 B088 B090 B091 B093 B094 B096 B097 B099 B100 B102
  B103 B105 B106 B108 B109 B111 B112 B114 B115 B117 B118 B120 B121 B123 B124 B126 B127 B129 B130}

if [ -d "$build" ]; then
  # Written when a test program is built. Not "ctest -N": it would spoil the log of the ctest that runs this.
  tests=$(find "$build" -name '*_tests.cmake' -exec sed -nE 's/^ *add_test\( *\[=*\[([^]]+)\]=*\].*/\1/p' {} +)
else
  tests=$(cat "$build")
fi

cd "$root"
gawk -v tests="$tests" -v ids="$ids" '
function bad(what) { print FILENAME ":" FNR ": " what; violations++ }
function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }

# The id in the name of a test, "field.FieldTimes.B001AnEvent…"; "" where it has none.
function id_of(test,    match_) {
  return match(test, /\.(B[0-9][0-9][0-9])[A-Z]/, match_) ? match_[1] : ""
}

function check_tests(id, cell,    name, rest, names) {
  if (cell ~ /^needs /) {
    if (!(substr(cell, 7) in capabilities)) bad(id " waits for \"" substr(cell, 7) "\", which is no capability known here")
    return
  }
  for (rest = cell; match(rest, /`([^`]+)`/, name);) {
    rest = substr(rest, RSTART + RLENGTH)
    names++
    named[name[1]] = 1
    if (!(name[1] in exists)) bad("the test " name[1] " of " id " does not exist in the build")
    if (id_of(name[1]) != "" && id_of(name[1]) != id) bad("the test " name[1] " belongs to " id_of(name[1]) ", not to " id)
  }
  if (!names) bad(id " names neither a test nor the capability that it waits for")
}

BEGIN {
  split("the checkpoint,forwarding", list, ",")
  for (i in list) capabilities[list[i]] = 1
  n = split(tests, list, "\n")
  for (i = 1; i <= n; i++) exists[list[i]] = 1
  n = split(ids, list, /[ \n]+/)
  for (i = 1; i <= n; i++) if (list[i] != "") wanted[list[i]] = 1
}

/^\| id / { last = "" }  # each section has its own order

/^\| B[0-9]/ {
  split($0, cells, "|")
  id = trim(cells[2])
  if (id in rows) bad(id " has a second row")
  if (id <= last) bad(id " stands behind " last)
  if (!(id in wanted)) bad(id " is not among the ids that the table is to have")
  rows[id] = 1
  last = id
  if (trim(cells[3]) == "" || trim(cells[4]) == "") bad(id " does not say what went wrong and what happens here")
  check_tests(id, trim(cells[5]))
}

END {
  for (id in wanted) if (!(id in rows)) bad(id " has no row")
  for (test in exists) if (id_of(test) != "" && !(test in named)) bad("the test " test " stands in no row")
  if (violations > 0) exit 1
  print length(rows) " failures, " length(named) " tests"
}' docs/field-failures.md
