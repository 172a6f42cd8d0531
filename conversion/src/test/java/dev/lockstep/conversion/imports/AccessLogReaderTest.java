package dev.lockstep.conversion.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureReader;
import dev.lockstep.conversion.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessLogReaderTest {
    @TempDir
    private Path folder;

    private TestingImports.Result run(String log) throws IOException {
        TestingImports imports = new TestingImports(folder);
        return imports.run(List.of(imports.file("access.log", log)), config -> config.host("www.example.com"));
    }

    private static String line(String client, String time, String rest) {
        return client + " - - [17/May/2015:" + time + " +0000] " + rest + "\n";
    }

    @Test
    void knowsALogWhoseFirstClientHasAnIpv6Address() throws IOException {
        TestingImports imports = new TestingImports(folder);
        for (String client : List.of("2001:4860:4860::8888", "2600:1700::1")) {
            Path log = imports.file("access.log", line(client, "10:05:03", "\"GET /a HTTP/1.1\" 200 1"));
            assertEquals(1, imports.run(log).texts().size());
        }
    }

    @Test
    void spreadsTheRequestsOfASecondOverIt() throws IOException {
        TestingImports.Result result = run(line("1.2.3.4", "10:05:03", "\"GET /a HTTP/1.1\" 200 1")
                + line("1.2.3.4", "10:05:03", "\"GET /b HTTP/1.1\" 200 1")
                + line("1.2.3.4", "10:05:05", "\"GET /c HTTP/1.1\" 200 1"));

        String rest = " HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
        assertEquals(
                List.of("0 0 GET /a" + rest, "1 500000000 GET /b" + rest, "1 2000000000 GET /c" + rest),
                result.requests());
    }

    /** Apache writes a line when its answer ends, with the time at which the request came. */
    @Test
    void spreadsTheRequestsOfASecondWhoseLinesStandAmongOthers() throws IOException {
        TestingImports.Result result = run(line("1.2.3.4", "10:05:03", "\"GET /a HTTP/1.1\" 200 1")
                + line("1.2.3.4", "10:05:04", "\"GET /c HTTP/1.1\" 200 1")
                + line("1.2.3.4", "10:05:03", "\"GET /b HTTP/1.1\" 200 1")
                + line("1.2.3.4", "10:05:04", "\"GET /d HTTP/1.1\" 200 1"));

        String rest = " HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
        assertEquals(
                List.of(
                        "0 0 GET /a" + rest,
                        "1 500000000 GET /b" + rest,
                        "0 1000000000 GET /c" + rest,
                        "1 1500000000 GET /d" + rest),
                result.requests());
    }

    /** As logs that stand behind each other in one file, the newest first. */
    @Test
    void spreadsTheRequestsOfASecondWhereALogGoesBackInTime() throws IOException {
        StringBuilder log = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            String time = String.format("%02d:%02d:%02d", 12 + i / 3600, i / 60 % 60, i % 60);
            log.append(line("1.2.3.4", time, "\"GET /new HTTP/1.1\" 200 1"));
        }
        log.append(line("1.2.3.4", "10:05:03", "\"GET /a HTTP/1.1\" 200 1"))
                .append(line("1.2.3.4", "10:05:03", "\"GET /b HTTP/1.1\" 200 1"));

        String rest = " HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
        assertEquals(
                List.of("0 0 GET /a" + rest, "1 500000000 GET /b" + rest),
                run(log.toString()).requests().subList(0, 2));
    }

    /** As of a pipe in which lines come slowly. */
    @Test
    void keepsAllThatWasReadWhereTheImportIsStopped() throws IOException {
        TestingImports imports = new TestingImports(folder);
        Path log = imports.file(
                "access.log",
                line("1.2.3.4", "10:05:03", "\"GET /a HTTP/1.1\" 200 1")
                        + line("1.2.3.4", "10:05:04", "\"GET /c HTTP/1.1\" 200 1")
                        + line("1.2.3.4", "10:05:03", "\"GET /b HTTP/1.1\" 200 1")
                        + line("1.2.3.4", "10:05:05", "\"GET /unread HTTP/1.1\" 200 1"));
        int[] asked = {0};

        TestingImports.Result result = imports.run(
                List.of(log), config -> config.host("www.example.com").cancelled(() -> ++asked[0] > 3));

        String rest = " HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
        assertEquals(
                List.of("0 0 GET /a" + rest, "1 500000000 GET /b" + rest, "0 1000000000 GET /c" + rest),
                result.requests());
        assertTrue(result.report.stopped());
    }

    /** A log whose lines are long has fewer of them in memory; what is not spread is there all the same. */
    @Test
    void readsAheadNoMoreThanAFewMebibytes() throws IOException {
        String filler = "x".repeat(4096);
        StringBuilder log = new StringBuilder();
        for (int i = 0; i < 1200; i++) {
            String time = String.format("10:%02d:%02d", i / 60, i % 60);
            log.append(line("1.2.3.4", time, "\"GET /" + filler + " HTTP/1.1\" 200 1"));
        }
        log.append(line("1.2.3.4", "10:00:00", "\"GET /late HTTP/1.1\" 200 1"));

        List<String> requests = run(log.toString()).requests();

        assertEquals(1201, requests.size());
        assertTrue(requests.get(0).startsWith("0 0 GET /x"));
        assertTrue(requests.get(1).startsWith("1 0 GET /late"), requests.get(1).substring(0, 40));
    }

    /** As Debian's other_vhosts_access.log has it, and as nginx writes it with $host before the client. */
    @Test
    void takesTheVirtualHostBeforeTheClientForTheHost() throws IOException {
        TestingImports.Result result = run(line("shop.example:443 1.2.3.4", "10:05:03", "\"GET /a HTTP/1.1\" 200 1")
                + line("[::1]:8080 2001:db8::1", "10:05:04", "\"GET /b HTTP/1.1\" 200 1")
                + line("shop.example 5.6.7.8", "10:05:04", "\"GET /c HTTP/1.1\" 200 1")
                + line("9.8.7.6, 1.2.3.4", "10:05:05", "\"GET /d HTTP/1.1\" 200 1")
                + line("- 1.2.3.4", "10:05:05", "\"GET /e HTTP/1.1\" 200 1"));

        assertEquals(
                List.of(
                        "GET /a HTTP/1.1\r\nHost: shop.example\r\n\r\n",
                        "GET /b HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
                        "GET /c HTTP/1.1\r\nHost: shop.example\r\n\r\n",
                        "GET /d HTTP/1.1\r\nHost: www.example.com\r\n\r\n",
                        "GET /e HTTP/1.1\r\nHost: www.example.com\r\n\r\n"),
                result.texts());
        try (CaptureReader reader = CaptureReader.open(result.capture)) {
            assertEquals(
                    "1.2.3.4",
                    reader.next().connectionStart().client().getAddress().getHostAddress());
        }
    }

    /** A log does not keep the header that asks for it. */
    @Test
    void keepsWhatAClientSendsAfterItOpenedAWebSocket() throws IOException {
        TestingImports.Result result = run(line("1.2.3.4", "10:05:03", "\"GET /socket HTTP/1.1\" 101 1")
                + line("1.2.3.4", "10:05:05", "\"GET /a HTTP/1.1\" 200 1"));

        String rest = " HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
        assertEquals(List.of("0 0 GET /socket" + rest, "1 2000000000 GET /a" + rest), result.requests());
    }

    @Test
    void importsTheLastSecondOfALogWhoseGzipIsCut() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write((line("1.2.3.4", "10:05:03", "\"GET /a HTTP/1.1\" 200 1")
                            + line("1.2.3.4", "10:05:03", "\"GET /b HTTP/1.1\" 200 1"))
                    .getBytes(StandardCharsets.US_ASCII));
        }
        Path log = Files.write(folder.resolve("access.log.gz"), Arrays.copyOf(packed.toByteArray(), packed.size() - 4));

        TestingImports.Result result = new TestingImports(folder).run(log);

        assertEquals(2, result.texts().size());
        assertTrue(result.changed().get(0).contains("the gzip data ends early"), result.changed() + "");
    }

    @Test
    void undoesEscapesAndKeepsRefererAndUserAgent() throws IOException {
        TestingImports.Result result = run(line(
                "::1",
                "10:05:03",
                "\"GET /%41?q=\\x22\\\" HTTP/1.0\" 404 - \"http://from/\\\\\" \"Agent \\\"x\\\" \\xc3\\xa9\""));

        assertEquals(
                List.of("GET /%41?q=\"\" HTTP/1.0\r\nHost: www.example.com\r\nReferer: http://from/\\\r\n"
                        + "User-Agent: Agent \"x\" \u00c3\u00a9\r\n\r\n"),
                result.texts());
    }

    @Test
    void countsWhatCannotBeReplayedByReasonAndLine() throws IOException {
        TestingImports.Result result = run(line("1.2.3.4", "10:05:03", "\"GET / HTTP/1.1\" 200 1")
                + line("1.2.3.4", "10:05:04", "\"POST / HTTP/1.1\" 200 1")
                + line("1.2.3.4", "10:05:04", "\"PUT / HTTP/1.1\" 200 1")
                + "nothing of a log\n"
                + line("1.2.3.4", "10:05:04", "\"CONNECT a.example:443 HTTP/1.1\" 200 0")
                + line("1.2.3.4", "10:05:04", "\"CONNECT a.example:443 HTTP/1.1\" 405 0")
                + line("1.2.3.4", "99:05:04", "\"GET / HTTP/1.1\" 200 1")
                + line("1.2.3.4", "10:05:04", "\"\\x16\\x03\\x01\" 400 1")
                + line("1.2.3.4", "10:05:04", "\"GET /\\x0d\\x0a HTTP/1.1\" 200 1")
                + "x".repeat(Limits.LINE_BYTES + 1) + "\n"
                + line("1.2.3.4", "10:05:05", "\"GET /cut HTTP/1.1\" 200 1 \"-\" \"Mozil")
                        .trim());

        assertEquals(3, result.texts().size());
        assertEquals(
                List.of(
                        "1 a POST needs its body, which a log does not keep [line 2]",
                        "1 a PUT needs its body, which a log does not keep [line 3]",
                        "1 the line is not of the common or combined log format [line 4]",
                        "1 a CONNECT opens a tunnel, whose bytes the file does not keep [line 5]",
                        "1 the time is none, expected such as 17/May/2015:10:05:03 +0000 [line 7]",
                        "1 the logged request is no request line [line 8]",
                        "1 its target holds blanks, control characters or nothing [line 9]",
                        "1 the line is longer than 1048576 bytes [line 10]"),
                result.skipped());
        assertEquals(
                List.of("1 the line ends within its last field: imported without that header [line 11]"),
                result.changed());
    }

    @Test
    void bringsLinesIntoTheOrderOfTheirTimesOverFiles() throws IOException {
        TestingImports imports = new TestingImports(folder);
        Path late = imports.file(
                "late.log",
                line("1.2.3.4", "10:00:09", "\"GET /9 HTTP/1.1\" 200 1")
                        + line("1.2.3.4", "10:00:07", "\"GET /7 HTTP/1.1\" 200 1"));
        Path early = imports.file(
                "early.log",
                line("1.2.3.4", "10:00:00", "\"GET /0 HTTP/1.1\" 200 1")
                        + line("1.2.3.4", "10:00:08", "\"GET /8 HTTP/1.1\" 200 1"));

        List<String> texts = imports.run(List.of(late, early), config -> config).texts();

        assertEquals(
                List.of("/0", "/7", "/8", "/9"),
                List.of(
                        texts.get(0).split(" ")[1],
                        texts.get(1).split(" ")[1],
                        texts.get(2).split(" ")[1],
                        texts.get(3).split(" ")[1]));
    }
}
