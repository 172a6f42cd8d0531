#!/usr/bin/env python3
"""How often the verdict is right where the truth is known: c2 against itself, and against a c2 that burns 5 % more.

    benchmarks/verdicts.py aa 20 [options of replay]     c2 against c2, --quick: nothing differs
    benchmarks/verdicts.py burn 10 [options of replay]   c2 against c2 with --burn-cpu 5%, 6 launches: ratio 1.05

One line for each run, and at the end how many claimed a difference and how many intervals held the truth. A run that is
INVALID is made again, up to three times, and counted. CAPTURE=FILE replays another capture than the sample. JAVA='java
-XX:TieredStopAtLevel=1' starts both with C1 alone, which is warm within seconds where C2 needs half a minute of one processor.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAPTURE = os.environ.get("CAPTURE", str(ROOT / "samples/users.bin"))
WORK = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-verdicts-"))
APP = ROOT / "target-app/target/lockstep/lib/lockstep-target-app-0.1.0.jar"
JAVA = os.environ.get("JAVA")
START = f'command: "{JAVA}' if JAVA else 'profile: c2, command: "{java}'
TARGETS = """
targets:
  - {{name: plain, {start} -jar {app} --port {{port}}"}}
  - {{name: other, {start} -jar {app} --port {{port}} {more}"}}
"""


def run(what, options):
    """Replays once and returns run.json, or None where the run was INVALID."""
    (WORK / "targets.yaml").write_text(TARGETS.format(app=APP, start=START, more="--burn-cpu 5%" if what == "burn" else ""))
    command = [ROOT / "replay", "--targets-file", WORK / "targets.yaml", "--json", "-o", WORK / "run", "--force",
               *(["--quick"] if what == "aa" else ["--launches", "6"]), *options, CAPTURE]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print("INVALID:", "; ".join(json.loads(done.stdout)["statusReasons"]), flush=True)
        return None
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("aa", "burn"):
        sys.exit(__doc__)
    what, runs, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    truth = 1.05 if what == "burn" else 1.0
    claimed, covered, others, invalid = 0, 0, 0, 0
    for number in range(1, runs + 1):
        for attempt in range(4):
            result = run(what, options)
            if result:
                break
            invalid += 1
        else:
            sys.exit("four runs in a row were INVALID: this machine is too busy")
        first = next(v for v in result["verdicts"] if v["primary"])
        different = [v["metric"] for v in result["verdicts"] if not v["primary"] and v["verdict"] in ("better", "worse")]
        claimed += first["verdict"] in ("better", "worse")
        low, high = first.get("low", 0), first.get("high", float("inf"))
        covered += low <= truth <= high
        others += bool(different)
        each = [round(launch["cpuNsPerRequest"] / 1e3, 2) for target in result["targets"] for launch in target["launches"]]
        print(f"{number}: {first['ratio']:.4f} ({low:.4f} to {high:.4f}) {first['verdict']}; "
              f"other metrics that differ: {', '.join(different) or 'none'}; us/request {each}", flush=True)
    print(f"{runs} runs, {invalid} INVALID ones not counted: {claimed} claimed a difference of CPU per request, "
          f"{covered} intervals held {truth}; in {others} another metric differed")


main()
