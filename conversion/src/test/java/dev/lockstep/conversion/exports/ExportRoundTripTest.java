package dev.lockstep.conversion.exports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.ConnectionDetails;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.GorFormat;
import dev.lockstep.conversion.imports.TestingImports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is exported and imported again is the same. */
class ExportRoundTripTest {
    private static final String SEPARATOR = new String(GorFormat.separator(), StandardCharsets.ISO_8859_1);

    @TempDir
    private Path folder;

    private ExportReport export(Path capture, String name) {
        return TrafficExport.run(ExportConfig.builder()
                .input(capture)
                .output(folder.resolve(name))
                .build());
    }

    @Test
    void goReplaysFilesComeBackAsTheyWere() throws IOException {
        Path data = Path.of(System.getProperty("lockstep.testData"));
        TestingImports imports = new TestingImports(folder);
        for (String name : List.of(
                "gor/goreplay-2.x-get-keepalive-100.gor", "gor/goreplay-2.x-post2000-50.gor", "mitm/error_log.mitm")) {
            TestingImports.Result first = imports.run(data.resolve(name));
            String file = Path.of(name).getFileName() + ".gor";

            ExportReport report = export(first.capture, file);

            assertEquals(first.texts().size(), report.requests());
            assertEquals(List.of(), report.skipped());
            assertEquals(first.requests(), imports.run(folder.resolve(file)).requests());
            assertEquals(
                    PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(folder.resolve(file)));
        }
    }

    @Test
    void requestsOf1970ComeBackFromGor() throws IOException {
        TestingImports imports = new TestingImports(folder);
        String request = "GET / HTTP/1.1\r\n\r\n";
        TestingImports.Result first = imports.run(imports.file(
                "old.gor",
                "1 a 0000000000000000000 0\n" + request + SEPARATOR + "1 b 0000000012345678901 0\n" + request
                        + SEPARATOR));
        assertEquals(List.of("0 0 " + request, "0 12345678901 " + request), first.requests());

        export(first.capture, "again.gor");

        assertEquals(first.requests(), imports.run(folder.resolve("again.gor")).requests());
    }

    @Test
    void harComesBackAsItWas() throws IOException {
        Path data = Path.of(System.getProperty("lockstep.testData"));
        TestingImports imports = new TestingImports(folder);
        for (String name : List.of("har/mitmproxy/firefox.har", "har/mitmproxy/postdata.har", "mitm/diff_data.mitm")) {
            TestingImports.Result first = imports.run(data.resolve(name));
            String file = Path.of(name).getFileName() + ".har";

            assertEquals(first.texts().size(), export(first.capture, file).requests());
            TestingImports.Result second = imports.run(folder.resolve(file));
            assertEquals(first.texts(), second.texts());
            if (name.startsWith("har")) { // the other has connections without requests, which HAR does not number
                assertEquals(first.requests(), second.requests());
            }
        }
    }

    @Test
    void tellsWhatATornCaptureLacksAndLeavesNothingOfADamagedOne() throws IOException {
        Path data = Path.of(System.getProperty("lockstep.testData"));
        Path capture = new TestingImports(folder).run(data.resolve("har/mitmproxy/firefox.har")).capture;
        byte[] bytes = Files.readAllBytes(capture);
        for (String name : List.of("a.gor", "a.har", "a.pcap")) {
            Files.write(capture, Arrays.copyOf(bytes, bytes.length - 1));
            assertEquals(
                    "bytes at the torn end of the capture",
                    export(capture, "torn-" + name).skipped().stream()
                            .reduce((first, last) -> last)
                            .orElseThrow()
                            .reason());
            byte[] damaged = bytes.clone();
            damaged[4096 + 70] ^= 1;
            Files.write(capture, damaged);
            assertThrows(CaptureException.class, () -> export(capture, name));
            assertFalse(Files.exists(folder.resolve(name)), name);
        }
    }

    @Test
    void replacesFilesOnly() throws IOException {
        Path data = Path.of(System.getProperty("lockstep.testData"));
        Path capture = new TestingImports(folder).run(data.resolve("har/mitmproxy/firefox.har")).capture;
        for (ExportFormat format : ExportFormat.values()) {
            Path output = Files.createDirectories(folder.resolve("a folder"));
            ExportConfig config = ExportConfig.builder()
                    .input(capture)
                    .output(output)
                    .format(format)
                    .overwrite(true)
                    .build();
            ConversionException e = assertThrows(ConversionException.class, () -> TrafficExport.run(config));
            assertEquals(output + ": exists and is not a regular file; give another path", e.getMessage());
            assertTrue(Files.isDirectory(output));

            Path nowhere = folder.resolve("nowhere").resolve("a.gor");
            ExportConfig lost = ExportConfig.builder()
                    .input(capture)
                    .output(nowhere)
                    .format(format)
                    .build();
            e = assertThrows(ConversionException.class, () -> TrafficExport.run(lost));
            assertEquals(nowhere + ": cannot be written: its directory does not exist", e.getMessage());
        }
    }

    @Test
    void writesNoFileWithoutARequest() throws IOException {
        String body = "a" + SEPARATOR;
        Path capture = pcapLike("POST / HTTP/1.1\r\nContent-Length: " + body.length() + "\r\n\r\n" + body).capture;

        ConversionException e = assertThrows(ConversionException.class, () -> export(capture, "a.gor"));

        assertEquals(
                folder.resolve("a.gor") + ": not written: expected something in " + capture
                        + " that gor can hold, found"
                        + " none: left out 1: requests that hold GoReplay's separator; --format pcap takes the bytes of all"
                        + " protocols",
                e.getMessage());
        assertFalse(Files.exists(folder.resolve("a.gor")));
        assertEquals(1, export(capture, "a.har").requests());
    }

