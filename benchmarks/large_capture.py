#!/usr/bin/env python3
"""Replays a capture that is larger than memory, with Lockstep's usual heap, to a sink on this machine.

The capture (LargeCapture.java) holds uploads of 8 MB zeros over one connection and is sparse: 10 GB of it take a few MB
of disk. The sink digests all that it gets, byte by byte. Shown are the memory that the replayer takes for itself (RssAnon:
without pages of the mapped file, which the kernel takes back when it needs them), the bytes, and the three digests,
which must be one: the capture's, the one of what Lockstep says it sent, and the one of what came.

usage: benchmarks/large_capture.py [--gigabytes 10] [--folder DIR] [--speed FACTOR]      (build first)
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Sink(threading.Thread):
    """Takes one connection after the other, answers each request, and keeps the digest of the last connection's bytes."""

    def __init__(self):
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.bytes = 0
        self.requests = 0
        self.sha256 = hashlib.sha256()

    def run(self):
        while True:
            connection, _ = self.server.accept()
            self.bytes, self.requests, self.sha256 = 0, 0, hashlib.sha256()
            with connection:
                self.serve(connection)

    def serve(self, connection):
        buffer = memoryview(bytearray(1 << 20))
        head, left = b"", 0
        while True:
            got = connection.recv_into(buffer)
            if got == 0:
                return
            piece = buffer[:got]
            self.bytes += got
            self.sha256.update(piece)
            while len(piece) > 0:
                if left == 0:
                    head += bytes(piece[:1000])
                    end = head.find(b"\r\n\r\n")
                    if end < 0:
                        break
                    taken = end + 4 - (len(head) - min(1000, len(piece)))
                    left = int(re.search(rb"Content-Length: (\d+)", head).group(1))
                    head, piece = b"", piece[taken:]
                body = min(left, len(piece))
                left -= body
                piece = piece[body:]
                if left == 0:
                    self.requests += 1
                    connection.sendall(ANSWER)


def status(pid):
    """Returns the memory of a process in MB by the kernel's names."""
    with open(f"/proc/{pid}/status") as lines:
        found = dict(re.findall(r"^(Rss\w+|VmHWM):\s+(\d+) kB", lines.read(), re.M))
    return {name: int(kilobytes) / 1000 for name, kilobytes in found.items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--gigabytes", type=float, default=10)
    arguments.add_argument("--folder", default=tempfile.gettempdir(), help="where the sparse file is written")
    arguments.add_argument("--speed", type=float, default=1)
    options = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="large-capture-", dir=options.folder)
    try:
        run(options, folder)
    finally:
        shutil.rmtree(folder)


def run(options, folder):
    capture = os.path.join(folder, "large.bin")
    classes = os.path.join(ROOT, "cli/target/lockstep/lib/*")
    subprocess.run(
        ["javac", "-d", folder, "-cp", classes, os.path.join(ROOT, "benchmarks/LargeCapture.java")], check=True)
    subprocess.run(
        ["java", "-Xmx128m", "-cp", f"{classes}:{folder}", "dev.lockstep.capture.LargeCapture", capture,
         str(int(options.gigabytes * 1000))], check=True)
    file = os.stat(capture)
    print(f"capture: {file.st_size / 1e9:.2f} GB, of which {file.st_blocks * 512 / 1e6:.1f} MB on disk;"
          f" memory of this machine: {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.1f} GB")

    sink = Sink()
    sink.start()
    results = os.path.join(folder, "run")
    began = time.monotonic()
    replay = subprocess.Popen(
        [os.path.join(ROOT, "replay"), "--targets", f"sink=127.0.0.1:{sink.port}", "--warmup", "0", "--max-lag", "10s",
         "--speed", str(options.speed), "-o", results, capture],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    most, first_sign = {}, None

    def read():
        nonlocal first_sign
        for line in replay.stderr:
            first_sign = first_sign or time.monotonic() - began
            print(f"  {time.monotonic() - began:5.1f} s  {line.rstrip()}")

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    while replay.poll() is None:
        try:
            for name, megabytes in status(replay.pid).items():
                most[name] = max(most.get(name, 0), megabytes)
        except (FileNotFoundError, ProcessLookupError):
            pass
        time.sleep(0.05)
    reader.join()
    took = time.monotonic() - began

    with open(os.path.join(results, "run.json")) as lines:
        result = json.load(lines)
    came = sink.sha256.hexdigest()
    one = {came} == {result["capture"]["streamSha256"], result["targets"][0].get("streamSha256")}
    print(f"exit code {replay.returncode}; {took:.1f} s in all, the first sign of life after {first_sign:.1f} s")
    print("replayer, most: " + ", ".join(f"{name} {most[name]:.0f} MB" for name in sorted(most)))
    print(f"sink: {sink.requests} requests, {sink.bytes} bytes, SHA-256 {came}")
    print(f"the digest of the capture's requests and of what was sent: {'the same' if one else 'ANOTHER'}")
    if replay.returncode != 0 or not one:
        raise SystemExit(1)


main()
