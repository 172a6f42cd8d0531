#!/usr/bin/env python3
"""Runs Apache Thrift's cross-test through the recording proxy, and checks what was recorded.

usage: cross_test.py [--work DIR] [--first-port PORT] [--only PATTERN]

The programs are Apache's own test clients and servers for Python, Java and Go, version 0.17.0, built here: sources by
`go mod download`, libthrift and what it needs by `mvn`, Python's library as it is installed (pip install thrift), the
compiler from Debian's package thrift-compiler. Nothing of it stays outside DIR (target/cross-test).

Each combination of client, server, transport and protocol that both have must pass Apache's tests with the proxy
between them. Between client and proxy stands a tap that knows nothing of ours; every connection's recorded bytes must
be those of the tap, and its calls those that the client makes.
"""
import argparse
import collections
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

VERSION = "0.17.0"
HOST = "127.0.0.1"
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TIMEOUT_S = 30
# Python's accelerated compact protocol over zlib waits forever now and then, without the proxy too.
ATTEMPTS = 3

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>cross</groupId><artifactId>cross</artifactId><version>1</version><dependencies>%s</dependencies></project>"""
JARS = [("org.apache.thrift", "libthrift", VERSION), ("org.apache.httpcomponents", "httpclient", "4.5.14"),
        ("org.junit.jupiter", "junit-jupiter-api", "5.8.2"), ("org.slf4j", "slf4j-nop", "1.7.36")]

# What the programs have, from test/tests.json: protocols of clients by those of the server that they may talk to.
PROTOCOLS = {
    "python": ["binary", "accel", "compact", "accelc", "header", "json", "multi", "multia", "multic", "multiac", "multih",
               "multij"],
    "java": ["binary", "compact", "json", "multi", "multic", "multij"],
    "go": ["binary", "compact", "json", "header"],
}
SERVER_TRANSPORTS = {
    "python": ["buffered", "framed", "http", "zlib"],
    "java": ["buffered", "framed", "fastframed", "zlib"],
    "go": ["buffered", "framed", "http", "zlib"],
}
CLIENT_TRANSPORTS = {**SERVER_TRANSPORTS, "java": ["buffered", "framed", "fastframed", "zlib", "http"]}
# The same on the wire.
WIRE = {"accel": "binary", "accelc": "compact", "multia": "multi", "multiac": "multic", "fastframed": "framed"}
# How often a client calls: counted in its source, and for Python and Java in test-data's packet captures by another
# program.
CALLS = {"python": 37, "java": 28}


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit("%s failed: %s" % (" ".join(command), done.stdout[-3000:]))
    return done.stdout


def edit(path, *changes):
    with open(path) as file:
        text = file.read()
    for old, new in changes:
        text = text.replace(old, new)
    with open(path, "w") as file:
        file.write(text)


def build(work):
    """Builds the programs once, and returns the folder of Thrift's sources."""
    tree = os.path.join(work, "thrift")
    if os.path.exists(os.path.join(work, "built")):
        return tree
    version = run("thrift", "--version").strip()
    if version != "Thrift version " + VERSION:
        sys.exit("the compiler must be %s (apt-get install thrift-compiler), found %s" % (VERSION, version))
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(os.path.join(work, "go.mod"), "w") as file:
        file.write("module cross\n")
    source = json.loads(run("go", "mod", "download", "-json", "github.com/apache/thrift@v" + VERSION, cwd=work))["Dir"]
    shutil.copytree(source, tree)
    run("chmod", "-R", "u+w", tree)
    test = os.path.join(tree, "test")

    run("thrift", "--gen", "py", "-out", os.path.join(test, "py"), os.path.join(test, "ThriftTest.thrift"))
    # Servers on the loopback address only.
    edit(os.path.join(test, "py", "TestServer.py"), ("host = None", "host = '127.0.0.1'"),
         ("('', options.port)", "('127.0.0.1', options.port)"))

    java = os.path.join(work, "java")
    os.makedirs(java)
    with open(os.path.join(java, "pom.xml"), "w") as file:
        file.write(POM % "".join("<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>"
                                 % jar for jar in JARS))
    run("mvn", "-q", "-B", "-f", java, "dependency:copy-dependencies", "-DoutputDirectory=" + os.path.join(java, "lib"))
    run("thrift", "--gen", "java:generated_annotations=suppress", "-out", java, os.path.join(test, "ThriftTest.thrift"))
    library = os.path.join(tree, "lib", "java", "src")
    cross = os.path.join(library, "crossTest", "java", "org", "apache", "thrift", "test")
    for name in ("TestServer.java", "TestNonblockingServer.java"):
        edit(os.path.join(cross, name), (".port(port)", ".bindAddr(new java.net.InetSocketAddress(\"127.0.0.1\", port))"))
    # Its option for this does not work.
    edit(os.path.join(cross, "TestClient.java"), ("socketTimeout = 1000;", "socketTimeout = 20000;"))
    sources = [os.path.join(cross, name) for name in ("TestClient.java", "TestServer.java", "TestNonblockingServer.java")]
    sources.append(os.path.join(library, "test", "java", "org", "apache", "thrift", "server", "ServerTestBase.java"))
    for folder, _, names in os.walk(os.path.join(java, "thrift")):
        sources += [os.path.join(folder, name) for name in names]
    run("javac", "-nowarn", "-d", os.path.join(java, "classes"), "-cp", os.path.join(java, "lib", "*"), *sources)

    # Go cannot have these as keys: test/go/Makefile.am leaves them out too.
    with open(os.path.join(test, "ThriftTest.thrift")) as file:
        lines = [line for line in file if not re.search("list.*map.*list.*map|set<Insanity>", line)]
    go = os.path.join(test, "go")
    with open(os.path.join(go, "ThriftTest.thrift"), "w") as file:
        file.writelines(lines)
    generated = os.path.join(go, "src", "gen")
    os.makedirs(generated)
    run("thrift", "-out", generated, "--gen", "go:thrift_import=github.com/apache/thrift/lib/go/thrift,"
        "package_prefix=github.com/apache/thrift/test/go/src/gen/", os.path.join(go, "ThriftTest.thrift"))
    for name in ("testclient", "testserver"):
        run("go", "build", "-mod=mod", "-buildvcs=false", "-o", os.path.join(work, name), "./test/go/src/bin/" + name,
            cwd=tree)
    open(os.path.join(work, "built"), "w").close()
    return tree


