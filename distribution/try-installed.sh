#!/usr/bin/env bash
# Installs what mvn -Pdist package made into a fresh Debian root and uses it there: as a user of its own, with the whole
# root read-only but for /tmp and the user's home. Says what it checked; exit code 1 at the first thing that is not so.
#
#   distribution/try-installed.sh         needs root, mmdebstrap and the network the first time; later three minutes
#   distribution/try-installed.sh root    only makes the Debian root, unless there is one
#
# The root is kept as an archive in ~/.cache/lockstep-build; remove that to have it made anew.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/lockstep-build/debian-java17.tar
if [[ ! -e $cache ]]; then
  mkdir -p "${cache%/*}"
  sources=(/etc/apt/sources.list /etc/apt/sources.list.d/debian.sources)
  for file in "${sources[@]}"; do
    [[ -s $file ]] && source=$file
  done
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # Exactly what the package asks for, and nothing that it recommends.
  mmdebstrap --quiet --variant=minbase --include=openjdk-17-jre-headless,util-linux \
    --aptopt='APT::Install-Recommends "false"' "$suite" "$cache.$$.tar" "$source"
  mv "$cache.$$.tar" "$cache"
  echo "ok:     made a Debian $suite with Java 17, $SECONDS s"
fi
[[ ${1:-} != root ]] || exit 0

cd "$(dirname "${BASH_SOURCE[0]}")/target"
archive=$(echo replay-*.tar.gz)
package=$(echo replay_*_all.deb)
[[ -e $archive && -e $package ]] || { echo "nothing to install: mvn -Pdist -DskipTests package makes it" >&2; exit 1; }
name=${archive%.tar.gz}

root=$(mktemp -d)
# Mounts below it are in a namespace of their own and end with it.
trap 'rm -rf --one-file-system "$root"' EXIT
tar -xf "$cache" -C "$root"
cp "$package" "$root/"
chroot "$root" dpkg --install "/$package" >"$root/dpkg.log" 2>&1 || { cat "$root/dpkg.log" >&2; exit 1; }
tar -xzf "$archive" -C "$root/opt" --no-same-owner
rm "$root/$package"
mkdir -p "$root/home/user"
chroot "$root" useradd --uid 1000 user
version=$(chroot "$root" dpkg-query --show --showformat '${Version}' replay)
[[ $(zcat "$root/usr/share/doc/replay/changelog.gz" | head -1) == "replay ($version) "* ]] ||
  { echo "FAILED: the newest entry of distribution/src/deb/changelog is not of $version" >&2; exit 1; }
echo "ok:     the package and the archive are installed, $SECONDS s"

python3 - "$root/opt/$name" <<'END'
import glob, hashlib, json, os, sys

folder = sys.argv[1]
parts = json.load(open(glob.glob(folder + "/*.cdx.json")[0]))["components"]
known = {h["content"] for part in parts for h in part.get("hashes", []) if h["alg"] == "SHA-256"}
names = {part["name"] for part in parts}
jars = glob.glob(folder + "/**/*.jar", recursive=True)
missing = []
# A jar's own lines in the list of licences, whose last names its texts.
licences = dict(entry.split("\n", 1) for entry in open(folder + "/THIRD-PARTY.txt").read().split("\n\n")[1:])
for jar in jars:
    file = jar.rsplit("/", 1)[1]
    ours = file.startswith("lockstep-")
    # Ours are made after the list.
    if not (any(file.startswith(n) for n in names) if ours else hashlib.sha256(open(jar, "rb").read()).hexdigest() in known):
        missing.append(jar)
    if not ours:
        texts = licences[file].rsplit("text: ", 1)[1].split(", ")
        if not all(os.path.getsize(os.path.join(folder, text.strip())) > 100 for text in texts):
            sys.exit(f"{file}: a text of its licence is missing: {texts}")
if missing or len(jars) < 60:
    sys.exit(f"not in the list of parts: {missing} of {len(jars)} jars")
print(f"ok:     each of {len(jars)} jars is in the CycloneDX list, by its SHA-256 where it is not ours, and there is a text of its licence")
END

