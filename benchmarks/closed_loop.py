#!/usr/bin/env python3
"""What one request costs the client in a closed loop: Lockstep beside its peers, in one run.

    benchmarks/closed_loop.py [ROUNDS] [NAME,NAME]      needs nginx, taskset and two processors; 20 rounds of all by default

One nginx worker on CPU 1; all clients on CPU 0, each with 50 keep-alive connections. They run one at a time, the others
stopped (SIGSTOP): first SETTLE seconds each, in which a JVM compiles, then ROUNDS rounds in each of which every client has
a turn, in an order that turns round from round to round. Of a turn the first REST seconds do not count; in the WINDOW
seconds after them requests are counted by nginx and CPU by the kernel, over the client's whole process tree. rload cannot
be stopped, since it ends when a system call is interrupted: it is started for each turn, for which native code is as warm
as ever. Short turns
that follow each other closely make ratios that hold on a machine whose speed changes from second to second, where whole
runs one after the other do not; so the ratios are medians over the ratios of each round. Lockstep replays a capture that
it recorded from a socket that sent exactly wrk's request.

wrk, hey and h2load are Debian's (wrk, hey, nghttp2-client). rload (cargo install rload --locked) is looked for in PATH and
in $PEERS/bin; Hyperfoil's distribution, which needs Java 17 or newer, in $PEERS/hyperfoil; the floor, a loop in C that reads
and writes and nothing else, as $FLOOR (gcc -O2 -o floor floor.c). What is not there is left out with a word. With $BEFORE, the
checkout of another state of Lockstep, that one takes turns too, as "before".
"""
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request

from rig import ROOT, TICKS, WORK, await_port, start_nginx

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
SETTLE, REST, WINDOW, CONNECTIONS = 12, 0.5, 2, 50
PORT, PROXY_PORT = 18099, 18098
CAPTURE = WORK / "get.bin"
URL = f"http://127.0.0.1:{PORT}/"
PEERS = pathlib.Path(os.environ.get("PEERS", "/opt/peers"))
RLOAD = shutil.which("rload") or str(PEERS / "bin" / "rload")
SECONDS = 3600  # longer than all turns together; each client is ended when they are over


def lockstep(checkout, run):
    return [str(checkout / "replay"), "--targets", f"nginx=127.0.0.1:{PORT}", "--pace", "max", "-c", str(CONNECTIONS),
            "-z", f"{SECONDS}s", "--warmup", "0", "-t", "0", "-o", str(WORK / run), "--force", str(CAPTURE)]


CLIENTS = {
    "floor": [os.environ.get("FLOOR", "floor"), str(PORT), str(CONNECTIONS), str(SECONDS)],
    "wrk": ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", URL],
    "lockstep": lockstep(ROOT, "run"),
    "rload": [RLOAD, "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", URL],
    "h2load": ["h2load", "--h1", "-t1", f"-c{CONNECTIONS}", f"-D{SECONDS}", URL],
    "hyperfoil": [str(PEERS / "hyperfoil" / "bin" / "wrk.sh"), "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", URL],
    "hey": ["hey", "-cpus", "1", "-t", "0", "-c", str(CONNECTIONS), "-z", f"{SECONDS}s", URL],
}


if "BEFORE" in os.environ:
    CLIENTS["before"] = lockstep(pathlib.Path(os.environ["BEFORE"]), "run-before")


def chosen_clients():
    names = sys.argv[2].split(",") if len(sys.argv) > 2 else list(CLIENTS)
    chosen = {}
    for name in names:
        if shutil.which(CLIENTS[name][0]):
            chosen[name] = CLIENTS[name]
        else:
            print(f"{name} is left out: {CLIENTS[name][0]} is not there")
    return chosen


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


class Client:
    """A load generator of a process group of its own, which runs in its turns only."""

    def __init__(self, name, command):
        self.name, self.command, self.turns, self.process = name, command, [], None
        self.stoppable = name != "rload"
        if self.stoppable:
            self.start()
            before, deadline = requests_served(), time.monotonic() + 60
            while requests_served() - before < 1000 and time.monotonic() < deadline:
                time.sleep(0.1)  # a JVM with much to load takes seconds to its first request
            time.sleep(SETTLE)
            self.signal(signal.SIGSTOP)

    def start(self):
        self.process = subprocess.Popen(["taskset", "-c", "0", *self.command], start_new_session=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def signal(self, number):
        if self.process.poll() is not None:
            sys.exit(f"{self.name} ended with {self.process.returncode}")
        os.killpg(self.process.pid, number)

    def turn(self):
        """Notes requests per second and CPU microseconds per request."""
        if self.stoppable:
            self.signal(signal.SIGCONT)
        else:
            self.start()
        time.sleep(REST)
        served, cpu, start = requests_served(), cpu_seconds(self.process.pid), time.monotonic()
        time.sleep(WINDOW)
        served = requests_served() - served - 1
        cpu, elapsed = cpu_seconds(self.process.pid) - cpu, time.monotonic() - start
        self.turns.append((served / elapsed, cpu / max(served, 1) * 1e6))
        if self.stoppable:
            self.signal(signal.SIGSTOP)
        else:
            self.end()

    def end(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def ratio(of, to):
    """Returns the median over the rounds of the ratio of CPU per request."""
    return statistics.median(a / b for (_, a), (_, b) in zip(of.turns, to.turns))


def main():
    subprocess.run([ROOT / "replay", "--version"], check=True)  # builds what is missing
    commands = chosen_clients()
    nginx = start_nginx(PORT)
    clients = {}
    try:
        record_wrks_request()
        for name, command in commands.items():
            clients[name] = Client(name, command)
        for number in range(1, ROUNDS + 1):
            order = list(clients.values())
            turned = number % len(order)
            for client in order[turned:] + order[:turned]:
                client.turn()
            print(f"round {number:2d} us CPU/request: "
                  + "  ".join(f"{client.name} {client.turns[-1][1]:.2f}" for client in order), flush=True)
    finally:
        for client in clients.values():
            client.end()
        nginx.terminate()
        nginx.wait()
    lockstep, wrk = clients.get("lockstep"), clients.get("wrk")
    print(f"\n{'median of ' + str(ROUNDS):12s} {'req/s':>9s} {'us CPU/request':>15s} {'least':>6s} {'x wrk':>6s}"
          f" {'lockstep is x':>14s}")
    for name, client in clients.items():
        cpu = [us for _, us in client.turns]
        print(f"{name:12s} {statistics.median(rate for rate, _ in client.turns):9.0f} {statistics.median(cpu):15.2f}"
              f" {min(cpu):6.2f} {ratio(client, wrk) if wrk else float('nan'):6.2f}"
              f" {ratio(lockstep, client) if lockstep else float('nan'):14.2f}")


main()
