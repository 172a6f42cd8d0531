package dev.lockstep.inspection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionDetails;
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
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    private static CaptureWriter writer(Path path) {
        return CaptureWriter.create(
                path,
                CaptureOptions.builder()
                        .waitForDisk(true)
                        .startedAt(START_NS, START_NS)
                        .build());
    }

    private Path capture() {
        Path path = folder.resolve("capture.bin");
        try (CaptureWriter writer = writer(path)) {
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

    /** Text of recorded bytes is escaped, or has a character per byte. */
    @Test
    void saysForAPageWhatIsMissingAndWhatHappenedWhen() {
        String view = InspectionView.of(Inspection.run(capture(), InspectionOptions.defaults()));

        assertTrue(view.contains("\"missing\":[\"LOST: 2 requests (3 bytes) of 1 connection"), view);
        assertTrue(view.contains("4 values replaced by tokens of the same length"), view);
        assertTrue(view.contains("/\\u001B[31m"), view);
        assertTrue(view.chars().allMatch(c -> c >= ' ' && c < 0x7f || c == '\n'), view);
        assertTrue(view.contains("\"every\":1,\"connections\":[{\"id\":0,"), view);
    }

    @Test
    void describesEachFieldOfTheJsonOnItsPage() throws IOException {
        StringWriter json = new StringWriter();
        InspectionJson.write(Inspection.run(capture(), InspectionOptions.defaults()), json);
        String page = Files.readString(
                Path.of(System.getProperty("lockstep.testData")).resolveSibling("docs/inspect.md"));
        List<String> missing = new ArrayList<>();
        Matcher field = Pattern.compile("^ {2}\"(\\w+)\" : ", Pattern.MULTILINE).matcher(json.toString());
        int fields = 0;
        for (; field.find(); fields++) {
            if (!page.contains("`" + field.group(1) + "`")) {
                missing.add(field.group(1));
            }
        }

        assertEquals(List.of(), missing);
        assertTrue(fields > 30, json::toString);
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
        assertEquals(Map.of("GET", 2L, "POST", 1L), report.methods.top(9));
        assertEquals(2L, report.paths.top(9).get("/a"));
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
        String text = String.join("\n", InspectionText.lines(report, true)) + json;

        for (char c : text.toCharArray()) {
            assertTrue(c == '\n' || c >= ' ' && c < 0x7F, "character " + (int) c);
        }
        assertTrue(text.contains("/\\x1b[31m"), text);
    }

    @Test
    void printsNamesThatAreUtf8AsTheyAre() {
        Path path = write(writer -> {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            data(writer, 0, 0, WHOLE, "GET /caf\u00c3\u00a9/\u00e9 HTTP/1.1\r\nHost: \u00c3\u00bc.example\r\n\r\n");
        });

        String text = String.join(
                "\n",
                InspectionText.lines(
                        Inspection.run(path, InspectionOptions.defaults().head(1)), true));

        assertTrue(text.contains("\u00fc.example /caf\u00e9/\\xe9"), text);
        assertTrue(text.contains("%  /caf\u00e9/\\xe9"), text);
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
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            data(writer, 0, 0, 0, preface.substring(0, 5));
            writer.protocol(0, START_NS, Protocol.HTTP2);
            data(writer, 0, 0, 0, preface.substring(5) + settings + headers);
        }

        InspectionReport report = Inspection.run(path, InspectionOptions.defaults());

        assertEquals(0, report.requests);
        assertEquals(1, report.http2Requests);
        assertEquals(Map.of("http/2", 1L), report.protocols());
        assertEquals(Map.of("GET", 1L), report.methods.top(9));
        assertEquals(Map.of("/", 1L), report.paths.top(9));
    }

    private Path write(Consumer<CaptureWriter> content) {
        Path path = folder.resolve("written.bin");
        try (CaptureWriter writer = writer(path)) {
            content.accept(writer);
        }
        return path;
    }

    private static String text(InspectionReport report, boolean full) {
        return String.join("\n", InspectionText.lines(report, full)) + "\n";
    }

    @Test
    void countsHttp2WhereItsBeginningWasNotSeenAndAfterAnUpgrade() {
        String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        String settings = "\0\0\0\4\0\0\0\0\0";
        String headers = "\0\0\3\1\5\0\0\0\1\u0082\u0086\u0084";
        Path path = write(writer -> {
            // Open before, with bytes of something else before the preface.
            writer.openConnection(START_NS, null, null, true, ConnectionDetails.NONE);
            data(writer, 0, 0, 0, "the rest of something");
            writer.protocol(0, START_NS, Protocol.HTTP2);
            data(writer, 0, 0, 0, preface + settings + headers);
            // Open before, without a preface.
            writer.openConnection(START_NS, null, null, true, ConnectionDetails.NONE);
            data(writer, 1, 0, 0, "the rest of something");
            writer.protocol(1, START_NS, Protocol.HTTP2);
            data(writer, 1, 0, 0, settings + headers);
            // Open before, upgraded.
            writer.openConnection(START_NS, null, null, true, ConnectionDetails.NONE);
            writer.protocol(2, START_NS, Protocol.HTTP1);
            data(writer, 2, 0, WHOLE, "POST /up HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n\r\n");
            writer.protocol(2, START_NS, Protocol.HTTP2);
            data(
                    writer,
                    2,
                    0,
                    0,
                    preface + settings + headers.replace('\1', '\3').replaceFirst("\3\5", "\1\5"));
        });

        InspectionReport report = Inspection.run(path, InspectionOptions.defaults());

        assertEquals(1, report.requests);
        assertEquals(3, report.http2Requests);
        assertEquals(Map.of("HTTP/1.1", 1L, "HTTP/2", 3L), report.httpVersions.top(9));
        assertEquals(Map.of("POST", 1L, "GET", 2L), report.methods.top(9));
    }

    @Test
    void takesEmptyLinesForNoRequestAndACutOneForOne() {
        Path path = write(writer -> {
            for (int connection = 0; connection < 3; connection++) {
                writer.openConnection(START_NS, null, null);
                writer.protocol(connection, START_NS, Protocol.HTTP1);
            }
            data(writer, 0, 0, RecordFlags.MESSAGE_START, "\r\n");
            data(writer, 1, 0, RecordFlags.MESSAGE_START | RecordFlags.TRUNCATED, "GET /");
            data(writer, 2, 0, RecordFlags.MESSAGE_START, "\r\nG");
        });

        assertEquals(2, Inspection.run(path, InspectionOptions.defaults()).incompleteRequests);
    }

    @Test
    void tellsWhoAskedWhomForWhat() {
        Path path = write(writer -> {
            for (int i = 0; i < 20; i++) {
                writer.openConnection(
                        START_NS + i * SECOND_NS / 2,
                        new InetSocketAddress("10.0.0." + (i % 3 + 1), 5000 + i),
                        new InetSocketAddress("10.1.0.1", 80));
                writer.protocol(i, START_NS + i * SECOND_NS / 2, Protocol.HTTP1);
                data(
                        writer,
                        i,
                        i / 2,
                        WHOLE,
                        "GET /hash/" + i + "/x HTTP/1." + i % 2 + "\r\nHost: h" + i % 2 + "\r\n\r\n");
                data(writer, i, i / 2, WHOLE | RecordFlags.PIPELINED, "GET /one/7 HTTP/1.1\r\nHost: h1\r\n\r\n");
            }
        });

        InspectionReport report = Inspection.run(path, InspectionOptions.defaults());

        assertEquals(Map.of("/hash/N/x", 20L, "/one/7", 20L), report.pathTemplates.top(9));
        assertEquals(Map.of("HTTP/1.0", 10L, "HTTP/1.1", 30L), report.httpVersions.top(9));
        assertEquals(Map.of("10.0.0.1", 14L, "10.0.0.2", 14L, "10.0.0.3", 12L), report.clients.top(9));
        assertEquals(Map.of("10.1.0.1:80", 40L), report.servers.top(9));
        assertEquals(20, report.mostOpenConnections);
        assertEquals(4, report.times.busiestCount);
        assertEquals("2023-11-14T22:13:29.500Z", report.endedAt().toString());
        String text = text(report, false);
        for (String part : new String[] {
            "from      2023-11-14 22:13:20Z to 2023-11-14 22:13:29Z",
            "Rate          4.21/s on average, 4 in the busiest second, 2023-11-14 22:13:20Z\n",
            "Connections   most open at once: 20, at 2023-11-14 22:13:29Z; 2.0 requests each\n",
            "Pipelined     20 requests sent before the one ahead was answered (50.0 %)",
            "Protocols     http/1 20 connections\n",
            "HTTP          HTTP/1.1 30, HTTP/1.0 10\n",
            "Hosts         h1 30, h0 10\n",
            "Clients       10.0.0.1 14, 10.0.0.2 14, 10.0.0.3 12\n",
            "Servers       10.1.0.1:80 40\n",
            "        20   50.0%  /hash/N/x\n",
            "Requests per second; each column is the mean of "
        }) {
            assertTrue(text.contains(part), part + " in\n" + text);
        }
        assertFalse(text.contains("Largest connections"), text);
        assertTrue(text(report, true).contains("Largest connections"), text);
    }

    @Test
    void namesEachProtocolOnOneScreen() {
        List<Protocol> protocols = List.of(
                Protocol.HTTP1,
                Protocol.TLS,
                Protocol.THRIFT_FRAMED_BINARY,
                Protocol.THRIFT_UNFRAMED_COMPACT,
                Protocol.THRIFT_HEADER,
                Protocol.THRIFT_MUX);
        Path path = write(writer -> {
            for (int i = 0; i < protocols.size(); i++) {
                writer.openConnection(START_NS, null, null);
                writer.protocol(i, START_NS, protocols.get(i));
                data(writer, i, 1, 0, "opaque");
            }
        });

        String text = text(Inspection.run(path, InspectionOptions.defaults()), false);

        protocols.forEach(protocol ->
                assertTrue(text.replaceAll("\\s+", " ").contains(protocol.label() + " 1 connection"), text));
    }

    @Test
    void tellsHowTheRecordedServerAnswered() throws IOException {
        Path path = write(writer -> {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            for (int i = 0; i < 100; i++) {
                data(writer, 0, i, WHOLE, "GET / HTTP/1.1\r\n\r\n");
                if (i < 80) {
                    writer.answer(0, START_NS + i * SECOND_NS, i, i < 70 ? 200 : i < 76 ? 401 : i < 79 ? 404 : 500);
                }
            }
        });

        InspectionReport report = Inspection.run(path, InspectionOptions.defaults());

        String text = text(report, false);
        assertTrue(
                text.contains("Answers       2xx 87.5 %, 4xx 11.3 % (401: 6, 404: 3), 5xx 1.3 % (500: 1); of 80\n"
                        + "              known\n"),
                text);
        StringWriter json = new StringWriter();
        InspectionJson.write(report, json);
        assertTrue(
                json.toString()
                        .replaceAll("\\s+", "")
                        .contains("\"answers\":{\"known\":80,\"byStatus\":{\"200\":70,\"401\":6,\"404\":3,\"500\":1}}"),
                json::toString);
    }

    @Test
    void saysOfNoClassOfAnswersThatItIsAllBesideOthers() {
        Path path = write(writer -> {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            for (int i = 0; i < 1000; i++) {
                data(writer, 0, i, WHOLE, "GET / HTTP/1.1\r\n\r\n");
                writer.answer(0, START_NS + i * SECOND_NS, i, i < 996 ? 200 : 503);
            }
        });

        String text = text(Inspection.run(path, InspectionOptions.defaults()), false);
        assertTrue(text.contains("Answers       2xx 99.6 %, 5xx 0.4 % (503: 4)\n"), text);
    }

    @Test
    void fillsOneScreenOf80Columns() {
        Path path = write(writer -> {
            for (int i = 0; i < 300; i++) {
                writer.openConnection(
                        START_NS + i * SECOND_NS,
                        new InetSocketAddress("10.0." + i / 100 + "." + i % 100, 5000),
                        new InetSocketAddress("10.1.0." + i % 40, 80));
                writer.protocol(i, START_NS + i * SECOND_NS, Protocol.HTTP1);
                String name = "n".repeat(i % 50) + (char) ('a' + i % 26);
                data(writer, i, i, WHOLE, "GET /" + name + "/" + i + " HTTP/1.1\r\nHost: " + name + "\r\n\r\n");
                data(writer, i, i, RecordFlags.MESSAGE_START, "GET /cut");
                writer.gap(i, START_NS + i * SECOND_NS, 5);
                data(writer, i, i, 0, "opaque");
            }
            writer.lost(1, 2, 3);
            writer.redacted(4);
        });

        List<String> lines = InspectionText.lines(Inspection.run(path, InspectionOptions.defaults()), false);

        assertTrue(lines.size() <= 42, lines.size() + " lines:\n" + String.join("\n", lines));
        for (String line : lines) {
            assertTrue(line.length() <= 80 || line.startsWith(folder.toString()), line);
        }
    }

    @Test
    void saysThatALossCounterCannotBeRead() throws IOException {
        Path path = capture();
        byte[] bytes = Files.readAllBytes(path);
        bytes[2048 + 40] ^= 1; // in the summary, the header page's second half
        Files.write(path, bytes);

        InspectionReport report = Inspection.run(path, InspectionOptions.defaults());

        String text = text(report, false);
        assertFalse(text.contains("Lost nothing"), text);
        assertTrue(text.contains("TORN SUMMARY: whether anything was lost is not known"), text);
        StringWriter json = new StringWriter();
        InspectionJson.write(report, json);
        assertTrue(json.toString().contains("\"known\" : false"), json.toString());
    }

    @Test
    void chartsTheRateInFixedMemory() {
        RequestTimes times = new RequestTimes();
        for (long second = 0; second < 1_000_000; second += 10) {
            times.add(second * SECOND_NS);
        }
        RequestTimes.Rates rates = times.rates();

        assertTrue(rates.perSec.size() > 50 && rates.perSec.size() <= 60, rates.perSec.size() + " columns");
        assertEquals(0.1, rates.perSec.get(10), 0.001);
        assertEquals(0, rates.pauses.size());
        assertEquals(10 * SECOND_NS, times.longestPauseNs);
        assertEquals(1, times.busiestCount);
    }

    @Test
    void cutsALongPauseOutOfTheChart() {
        RequestTimes times = new RequestTimes();
        long yearsNs = 4L * 365 * 24 * 3600 * SECOND_NS;
        for (long startNs : new long[] {0, yearsNs}) {
            for (int i = 0; i < 3000; i++) {
                times.add(startNs + i * SECOND_NS / 100);
            }
        }
        RequestTimes.Rates rates = times.rates();

        assertEquals(1, rates.pauses.size());
        assertEquals(30, rates.pauses.get(0).beforeColumn, 1);
        assertEquals(30 * SECOND_NS, rates.pauses.get(0).fromNs, SECOND_NS / 50.0);
        assertEquals(yearsNs, rates.pauses.get(0).toNs);
        assertEquals(60, rates.perSec.size(), 2);
        assertEquals(100, rates.perSec.get(5), 3);
        assertEquals(100, times.busiestCount);
        assertEquals(yearsNs - 29_990_000_000L, times.longestPauseNs);
    }

    @Test
    void cutsNothingOutOfEvenTraffic() {
        for (int requests = 0; requests < 50; requests++) {
            RequestTimes times = new RequestTimes();
            for (int i = 0; i < requests; i++) {
                times.add(i * 3600 * SECOND_NS);
            }
            assertEquals(0, times.rates().pauses.size(), requests + " requests");
        }
    }

    @Test
    void countsTheFrequentNamesInBoundedMemory() {
        NameCounts counts = new NameCounts();
        for (int i = 0; i < 200_000; i++) {
            counts.add("rare" + i);
            counts.add("often" + i % 3);
        }

        assertTrue(counts.size() <= NameCounts.MAX_NAMES, counts.size() + " names");
        assertTrue(counts.tooLowBy() > 0 && counts.tooLowBy() < 20, counts.tooLowBy() + " too low");
        Map<String, Long> top = counts.top(3);
        assertEquals(Set.of("often0", "often1", "often2"), top.keySet());
        top.values()
                .forEach(count ->
                        assertTrue(count <= 66_667 && count + counts.tooLowBy() >= 66_666, count + " of 66,667"));
    }
}
