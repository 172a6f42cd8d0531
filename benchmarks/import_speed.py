#!/usr/bin/env python3
"""What import costs of a large packet capture of plain HTTP, redaction on, on one processor: CPU seconds and MB/s.

The capture is made here: 64 connections, both directions, requests of some 470 bytes that hold a session cookie, a bearer
token and a request id, answers of 2.9 KB in three packets. Beside it, as a yardstick of this machine: sha256sum of the same
file. The file lies in memory (page cache) after it was written; what is counted is CPU time of the process, user and system.

usage: benchmarks/import_speed.py [MEGABYTES ...]      (build first; default 300 1000 2000, needs twice the largest on disk)
"""
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONNECTIONS = 64
SEGMENT = 1448
SYN, FIN, ACK, DATA = 2, 17, 16, 24


class Pcap:
    """A packet capture of raw IP, a packet each 7 us."""

    def __init__(self, file):
        self.file = file
        self.now_us = 1_700_000_000_000_000
        self.bytes = file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))

    def packet(self, connection, from_client, flags, payload=b""):
        self.now_us += 7
        ends = [(0x0A000001, 20000 + connection["number"]), (0x0A000002, 8080)]
        (source, source_port), (target, target_port) = ends if from_client else reversed(ends)
        mine, other = ("client", "server") if from_client else ("server", "client")
        length = 40 + len(payload)
        self.bytes += self.file.write(
            struct.pack("<IIII", self.now_us // 1_000_000, self.now_us % 1_000_000, length, length)
            + struct.pack(">BBHHHBBHII", 0x45, 0, length, 0, 0, 64, 6, 0, source, target)
            + struct.pack(">HHIIBBHHH", source_port, target_port, connection[mine], connection[other], 0x50, flags, 65535, 0, 0)
            + payload)
        connection[mine] = connection[mine] + len(payload) + (1 if flags & 3 else 0) & 0xFFFFFFFF


def request(number, digits, at):
    return (f"GET /api/v1/items/{number % 10007}?page={number % 13}&sort=price HTTP/1.1\r\nHost: shop.example.com\r\n"
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0\r\n"
            "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\n"
            f"Accept-Encoding: gzip, deflate, br\r\nCookie: session={digits[at:at + 32]}; theme=dark\r\n"
            f"Authorization: Bearer {digits[at + 100:at + 164]}\r\nX-Request-Id: {digits[at + 7:at + 39]}\r\n\r\n").encode()


def make(path, megabytes):
    draw = random.Random(1)
    digits = "".join(draw.choices("0123456789abcdef", k=1 << 16))
    body = "".join(draw.choices('abcdefghij klmnop<>{}"', k=2800)).encode()
    answer = b"HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: application/json\r\nContent-Length: 2800\r\n\r\n" + body
    with open(path, "wb", buffering=1 << 20) as file:
        pcap = Pcap(file)
        connections = [{"number": n, "client": draw.getrandbits(31), "server": draw.getrandbits(31)} for n in range(CONNECTIONS)]
        for connection in connections:
            pcap.packet(connection, True, SYN)
            pcap.packet(connection, False, SYN | ACK)
            pcap.packet(connection, True, ACK)
        number = 0
        while pcap.bytes < megabytes * 1_000_000:
            connection = connections[number % CONNECTIONS]
            pcap.packet(connection, True, DATA, request(number, digits, draw.randrange(60000)))
            for at in range(0, len(answer), SEGMENT):
                pcap.packet(connection, False, DATA, answer[at:at + SEGMENT])
            pcap.packet(connection, True, ACK)
            number += 1
        for connection in connections:
            pcap.packet(connection, True, FIN)
            pcap.packet(connection, False, FIN)
    return number


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(["taskset", "-c", "0", *command], check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, output


with tempfile.TemporaryDirectory(prefix="lockstep-import-") as folder:
    pcap = os.path.join(folder, "plain.pcap")
    cpu_seconds([ROOT / "replay", "--version"])
    for size in [int(argument) for argument in sys.argv[1:]] or [300, 1000, 2000]:
        requests = make(pcap, size)
        for _ in range(3):
            digest, _ = cpu_seconds(["sha256sum", pcap])
            took, output = cpu_seconds([ROOT / "replay", "import", pcap, "-o", os.path.join(folder, "out.bin"), "--force"])
            if f"Imported {requests} requests" not in output:
                sys.exit(f"expected {requests} requests: {output}")
            print(f"{size} MB, {requests} requests: {took:.2f} s of CPU, {size / took:.0f} MB/s; "
                  f"sha256sum {digest:.2f} s, {size / digest:.0f} MB/s; ratio {took / digest:.2f}", flush=True)
