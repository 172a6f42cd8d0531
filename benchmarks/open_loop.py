#!/usr/bin/env python3
"""How exactly an open loop sends: Lockstep beside a C loop that only spins on the clock and writes; answers beside wrk2 and hey.

    benchmarks/open_loop.py [ROUNDS [SECONDS]]     default 5 rounds of 8 s; needs nginx, cc, hey, taskset, two processors
    WRK2=/path/to/wrk benchmarks/open_loop.py      with wrk2 (github.com/giltene/wrk2, its binary is called wrk)

One nginx worker on CPU 1; on CPU 0 each client in turn, rounds interleaved, 100 connections. Lockstep runs with --cores 0,1/1:
its event loop alone on CPU 0, its other threads at the lowest priority on CPU 1. Printed are medians over the rounds, and the
range in brackets, of
 - actual minus intended send time at 1,000 and 20,000 requests/s, Lockstep and the C loop, and their ratio round by round;
 - mean response time at 1,000 requests/s to one nginx;
 - CPU of the replayer for two targets over that for one at 10,000 requests/s, without polling so that CPU is work, and the skew
   between the two targets beside the generator lag.
About 8 minutes by default.
"""
import json
import subprocess
import sys

import rig

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 8
CONNECTIONS = 100
PORTS = (21510, 21511)


def lag_of(result):
    lag = result["targets"][0]["ownLagNs"]  # without what waited for an answer, as the C loop, which waits for none
    return lag["p50"] / 1e3, lag["p99"] / 1e3


def cpu_per_request(result):
    """Busy time of the loops, in microseconds for each request of one target: what was spent polling is left out."""
    busy = sum(loop["busyNs"] - loop.get("waitedForCpuNs", 0) for loop in result["self"]["loops"])
    return busy / 1e3 / result["targets"][0]["completed"]


def floor(spin, rate):
    out = subprocess.run(["taskset", "-c", "0", spin, str(PORTS[0]), str(rate), str(CONNECTIONS), str(SECONDS)],
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    lag = json.loads(out)
    return lag["p50"] / 1e3, lag["p99"] / 1e3


def show(name, values, unit="us"):
    values = [value for value in values if value is not None]
    if values:
        print(f"{name:52s} {rig.median(values):10.2f} {unit:3s} [{min(values):.2f} .. {max(values):.2f}]", flush=True)


def main():
    subprocess.run([rig.ROOT / "replay", "--version"], check=True)
    spin = rig.compile_c("spin_floor")
    nginx = rig.start_nginx(*PORTS)
    figures = {}

    def note(name, value):
        figures.setdefault(name, []).append(value)

    try:
        for number in range(1, ROUNDS + 1):
            for rate in (1000, 20000):
                floor50, floor99 = floor(spin, rate)
                result = rig.lockstep(PORTS[:1], "-q", rate, "-c", CONNECTIONS, "-z", f"{SECONDS}s")
                lag50, lag99 = lag_of(result)
                note(f"lag p50 at {rate}/s, C loop", floor50)
                note(f"lag p50 at {rate}/s, Lockstep", lag50)
                note(f"lag p99 at {rate}/s, C loop", floor99)
                note(f"lag p99 at {rate}/s, Lockstep", lag99)
                note(f"lag p99 at {rate}/s, Lockstep / C loop", lag99 / floor99)
                print(f"round {number}, {rate}/s: C loop {floor50:.2f} / {floor99:.1f} us, Lockstep {lag50:.2f} / {lag99:.1f} us"
                      " (p50 / p99)", flush=True)
                if rate == 1000:
                    note("mean response time at 1000/s, Lockstep", result["targets"][0]["responseTimeNs"]["mean"] / 1e3)
            note("mean response time at 1000/s, hey", rig.hey(PORTS[0], CONNECTIONS, SECONDS, 1000)["mean"])
            if rig.WRK2:
                # It throws away what it measures in its first 10 s.
                note("mean response time at 1000/s, wrk2", rig.wrk(PORTS[0], CONNECTIONS, 10 + SECONDS, 1000)["mean"])
            one = rig.lockstep(PORTS[:1], "-q", 10000, "-c", CONNECTIONS, "-z", f"{SECONDS}s")
            two = rig.lockstep(PORTS, "-q", 10000, "-c", CONNECTIONS, "-z", f"{SECONDS}s")
            note("fan-out: loop's CPU per request, 1 target", cpu_per_request(one))
            note("fan-out: loop's CPU per request, 2 targets", cpu_per_request(two))
            note("fan-out: 2 targets / 1 target", cpu_per_request(two) / cpu_per_request(one))
            skew, lag = two["skew"]["spreadNs"], max(t["generatorLagNs"]["p99"] for t in two["targets"]) / 1e3
            note("skew p50 at 10000/s", skew["p50"] / 1e3)
            note("skew p99 at 10000/s", skew["p99"] / 1e3)
            note("skew p99 / lag p99 at 10000/s", skew["p99"] / 1e3 / lag)
            print(f"round {number}, fan-out {cpu_per_request(two) / cpu_per_request(one):.2f}, skew p99 {skew['p99'] / 1e3:.1f} us,"
                  f" lag p99 {lag:.1f} us", flush=True)
    finally:
        nginx.terminate()
        nginx.wait()
    print(f"\n{'median of ' + str(ROUNDS) + ' rounds':52s}")
    for name, values in figures.items():
        show(name, values, "x" if " / " in name else "us")


main()