    @Test
    void writesNoFileOfAnEmptyCapture() {
        Path capture = folder.resolve("empty.bin");
        CaptureWriter.create(capture, CaptureOptions.defaults()).close();
        for (ExportFormat format : ExportFormat.values()) {
            String name = "a." + format.label();

            ConversionException e = assertThrows(ConversionException.class, () -> export(capture, name));

            assertEquals(
                    folder.resolve(name) + ": not written: expected something in " + capture + " that " + format.label()
                            + " can hold, found none: it has no "
                            + (format == ExportFormat.PCAP ? "connections" : "requests"),
                    e.getMessage());
            assertFalse(Files.exists(folder.resolve(name)));
        }
    }

    /** Returns a capture of a request with any bytes, which mitmproxy's flows can hold. */
    private TestingImports.Result pcapLike(String request) throws IOException {
        TestingImports imports = new TestingImports(folder);
        String message = "4:true!" + request.length() + ":" + request + ",12:1700000000.5^";
        String messages = (message.length() + ":" + message + "]");
        String flow = "4:type;3:tcp;8:messages;" + messages.length() + ":" + messages + "]";
        return imports.run(imports.file("flow", flow.length() + ":" + flow + "}"));
    }

    @Test
    void requestsOverTlsHaveHttpsInHar() throws IOException {
        Path capture = folder.resolve("tls.bin");
        CaptureOptions options = CaptureOptions.builder()
                .waitForDisk(true)
                .startedAt(1_700_000_000_000_000_000L, 0)
                .build();
        try (CaptureWriter writer = CaptureWriter.create(capture, options)) {
            for (ConnectionDetails details :
                    List.of(ConnectionDetails.tls("shop.example", "http/1.1", "TLSv1.3"), ConnectionDetails.NONE)) {
                int connection = writer.openConnection(0, null, null, false, details);
                writer.protocol(connection, 0, Protocol.HTTP1);
                writer.data(
                        connection,
                        0,
                        RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END,
                        ByteBuffer.wrap(
                                "GET /a HTTP/1.1\r\nHost: shop.example\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            }
        }

        export(capture, "a.har");

        String har = Files.readString(folder.resolve("a.har"));
        assertTrue(har.contains("\"url\":\"https://shop.example/a\""), har);
        assertTrue(har.contains("\"url\":\"http://shop.example/a\""), har);
    }

    @Test
    void takesChunksApartInHar() throws IOException {
        TestingImports.Result first =
                pcapLike("POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\n\r\n");

        export(first.capture, "a.har");

        assertEquals(
                List.of("POST /c HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"),
                new TestingImports(Files.createDirectory(folder.resolve("again")))
                        .run(folder.resolve("a.har"))
                        .texts());
    }

    /** Else whoever is killed meanwhile leaves a part that looks like the whole. */
    @Test
    void hasItsNameOnlyOnceItIsWhole() throws IOException {
        TestingImports.Result first = pcapLike("GET / HTTP/1.1\r\n\r\n");
        Path output = folder.resolve("a.gor");
        List<Boolean> meanwhile = new ArrayList<>();

        TrafficExport.run(ExportConfig.builder()
                .input(first.capture)
                .output(output)
                .cancelled(() -> !meanwhile.add(Files.exists(output)))
                .build());

        assertFalse(meanwhile.isEmpty());
        assertFalse(meanwhile.contains(true), "it was there before it was whole");
        assertTrue(Files.exists(output));
    }

    @Test
    void keepsAFileThatCameMeanwhile() throws IOException {
        TestingImports.Result first = pcapLike("GET / HTTP/1.1\r\n\r\n");
        Path output = folder.resolve("a.gor");
        ExportConfig config = ExportConfig.builder()
                .input(first.capture)
                .output(output)
                .cancelled(() -> {
                    try {
                        Files.writeString(output, "of another");
                        return false;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .build();

        ConversionException exists = assertThrows(ConversionException.class, () -> TrafficExport.run(config));

        assertTrue(exists.getMessage().contains("the file exists; --force"), exists.getMessage());
        assertEquals("of another", Files.readString(output));
        try (Stream<Path> files = Files.list(folder)) {
            assertTrue(files.noneMatch(file -> file.toString().endsWith(".tmp")), "left over");
        }
    }

    @Test
    void refusesToReplaceAFileOrItsOwnInput() throws IOException {
        TestingImports.Result first = pcapLike("GET / HTTP/1.1\r\n\r\n");
        export(first.capture, "a.gor");

        ConversionException exists = assertThrows(ConversionException.class, () -> export(first.capture, "a.gor"));
        assertTrue(exists.getMessage().contains("--force"), exists.getMessage());
        ConversionException same = assertThrows(
                ConversionException.class,
                () -> TrafficExport.run(ExportConfig.builder()
                        .input(first.capture)
                        .output(first.capture)
                        .format(ExportFormat.GOR)
                        .overwrite(true)
                        .build()));
        assertTrue(same.getMessage().contains("is read and cannot be written"), same.getMessage());
    }
}