def classpath(work):
    path = os.path.join(work, "classpath")
    run("mvn", "-q", "-B", "-pl", "live-tests", "-am", "test-compile", "dependency:build-classpath",
        "-Dmdep.outputFile=" + path, "-Dmdep.includeScope=test", cwd=ROOT)
    with open(path) as file:
        return os.path.join(HERE, "target", "test-classes") + ":" + file.read().strip()


class Tap:
    """Passes connections on to a port, and keeps what each client sends."""

    def __init__(self, listen, upstream):
        self.upstream = upstream
        self.sent = []
        self.copying = []
        self.listener = socket.create_server((HOST, listen), backlog=50)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            upstream = socket.create_connection((HOST, self.upstream))
            for each in (client, upstream):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sent = bytearray()
            self.sent.append(sent)
            for arguments in ((client, upstream, sent), (upstream, client, None)):
                thread = threading.Thread(target=self.copy, args=arguments, daemon=True)
                self.copying.append(thread)
                thread.start()

    @staticmethod
    def copy(source, target, sent):
        try:
            while True:
                data = source.recv(1 << 16)
                if not data:
                    break
                if sent is not None:
                    sent += data
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def finish(self):
        """Waits until the clients, which have ended, were passed on whole."""
        for thread in self.copying[::2]:
            thread.join(TIMEOUT_S)
        self.listener.close()


