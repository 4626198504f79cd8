#!/usr/bin/env bash
# Checks what readers of the documentation follow or copy: relative links lead to files and headings that exist, metrics
# and environment variables that are named anywhere exist, and the pinned version is the version of the project.
#   doc_links.sh [ROOT [MIN_LINKS]]   fewer links than MIN_LINKS are a failure: the scan must not pass on nothing
set -euo pipefail

root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
min_links=${2:-30}
cd "$root"
shopt -s globstar nullglob
documents=(*.md docs/**/*.md manifests/**/*.md tests/**/*.md)
texts=("${documents[@]}" manifests/**/*.yaml manifests/Kustomization* Dockerfile*)

violations=0
links=0
bad() { echo "$1" >&2; violations=$((violations + 1)); }

# "LINE<tab>TARGET" for every link outside code blocks, from [text](target) and [name]: target.
links_of() {
  gawk '
    /^[ ]*```/ { fenced = !fenced; next }
    fenced { next }
    {
      gsub(/`[^`]*`/, "")
      line = $0
      if (match(line, /^\[[^]]+\]:[ ]*([^ ]+)/, m)) { print FNR "\t" m[1]; next }
      while (match(line, /\]\(([^)]+)\)/, m)) { print FNR "\t" m[1]; line = substr(line, RSTART + RLENGTH) }
    }' "$1"
}

# The anchors of a document, as Git forges make them of its headings.
anchors_of() {
  gawk '
    /^[ ]*```/ { fenced = !fenced; next }
    !fenced && /^#+ / {
      sub(/^#+ /, ""); $0 = tolower($0); gsub(/[^a-z0-9 _-]/, ""); gsub(/ /, "-"); print
    }' "$1"
}

for document in "${documents[@]}"; do
  while IFS=$'\t' read -r line target; do
    links=$((links + 1))
    case "$target" in
      http://* | https://* | mailto:*) continue ;;
    esac
    path=${target%%#*}
    file=$document
    if [ -n "$path" ]; then file=$(realpath -m --relative-to=. "$(dirname "$document")/$path"); fi
    if [ ! -e "$file" ]; then
      bad "$document:$line: $target does not exist"
    elif [[ $target == *#* && $file == *.md ]] && ! anchors_of "$file" | grep -qxF -- "${target#*#}"; then
      bad "$document:$line: $file has no heading #${target#*#}"
    fi
  done < <(links_of "$document")
done
[ "$links" -ge "$min_links" ] || bad "README.md:1: only $links links were found, at least $min_links exist"

# Every name in the texts that looks like one of ours has to be in the table of the document that declares it.
# check_names PATTERN TABLE WHAT
check_names() {
  local file line name declared
  declared=$(grep -oE '`[A-Za-z_]+`' "$2" | tr -d '`' | sort -u)
  while IFS=: read -r file line name; do
    grep -qxF -- "$name" <<<"$declared" && continue
    grep -qxF -- "$(sed -E 's/_(bucket|sum|count)$//' <<<"$name")" <<<"$declared" && continue
    bad "$file:$line: $3 $name is not in $2"
  done < <(grep -onHE "$1" "${texts[@]}" | sort -u)
}
check_names '\bkube_events_(total|exporter_[a-z_]*[a-z])\b' docs/metrics.md metric
check_names '\bKUBE_EVENTS_EXPORTER_[A-Z_]*[A-Z]\b' docs/cli.md 'environment variable'

version=$(sed -nE 's/^project\(kube-events-exporter VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || bad "CMakeLists.txt:1: the version of the project was not found"
while IFS=: read -r file line found; do
  [ "${found##*:}" = "$version" ] || bad "$file:$line: the image is pinned to ${found##*:}, the project's version is $version"
done < <(grep -onHE 'kube-events-exporter:[0-9]+\.[0-9]+\.[0-9]+' "${texts[@]}")
grep -qE "^## $version\b|^## \[$version\]" CHANGELOG.md || bad "CHANGELOG.md:1: nothing is said about version $version"

[ "$violations" -eq 0 ] || exit 1
echo "$links links, names of metrics and variables, and versions in ${#texts[@]} files are right"
