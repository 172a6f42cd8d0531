package dev.lockstep.conversion.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists without times: URLs, and vegeta's targets in both forms. */
class ListReadersTest {
    @TempDir
    private Path folder;

    @Test
    void makesARequestOfEachUrlAtTheGivenRate() throws IOException {
        TestingImports imports = new TestingImports(folder);
        Path file = imports.file(
                "urls.txt", "# a list\nhttp://a.example/x?y#z\n\nhttps://b.example:8443\n/path\nftp://c.example/\n");

        TestingImports.Result result =
                imports.run(List.of(file), config -> config.rate(4).host("d.example"));

        assertEquals(
                List.of(
                        "0 0 GET /x?y HTTP/1.1\r\nHost: a.example\r\n\r\n",
                        "1 250000000 GET / HTTP/1.1\r\nHost: b.example:8443\r\n\r\n",
                        "2 500000000 GET /path HTTP/1.1\r\nHost: d.example\r\n\r\n"),
                result.requests());
        assertEquals(List.of("1 the line is no http or https URL [line 6]"), result.skipped());
    }

    /** As where whoever writes a pipe is killed, whose mistake the half line is not. */
    @Test
    void saysThatTheInputEndsWithinALine() throws IOException {
        TestingImports imports = new TestingImports(folder);
        String url = "the line is no http or https URL";
        assertTold(imports, ImportFormat.URLS, "http://h/1", "http:/", url);
        String target = "the line is no target, expected such as GET http://host/path";
        assertTold(imports, ImportFormat.VEGETA, "GET http://h/1", "GET htt", target);
        String json = "{\"method\":\"GET\",\"url\":\"http://h/1\"}";
        assertTold(imports, ImportFormat.VEGETA, json, json.substring(0, 20), "the line is not JSON");
        String log = "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1";
        String format = "the line is not of the common or combined log format";
        assertTold(imports, ImportFormat.ACCESS_LOG, log, log.substring(0, 20), format);
    }

    private static void assertTold(
            TestingImports imports, ImportFormat format, String whole, String half, String problem) throws IOException {
        UnaryOperator<ImportConfig.Builder> options = config -> config.format(format);

        TestingImports.Result cut = imports.run(List.of(imports.file("cut", whole + "\n\n" + half)), options);
        Path wholeLines = imports.file("ended", whole + "\n\n" + half + "\n");
        TestingImports.Result ended = imports.run(List.of(wholeLines), options);

        assertEquals(1, cut.texts().size());
        assertEquals(List.of("1 " + problem + ": the input ends within it [line 3]"), cut.skipped());
        assertEquals(List.of("1 " + problem + " [line 3]"), ended.skipped());
    }

    @Test
    void readsTargetsWithHeadersAndBodyFiles() throws IOException {
        TestingImports imports = new TestingImports(folder);
        imports.file("body.json", "{\"a\":1}");
        Path file = imports.file(
                "targets.txt",
                "POST http://a.example/p\nContent-Type: application/json\n@body.json\n\n"
                        + "GET http://a.example/g\nHOST: other\nX-Y: z\nDELETE http://a.example/d\n\n"
                        + "POST http://a.example/none\n@missing.json\n\nPOST http://a.example/empty\n");

        TestingImports.Result result = imports.run(file);

        assertEquals(ImportFormat.VEGETA, result.report.format());
        assertEquals(
                List.of(
                        "POST /p HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\nContent-Length: 7\r\n"
                                + "\r\n{\"a\":1}",
                        "GET /g HTTP/1.1\r\nHOST: other\r\nX-Y: z\r\n\r\n",
                        "DELETE /d HTTP/1.1\r\nHost: a.example\r\n\r\n",
                        "POST /empty HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n"),
                result.texts());
        assertEquals(List.of("1 its body file cannot be read [line 10]"), result.skipped());
    }

    /** Who sends such a list, sends them in an Authorization. */
    @Test
    void saysThatItLeavesOutTheUserOfAUrl() throws IOException {
        TestingImports imports = new TestingImports(folder);
        String url = "http://user:word@a.example/";
        String request = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
        for (String line : List.of(url, "GET " + url, "{\"method\":\"GET\",\"url\":\"" + url + "\"}")) {
            TestingImports.Result result =
                    imports.run(imports.file("list", line + "\n\n" + line.replace("user:word@", "") + "\n"));

            assertEquals(List.of(request, request), result.texts());
            assertEquals(
                    List.of("1 user and password of its URL are left out: the request has no Authorization of them"
                            + " [line 1]"),
                    result.changed());
        }
    }

    @Test
    void readsTheLastTargetOfAListWhoseGzipIsCut() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write("GET http://a.example/1\nGET http://a.example/2\nX-Y: z\n".getBytes(StandardCharsets.US_ASCII));
        }
        Path file = Files.write(folder.resolve("targets.gz"), Arrays.copyOf(packed.toByteArray(), packed.size() - 4));

        TestingImports.Result result = new TestingImports(folder).run(file);

        assertEquals(
                List.of(
                        "GET /1 HTTP/1.1\r\nHost: a.example\r\n\r\n",
                        "GET /2 HTTP/1.1\r\nHost: a.example\r\nX-Y: z\r\n\r\n"),
                result.texts());
        assertEquals(1, result.changed().size(), result.changed() + "");
        assertTrue(result.changed().get(0).contains("the gzip data ends early"), result.changed() + "");
    }

    @Test
    void readsTargetsOfJsonLines() throws IOException {
        TestingImports imports = new TestingImports(folder);
        Path file = imports.file(
                "targets.json",
                "{\"method\":\"POST\",\"url\":\"http://a.example/p\",\"body\":\"AP8=\",\"header\":{\"X-Y\":[\"1\",\"2\"]}}\n"
                        + "{\"method\":\"GET\"}\n{\"method\":\n"
                        + "{\"method\":\"GET\",\"url\":\"http://a.example/\",\"body\":\"no base64!\"}\n");

        TestingImports.Result result = imports.run(file);

        assertEquals(
                List.of("POST /p HTTP/1.1\r\nHost: a.example\r\nX-Y: 1\r\nX-Y: 2\r\nContent-Length: 2\r\n\r\n\0\u00ff"),
                result.texts());
        assertEquals(
                List.of(
                        "1 the line has no method and http or https URL [line 2]",
                        "1 the line is not JSON [line 3]",
                        "1 its body is not Base64 [line 4]"),
                result.skipped());
    }
}
