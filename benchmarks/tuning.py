#!/usr/bin/env python3
"""Does `replay tune` find what can be found with real JVMs, and nothing where there is nothing?

    benchmarks/tuning.py known DIRECTORY          default set badly: the gain that 25 evaluations find, to that of a grid of 20
    benchmarks/tuning.py nothing DIRECTORY [10]   options that change nothing: how many of so many searches claim a gain
    benchmarks/tuning.py failing DIRECTORY        some configurations do not start, some are killed: best of the rest

C2 under a CPU-bound mix, as fast as it answers, warmed up for 10 s and measured for 4 s per evaluation, half a minute
in all; the best is verified by six launches or more (three in "nothing"), each warmed up until it is steady. Each search
keeps its own directory: the same command goes on where it was ended.
"""
import itertools
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = ["streams?n=3000", "lu?n=30"]
LOAD = ["--pace", "closed", "-c", "4", "--warmup", "10s", "-z", "4s"]
LEVELS, SIZES, TIERS = [0, 1, 3, 9, 15], [0, 35], ["1", "4"]
KNOWN = {
    "target": "c2",
    "parameters": [
        {"name": "MaxInlineLevel", "type": "int", "min": 0, "max": 15, "default": 0},
        {"name": "MaxInlineSize", "type": "int", "min": 0, "max": 70, "default": 0},
        {"name": "TieredStopAtLevel", "type": "categorical", "values": TIERS, "default": "1"}]}
NOTHING = {
    "target": "c2",
    "parameters": [
        {"name": "nothing", "type": "int", "min": 1, "max": 100, "default": 50, "flag": "-Dlockstep.nothing={}"},
        {"name": "MaxJavaStackTraceDepth", "type": "log-int", "min": 100, "max": 10000, "default": 1024}]}
FAILING = {
    "target": "c2",
    "memory": "96m",
    "parameters": [
        {"name": "heap", "type": "int", "min": 2, "max": 120, "default": 32, "flag": "-Xmx{}m -Xms{}m -XX:+AlwaysPreTouch"},
        {"name": "MaxInlineLevel", "type": "int", "min": 0, "max": 15, "default": 0}]}


def capture(folder):
    kept = folder / "kinds.bin"
    if not kept.exists():
        urls = folder / "urls.txt"
        urls.write_text("".join(f"http://localhost/cpu/{kind}\n" for kind in KINDS))
        subprocess.run([ROOT / "replay", "import", urls, "-o", kept], check=True, stdout=subprocess.DEVNULL)
    return kept


def search(folder, name, space, evaluations, seed, verify="verdict"):
    """Makes a search, or the rest of it, and returns its result."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps({**space, "seed": seed, "evaluations": evaluations}))
    done = subprocess.run([ROOT / "replay", "tune", file, *LOAD, "--verify", verify, "--json", "-o", folder / name,
                           capture(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def told(name, result):
    failed = sum(1 for one in result["evaluations"] if one["failed"])
    found = result.get("verification") or {}
    best = result["best"] and result["best"]["parameters"]
    print(f"{name}: {len(result['evaluations'])} evaluations, {failed} failed, best {best}, verified "
          f"{found.get('ratio', float('nan')):.3f} ({found.get('low', float('nan')):.3f} to {found.get('high', float('nan')):.3f}) "
          f"{found.get('finding')}, holds: {found.get('holds')}", flush=True)
    return found


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    what, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if what == "known":
        grid = [{"MaxInlineLevel": level, "MaxInlineSize": size, "TieredStopAtLevel": tier}
                for level, size, tier in itertools.product(LEVELS, SIZES, TIERS)]
        found = told("search", search(folder, "search", KNOWN, 25, 1))
        every = told("grid", search(folder, "grid", {**KNOWN, "configurations": grid}, len(grid) + 1, 1))
        # What is the default was not verified, and gains nothing.
        gain, most = 1 - found.get("ratio", 1), 1 - every.get("ratio", 1)
        print(f"gain of the search {gain:.3f}, of the grid {most:.3f}" + (f": {gain / most:.3f} of it" if most else ""))
    elif what == "nothing":
        runs = int(sys.argv[3]) if len(sys.argv) > 3 else 10
        claims = sum(bool(told(f"{seed}", search(folder, f"nothing-{seed}", NOTHING, 6, seed, "quick")).get("holds"))
                     for seed in range(1, runs + 1))
        print(f"{claims} of {runs} claim a gain")
    elif what == "failing":
        told("failing", search(folder, "failing", FAILING, 15, 1))
    else:
        sys.exit(__doc__)


main()
