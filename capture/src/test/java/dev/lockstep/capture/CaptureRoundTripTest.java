package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.START_NS;
import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.bytes;
import static dev.lockstep.capture.TestingCaptures.request;
import static dev.lockstep.capture.TestingCaptures.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.format.CaptureFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CaptureRoundTripTest {
    @TempDir
    Path folder;

    /** A connection as the model has it. */
    private static final class ModelConnection {
        final int id;
        final ByteArrayOutputStream wire = new ByteArrayOutputStream();
        ModelRequest inProgress;
        int requests;
        long lastNs;
        long halfClosedNs = -1;
        boolean hasHole;
        final ByteArrayOutputStream aroundHoles = new ByteArrayOutputStream();
        final Set<Integer> unanswered = new HashSet<>();
        final Map<Integer, Integer> answers = new HashMap<>();
        Protocol protocol = Protocol.UNKNOWN;
        CloseReason reason = CloseReason.RECORDING_ENDED;

        ModelConnection(int id) {
            this.id = id;
        }

        /** Bytes that belong to no complete request. */
        void outside(byte[] data) {
            if (hasHole) {
                aroundHoles.writeBytes(data);
            }
        }

        /** The request in progress stays incomplete. */
        void giveUp() {
            if (inProgress != null) {
                outside(inProgress.bytes.toByteArray());
                inProgress = null;
            }
        }
    }

    /** A request as the model has it. */
    private static final class ModelRequest {
        final int connection;
        final long timeNs;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int indexInConnection;
        final boolean pipelined;
        boolean complete;

        ModelRequest(int connection, long timeNs, boolean pipelined) {
            this.connection = connection;
            this.timeNs = timeNs;
            this.pipelined = pipelined;
        }
    }

    @Test
    void givesBackWhatAnyMixOfConnectionsWrote() throws Exception {
        long seed = System.nanoTime();
        for (int round = 0; round < 25; round++) {
            roundTrip(new Random(seed + round), "seed " + seed + " round " + round);
        }
    }

    private void roundTrip(Random random, String where) throws Exception {
        TestingOutput output = new TestingOutput();
        int blockBytes = 4096 << random.nextInt(3);
        CaptureOptions options = CaptureOptions.builder()
                .blockBytes(blockBytes)
                .memoryBytes(64 << 20)
                .build();
        AtomicLong clock = new AtomicLong(START_NS);
        CaptureWriter writer = TestingCaptures.writer(output, options, clock, 1 + random.nextInt(9));
        List<ModelConnection> all = new ArrayList<>();
        List<ModelConnection> open = new ArrayList<>();
        List<ModelRequest> begun = new ArrayList<>();
        long opaqueBytes = 0;
        long nowNs = 0;
        for (int step = random.nextInt(800); step >= 0; step--) {
            nowNs += random.nextInt(20) == 0 ? random.nextInt(2_000_000_000) : random.nextInt(1000);
            clock.set(START_NS + nowNs);
            int action = open.isEmpty() ? 0 : random.nextInt(20);
            if (action == 0) {
                ModelConnection opened = new ModelConnection(writer.openConnection(START_NS + nowNs, null, null));
                opened.lastNs = nowNs;
                assertEquals(all.size(), opened.id, where);
                all.add(opened);
                open.add(opened);
                continue;
            }
            ModelConnection connection = open.get(random.nextInt(open.size()));
            connection.lastNs = nowNs;
            if (action == 1) {
                connection.reason = CloseReason.values()[random.nextInt(CloseReason.values().length)];
                writer.closeConnection(connection.id, START_NS + nowNs, connection.reason);
                open.remove(connection);
            } else if (action == 2) {
                connection.protocol = Protocol.values()[random.nextInt(Protocol.values().length)];
                writer.protocol(connection.id, START_NS + nowNs, connection.protocol);
            } else if (action == 3) {
                writer.halfClose(connection.id, START_NS + nowNs);
                connection.halfClosedNs = nowNs;
            } else if (action == 4 && random.nextInt(8) == 0) {
                writer.gap(connection.id, START_NS + nowNs, 7);
                tear(connection);
            } else if (action == 5) {
                int request = random.nextInt(connection.requests + 3);
                if (random.nextBoolean()) {
                    writer.noAnswer(connection.id, START_NS + nowNs, request);
                    connection.unanswered.add(request);
                } else if (!connection.answers.containsKey(request)) {
                    int status = 1 + random.nextInt(RecordedStatus.MAX);
                    writer.answer(connection.id, START_NS + nowNs, request, status);
                    connection.answers.put(request, status);
                }
            } else {
                byte[] data = new byte[random.nextInt(random.nextInt(12) == 0 ? 30_000 : 300)];
                random.nextBytes(data);
                int flags = random.nextInt(random.nextInt(8) == 0 ? 8 : 4)
                        | (random.nextInt(60) == 0 ? RecordFlags.TRUNCATED : 0)
                        | (random.nextInt(3) == 0 ? RecordFlags.PIPELINED : 0);
                opaqueBytes += model(connection, begun, nowNs, flags, data);
                assertTrue(writer.data(connection.id, START_NS + nowNs, flags, ByteBuffer.wrap(data)), where);
            }
        }
        writer.close();
        for (ModelConnection connection : all) {
            connection.giveUp();
        }
        for (ModelConnection connection : open) {
            connection.lastNs = nowNs;
        }

        Path path = Files.write(folder.resolve("capture.bin"), output.contents());
        int shift = 13 + random.nextInt(4);
        Capture capture = random.nextBoolean()
                ? Capture.open(path)
                : Capture.open(
                        path,
                        OpenOptions.defaults(),
                        shift,
                        Math.max(blockBytes, CaptureFormat.BLOCK_HEADER_BYTES + 4096),
                        random.nextInt(3) * (long) FlatMemory.CHUNK_BYTES);
        check(capture, all, begun, opaqueBytes, where);
        assertEquals(capture.requestCount(), writer.totals().requests(), where);
    }

    /** Does to the model what the writer is about to do to the file; returns the opaque bytes. */
    private static long model(
            ModelConnection connection, List<ModelRequest> begun, long nowNs, int flags, byte[] data) {
        connection.wire.writeBytes(data);
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            connection.giveUp();
            connection.inProgress = new ModelRequest(connection.id, nowNs, (flags & RecordFlags.PIPELINED) != 0);
            begun.add(connection.inProgress);
        }
        ModelRequest request = connection.inProgress;
        if (request == null) {
            connection.outside(data);
            if ((flags & RecordFlags.TRUNCATED) != 0) {
                connection.hasHole = true;
            }
            return data.length;
        }
        request.bytes.writeBytes(data);
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            tear(connection);
        } else if ((flags & RecordFlags.MESSAGE_END) != 0) {
            request.complete = true;
            request.indexInConnection = connection.requests++;
            connection.inProgress = null;
        }
        return 0;
    }

    private static void tear(ModelConnection connection) {
        connection.hasHole = true;
        connection.giveUp();
    }

    private static void check(
            Capture capture,
            List<ModelConnection> connections,
            List<ModelRequest> begun,
            long opaqueBytes,
            String where)
            throws Exception {
        MessageDigest stream = MessageDigest.getInstance("SHA-256");
        long count = 0;
        long requestBytes = 0;
        for (ModelRequest expected : begun) {
            if (expected.complete) {
                assertEquals(expected.timeNs, capture.timeNs(count), where);
                assertEquals(expected.connection, capture.connection(count), where);
                assertEquals(expected.pipelined, capture.isPipelined(count), where);
                assertEquals(
                        !connections.get(expected.connection).unanswered.contains(expected.indexInConnection),
                        capture.getsAnswer(count),
                        where);
                assertEquals(
                        connections.get(expected.connection).answers.getOrDefault(expected.indexInConnection, 0),
                        capture.recordedStatus(count),
                        where);
                assertEquals(expected.indexInConnection, capture.indexInConnection(count), where);
                assertEquals(expected.bytes.size(), capture.requestLength(count), where);
                assertArrayEquals(expected.bytes.toByteArray(), request(capture, count), where);
                stream.update(expected.bytes.toByteArray());
                requestBytes += expected.bytes.size();
                count++;
            }
        }
        assertEquals(count, capture.requestCount(), where);
        assertEquals(requestBytes, capture.requestBytes(), where);
        assertEquals(hex(stream.digest()), capture.streamSha256(), where);
        assertEquals(hex(sha256(capture.path())), capture.sha256(), where);
        assertEquals(begun.size() - count, capture.info().incompleteRequests(), where);
        assertEquals(opaqueBytes, capture.info().opaqueBytes(), where);
        assertEquals(connections.size(), capture.connectionCount(), where);

        List<ByteArrayOutputStream> wires = new ArrayList<>();
        TestingCaptures.forEachRecord(capture, record -> {
            if (record.type() == RecordType.CONN_OPEN) {
                wires.add(new ByteArrayOutputStream());
            } else if (record.type() == RecordType.DATA_C2S) {
                byte[] payload = new byte[record.payload().remaining()];
                record.payload().get(payload);
                wires.get(record.connection()).writeBytes(payload);
            }
            return true;
        });
        List<ByteArrayOutputStream> around = new ArrayList<>();
        List<ByteArrayOutputStream> rebuilt = rebuild(capture, around, where);
        for (ModelConnection expected : connections) {
            assertArrayEquals(
                    expected.wire.toByteArray(), rebuilt.get(expected.id).toByteArray(), where);
            assertArrayEquals(
                    expected.aroundHoles.toByteArray(), around.get(expected.id).toByteArray(), where);
            assertEquals(expected.halfClosedNs, capture.halfClosedNs(expected.id), where);
            assertArrayEquals(
                    expected.wire.toByteArray(), wires.get(expected.id).toByteArray(), where);
            assertEquals(expected.requests, capture.requestCount(expected.id), where);
            assertEquals(expected.reason, capture.closeReason(expected.id), where);
            assertEquals(expected.protocol, capture.protocol(expected.id), where);
            assertEquals(expected.lastNs, capture.closedNs(expected.id), where);
        }
    }

    /** Returns the bytes of each connection, put together from requests and what lies between them. */
    private static List<ByteArrayOutputStream> rebuild(
            Capture capture, List<ByteArrayOutputStream> around, String where) {
        List<ByteArrayOutputStream> wires = new ArrayList<>();
        List<Integer> requestsBefore = new ArrayList<>();
        long[] opaqueBytes = new long[capture.connectionCount()];
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            wires.add(new ByteArrayOutputStream());
            around.add(new ByteArrayOutputStream());
            requestsBefore.add(0);
        }
        OpaquePieces opaque = capture.opaque();
        long[] nextOf = new long[capture.connectionCount()];
        for (long piece = 0; piece < opaque.count(); piece++) {
            assertTrue(piece == 0 || opaque.timeNs(piece) >= opaque.timeNs(piece - 1), where);
            int connection = opaque.connection(piece);
            // Requests that come before this piece on its connection, in order.
            while (requestsBefore.get(connection) < opaque.requestsBefore(piece)) {
                long request = next(capture, connection, nextOf);
                assertTrue(capture.timeNs(request) <= opaque.timeNs(piece), where);
                wires.get(connection).writeBytes(request(capture, request));
                requestsBefore.set(connection, requestsBefore.get(connection) + 1);
            }
            ByteBuffer view = capture.mapping(opaque.mapping(piece));
            byte[] bytes = new byte[opaque.length(piece)];
            view.position(opaque.offset(piece));
            view.get(bytes);
            wires.get(connection).writeBytes(bytes);
            if (opaque.isByHole(piece)) {
                around.get(connection).writeBytes(bytes);
            } else {
                opaqueBytes[connection] += bytes.length;
            }
        }
        long bytes = 0;
        long bytesByHoles = 0;
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            for (int left = requestsBefore.get(connection); left < capture.requestCount(connection); left++) {
                wires.get(connection).writeBytes(request(capture, next(capture, connection, nextOf)));
            }
            assertEquals(opaqueBytes[connection], capture.opaqueBytes(connection), where);
            bytes += opaqueBytes[connection] + around.get(connection).size();
            bytesByHoles += around.get(connection).size();
        }
        assertEquals(bytes, opaque.bytes(), where);
        assertEquals(bytesByHoles, opaque.bytesByHoles(), where);
        return wires;
    }

    /** Returns the next request of a connection; {@code nextOf} holds where to look from. */
    private static long next(Capture capture, int connection, long[] nextOf) {
        long request = nextOf[connection];
        while (capture.connection(request) != connection) {
            request++;
        }
        nextOf[connection] = request + 1;
        return request;
    }

    private static byte[] sha256(Path path) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(path));
    }

    private static String hex(byte[] bytes) {
        StringBuilder hex = new StringBuilder();
        for (byte b : bytes) {
            hex.append(String.format("%02x", b));
        }
        return hex.toString();
    }

    @Test
    void readsPiecesInAnyMappingWithoutCopyingThem() throws Exception {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(
                path, CaptureOptions.builder().blockBytes(4096).build());
        int connection = writer.openConnection(System.nanoTime(), null, null);
        for (int i = 0; i < 2_000; i++) {
            writer.data(connection, System.nanoTime(), WHOLE, bytes("request " + i));
        }
        writer.close();

        Capture capture = Capture.open(path, OpenOptions.defaults(), 12, 4096 + 64, Long.MAX_VALUE);
        assertEquals((Files.size(path) + 4095) / 4096, capture.mappingCount());
        for (int i = 0; i < 2_000; i++) {
            assertEquals("request " + i, text(capture, i));
            ByteBuffer mapping = capture.mapping(capture.mapping(i, 0));
            assertTrue(mapping.isDirect());
            assertTrue(mapping.isReadOnly());
            assertTrue(capture.offset(i, 0) < 4096);
        }
        assertTrue(capture.mapping(1_999, 0) > 10);
    }

    @Test
    void putsALargeIndexIntoATemporaryFileAndLeavesNoneBehind() throws Exception {
        List<Path> before = indexesInTemporaryFolder();
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults());
        int requests = 20_000;
        for (int i = 0; i < requests; i++) {
            int connection = writer.openConnection(System.nanoTime(), null, null);
            writer.data(connection, System.nanoTime(), RecordFlags.MESSAGE_START, bytes("request "));
            writer.data(connection, System.nanoTime(), RecordFlags.MESSAGE_END, bytes("" + i));
            writer.closeConnection(connection, System.nanoTime(), CloseReason.CLIENT_FIN);
        }
        writer.close();

        Capture capture = Capture.open(path, OpenOptions.defaults(), Capture.MAPPING_SHIFT, Capture.MAPPING_OVERLAP, 0);
        assertEquals(requests, capture.requestCount());
        assertEquals(requests, capture.connectionCount());
        for (int i = 0; i < requests; i++) {
            assertEquals("request " + i, text(capture, i));
            assertEquals(i, capture.connection(i));
        }
        for (Path file : indexesInTemporaryFolder()) {
            // Another process may be between creating and deleting its own; one that was killed there left it for ever.
            TestingCaptures.await(() -> before.contains(file) || Files.notExists(file));
        }
    }

    private static List<Path> indexesInTemporaryFolder() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found =
                Files.newDirectoryStream(Path.of(System.getProperty("java.io.tmpdir")), "lockstep-index*")) {
            found.forEach(files::add);
        }
        return files;
    }

    @Test
    void readsAFileWithNothingInIt() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter.create(path, CaptureOptions.defaults()).close();

        try (Capture capture = Capture.open(path)) {
            assertEquals(0, capture.requestCount());
            assertEquals(0, capture.connectionCount());
            assertEquals(0, capture.durationNs());
            assertEquals(0, capture.requestBytes());
            assertEquals("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", capture.streamSha256());
            assertTrue(capture.info().closedProperly());
        }
    }

    @Test
    void namesWhatIsOutOfRange() {
        Path path = folder.resolve("capture.bin");
        CaptureWriter writer = CaptureWriter.create(path, CaptureOptions.defaults());
        int connection = writer.openConnection(System.nanoTime(), null, null);
        writer.data(connection, System.nanoTime(), WHOLE, bytes("x"));
        writer.close();
        Capture capture = Capture.open(path);

        assertEquals(
                "request 1 of 1",
                assertThrows(IndexOutOfBoundsException.class, () -> capture.timeNs(1))
                        .getMessage());
        assertEquals(
                "connection -1 of 1",
                assertThrows(IndexOutOfBoundsException.class, () -> capture.protocol(-1))
                        .getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> capture.offset(0, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> capture.fragmentLength(0, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> capture.mapping(1));
        assertEquals(
                "opaque piece 0 of 0",
                assertThrows(IndexOutOfBoundsException.class, () -> capture.opaque()
                                .timeNs(0))
                        .getMessage());
    }
}
