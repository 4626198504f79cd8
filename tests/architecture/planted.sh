# For the scripts that show that a scan finds what it exists to find: a small tree, in which they plant one mistake at a
# time. Sourced; the script says what the $scan is, and its fresh_tree makes the $tree right again.
# shellcheck shell=bash
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

failures=0
report() { echo "$1" >&2; failures=$((failures + 1)); }

# expect_violation FILE:LINE WORDS TEXT: TEXT, as printf %b takes it, is appended to the file, and the scan has to name the
# line.
expect_violation() {
  local where=$1 words=$2 text=$3 output
  printf '%b\n' "$text" >>"$tree/${where%%:*}"
  if output=$("$scan" "$tree" 1 2>&1); then report "not found: $where: $words"; fi
  grep -qF "$where: " <<<"$output" && grep -qF "$words" <<<"$output" || report "expected \"$where: … $words\", got: $output"
  fresh_tree
}

# The last line of a script.
verdict() {
  [ "$failures" -eq 0 ] || exit 1
  echo "every planted mistake was found"
}
