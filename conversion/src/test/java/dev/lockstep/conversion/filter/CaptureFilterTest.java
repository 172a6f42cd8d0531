package dev.lockstep.conversion.filter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Compression;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.exports.ExportConfig;
import dev.lockstep.conversion.exports.ExportFormat;
import dev.lockstep.conversion.exports.TestingCaptures;
import dev.lockstep.conversion.exports.TrafficExport;
import dev.lockstep.conversion.imports.TestingImports;
import dev.lockstep.redaction.RedactionKey;
import dev.lockstep.redaction.RedactionPolicy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureFilterTest {
    private static final int WHOLE = RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long START_NS = 1_700_000_000L * SECOND_NS;

    @TempDir
    private Path folder;

    private int outputs;

    private static String request(String method, String target) {
        return method + " " + target + " HTTP/1.1\r\nHost: x\r\nAuthorization: secret-" + target + "\r\n\r\n";
    }

    /** Returns a capture of three connections with four requests each, one a second; the connections take turns. */
    private Path capture(String name) {
        Path path = folder.resolve(name);
        try (CaptureWriter writer = writer(path)) {
            for (int connection = 0; connection < 3; connection++) {
                assertEquals(connection, writer.openConnection(START_NS, null, null));
                writer.protocol(connection, START_NS, Protocol.HTTP1);
            }
            for (int second = 0; second < 12; second++) {
                String text = request(second % 4 == 0 ? "POST" : "GET", "/" + second + "?q");
                data(writer, second % 3, START_NS + second * SECOND_NS, WHOLE, text);
                writer.answer(second % 3, START_NS + second * SECOND_NS, second / 3, 200 + second);
            }
            for (int connection = 0; connection < 3; connection++) {
                writer.closeConnection(connection, START_NS + 12 * SECOND_NS, CloseReason.CLIENT_FIN);
            }
        }
        return path;
    }

    private static CaptureWriter writer(Path path) {
        return CaptureWriter.create(
                path,
                CaptureOptions.builder()
                        .waitForDisk(true)
                        .startedAt(START_NS, START_NS)
                        .listen("127.0.0.1:80")
                        .comment("a comment")
                        .build());
    }

    private static void data(CaptureWriter writer, int connection, long timeNs, int flags, String text) {
        writer.data(connection, timeNs, flags, ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private Path filter(List<Path> inputs, UnaryOperator<FilterConfig.Builder> options) {
        Path output = folder.resolve("filtered-" + outputs++ + ".bin");
        CaptureFilter.run(options.apply(FilterConfig.builder().inputs(inputs).output(output))
                .build());
        return output;
    }

    /** Returns each request as "connection time target", time in seconds since the new capture's start. */
    private static List<String> targets(Path capture) throws IOException {
        List<String> targets = new ArrayList<>();
        for (String request : TestingCaptures.requests(capture, true)) {
            String[] words = request.split(" ");
            targets.add(words[0] + " " + Long.parseLong(words[1]) / SECOND_NS + " " + words[3]);
        }
        return targets;
    }

    @Test
    void keepsHowTheRequestsWereAnsweredThatItKeeps() {
        Path posts = filter(List.of(capture("a.bin")), config -> config.methods(Set.of("POST")));

        try (Capture capture = Capture.open(posts)) {
            assertEquals(Map.of(200, 1L, 204, 1L, 208, 1L), capture.recordedStatuses());
            assertEquals(200, capture.recordedStatus(0));
            assertEquals(204, capture.recordedStatus(1));
        }
    }

    @Test
    void keepsAnswersThatStandBehindTheLastRequestThatItKeeps() {
        Path path = folder.resolve("late.bin");
        try (CaptureWriter writer = writer(path)) {
            for (int connection = 0; connection < 3; connection++) {
                long timeNs = START_NS + connection * SECOND_NS;
                writer.openConnection(timeNs, null, null);
                writer.protocol(connection, timeNs, Protocol.HTTP1);
                data(writer, connection, timeNs, WHOLE, request("GET", "/" + connection));
            }
            int pipelined = WHOLE | RecordFlags.PIPELINED;
            data(writer, 1, START_NS + 3 * SECOND_NS, pipelined, request("GET", "/3"));
            writer.answer(1, START_NS + 4 * SECOND_NS, 0, 201);
            writer.answer(2, START_NS + 4 * SECOND_NS, 0, 202);
            writer.answer(1, START_NS + 5 * SECOND_NS, 1, 203);
            writer.answer(0, START_NS + 6 * SECOND_NS, 0, 200);
            data(writer, 0, START_NS + 7 * SECOND_NS, WHOLE, request("GET", "/4"));
            writer.answer(0, START_NS + 7 * SECOND_NS, 1, 204);
        }

        for (Path part : List.of(
                filter(List.of(path), config -> config.limit(2)),
                filter(List.of(path, path), config -> config.toNs(2 * SECOND_NS)))) {
            try (Capture capture = Capture.open(part)) {
                assertEquals(2, capture.requestCount());
                assertEquals(Map.of(200, 1L, 201, 1L), capture.recordedStatuses());
                assertEquals(6 * SECOND_NS, capture.info().lastTimeNs());
            }
        }
    }

    /** The beginning in front of the hole is left out, for nobody knows its protocol; its flag goes with it. */
    @Test
    void keepsWhichRequestsArePipelinedBehindAHole() {
        checkPipelinedBehind(writer -> {
            data(writer, 0, START_NS, RecordFlags.MESSAGE_START, "GET /lo");
            writer.gap(0, START_NS, 10);
        });
    }

    @Test
    void keepsWhichRequestsArePipelinedBehindWhatIsTooLongForAnyProtocol() {
        checkPipelinedBehind(writer -> data(writer, 0, START_NS, RecordFlags.MESSAGE_START, "x".repeat(70_000)));
    }

    private void checkPipelinedBehind(Consumer<CaptureWriter> leftOut) {
        Path path = folder.resolve("left-out.bin");
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            leftOut.accept(writer);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            data(writer, 0, START_NS, WHOLE, request("GET", "/0"));
            data(writer, 0, START_NS, WHOLE | RecordFlags.PIPELINED, request("GET", "/1"));
            data(writer, 0, START_NS, WHOLE, request("GET", "/2"));
        }

        RedactionPolicy policy = RedactionPolicy.defaults(RedactionKey.random());
        try (Capture capture = Capture.open(filter(List.of(path), config -> config.redaction(policy)))) {
            assertEquals(3, capture.requestCount());
            assertFalse(capture.isPipelined(0));
            assertTrue(capture.isPipelined(1));
            assertFalse(capture.isPipelined(2));
        }
    }

    @Test
    void looksForAnswersForAMinute() {
        Path path = folder.resolve("never.bin");
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            data(writer, 0, START_NS, WHOLE, request("GET", "/0"));
            writer.openConnection(START_NS, null, null);
            writer.closeConnection(1, START_NS + SECOND_NS, CloseReason.CLIENT_FIN);
            writer.answer(0, START_NS + 62 * SECOND_NS, 0, 200);
        }

        Path filtered = filter(List.of(path), config -> config.limit(1));
        try (Capture capture = Capture.open(filtered)) {
            assertEquals(1, capture.requestCount());
            assertEquals(Map.of(), capture.recordedStatuses());
        }
        assertEquals(
                0,
                CaptureReader.verify(filtered, OpenOptions.defaults()).lastTimeNs() / SECOND_NS,
                "what goes on ends where the last request does");
    }

    @Test
    void copiesEverythingWithoutFilters() throws IOException {
        Path capture = capture("a.bin");
        Path copy = filter(List.of(capture), config -> config);

        assertEquals(TestingCaptures.requests(capture, true), TestingCaptures.requests(copy, true));
        CaptureInfo info = CaptureReader.verify(copy, OpenOptions.defaults());
        assertEquals(Instant.ofEpochSecond(1_700_000_000L), info.startedAt());
        assertEquals("127.0.0.1:80", info.listen());
        assertEquals("a comment", info.comment());
        assertEquals(12 * SECOND_NS, info.lastTimeNs());
    }

    @Test
    void choosesByTimeMethodPathAndLimit() throws IOException {
        Path capture = capture("a.bin");

        assertEquals(
                List.of("0 0 /5?q", "1 1 /6?q", "2 2 /7?q"),
                targets(filter(
                        List.of(capture), config -> config.fromNs(5 * SECOND_NS).toNs(8 * SECOND_NS))));
        assertEquals(
                List.of("0 0 /10?q", "1 1 /11?q"),
                targets(filter(List.of(capture), config -> config.fromTime(Instant.ofEpochSecond(1_700_000_010L)))));
        assertEquals(
                List.of("0 0 /0?q", "1 4 /4?q", "2 8 /8?q"),
                targets(filter(List.of(capture), config -> config.methods(Set.of("POST")))));
        assertEquals(
                List.of("0 0 /1?q", "0 9 /10?q", "1 10 /11?q"),
                targets(filter(List.of(capture), config -> config.path("/1*"))));
        assertEquals(
                List.of("0 0 /2?q", "1 1 /3?q"),
                targets(filter(List.of(capture), config -> config.path(Pattern.compile("/[23]")))));
        assertEquals(
                List.of("0 0 /0?q", "1 1 /1?q", "2 2 /2?q", "0 3 /3?q"),
                targets(filter(List.of(capture), config -> config.limit(4))));
    }

    /** Connections that go on for hours would make the new capture as long, and its rate as low. */
    @Test
    void endsAtATimeOfTheClockAsAtOneSinceTheStart() throws IOException {
        Path capture = capture("a.bin");

        Path byClock = filter(List.of(capture), config -> config.toTime(Instant.ofEpochSecond(1_700_000_004L)));

        assertEquals(targets(filter(List.of(capture), config -> config.toNs(4 * SECOND_NS))), targets(byClock));
        assertEquals(
                4 * SECOND_NS,
                CaptureReader.verify(byClock, OpenOptions.defaults()).lastTimeNs());
    }

    @Test
    void takesRequestsWholeThatEndBehindTheTime() throws IOException {
        Path path = folder.resolve("long.bin");
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            data(writer, 0, START_NS, RecordFlags.MESSAGE_START, "POST /long HTTP/1.1\r\nContent-Length: 2\r\n\r\na");
            writer.openConnection(START_NS + 2 * SECOND_NS, null, null);
            writer.protocol(1, START_NS + 2 * SECOND_NS, Protocol.HTTP1);
            data(writer, 1, START_NS + 2 * SECOND_NS, WHOLE, request("GET", "/late"));
            data(writer, 0, START_NS + 3 * SECOND_NS, RecordFlags.MESSAGE_END, "b");
            data(writer, 0, START_NS + 4 * SECOND_NS, WHOLE, request("GET", "/later"));
        }

        assertEquals(List.of("0 0 /long"), targets(filter(List.of(path), config -> config.toNs(SECOND_NS))));
    }

    @Test
    void leavesNothingBehindWhenACaptureIsDamaged() throws IOException {
        Path path = capture("damaged.bin");
        byte[] bytes = Files.readAllBytes(path);
        bytes[4096 + 70] ^= 1;
        Files.write(path, bytes);
        Path whole = capture("whole.bin");

        assertThrows(CaptureException.class, () -> filter(List.of(whole, path), config -> config));

        assertFalse(Files.exists(folder.resolve("filtered-0.bin")));
    }

    /** Nor anything beside it. */
    @Test
    void keepsWhatItWouldReplaceWhereItFails() throws IOException {
        Path damaged = capture("damaged.bin");
        byte[] bytes = Files.readAllBytes(damaged);
        bytes[4096 + 70] ^= 1;
        Files.write(damaged, bytes);
        Path whole = capture("whole.bin");
        Path old = rotated();
        Path link = Files.createSymbolicLink(folder.resolve("link.bin"), old);
        byte[] before = Files.readAllBytes(old);
        Set<String> names = names();

        for (Path output : List.of(old, link)) {
            assertThrows(CaptureException.class, () -> replace(List.of(whole, damaged), output));

            assertArrayEquals(before, Files.readAllBytes(old));
            assertEquals(names, names());
        }
        assertEquals(1000, targets(old).size());

        replace(List.of(whole), old);

        assertEquals(12, targets(old).size());
        assertEquals(
                Set.of(),
                names().stream().filter(name -> name.contains("rotated.1")).collect(Collectors.toSet()));
        assertEquals(
                Set.of(), names().stream().filter(name -> name.startsWith(".")).collect(Collectors.toSet()));
    }

    @Test
    void putsBackWhatItWouldReplaceWhereTheNewOneIsCut() throws IOException {
        Path old = capture("old.bin");
        Path link = Files.createSymbolicLink(folder.resolve("link.bin"), old);
        List<Path> inputs = List.of(rotated());
        byte[] before = Files.readAllBytes(old);
        Set<String> names = names();
        for (Path output : List.of(old, link)) {
            int[] asked = {0};
            FilterConfig stopped = FilterConfig.builder()
                    .inputs(inputs)
                    .output(output)
                    .captureOptions(CaptureOptions.builder().overwrite(true))
                    .cancelled(() -> ++asked[0] > 2)
                    .build();
            ConversionException e = assertThrows(ConversionException.class, () -> CaptureFilter.run(stopped));

            assertEquals(
                    output + ": not replaced: the filter was ended by a signal; what was there is as it was",
                    e.getMessage());
            assertArrayEquals(before, Files.readAllBytes(old));
            assertEquals(names, names());

            Path laterSegment = folder.resolve(output.getFileName().toString().replace(".bin", ".4.bin"));
            FilterConfig failing = FilterConfig.builder()
                    .inputs(inputs)
                    .output(output)
                    .captureOptions(rotating().overwrite(true))
                    .cancelled(() -> {
                        laterSegment.toFile().mkdir();
                        return false;
                    })
                    .build();
            e = assertThrows(ConversionException.class, () -> CaptureFilter.run(failing));

            assertTrue(
                    e.getMessage().startsWith(output + ": not replaced: writing failed at offset ")
                            && e.getMessage().endsWith("; move it, or record elsewhere; what was there is as it was"),
                    e.getMessage());
            Files.delete(laterSegment);
            assertArrayEquals(before, Files.readAllBytes(old));
            assertEquals(names, names());
        }
        assertTrue(Files.isSymbolicLink(link));
    }

    /** As a recorder writes them, and as a reader of the link looks for them. */
    @Test
    void writesLaterSegmentsBesideTheLinkThatItWritesThrough() throws IOException {
        Path place = Files.createDirectory(folder.resolve("place"));
        Path few = capture("few.bin");
        Path real = Files.copy(few, place.resolve("real.bin"));
        Path link = Files.createSymbolicLink(folder.resolve("link.bin"), real);

        CaptureFilter.run(FilterConfig.builder()
                .inputs(List.of(rotated()))
                .output(link)
                .captureOptions(rotating().overwrite(true))
                .build());

        assertEquals(1000, targets(link).size());
        assertTrue(Files.isSymbolicLink(link));
        assertTrue(names().contains("link.1.bin"), names() + "");
        try (Stream<Path> files = Files.list(place)) {
            assertEquals(List.of(real), files.collect(Collectors.toList()));
        }

        replace(List.of(few), link);

        assertEquals(12, targets(link).size());
        assertTrue(Files.isSymbolicLink(link));
        assertFalse(names().contains("link.1.bin"), names() + "");
    }

    private static void replace(List<Path> inputs, Path output) {
        CaptureFilter.run(FilterConfig.builder()
                .inputs(inputs)
                .output(output)
                .captureOptions(CaptureOptions.builder().overwrite(true))
                .build());
    }

    private Set<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    @Test
    void saysThatLaterSegmentsAreMissingOrCannotBeRead() throws IOException {
        Path path = rotated();
        Path segment = folder.resolve("rotated.1.bin");
        byte[] bytes = Files.readAllBytes(segment);
        bytes[100] ^= 1;
        Files.write(segment, bytes);
        List<String> damaged = missing(path);
        Files.delete(segment);
        List<String> gone = missing(path);

        assertEquals(1, damaged.size());
        assertTrue(damaged.get(0).contains("found one that cannot be read: "), damaged + "");
        assertEquals(1, gone.size());
        assertTrue(gone.get(0).endsWith("expected the file rotated.1.bin beside it, found none"), gone + "");
    }

    private List<String> missing(Path capture) {
        return CaptureFilter.run(FilterConfig.builder()
                        .inputs(List.of(capture))
                        .output(folder.resolve("missing-" + outputs++ + ".bin"))
                        .build())
                .missing();
    }

    /** inspect prints them as people write them, who then ask for them so. */
    @Test
    void choosesPathsBeyondAsciiAsInspectPrintsThem() throws IOException {
        Path path = folder.resolve("utf8.bin");
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            data(writer, 0, START_NS, WHOLE, request("GET", "/\u00C3\u00BC/1")); // UTF-8
            data(writer, 0, START_NS, WHOLE, request("GET", "/\u00FC/2")); // ISO 8859-1
            data(writer, 0, START_NS, WHOLE, request("GET", "/u/3"));
        }
        List<String> both = List.of("0 0 /\u00C3\u00BC/1", "0 0 /\u00FC/2");

        assertEquals(both, targets(filter(List.of(path), config -> config.path("/\u00FC/*"))));
        assertEquals(both, targets(filter(List.of(path), config -> config.path(Pattern.compile("/[^a-z]/.")))));
        assertEquals(
                3, targets(filter(List.of(path), config -> config.path("/?/?"))).size());
    }

    /** The recorder writes a record for each read. */
    @Test
    void judgesARequestByItsWholeLineWhereverThatIsCut() throws IOException {
        Path path = folder.resolve("cut.bin");
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            data(writer, 0, START_NS, RecordFlags.MESSAGE_START, "GET /api/us");
            data(writer, 0, START_NS, RecordFlags.MESSAGE_END, "ers HTTP/1.1\r\nHost: x\r\n\r\n");
        }

        assertEquals(List.of("0 0 /api/users"), targets(filter(List.of(path), config -> config.path("/api/users"))));
        assertThrows(ConversionException.class, () -> filter(List.of(path), config -> config.path("/api/us")));
        Instant far = Instant.parse("9999-12-31T00:00:00Z");
        assertEquals(
                1, targets(filter(List.of(path), config -> config.toTime(far))).size());
    }

    /** As a shell does with capture*.bin: its requests would be there twice, and those of later segments thrice. */
    @Test
    void readsALaterSegmentBesideItsCaptureOnce() {
        Path path = rotated();
        Path segment = folder.resolve("rotated.1.bin");
        for (List<Path> inputs : List.of(List.of(path, segment), List.of(segment, path))) {
            FilterReport report = CaptureFilter.run(FilterConfig.builder()
                    .inputs(inputs)
                    .output(folder.resolve("once-" + outputs++ + ".bin"))
                    .build());
            assertEquals(1000, report.requestsRead());
            assertEquals(1000, report.written().requests());
            assertEquals(List.of(segment + " is read once, as a later file of the capture " + path), report.repeated());
        }
    }

    /** Its number counts the requests of the segments before, too. */
    @Test
    void marksNoOtherCallAsOnewayWhereASegmentIsReadAlone() {
        CaptureOptions options =
                rotating().waitForDisk(true).startedAt(START_NS, START_NS).build();
        try (CaptureWriter writer = CaptureWriter.create(folder.resolve("oneway.bin"), options)) {
            writer.openConnection(START_NS, null, null);
            for (int i = 0; i < 1000; i++) {
                data(writer, 0, START_NS, WHOLE, request("GET", "/" + i));
            }
            writer.noAnswer(0, START_NS, 3);
        }

        Path later = filter(List.of(folder.resolve("oneway.1.bin")), config -> config);

        try (Capture capture = Capture.open(later)) {
            assertTrue(capture.requestCount() > 3);
            assertTrue(capture.getsAnswer(3));
        }
    }

    @Test
    void refusesToReplaceASegmentOfWhatItReads() throws IOException {
        Path path = rotated();
        checkRefused(path);
    }

    /** Returns a capture of a thousand requests over some files. */
    private Path rotated() {
        Path path = folder.resolve("rotated.bin");
        CaptureOptions options =
                rotating().waitForDisk(true).startedAt(START_NS, START_NS).build();
        try (CaptureWriter writer = CaptureWriter.create(path, options)) {
            writer.openConnection(START_NS, null, null);
            for (int i = 0; i < 1000; i++) {
                data(writer, 0, START_NS, WHOLE, request("GET", "/" + i));
            }
        }
        return path;
    }

    private static CaptureOptions.Builder rotating() {
        return CaptureOptions.builder().blockBytes(4096).memoryBytes(1 << 16).rotateBytes(16_384);
    }

    private void checkRefused(Path path) throws IOException {
        Path segment = folder.resolve("rotated.1.bin");
        byte[] before = Files.readAllBytes(segment);
        CaptureOptions.Builder replacing = CaptureOptions.builder().overwrite(true);

        for (List<Path> pair : List.of(List.of(path, segment), List.of(segment, path))) {
            FilterConfig filter = FilterConfig.builder()
                    .inputs(pair.subList(0, 1))
                    .output(pair.get(1))
                    .captureOptions(replacing)
                    .build();
            ConversionException e = assertThrows(ConversionException.class, () -> CaptureFilter.run(filter));
            assertEquals(
                    pair.get(1) + ": belongs to the capture that is read from " + pair.get(0)
                            + " and cannot be replaced by what is made of it; give another path",
                    e.getMessage());
            ExportConfig export = ExportConfig.builder()
                    .input(pair.get(0))
                    .output(pair.get(1))
                    .format(ExportFormat.GOR)
                    .overwrite(true)
                    .build();
            assertThrows(ConversionException.class, () -> TrafficExport.run(export));
        }
        assertArrayEquals(before, Files.readAllBytes(segment));
    }

    @Test
    void takesWholeConnectionsOfASample() throws IOException {
        Path capture = capture("a.bin");

        assertEquals(
                List.of("0 1 /1?q", "0 4 /4?q", "0 7 /7?q", "0 10 /10?q"),
                targets(filter(List.of(capture), config -> config.connections(Set.of(1)))));
        for (long seed = 1; seed < 20; seed++) {
            long chosen = seed;
            Path output;
            try {
                output = filter(List.of(capture), config -> config.sample(0.5).seed(chosen));
            } catch (ConversionException e) {
                continue; // by chance none
            }
            assertEquals(0, targets(output).size() % 4);
            try (CaptureReader reader = CaptureReader.open(output)) {
                assertEquals(
                        "50% of the connections, seed " + seed, reader.info().sampling());
            }
        }
    }

    @Test
    void notesAShareAsItWasGiven() {
        for (String percent : List.of("7", "29", "100", "0.1", "33.3")) {
            FilterConfig config = FilterConfig.builder()
                    .inputs(List.of(folder))
                    .output(folder)
                    .sample(Double.parseDouble(percent) / 100)
                    .build();
            assertEquals(
                    percent.equals("100") ? null : percent + "% of the connections, seed 1",
                    FilterNotes.sampling(null, config));
        }
    }

    @Test
    void putsCapturesBehindEachOther() throws IOException {
        Path both = filter(List.of(capture("a.bin"), capture("b.bin")), config -> config.methods(Set.of("POST")));

        assertEquals(List.of("0 0 /0?q", "1 4 /4?q", "2 8 /8?q", "3 12 /0?q", "4 16 /4?q", "5 20 /8?q"), targets(both));
    }

    @Test
    void keepsOrderWhileAnotherRequestIsUndecided() throws IOException {
        Path path = folder.resolve("split.bin");
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            writer.protocol(1, START_NS, Protocol.HTTP1);
            data(writer, 0, START_NS, RecordFlags.MESSAGE_START, "GE");
            data(writer, 1, START_NS + SECOND_NS, WHOLE, request("GET", "/second"));
            data(writer, 0, START_NS + 2 * SECOND_NS, RecordFlags.MESSAGE_END, "T /first HTTP/1.1\r\nHost: x\r\n\r\n");
            data(writer, 0, START_NS + 3 * SECOND_NS, RecordFlags.MESSAGE_START, "PO");
            data(writer, 1, START_NS + 4 * SECOND_NS, WHOLE, request("GET", "/third"));
            data(writer, 0, START_NS + 5 * SECOND_NS, 0, "ST /left-out HTTP/1.1\r\nContent-Length: 3\r\n\r\n");
            data(writer, 0, START_NS + 6 * SECOND_NS, RecordFlags.MESSAGE_END, "abc");
        }

        Path output = filter(List.of(path), config -> config.methods(Set.of("GET")));

        List<String> records = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(output)) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                records.add(record.connection() + " " + record.timeNs() / SECOND_NS + " " + record.type() + " "
                        + record.flags());
            }
        }
        assertEquals(
                List.of(
                        "0 0 CONN_OPEN 0",
                        "0 0 PROTOCOL 0",
                        "0 0 DATA_C2S 1",
                        "1 1 CONN_OPEN 0",
                        "1 1 PROTOCOL 0",
                        "1 1 DATA_C2S 3",
                        "0 2 DATA_C2S 2",
                        "1 4 DATA_C2S 3"),
                records.subList(0, 8));
    }

    @Test
    void chooseThriftCallsByTheirFunction() throws IOException {
        Path data = Path.of(System.getProperty("lockstep.testData"));
        Path capture = new TestingImports(folder)
                .run(data.resolve("pcap-thrift/thrift-crosstest/java-binary-framed.pcapng"))
                .capture;

        Path output = filter(List.of(capture), config -> config.thriftMethod("test*Exception")
                .thriftMethod("testVoid"));

        int exceptions = 0;
        for (String request : TestingCaptures.requests(output, false)) {
            assertTrue(request.contains("Exception") || request.contains("testVoid"), request);
            exceptions += request.contains("Exception") ? 1 : 0;
        }
        assertTrue(exceptions > 0, "calls that raise exceptions");
    }

    @Test
    void keepsWhatItHasWhenItIsToldToStop() throws IOException {
        Path path = folder.resolve("long.bin");
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            for (int i = 0; i < 2000; i++) {
                data(writer, 0, START_NS, WHOLE, request("GET", "/" + i));
            }
        }
        int[] asked = {0};

        Path output = filter(List.of(path, path), config -> config.cancelled(() -> ++asked[0] > 3));

        CaptureInfo info = CaptureReader.verify(output, OpenOptions.defaults());
        assertTrue(info.requests() > 0 && info.requests() < 2000, info.requests() + "");
        assertEquals(0, info.lostRequests());
        assertTrue(info.endedEarly().contains("recording ended early, the filter was ended by a signal; "));
        assertEquals(
                TestingCaptures.requests(path, false).subList(0, (int) info.requests()),
                TestingCaptures.requests(output, false));
    }

    @Test
    void redactsCompressesAndCarriesLossesOver() throws IOException {
        Path path = capture("a.bin");
        Path lossy = folder.resolve("lossy.bin");
        try (CaptureWriter writer = writer(lossy)) {
            writer.lost(1, 2, 3);
            writer.redacted(7);
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            data(writer, 0, START_NS, WHOLE, request("GET", "/lossy"));
        }
        RedactionPolicy policy = RedactionPolicy.defaults(RedactionKey.random());
        Path output = filter(List.of(path, lossy), config -> config.redaction(policy)
                .captureOptions(CaptureOptions.builder().compression(Compression.ZSTD)));

        CaptureInfo info = CaptureReader.verify(output, OpenOptions.defaults());
        assertEquals(13, info.requests());
        assertEquals(1, info.lostConnections());
        assertEquals(2, info.lostRequests());
        assertEquals(3, info.lostBytes());
        assertEquals(7 + 13, info.redactedValues());
        assertEquals(policy.description(), info.redaction());
        List<String> before = TestingCaptures.requests(path, false);
        List<String> after = TestingCaptures.requests(output, false);
        for (int i = 0; i < before.size(); i++) {
            assertEquals(before.get(i).length(), after.get(i).length());
            assertTrue(!after.get(i).contains("secret"), after.get(i));
        }
    }

    /** The counters of losses stand at a capture's end: what it reads a part of may have lost all of them there. */
    @Test
    void carriesLossesOverWhereItDoesNotReadToTheEnd() {
        Path path = folder.resolve("lossy.bin");
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            for (int second = 0; second < 3; second++) {
                data(writer, 0, START_NS + second * SECOND_NS, WHOLE, request("GET", "/" + second));
                writer.answer(0, START_NS + second * SECOND_NS, second, 200);
            }
            writer.lost(1, 2, 3);
            writer.unsearched(4, 5, 6, 7);
        }

        for (Path part : List.of(
                filter(List.of(path), config -> config.limit(1)),
                filter(List.of(path), config -> config.toNs(SECOND_NS)))) {
            CaptureInfo info = CaptureReader.verify(part, OpenOptions.defaults());
            assertEquals(1, info.requests());
            assertEquals(2, info.lostRequests());
            assertEquals(3, info.lostBytes());
            assertEquals(5, info.unsearchedKeptBytes());
            assertEquals(7, info.unsearchedBodies());
            assertTrue(info.lossesKnown());
        }
    }

    @Test
    void carriesOverThatLossesAreNotKnown() throws IOException {
        Path path = folder.resolve("killed.bin");
        byte[] opened;
        try (CaptureWriter writer = writer(path)) {
            opened = Files.readAllBytes(path);
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            data(writer, 0, START_NS, WHOLE, request("GET", "/0"));
        }
        byte[] bytes = Files.readAllBytes(path);
        System.arraycopy(opened, 0, bytes, 0, opened.length);
        Files.write(path, bytes);

        List<String> missing = missing(path);
        assertEquals(1, missing.size());
        assertTrue(missing.get(0).endsWith("its recorder was killed, or is still at it"), missing + "");
        Path once = filter(List.of(path), config -> config);
        assertTrue(missing(once).get(0).endsWith("or it was filtered"), missing(once) + "");
        for (Path filtered : List.of(once, filter(List.of(once), config -> config.limit(1)))) {
            CaptureInfo info = CaptureReader.verify(filtered, OpenOptions.defaults());
            assertTrue(info.closedProperly());
            assertFalse(info.lossesKnown());
            assertEquals(0, info.appends());
            assertEquals(0, info.lastTimeNs());
        }
    }

    @Test
    void saysThatCapturesWereRedactedInDifferentWays() throws IOException {
        Path plain = capture("plain.bin");
        RedactionPolicy policy = RedactionPolicy.defaults(RedactionKey.random());
        Path redacted = filter(List.of(plain), config -> config.redaction(policy));

        Path both = filter(List.of(redacted, plain, redacted), config -> config);

        CaptureInfo info = CaptureReader.verify(both, OpenOptions.defaults());
        assertEquals("differs: " + policy.description() + "; none", info.redaction());
    }

    /** The note of the filters is for people. */
    @Test
    void writesAGlobAsAPatternThatCanBeRead() {
        FilterConfig config = FilterConfig.builder()
                .inputs(List.of(folder.resolve("a.bin")))
                .output(folder.resolve("b.bin"))
                .path("/users/*/x.js")
                .path("/a+(b)[c]{d}|^$\\?")
                .build();

        assertEquals("/users/.*/x\\.js", config.paths().get(0).pattern());
        assertTrue(config.paths().get(1).matcher("/a+(b)[c]{d}|^$\\e").matches());
        assertTrue(FilterNotes.filters(null, config).startsWith("path /users/.*/x\\.js "));
    }

    @Test
    void refusesToWriteNothing() {
        Path capture = capture("a.bin");

        ConversionException e =
                assertThrows(ConversionException.class, () -> filter(List.of(capture), config -> config.path("/none")));
        assertTrue(e.getMessage().contains("of 12 requests on 3 connections none is left"), e.getMessage());
    }

    @Test
    void saysThatTheCaptureBeginsBehindTheEndThatWasAskedFor() {
        Path capture = capture("a.bin");
        Instant start = Instant.ofEpochSecond(START_NS / SECOND_NS);

        ConversionException e =
                assertThrows(ConversionException.class, () -> filter(List.of(capture), config -> config.toTime(start)));
        assertTrue(
                e.getMessage()
                        .endsWith("nothing was recorded before the end that was asked for; the first capture begins at "
                                + start + ", expected a later end"),
                e.getMessage());
    }
}