def server_command(work, tree, server, transport, protocol, port):
    if server == "python":
        test = os.path.join(tree, "test", "py")
        zlib = ["--zlib"] if transport == "zlib" else []
        return [sys.executable, "-B", "TestServer.py", "-q", "--genpydir=.", "--port=%d" % port, "--protocol=" + protocol,
                "--transport=" + ("buffered" if zlib else transport)] + zlib + ["TThreadedServer"], test
    if server == "java":
        kind = "thread-pool"
        if transport in ("framed", "fastframed"):
            kind = "nonblocking" if protocol.endswith("c") else "threaded-selector"
        return ["java", "-cp", java_path(work), "org.apache.thrift.test.TestServer", "--port=%d" % port,
                "--protocol=" + protocol, "--transport=" + transport, "--server-type=" + kind], work
    return [os.path.join(work, "testserver"), "-host=" + HOST, "-port=%d" % port, "-protocol=" + protocol,
            "-transport=" + transport], work


def client_command(work, tree, client, transport, protocol, port):
    if client == "python":
        test = os.path.join(tree, "test", "py")
        extra = ["--zlib"] if transport == "zlib" else ["--http=/test"] if transport == "http" else []
        return [sys.executable, "-B", "TestClient.py", "-q", "--genpydir=.", "--host=" + HOST, "--port=%d" % port,
                "--protocol=" + protocol, "--transport=" + ("buffered" if transport == "zlib" else transport)] + extra, test
    if client == "java":
        return ["java", "-cp", java_path(work), "org.apache.thrift.test.TestClient", "--host=" + HOST, "--port=%d" % port,
                "--protocol=" + protocol, "--transport=" + transport], work
    return [os.path.join(work, "testclient"), "-host=" + HOST, "-port=%d" % port, "-protocol=" + protocol,
            "-transport=" + transport], work


def java_path(work):
    java = os.path.join(work, "java")
    return os.path.join(java, "classes") + ":" + os.path.join(java, "lib", "*")


def await_listening(port, process):
    deadline = time.monotonic() + TIMEOUT_S
    wanted = "%04X" % port
    while time.monotonic() < deadline and process.poll() is None:
        # Asked of the kernel: a connection would be one more for the server.
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(table) as file:
                for line in file:
                    fields = line.split()
                    if fields[1].endswith(":" + wanted) and fields[3] == "0A":
                        return True
        time.sleep(0.02)
    return False


def stop(process):
    process.terminate()
    process.wait()


def combinations():
    for server, server_transports in SERVER_TRANSPORTS.items():
        for server_transport in server_transports:
            for server_protocol in PROTOCOLS[server]:
                for client in ("python", "java", "go"):
                    for transport in CLIENT_TRANSPORTS[client]:
                        for protocol in PROTOCOLS[client]:
                            same = WIRE.get(transport, transport) == WIRE.get(server_transport, server_transport)
                            wire = WIRE.get(protocol, protocol)
                            if same and wire == WIRE.get(server_protocol, server_protocol):
                                yield server, server_transport, server_protocol, client, transport, protocol


def expected_protocol(transport, protocol):
    if transport == "http":
        return "HTTP1"
    if transport == "zlib":
        return "THRIFT_ZLIB"
    wire = WIRE.get(protocol, protocol)
    if wire in ("header", "multih"):
        return "THRIFT_HEADER"
    form = {"binary": "BINARY", "multi": "BINARY", "compact": "COMPACT", "multic": "COMPACT"}.get(wire, "JSON")
    return "THRIFT_%s_%s" % ("UNFRAMED" if transport == "buffered" else "FRAMED", form)


