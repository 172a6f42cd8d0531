"""What the timing benchmarks share: servers and clients on their processors, captures, and the results of each tool."""
import atexit
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
WORK = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-bench-"))
TICKS = os.sysconf("SC_CLK_TCK")
WRK2 = os.environ.get("WRK2") or shutil.which("wrk2")
SERVERS = []


@atexit.register
def clean_up():
    """Ends the servers that still run, and removes their files and the results."""
    for process in SERVERS:
        if process.poll() is None:
            stop(process)
    shutil.rmtree(WORK, ignore_errors=True)


def compile_c(name):
    subprocess.run(["cc", "-O2", "-o", WORK / name, HERE / f"{name}.c"], check=True)
    return str(WORK / name)


def await_port(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {port}")


def start(argv, port, cpu=1):
    process = subprocess.Popen(["taskset", "-c", str(cpu), *argv], stdout=subprocess.PIPE, text=True)
    SERVERS.append(process)
    await_port(port)
    return process


def stop(process):
    """Ends a server and returns what it printed."""
    process.send_signal(signal.SIGTERM)
    return process.communicate(timeout=20)[0]


def start_nginx(*ports):
    config = WORK / f"nginx-{ports[0]}.conf"
    config.write_text(f"""
        worker_processes 1; worker_cpu_affinity 10; daemon off; pid {WORK}/nginx-{ports[0]}.pid; error_log /dev/null crit;
        events {{ worker_connections 18000; }}
        http {{ access_log off; keepalive_requests 1000000000; keepalive_timeout 3600; server {{
          {" ".join(f"listen 127.0.0.1:{port} backlog=4096;" for port in ports)}
          location = /count {{ stub_status; }}
          location / {{ default_type text/plain; return 200 "{'x' * 100}"; }} }} }}""")
    process = subprocess.Popen(["nginx", "-c", str(config)])
    SERVERS.append(process)
    for port in ports:
        await_port(port)
    return process


def capture(port):
    """Returns a capture of one GET."""
    path, urls = WORK / "get.bin", WORK / "urls.txt"
    if not path.exists():
        urls.write_text(f"http://127.0.0.1:{port}/\n")
        subprocess.run([ROOT / "replay", "import", "--format", "urls", "-o", path, urls], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return str(path)


def lockstep(ports, *options, warmup="3s", cores="0,1/1", schedule="together"):
    """Replays the capture and returns run.json; a run that is INVALID says so and counts."""
    targets = ",".join(f"t{i}=127.0.0.1:{port}" for i, port in enumerate(ports))
    command = [ROOT / "replay", "--cores", cores, "--targets", targets, "--schedule", schedule, "--warmup", warmup,
               "--json", "-o", WORK / "run", "--force", *map(str, options), capture(ports[0])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    result = json.loads(done.stdout)
    for reason in result["statusReasons"]:
        print(f"  INVALID: {reason}", file=sys.stderr)
    return result


UNITS = {"us": 1, "ms": 1e3, "s": 1e6, "m": 6e7}


def _us(text):
    number, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", text).groups()
    return float(number) * UNITS[unit]


def wrk(port, connections, seconds, rate=None):
    """Runs wrk, or wrk2 with a rate, and returns its percentiles and mean in microseconds."""
    argv = ["taskset", "-c", "0", WRK2 if rate else "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
    out = subprocess.run([*argv, *([f"-R{rate}"] if rate else []), f"http://127.0.0.1:{port}/"],
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {f"p{float(q):g}".replace(".", ""): _us(value)
             for q, value in re.findall(r"^ +([0-9.]+)% +([0-9.]+[a-z]+)$", out, re.M)}
    mean = re.search(r"Latency +([0-9.]+[a-z]+)", out)
    found["mean"] = _us(mean.group(1))
    return found


def hey(port, connections, seconds, rate=None):
    """Runs hey, whose rate is one of each worker, and returns its percentiles and mean in microseconds."""
    limit = ["-q", str(rate / connections)] if rate else []
    out = subprocess.run(["taskset", "-c", "0", "hey", "-cpus", "1", "-c", str(connections), "-z", f"{seconds}s", *limit,
                          f"http://127.0.0.1:{port}/"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {f"p{q}": float(value) * 1e6 for q, value in re.findall(r"([0-9]+)%+ in ([0-9.]+) secs", out)}
    mean = re.search(r"Average:\s+([0-9.]+) secs", out)
    found["mean"] = float(mean.group(1)) * 1e6 if mean else float("nan")
    return found


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else float("nan")
