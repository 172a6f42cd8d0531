package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TargetAppTest {
    private static final Pattern READY =
            Pattern.compile("target-app ready: http://127\\.0\\.0\\.1:(\\d+) store=memory users=10000 instances=(\\d+)"
                    + " transport=(epoll|nio) jvm=\"[^\"]+\" pid=(\\d+)");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void badCommandLineIsOneLineAndExitCode2() {
        assertEquals(2, run("--prot", "1"));
        assertEquals("", out.toString());
        assertEquals(
                "target-app: unknown option '--prot' (--help lists the options)" + System.lineSeparator(),
                err.toString());
    }

    @Test
    void portTakenIsOneLineAndExitCode1() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            for (String transport : List.of("--native-transport", "--no-native-transport")) {
                for (String option : List.of("--port", "--echo")) {
                    err.reset();
                    List<String> line = new ArrayList<>(List.of(transport, option, "" + taken.getLocalPort()));
                    if (option.equals("--echo")) {
                        line.add("--port=0");
                    }
                    assertEquals(1, run(line.toArray(new String[0])));
                    String message = err.toString();
                    assertTrue(
                            message.startsWith("target-app: cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": "),
                            message);
                    assertTrue(
                            message.endsWith("; choose another port, or 0 for a free one" + System.lineSeparator()),
                            message);
                    assertEquals(1, message.lines().count());
                }
            }
        }
    }

    @Test
    void unknownHostIsOneLineAndExitCode1() {
        assertEquals(1, run("--host", "no-such-host.invalid", "--port=0"));
        assertEquals(
                "target-app: cannot listen on no-such-host.invalid:0: unknown host" + System.lineSeparator(),
                err.toString());
    }

    @Test
    void printsHelpAndUsers() {
        assertEquals(0, run("--help"));
        assertEquals(AppOptions.HELP + System.lineSeparator(), out.toString());
        out.reset();
        assertEquals(0, run("--users=3", "--print-users"));
        assertEquals(
                List.of(
                        "00000000-0000-8000-8000-000000000000",
                        "00000000-0000-8000-8000-000000000001",
                        "00000000-0000-8000-8000-000000000002"),
                out.toString().lines().collect(Collectors.toList()));
        assertEquals("", err.toString());
    }

    private int run(String... arguments) {
        return TargetApp.run(arguments, new PrintStream(out, true), new PrintStream(err, true));
    }

    @Test
    void usesTheTransportThatItIsTold() throws IOException {
        for (String transport : List.of("--native-transport", "--no-native-transport")) {
            try (TargetApp app = TargetApp.launch(AppOptions.parse("--port=0", "--instances=2", transport));
                    TestingConnection http = TestingConnection.to(app.httpPort())) {
                Matcher ready = READY.matcher(app.describe());
                assertTrue(ready.matches(), app.describe());
                assertEquals(transport.equals("--native-transport") ? "epoll" : "nio", ready.group(3));
                assertEquals(200, http.get("/users/1").status());
            }
        }
    }

    @Test
    void servesWithEveryTcpOption() throws IOException {
        try (TargetApp app = TargetApp.launch(AppOptions.parse(
                        "--port=0", "--tcp-fastopen", "--tcp-quickack", "--no-tcp-nodelay", "--no-metrics"));
                TestingConnection http = TestingConnection.to(app.httpPort())) {
            assertEquals(200, http.get("/users/1").status());
            assertEquals(404, http.get("/metrics").status());
        }
    }

    @Test
    void spreadsConnectionsOverItsInstances() throws IOException {
        try (TargetApp app = TargetApp.launch(AppOptions.parse("--port=0", "--instances=4"))) {
            List<TestingConnection> connections = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                connections.add(TestingConnection.to(app.httpPort()));
            }
            for (TestingConnection http : connections) {
                assertEquals(200, http.get("/users/1").status());
            }
            // One event loop is one thread with a name of Vert.x's.
            long loops = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().contains("eventloop-thread"))
                    .count();
            assertTrue(loops >= 4, loops + " event loops");
            for (TestingConnection http : connections) {
                http.close();
            }
        }
    }

    @Test
    void burnsCpuPerRequestWhenAskedTo() throws IOException {
        try (TargetApp app = TargetApp.launch(AppOptions.parse("--port=0", "--instances=1", "--burn-cpu=100%"));
                TestingConnection http = TestingConnection.to(app.httpPort())) {
            assertTrue(app.describe().contains(" burn-cpu=100.0% "), app.describe());
            Pattern burnt = Pattern.compile("(?m)^target_extra_cpu_seconds_total (\\S+)$");
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            double seconds = 0;
            while (seconds < 0.05 && System.nanoTime() - deadlineNs < 0) {
                for (int i = 0; i < 100; i++) {
                    http.get("/users/1");
                }
                Matcher metric = burnt.matcher(http.get("/metrics").body());
                assertTrue(metric.find());
                seconds = Double.parseDouble(metric.group(1));
            }
            assertTrue(seconds >= 0.05, seconds + " s burnt");
        }
    }

    @Test
    void processSaysOneLineServesAndStopsOnSigterm() throws Exception {
        Process process = start("--port=0", "--instances=2");
        try (BufferedReader output = reader(process.getInputStream());
                BufferedReader errors = reader(process.getErrorStream())) {
            String line = output.readLine();
            Matcher ready = READY.matcher(line);
            assertTrue(ready.matches(), line);
            assertEquals(process.pid(), Long.parseLong(ready.group(4)));
            try (TestingConnection http = TestingConnection.to(Integer.parseInt(ready.group(1)))) {
                for (int i = 0; i < 1_000; i++) {
                    assertEquals(200, http.get("/users/" + i).status());
                }
                process.toHandle().destroy();
                assertEquals(0, http.rest().length);
            }
            // Nothing but the one line for a thousand requests; newer JVMs warn about Netty before it starts.
            assertNull(output.readLine());
            String message = errors.readLine();
            while (message != null && (message.startsWith("WARNING: ") || message.isEmpty())) {
                message = errors.readLine();
            }
            assertNull(message);
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals(128 + 15, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    private static BufferedReader reader(InputStream stream) {
        return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    @Test
    void processExitsWithItsCode() throws Exception {
        Process process = start("--instances=0");
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals(2, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void processThatCannotHoldItsUsersSaysSoAndExits() throws Exception {
        Process process = start(List.of("-Xmx24m", "-XX:+UseSerialGC"), "--port=0", "--users=2000000");
        try (BufferedReader errors = reader(process.getErrorStream())) {
            List<String> lines = errors.lines().collect(Collectors.toList());
            assertTrue(
                    lines.get(lines.size() - 1)
                            .matches("target-app: a heap of \\d+ MB is too small for 2000000 users; .*"),
                    lines.toString());
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals(1, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    /** NIO under the name of epoll would be compared with itself. */
    @Test
    void doesNotStartWithoutTheTransportThatItWasToldToUse() throws Exception {
        for (String option : List.of("--native-transport", "--tcp-fastopen", "--tcp-quickack")) {
            Process process = start(List.of("-Dio.netty.transport.noNative=true"), "--port=0", option);
            try (BufferedReader errors = reader(process.getErrorStream())) {
                assertTrue(errors.lines().anyMatch(line -> line.startsWith("target-app: cannot use epoll: ")), option);
                assertTrue(process.waitFor(60, TimeUnit.SECONDS));
                assertEquals(1, process.exitValue());
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static Process start(String... arguments) throws IOException {
        return start(List.of(), arguments);
    }

    private static Process start(List<String> jvmOptions, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.lockstep.app.TargetApp"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).start();
    }

    @Test
    void closingTwiceIsFine() {
        TargetApp app = TargetApp.launch(AppOptions.parse("--port=0"));
        int port = app.httpPort();
        app.close();
        app.close();
        assertThrows(IOException.class, () -> TestingConnection.to(port));
        assertFalse(app.describe().isEmpty());
    }
}
