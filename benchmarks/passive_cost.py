#!/usr/bin/env python3
"""What one request costs a passive recorder: Lockstep beside GoReplay, on the same kind of traffic, in one run.

    benchmarks/passive_cost.py [ROUNDS] [NAME=OPTIONS ...]    needs root, nginx, wrk, goreplay, taskset, two processors

wrk on CPU 0, one nginx worker on CPU 1, the recorder on whichever is free, 50 keep-alive connections, small GETs over
the loopback interface; recorders start and end in turn. After WARM seconds of load, in which a JVM compiles, a window of
WINDOW seconds counts: requests by nginx's own count, CPU by the recorder's whole process, split into user and system
(what the kernel does for a packet before the recorder wakes counts for nobody, with either). Each recording is then
ended, and the requests in its file are held against those that nginx served, those of the first seconds too.
NAME=OPTIONS adds another recording with these options of "replay record", for example exact=--no-redact.
Environment: WARM, WINDOW (seconds), PORT. GoReplay: go install github.com/buger/goreplay@v1.3.2, with libpcap-dev.
"""
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
WARM, WINDOW = int(os.environ.get("WARM", 6)), int(os.environ.get("WINDOW", 6))
PORT = int(os.environ.get("PORT", 18300))
CONNECTIONS = 50
TICKS = os.sysconf("SC_CLK_TCK")
WORK = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-bench-"))
RECORDINGS = dict([("lockstep", "")] + [argument.split("=", 1) for argument in sys.argv[2:]])


def start_nginx():
    config = WORK / "nginx.conf"
    config.write_text(f"""
        worker_processes 1; worker_cpu_affinity 10; daemon off; pid {WORK}/nginx.pid; error_log /dev/null crit;
        events {{ worker_connections 4096; }}
        http {{ access_log off; keepalive_requests 1000000000; keepalive_timeout 3600;
          server {{ listen 127.0.0.1:{PORT} backlog=1024;
            location / {{ default_type text/plain; return 200 "{'x' * 100}"; }} }}
          server {{ listen 127.0.0.1:{PORT + 1}; location / {{ stub_status; }} }} }}""")
    process = subprocess.Popen(["nginx", "-c", str(config)])
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", PORT), 1).close()
            return process
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {PORT}")


class Count:
    """nginx's own count of requests, without those that ask for it."""

    def __init__(self):
        self.asked = 0

    def __call__(self):
        self.asked += 1
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT + 1}/") as page:
            return int(page.read().split(b"\n")[2].split()[2]) - self.asked


served = Count()


def recorders():
    for name, options in RECORDINGS.items():
        yield name, [str(ROOT / "replay"), "record", "--interface", "lo", "--port", str(PORT), "--force",
                     "-o", str(WORK / "capture.bin"), *options.split()]
    if shutil.which("goreplay"):
        yield "goreplay", ["goreplay", "--input-raw", f"127.0.0.1:{PORT}", "--output-file", str(WORK / "goreplay.gor"),
                           "--output-file-append", "--output-file-size-limit", "100gb"]
    else:
        print("goreplay is not in PATH: Lockstep alone", flush=True)


def cpu_seconds(session):
    user = system = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = pathlib.Path("/proc", pid, "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            user += int(fields[11])
            system += int(fields[12])
    return user / TICKS, system / TICKS


def requests_recorded(name, said):
    if name != "goreplay":
        return said
    separators = 0
    with open(WORK / "goreplay.gor", "rb") as file:
        for line in file:
            separators += line.startswith("\U0001f435\U0001f648\U0001f649".encode())
    return f"{separators} requests in the file"


def measure(name, command):
    for old in WORK.glob("goreplay*"):
        old.unlink()
    before = served()
    recorder = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                text=True)
    try:
        time.sleep(3)
        wrk = subprocess.Popen(["taskset", "-c", "0", "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{WARM + WINDOW + 1}s",
                                f"http://127.0.0.1:{PORT}/"], stdout=subprocess.DEVNULL)
        time.sleep(WARM)
        count, cpu, start = served(), cpu_seconds(recorder.pid), time.monotonic()
        time.sleep(WINDOW)
        count = served() - count
        user, system = (after - earlier for after, earlier in zip(cpu_seconds(recorder.pid), cpu))
        elapsed = time.monotonic() - start
        wrk.wait(30)
        time.sleep(2)  # GoReplay waits for more of a message for so long
    finally:
        os.killpg(recorder.pid, signal.SIGINT)
        said, _ = recorder.communicate(timeout=60)
    total = served() - before
    told = "; ".join(line for line in said.splitlines() if line.startswith(("Recorded", "Missed")))
    return count / elapsed, user / count * 1e6, system / count * 1e6, f"{total} served; {requests_recorded(name, told)}"


def main():
    subprocess.run([ROOT / "replay", "--version"], check=True)  # builds what is missing
    nginx = start_nginx()
    commands = dict(recorders())
    figures = {name: [] for name in commands}
    try:
        for number in range(1, ROUNDS + 1):
            for name, command in commands.items():
                rate, user, system, requests = measure(name, command)
                figures[name].append((rate, user + system))
                print(f"round {number} {name:10s} {rate:9.0f} req/s {user:6.2f} + {system:5.2f} us CPU/request; {requests}",
                      flush=True)
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(WORK)
    medians = {name: statistics.median(cpu for _, cpu in rounds) for name, rounds in figures.items()}
    print(f"\n{'median':14s} {'req/s':>9s} {'us CPU/request':>15s} {'x goreplay':>11s}")
    for name, rounds in figures.items():
        ratio = f"{medians[name] / medians['goreplay']:11.2f}" if "goreplay" in medians else ""
        print(f"{name:14s} {statistics.median(rate for rate, _ in rounds):9.0f} {medians[name]:15.2f} {ratio}")


main()
