#!/usr/bin/env python3
"""Percentiles of Lockstep, wrk2, wrk and hey against servers whose latency is known.

    benchmarks/accuracy.py [SECONDS]               default 10 s a run; needs cc, wrk, hey, taskset, two processors
    benchmarks/accuracy.py stalls                  the second part alone
    WRK2=/path/to/wrk benchmarks/accuracy.py       with wrk2 (github.com/giltene/wrk2, its binary is called wrk)

delay_server.c (CPU 1) delays every answer by a programmed distribution and logs what it really did, from the moment the kernel
had the request until its answer was written; it is started anew for each client (CPU 0), so its log holds the client's
requests and no others. Lockstep's service time (from the actual send) is what can be compared with it; at a rate that the
connections bear the response time is the same. Then two such servers stand still for part of each period, together and in
turns: at 200 ms every 2 s p95 is 100 ms from the intended send, p99 180 ms, p99.9 198 ms, whatever the rate.
About 2.5 minutes with wrk2, and 11 for the second part.
"""
import json
import subprocess
import sys

import rig

SECONDS = int(sys.argv[1]) if sys.argv[1:] and sys.argv[1] != "stalls" else 10
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


def stalls(rate, stall, every, schedule):
    """Two servers that stand still for `stall` of each `every` ms; by arithmetic P(response time > x) = (stall - x) / every.

    A server's own log has what it takes to answer all that waited as well. It knows no request that waits in the client: there is
    a connection for each that comes within a stall. Warm-up and measuring are whole numbers of periods, so that the log, which
    has both, has no other share of stalls than the measured ones.
    """
    ports = [PORT, PORT + 1]
    servers = [rig.start([rig.WORK / "delay_server", str(port), "stall", str(stall), str(every)], port) for port in ports]
    logs = []
    try:
        result = rig.lockstep(
            ports, "-q", rate, "-c", max(100, rate * stall // 800), "-z", "60s", warmup="10s", schedule=schedule)
    finally:
        logs = [json.loads(rig.stop(server)) for server in servers]
    for target, log in zip(result["targets"], logs):
        cells = []
        for level, share in (("p50", 0.5), ("p90", 0.1), ("p95", 0.05), ("p99", 0.01), ("p999", 0.001)):
            found, logged = target["responseTimeNs"][level] / 1e6, log[level] / 1e3
            off = abs(found - logged) > max(1, 0.01 * logged)
            cells.append(f"{found:8.1f} {logged:7.1f} ({max(0, stall - share * every):3.0f}){'!' if off else ' '}")
        print(f"{stall:4d}/{every:<5d}{rate:7d}/s {schedule:10s}" + "".join(cells), flush=True)


def stands_still():
    print("\nTwo servers that stand still for so many ms of so many; ms measured, of the server's log, (by arithmetic, as if what"
          " waited were answered at once); ! where the log's is more than 1 % and 1 ms off")
    print(f"{'':29s}" + "".join(f"{level:>8s}" + " " * 15 for level in ("p50", "p90", "p95", "p99", "p99.9")))
    for stall, every in ((200, 2000), (50, 1000), (500, 5000)):
        for schedule in ("together", "alternate"):
            stalls(1000, stall, every, schedule)
    stalls(20000, 200, 2000, "together")


def main():
    subprocess.run([rig.ROOT / "replay", "--version"], check=True)
    rig.compile_c("delay_server")
    if sys.argv[1:] == ["stalls"]:
        return stands_still()
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
    stands_still()


main()
