package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.directory.RunDirectoryReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that run already, compared in blocks, by what they tell of their own cost. */
@Timeout(300)
final class RunningServersTest {
    /** A server that burns CPU for each request and tells of it as prom-client does. */
    private static final String NODE = "const http = require('http');\n"
            + "const crypto = require('crypto');\n"
            + "const rounds = Number(process.argv[2]);\n"
            + "const server = http.createServer((request, response) => {\n"
            + "  if (request.url.startsWith('/metrics')) {\n"
            + "    const cpu = process.cpuUsage();\n"
            + "    response.end(`process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}\\n`\n"
            + "        + `process_resident_memory_bytes ${process.memoryUsage.rss()}\\n`);\n"
            + "    return;\n"
            + "  }\n"
            + "  crypto.pbkdf2Sync('a', 'b', rounds, 32, 'sha256');\n"
            + "  response.end('hello');\n"
            + "});\n"
            + "server.listen(0, '127.0.0.1', () => console.log(server.address().port));\n";

    @TempDir
    private Path folder;

    private final TestingCommandLine line = new TestingCommandLine();
    private final List<HttpServer> servers = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
        processes.forEach(Process::destroyForcibly);
    }

    /** Starts a server that says that each request costs so much, and returns its port. */
    private int server(long nsPerRequest) throws IOException {
        AtomicLong cpuNs = new AtomicLong(7_654_321);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            cpuNs.addAndGet(nsPerRequest);
            answer(exchange, "hello");
        });
        server.createContext(
                "/metrics", exchange -> answer(exchange, "process_cpu_seconds_total " + cpuNs.get() / 1e9 + "\n"));
        server.start();
        servers.add(server);
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private int node(int rounds) throws IOException {
        Path script = Files.writeString(folder.resolve("server.js"), NODE);
        Process process;
        try {
            process = new ProcessBuilder("node", script.toString(), Integer.toString(rounds)).start();
        } catch (IOException e) {
            assumeTrue(false, "takes node in PATH: " + e.getMessage());
            throw e;
        }
        processes.add(process);
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        return Integer.parseInt(out.readLine());
    }

    /** Burns 2 ms of CPU for each request, and tells of it over JMX. */
    static final class JmxServer {
        private JmxServer() {}

        public static void main(String[] arguments) throws IOException {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                long endNs = threads.getCurrentThreadCpuTime() + 2_000_000;
                while (threads.getCurrentThreadCpuTime() < endNs) {
                    Thread.onSpinWait();
                }
                answer(exchange, "hello");
            });
            server.start();
            System.out.println(server.getAddress().getPort());
        }
    }

    /** Returns a target with its metrics, as the targets file has it. */
    private String jmxTarget(String name) throws IOException {
        int jmx;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            jmx = free.getLocalPort();
        }
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        // Else an answer waits 40 ms for the acknowledgement of its head.
                        "-Dsun.net.httpserver.nodelay=true",
                        "-Dcom.sun.management.jmxremote.port=" + jmx,
                        "-Dcom.sun.management.jmxremote.rmi.port=" + jmx,
                        "-Dcom.sun.management.jmxremote.host=127.0.0.1",
                        "-Djava.rmi.server.hostname=127.0.0.1",
                        "-Dcom.sun.management.jmxremote.ssl=false",
                        "-Dcom.sun.management.jmxremote.authenticate=false",
                        "-cp",
                        System.getProperty("java.class.path"),
                        JmxServer.class.getName())
                .start();
        processes.add(process);
        String port =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        return "- {name: " + name + ", address: '127.0.0.1:" + port
                + "', metrics: 'service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmx + "/jmxrmi'}\n";
    }

    private Path targets(int old, int other) throws IOException {
        return Files.writeString(
                folder.resolve("targets.yaml"),
                String.format(
                        "targets:%n- {name: old, address: '127.0.0.1:%1$d', metrics: 'http://127.0.0.1:%1$d/metrics'}%n"
                                + "- name: new%n  address: 127.0.0.1:%2$d%n  metrics:%n"
                                + "    url: http://127.0.0.1:%2$d/metrics?key=hidden%n"
                                + "    headers: {X-Path: 'p-${PATH}'}%n",
                        old, other));
    }

    private int run(Path targets, String... options) {
        return line.execute(Stream.concat(
                        Stream.of(
                                "--targets-file",
                                targets.toString(),
                                "-o",
                                folder.resolve("run") + "",
                                "--max-lag",
                                "10s"),
                        Stream.of(options))
                .toArray(String[]::new));
    }

    @Test
    void decidesByWhatTheServersTellOfTheirCpu() throws IOException {
        Path targets = targets(server(2_000_000), server(3_000_000));

        int exit = run(
                targets,
                "--launches",
                "2",
                "-n",
                "4",
                "-c",
                "1",
                // In a closed loop of milliseconds Lockstep itself may set the pace, beside other tests.
                "-q",
                "100",
                "--assert",
                "new.cpuPerRequest <= 1.2 * old",
                "http://h/");

        assertEquals(ExitCode.FAILED, exit, line.err());
        RunResult result = RunDirectoryReader.read(folder.resolve("run"));
        Verdict verdict = result.verdicts().get(0);
        assertEquals("cpuPerRequest", verdict.metric());
        assertEquals(1.5, verdict.ratio().getAsDouble(), 1e-6);
        assertTrue(
                line.out().contains("VERDICT by CPU per request, on these processes, not on their builds"), line.out());
        assertTrue(line.out().contains("2 blocks"), line.out());
        assertTrue(line.out().contains("fails: new.cpuPerRequest <= 1.2 * old (ratio 1.5,"), line.out());
        assertEquals(2_000_000, result.baseline().perRequest().cpuNsPerRequest().getAsDouble());
        assertTrue(result.plan().orderSeed().isPresent());
        String written = Files.readString(folder.resolve("run/run.json"))
                + Files.readString(folder.resolve("run/plan.json"))
                + line.out()
                + line.err();
        assertTrue(written.contains("/metrics?..."), "where it came from");
        assertFalse(written.contains("hidden") || written.contains(System.getenv("PATH")), "what may be secret");
    }

    @Test
    void readsWhatAJvmTellsOverJmxAtTheBordersOfEachBlock() throws IOException {
        Path targets =
                Files.writeString(folder.resolve("targets.yaml"), "targets:\n" + jmxTarget("old") + jmxTarget("new"));

        assertEquals(
                ExitCode.DONE,
                run(targets, "--launches", "2", "--warmup", "100ms", "-n", "100", "-c", "1", "http://h/"),
                line.err());

        RunResult result = RunDirectoryReader.read(folder.resolve("run"));
        assertEquals("cpuPerRequest", result.verdicts().get(0).metric());
        for (TargetResult target : result.targets()) {
            double ns = target.perRequest().cpuNsPerRequest().orElseThrow();
            assertTrue(ns > 1_500_000, target.name() + ": " + ns + " ns per request; " + line.out());
            assertTrue(
                    target.launches().stream()
                            .allMatch(
                                    launch -> launch.costs().get(Cost.HEAP_USED).isPresent()),
                    line.out());
        }
        assertTrue(
                Files.readString(folder.resolve("run/run.json"))
                        .contains("java.lang:type=OperatingSystem ProcessCpuTime"),
                "where it came from");
    }

    @Test
    void refusesOneProcessUnderTwoNames() throws IOException {
        int port = server(1);
        Path targets = targets(port, port);
        Files.writeString(
                targets, Files.readString(targets).replace("?key=hidden", "").replaceFirst("    headers.*", ""));

        assertEquals(ExitCode.USAGE, run(targets, "--launches", "2", "-n", "4", "-c", "1", "http://h/"));

        assertTrue(line.err().contains("old and new have the same metrics, at http://127.0.0.1:" + port), line.err());
    }

    @Test
    void refusesInOneLineWhatTellsNoCpu() throws IOException {
        Path targets = targets(server(1), server(1));
        servers.get(1).removeContext("/metrics");

        assertEquals(ExitCode.FAILED, run(targets, "--launches", "2", "-n", "4", "-c", "1", "http://h/"));

        assertTrue(
                line.err()
                        .contains("target new: its metrics at http://127.0.0.1:"
                                + servers.get(1).getAddress().getPort()
                                + "/metrics?...: expected metrics in Prometheus'"),
                line.err());
    }

    @Test
    @Tag("full")
    void findsHowMuchMoreCpuOneOfTwoNodeServersUses() throws IOException {
        Path targets = targets(node(8000), node(12000));

        assertEquals(
                ExitCode.DONE,
                run(targets, "--launches", "6", "-z", "1s", "-q", "60", "--warmup", "300ms", "http://h/"),
                line.err());

        RunResult result = RunDirectoryReader.read(folder.resolve("run"));
        Verdict verdict = result.verdicts().get(0);
        assertEquals(Verdict.Finding.WORSE, verdict.finding(), line.out());
        TargetResult old = result.baseline();
        // Half as much again of the hash, and alike what sockets and Node do beside it.
        assertEquals(1.45, verdict.ratio().getAsDouble(), 0.25, line.out());
        assertTrue(old.launches().stream().map(LaunchResult::costs).noneMatch(costs -> costs.isEmpty()), line.out());
    }

    @Test
    @Tag("full")
    void findsNoDifferenceOfAServerToItself() throws IOException {
        int port = node(1000);

        assertEquals(
                ExitCode.DONE,
                line.execute(
                        "--targets",
                        "a=127.0.0.1:" + port + ",b=127.0.0.1:" + port,
                        "-o",
                        folder.resolve("run") + "",
                        "--launches",
                        "6",
                        "-z",
                        "500ms",
                        "-q",
                        "200",
                        "--warmup",
                        "100ms",
                        "--margin",
                        "10%",
                        "--max-lag",
                        "10s",
                        "http://h/"),
                line.err());

        Verdict verdict =
                RunDirectoryReader.read(folder.resolve("run")).verdicts().get(0);
        assertEquals("p50", verdict.metric());
        assertTrue(
                verdict.finding() == Verdict.Finding.EQUIVALENT || verdict.finding() == Verdict.Finding.INCONCLUSIVE,
                line.out());
    }
}
