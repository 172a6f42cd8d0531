#!/usr/bin/env python3
"""Does a JVM that was heated as fast as it answers end in the same state as after a long time at the recorded pace?

    benchmarks/heating.py [--jvms c2,graal,c2@25,graal@25] [--paced 1h] [--measure 10m] [--launches 3] DIRECTORY

For each JVM, launches of two kinds by turns: heated (--warmup auto), and warmed up at the recorded pace (--warmup of
--paced); both are measured at the recorded pace for --measure. Prints, per JVM, the medians of both and heated / paced:
CPU per request of the application, the JIT and the collector, allocation, code cache, heap, resident memory, collections.
Each launch is kept in DIRECTORY; a launch that is there is not made again, so a run that was ended goes on where it was,
and one with more launches or JVMs adds only these. An hour of --paced takes 5 h for four JVMs and one launch of each kind.
CAPTURE=FILE replays another capture than the sample.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAPTURE = os.environ.get("CAPTURE", str(ROOT / "samples/users.bin"))
APP = ROOT / "target-app/target/lockstep/lib/lockstep-target-app-0.1.0.jar"
# The JVM says itself how large its code cache is, when it ends.
TARGETS = 'targets:\n  - {{name: jvm, profile: {profile}, {jdk}command: "{{java}} -XX:+PrintCodeCache -jar {app} --port {{port}}"}}\n'
FIGURES = [("app us/req", "applicationCpuNs", 1e3), ("JIT us/req", "jitCpuNs", 1e3), ("GC us/req", "gcCpuNs", 1e3),
           ("alloc B/req", "allocatedBytes", 1)]
LEVELS = [("heap used MiB", "heapUsedBytes", 2**20), ("old MiB", "oldGenUsedBytes", 2**20), ("RSS MiB", "rssBytes", 2**20),
          ("GC cycles", "gcCycles", 1), ("p50 us", None, 1e3)]


def measure(jvm, kind, folder, arguments):
    """Makes one launch, unless it is there, and returns its figures."""
    kept = folder / "figures.json"
    if kept.exists():
        return json.loads(kept.read_text())
    folder.mkdir(parents=True, exist_ok=True)
    targets = folder / "targets.yaml"
    profile, _, jdk = jvm.partition("@")
    targets.write_text(TARGETS.format(profile=profile, jdk=f"jdk: {jdk}, " if jdk else "", app=APP))
    warmup = ["--warmup", "auto", "--warmup-limit", arguments.limit] if kind == "heated" else ["--warmup", arguments.paced]
    command = [ROOT / "replay", "--targets-file", targets, *warmup, "-z", arguments.measure, "--json", "-o", folder / "run",
               "--force", CAPTURE]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        sys.exit(f"{jvm} {kind}: INVALID: {'; '.join(json.loads(done.stdout)['statusReasons'])}; this machine is too busy")
    if done.returncode != 0:
        sys.exit(done.stderr)
    target = json.loads(done.stdout)["targets"][0]
    figures = {name: target[field] / target["completed"] / unit for name, field, unit in FIGURES if field in target}
    figures.update({name: target[field] / unit for name, field, unit in LEVELS if field in target})
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
    parser.add_argument("--measure", default="10m", help="how long each launch is measured")
    parser.add_argument("--launches", type=int, default=3)
    parser.add_argument("directory", type=pathlib.Path)
    arguments = parser.parse_args()
    found = {jvm: {"heated": [], "paced": []} for jvm in arguments.jvms.split(",")}
    for launch in range(1, arguments.launches + 1):
        for jvm, kinds in found.items():
            for kind in kinds:
                folder = arguments.directory.resolve() / f"{jvm}-{kind}-{launch}"
                kinds[kind].append(measure(jvm, kind, folder, arguments))
    for jvm, kinds in found.items():
        compare(jvm, kinds["heated"], kinds["paced"])


main()
