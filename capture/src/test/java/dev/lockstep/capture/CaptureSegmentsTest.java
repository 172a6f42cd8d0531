package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.address;
import static dev.lockstep.capture.TestingCaptures.bytes;
import static dev.lockstep.capture.TestingCaptures.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.files.SegmentNames;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Captures of several segments. */
final class CaptureSegmentsTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @TempDir
    Path folder;

    private static CaptureOptions.Builder options() {
        return CaptureOptions.builder()
                .blockBytes(4096)
                .memoryBytes(1 << 20)
                .startedAt(0, 0)
                .waitForDisk(true);
    }

    /** Returns what is recorded: 3 connections that live on, others that come and go, messages in several pieces. */
    private List<String> record(Path path, CaptureOptions options, int requests) {
        List<String> expected = new ArrayList<>();
        try (CaptureWriter writer = CaptureWriter.create(path, options)) {
            int[] lasting = {
                writer.openConnection(1, address("127.0.0.1", 1), address("127.0.0.1", 8080)),
                writer.openConnection(1, null, null),
                writer.openConnection(1, address("::1", 3), null)
            };
            writer.protocol(lasting[0], 1, Protocol.HTTP1);
            for (int i = 0; i < requests; i++) {
                long nowNs = 2 + i * 1_000_000L;
                String request = "request " + i + "x".repeat(i % 300);
                expected.add(request);
                int lasts = lasting[i % 3];
                writer.data(lasts, nowNs, RecordFlags.MESSAGE_START, bytes(request.substring(0, 4)));
                int passing = writer.openConnection(nowNs, null, null);
                writer.data(passing, nowNs, WHOLE, bytes("passing " + i));
                expected.add("passing " + i);
                writer.data(lasts, nowNs, RecordFlags.MESSAGE_END, bytes(request.substring(4)));
                writer.closeConnection(passing, nowNs, CloseReason.CLIENT_FIN);
            }
            writer.closeConnection(lasting[0], requests * 1_000_000L, CloseReason.SERVER_FIN);
        }
        return expected;
    }

    private static List<String> requests(Capture capture) {
        List<String> requests = new ArrayList<>();
        for (long request = 0; request < capture.requestCount(); request++) {
            requests.add(text(capture, request));
        }
        return requests;
    }

    private List<String> files() throws Exception {
        try (var files = Files.list(folder)) {
            return new ArrayList<>(new TreeSet<>(
                    files.map(file -> file.getFileName().toString()).collect(java.util.stream.Collectors.toList())));
        }
    }

    @Test
    void readsSegmentsAsOneCaptureWhateverTheirKind() throws Exception {
        for (CaptureOptions.Builder options : List.of(
                options().rotateBytes(32_768),
                options().rotateBytes(32_768).compression(Compression.ZSTD),
                options().rotateBytes(32_768).compression(Compression.ZSTD).encryption(GoldenCaptures.KEY),
                options().rotateAfter(Duration.ofSeconds(1)).encryption(GoldenCaptures.KEY))) {
            Path path = folder.resolve("capture.bin");
            List<String> expected = record(path, options.overwrite(true).build(), 4_000);

            OpenOptions open = OpenOptions.defaults().encryption(GoldenCaptures.KEY);
            Capture capture = Capture.open(path, open);
            CaptureInfo info = capture.info();
            assertTrue(info.segments() >= 3, "segments: " + info.segments());
            assertEquals(info.segments(), files().size());
            assertEquals(expected, requests(capture));
            assertEquals(4_003, capture.connectionCount());
            assertEquals(4_003, info.connections());
            assertEquals(8_000, info.requests());
            assertEquals(0, info.incompleteRequests());
            assertEquals(0, info.opaqueBytes());
            assertTrue(info.closedProperly());
            assertEquals(1_334, capture.requestCount(0));
            assertEquals(Protocol.HTTP1, capture.protocol(0));
            assertEquals(CloseReason.SERVER_FIN, capture.closeReason(0));
            assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(1));
            assertEquals("[0:0:0:0:0:0:0:1]:3", TestingCaptures.clientAddress(capture, 2));
            assertTrue(CaptureReader.verify(path, OpenOptions.defaults()).closedProperly());
            assertStreamsTheSame(capture, path, open);
            for (String file : files()) {
                assertEquals(
                        "rw-------",
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(file))));
            }
        }
    }

    @Test
    void knowsTheAnswersOfRequestsWhoseNumbersItKnows() {
        Path path = folder.resolve("capture.bin");
        try (CaptureWriter writer =
                CaptureWriter.create(path, options().rotateBytes(32_768).build())) {
            int connection = writer.openConnection(1, null, null);
            for (int i = 0; i < 300; i++) {
                writer.data(connection, 2 + i, WHOLE, bytes("x".repeat(300)));
                writer.answer(connection, 2 + i, i, 200 + i);
            }
        }

        try (Capture whole = Capture.open(path)) {
            for (int i = 0; i < 300; i++) {
                assertEquals(200 + i, whole.recordedStatus(i));
            }
        }
        try (Capture rest = Capture.open(folder.resolve("capture.1.bin"))) {
            assertTrue(rest.requestCount() > 10, "requests: " + rest.requestCount());
            assertEquals(Map.of(), rest.recordedStatuses());
        }
    }

    /** Checks that the streaming reader gives what the opened capture does. */
    private static void assertStreamsTheSame(Capture capture, Path path, OpenOptions open) {
        Map<Integer, StringBuilder> expected = new TreeMap<>();
        for (long request = 0; request < capture.requestCount(); request++) {
            append(expected, capture.connection(request), text(capture, request));
        }
        Map<Integer, StringBuilder> streamed = new TreeMap<>();
        try (CaptureReader reader = CaptureReader.open(path, open)) {
            long number = 0;
            long lastNs = 0;
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                assertEquals(number++, record.number());
                assertTrue(record.timeNs() >= lastNs);
                lastNs = record.timeNs();
                if (record.type() == RecordType.DATA_C2S) {
                    byte[] data = new byte[record.payload().remaining()];
                    record.payload().get(data);
                    append(streamed, record.connection(), new String(data, StandardCharsets.UTF_8));
                }
            }
            assertNull(reader.next());
            assertEquals(capture.info().records(), number);
            assertEquals(capture.info().lastTimeNs(), lastNs);
            assertEquals(capture.info().requests(), reader.info().requests());
            assertEquals(capture.info().fileBytes(), reader.info().fileBytes());
        }
        assertEquals(expected.toString(), streamed.toString());
    }

    private static void append(Map<Integer, StringBuilder> streams, int connection, String text) {
        streams.computeIfAbsent(connection, unseen -> new StringBuilder()).append(text);
    }

    @Test
    void keepsEachSegmentWithinItsSizeAndReadableByItself() throws Exception {
        Path path = folder.resolve("capture.bin");
        record(path, options().rotateBytes(32_768).build(), 1_000);

        for (String file : files()) {
            assertTrue(Files.size(folder.resolve(file)) <= 32_768, file);
        }
        // Without what comes behind it, and before it.
        Path alone = Files.createDirectory(folder.resolve("alone")).resolve("second.bin");
        Files.copy(folder.resolve("capture.2.bin"), alone);
        CaptureException refused = assertThrows(CaptureException.class, () -> Capture.open(alone));
        assertTrue(
                refused.getMessage().contains("the recording goes on in its next segment: expected the file "),
                refused.getMessage());
        Capture capture = Capture.open(alone, OpenOptions.defaults().allowTruncated(true));
        assertTrue(capture.requestCount() > 10);
        assertEquals(Protocol.HTTP1, capture.protocol(0));
        assertEquals("127.0.0.1:1", TestingCaptures.clientAddress(capture, 0));
        boolean[] alreadyOpen = {false};
        TestingCaptures.forEachRecord(capture, record -> {
            alreadyOpen[0] = record.connectionStart().alreadyOpen();
            return false;
        });
        assertTrue(alreadyOpen[0]);

        Capture fromSecond = Capture.open(folder.resolve("capture.2.bin"));
        assertTrue(fromSecond.requestCount() > capture.requestCount());
        assertTrue(fromSecond.info().closedProperly());
    }

    @Test
    void saysWhichSegmentIsMissing() throws Exception {
        Path path = folder.resolve("capture.bin");
        record(path, options().rotateBytes(32_768).build(), 1_000);
        Files.delete(folder.resolve("capture.2.bin"));

        CaptureException refused = assertThrows(CaptureException.class, () -> Capture.open(path));
        assertTrue(
                refused.getMessage().contains("/capture.1.bin at offset ")
                        && refused.getMessage().contains("expected the file capture.2.bin beside it, found none; "),
                refused.getMessage());
        Capture capture = Capture.open(path, OpenOptions.defaults().allowTruncated(true));
        assertEquals(2, capture.info().segments());
        assertFalse(capture.info().closedProperly());
    }

    @Test
    void refusesDamageInASegmentThatAnotherFollows() throws Exception {
        Path path = folder.resolve("capture.bin");
        record(path, options().rotateBytes(32_768).build(), 1_000);
        Path second = folder.resolve("capture.1.bin");
        byte[] contents = Files.readAllBytes(second);
        contents[contents.length / 2] ^= 1;
        Files.write(second, contents);

        assertThrows(CaptureException.class, () -> Capture.open(path));
        assertThrows(
                CaptureException.class,
                () -> Capture.open(path, OpenOptions.defaults().allowTruncated(true)));
    }

    @Test
    void doesNotMixUpWithTheSegmentsOfAnotherCapture() throws Exception {
        Path path = folder.resolve("capture.bin");
        record(path, options().rotateBytes(32_768).build(), 1_000);
        int before = files().size();
        assertTrue(before > 3);

        // Another recording in the same place replaces all segments of the one before.
        record(path, options().overwrite(true).build(), 10);
        assertEquals(List.of("capture.bin"), files());
        assertEquals(20, Capture.open(path).requestCount());

        Files.delete(path);
        Files.writeString(folder.resolve("capture.3.bin"), "mine");
        CaptureException refused = assertThrows(
                CaptureException.class,
                () -> CaptureWriter.create(path, options().rotateBytes(32_768).build()));
        assertTrue(refused.getMessage().contains("capture.3.bin"), refused.getMessage());
    }

    @Test
    void replacesNoOtherCaptureThatStandsWhereItsSegmentsMayCome() throws Exception {
        Path path = folder.resolve("capture.bin");
        Path other = folder.resolve("capture.1.bin");
        record(path, options().build(), 10);
        record(other, options().build(), 20);
        byte[] before = Files.readAllBytes(other);
        CaptureOptions rotating = options().rotateBytes(32_768).overwrite(true).build();

        CaptureException refused = assertThrows(CaptureException.class, () -> CaptureWriter.create(path, rotating));

        assertTrue(refused.getMessage().contains("capture.1.bin: the file stands where"), refused.getMessage());
        assertEquals(20, Capture.open(path).requestCount());
        assertArrayEquals(before, Files.readAllBytes(other));
        Files.delete(path);
        assertThrows(CaptureException.class, () -> CaptureWriter.create(path, rotating));

        // One that comes later is not replaced either; the recording ends there.
        Files.delete(other);
        try (CaptureWriter writer = CaptureWriter.create(path, rotating)) {
            Files.write(other, before);
            int connection = writer.openConnection(1, null, null);
            while (writer.data(connection, 1, WHOLE, ByteBuffer.allocate(1_000))) {
                // until a segment is to begin
            }
        }
        assertArrayEquals(before, Files.readAllBytes(other));
    }

    @Test
    void readsARecordingAsItWasThoughItGoesOnInAnotherSegmentMeanwhile() throws Exception {
        Path path = folder.resolve("capture.bin");
        byte[] opened;
        try (CaptureWriter writer =
                CaptureWriter.create(path, options().rotateBytes(32_768).build())) {
            opened = Files.readAllBytes(path);
            int connection = writer.openConnection(1, null, null);
            for (int i = 0; i < 100; i++) {
                writer.data(connection, 2 + i, WHOLE, bytes("x".repeat(500)));
            }
        }
        byte[] closed = Files.readAllBytes(path);
        byte[] whole = closed.clone();
        System.arraycopy(opened, 0, whole, 0, opened.length);
        for (int length : new int[] {20_000, whole.length}) {
            // As the recorder had it while it was at the first segment: in the middle of a block, or behind the last.
            Files.write(path, Arrays.copyOf(whole, length));
            try (CaptureReader reader = CaptureReader.open(path)) {
                Files.write(path, closed);
                long requests = 0;
                while (reader.next() != null) {
                    requests = reader.info().requests();
                }

                boolean all = length == whole.length;
                assertTrue(all ? requests == 100 : requests > 10 && requests < 40, "requests: " + requests);
                assertEquals(all, reader.info().segments() > 1);
                assertEquals(all, reader.info().closedProperly());
            }
        }
    }

    @Test
    void losesNothingBetweenSegmentsThoughManyThreadsRecord() throws Exception {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(
                path,
                CaptureOptions.builder()
                        .blockBytes(4096)
                        .memoryBytes(64 << 10)
                        .waitForDisk(true)
                        .rotateBytes(64 << 10)
                        .build());
        List<Thread> threads = new ArrayList<>();
        int each = 3_000;
        for (int t = 0; t < 4; t++) {
            int name = t;
            Thread thread = new Thread(() -> {
                int connection = writer.openConnection(System.nanoTime(), null, null);
                for (int i = 0; i < each; i++) {
                    writer.data(connection, System.nanoTime(), RecordFlags.MESSAGE_START, bytes(name + ":"));
                    writer.data(connection, System.nanoTime(), RecordFlags.MESSAGE_END, bytes("request " + i));
                    if (i % 100 == 99) {
                        writer.closeConnection(connection, System.nanoTime(), CloseReason.CLIENT_FIN);
                        connection = writer.openConnection(System.nanoTime(), null, null);
                    }
                }
                writer.closeConnection(connection, System.nanoTime(), CloseReason.CLIENT_FIN);
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        writer.close();

        assertNull(writer.totals().failure());
        assertFalse(writer.totals().lossy());
        assertEquals(4L * each, writer.totals().requests());
        Capture capture = Capture.open(path);
        assertTrue(capture.info().segments() > 3);
        int[] next = new int[4];
        for (String request : requests(capture)) {
            int of = request.charAt(0) - '0';
            assertEquals(of + ":request " + next[of]++, request);
        }
        assertEquals(4L * each, capture.requestCount());
    }

    @Test
    void carriesMoreConnectionsOverThanFitInItsMemory() throws Exception {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(
                path,
                options()
                        .memoryBytes(4 * 4096)
                        .rotateAfter(Duration.ofSeconds(1))
                        .build());
        int count = 3_000;
        for (int i = 0; i < count; i++) {
            assertEquals(i, writer.openConnection(1, address("127.0.0.1", 1 + i), null));
        }
        for (int i = 0; i < count; i++) {
            writer.data(i, 1 + i * (5 * SECOND_NS / count), WHOLE, bytes("request " + i));
        }
        writer.close();

        assertFalse(writer.totals().lossy());
        Capture capture = Capture.open(path);
        assertTrue(capture.info().segments() >= 4, "segments: " + capture.info().segments());
        assertEquals(count, capture.connectionCount());
        for (int i = 0; i < count; i++) {
            assertEquals("request " + i, text(capture, i));
            assertEquals(i, capture.connection(i));
            assertEquals("127.0.0.1:" + (1 + i), TestingCaptures.clientAddress(capture, i));
        }
    }

    @Test
    void goesOnWithoutSegmentsBehindAFullDisk() throws Exception {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(
                folder.resolve("capture.bin"), options().rotateBytes(32_768).build());
        // The third segment cannot be created: something stands in its place.
        Files.createDirectory(folder.resolve("capture.2.bin"));
        int connection = writer.openConnection(1, null, null);
        int taken = 0;
        while (writer.data(connection, 1, WHOLE, ByteBuffer.allocate(1_000))) {
            taken++;
        }
        writer.close();

        assertTrue(
                writer.totals().failure().contains("capture.2.bin"),
                writer.totals().failure());
        Capture capture = Capture.open(path);
        assertEquals(writer.totals().requests(), capture.requestCount());
        assertTrue(capture.requestCount() <= taken);
        assertEquals(2, capture.info().segments());
        assertEquals(writer.totals().failure(), capture.info().endedEarly());
        assertEquals(writer.totals().lostRequests(), capture.info().lostRequests());
    }

    @Test
    void namesSegmentsBeforeTheExtension() {
        assertEquals(Path.of("a/capture.1.bin"), SegmentNames.of(Path.of("a/capture.bin"), 1));
        assertEquals(Path.of("capture.7"), SegmentNames.of(Path.of("capture"), 7));
        assertEquals(Path.of("x.tar.2.bin"), SegmentNames.of(Path.of("x.tar.bin"), 2));
        assertEquals(Path.of("capture.8.bin"), SegmentNames.next(Path.of("capture.7.bin"), 7));
        assertEquals(Path.of("capture.8"), SegmentNames.next(Path.of("capture.7"), 7));
        assertNull(SegmentNames.next(Path.of("other.bin"), 7));
        for (String first : List.of("capture", "capture.1", "capture.2", "capture.10", "x.tar.bin")) {
            for (int segment = 0; segment < 12; segment++) {
                assertEquals(
                        SegmentNames.of(Path.of(first), segment + 1),
                        SegmentNames.next(SegmentNames.of(Path.of(first), segment), segment));
            }
        }
        assertTrue(SegmentNames.isLater(Path.of("capture.bin"), "capture.12.bin"));
        assertFalse(SegmentNames.isLater(Path.of("capture.bin"), "capture.bin"));
        assertFalse(SegmentNames.isLater(Path.of("capture.bin"), "capture.x.bin"));
        assertFalse(SegmentNames.isLater(Path.of("capture.bin"), "capture.01.bin"));
    }
}