# In its own mount namespace: the root read-only, and what a system has beside it.
cat >"$root/inside.sh" <<'END'
set -euo pipefail
cd /
fail() { echo "FAILED: $*" >&2; exit 1; }
( : >/usr/share/replay/lib/build-id ) 2>/dev/null && fail "the installation can be written"
version=$(replay --version)
[[ $version == "Lockstep "*" (commit "*")" ]] || fail "version: $version"
compgen -G "${XDG_CACHE_HOME:-$HOME/.cache}/lockstep/*.jsa" >/dev/null || fail "no class data archive"
# As where there is no place for one.
[[ $(XDG_CACHE_HOME=/none /opt/replay-*/bin/replay --version 2>&1) == "$version" ]] ||
  fail "the archive's replay says something else"
echo "ok:     $version, package and archive"

replay doctor >/tmp/doctor.txt || fail "doctor: $(cat /tmp/doctor.txt)"
cd /tmp
replay --targets c2,graal --warmup 1s -z 1s -c 4 --max-lag 10s --json -o /tmp/run /usr/share/replay/samples/users.bin \
  >/tmp/run.json 2>/tmp/errors.txt || fail "a run: $(cat /tmp/errors.txt)"
grep -q '"status" *: *"VALID"' /tmp/run.json || fail "a run: $(head -c 500 /tmp/run.json)"
grep -q 'JVMCI' /tmp/run.json || fail "no proof that Graal ran"
replay report --html /tmp/report.html /tmp/run >/dev/null || fail "a report"
[[ -s /tmp/report.html ]] || fail "no report"
echo "ok:     ran c2 and graal on the sample, and wrote a report"

# They start services of the archive: Finagle's server and client, which are recorded, and echo servers. Nothing is timed.
export LOCKSTEP_JAVA_OPTS='-XX:TieredStopAtLevel=1 -Dlockstep.selfWarmUpMs=20'
bash /usr/share/replay/samples/record-tweets.sh /tmp/tweets.bin thrift tweets 60 2 4 >/tmp/recorded.txt 2>/tmp/errors.txt ||
  fail "record-tweets.sh: $(cat /tmp/recorded.txt /tmp/errors.txt)"
grep -q 'Recorded [1-9]' /tmp/recorded.txt || fail "record-tweets.sh recorded nothing: $(cat /tmp/recorded.txt)"
replay experiment netty-buffers --smoke --json -o /tmp/netty-buffers >/tmp/netty-buffers.json 2>/tmp/errors.txt ||
  fail "experiment netty-buffers: $(cat /tmp/errors.txt)"
ends=$(grep -o '"end" *: *"[a-z ]*"' /tmp/netty-buffers.json | sort -u)
[[ $ends == *'"done"' && $ends != *$'\n'* ]] || fail "experiment netty-buffers, its parts: $ends; $(cat /tmp/errors.txt)"
echo "ok:     recorded a Finagle client, and ran the smoke of an experiment that needs services"

source /usr/share/bash-completion/completions/replay
COMP_LINE='replay rec' COMP_POINT=10 COMP_WORDS=(replay rec) COMP_CWORD=1
# Its compopt works inside a completion only.
_complete_replay 2>/dev/null || true
[[ " ${COMPREPLY[*]} " == *" record "* ]] || fail "bash completes to: ${COMPREPLY[*]}"
[[ -s /usr/share/man/man1/replay.1.gz && -s /usr/share/zsh/vendor-completions/_replay ]] || fail "no man page or completion"
echo "ok:     completion and man page are where shells and man look"
END
unshare --mount --pid --fork --kill-child bash -euc '
  root=$1
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  mount -t tmpfs -o mode=755,uid=1000,gid=1000 tmpfs "$root/home/user"
  mount -o remount,ro,bind "$root"
  exec chroot --userspec=1000:1000 "$root" env -i PATH=/usr/bin:/bin HOME=/home/user bash /inside.sh
' try "$root"
echo "ok:     all of it, $SECONDS s"
