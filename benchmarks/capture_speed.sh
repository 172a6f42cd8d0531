#!/bin/sh
# How fast captures are written and scanned, beside memcpy and plain file access in the same run; see CaptureSpeed.java.
# usage: benchmarks/capture_speed.sh [FOLDER [MEBIBYTES [ROUNDS]]]      (build first: mvn -q -pl capture package)
# The default folder is in memory, so that closing a file waits for no disk.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
zstd=$(find "$HOME/.m2/repository/com/github/luben/zstd-jni" -name 'zstd-jni-*.jar' | sort | tail -n 1)
exec java -Xmx256m -XX:MaxDirectMemorySize=512m -cp "$root/capture/target/classes:$zstd" \
    "$root/benchmarks/CaptureSpeed.java" "${1:-/dev/shm}" "${2:-512}" "${3:-5}"
