#!/usr/bin/env bash
# clang-tidy, by .clang-tidy, on the product's code. What has passed is remembered by the contents of the file and of all
# that it includes, so that only what a change touches is looked at again.
#   scripts/tidy.sh            src
#   scripts/tidy.sh FOLDER...  other folders, for example tests, or one library
#   scripts/tidy.sh --deep     with the static analyzer too, which takes as long again
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || { echo "clang-tidy is missing; scripts/install-deps.sh --ci installs it" >&2; exit 1; }

extra=()
if [ "${1:-}" = --deep ]; then
  extra=(--checks='clang-analyzer-*')
  shift
fi
cmake --preset tidy >/dev/null
passed=${XDG_CACHE_HOME:-$HOME/.cache}/kube-events-exporter/tidy
mkdir -p "$passed"
find "$passed" -type f -mtime +30 -delete
# What every result depends on: the tool, its settings, and the headers of other libraries.
setting=$( (clang-tidy --version; cat .clang-tidy; echo "${extra[@]}"; dpkg-query -W 'lib*-dev' 2>/dev/null || true) | sha256sum)
checks=${extra[*]}
export passed setting checks

# The name of a result: of the command and of all files of the project that it reads, which are listed in a file.
name_of() {
  (echo "$setting"; echo "${1//$PWD/.}"; xargs -d '\n' sha256sum <"$2") | sha256sum | cut -d ' ' -f 1
}

# Looks at one file: its path from here, its folder and the command that compiles it.
look_at() {
  local list said
  list=$passed/${1//\//,}.files
  [ -e "$list" ] && [ -e "$passed/$(name_of "$3" "$list" 2>/dev/null)" ] && return 0
  said=$(clang-tidy --quiet -p build/tidy ${checks:+"$checks"} "$1" 2>/dev/null) || { printf '%s\nclang-tidy: %s\n' "$said" "$1" >&2; return 1; }
  (cd "$2" && eval "${3% -o *} -MM -MT x $OLDPWD/$1") | tr -d '\\' | tr -s ' ' '\n' | sed "/^x:\$/d; s|^$PWD/||; /^\$/d" >"$list.$$"
  mv "$list.$$" "$list"
  touch "$passed/$(name_of "$3" "$list")"
}
export -f name_of look_at

folders=("$@")
[ $# -gt 0 ] || folders=(src)
# file, folder and command of each translation unit, each ended by a NUL.
units=$(mktemp)
trap 'rm -f "$units"' EXIT
jq -j --arg root "$PWD/" '.[] | (.file | ltrimstr($root)) as $file
  | select(any($ARGS.positional[]; . as $folder | $file | startswith($folder + "/")))
  | $file, "\u0000", .directory, "\u0000", .command, "\u0000"' build/tidy/compile_commands.json --args "${folders[@]}" >"$units"
xargs -0 -n 3 -P "$(nproc)" bash -c 'look_at "$@"' look_at <"$units"
echo "clang-tidy finds nothing in $(($(tr -cd '\0' <"$units" | wc -c) / 3)) files"