class Run:
    def __init__(self, work, tree, recorder, ports):
        self.work, self.tree, self.recorder, self.ports = work, tree, recorder, ports
        self.names = {}

    def one(self, server, server_transport, server_protocol, client, transport, protocol):
        """Returns what is wrong, or None, and how many calls were recorded, or -1 where Apache's programs disagree."""
        server_port, proxy_port, tap_port = next(self.ports), next(self.ports), next(self.ports)
        process = self.serve(server, server_transport, server_protocol, server_port)
        try:
            self.recorder.stdin.write("%d %d\n" % (proxy_port, server_port))
            self.recorder.stdin.flush()
            if self.recorder.stdout.readline().strip() != "recording":
                return "the recorder does not start", 0
            tap = Tap(tap_port, proxy_port)
            done = self.call(client, transport, protocol, tap_port)
            tap.finish()
        finally:
            stop(process)
        self.recorder.stdin.write("end\n")
        self.recorder.stdin.flush()
        recorded = [line.rstrip("\n").split("\t") for line in iter(self.recorder.stdout.readline, "\n")]
        if done.returncode == 0:
            return self.check(client, transport, protocol, tap.sent, recorded)
        server_port = next(self.ports)
        process = self.serve(server, server_transport, server_protocol, server_port)
        try:
            direct = self.call(client, transport, protocol, server_port)
        finally:
            stop(process)
        if direct.returncode != 0:
            return None, -1
        return "the client's tests fail: " + done.stdout[-500:].replace("\n", " | "), 0

    def serve(self, server, transport, protocol, port):
        command, folder = server_command(self.work, self.tree, server, transport, protocol, port)
        with open(os.path.join(self.work, "server.log"), "w") as log:
            process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        if not await_listening(port, process):
            stop(process)
            sys.exit("a server does not start: " + " ".join(command))
        return process

    def call(self, client, transport, protocol, port):
        command, folder = client_command(self.work, self.tree, client, transport, protocol, port)
        try:
            return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 1, "the client does not end", None)

    def check(self, client, transport, protocol, sent, recorded):
        taps = collections.Counter(hashlib.sha256(bytes(each)).hexdigest() for each in sent)
        found = collections.Counter(each[1] for each in recorded)
        if taps != found:
            return "the recorded bytes are not those of the tap", 0
        connections = [each for each in recorded if int(each[2]) > 0]
        kinds = {each[0] for each in connections}
        if kinds != {expected_protocol(transport, protocol)}:
            return "recognised as %s" % ", ".join(sorted(kinds)), 0
        names = [name for each in connections for name in each[3].split(",") if name]
        if transport == "zlib":
            return (None, 0) if not names else ("requests in a compressed stream", 0)
        multiplexed = protocol.startswith("multi")
        functions = collections.Counter(name.split(":")[-1] for name in names)
        known = self.names.setdefault((client, multiplexed), functions)
        if functions != known:
            return "calls %s instead of %s" % (dict(functions), dict(known)), len(names)
        # Python's and Java's multiplexed clients call the second service once more.
        calls = CALLS[client] + (1 if multiplexed else 0)
        if len(names) != calls:
            return "%d calls instead of %d" % (len(names), calls), len(names)
        if multiplexed and not all(":" in name for name in names):
            return "names without a service", len(names)
        return None, len(names)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", default=os.path.join(HERE, "target", "cross-test"))
    parser.add_argument("--first-port", type=int, default=21000)
    parser.add_argument("--only", default="", help="a regular expression for the combinations to run")
    options = parser.parse_args()
    work = os.path.abspath(options.work)
    tree = build(work)
    with open(os.path.join(tree, "test", "go", "src", "bin", "testclient", "main.go")) as file:
        CALLS["go"] = len(re.findall(r"client\.Test\w+\(", file.read()))
    recorder = subprocess.Popen(["java", "-cp", classpath(work), "dev.lockstep.livetests.CrossTestRecorder", work],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ports = iter(range(options.first_port, 65536))
    runner = Run(work, tree, recorder, ports)
    passed = calls = disagreeing = 0
    failures = []
    pairs = collections.Counter()
    for combination in combinations():
        name = "server %s %s %s, client %s %s %s" % combination
        if not re.search(options.only, name):
            continue
        for attempt in range(ATTEMPTS):
            problem, found = runner.one(*combination)
            if problem is None:
                break
            print("attempt %d: %s: %s" % (attempt + 1, name, problem), flush=True)
        if found < 0:
            disagreeing += 1
            print("fails without the proxy too: " + name, flush=True)
        elif problem is None:
            passed += 1
            calls += found
            pairs[combination[3], combination[0]] += 1
        else:
            failures.append(name)
            print("FAILED: " + name, flush=True)
    recorder.stdin.close()
    recorder.wait()
    for (client, server), count in sorted(pairs.items()):
        print("%s client, %s server: %d" % (client, server, count))
    print("%d combinations passed with every byte recorded, %d failed, %d fail without the proxy too; %d calls recorded "
          "by their names" % (passed, len(failures), disagreeing, calls))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
