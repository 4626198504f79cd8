#!/usr/bin/env bash
# Installs the Debian packages that building and testing need. Quiet when all of them are there.
#   scripts/install-deps.sh          what scripts/build.sh, scripts/test.sh and scripts/demo.sh need
#   scripts/install-deps.sh --clang  also clang with its sanitizers and libFuzzer (scripts/test.sh --preset, scripts/fuzz.sh)
#   scripts/install-deps.sh --ci     also clang's tools, promtool and etcd (scripts/test.sh --e2e and .ci/run)
set -euo pipefail

packages=(
  build-essential ca-certificates ccache cmake curl gawk git jq ninja-build pkg-config
  libabsl-dev libboost-dev libboost-system-dev libcli11-dev libcpprest-dev libexpected-dev libgmock-dev libgtest-dev
  libsimdjson-dev libspdlog-dev libssl-dev libxxhash-dev libyaml-cpp-dev nlohmann-json3-dev prometheus-cpp-dev
  zlib1g-dev
)
clang_packages=(clang libclang-rt-dev lld llvm)
ci_packages=("${clang_packages[@]}" clang-format clang-tidy etcd-server prometheus)

case "${1:-}" in
  '') ;;
  --clang) packages+=("${clang_packages[@]}") ;;
  --ci) packages+=("${ci_packages[@]}") ;;
  *) echo "usage: $0 [--clang|--ci]" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "$0: not root and no sudo; install these packages yourself: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing ${#missing[@]} Debian packages: ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A service that a package brings (etcd, prometheus) is not wanted here: tests start their own on free ports.
export DEBIAN_FRONTEND=noninteractive
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
       apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "$0: installing failed; see the lines above" >&2
  exit 1
fi
