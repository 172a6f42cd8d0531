#!/usr/bin/env python3
"""Memory of Lockstep with many connections: N keep-alive connections to each of two targets at the same time.

    benchmarks/many_connections.py [N] [SECONDS]      default 16384 and 15; needs nginx

Two nginx servers answer; Lockstep sends 5,000 requests/s to each, in turn over all connections. Printed: how long all
connections took to open, and the resident memory of Lockstep's process, at its highest and at the end. Where this
machine's limit of open files is too low for N, Lockstep says so; the script then goes on with as many as the limit lets.
"""
import pathlib
import resource
import subprocess
import sys
import time
import urllib.request

from rig import ROOT, WORK, capture, start_nginx

WANTED = int(sys.argv[1]) if len(sys.argv) > 1 else 16384
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 15
PORTS = 18096, 18097
KEPT_FREE = 200  # descriptors of the JVM itself


def open_connections(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/count") as page:
        return int(page.read().split(b"\n")[0].split()[2]) - 1


def memory_mb(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def replay(connections):
    command = [ROOT / "replay", "--targets", f"a=127.0.0.1:{PORTS[0]},b=127.0.0.1:{PORTS[1]}", "-c", str(connections),
               "-q", "5000", "-z", f"{SECONDS}s", "--warmup", "0", "-o", WORK / "run", "--force", capture(PORTS[0])]
    with open(WORK / "out", "w") as out:
        lockstep = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
    first, all_open, most, last, highest = None, None, 0, 0.0, 0.0
    while lockstep.poll() is None:
        try:
            count = [open_connections(port) for port in PORTS]
            last = memory_mb(lockstep.pid, "VmRSS") or last
            highest = memory_mb(lockstep.pid, "VmHWM") or highest
        except (OSError, ValueError, IndexError):
            continue
        now = time.monotonic()
        if first is None and sum(count) > 20:
            first = now
        if all_open is None and min(count) >= connections:
            all_open = now
        most = max(most, sum(count))
        time.sleep(0.05)
    if lockstep.returncode not in (0, 3) or all_open is None:
        print(f"2 x {connections} connections: ended with {lockstep.returncode}, at most {most} open at the same time")
        print((WORK / "out").read_text().strip().splitlines()[-1])
        return False
    print(f"2 x {connections} connections, open within {all_open - first:.1f} s: VmHWM {highest:.0f} MB, VmRSS at the end "
          f"{last:.0f} MB", flush=True)
    return True


def main():
    subprocess.run([ROOT / "replay", "--version"], check=True)  # builds what is missing
    servers = [start_nginx(port) for port in PORTS]
    try:
        most = (resource.getrlimit(resource.RLIMIT_NOFILE)[1] - KEPT_FREE) // 2
        for connections in (1000, WANTED // 2, WANTED):
            if not replay(connections) and connections > most:
                replay(most)
                break
    finally:
        for server in servers:
            server.terminate()


main()
