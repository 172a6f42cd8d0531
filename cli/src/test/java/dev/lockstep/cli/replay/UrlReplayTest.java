package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.measurement.Pace;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.directory.RunDirectoryReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A URL in place of a capture, as wrk's and hey's users type it. */
@Timeout(60)
final class UrlReplayTest {
    @TempDir
    private Path folder;

    private final TestingCommandLine line = new TestingCommandLine();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private HttpServer server;

    @BeforeEach
    void startServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String headers = exchange.getRequestHeaders().entrySet().stream()
                .map(header -> header.getKey() + "=" + String.join("+", header.getValue()))
                .sorted()
                .collect(Collectors.joining(" "));
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + headers + " [" + body + "]");
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
    }

    @AfterEach
    void stopServer() {
        server.stop(0);
    }

    @Test
    void goesOnWhereACollectorOfMetricsTakesNone() {
        // The server under load answers 204 to anything; nobody listens on port 1.
        assertEquals(
                ExitCode.DONE,
                run("-n", "10", "--otlp", "http://127.0.0.1:1", "http://" + address() + "/a"),
                line.err());

        assertEquals(
                List.of("replay: --otlp: http://127.0.0.1:1/v1/metrics: expected a collector that takes metrics, found"
                        + " nobody who listens there; the run goes on, and tries again without saying so"),
                line.err().lines().filter(one -> one.contains("otlp")).collect(Collectors.toList()));
    }

    @Test
    void addsASummaryOfTheRunToAFile() throws IOException {
        Path summary = folder.resolve("run/summary.md"); // made with the run's own

        assertEquals(
                ExitCode.DONE,
                run("-n", "10", "-c", "1", "--summary", summary.toString(), "http://" + address() + "/a"),
                line.err());

        assertTrue(Files.readString(summary).startsWith("## Lockstep: "), Files.readString(summary));
        assertFalse(RunDirectoryReader.readPlan(folder.resolve("run")).command().contains("--summary"));
        // In /proc/sys not even root may make a file.
        for (Path nowhere : List.of(folder.resolve("no/such.md"), Path.of("/proc/sys/such.md"))) {
            assertEquals(
                    ExitCode.USAGE, run("-n", "10", "--summary", nowhere.toString(), "http://" + address() + "/a"));
            assertTrue(
                    line.err().contains("--summary: expected a file that can be written, found " + nowhere),
                    line.err());
        }
    }

    @Test
    void printsNothingButTheSummaryWhereThatIsStandardOutput() {
        assertEquals(
                ExitCode.DONE, run("-n", "10", "-c", "1", "--summary", "-", "http://" + address() + "/a"), line.err());

        assertTrue(line.out().startsWith("## Lockstep: "), line.out());
        assertFalse(line.out().contains("Status code distribution"), line.out());
        assertTrue(line.err().contains("run directory: "), line.err());
    }

    @Test
    void sendsOneRequestToTheServerOfItsUrlAgainAndAgain() throws IOException {
        String url = "http://" + address() + "/a?b=1";

        assertEquals(ExitCode.DONE, run("-n", "40", "-c", "4", url), line.err());

        RunResult result = RunDirectoryReader.read(folder.resolve("run"));
        assertEquals(Pace.MAX, result.plan().pace());
        assertEquals(40, result.targets().get(0).counts().get().completed);
        assertEquals(4, result.targets().get(0).counts().get().connections);
        assertEquals(address().replace(':', '-'), result.targets().get(0).name());
        String shown = url.replace("b=1", "b=***");
        assertEquals(shown, result.plan().capture().path());
        assertEquals(
                List.of("replay", "--warmup", "0", "--max-lag", "10s", "-n", "40", "-c", "4", shown),
                result.plan().command());
        assertEquals(40, requests.size());
        assertEquals(
                List.of("GET /a?b=1 Accept=*/* Host=" + address() + " User-agent=lockstep []"),
                requests.stream().distinct().collect(Collectors.toList()));
        assertTrue(line.err().contains(shown + ": 1 request on 1 connection"), line.err());
    }

    @Test
    void sendsPathAndHostOfTheUrlToTheTargetsThatAreNamed() {
        assertEquals(
                ExitCode.DONE,
                run("-n", "3", "-c", "1", "--targets", "svc=" + address(), "http://shop.test/x#part"),
                line.err());

        assertEquals("GET /x Accept=*/* Host=shop.test User-agent=lockstep []", requests.peek());
        assertEquals(3, requests.size());
    }

    @Test
    @Tag("full")
    void findsTheSlowerOfTwoServersThatRunAlready() throws IOException {
        server.createContext("/quick", exchange -> answerAfter(5, exchange));
        HttpServer slow = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        slow.createContext("/quick", exchange -> answerAfter(25, exchange));
        slow.start();
        try {
            assertEquals(
                    ExitCode.DONE,
                    run(
                            "--launches",
                            "6",
                            "-n",
                            "20",
                            "-c",
                            "1",
                            "--targets",
                            "old=" + address() + ",new=127.0.0.1:"
                                    + slow.getAddress().getPort(),
                            "http://h/quick"),
                    line.err());
        } finally {
            slow.stop(0);
        }

        RunResult result = RunDirectoryReader.read(folder.resolve("run"));
        Verdict verdict = result.verdicts().get(0);
        assertEquals("throughput", verdict.metric());
        assertEquals(Verdict.Finding.WORSE, verdict.finding(), line.out());
        assertEquals(6, verdict.launches());
        assertTrue(
                line.out().contains("VERDICT by requests/s, on these processes, not on their builds\nnew has "),
                line.out());
        List<LaunchResult> blocks = result.targets().get(1).launches();
        assertEquals(6, blocks.size());
        // Which is first is drawn; each pair of blocks has both orders.
        assertEquals(9, blocks.stream().mapToInt(LaunchResult::position).sum());
        assertFalse(result.notes().stream().anyMatch(note -> note.contains("targets on")), result.notes()::toString);
        assertTrue(
                result.notes().stream()
                        .anyMatch(note -> note.startsWith("old, new run already: what is repeated is a block")),
                result.notes()::toString);
    }

    private static void answerAfter(long ms, HttpExchange exchange) throws IOException {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
    }

    @Test
    void takesMethodHeadersAndBodyInTheLettersOfHeyAndCurl() throws IOException {
        String url = "http://" + address();
        Path body = Files.writeString(folder.resolve("body.json"), "{\"n\":\"\u00e4\"}");

        run("-n", "1", "-c", "1", "-d", "a=b", "-T", "text/plain", "-H", "X-A: 1", "-H", "accept:", url);
        run("-n", "1", "-c", "1", "--force", "-D", body.toString(), "-m", "PUT", "-H", "host: h", url + "?q");

        assertEquals(
                List.of(
                        "POST / Content-length=3 Content-type=text/plain Host=" + address()
                                + " User-agent=lockstep X-a=1 [a=b]",
                        "PUT /?q Accept=*/* Content-length=10 Host=h User-agent=lockstep [{\"n\":\"\u00e4\"}]"),
                List.copyOf(requests),
                line.err());
    }

    @Test
    void sendsForTenSecondsOverFiftyConnectionsUnlessToldOtherwise() {
        assertEquals(ExitCode.DONE, line.execute("--dry-run", "http://" + address()), line.err());
        assertTrue(
                line.out().contains("Each target: requests for 10.0 s at pace max over 50 connections, 10.0 s long"),
                line.out());

        line.execute("--dry-run", "-q", "200", "-c", "7", "-z", "20", "http://" + address());
        assertTrue(
                line.out().contains("requests for 20.0 s at pace 200/s over 7 connections, 20.0 s long"), line.out());
    }

    @Test
    void speaksTlsToTheServerOfAnHttpsUrl() {
        assertEquals(ExitCode.DONE, line.execute("--dry-run", "https://127.0.0.1/a"), line.err());

        assertTrue(
                line.out().contains("Target 127.0.0.1-443: the server at 127.0.0.1:443 with TLS, on loopback"),
                line.out());
    }

    @Test
    void keepsNoSecretOfARequestInItsFiles() throws IOException {
        String url = "http://" + address() + "/a?b=1&api_key=s3cret&c=2";

        assertEquals(
                ExitCode.DONE,
                run("-n", "1", "-c", "1", "-H", "Authorization: Bearer s3cret", "-d", "pass=s3cret", url),
                line.err());

        assertTrue(requests.peek().contains("Authorization=Bearer s3cret"), requests.peek());
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList())) {
                assertFalse(
                        new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains("s3cret"),
                        file.toString());
            }
        }
        assertFalse((line.out() + line.err()).contains("s3cret"), line.out() + line.err());
        assertTrue(
                RunDirectoryReader.read(folder.resolve("run"))
                        .plan()
                        .command()
                        .containsAll(List.of(
                                "Authorization: ***",
                                "***",
                                url.replace("s3cret", "***")
                                        .replace("b=1", "b=***")
                                        .replace("c=2", "c=***"))),
                line.err());
    }

    @Test
    void refusesToWriteToServersElsewhereWithoutAdviceOnCaptures() {
        assertEquals(ExitCode.USAGE, run("-m", "DELETE", "http://192.0.2.1/a"));

        assertEquals(
                "replay: http://192.0.2.1/a: 1 request (DELETE 1) may change something at 192.0.2.1-80 (192.0.2.1:80),"
                        + " which is neither on loopback nor started by Lockstep; add --allow-writes if they may; see"
                        + " replay --help\n",
                line.err());
    }

    private String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** A busy machine may make sends late, which is not what these tests are about. */
    private int run(String... args) {
        List<String> all =
                new ArrayList<>(List.of("-o", folder.resolve("run").toString(), "--warmup", "0", "--max-lag", "10s"));
        all.addAll(Arrays.asList(args));
        return line.execute(all.toArray(new String[0]));
    }
}
