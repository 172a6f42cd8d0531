#!/bin/sh
# Whether a long run needs more memory than a short one: replays the sample to a server of its own and prints the
# replayer's resident memory once a minute, then how much it grew after the first minute.
# usage: benchmarks/soak_memory.sh [MINUTES [RATE [PORT]]]      (default: 30 minutes, 200 requests/s, port 24500)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
minutes=${1:-30} rate=${2:-200} port=${3:-24500}
directory=$(mktemp -d)
server='' run=''
end() {
    # Only what was started here.
    for pid in $run $server; do
        kill "$pid" 2>/dev/null || true
    done
    rm -rf "$directory"
}
trap end EXIT
trap 'exit 1' INT TERM

java -Xmx32m "$root/benchmarks/StallServer.java" "$port" 0 1000 &
server=$!
sleep 3
"$root/replay" --targets "soak=127.0.0.1:$port" -c 10 -q "$rate" -z "${minutes}m" --warmup 5s --output full -o "$directory/run" \
    "$root/samples/users.bin" >"$directory/report" 2>"$directory/errors" &
run=$!

rss() {
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$run/status"
}
# The clock of the minutes starts with the measured phase.
while [ ! -e "$directory/run/intervals.jsonl" ]; do
    kill -0 "$run" 2>/dev/null || { cat "$directory/errors" >&2; exit 1; }
    sleep 0.2
done
minute=0 first='' last=''
echo "minute  RSS KiB  growth since the first minute KiB"
while [ "$minute" -lt "$minutes" ]; do
    # A moment less, so that the run has not ended when it is looked at last.
    sleep "$([ "$minute" = 0 ] && echo 58 || echo 60)"
    minute=$((minute + 1))
    last=$(rss)
    : "${first:=$last}"
    printf '%6d  %7d  %d\n' "$minute" "$last" "$((last - first))"
done
status=0
wait "$run" || status=$?
run=''
# 3 is a run in which the replayer was late, on a busy machine: its memory counts all the same.
if [ "$status" != 0 ] && [ "$status" != 3 ]; then
    cat "$directory/errors" >&2
    exit 1
fi
sed -n '/^Summary/,/^$/p;/^what failed/,/^$/p;/^Notes/,$p' "$directory/report"
du -ks "$directory/run" | sed 's/\t.*/ KiB in the run directory/'
