package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A target that answers wrongly is named first; one that answers right is not. */
@Tag("full")
final class CompareTest {
    static {
        // The server writes head and body apart; without this the body waits for an acknowledgement of the head.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private static final AtomicInteger CLOCK = new AtomicInteger(1_000_000);

    @TempDir
    Path directory;

    /** Answers with the path, posts with a new text each time, and where it is broken deletions with 500. */
    private static final class Service implements AutoCloseable {
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        private final boolean broken;

        Service(boolean broken) throws IOException {
            this.broken = broken;
            server.setExecutor(threads);
            server.createContext("/", this::answer);
            server.start();
        }

        String address() {
            return "127.0.0.1:" + server.getAddress().getPort();
        }

        private void answer(HttpExchange exchange) throws IOException {
            exchange.getRequestBody().readAllBytes();
            String method = exchange.getRequestMethod();
            String text = method.equals("POST")
                    ? "id " + CLOCK.incrementAndGet()
                    : exchange.getRequestURI().getPath();
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            boolean fails = broken && method.equals("DELETE");
            exchange.getResponseHeaders().add("ETag", "\"" + CLOCK.incrementAndGet() + "\"");
            if (method.equals("HEAD") || fails) {
                exchange.sendResponseHeaders(fails ? 500 : 200, -1);
            } else {
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        }

        @Override
        public void close() {
            server.stop(0);
            threads.shutdownNow();
        }
    }

    @Test
    void showsATargetThatAnswersWronglyBeforeAllElse() throws Exception {
        try (Service first = new Service(false);
                Service second = new Service(false);
                Service broken = new Service(true);
                Replay replay = Replay.run(
                        directory,
                        "--targets",
                        "right=" + first.address() + ",same=" + second.address() + ",wrong=" + broken.address(),
                        "--compare",
                        "--schedule=together",
                        "--warmup=0",
                        "--max-lag=10s",
                        "-c4",
                        "--output=full",
                        "-n1000",
                        "-o",
                        "run",
                        Replay.SAMPLE.toString())) {
            assertEquals(0, replay.exitCode(), replay.toString());
            Path file = directory.resolve("run/wrong.differences.csv");
            List<String> deletions = Files.readAllLines(file).stream().skip(1).collect(Collectors.toList());
            int count = deletions.size();
            assertTrue(count > 10, deletions.toString());
            assertTrue(
                    deletions.stream()
                            .allMatch(line -> line.matches("[0-9]+,DELETE /user/ID,status,,200,500,[0-9]+,0")),
                    deletions.toString());

            List<String> printed = List.of(replay.stdout().split("\n"));
            assertTrue(
                    printed.stream().allMatch(line -> line.length() <= 80 || line.contains(Replay.SAMPLE.toString())),
                    replay.toString());
            // Join the lines that were wrapped for a terminal: they begin with blanks.
            List<String> lines = new ArrayList<>(
                    List.of(replay.stdout().replaceAll("\n  (?=\\S)", " ").split("\n")));
            // These servers answer faster than a busy machine lets Lockstep send.
            lines.removeIf(line -> line.startsWith("BOTTLENECK: "));
            assertTrue(
                    lines.get(0)
                            .matches("ANSWERS DIFFER: wrong: [0-9.]+ % of its answers \\(" + count
                                    + " of 1000\\) differ from right's: status 500 instead of 200 on DELETE /user/ID \\("
                                    + count + " of " + count + "\\)"),
                    lines.get(0));
            assertEquals("FAILING: wrong: " + count + " of 1000 requests failed, mostly status 5xx", lines.get(1));
            assertTrue(lines.get(2).startsWith("VALID. Replayed "), lines.get(2));
            String same = lines.stream()
                    .filter(line -> line.startsWith("same: "))
                    .findFirst()
                    .orElseThrow();
            assertTrue(
                    same.startsWith(
                            "same: equal; 1000 of 1000 requests of the first pass compared; right's own answers "
                                    + "vary in "),
                    same);
            assertTrue(same.contains("header etag of "), same);
            assertTrue(same.contains("body of POST /user"), same);

            JsonNode run = new ObjectMapper()
                    .readTree(directory.resolve("run/run.json").toFile());
            assertTrue(run.path("plan").path("compare").asBoolean());
            assertFalse(run.path("targets").path(0).has("comparison"));
            JsonNode comparison = run.path("targets").path(2).path("comparison");
            assertEquals(count, comparison.path("different").asInt());
            assertEquals(count, comparison.path("byPart").path("status").asInt());
            assertTrue(comparison.path("noisePairs").asInt() > 0);
            assertEquals(10, comparison.path("examples").size());
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            assertEquals(
                    1,
                    Files.readAllLines(directory.resolve("run/same.differences.csv"))
                            .size());
        }
    }
}
