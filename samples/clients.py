#!/usr/bin/env python3
"""Real HTTP traffic against target-app for samples/record.sh: clients.py PORT SECONDS

Four users with keep-alive connections (http.client) read, create, change and delete users with think times, a feed
reader asks for timelines and a few CPU-bound answers, a batch client pipelines requests on a raw socket, and a
monitor asks for /health on a new connection each time. The choice of requests is seeded; the timing is the clients'.
"""
import http.client
import json
import random
import socket
import sys
import threading
import time
import uuid

HOST, PORT, SECONDS = "127.0.0.1", int(sys.argv[1]), float(sys.argv[2])
END = time.monotonic() + SECONDS
HEADERS = {"User-Agent": "crm-batch/2.3", "Accept": "application/json", "Accept-Language": "en-GB,de;q=0.8"}


def user_id(index):
    """The id of target-app's user number index (docs/target-app.md)."""
    return f"00000000-0000-8000-8000-{index:012x}"


def call(connection, method, path, body=None):
    headers = dict(HEADERS)
    if body is not None:
        body = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    return response.status, response.getheader("Location"), response.read()


def person(rng):
    return {"name": f"Visitor {rng.randrange(10**6)}", "email": f"v{rng.randrange(10**6)}@example.org",
            "city": rng.choice(["Zürich", "Oslo", "Lima", "Pune"]), "age": rng.randrange(18, 90)}


def crud(seed):
    """Mostly reads, as in a user directory; creates, changes and deletes users of its own."""
    rng, own = random.Random(seed), []
    connection = http.client.HTTPConnection(HOST, PORT)
    while time.monotonic() < END:
        dice = rng.random()
        if dice < 0.70:
            call(connection, "GET", "/user/" + user_id(int(rng.paretovariate(0.8)) % 10_000))
        elif dice < 0.80:
            _, location, _ = call(connection, "POST", "/user", person(rng))
            own.append(location)
        elif dice < 0.90 and own:
            call(connection, "PUT", rng.choice(own), person(rng))
        elif dice < 0.94 and own:
            call(connection, "DELETE", own.pop(rng.randrange(len(own))))
        elif dice < 0.97:
            call(connection, "HEAD", "/user/" + user_id(rng.randrange(10_000)))
        else:
            call(connection, "GET", "/user/" + str(uuid.UUID(int=rng.getrandbits(128), version=4)))
        time.sleep(rng.expovariate(1 / 0.018))


def feed(seed):
    rng = random.Random(seed)
    connection = http.client.HTTPConnection(HOST, PORT)
    work = ["/cpu/signverify", "/cpu/aesgcm", "/cpu/lu?n=50", "/cpu/xml?n=20", "/cpu/streams?n=2000"]
    while time.monotonic() < END:
        if rng.random() < 0.15:
            call(connection, "GET", rng.choice(work))
        else:
            call(connection, "GET", f"/timeline/{user_id(rng.randrange(10_000))}?n={rng.choice([10, 20, 50])}")
        time.sleep(rng.expovariate(1 / 0.05))


def pipeline(seed):
    """Five requests in one write, as batch clients do; answers are read by their Content-Length."""
    rng = random.Random(seed)
    connection = socket.create_connection((HOST, PORT))
    reader = connection.makefile("rb")
    while time.monotonic() < END:
        batch = "".join(
            f"GET /user/{user_id(rng.randrange(10_000))} HTTP/1.1\r\nHost: {HOST}:{PORT}\r\nAccept: */*\r\n\r\n"
            for _ in range(5))
        connection.sendall(batch.encode())
        for _ in range(5):
            length = 0
            while (line := reader.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            reader.read(length)
        time.sleep(rng.expovariate(1 / 0.12))


def monitor(_):
    while time.monotonic() < END:
        connection = http.client.HTTPConnection(HOST, PORT)
        call(connection, "GET", "/health")
        connection.close()
        time.sleep(0.5)


threads = [threading.Thread(target=target, args=(seed,))
           for seed, target in enumerate([crud, crud, crud, crud, feed, pipeline, monitor])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
