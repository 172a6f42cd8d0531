package dev.lockstep.inspection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectionTest {
    private static final int WHOLE = RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long START_NS = 1_700_000_000L * SECOND_NS;

    @TempDir
    private Path folder;

    private static void data(CaptureWriter writer, int connection, long second, int flags, String text) {
        writer.data(
                connection,
                START_NS + second * SECOND_NS,
                flags,
                ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private Path capture() {
        Path path = folder.resolve("capture.bin");
        try (CaptureWriter writer = CaptureWriter.create(
                path,
                CaptureOptions.builder()
                        .waitForDisk(true)
                        .startedAt(START_NS, START_NS)
                        .build())) {
            writer.openConnection(START_NS, new InetSocketAddress("::1", 5000), new InetSocketAddress("127.0.0.1", 80));
            writer.protocol(0, START_NS, Protocol.HTTP1);
            data(writer, 0, 0, WHOLE, "GET /a?x=1 HTTP/1.1\r\nHost: h\r\n\r\n");
            data(writer, 0, 1, RecordFlags.MESSAGE_START, "GE");
            data(writer, 0, 1, RecordFlags.MESSAGE_END, "T /a?x=2 HTTP/1.1\r\nHost: h\r\n\r\n");
            data(writer, 0, 2, RecordFlags.MESSAGE_START, "GET /cut");
            writer.gap(0, START_NS + 2 * SECOND_NS, 5);
            writer.closeConnection(0, START_NS + 3 * SECOND_NS, CloseReason.CLIENT_FIN);
            writer.openConnection(START_NS + 3 * SECOND_NS, null, null);
            data(writer, 1, 4, 0, "\1opaque");
            writer.closeConnection(1, START_NS + 4 * SECOND_NS, CloseReason.SERVER_RESET);
            writer.openConnection(START_NS + 5 * SECOND_NS, null, null);
            writer.protocol(2, START_NS + 5 * SECOND_NS, Protocol.HTTP1);
            data(writer, 2, 5, WHOLE, "POST /\u001b[31m HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
            writer.closeConnection(2, START_NS + 10 * SECOND_NS, CloseReason.UNKNOWN);
            writer.lost(1, 2, 3);
            writer.redacted(4);
        }
        return path;
    }

    @Test
    void countsWhatIsThereAndWhatIsMissing() {
        InspectionReport report =
                Inspection.run(capture(), InspectionOptions.defaults().head(2));

        assertEquals(3, report.requests);
        assertEquals(3, report.connections);
        assertEquals(10 * SECOND_NS, report.durationNs());
        assertEquals(Map.of("http/1", 3L), report.protocols());
        assertEquals(2, report.protocolConnections().size());
        assertEquals(Map.of("GET", 2L, "POST", 1L), report.methods());
        assertEquals(2L, report.paths().get("/a"));
        assertEquals(1, report.incompleteRequests);
        assertEquals(1, report.opaqueConnections);
        assertEquals(7, report.opaqueBytes);
        assertEquals(1, report.gaps);
        assertEquals(5, report.gapBytes);
        assertEquals(2, report.info.lostRequests());
        assertEquals(32, report.smallestSize());
        assertEquals(2, report.head.size());
        assertEquals("/a?x=2", report.head.get(1).facts.target());
        assertEquals(SECOND_NS, report.head.get(1).timeNs);
        assertNull(report.damage());
    }

    @Test
    void listsConnectionsWithTheDigestOfTheirBytes() {
        List<ConnectionFacts> connections = new ArrayList<>();
        Inspection.run(capture(), InspectionOptions.defaults().connections(connections::add));

        assertEquals(3, connections.size());
        ConnectionFacts first = connections.get(0);
        assertEquals("[::1]:5000", first.client());
        assertEquals("127.0.0.1:80", first.server());
        assertEquals("unknown", connections.get(1).client());
        assertEquals(2, first.requests);
        assertEquals(1, first.gaps);
        assertEquals("client-fin", first.printedCloseReason());
        assertEquals( // of "\1opaque", by sha256sum
                "3c3e4327bc8198ed534a8b52610be528aa7adc7baddb8738db136c247aad3384", connections.get(1).sha256);
        assertEquals(3 * SECOND_NS, connections.get(1).openedNs);
        assertEquals(4 * SECOND_NS, connections.get(1).lastNs);
    }

    @Test
    void writesNothingThatCommandsATerminal() throws IOException {
        InspectionReport report =
                Inspection.run(capture(), InspectionOptions.defaults().head(10));
        StringWriter json = new StringWriter();
        InspectionJson.write(report, json);
        String text = String.join("\n", InspectionText.lines(report)) + json;

        for (char c : text.toCharArray()) {
            assertTrue(c == '\n' || c >= ' ' && c < 0x7F, "character " + (int) c);
        }
        assertTrue(text.contains("/\\x1b[31m"), text);
    }

    @Test
    void tellsDamageAndWhatWasBefore() throws IOException {
        Path capture = folder.resolve("long.bin");
        try (CaptureWriter writer = CaptureWriter.create(
                capture,
                CaptureOptions.builder()
                        .waitForDisk(true)
                        .startedAt(START_NS, START_NS)
                        .blockBytes(4096)
                        .build())) {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            for (int second = 0; second < 300; second++) {
                data(writer, 0, second, WHOLE, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
            }
        }
        byte[] bytes = Files.readAllBytes(capture);
        bytes[bytes.length / 2] ^= 1;
        Files.write(capture, bytes);

        InspectionReport report = Inspection.run(capture, InspectionOptions.defaults());

        assertNotNull(report.damage());
        assertTrue(report.requests > 0 && report.requests < 300, "requests " + report.requests);
    }

    @Test
    void namesTheRequestsOfHttp2() throws IOException {
        Path path = folder.resolve("h2.bin");
        // The preface, empty settings, and HEADERS of ":method GET, :scheme http, :path /" from HPACK's static table.
        String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        String settings = "\0\0\0\4\0\0\0\0\0";
        String headers = "\0\0\3\1\5\0\0\0\1\u0082\u0086\u0084";
        try (CaptureWriter writer = CaptureWriter.create(
                path,
                CaptureOptions.builder()
                        .waitForDisk(true)
                        .startedAt(START_NS, START_NS)
                        .build())) {
            writer.openConnection(START_NS, null, null);
            data(writer, 0, 0, 0, preface.substring(0, 5));
            writer.protocol(0, START_NS, Protocol.HTTP2);
            data(writer, 0, 0, 0, preface.substring(5) + settings + headers);
        }

        InspectionReport report = Inspection.run(path, InspectionOptions.defaults());

        assertEquals(0, report.requests);
        assertEquals(1, report.http2Requests);
        assertEquals(Map.of("http/2", 1L), report.protocols());
        assertEquals(Map.of("GET", 1L), report.methods());
        assertEquals(Map.of("/", 1L), report.paths());
    }

    @Test
    void chartsTheRateInFixedMemory() {
        RateTimeline rates = new RateTimeline();
        for (long second = 0; second < 1_000_000; second += 10) {
            rates.add(second * SECOND_NS);
        }

        assertTrue(rates.ratesPerSec().size() <= 62, rates.ratesPerSec().size() + " columns");
        assertEquals(0.1, rates.ratesPerSec().get(10), 0.001);
        assertEquals(6, rates.chart().size());
    }
}
