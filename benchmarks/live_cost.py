#!/usr/bin/env python3
"""What the live view costs: runs with `--live` and one page that listens, to runs without it.

    benchmarks/live_cost.py [pairs of runs: 10] [seconds of a run: 30] [requests/s: 2000]

One target-app on processor 1 serves all runs, so that they differ in nothing but the view; Lockstep has processor 0, and the
page's reader goes where the kernel puts it. The runs of a pair follow each other in the order A B B A. Of each run the middle
is taken, without what a JVM does when it starts and ends: Lockstep's CPU in percent of one processor, that of its threads
which serve the page beside it, the target's CPU per request, and the generator's lag that 99 % of the requests do not exceed, of the whole run. The page's reader takes every
event, as a browser does, and draws nothing: what a browser costs is no matter of Lockstep's.
"""
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

import rig

STUDENT_95 = {3: 3.182, 4: 2.776, 5: 2.571, 7: 2.365, 9: 2.262, 11: 2.201, 14: 2.145, 19: 2.093, 29: 2.045}
APP = rig.ROOT / "target-app/target/lockstep/lib/lockstep-target-app-0.1.0.jar"
PORT = 18621
SETTLE = 8
LIMIT = 1.0
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def cpu_seconds(pid):
    """User and system together, which the kernel counts; how they are shared out it only samples, now and then with 0 for one."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / rig.TICKS


def view_seconds(pid):
    """What the threads that serve the page have used, to the nanosecond: what whole runs differ by hides so little."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith("vert.x"):
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


class Page(threading.Thread):
    """Opens the printed address and takes all events until the run is over."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.url, self.events, self.bytes = url, 0, 0

    def run(self):
        server = self.url.rsplit("/?", 1)[0]
        with DIRECTLY.open(self.url) as page:
            cookie = page.headers["Set-Cookie"].split(";")[0]
            page.read()
        events = urllib.request.Request(server + "/events", headers={"Cookie": cookie})
        with DIRECTLY.open(events) as stream:
            for line in stream:
                self.bytes += len(line)
                self.events += line.startswith(b"data: ")
                if b'"over":' in line:
                    return


def run(target, live, seconds, rate, capture):
    directory = rig.WORK / "run"
    replay = subprocess.Popen(
        [rig.ROOT / "replay", "--cores", "0/1", "--targets", f"app=127.0.0.1:{PORT}", "--warmup", "1s", "-q", str(rate), "-c", "16",
         "-z", f"{seconds}s", "-o", directory, "--force", *(["--live"] if live else []), capture],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    page = None
    for line in replay.stderr:
        address = re.match(r"live: (\S+)", line)
        if address:
            page = Page(address.group(1))
            page.start()
        if "measuring" in line or "round 1 of" in line:
            break
    threading.Thread(target=replay.stderr.read, daemon=True).start()
    time.sleep(SETTLE)
    own, used, view, begin = cpu_seconds(replay.pid), cpu_seconds(target.pid), view_seconds(replay.pid), time.monotonic()
    time.sleep(seconds - SETTLE - 2)
    length = time.monotonic() - begin
    own, used = cpu_seconds(replay.pid) - own, cpu_seconds(target.pid) - used
    view = view_seconds(replay.pid) - view
    if replay.wait() not in (0, 3):
        sys.exit("a run failed")
    if live and (page is None or page.events < seconds):
        sys.exit("the page heard too little to cost what a page costs")
    result = json.loads((directory / "run.json").read_text())
    lag = result["targets"][0]["generatorLagNs"]["p99"] / 1e3
    figures = 100 * own / length, used / length / rate * 1e6, lag
    print(f"{'live' if live else 'none'}: Lockstep {figures[0]:.2f} % of a processor, target {figures[1]:.2f} us a request, "
          f"lag p99 {figures[2]:.1f} us" + (f", {page.bytes / 1024 / page.events:.1f} KiB an event, the page's threads {100 * view / length:.3f} %" if live else ""), flush=True)
    return figures


def interval(values):
    mean, error = statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - STUDENT_95[len(values) - 1] * error, mean + STUDENT_95[len(values) - 1] * error


def main():
    pairs, seconds, rate = (int(sys.argv[i + 1]) if len(sys.argv) > i + 1 else d for i, d in enumerate((10, 30, 2000)))
    if pairs - 1 not in STUDENT_95:
        sys.exit(f"pairs must be one of {[n + 1 for n in STUDENT_95]}")
    if seconds < SETTLE + 7:
        sys.exit(f"a run must take {SETTLE + 7} seconds or more, so that its middle says something")
    urls = rig.WORK / "urls.txt"
    urls.write_text("".join(f"http://127.0.0.1/users/{i}\n" for i in range(1000)))
    capture = rig.WORK / "users.bin"
    subprocess.run([rig.ROOT / "replay", "import", "--format", "urls", "-o", capture, urls], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    target = rig.start(["java", "-Xmx256m", "-jar", str(APP), "--port", str(PORT)], PORT)
    try:
        print("once, for the target's JIT:")
        run(target, False, max(seconds, 60), rate, capture)
        own, used, lag = [], [], []
        for pair in range(pairs):
            both = {live: run(target, live, seconds, rate, capture) for live in ((True, False) if pair % 2 else (False, True))}
            own.append(both[True][0] - both[False][0])
            used.append(math.log(both[True][1] / both[False][1]))
            lag.append(math.log(both[True][2] / both[False][2]))
        mean, low, high = interval(own)
        print(f"Lockstep's CPU, live less none: {mean:.2f} % of a processor (95 % interval {low:.2f} to {high:.2f}, {pairs} pairs); "
              f"{'within' if high <= LIMIT else 'NOT shown to be within'} {LIMIT} %")
        for name, values in (("the target's CPU per request", used), ("the generator's lag p99", lag)):
            mean, low, high = (math.exp(value) for value in interval(values))
            print(f"{name}, live to none: {mean:.4f} (95 % interval {low:.4f} to {high:.4f})")
    finally:
        rig.stop(target)


main()
