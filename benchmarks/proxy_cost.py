#!/usr/bin/env python3
"""What one request costs an inline recorder: Lockstep's proxy beside HAProxy and a direct connection, in one run.

    benchmarks/proxy_cost.py [ROUNDS] [NAME=OPTIONS ...]      needs nginx, haproxy, wrk, openssl, taskset, two processors

wrk on CPU 0, one nginx worker on CPU 1, the proxy on whichever is free, 50 keep-alive connections, small GETs. All
proxies run all the time, idle but for their turn; rounds are interleaved. After WARM seconds of load each, in which a
JVM compiles, a window of WINDOW seconds a round counts: requests by wrk, CPU by the proxy's whole process, split into
user and system. A last window with one connection gives the latency that the proxy adds where nothing queues. HAProxy and
the recording also end TLS of clients that keep their connections, with the same certificate (RSA, 2,048 bits).
NAME=OPTIONS adds another recording with these options of "replay record", for example exact=--no-redact.
Environment: WARM, WINDOW (seconds), PORT (the first of the ports to use).
"""
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
WARM, WINDOW = int(os.environ.get("WARM", 20)), int(os.environ.get("WINDOW", 5))
PORT = int(os.environ.get("PORT", 18200))
CONNECTIONS = 50
TICKS = os.sysconf("SC_CLK_TCK")
WORK = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-bench-"))
RECORDINGS = dict([("lockstep", "")] + [argument.split("=", 1) for argument in sys.argv[2:]])


def start_nginx():
    config = WORK / "nginx.conf"
    config.write_text(f"""
        worker_processes 1; worker_cpu_affinity 10; daemon off; pid {WORK}/nginx.pid; error_log /dev/null crit;
        events {{ worker_connections 4096; }}
        http {{ access_log off; keepalive_requests 1000000000; keepalive_timeout 3600; server {{
          listen 127.0.0.1:{PORT} backlog=1024;
          location / {{ default_type text/plain; return 200 "{'x' * 100}"; }} }} }}""")
    return start("direct", ["nginx", "-c", str(config)], PORT)


def certificate():
    """Makes one, and returns the file of its chain and that of its key; a third has both, as HAProxy wants them."""
    chain, key, both = (WORK / name for name in ("chain.pem", "key.pem", "both.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", key, "-out", chain], check=True, stderr=subprocess.DEVNULL)
    both.write_text(chain.read_text() + key.read_text())
    return chain, key, both


def start_haproxy(name, mode, port, bind=""):
    config = WORK / f"{name.replace(' ', '-')}.cfg"
    config.write_text(f"""
global
  nbthread 1
  maxconn 4000
defaults
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen proxy
  mode {mode}
  bind 127.0.0.1:{port} {bind}
  server s 127.0.0.1:{PORT}
""")
    return start(name, ["haproxy", "-db", "-f", str(config)], port)


def start_lockstep(name, options, port):
    command = os.environ.get("REPLAY", str(ROOT / "replay"))
    return start(name, [command, "record", "--listen", f"127.0.0.1:{port}", "--upstream", f"127.0.0.1:{PORT}", "--force",
                        "-o", str(WORK / f"{name}.bin"), *options.split()], port)


def start(name, command, port):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open(WORK / f"{name}.err", "w"))
    for _ in range(600):
        if process.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return name, process, port
        except OSError:
            time.sleep(0.05)
    process.kill()
    sys.exit(f"{name} does not listen on port {port}: " + (WORK / f"{name}.err").read_text())


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return int(fields[11]) / TICKS, int(fields[12]) / TICKS


def wrk(name, port, seconds, connections=CONNECTIONS):
    scheme = "https" if "tls" in name else "http"
    out = subprocess.run(["taskset", "-c", "0", "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency",
                          f"{scheme}://127.0.0.1:{port}/"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if "Socket errors" in out or "Non-2xx" in out:
        sys.exit(f"requests failed:\n{out}")
    return (int(re.search(r"(\d+) requests in", out).group(1)) / seconds,
            latency_us(out, "50%"), latency_us(out, "99%"))


def latency_us(out, percentile):
    value, unit = re.search(percentile + r"\s+([\d.]+)(us|ms|s)", out).groups()
    return float(value) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]


def main():
    subjects = []
    windows, quiet = {}, {}
    try:
        subjects.append(start_nginx())
        chain, key, both = certificate()
        subjects.append(start_haproxy("haproxy tcp", "tcp", PORT + 1))
        subjects.append(start_haproxy("haproxy http", "http", PORT + 2))
        subjects.append(start_haproxy("haproxy tls", "tcp", PORT + 3, f"ssl crt {both}"))
        RECORDINGS["lockstep tls"] = f"--tls-cert {chain} --tls-key {key}"
        for i, (name, options) in enumerate(RECORDINGS.items()):
            subjects.append(start_lockstep(name, options, PORT + 4 + i))
        for name, process, port in subjects[4:]:
            wrk(name, port, WARM)
        for _ in range(ROUNDS):
            for name, process, port in subjects:
                user, system = cpu_seconds(process)
                rate, p50, p99 = wrk(name, port, WINDOW)
                user, system = (now - before for now, before in zip(cpu_seconds(process), (user, system)))
                requests = rate * WINDOW
                windows.setdefault(name, []).append((rate, user / requests * 1e6, system / requests * 1e6, p50, p99))
        for _ in range(ROUNDS):
            for name, process, port in subjects:
                quiet.setdefault(name, []).append(wrk(name, port, 2, 1)[1:])
    finally:
        for _, process, _ in reversed(subjects):
            process.terminate()
            process.wait()
        shutil.rmtree(WORK)
    median = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in windows.items()}
    alone = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in quiet.items()}
    tcp, http, tls = (median[f"haproxy {mode}"] for mode in ("tcp", "http", "tls"))
    print(f"{ROUNDS} rounds of {WINDOW} s, {CONNECTIONS} connections; medians; us of CPU per request; latency in us,")
    print("added to a direct connection, of one connection alone; those with TLS as shares of HAProxy with TLS")
    print(f"{'':14}{'req/s':>9}{'of TCP':>8}{'user':>8}{'system':>8}{'CPU':>8}{'of TCP':>8}{'of HTTP':>8}"
          f"{'p50':>8}{'p99':>8}")
    for name, (rate, user, system, p50, p99) in median.items():
        if name == "direct":
            print(f"{name:14}{rate:9.0f}{rate / tcp[0]:8.2f}{'':40}{alone[name][0]:8.0f}{alone[name][1]:8.0f} in all")
            continue
        cpu = user + system
        base = tls if "tls" in name else tcp
        print(f"{name:14}{rate:9.0f}{rate / base[0]:8.2f}{user:8.2f}{system:8.2f}{cpu:8.2f}"
              f"{cpu / (base[1] + base[2]):8.2f}{cpu / (http[1] + http[2]):8.2f}"
              f"{alone[name][0] - alone['direct'][0]:+8.0f}{alone[name][1] - alone['direct'][1]:+8.0f}")


main()
