#!/usr/bin/env bash
# The program as a process: exit codes, one line on stderr, a prompt end. Usage: command_line_test.sh PROGRAM
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Nothing of the caller's environment may lead to a cluster.
unset KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
failures=0
checks=0
fail() { failures=$((failures + 1)); echo "FAILED: $*" >&2; }

# expect CODE TEXT ARGUMENTS...: the program exits with CODE and its last line on stderr has TEXT in it.
expect() {
  local code=$1 text=$2 got
  shift 2
  timeout 20 "$program" "$@" >"$work/out" 2>"$work/err"
  got=$?
  checks=$((checks + 1))
  [ "$got" -eq "$code" ] || fail "$*: exit code $got instead of $code: $(cat "$work/err")"
  [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$*: not one line: $(cat "$work/err")"
  grep -qF -- "$text" "$work/err" || fail "$*: '$text' is not in: $(cat "$work/err")"
  [ ! -s "$work/out" ] || fail "$*: wrote to stdout"
}

printf 'apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n%s\n' \
  'clusters: [{name: k, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {}}]' >"$work/good.yaml"
printf 'a: [b\n' >"$work/broken.yaml"
printf 'just text\n' >"$work/text.yaml"

expect 2 '--no-such-flag' --no-such-flag
expect 2 '--watch-interval' --watch-interval 5x
expect 2 '--log-level' --log-level loud --apiserver http://127.0.0.1:1
expect 2 '--reasons' --reasons '!' --apiserver http://127.0.0.1:1
expect 2 "$work/none.yaml" --kubeconfig "$work/none.yaml"
expect 2 "$work/broken.yaml" --kubeconfig "$work/broken.yaml"
expect 2 "$work/text.yaml" --kubeconfig "$work/text.yaml"
expect 2 'elsewhere' --kubeconfig "$work/good.yaml" --context elsewhere
expect 2 '--kubeconfig' --port 0
expect 2 '--exporter-port' --exporter-host 127.0.0.1 --apiserver http://127.0.0.1:1
expect 2 '--host' --host no-such-host.invalid --apiserver http://127.0.0.1:1
expect 2 'apiserver' --apiserver 'not a url' --port 0
KUBE_EVENTS_EXPORTER_PORT=none expect 2 'KUBE_EVENTS_EXPORTER_PORT' --apiserver http://127.0.0.1:1

# Sinks that cannot work, or that get in each other's way.
sink_of=(--apiserver http://127.0.0.1:1 --port 0)
expect 2 'write standard output' "${sink_of[@]}" --forward 'stdout:?name=a' --forward 'stdout:?name=b'
expect 2 "$work/f.1" "${sink_of[@]}" --forward "file://$work/f?name=a" --forward "file://$work/f.1?name=b"
expect 2 'use stdout:' "${sink_of[@]}" --forward 'file:///dev/stderr?max-bytes=10Ki'
expect 2 "the folder $work/none" "${sink_of[@]}" --forward "file://$work/none/f"
expect 2 'no UTF-8' "${sink_of[@]}" --forward $'file:///tmp/a\xff.json'
expect 2 "--forward-config: cannot read $work: it is a directory" "${sink_of[@]}" --forward-config "$work"

# Records must not go into whatever file gets the number of a closed stdout.
timeout 20 "$program" --kubeconfig "$work/good.yaml" --host 127.0.0.1 --port 0 --forward stdout: >&- 2>"$work/err"
code=$?
checks=$((checks + 1))
[ "$code" -eq 2 ] && grep -q 'standard output is closed' "$work/err" || fail "a closed stdout: $code: $(cat "$work/err")"

# A running one, for the port in use and the end by signal.
for signal in TERM INT; do
  : >"$work/log"  # what the one before wrote must not be taken for this one's
  "$program" --kubeconfig "$work/good.yaml" --host 127.0.0.1 --port 0 >"$work/stdout" 2>"$work/log" &
  pid=$!
  for _ in $(seq 200); do grep -q 'serving port=' "$work/log" && break; sleep 0.05; done
  port=$(sed -n 's/.*serving port=\([0-9]*\).*/\1/p' "$work/log" | head -n 1)
  [ -n "$port" ] || fail "the program does not serve: $(cat "$work/log")"
  [ "$signal" = INT ] || expect 1 "$port" --kubeconfig "$work/good.yaml" --host 127.0.0.1 --port "$port"
  kill -s "$signal" "$pid"
  # The exit code tells whether it ended by itself within 2 s.
  timeout 2 tail --pid="$pid" -s 0.02 -f /dev/null || kill -KILL "$pid"
  wait "$pid"
  code=$?
  checks=$((checks + 1))
  [ "$code" -eq 0 ] || fail "SIG$signal: exit code $code instead of 0"
  [ ! -s "$work/stdout" ] || fail "something was written to stdout"
done

# Stuck in a write to a log that nobody reads, it still ends in time.
mkfifo "$work/full"
exec 9<>"$work/full"
dd if=/dev/zero of="$work/full" bs=4096 count=1000 oflag=nonblock 2>/dev/null
"$program" --kubeconfig "$work/good.yaml" --host 127.0.0.1 --port 0 2>"$work/full" &
pid=$!
# Blocked once it sleeps in a write to the pipe.
for _ in $(seq 200); do grep -q pipe_write "/proc/$pid/wchan" "/proc/$pid/stack" 2>/dev/null && break; sleep 0.05; done
kill -s TERM "$pid"
timeout 4 tail --pid="$pid" -s 0.02 -f /dev/null || { fail "SIGTERM does not end a program that is stuck"; kill -KILL "$pid"; }
wait "$pid"
checks=$((checks + 1))
exec 9>&-

"$program" --help >"$work/out" 2>&1 && grep -q -- --watch-interval "$work/out" || fail '--help'
"$program" --version >"$work/out" 2>&1 && grep -q '^kube-events-exporter [0-9]' "$work/out" || fail '--version'
echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
