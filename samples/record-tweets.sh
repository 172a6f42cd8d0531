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
# A recording that fails leaves no capture that looks whole, nor the former one at its place: that is OUT.before then.
part=$out.part
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
# Server and client live for a minute at most, in which nobody measures them: C2 would work beside the recorder for nothing.
short=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC)
log=$out.logs # beside what it belongs to: a kill leaves it, and the next recording takes its place
rm -rf "$log" "$part"
mkdir -p "$log"
if [[ -e $out ]]; then
  mv -f "$out" "$out.before"
fi
pids=()
# The kernel kills server and recorder when this shell dies, by kill -9 too.
with_us=()
if setpriv --pdeathsig keep true 2>/dev/null; then
  with_us=(setpriv --pdeathsig KILL)
else
  echo "record-tweets.sh: no setpriv with --pdeathsig (util-linux): after a kill -9 of this script end server and recorder by hand" >&2
fi
trap 'for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; wait; rm -rf "$log"' EXIT

# Waits for the line of the last program that was started which says where it listens, and sets the port: in no shell of
# its own, which a kill would leave waiting.
port_in() {
  local line
  for _ in {1..300}; do
    kill -0 "${pids[-1]}" 2>/dev/null || break
    if [[ -e $1 ]]; then
      while IFS= read -r line; do
        if [[ $line =~ $2 ]]; then
          port=${BASH_REMATCH[1]}
          return
        fi
      done <"$1"
    fi
    sleep 0.1
  done
  echo "record-tweets.sh: no server, it ended or took 30 s: $(cat "$log"/*)" >&2
  exit 1
}

"$replay" --version >/dev/null # builds what is missing
"${with_us[@]}" "$java" "${short[@]}" -jar "$lib"/lockstep-finagle-*.jar --port 0 >"$log/server" 2>&1 &
pids+=($!)
port_in "$log/server" 'ready: [a-z]*://127.0.0.1:([0-9]+)'
upstream=$port
"${with_us[@]}" "$replay" record --listen 127.0.0.1:0 --upstream "127.0.0.1:$upstream" --compress zstd -o "$part" --force >"$log/record" 2>&1 &
recorder=$!
pids+=("$recorder")
port_in "$log/record" '127.0.0.1:([0-9]+)'
"${with_us[@]}" "$java" "${short[@]}" -cp "$lib/*" dev.lockstep.finagle.FinagleClient --port "$port" --protocol "$protocol" --kind "$kind" \
  --rate "$rate" --seconds "$seconds" --sessions "$sessions"
kill -TERM "$recorder" # a shell starts background jobs with SIGINT ignored
if ! wait "$recorder"; then # it ends with 0 where the signal was all that ended it
  echo "record-tweets.sh: $part is not whole: $(tail -n 1 "$log/record")" >&2
  exit 1
fi
mv -f "$part" "$out"
rm -f "$out.before"
said=$(<"$log/record")
echo "${said//"$part"/"$out"}"
