package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.TestingService;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.run.TestingCapture;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that are ended from their page. */
@Timeout(120)
final class LiveOptionsTest {
    private static final long MS = 1_000_000;
    private static final Pattern ADDRESS = Pattern.compile("live: ((http://127\\.0\\.0\\.1:\\d+)/\\?token=\\S+)\\R");

    private final TestingCommandLine line = new TestingCommandLine();
    private final HttpClient browser = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private TestingService service;
    private String server;
    private String cookie;

    @BeforeEach
    void serve() throws IOException {
        service = new TestingService();
    }

    @AfterEach
    void close() {
        service.close();
    }

    private CompletableFuture<Integer> run(String... load) {
        Path capture = TestingCapture.gets(folder.resolve("capture.bin"), 1, 10, 10 * MS);
        String[] begin = {"--targets", "svc=" + service.address(), "--warmup", "0", "-q", "100", "--max-lag", "30s"};
        String[] end = {"-o", folder.resolve("run").toString(), "--live", capture.toString()};
        String[] all = Stream.of(begin, load, end).flatMap(Stream::of).toArray(String[]::new);
        return CompletableFuture.supplyAsync(() -> line.execute(all));
    }

    /** Opens the printed address once requests are answered. */
    private void enter(CompletableFuture<Integer> exitCode) throws Exception {
        while (service.requests("/9") < 1) {
            assertFalse(exitCode.isDone(), line.err());
            TimeUnit.MILLISECONDS.sleep(5);
        }
        Matcher address = ADDRESS.matcher(line.err());
        assertTrue(address.find(), line.err());
        server = address.group(2);
        HttpResponse<String> page = browser.send(
                HttpRequest.newBuilder(URI.create(address.group(1))).build(), HttpResponse.BodyHandlers.ofString());
        cookie = page.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
    }

    private HttpRequest.Builder ask(String path) {
        return HttpRequest.newBuilder(URI.create(server + path))
                .header("Cookie", cookie)
                .header("Origin", server);
    }

    private void post(String path) throws Exception {
        HttpRequest request =
                ask(path).POST(HttpRequest.BodyPublishers.noBody()).build();
        assertEquals(
                204,
                browser.send(request, HttpResponse.BodyHandlers.discarding()).statusCode());
    }

    private RunResult result() {
        return RunDirectoryReader.read(folder.resolve("run"));
    }

    @Test
    void stopsTheRunAndShowsItsReport() throws Exception {
        CompletableFuture<Integer> exitCode = run("-z", "1h");
        enter(exitCode);
        HttpResponse<Stream<String>> events = browser.send(ask("/events").build(), HttpResponse.BodyHandlers.ofLines());
        Iterator<String> lines = events.body().iterator();

        post("/stop");

        String last = "";
        while (!last.contains("\"over\":")) {
            last = lines.next();
        }
        assertTrue(last.contains("\"status\":\"VALID\""), last);
        String report = browser.send(ask("/report").build(), HttpResponse.BodyHandlers.ofString())
                .body();
        events.body().close();
        assertTrue(report.contains("<title>Lockstep report</title>"));
        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        assertTrue(result().interrupted());
        assertTrue(line.out().contains("INTERRUPTED"), line.out());
    }

    @Test
    void concludesTheRunAfterTheLaunchThatGoesOn() throws Exception {
        CompletableFuture<Integer> exitCode = run("-z", "1s", "--launches", "20");
        enter(exitCode);

        post("/conclude");

        assertEquals(ExitCode.DONE, exitCode.get(), line.err());
        RunResult result = result();
        int done = result.launchesDone().orElseThrow();
        assertTrue(done < 20, "launches: " + done);
        assertEquals(done, result.targets().get(0).launches().size());
        assertFalse(result.interrupted());
        assertEquals(RunStatus.VALID, result.status());
    }
}
