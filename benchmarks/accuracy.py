#!/usr/bin/env python3
"""Percentiles of Lockstep, wrk2, wrk and hey against servers whose latency is known.

    benchmarks/accuracy.py [SECONDS]               default 10 s a run; needs cc, wrk, hey, taskset, two processors
    WRK2=/path/to/wrk benchmarks/accuracy.py       with wrk2 (github.com/giltene/wrk2, its binary is called wrk)

delay_server.c (CPU 1) delays every answer by a programmed distribution and logs what it really did, from the moment the kernel
had the request until its answer was written; it is started anew for each client (CPU 0), so its log holds the client's
requests and no others. Lockstep's service time (from the actual send) is what can be compared with it; at a rate that the
connections bear the response time is the same. Then the same server stands still for 200 ms every 2 s: from the intended send
p95 is 100 ms, p99 180 ms, p99.9 198 ms, whatever the rate.
About 2.5 minutes with wrk2.
"""
import json
import subprocess
import sys

import rig

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
PORT = 21520
RATE = 2000
CONNECTIONS = 200
DELAYS = "0:100,0.5:300,0.9:1000,0.99:5000,0.999:20000,1:30000"
LEVELS = ("p50", "p90", "p95", "p99", "p999", "p9999")


def percentiles_of(result, which):
    return {level: result["targets"][0][which][level] / 1e3 for level in LEVELS}


def row(name, figures, truth=None):
    cells = []
    for level in LEVELS:
        value = figures.get(level)
        if value is None:
            cells.append(f"{'-':>20s}")
        elif truth is None:
            cells.append(f"{value:11.0f}         ")
        else:
            off = value - truth[level]
            good = abs(off) <= max(50, 0.01 * truth[level])
            cells.append(f"{value:11.0f} {off:+7.0f}{' ' if good else '!'}")
    print(f"{name:33s}" + "".join(cells), flush=True)


def against_delays(name, run):
    server = rig.start([rig.WORK / "delay_server", str(PORT), "delays", DELAYS], PORT)
    try:
        figures = run()
    finally:
        truth = json.loads(rig.stop(server))
    row(f"{name}: server's log", truth)
    row(name, figures, truth)


def stalls(rate):
    server = rig.start([rig.WORK / "delay_server", str(PORT), "stall", "200", "2000"], PORT)
    try:
        result = rig.lockstep([PORT], "-q", rate, "-c", 100, "-z", "40s", warmup="4s")
    finally:
        rig.stop(server)
    times = result["targets"][0]["responseTimeNs"]
    print(f"stall of 200 ms in 2 s at {rate}/s: " + ", ".join(
        f"{level} {times[key] / 1e6:.1f} ms (truth {truth})"
        for key, level, truth in (("p95", "p95", 100), ("p99", "p99", 180), ("p999", "p99.9", 198))), flush=True)


def main():
    subprocess.run([rig.ROOT / "replay", "--version"], check=True)
    rig.compile_c("delay_server")
    print(f"{RATE} requests/s over {CONNECTIONS} connections for {SECONDS} s; microseconds, and the difference from the server's"
          " log; ! where it is more than 1 % and 50 us")
    print(f"{'':33s}" + "".join(f"{level:>11s}         " for level in LEVELS))
    options = ("-q", RATE, "-c", CONNECTIONS, "-z", f"{SECONDS}s")
    against_delays("Lockstep", lambda: percentiles_of(
        rig.lockstep([PORT], *options, warmup="0"), "serviceTimeNs"))
    if rig.WRK2:
        against_delays("wrk2", lambda: rig.wrk(PORT, CONNECTIONS, 10 + SECONDS, RATE))
    against_delays("hey", lambda: rig.hey(PORT, CONNECTIONS, SECONDS, RATE))
    against_delays("wrk (closed loop)", lambda: rig.wrk(PORT, 4, SECONDS))
    print()
    for rate in (1000, 20000):
        stalls(rate)


main()
