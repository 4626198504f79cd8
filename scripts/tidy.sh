#!/usr/bin/env bash
# clang-tidy, by .clang-tidy, on the product's code. What has passed is remembered by its preprocessed text, so that only
# what a change touches is looked at again.
#   scripts/tidy.sh            src
#   scripts/tidy.sh FOLDER...  other folders, for example tests
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || { echo "clang-tidy is missing; scripts/install-deps.sh --ci installs it" >&2; exit 1; }

cmake --preset tidy >/dev/null
passed=${XDG_CACHE_HOME:-$HOME/.cache}/kube-events-exporter/tidy
mkdir -p "$passed"
export passed

# Looks at one file: its path and the command that compiles it.
look_at() {
  local key
  key=$( (clang-tidy --version; cat .clang-tidy; cd "$2" && eval "${3% -o *} -E -P $1") | sha256sum | cut -d ' ' -f 1)
  [ -e "$passed/$key" ] && return 0
  clang-tidy --quiet -p build/tidy "$1" 2>/dev/null || { echo "clang-tidy: $1" >&2; return 1; }
  touch "$passed/$key"
}
export -f look_at

folders=("${@:-src}")
# file, folder and command of each translation unit, each ended by a NUL.
units=$(mktemp)
trap 'rm -f "$units"' EXIT
jq -j --arg root "$PWD/" '.[]
  | select(.file | ltrimstr($root) as $file | any($ARGS.positional[]; . as $folder | $file | startswith($folder + "/")))
  | .file, "\u0000", .directory, "\u0000", .command, "\u0000"' build/tidy/compile_commands.json --args "${folders[@]}" >"$units"
xargs -0 -n 3 -P "$(nproc)" bash -c 'look_at "$@"' look_at <"$units"
echo "clang-tidy finds nothing in $(($(tr -cd '\0' <"$units" | wc -c) / 3)) files"
