#!/usr/bin/env python3
"""What a connection costs `import` and `inspect` when N connections are open at the same time.

    benchmarks/open_connections.py [N...]        default: 50000 200000 1000000

Writes a pcap in which N clients connect, then each sends a request, then half of them close in another order than they
came in, imports and inspects it, and prints the user CPU time of both, with and without that of an import of nothing
much (1 connection), which is the JVM's start. User CPU time and not wall time: the machine may have other work.
"""
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

REPLAY = pathlib.Path(__file__).resolve().parent.parent / "replay"
REQUEST = b"GET /item HTTP/1.1\r\nHost: example.org\r\n\r\n"
SYN, ACK, FIN = 2, 16, 1


def packet(number, sent, flags, from_client, sequence, acknowledged, payload=b""):
    """A pcap record with a raw IPv4 packet of connection `number`, the `sent`-th of the file, 5 us after the one before."""
    client = struct.pack(">I", 0x0A000000 + number // 50000)
    server = b"\xc0\xa8\x00\x01"
    client_port, server_port = 10000 + number % 50000, 80
    ends = (client, server, client_port, server_port) if from_client else (server, client, server_port, client_port)
    length = 40 + len(payload)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, length, 0, 0, 64, 6, 0) + ends[0] + ends[1]
    tcp = struct.pack(">HHIIBBHHH", ends[2], ends[3], sequence, acknowledged, 0x50, flags, 65535, 0, 0)
    time_us = sent * 5
    head = struct.pack("<IIII", 1_700_000_000 + time_us // 1_000_000, time_us % 1_000_000, length, length)
    return head + ip + tcp + payload


def write(path, connections):
    sent = 0
    with open(path, "wb", 1 << 20) as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for number in range(connections):
            file.write(packet(number, sent, SYN, True, 0, 0))
            file.write(packet(number, sent + 1, SYN | ACK, False, 0, 1))
            file.write(packet(number, sent + 2, ACK, True, 1, 1))
            sent += 3
        for number in range(connections):
            file.write(packet(number, sent, ACK, True, 1, 1, REQUEST))
            sent += 1
        closing = list(range(0, connections, 2))
        random.Random(1).shuffle(closing)
        end = 1 + len(REQUEST)
        for number in closing:
            file.write(packet(number, sent, FIN | ACK, True, end, 1))
            file.write(packet(number, sent + 1, FIN | ACK, False, 1, end + 1))
            sent += 2


def user_seconds(*command):
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE)
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command}: exit code {os.waitstatus_to_exitcode(status)}\n{output}")
    return usage.ru_utime, usage.ru_maxrss, output


def measure(folder, connections):
    pcap, capture = folder / "many.pcap", folder / "many.bin"
    write(pcap, connections)
    imported = user_seconds(REPLAY, "import", "--force", pcap, "-o", capture)
    found = re.search(r"Imported (\d+) requests? ", imported[2])
    if not found or int(found[1]) != connections:
        sys.exit(f"expected {connections} requests, found: {imported[2]}")
    return imported, user_seconds(REPLAY, "inspect", capture)


def main():
    sizes = [int(size) for size in sys.argv[1:]] or [50_000, 200_000, 1_000_000]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([REPLAY, "--version"], check=True, stdout=subprocess.DEVNULL)  # builds it, trains its archive
        start = measure(folder, 1)
        for size in sizes:
            done = measure(folder, size)
            for what, first, this in zip(("import", "inspect"), start, done):
                print(
                    f"{size:9} open at once, {what:7}: {this[0]:6.2f} s of user CPU, {1e6 * this[0] / size:6.2f} us each; "
                    f"without the start {1e6 * (this[0] - first[0]) / size:6.2f} us each; {this[1] >> 10} MiB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
