#!/usr/bin/env bash
# Compares what the code includes with the table of allowed links in docs/architecture.md, and the length of files with
# the limits stated there. Prints one line per violation, file:line first, and fails if there is one.
#   include_scan.sh [ROOT [MIN_FILES]]   ROOT: of the repository; MIN_FILES: fewer scanned files are a failure too
set -euo pipefail

root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
min_files=${2:-100}
cd "$root"

shopt -s globstar nullglob
files=(include/kube_events/*/**/*.h src/*/**/*.h src/*/**/*.cpp src/*/CMakeLists.txt)

gawk -v min_files="$min_files" '
function bad(where, what) { print where ": " what; violations++ }
function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }

# Third-party headers by the name that the table uses; "" for the C++ and C libraries, "?" for what nobody knows.
function owner(header) {
  if (header ~ /^spdlog\//) return "spdlog"
  if (header ~ /^tl\//) return "tl-expected"
  if (header ~ /^(cpprest|pplx)\//) return "cpprestsdk"
  if (header ~ /^boost\//) return "Boost"
  if (header ~ /^openssl\//) return "OpenSSL"
  if (header ~ /^nlohmann\//) return "nlohmann-json"
  if (header ~ /^yaml-cpp\//) return "yaml-cpp"
  if (header ~ /^simdjson/) return "simdjson"
  if (header ~ /^absl\//) return "Abseil"
  if (header ~ /^xxhash\.h$/) return "xxHash"
  if (header ~ /^prometheus\//) return "prometheus-cpp"
  if (header ~ /^zlib\.h$/) return "zlib"
  if (header ~ /^CLI\//) return "CLI11"
  if (header ~ /^[a-z_]+$/) return ""
  if (header ~ /^(arpa|net|netinet|sys)\/[a-z_]+\.h$/) return ""
  if (header ~ /^(dirent|dlfcn|fcntl|glob|limits|netdb|poll|pthread|signal|spawn|time|unistd)\.h$/) return ""
  return "?"
}

function read_table(document,    line, cells, inside, row, i, n, items, name) {
  while ((getline line < document) > 0) {
    row++
    if (line == "| library | may use | third party |") { inside = 1; continue }
    if (!inside || line ~ /^\|[-|: ]+\|$/) continue
    if (line !~ /^\|/) { inside = 0; continue }
    gsub(/`/, "", line)
    split(line, cells, "|")
    name = trim(cells[2])
    n = split(cells[3], items, ",")
    for (i = 1; i <= n; i++) {
      if (trim(items[i]) == "–") continue
      if (!(trim(items[i]) in known)) bad(document ":" row, name " may use " trim(items[i]) ", which is not above it")
      may_use[name, trim(items[i])] = 1
    }
    n = split(cells[4], items, ",")
    for (i = 1; i <= n; i++) third_party[name, trim(items[i])] = 1
    known[name] = 1
  }
  close(document)
  if (length(known) == 0) bad(document ":1", "the table of allowed links was not found")
}

function check_library(where, from, to) {
  if (to == from) return
  if (!(to in known)) bad(where, "library " to " is not in the table of docs/architecture.md")
  else if (!((from, to) in may_use)) bad(where, from " may not use " to)
}

function check_header(where, from, quoted, header, public_header,    parts, who) {
  if (header ~ /^kube_events\//) {
    split(header, parts, "/")
    check_library(where, from, parts[2])
    return
  }
  who = owner(header)
  if (quoted && (who == "?" || who == "")) {  # a header of the folder itself
    if (public_header) bad(where, "a public header may not include the private header " header)
    if (split(header, parts, "/") > 1 && parts[1] != from) bad(where, header " is private to " parts[1])
    return
  }
  if (who == "") return
  if (who == "?") { bad(where, header " belongs to no library that this scan knows; add it here and to the table"); return }
  if (!((from, who) in third_party)) bad(where, from " may not use " who " (" header ")")
  if (public_header && header !~ /^(nlohmann|prometheus)\// && header !~ /^tl\/expected/) {
    bad(where, "a public header may not include " header)
  }
}

function check_length() {
  if (last_file ~ /CMakeLists\.txt$/ || last_file == "") return
  if (last_line > 300) bad(last_file ":" last_line, "the file has more than 300 lines; cut it along the data flow")
  if (last_file ~ /^src\/programs\// && last_line > 30) bad(last_file ":" last_line, "a main has at most 30 lines")
}

BEGIN { read_table("docs/architecture.md") }

FNR == 1 {
  check_length()
  last_file = FILENAME
  scanned++
  split(FILENAME, path, "/")
  library = path[1] == "include" ? path[3] : path[2]
  if (!(library in known)) bad(FILENAME ":1", "library " library " is not in the table of docs/architecture.md")
  if (path[1] == "src") folders[library] = 1
  uses = 0
}

{ last_line = FNR }

FILENAME ~ /CMakeLists\.txt$/ {
  if ($1 == "USES") { uses = 1; $1 = "" }
  else if ($1 ~ /^(SOURCES|PUBLIC|PRIVATE)$/) uses = 0
  line = $0
  if (uses) {
    n = split(line, words, /[ \t()]+/)
    for (i = 1; i <= n; i++) if (words[i] != "") check_library(FILENAME ":" FNR, library, words[i])
  }
  while (match(line, /kube_events::[a-z_]+/)) {
    check_library(FILENAME ":" FNR, library, substr(line, RSTART + 13, RLENGTH - 13))
    line = substr(line, RSTART + RLENGTH)
  }
  if ($0 ~ /\)/) uses = 0
  next
}

match($0, /^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)/, m) {
  check_header(FILENAME ":" FNR, library, m[1] == "\"", m[2], path[1] == "include")
}

END {
  check_length()
  if (scanned < min_files) bad("docs/architecture.md:1", "only " scanned + 0 " files were scanned, at least " min_files " exist")
  for (name in known) if (!(name in folders)) bad("docs/architecture.md:1", "the table has " name ", but src/" name " is missing")
  if (violations > 0) exit 1
  print scanned " files keep to the table of docs/architecture.md"
}' "${files[@]}" </dev/null
