#!/usr/bin/env bash
# Records samples/users.bin anew: target-app behind `replay record`, and real clients in front: curl, wrk, Python's
# http.client with keep-alive, and a pipelining socket. Takes about 15 s; needs curl, wrk and python3.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$root/samples/users.bin}
seconds=10
app_port=18090
port=18091
log=$(mktemp -d)
pids=()
trap 'for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; wait; rm -r "$log"' EXIT

await() {
  for _ in $(seq 100); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
    sleep 0.1
  done
  echo "record.sh: nothing answers on port $1: $(cat "$log"/*)" >&2
  exit 1
}

"$root/replay" --version >/dev/null # builds what is missing
java -jar "$root"/target-app/target/lockstep/lib/lockstep-target-app-*.jar --port $app_port >"$log/app" 2>&1 &
pids+=($!)
await $app_port
"$root/replay" record --listen 127.0.0.1:$port --upstream 127.0.0.1:$app_port -o "$out" --force >"$log/record" 2>&1 &
recorder=$!
pids+=("$recorder")
# It warms up before it listens, and says so first. A connection that only asks would be in the capture.
for _ in $(seq 100); do grep -qs ^Recording "$log/record" && break; sleep 0.1; done

url=http://127.0.0.1:$port
python3 "$root/samples/clients.py" $port $seconds &
clients=$!
wrk -t1 -c4 -d${seconds}s -s "$root/samples/wrk.lua" "$url" >/dev/null &
load=$!
for index in $(seq 20); do
  curl -sS -o /dev/null "$url/users/$index"
  curl -sS -o /dev/null -X POST -H 'Content-Type: application/json' \
    -d "{\"name\":\"Curl $index\",\"email\":\"c$index@example.org\",\"city\":\"Bern\",\"age\":$((20 + index))}" "$url/user"
  curl -sS -o /dev/null -H 'Transfer-Encoding: chunked' -H 'Expect: 100-continue' -X PUT \
    -d '{"name":"Chunk","email":"k@example.org","city":"Bern","age":33}' "$url/user/00000000-0000-8000-8000-000000000007"
  curl -sS "$url/user/not-a-uuid" "$url/user/00000000-0000-8000-8000-00000000000$((index % 10))" >/dev/null
  sleep 0.4
done
wait "$clients" "$load"
kill -TERM "$recorder" # a shell starts background jobs with SIGINT ignored
if ! wait "$recorder"; then # it ends with 0 where the signal was all that ended it
  echo "record.sh: $out is not whole: $(tail -n 1 "$log/record")" >&2
  exit 1
fi
cat "$log/record"
