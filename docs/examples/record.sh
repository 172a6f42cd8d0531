#!/usr/bin/env bash
# Makes the example outputs of this folder anew, from the checkout: docs/examples/record.sh [NAME...]
# Needs root (or delegated control groups), a JDK 17 and a JDK 25, and a quiet machine: about five hours for all.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
runs=$(mktemp -d)
only=$*

# Work that is the processor's: keys, ciphers, matrices, XML, streams, 40 requests a second for 10 s.
for request in "signverify?n=1&bytes=16384" "aesgcm?n=10&bytes=16384" "lu?n=100" "xml?n=100" "streams?n=10000"; do
  echo "http://localhost/cpu/$request"
done >"$runs/kinds.txt"
for ((i = 0; i < 80; i++)); do cat "$runs/kinds.txt"; done >"$runs/requests.txt"
cpu=$runs/cpu.bin
./replay import "$runs/requests.txt" --rate 40 -o "$cpu" >/dev/null || exit

example() {
  local name=$1 capture=$2 status=0
  shift 2
  if [[ -n $only && " $only " != *" $name "* ]]; then
    return
  fi
  ./replay "$@" --output full -o "$runs/$name" "$capture" >"$runs/$name.txt" 2>"$runs/$name.err" || status=$?
  if [[ $status != [03] ]]; then
    echo "record.sh: $name stays as it was, for replay ended with $status: $(tail -n 3 "$runs/$name.err")" >&2
    return
  fi
  {
    printf '$ ./replay'
    printf ' %s' "$@"
    printf ' --output full %s\n\n' "${capture/#$runs\//}"
    sed -e "s#$PWD/#CHECKOUT/#g" -e "s#$runs/##g" "$runs/$name.txt"
    printf '\n$ echo $?\n%s\n' "$status"
  } >"docs/examples/$name.txt"
}

users=samples/users.bin
four=c2,graal,c2@25,graal@25
example users $users --targets $four --verdict --max-launches 6
example cpu "$cpu" --targets $four --verdict --max-launches 6
example escape-analysis-c2 $users --targets c2,without=c2 --jvm-options without=-XX:-DoEscapeAnalysis --verdict
example escape-analysis-graal $users --targets graal,without=graal \
  --jvm-options without=-Dgraal.PartialEscapeAnalysis=false --verdict
example escape-analysis-c2-25 $users --targets c2@25,without=c2@25 \
  --jvm-options without=-XX:-DoEscapeAnalysis --verdict
example escape-analysis-graal-25 $users --targets graal@25,without=graal@25 \
  --jvm-options without=-Djdk.graal.PartialEscapeAnalysis=false --verdict
example cpu-escape-analysis-c2 "$cpu" --targets c2,without=c2 --jvm-options without=-XX:-DoEscapeAnalysis \
  --verdict --max-launches 6
example cpu-escape-analysis-graal "$cpu" --targets graal,without=graal \
  --jvm-options without=-Dgraal.PartialEscapeAnalysis=false --verdict --max-launches 6
example cpu-escape-analysis-c2-25 "$cpu" --targets c2@25,without=c2@25 --jvm-options without=-XX:-DoEscapeAnalysis \
  --verdict --max-launches 6
example cpu-escape-analysis-graal-25 "$cpu" --targets graal@25,without=graal@25 \
  --jvm-options without=-Djdk.graal.PartialEscapeAnalysis=false --verdict --max-launches 6
example 128m $users --targets $four -z 10s --memory 128m
example 256m $users --targets $four -z 10s --memory 256m
