#!/usr/bin/env bash
# Makes the example outputs of this folder anew, from the checkout: docs/examples/record.sh [NAME...]
# Needs root (or delegated control groups), a JDK 17 and a JDK 25, and a quarter of an hour of a quiet machine.
set -uo pipefail
cd "$(dirname "$0")/../.."
runs=$(mktemp -d)

example() {
  local name=$1 status=0
  shift
  if [[ -n $only && " $only " != *" $name "* ]]; then
    return
  fi
  ./replay "$@" --output full -o "$runs/$name" samples/users.bin >"$runs/$name.txt" 2>/dev/null || status=$?
  {
    printf '$ ./replay'
    printf ' %s' "$@"
    printf ' --output full samples/users.bin\n\n'
    sed "s#$PWD/#CHECKOUT/#g" "$runs/$name.txt"
    printf '\n$ echo $?\n%s\n' "$status"
  } >"docs/examples/$name.txt"
}

only=$*
four=c2,graal,c2@25,graal@25
example uncapped --targets $four --quick -z 6s
example 128m --targets $four -z 10s --memory 128m
example 256m --targets $four -z 10s --memory 256m
example escape-analysis-c2 --targets c2,without=c2 --jvm-options without=-XX:-DoEscapeAnalysis --quick -z 6s
example escape-analysis-graal --targets graal,without=graal --jvm-options without=-Dgraal.PartialEscapeAnalysis=false --quick -z 6s
example escape-analysis-c2-25 --targets c2@25,without=c2@25 --jvm-options without=-XX:-DoEscapeAnalysis -z 10s
example escape-analysis-graal-25 --targets graal@25,without=graal@25 \
  --jvm-options without=-Djdk.graal.PartialEscapeAnalysis=false -z 10s
