#!/usr/bin/env python3
"""What one request costs the client in a closed loop: Lockstep beside its peers, in one run.

    benchmarks/closed_loop.py [ROUNDS] [NAME,NAME]      needs nginx, taskset and two processors; 5 rounds of all by default

One nginx worker on CPU 1; each client in turn on CPU 0 with 50 keep-alive connections, rounds interleaved. SETTLE
seconds after its first 1,000 requests, in which a JVM compiles, a window of WINDOW seconds counts: requests by nginx's
own count, CPU of the client's whole process tree. Lockstep replays a capture that it recorded from a socket that sent
exactly wrk's request.

wrk, hey and h2load are Debian's (wrk, hey, nghttp2-client). rload (cargo install rload --locked) is looked for in PATH and
in $PEERS/bin; Hyperfoil's distribution, which needs Java 17 or newer, in $PEERS/hyperfoil; the floor, a loop in C that reads
and writes and nothing else, as $FLOOR (gcc -O2 -o floor floor.c). What is not there is left out with a word.
"""
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
SETTLE, WINDOW, CONNECTIONS = 10, 8, 50
PORT, PROXY_PORT = 18099, 18098
TICKS = os.sysconf("SC_CLK_TCK")
WORK = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-bench-"))
CAPTURE = WORK / "get.bin"
SECONDS = SETTLE + WINDOW + 2
URL = f"http://127.0.0.1:{PORT}/"
PEERS = pathlib.Path(os.environ.get("PEERS", "/opt/peers"))
RLOAD = shutil.which("rload") or str(PEERS / "bin" / "rload")
CLIENTS = {
    "floor": [os.environ.get("FLOOR", "floor"), str(PORT), str(CONNECTIONS), str(SECONDS)],
    "wrk": ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", URL],
    "rload": [RLOAD, "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", URL],
    "lockstep": [str(ROOT / "replay"), "--targets", f"nginx=127.0.0.1:{PORT}", "--pace", "max", "-c", str(CONNECTIONS),
                 "-z", f"{SECONDS}s", "--warmup", "0", "-o", str(WORK / "run"), "--force", str(CAPTURE)],
    "h2load": ["h2load", "--h1", "-t1", f"-c{CONNECTIONS}", f"-D{SECONDS}", URL],
    "hyperfoil": [str(PEERS / "hyperfoil" / "bin" / "wrk.sh"), "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", URL],
    "hey": ["hey", "-cpus", "1", "-c", str(CONNECTIONS), "-z", f"{SECONDS}s", URL],
}


def chosen_clients():
    names = sys.argv[2].split(",") if len(sys.argv) > 2 else list(CLIENTS)
    chosen = {}
    for name in names:
        if shutil.which(CLIENTS[name][0]):
            chosen[name] = CLIENTS[name]
        else:
            print(f"{name} is left out: {CLIENTS[name][0]} is not there")
    return chosen


def start_nginx():
    config = WORK / "nginx.conf"
    config.write_text(f"""
        worker_processes 1; worker_cpu_affinity 10; daemon off; pid {WORK}/nginx.pid; error_log /dev/null crit;
        events {{ worker_connections 4096; }}
        http {{ access_log off; keepalive_requests 1000000000; server {{
          listen 127.0.0.1:{PORT} backlog=1024;
          location = /count {{ stub_status; }}
          location / {{ default_type text/plain; return 200 "{'x' * 100}"; }} }} }}""")
    process = subprocess.Popen(["nginx", "-c", str(config)])
    await_port(PORT)
    return process


def await_port(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {port}")


def record_wrks_request():
    recorder = subprocess.Popen([ROOT / "replay", "record", "--listen", f"127.0.0.1:{PROXY_PORT}",
                                 "--upstream", f"127.0.0.1:{PORT}", "-o", CAPTURE], stdout=subprocess.DEVNULL)
    try:
        await_port(PROXY_PORT)
        with socket.create_connection(("127.0.0.1", PROXY_PORT)) as client:
            client.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\n\r\n".encode())
            client.recv(4096)
    finally:
        recorder.terminate()
        status = recorder.wait()
    if status != 0 or not CAPTURE.exists():
        sys.exit(f"the recorder ended with {status}; is port {PROXY_PORT} free?")


def requests_served():
    with urllib.request.urlopen(URL + "count") as page:
        return int(page.read().split(b"\n")[2].split()[2])


def cpu_seconds(session):
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = pathlib.Path("/proc", pid, "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            total += sum(map(int, fields[11:15]))
    return total / TICKS


def measure(command):
    client = subprocess.Popen(["taskset", "-c", "0", *command], start_new_session=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    before, deadline = requests_served(), time.monotonic() + 60
    while requests_served() - before < 1000 and client.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)  # a JVM with much to load takes seconds to its first request
    time.sleep(SETTLE)
    served, cpu, start = requests_served(), cpu_seconds(client.pid), time.monotonic()
    time.sleep(WINDOW)
    served = requests_served() - served - 1
    cpu, elapsed = cpu_seconds(client.pid) - cpu, time.monotonic() - start
    if client.wait(60) != 0:
        sys.exit(f"ended with {client.returncode}: {' '.join(map(str, command))}")
    return served / elapsed, cpu / max(served, 1) * 1e6


def main():
    subprocess.run([ROOT / "replay", "--version"], check=True)  # builds what is missing
    clients = chosen_clients()
    nginx = start_nginx()
    figures = {name: [] for name in clients}
    try:
        record_wrks_request()
        for number in range(1, ROUNDS + 1):
            for name, command in clients.items():
                figures[name].append(measure(command))
                rate, cpu = figures[name][-1]
                print(f"round {number} {name:9s} {rate:9.0f} req/s {cpu:7.2f} us CPU/request", flush=True)
    finally:
        nginx.terminate()
        nginx.wait()
    medians = {name: statistics.median(cpu for _, cpu in rounds) for name, rounds in figures.items()}
    print(f"\n{'median of ' + str(ROUNDS):12s} {'req/s':>9s} {'us CPU/request':>15s} {'x wrk':>6s} {'lockstep is x':>14s}")
    for name, rounds in figures.items():
        cpu = medians[name]
        print(f"{name:12s} {statistics.median(rate for rate, _ in rounds):9.0f} {cpu:15.2f}"
              f" {cpu / medians.get('wrk', float('nan')):6.2f} {medians.get('lockstep', float('nan')) / cpu:14.2f}")


main()
