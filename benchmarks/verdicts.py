#!/usr/bin/env python3
"""How often the verdict is right where the truth is known: a JVM against itself, and against one that burns 5 % more.

    benchmarks/verdicts.py aa 20 [options of replay]     nothing differs
    benchmarks/verdicts.py burn 10 [options of replay]   the other target has --burn-cpu 5%: ratio 1.05

Each run is a --verdict, unless options say how many launches (--quick, --launches 6). PROFILE=graal runs both on Graal; the
default is c2. JAVA='java -XX:TieredStopAtLevel=1' starts both with C1 alone, which is warm within seconds. CAPTURE=FILE replays
another capture than the sample. OTHERS=3 compares three with the same one in each run: three verdicts, which share its noise,
in two thirds of the time. OUT=FILE keeps a line of JSON for each verdict: the same command goes on behind the last one, so
hours of measuring can be done in parts.

One line for each verdict, and at the end how many claimed a difference and how many intervals held the truth. A run that is
INVALID is made again, up to three times, and counted.
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
OUT = pathlib.Path(os.environ.get("OUT", WORK / "runs.jsonl"))
APP = ROOT / "target-app/target/lockstep/lib/lockstep-target-app-0.1.0.jar"
JAVA = os.environ.get("JAVA")
START = f'command: "{JAVA}' if JAVA else f'profile: {os.environ.get("PROFILE", "c2")}, command: "{{java}}'
OTHERS = ["other" if i == 0 else f"other{i + 1}" for i in range(int(os.environ.get("OTHERS", "1")))]


def run(what, options):
    """Replays once and returns run.json, or None where the run was INVALID."""
    start = f"{START} -jar '{APP}' --port {{port}}"
    more = " --burn-cpu 5%" if what == "burn" else ""
    (WORK / "targets.yaml").write_text("targets:\n" + f'  - {{name: plain, {start}"}}\n'
                                       + "".join(f'  - {{name: {other}, {start}{more}"}}\n' for other in OTHERS))
    decides = any(option in ("--quick", "--launches", "--verdict") for option in options)
    command = [ROOT / "replay", "--targets-file", WORK / "targets.yaml", "--json", "-o", WORK / "run", "--force",
               *([] if decides else ["--verdict"]), *options, CAPTURE]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print("INVALID:", "; ".join(json.loads(done.stdout)["statusReasons"]), flush=True)
        return None
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def us_per_request(launch):
    """Returns what the verdict rests on: the CPU of a request at full load, else at the measured pace."""
    ns = launch.get("fullLoad", {}).get("steadyCpuNsPerRequest") or launch.get("steadyCpuNsPerRequest", launch["cpuNsPerRequest"])
    return round(ns / 1e3, 1)


def summary(result, other):
    """Returns what is kept of a verdict."""
    verdicts = [v for v in result["verdicts"] if v["target"] == other]
    first = next(v for v in verdicts if v["primary"])
    both = [target for target in result["targets"] if target["name"] in ("plain", other)]
    return {
        "metric": first["metric"], "verdict": first["verdict"], "ratio": first.get("ratio"),
        "low": first.get("low", 0), "high": first.get("high", 1e9), "launches": len(both[0]["launches"]),
        "states": [target.get("warmup", {}).get("state") for target in both],
        "others": [v["metric"] for v in verdicts if not v["primary"] and v["verdict"] in ("better", "worse")],
        "us": [[us_per_request(launch) for launch in target["launches"]] for target in both],
        "startedAt": result["startedAt"], "finishedAt": result["finishedAt"]}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("aa", "burn"):
        sys.exit(__doc__)
    what, runs, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    truth = 1.05 if what == "burn" else 1.0
    found = [json.loads(line) for line in OUT.read_text().splitlines()] if OUT.exists() else []
    invalid = 0
    while len(found) < runs:
        for attempt in range(4):
            result = run(what, options)
            if result:
                break
            invalid += 1
        else:
            sys.exit("four runs in a row were INVALID: this machine is too busy")
        for one in (summary(result, other) for other in OTHERS):
            found.append(one)
            with OUT.open("a") as out:
                out.write(json.dumps(one) + "\n")
            print(f"{len(found)}: {one['ratio']:.4f} ({one['low']:.4f} to {one['high']:.4f}) {one['verdict']} after"
                  f" {one['launches']} launches; other metrics that differ: {', '.join(one['others']) or 'none'};"
                  f" us/request {one['us']}", flush=True)
    claimed = sum(one["verdict"] in ("better", "worse") for one in found)
    covered = sum(one["low"] <= truth <= one["high"] for one in found)
    print(f"{len(found)} verdicts, {invalid} INVALID runs not counted: {claimed} claimed a difference of {found[0]['metric']}, "
          f"{covered} intervals held {truth}; in {sum(bool(one['others']) for one in found)} another metric differed")


main()
