package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.START_NS;
import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.address;
import static dev.lockstep.capture.TestingCaptures.await;
import static dev.lockstep.capture.TestingCaptures.bytes;
import static dev.lockstep.capture.TestingCaptures.request;
import static dev.lockstep.capture.TestingCaptures.smallBlocks;
import static dev.lockstep.capture.TestingCaptures.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.format.CaptureFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CaptureWriterTest {
    @TempDir
    Path folder;

    @Test
    void writesWhatTheReaderGivesBack() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(
                path,
                CaptureOptions.builder()
                        .toolVersion("0.1.0")
                        .listen("127.0.0.1:8080")
                        .upstream("127.0.0.1:9090")
                        .build());
        long startNs = System.nanoTime();
        int first = writer.openConnection(startNs, address("127.0.0.1", 40000), address("127.0.0.1", 8080));
        int second = writer.openConnection(startNs + 1000, address("::1", 40001), null);
        writer.protocol(first, startNs + 1500, Protocol.HTTP1);
        assertTrue(writer.data(first, startNs + 2000, WHOLE, bytes("GET /a")));
        assertTrue(writer.data(second, startNs + 3000, RecordFlags.MESSAGE_START, bytes("POST ")));
        assertTrue(writer.data(first, startNs + 4000, WHOLE, bytes("GET /bb")));
        assertTrue(writer.data(second, startNs + 5000, RecordFlags.MESSAGE_END, bytes("/c")));
        writer.halfClose(first, startNs + 6000);
        writer.closeConnection(first, startNs + 7000, CloseReason.CLIENT_FIN);
        writer.close();

        Capture capture = Capture.open(path);
        assertEquals(2, capture.connectionCount());
        assertEquals(3, capture.requestCount());
        assertEquals(20, capture.requestBytes());
        assertEquals(2000, capture.durationNs());
        assertEquals("GET /a", text(capture, 0));
        assertEquals("POST /c", text(capture, 1));
        assertEquals("GET /bb", text(capture, 2));
        assertEquals(List.of(0, 1, 0), connections(capture));
        assertEquals(1000, capture.timeNs(1) - capture.timeNs(0));
        assertEquals(0, capture.indexInConnection(0));
        assertEquals(0, capture.indexInConnection(1));
        assertEquals(1, capture.indexInConnection(2));
        assertEquals(1, capture.fragments(0));
        assertEquals(2, capture.fragments(1));
        assertEquals(5, capture.fragmentLength(1, 0));
        assertEquals(2, capture.fragmentLength(1, 1));
        assertEquals(2, capture.requestCount(first));
        assertEquals(Protocol.HTTP1, capture.protocol(first));
        assertEquals(Protocol.UNKNOWN, capture.protocol(second));
        assertEquals("127.0.0.1:40000", TestingCaptures.clientAddress(capture, first));
        assertEquals("127.0.0.1:8080", TestingCaptures.serverAddress(capture, first));
        assertEquals("[0:0:0:0:0:0:0:1]:40001", TestingCaptures.clientAddress(capture, second));
        assertEquals("unknown", TestingCaptures.serverAddress(capture, second));
        assertEquals(CloseReason.CLIENT_FIN, capture.closeReason(first));
        assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(second));
        assertEquals(7000, capture.closedNs(first) - capture.openedNs(first));
        CaptureInfo info = capture.info();
        assertTrue(info.closedProperly());
        assertNull(info.endedEarly());
        assertEquals("0.1.0", info.toolVersion());
        assertEquals("127.0.0.1:8080", info.listen());
        assertEquals("127.0.0.1:9090", info.upstream());
        assertEquals("1.0", info.formatVersion());
        assertEquals(20, info.dataBytes());
        assertFalse(writer.totals().lossy());
    }

    private static List<Integer> connections(Capture capture) {
        List<Integer> connections = new ArrayList<>();
        for (long request = 0; request < capture.requestCount(); request++) {
            connections.add(capture.connection(request));
        }
        return connections;
    }

    @Test
    void createsFilesThatOnlyTheirOwnerMayRead() throws Exception {
        Path path = folder.resolve("capture.bin");
        try (CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults())) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            assertEquals(0, writer.totals().connections());
        }
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
    }

    @Test
    void refusesAnExistingFileUnlessToldToOverwriteIt() throws Exception {
        Path path = Files.writeString(folder.resolve("capture.bin"), "precious");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));

        CaptureException refused =
                assertThrows(CaptureException.class, () -> CaptureWriter.create(path, CaptureOptions.defaults()));
        assertEquals(path + ": the file exists; give another path, or --force to replace it", refused.getMessage());
        assertEquals("precious", Files.readString(path));

        CaptureWriter.create(path, CaptureOptions.builder().overwrite(true).build())
                .close();
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        assertEquals(0, Capture.open(path).requestCount());
    }

    @Test
    void doesNotOfferToReplaceAFileThatIsBeingRecorded() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter recording = CaptureWriter.create(path, CaptureOptions.defaults());

        CaptureException refused =
                assertThrows(CaptureException.class, () -> CaptureWriter.create(path, CaptureOptions.defaults()));
        assertEquals(
                path + ": is being recorded; stop that recorder before replacing the file, or give another path",
                refused.getMessage());
        recording.close();
    }

    @Test
    void overwritesTheFileBehindALinkAndKeepsTheLink() throws Exception {
        Path target = Files.writeString(folder.resolve("target.bin"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link.bin"), target);

        CaptureWriter.create(link, CaptureOptions.builder().overwrite(true).build())
                .close();

        assertTrue(Files.isSymbolicLink(link));
        assertEquals(0, Capture.open(target).requestCount());
    }

    @Test
    void overwritesNothingButRegularFiles() {
        CaptureOptions overwrite = CaptureOptions.builder().overwrite(true).build();

        CaptureException refused = assertThrows(CaptureException.class, () -> CaptureWriter.create(folder, overwrite));
        assertEquals(folder + ": exists and is not a regular file; give another path", refused.getMessage());
        Path device = Path.of("/dev/null");
        assertThrows(CaptureException.class, () -> CaptureWriter.create(device, overwrite));
        assertTrue(Files.exists(device));
    }

    @Test
    void saysThatTheDirectoryIsMissing() {
        Path path = folder.resolve("missing/capture.bin");

        CaptureException refused =
                assertThrows(CaptureException.class, () -> CaptureWriter.create(path, CaptureOptions.defaults()));
        assertEquals(path + ": cannot be created: its directory does not exist", refused.getMessage());
    }

    @Test
    void consumesTheBytesItIsGivenFromAnyKindOfBuffer() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults());
        int connection = writer.openConnection(System.nanoTime(), null, null);
        ByteBuffer direct = ByteBuffer.allocateDirect(10);
        direct.put("0123456789".getBytes(StandardCharsets.US_ASCII)).position(2).limit(5);
        ByteBuffer readOnly = bytes("abcdef").asReadOnlyBuffer();
        readOnly.position(3);

        assertTrue(writer.data(connection, System.nanoTime(), WHOLE, direct));
        assertTrue(writer.data(connection, System.nanoTime(), WHOLE, readOnly));
        writer.close();

        assertFalse(direct.hasRemaining());
        assertFalse(readOnly.hasRemaining());
        Capture capture = Capture.open(path);
        assertEquals("234", text(capture, 0));
        assertEquals("def", text(capture, 1));
    }

    @Test
    void refusesFlagsItDoesNotKnow() {
        try (CaptureWriter writer = CaptureWriter.create(folder.resolve("capture.bin"), CaptureOptions.defaults())) {
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class, () -> writer.data(0, System.nanoTime(), 0x20, bytes("x")));
            assertEquals("flags must be of RecordFlags, found 0x20", refused.getMessage());
        }
    }

    @Test
    void splitsWhatIsLongerThanABlock() {
        Path path = folder.resolve("capture.bin");
        byte[] upload = new byte[1_000_000];
        new Random(7).nextBytes(upload);
        CaptureWriter writer = CaptureWriter.create(
                path,
                CaptureOptions.builder().blockBytes(4096).memoryBytes(4 << 20).build());
        int connection = writer.openConnection(System.nanoTime(), null, null);
        assertTrue(writer.data(connection, System.nanoTime(), WHOLE, ByteBuffer.wrap(upload)));
        assertTrue(writer.data(connection, System.nanoTime(), WHOLE, bytes("next")));
        writer.close();

        Capture capture = Capture.open(path);
        assertEquals(2, capture.requestCount());
        assertEquals(upload.length, capture.requestLength(0));
        assertTrue(capture.fragments(0) > 200, "in as many pieces as blocks: " + capture.fragments(0));
        assertArrayEquals(upload, request(capture, 0));
        assertEquals("next", text(capture, 1));
        assertEquals(1, capture.indexInConnection(1));
    }

    @Test
    void takesAMessageLongerThanTheLongestRecord() {
        Path path = folder.resolve("capture.bin");
        byte[] upload = new byte[(40 << 20) + 12345];
        new Random(8).nextBytes(upload);
        CaptureWriter writer = CaptureWriter.create(
                path,
                CaptureOptions.builder()
                        .blockBytes(16 << 20)
                        .memoryBytes(64 << 20)
                        .build());
        int connection = writer.openConnection(System.nanoTime(), null, null);
        assertTrue(writer.data(connection, System.nanoTime(), WHOLE, ByteBuffer.wrap(upload)));
        writer.close();

        Capture capture = Capture.open(path);
        assertEquals(3, capture.fragments(0));
        assertArrayEquals(upload, request(capture, 0));
    }

    @Test
    void recordsFromManyThreadsAtOnce() throws Exception {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(
                path, CaptureOptions.builder().blockBytes(16 << 10).build());
        int threads = 4;
        int perThread = 5_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Integer>> ids = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            ids.add(pool.submit(() -> {
                int connection = writer.openConnection(System.nanoTime(), null, null);
                for (int i = 0; i < perThread; i++) {
                    String message = connection + "/" + i + ";";
                    ByteBuffer whole = bytes(message);
                    if (i % 3 == 0) {
                        whole.limit(2);
                        writer.data(connection, System.nanoTime(), RecordFlags.MESSAGE_START, whole);
                        whole.limit(message.length());
                        writer.data(connection, System.nanoTime(), RecordFlags.MESSAGE_END, whole);
                    } else {
                        writer.data(connection, System.nanoTime(), WHOLE, whole);
                    }
                }
                writer.closeConnection(connection, System.nanoTime(), CloseReason.CLIENT_FIN);
                return connection;
            }));
        }
        for (Future<Integer> id : ids) {
            id.get();
        }
        pool.shutdown();
        writer.close();

        assertFalse(writer.totals().lossy());
        assertEquals((long) threads * perThread, writer.totals().requests());
        Capture capture = Capture.open(path);
        assertEquals((long) threads * perThread, capture.requestCount());
        int[] next = new int[threads];
        long lastNs = 0;
        for (long request = 0; request < capture.requestCount(); request++) {
            int connection = capture.connection(request);
            assertEquals(next[connection], capture.indexInConnection(request));
            assertEquals(connection + "/" + next[connection]++ + ";", text(capture, request));
            assertTrue(capture.timeNs(request) >= lastNs);
            lastNs = capture.timeNs(request);
        }
    }

    @Test
    void writesAPartlyFilledBlockOnceItsTimeHasCome() throws Exception {
        AtomicLong clock = new AtomicLong(START_NS);
        TestingOutput output = new TestingOutput();
        CaptureWriter writer = TestingCaptures.writer(
                output, smallBlocks().flushInterval(Duration.ofMillis(5)).build(), clock);
        int connection = writer.openConnection(START_NS, null, null);
        writer.data(connection, START_NS, WHOLE, bytes("waits"));

        clock.addAndGet(4_999_999);
        assertEquals(CaptureFormat.HEADER_BYTES, output.contents().length);
        clock.addAndGet(1);
        await(() -> output.contents().length > CaptureFormat.HEADER_BYTES);

        Path path = Files.write(folder.resolve("killed.bin"), output.contents());
        Capture capture = Capture.open(path);
        assertEquals("waits", text(capture, 0));
        assertFalse(capture.info().closedProperly());
        assertEquals(0, capture.info().cutBytes());
        assertEquals(CloseReason.UNKNOWN, capture.closeReason(0));
        writer.close();
    }

    @Test
    void recordsTimesThatNeverDecrease() throws Exception {
        TestingOutput output = new TestingOutput();
        CaptureWriter writer = TestingCaptures.writer(output, smallBlocks().build(), new AtomicLong(START_NS));
        int connection = writer.openConnection(START_NS - 5, null, null);
        writer.data(connection, START_NS + 100, WHOLE, bytes("a"));
        writer.data(connection, START_NS + 40, WHOLE, bytes("b"));
        writer.data(connection, START_NS + 200, WHOLE, bytes("c"));
        writer.close();

        Capture capture = Capture.open(Files.write(folder.resolve("capture.bin"), output.contents()));
        assertEquals(0, capture.openedNs(0));
        assertEquals(100, capture.timeNs(0));
        assertEquals(100, capture.timeNs(1));
        assertEquals(200, capture.timeNs(2));
        assertEquals(100, capture.durationNs());
    }

    @Test
    void keepsTimesOverPausesOfHours() throws Exception {
        TestingOutput output = new TestingOutput();
        CaptureWriter writer = TestingCaptures.writer(
                output, smallBlocks().memoryBytes(1 << 20).build(), new AtomicLong(START_NS));
        long hoursNs = Duration.ofHours(50).toNanos();
        int connection = writer.openConnection(START_NS, null, null);
        writer.data(connection, START_NS, WHOLE, bytes("a"));
        writer.data(connection, START_NS + hoursNs, WHOLE, bytes("b"));
        writer.data(connection, START_NS + 2 * hoursNs + 1, WHOLE, bytes("c"));
        writer.close();

        Capture capture = Capture.open(Files.write(folder.resolve("capture.bin"), output.contents()));
        assertEquals(hoursNs, capture.timeNs(1));
        assertEquals(2 * hoursNs + 1, capture.timeNs(2));
    }

    @Test
    void keepsConnectionsApartHoweverManyThereAre() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults());
        for (int i = 0; i < 10_000; i++) {
            int connection = writer.openConnection(System.nanoTime(), null, null);
            assertEquals(i, connection);
            writer.data(connection, System.nanoTime(), WHOLE, bytes("request " + i));
            if (i % 10 != 0) {
                writer.closeConnection(connection, System.nanoTime(), CloseReason.SERVER_FIN);
            }
        }
        writer.close();

        Capture capture = Capture.open(path);
        assertEquals(10_000, capture.connectionCount());
        assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(9_990));
        assertEquals(CloseReason.SERVER_FIN, capture.closeReason(9_991));
        assertEquals("request 9991", text(capture, 9_991));
    }

    @Test
    void ignoresWhatComesAfterClose() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults());
        int connection = writer.openConnection(System.nanoTime(), null, null);
        writer.close();
        writer.close();

        ByteBuffer late = bytes("late");
        assertFalse(writer.data(connection, System.nanoTime(), WHOLE, late));
        assertFalse(late.hasRemaining());
        assertEquals(-1, writer.openConnection(System.nanoTime(), null, null));
        writer.protocol(connection, System.nanoTime(), Protocol.HTTP1);
        writer.halfClose(connection, System.nanoTime());
        writer.gap(connection, System.nanoTime(), 1);
        writer.closeConnection(connection, System.nanoTime(), CloseReason.CLIENT_FIN);
        assertFalse(writer.totals().lossy());
        assertEquals(CloseReason.RECORDING_ENDED, Capture.open(path).closeReason(0));
    }

    @Test
    void closesProperlyForACallerThatIsInterrupted() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults());
        writer.data(writer.openConnection(System.nanoTime(), null, null), System.nanoTime(), WHOLE, bytes("a"));

        Thread.currentThread().interrupt();
        writer.close();

        assertTrue(Thread.interrupted());
        assertTrue(Capture.open(path).info().closedProperly());
    }

    @Test
    void needsLessThan24BytesOfOverheadPerRequest() throws Exception {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults());
        int connection = writer.openConnection(System.nanoTime(), null, null);
        ByteBuffer request = ByteBuffer.allocate(300);
        int requests = 10_000;
        for (int i = 0; i < requests; i++) {
            writer.data(connection, System.nanoTime(), WHOLE, request.clear());
        }
        writer.close();

        long overhead = Files.size(path) - CaptureFormat.HEADER_BYTES - requests * 300L;
        assertTrue(overhead < 24L * requests, overhead + " bytes for " + requests + " requests");
    }
}
