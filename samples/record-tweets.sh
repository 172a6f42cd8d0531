#!/usr/bin/env bash
# Records the tweet service: Finagle's server behind `replay record`, and Finagle's client in front.
#
#   samples/record-tweets.sh [OUT [PROTOCOL [KIND [RATE [SECONDS [SESSIONS]]]]]]
#
# OUT: samples/tweets.bin. PROTOCOL: thrift (replays to libthrift and Finagle), ttwitter or thriftmux (to Finagle).
# KIND: tweets or graph. RATE: calls a second.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
replay=$root/replay
[[ -e $replay ]] || replay=$root/bin/replay # installed
out=${1:-$root/samples/tweets.bin}
protocol=${2:-thrift}
kind=${3:-tweets}
rate=${4:-150}
seconds=${5:-10}
sessions=${6:-8}
lib=$root/services/finagle/target/lockstep/lib
log=$(mktemp -d)
pids=()
trap 'for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; wait; rm -r "$log"' EXIT

# Waits for the line of a server that says where it listens, and prints the port.
port_in() {
  for _ in $(seq 300); do
    if [[ $(cat "$1") =~ $2 ]]; then
      echo "${BASH_REMATCH[1]}"
      return
    fi
    sleep 0.1
  done
  echo "record-tweets.sh: no server after 30 s: $(cat "$log"/*)" >&2
  exit 1
}

"$replay" --version >/dev/null # builds what is missing
java -jar "$lib"/lockstep-finagle-*.jar --port 0 >"$log/server" 2>&1 &
pids+=($!)
upstream=$(port_in "$log/server" 'ready: [a-z]*://127.0.0.1:([0-9]+)')
"$replay" record --listen 127.0.0.1:0 --upstream "127.0.0.1:$upstream" --compress zstd -o "$out" --force >"$log/record" 2>&1 &
recorder=$!
pids+=("$recorder")
listen=$(port_in "$log/record" '127.0.0.1:([0-9]+)')
java -cp "$lib/*" dev.lockstep.finagle.FinagleClient --port "$listen" --protocol "$protocol" --kind "$kind" \
  --rate "$rate" --seconds "$seconds" --sessions "$sessions"
kill -TERM "$recorder" # a shell starts background jobs with SIGINT ignored
wait "$recorder" || true
cat "$log/record"
