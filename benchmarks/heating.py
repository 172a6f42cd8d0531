#!/usr/bin/env python3
"""Does a JVM that was heated as fast as it answers end in the same state as after a long time at the recorded pace?

    benchmarks/heating.py [--jvms c2,graal,c2@25,graal@25] [--paced 1h] [--measure 60s] [--launches 3] DIRECTORY

For each JVM, launches of two kinds: heated (--warmup auto), and warmed up at the recorded pace (--warmup of --paced); both
are measured at the recorded pace for --measure, and then for 10 s at full load. Prints, per JVM, the medians of both and
heated / paced: CPU per request of the application, the JIT and the collector, allocation, code cache, heap, resident memory.

Each launch is kept in DIRECTORY; a launch that is there is not made again, so a run that was ended goes on where it was.
The paced launches of one number are made at the same time on one core, since 300 requests a second take some percent of it:
each starts --apart after the one before, so that none is measured beside another. Meanwhile, from a quarter of an hour after
the first start on, the heated ones are made one after another, so that all have the same neighbours.
CAPTURE=FILE replays another capture than the sample. QUIET=FILE is there while one is about to be measured or is measured,
for whoever else works on this machine.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAPTURE = os.environ.get("CAPTURE", str(ROOT / "samples/users.bin"))
APP = ROOT / "target-app/target/lockstep/lib/lockstep-target-app-0.1.0.jar"
# The JVM says itself how large its code cache is, when it ends.
TARGETS = 'targets:\n  - {{name: jvm, profile: {profile}, {jdk}command: "{{java}} -XX:+PrintCodeCache -jar \'{app}\' --port {{port}}"}}\n'
FIGURES = [("app us/req", "applicationCpuNs", 1e3), ("JIT us/req", "jitCpuNs", 1e3), ("GC us/req", "gcCpuNs", 1e3),
           ("alloc B/req", "allocatedBytes", 1)]
LEVELS = [("heap used MiB", "heapUsedBytes", 2**20), ("old MiB", "oldGenUsedBytes", 2**20), ("RSS MiB", "rssBytes", 2**20),
          ("GC cycles", "gcCycles", 1), ("p50 us", None, 1e3)]


class Quiet:
    """Tells by a file that quiet is needed, as long as anybody here needs it."""

    FILE = pathlib.Path(os.environ["QUIET"]) if "QUIET" in os.environ else None
    needed, lock = 0, threading.Lock()

    def __enter__(self):
        self.change(1)

    def __exit__(self, *_):
        self.change(-1)

    def change(self, by):
        with Quiet.lock:
            Quiet.needed += by
            if Quiet.FILE and Quiet.needed:
                Quiet.FILE.touch()
            elif Quiet.FILE:
                Quiet.FILE.unlink(missing_ok=True)


def seconds(duration):
    return int(duration[:-1]) * {"s": 1, "m": 60, "h": 3600}[duration[-1]]


def measure(jvm, kind, folder, arguments):
    """Makes one launch, unless it is there, and returns its figures, or None where it failed or was INVALID."""
    kept = folder / "figures.json"
    if kept.exists():
        return json.loads(kept.read_text())
    folder.mkdir(parents=True, exist_ok=True)
    targets = folder / "targets.yaml"
    profile, _, jdk = jvm.partition("@")
    targets.write_text(TARGETS.format(profile=profile, jdk=f"jdk: {jdk}, " if jdk else "", app=APP))
    warmup = ["--warmup", "auto", "--warmup-limit", arguments.limit] if kind == "heated" else ["--warmup", arguments.paced]
    command = [ROOT / "replay", "--targets-file", targets, *warmup, "--full-load", "10s", "-z", arguments.measure, "--max-lag",
               "100ms", "--json", "-o", folder / "run", "--force", CAPTURE]
    said = folder / "said.txt"
    with said.open("w") as err, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, text=True) as run:
        if kind == "paced":
            time.sleep(max(0, seconds(arguments.paced) - 60))
        with Quiet():
            out, _ = run.communicate()
    if run.returncode not in (0, 3):
        print(f"{jvm} {kind} failed: {said.read_text()}", flush=True)
        return None
    if run.returncode == 3:
        print(f"{jvm} {kind}, not counted: INVALID: {'; '.join(json.loads(out)['statusReasons'])}", flush=True)
        return None
    target = json.loads(out)["targets"][0]
    figures = {name: target[field] / target["completed"] / unit for name, field, unit in FIGURES if field in target}
    figures.update({name: target[field] / unit for name, field, unit in LEVELS if field in target})
    if target.get("fullLoad"):
        figures["full load us/req"] = target["fullLoad"]["steadyCpuNsPerRequest"] / 1e3
    figures["p50 us"] = target["responseTimeNs"]["p50"] / 1e3
    code = sum(int(used) for used in re.findall(r"used=(\d+)Kb", (folder / "run/jvm.log").read_text()))
    if code:
        figures["code cache KiB"] = code
    figures["warm-up"] = target["warmup"]
    kept.write_text(json.dumps(figures, indent=2))
    return figures


def compare(jvm, heated, paced):
    print(f"\n{jvm} ({len(heated)} heated, {len(paced)} paced)\n{'':16}{'heated':>12}{'paced':>12}{'ratio':>9}")
    for name in [name for name in heated[0] if name != "warm-up"]:
        both = [statistics.median(figures[name] for figures in kind if name in figures) for kind in (heated, paced)]
        ratio = f"{both[0] / both[1]:9.3f}" if both[1] else f"{'-':>9}"
        print(f"{name:16}{both[0]:12.2f}{both[1]:12.2f}{ratio}")
    for kind, all_figures in (("heated", heated), ("paced", paced)):
        print(f"{kind + ':':16}" + ", ".join(
            f"{figures['warm-up']['state']} after {figures['warm-up']['durationNs'] / 1e9:.0f} s" for figures in all_figures))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jvms", default="c2,graal,c2@25,graal@25")
    parser.add_argument("--paced", default="1h", help="warm-up at the recorded pace")
    parser.add_argument("--limit", default="5m", help="of the heating")
    parser.add_argument("--measure", default="60s", help="how long each launch is measured")
    parser.add_argument("--apart", default="3m", help="between the starts of two paced launches")
    parser.add_argument("--launches", type=int, default=3)
    parser.add_argument("directory", type=pathlib.Path)
    arguments = parser.parse_args()
    jvms = arguments.jvms.split(",")
    found = {jvm: {"heated": [], "paced": []} for jvm in jvms}

    def launch(jvm, kind, number, after=0):
        folder = arguments.directory.resolve() / f"{jvm}-{kind}-{number}"
        if not (folder / "figures.json").exists():
            time.sleep(after)
        figures = measure(jvm, kind, folder, arguments)
        found[jvm][kind] += [figures] if figures else []

    for number in range(1, arguments.launches + 1):
        apart = seconds(arguments.apart)
        paced = [threading.Thread(target=launch, args=(jvm, "paced", number, i * apart)) for i, jvm in enumerate(jvms)]
        for thread in paced:
            thread.start()
        for i, jvm in enumerate(jvms):
            launch(jvm, "heated", number, 0 if i else min(seconds(arguments.paced) // 3, 15 * 60))
        for thread in paced:
            thread.join()
    for jvm, kinds in found.items():
        if kinds["heated"] and kinds["paced"]:
            compare(jvm, kinds["heated"], kinds["paced"])
    if any(len(figures) < arguments.launches for kinds in found.values() for figures in kinds.values()):
        sys.exit("some launches are missing: the same command makes them")


main()
