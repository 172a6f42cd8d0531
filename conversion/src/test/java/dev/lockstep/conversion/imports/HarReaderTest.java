package dev.lockstep.conversion.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.conversion.ConversionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HarReaderTest {
    @TempDir
    private Path folder;

    private static String entry(String request, String more) {
        return "{\"startedDateTime\":\"2026-01-01T00:00:00.5Z\",\"request\":{" + request + "}" + more + "}";
    }

    private TestingImports.Result run(String... entries) throws IOException {
        return runOf("{}", entries);
    }

    private TestingImports.Result runOf(String creator, String... entries) throws IOException {
        TestingImports imports = new TestingImports(Files.createTempDirectory(folder, "import"));
        return imports.run(imports.file(
                "a.har",
                "\u00EF\u00BB\u00BF{\"log\":{\"creator\":" + creator + ",\"pages\":[{}],\"entries\":["
                        + String.join(",", entries) + "]}}"));
    }

    /** Its bodySize counts characters, its connection is a port, and it cuts bodies at a limit of its own. */
    @Test
    void readsWhatFirefoxWrites() throws IOException {
        String post =
                "\"method\":\"POST\",\"url\":\"http://a/\",\"headers\":[{\"name\":\"Content-Length\",\"value\":\"";
        String body = "\"}],\"bodySize\":2,\"postData\":{\"text\":\"\\u00e9x\"}";
        TestingImports.Result result = runOf(
                "{\"name\":\"Firefox\"}",
                entry(post + 3 + body, ""),
                entry(post.replace("Content-Length", "X") + 1 + body, ""),
                entry(post + 9 + body, ""),
                entry(post + 3 + body, ",\"cache\":{\"afterRequest\":{}}"));

        assertEquals(3, result.texts().size());
        assertTrue(result.texts().stream().allMatch(text -> text.endsWith("\u00C3\u00A9x")), result.texts() + "");
        assertEquals(List.of("1 its body in the file is shorter than its Content-Length [entry 3]"), result.skipped());
    }

    /** Taken through a proxy, whose port it writes for all. */
    @Test
    void readsWhatChromeWrites() throws IOException {
        String get = "\"method\":\"GET\",\"url\":\"http://a/\"";
        TestingImports.Result result = runOf(
                "{\"name\":\"WebInspector\"}",
                entry(get, ",\"connection\":\"8888\",\"_connectionId\":\"12\""),
                entry(get, ",\"connection\":\"8888\",\"_connectionId\":\"15\""),
                entry(get, ",\"connection\":\"8888\",\"_connectionId\":\"12\""),
                entry(get, ",\"_fromCache\":\"disk\""),
                entry(
                        "\"method\":\"POST\",\"url\":\"http://a/\",\"headers\":[{\"name\":\"Transfer-Encoding\","
                                + "\"value\":\"chunked\"}]",
                        ""));

        assertEquals(3, result.requests().size());
        assertTrue(
                result.requests().get(0).startsWith("0 ")
                        && result.requests().get(1).startsWith("1 ")
                        && result.requests().get(2).startsWith("0 "),
                result.requests() + "");
        assertEquals(
                List.of("1 was answered from the browser's cache [entry 4]", "1 its body is not in the file [entry 5]"),
                result.skipped());
    }

    @Test
    void skipsWhatChromesServiceWorkersAndBlockersKeptFromTheServer() throws IOException {
        String get = "\"method\":\"GET\",\"url\":\"http://a/\"";
        TestingImports.Result result = run(
                entry(get, ",\"response\":{\"status\":200,\"_serviceWorkerResponseSource\":\"cache-storage\"}"),
                entry(get, ",\"response\":{\"status\":0,\"_error\":\"net::ERR_BLOCKED_BY_CLIENT\"}"),
                entry(
                        get,
                        ",\"response\":{\"_error\":null,\"_serviceWorkerResponseSource\":\"network\","
                                + "\"status\":200}"));

        assertEquals(1, result.texts().size());
        assertEquals(
                List.of("1 was answered from the browser's cache [entry 1]", "1 was blocked by the browser [entry 2]"),
                result.skipped());
        try (Capture capture = Capture.open(result.capture)) {
            assertEquals(200, capture.recordedStatus(0));
        }
    }

    /** By HSTS, or where an extension asks for it. */
    @Test
    void skipsWhatChromeRedirectedItself() throws IOException {
        String get = "\"method\":\"GET\",\"url\":\"http://a/\"";
        String redirect = ",\"response\":{\"status\":307,\"statusText\":\"";
        TestingImports.Result result =
                run(entry(get, redirect + "Internal Redirect\"}"), entry(get, redirect + "Temporary Redirect\"}"));

        assertEquals(1, result.texts().size());
        assertEquals(List.of("1 was redirected by the browser itself [entry 1]"), result.skipped());
    }

    /** Before it had a name of its own for it, Chrome wrote its connection's id where others write it. */
    @Test
    void tellsChromesConnectionIdsFromPorts() throws IOException {
        String get = "\"method\":\"GET\",\"url\":\"http://a/\"";
        String chrome = "{\"name\":\"WebInspector\"}";
        TestingImports.Result older = runOf(
                chrome,
                entry(get, ",\"connection\":\"159834\""),
                entry(get, ",\"connection\":\"159840\""),
                entry(get, ",\"connection\":\"159834\""),
                entry(get, ",\"connection\":\"80\""),
                entry(get, ",\"connection\":\"80\""));
        TestingImports.Result newer = runOf(
                chrome,
                entry(get, ",\"connection\":\"8888\",\"_connectionId\":\"80\""),
                entry(get, ",\"connection\":\"8888\",\"_connectionId\":\"81\""),
                entry(get, ",\"connection\":\"8888\",\"_connectionId\":\"80\""),
                entry(get, ",\"connection\":\"8888\""),
                entry(get, ",\"connection\":\"8888\""));

        for (TestingImports.Result result : List.of(older, newer)) {
            assertEquals(
                    List.of("0", "1", "0", "2", "3"),
                    result.requests().stream()
                            .map(request -> request.split(" ")[0])
                            .collect(Collectors.toList()));
        }
    }

    /** What cuts a body may count in bodySize what is left of it. */
    @Test
    void skipsABodyThatIsShorterThanItsContentLength() throws IOException {
        String post = "\"method\":\"POST\",\"url\":\"http://a/\",\"headers\":[{\"name\":\"Content-Length\","
                + "\"value\":\"9\"}],\"bodySize\":3,\"postData\":{\"text\":\"abc";
        TestingImports.Result result = run(entry(post + "\"}", ""), entry(post + "defghi\"}", ""));

        assertEquals(1, result.texts().size());
        assertEquals("abcdefghi", body(result, 0));
        assertEquals(List.of("1 its body in the file is shorter than its Content-Length [entry 1]"), result.skipped());
        assertEquals(List.of(), result.changed());
    }

    @Test
    void readsTimesWithoutAColonOrAZoneAndPassesOverDeepValues() throws IOException {
        String rest = "\"request\":{\"method\":\"GET\",\"url\":\"http://a/\"},\"response\":{\"x\":" + "[".repeat(200)
                + "]".repeat(200) + "}}";
        TestingImports.Result result = run(
                "{\"startedDateTime\":\"2026-01-01T01:00:00.5+0100\"," + rest,
                "{\"startedDateTime\":\"2026-01-01T00:00:02.5\"," + rest);

        assertEquals(2, result.requests().size());
        assertTrue(result.requests().get(1).contains(" 2000000000 "), result.requests() + "");
        assertEquals(List.of("1 the entry's time has no zone: it is taken for UTC [entry 2]"), result.changed());
    }

    @Test
    void keepsHeadersInOrderAndPutsTheBodysLengthWhereItWas() throws IOException {
        TestingImports.Result result = run(entry(
                "\"method\":\"POST\",\"url\":\"http://a.example/p?q\",\"httpVersion\":\"HTTP/1.1\",\"headers\":["
                        + "{\"name\":\"X-1\",\"value\":\"\u00C3\u00A9\"},{\"name\":\"host\",\"value\":\"h\"},"
                        + "{\"name\":\"Content-Length\",\"value\":\"2\"},{\"name\":\"X-2\",\"value\":\"2\"}],"
                        + "\"bodySize\":3,\"postData\":{\"text\":\"abc\"}",
                ""));

        assertEquals(
                List.of("POST /p?q HTTP/1.1\r\nX-1: \u00C3\u00A9\r\nhost: h\r\nContent-Length: 3\r\nX-2: 2\r\n\r\nabc"),
                result.texts());
    }

    @Test
    void putsAnEntryWithoutATimeBehindTheOneBefore() throws IOException {
        String get = "\"method\":\"GET\",\"url\":\"http://a/";
        TestingImports.Result result =
                run(entry(get + "1\"", ""), "{\"request\":{" + get + "2\"}}", entry(get + "3\"", ""));

        assertEquals(List.of("1 the entry says no time: it follows the one before [entry 2]"), result.changed());
        assertEquals(0, result.report.durationNs());
    }

    @Test
    void writesHttp2AsHttp1WithoutItsOwnHeaders() throws IOException {
        TestingImports.Result result = run(entry(
                "\"method\":\"GET\",\"url\":\"https://a.example/\",\"httpVersion\":\"h2\",\"headers\":["
                        + "{\"name\":\":authority\",\"value\":\"b.example\"},{\"name\":\":path\",\"value\":\"/\"}]",
                ""));

        assertEquals(List.of("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n"), result.texts());
        assertEquals(List.of("1 sent by HTTP/2: written as HTTP/1.1 [entry 1]"), result.changed());
    }

    @Test
    void makesFormsOfFieldsAndBytesOfTextThatHasThem() throws IOException {
        TestingImports.Result result = run(
                entry(
                        "\"method\":\"POST\",\"url\":\"http://a/\",\"postData\":{\"mimeType\":"
                                + "\"application/x-www-form-urlencoded\",\"params\":[{\"name\":\"a\",\"value\":\"b c\"},"
                                + "{\"name\":\"d\",\"value\":\"%20\"}]}",
                        ""),
                entry(
                        "\"method\":\"POST\",\"url\":\"http://a/\",\"bodySize\":2,\"postData\":{\"text\":\"\\u00ff\\u0001\"}",
                        ""),
                entry(
                        "\"method\":\"POST\",\"url\":\"http://a/\",\"postData\":{\"text\":\"AP8=\",\"encoding\":\"base64\"}",
                        ""));

        assertEquals(
                List.of("a=b+c&d=%20", "\u00ff\u0001", "\0\u00ff"),
                List.of(body(result, 0), body(result, 1), body(result, 2)));
    }

    private static String body(TestingImports.Result result, int request) throws IOException {
        String text = result.texts().get(request);
        return text.substring(text.indexOf("\r\n\r\n") + 4);
    }

    @Test
    void keepsRequestsOfOneConnectionTogetherAndOthersApart() throws IOException {
        String get = "\"method\":\"GET\",\"url\":\"http://a/\"";
        TestingImports.Result result = run(
                entry(get, ",\"connection\":\"7\""),
                entry(get, ",\"connection\":\"8\""),
                entry(get, ",\"connection\":\"7\""),
                entry(get, ",\"time\":10"),
                entry(get, ",\"connection\":\"80\""));

        assertEquals(
                List.of("0", "1", "0", "2", "3"),
                List.of(
                        result.requests().get(0).split(" ")[0],
                        result.requests().get(1).split(" ")[0],
                        result.requests().get(2).split(" ")[0],
                        result.requests().get(3).split(" ")[0],
                        result.requests().get(4).split(" ")[0]));
    }

    @Test
    void keepsTheStatusesThatTheFileHas() throws IOException {
        String get = "\"method\":\"GET\",\"url\":\"http://a/\"";
        TestingImports.Result result = run(
                entry(get, ",\"connection\":\"7\",\"response\":{\"status\":401}"),
                entry(get, ",\"connection\":\"7\""),
                entry(get, ",\"connection\":\"7\",\"response\":{\"status\":200}"));

        try (Capture capture = Capture.open(result.capture)) {
            assertEquals(
                    List.of(401, 0, 200),
                    List.of(capture.recordedStatus(0), capture.recordedStatus(1), capture.recordedStatus(2)));
        }
    }

    @Test
    void countsWhatCannotBeMadeAgain() throws IOException {
        TestingImports.Result result = run(
                entry(
                        "\"method\":\"GET\",\"url\":\"http://a/\"",
                        ",\"response\":{\"status\":101},\"_webSocketMessages\":[{},{}]"),
                entry("\"method\":\"GET\",\"url\":\"data:x\"", ""),
                entry("\"method\":\"GE T\",\"url\":\"http://a/\"", ""),
                entry("\"method\":\"CONNECT\",\"url\":\"http://a:443/\"", ""),
                entry("\"method\":\"POST\",\"url\":\"http://a/\",\"bodySize\":5", ""),
                entry(
                        "\"method\":\"POST\",\"url\":\"http://a/\",\"postData\":{\"mimeType\":\"multipart/form-data\","
                                + "\"params\":[{\"name\":\"a\"}]}",
                        ""),
                "{}",
                "3",
                "[[]]");

        assertEquals(1, result.texts().size());
        assertEquals(
                List.of(
                        "2 WebSocket messages, whose handshake alone is a request [entry 1]",
                        "1 the url is not http or https [entry 2]",
                        "1 its method is no word that HTTP allows [entry 3]",
                        "1 a CONNECT opens a tunnel, whose bytes the file does not keep [entry 4]",
                        "1 its body is not in the file [entry 5]",
                        "1 its body is in the file as fields, not as the text that was sent [entry 6]",
                        "1 the entry has no request with method and url [entry 7]"),
                result.skipped());
    }

    @Test
    void importsACutFileAsFarAsItGoes() throws IOException {
        TestingImports imports = new TestingImports(folder);
        Path file = imports.file(
                "cut.har",
                "{\"log\":{\"entries\":[" + entry("\"method\":\"GET\",\"url\":\"http://a/\"", "")
                        + ",{\"request\":{\"method\":\"GE");

        TestingImports.Result result = imports.run(file);

        assertEquals(1, result.texts().size());
        assertTrue(result.changed().get(0).startsWith("1 the file is cut or damaged"), result.changed() + "");
    }

    @Test
    void tellsOfAnotherFileThatWasJoinedToIt() throws IOException {
        TestingImports imports = new TestingImports(folder);
        String har = "{\"log\":{\"entries\":[" + entry("\"method\":\"GET\",\"url\":\"http://a/\"", "")
                + "],\"pages\":[{}]},\"more\":{}}\n";

        TestingImports.Result result = imports.run(imports.file("joined.har", har + har));

        assertEquals(1, result.texts().size());
        assertTrue(result.changed().get(0).startsWith("1 another HAR begins in it"), result.changed() + "");
        assertTrue(result.changed().get(0).contains("line 2, behind entry 1"), result.changed() + "");
        assertTrue(imports.run(imports.file("one.har", har)).changed().isEmpty());
    }

    @Test
    void bearsDeepNestingAndRefusesWhatHoldsNothing() throws IOException {
        TestingImports imports = new TestingImports(folder);
        Path deep = imports.file("deep.har", "{\"log\":{\"entries\":[" + "[".repeat(100_000));

        ConversionException e = assertThrows(ConversionException.class, () -> imports.run(deep));
        assertTrue(e.getMessage().contains("nothing in it can be recorded"), e.getMessage());
    }
}
