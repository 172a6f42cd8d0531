#!/usr/bin/env bash
# Builds the images of this folder and runs the compose file, with Podman and without a registry: each image that a registry
# would give is replaced by a Debian of its own name with the JVM that Debian, or this machine, has. So Dockerfiles,
# compose file, users, capabilities, read-only roots, caps and cpusets are those that people get; the JVMs of GraalVM CE,
# Semeru and Prime are not.
#
#   mvn -Pdist -DskipTests package && docker/try.sh
#
# Needs root, podman, runc, mmdebstrap (Debian's packages), podman-compose (PyPI) and a JDK 25. A few minutes.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
for tool in podman runc mmdebstrap podman-compose; do
  type -P "$tool" >/dev/null || { echo "no $tool" >&2; exit 1; }
done
jdk25=$(ls -d /usr/lib/jvm/*25* | head -1)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/lockstep-build
mkdir -p "$cache"
work=$(mktemp -d)
cat >"$work/containers.conf" <<END
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
END
printf 'unqualified-search-registries = ["docker.io"]\n' >"$work/registries.conf"
printf '[storage]\ndriver = "overlay"\ngraphroot = "%s/storage"\nrunroot = "%s/run"\n' "$work" "$work" >"$work/storage.conf"
export CONTAINERS_CONF=$work/containers.conf CONTAINERS_REGISTRIES_CONF=$work/registries.conf
export CONTAINERS_STORAGE_CONF=$work/storage.conf
end() {
  podman rm --all --force >/dev/null 2>&1 || true
  podman unshare true 2>/dev/null || true
  umount -q "$work/storage/overlay" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap end EXIT
ok() {
  printf 'ok:     %s, %s s\n' "$*" "$SECONDS"
}
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# stand_in IMAGE FILE PACKAGES
stand_in() {
  local sources=/etc/apt/sources.list
  [[ -s $sources ]] || sources=/etc/apt/sources.list.d/debian.sources
  if [[ ! -e $cache/$2 ]]; then
    mmdebstrap --quiet --variant=minbase --include="$3" --aptopt='APT::Install-Recommends "false"' \
      "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$cache/$$-$2" "$sources"
    mv "$cache/$$-$2" "$cache/$2"
  fi
  podman import --quiet "$cache/$2" "$1" >/dev/null
}
stand_in docker.io/library/eclipse-temurin:17-jdk-noble debian-java17.tar openjdk-17-jre-headless,util-linux
podman tag docker.io/library/eclipse-temurin:17-jdk-noble docker.io/library/eclipse-temurin:21-jre-noble
stand_in docker.io/library/redis:7.4 debian-redis.tar redis-server
printf 'FROM scratch\nCOPY . /opt/java/openjdk\n' >"$work/Jdk25"
podman build --quiet -f "$work/Jdk25" -t docker.io/library/eclipse-temurin:25-jdk-noble "$jdk25" >/dev/null
ok "stand-ins for the images of a registry"

export MEMORY=128m DATA=$work/data DURATION=5s TARGETS=hotspot=127.0.0.1:18081 USER_ID=10002 GROUP_ID=10002
install -d -o 10002 -g 10002 "$DATA"
podman build --quiet -f Dockerfile -t lockstep:latest ../distribution/target >/dev/null
podman build --quiet --build-arg JVM=eclipse-temurin:21-jre-noble -t lockstep-hotspot:latest targets >/dev/null
ok "images of both Dockerfiles"

compose() {
  podman-compose --project-name lockstep-try -f compose.yaml "$@"
}
podman run --rm --read-only --tmpfs /tmp:exec --cap-drop all --network none lockstep --version
podman run --rm --read-only --tmpfs /tmp:exec --cap-drop all --network none -v "$DATA:/data" --user 10002:10002 lockstep \
  --targets c2@25,graal@25 --warmup 1s -z 2s -c 4 --max-lag 10s -o /data/started /opt/replay/samples/users.bin >"$work/started.txt" ||
  fail "c2 and graal in one container: $(cat "$work/started.txt")"
ok "c2 and graal of JDK 25 inside the image, with nothing but loopback"

compose --profile targets up -d redis hotspot >"$work/up.txt" 2>&1 || fail "up: $(cat "$work/up.txt")"
hotspot=$(podman ps --quiet --filter name=hotspot)
limits() {
  podman inspect "$hotspot" --format '{{.HostConfig.Memory}} {{.HostConfig.CpusetCpus}} {{.HostConfig.ReadonlyRootfs}} {{.Config.User}} {{.EffectiveCaps}}'
}
[[ $(limits) == "134217728 1 true 10002:10002 []" ]] || fail "limits of the target: $(limits)"
ok "Redis and a target under $(limits)"

compose --profile tools up -d record >"$work/up.txt" 2>&1 || fail "record: $(cat "$work/up.txt")"
python3 - <<'END' || fail "the recorder does not answer: $(podman logs --latest 2>&1 | tail -5)"
import time, urllib.request
for attempt in range(300):
    try:
        for i in range(50):
            urllib.request.urlopen(f"http://127.0.0.1:18080/users/{i}").read()
        break
    except OSError:
        time.sleep(0.2)
else:
    raise SystemExit("no answer in a minute")
END
compose --profile tools stop record >"$work/up.txt" 2>&1
podman run --rm --read-only --tmpfs /tmp:exec --cap-drop all -v "$DATA:/data" --user 10002:10002 lockstep verify /data/capture.bin
ok "recorded through the recorder's container"

CAPTURE=/data/capture.bin compose --profile tools run --rm replay >"$work/replay.txt" 2>&1 || status=$?
# 3: this machine was too busy to judge latencies.
[[ ${status:-0} == [03] ]] || fail "replay: $(tail -20 "$work/replay.txt")"
compose --profile tools run --rm report >"$work/report.txt" 2>&1 || fail "report: $(cat "$work/report.txt")"
[[ -s $DATA/run/report.html && -s $DATA/run/run.json ]] || fail "no report: $(ls -la "$DATA" "$DATA/run")"
[[ $(stat -c %u "$DATA/run/run.json") == 10002 ]] || fail "results belong to $(stat -c %u "$DATA/run/run.json")"
ok "replayed and reported (exit code ${status:-0})"
compose --profile targets --profile tools down >/dev/null 2>&1 || true
