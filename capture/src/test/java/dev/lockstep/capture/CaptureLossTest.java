package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.START_NS;
import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.await;
import static dev.lockstep.capture.TestingCaptures.bytes;
import static dev.lockstep.capture.TestingCaptures.smallBlocks;
import static dev.lockstep.capture.TestingCaptures.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.capture.files.CaptureOutput;
import dev.lockstep.capture.files.SegmentOutputs;
import dev.lockstep.capture.format.CaptureFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens when the disk is slow, full or broken. */
final class CaptureLossTest {
    @TempDir
    Path folder;

    private final TestingOutput output = new TestingOutput();

    private CaptureWriter writer(CaptureOptions options) throws IOException {
        return TestingCaptures.writer(output, options, new AtomicLong(START_NS));
    }

    private Capture reopen() throws IOException {
        return Capture.open(Files.write(folder.resolve("capture.bin"), output.contents()));
    }

    /** Returns all losses that the records of a capture tell of: connections, requests, bytes. */
    private static long[] dropped(Capture capture) {
        long[] dropped = new long[3];
        TestingCaptures.forEachRecord(capture, record -> {
            if (record.type() == RecordType.DROPPED) {
                for (int i = 0; i < dropped.length; i++) {
                    dropped[i] += record.payload().getLong();
                }
            }
            return true;
        });
        return dropped;
    }

    @Test
    void neverWaitsForASlowDiskAndCountsWhatItLosesExactly() throws Exception {
        CaptureWriter writer = writer(smallBlocks().build());
        int fast = writer.openConnection(START_NS, null, null);
        int other = writer.openConnection(START_NS, null, null);
        output.stall();
        ByteBuffer request = ByteBuffer.allocate(1000);
        long taken = 0;
        while (writer.data(fast, START_NS, WHOLE, request.clear())) {
            taken++;
        }
        // Two blocks of 4 KiB with room for three such requests each: this is all the memory it may use.
        assertEquals(6, taken);

        // From here on the connection is lost as a whole, though the disk goes on.
        assertFalse(writer.data(fast, START_NS, RecordFlags.MESSAGE_START, bytes("12345")));
        assertFalse(writer.data(fast, START_NS, RecordFlags.MESSAGE_END, bytes("67")));
        assertEquals(-1, writer.openConnection(START_NS, null, null));
        assertFalse(writer.data(-1, START_NS, WHOLE, bytes("89")));
        output.awaitStalled();
        output.goOn();
        await(() -> writer.openConnection(START_NS, null, null) >= 0);
        assertFalse(writer.data(fast, START_NS, WHOLE, bytes("0")));
        assertTrue(writer.data(other, START_NS, WHOLE, bytes("kept")));
        writer.closeConnection(fast, START_NS, CloseReason.CLIENT_FIN);
        CaptureTotals totals = writer.totals();
        writer.close();

        assertEquals(7, totals.requests());
        assertEquals(6004, totals.bytes());
        assertEquals(4, totals.lostRequests());
        assertEquals(1010, totals.lostBytes());
        assertTrue(totals.lostConnections() >= 2, "the lost one, that without room, and those awaited");
        assertNull(totals.failure());
        Capture capture = reopen();
        assertEquals(7, capture.requestCount());
        assertEquals("kept", text(capture, 6));
        assertEquals(6, capture.requestCount(fast));
        assertEquals(CloseReason.RECORDING_LOST, capture.closeReason(fast));
        assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(other));
        assertEquals(totals.lostConnections(), capture.info().lostConnections());
        assertEquals(4, capture.info().lostRequests());
        assertEquals(1010, capture.info().lostBytes());
        assertTrue(capture.info().closedProperly());
        assertEquals(List.of(totals.lostConnections(), 4L, 1010L), boxed(dropped(capture)));
    }

    private static List<Long> boxed(long[] values) {
        List<Long> list = new ArrayList<>();
        for (long value : values) {
            list.add(value);
        }
        return list;
    }

    @Test
    void losesTheRestOfAMessageThatIsLongerThanItsMemory() throws Exception {
        CaptureWriter writer = writer(smallBlocks().build());
        int connection = writer.openConnection(START_NS, null, null);
        output.stall();
        assertFalse(writer.data(connection, START_NS, WHOLE, ByteBuffer.allocate(20_000)));
        output.goOn();
        writer.close();

        CaptureTotals totals = writer.totals();
        assertEquals(0, totals.requests());
        assertEquals(1, totals.lostRequests());
        assertEquals(20_000, totals.bytes() + totals.lostBytes());
        assertTrue(totals.bytes() > 0);
        Capture capture = reopen();
        assertEquals(0, capture.requestCount());
        assertEquals(1, capture.info().incompleteRequests());
        assertEquals(totals.bytes(), capture.info().dataBytes());
        assertEquals(0, capture.info().opaqueBytes());
        assertEquals(totals.lostBytes(), capture.info().lostBytes());
    }

    @Test
    void accountsForEveryRequestAndByteWhateverTheDiskDoes() throws Exception {
        long seed = System.nanoTime();
        for (int round = 0; round < 300; round++) {
            Random random = new Random(seed + round);
            String where = "seed " + seed + " round " + round;
            TestingOutput disk = new TestingOutput();
            boolean full = random.nextBoolean();
            if (full) {
                disk.failBeyond(CaptureFormat.HEADER_BYTES + random.nextInt(60_000), "No space left on device");
            }
            CaptureWriter writer = TestingCaptures.writer(
                    disk, smallBlocks().memoryBytes(4 * 4096).build(), new AtomicLong(START_NS), 3);
            long requests = 0;
            long bytes = 0;
            long opened = 5;
            int[] connections = new int[5];
            boolean[] inMessage = new boolean[connections.length];
            for (int i = 0; i < connections.length; i++) {
                connections[i] = writer.openConnection(START_NS, null, null);
            }
            for (int step = 0; step < 200; step++) {
                int slot = random.nextInt(connections.length);
                int length = random.nextInt(random.nextInt(10) == 0 ? 9000 : 900);
                int flags = (inMessage[slot] ? 0 : RecordFlags.MESSAGE_START)
                        | (random.nextBoolean() ? RecordFlags.MESSAGE_END : 0);
                writer.data(connections[slot], START_NS + step, flags, ByteBuffer.allocate(length));
                inMessage[slot] = (flags & RecordFlags.MESSAGE_END) == 0;
                requests += inMessage[slot] ? 0 : 1;
                bytes += length;
                if (!inMessage[slot] && random.nextInt(10) == 0) {
                    writer.closeConnection(connections[slot], START_NS + step, CloseReason.CLIENT_FIN);
                    connections[slot] = writer.openConnection(START_NS + step, null, null);
                    opened++;
                }
                if (random.nextInt(40) == 0) {
                    disk.goOn();
                    if (random.nextBoolean()) {
                        disk.stall();
                    }
                }
            }
            disk.goOn();
            writer.close();

            CaptureTotals totals = writer.totals();
            assertEquals(requests, totals.requests() + totals.lostRequests(), where);
            assertEquals(bytes, totals.bytes() + totals.lostBytes(), where);
            assertTrue(disk.isClosed(), where);
            Path path = Files.write(folder.resolve("capture.bin"), disk.contents());
            Capture capture = Capture.open(path); // which checks the summary against the records
            assertEquals(totals.requests(), capture.requestCount(), where);
            assertEquals(totals.bytes(), capture.info().dataBytes(), where);
            assertEquals(totals.connections(), capture.connectionCount(), where);
            assertEquals(totals.lostConnections(), capture.info().lostConnections(), where);
            assertEquals(totals.lostRequests(), capture.info().lostRequests(), where);
            assertEquals(totals.lostBytes(), capture.info().lostBytes(), where);
            long ended = 0;
            for (int connection = 0; connection < capture.connectionCount(); connection++) {
                CloseReason reason = capture.closeReason(connection);
                ended += reason == CloseReason.CLIENT_FIN || reason == CloseReason.RECORDING_ENDED ? 1 : 0;
            }
            assertEquals(opened, ended + totals.lostConnections(), where);
            if (!full) {
                assertEquals(
                        List.of(totals.lostConnections(), totals.lostRequests(), totals.lostBytes()),
                        boxed(dropped(capture)),
                        where);
            }
        }
    }

    @Test
    void endsEarlyAndStaysReadableWhenTheDiskIsFull() throws Exception {
        output.failBeyond(CaptureFormat.HEADER_BYTES + 5000, "No space left on device");
        CaptureWriter writer = writer(smallBlocks().memoryBytes(1 << 20).build());
        int connection = writer.openConnection(START_NS, null, null);
        int idle = writer.openConnection(START_NS, null, null);
        ByteBuffer request = ByteBuffer.allocate(1000);
        await(() -> !writer.data(connection, START_NS, WHOLE, request.clear()));
        assertFalse(writer.data(connection, START_NS, WHOLE, request.clear()));
        assertFalse(writer.data(idle, START_NS, WHOLE, request.clear()));

        // The file says so at once, in case the recorder is killed before it closes the file.
        await(() -> TestingCaptures.endedEarly(output.contents()));
        writer.close();

        CaptureTotals totals = writer.totals();
        assertEquals(
                "test.bin: recording ended early, the disk is full at offset 7256: No space left on device;"
                        + " what was written before is readable",
                totals.failure());
        assertEquals(3, totals.requests());
        assertEquals(3000, totals.bytes());
        assertEquals(2, totals.lostConnections());
        assertEquals(totals.lostBytes(), totals.lostRequests() * 1000);
        assertEquals(7256, output.contents().length);
        Capture capture = reopen();
        assertEquals(3, capture.requestCount());
        assertEquals(totals.failure(), capture.info().endedEarly());
        assertTrue(capture.info().closedProperly());
        assertEquals(totals.lostRequests(), capture.info().lostRequests());
    }

    @Test
    void saysThatItWasToldToStop() throws Exception {
        CaptureWriter writer = writer(smallBlocks().build());
        int connection = writer.openConnection(START_NS, null, null);
        writer.data(connection, START_NS, WHOLE, bytes("kept"));
        writer.closeEarly("the import was ended by a signal");

        assertNull(writer.totals().failure());
        assertFalse(writer.totals().lossy());
        Capture capture = reopen();
        assertEquals(1, capture.requestCount());
        assertEquals(
                "test.bin: recording ended early, the import was ended by a signal; what was written before is readable",
                capture.info().endedEarly());
        assertTrue(capture.info().closedProperly());
        assertEquals(0, capture.info().lostRequests());
    }

    @Test
    void saysWhatElseThanAFullDiskWentWrong() throws Exception {
        output.failBeyond(CaptureFormat.HEADER_BYTES, "Input/output error");
        CaptureWriter writer = writer(smallBlocks().build());
        int connection = writer.openConnection(START_NS, null, null);
        writer.data(connection, START_NS, WHOLE, bytes("lost"));
        writer.close();

        CaptureTotals totals = writer.totals();
        assertEquals(
                "test.bin: recording ended early, writing failed at offset 4096: Input/output error;"
                        + " what was written before is readable",
                totals.failure());
        assertEquals(0, totals.connections());
        assertEquals(0, totals.requests());
        assertEquals(1, totals.lostConnections());
        assertEquals(1, totals.lostRequests());
        assertEquals(4, totals.lostBytes());
        assertEquals(0, reopen().connectionCount());
    }

    @Test
    void countsAConnectionOnceThoughItWasLostTwice() throws Exception {
        CaptureWriter writer = writer(smallBlocks().memoryBytes(3 * 4096).build());
        int connection = writer.openConnection(START_NS, null, null);
        output.stall();
        ByteBuffer request = ByteBuffer.allocate(3000);
        while (writer.data(connection, START_NS, WHOLE, request.clear())) {
            // until there is no room
        }
        assertEquals(1, writer.totals().lostConnections());
        output.awaitStalled();
        output.failBeyond(CaptureFormat.HEADER_BYTES, "No space left on device");
        output.goOn();
        await(() -> writer.totals().failure() != null);
        writer.closeConnection(connection, START_NS, CloseReason.CLIENT_FIN);
        writer.close();

        assertEquals(1, writer.totals().lostConnections());
        assertEquals(0, writer.totals().connections());
        assertEquals(4, writer.totals().lostRequests());
    }

    @Test
    void losesNothingWhenOnlyTheIndexFindsNoRoom() throws Exception {
        CaptureWriter writer = writer(smallBlocks().build());
        int connection = writer.openConnection(START_NS, null, null);
        writer.data(connection, START_NS, WHOLE, bytes("kept"));
        int fileBytes = CaptureFormat.HEADER_BYTES + 64 + 24 + 20 + 17; // one block: CONN_OPEN, DATA_C2S, CONN_CLOSE
        output.failBeyond(fileBytes + 10, "No space left on device");
        writer.close();

        assertNull(writer.totals().failure());
        assertEquals(fileBytes, output.contents().length);
        Capture capture = reopen();
        assertEquals("kept", text(capture, 0));
        assertTrue(capture.info().closedProperly());
    }

    @Test
    void saysThatTheDiskDidNotConfirm() throws Exception {
        CaptureWriter writer = writer(smallBlocks().build());
        int connection = writer.openConnection(START_NS, null, null);
        writer.data(connection, START_NS, WHOLE, bytes("written"));
        output.failForce();
        writer.close();

        assertTrue(
                writer.totals().failure().contains("writing failed at offset"),
                writer.totals().failure());
        assertFalse(writer.totals().lossy());
        assertEquals(writer.totals().failure(), reopen().info().endedEarly());
    }

    @Test
    void endsEarlyOnARealFullDisk() throws Exception {
        endEarly(CaptureOptions.builder(), 1);
    }

    @Test
    void endsEarlyOnAFullDiskWithACompressedAndEncryptedCapture() throws Exception {
        endEarly(CaptureOptions.builder().compression(Compression.ZSTD).encryption(GoldenCaptures.KEY), 1);
    }

    @Test
    void endsEarlyOnAFullDiskInALaterSegment() throws Exception {
        endEarly(CaptureOptions.builder().rotateBytes(64 << 10), 3);
    }

    @Test
    void waitsWhileTooManyFilesAreOpenForAnotherSegment() throws Exception {
        List<TestingOutput> segments = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger asked = new AtomicInteger();
        SegmentOutputs outputs = new SegmentOutputs() {
            @Override
            public CaptureOutput create(int segment) {
                if (segment == 1 && asked.incrementAndGet() < 3) {
                    throw new CaptureException(Path.of("test.1.bin"), "cannot be created: Too many open files");
                }
                TestingOutput created = new TestingOutput();
                segments.add(created);
                return created;
            }

            @Override
            public void discard(int segment) {
                throw new AssertionError("segment " + segment + " is not to be discarded");
            }
        };
        CaptureWriter writer = rotating(outputs);
        int connection = writer.openConnection(START_NS, null, null);
        for (int i = 0; i < 20; i++) {
            assertTrue(writer.data(connection, START_NS, WHOLE, ByteBuffer.allocate(3000)));
        }
        await(() -> segments.size() > 1);
        writer.close();

        assertNull(writer.totals().failure());
        assertFalse(writer.totals().lossy());
        for (int i = segments.size() - 1; i > 0; i--) {
            Files.write(folder.resolve("capture." + i + ".bin"), segments.get(i).contents());
        }
        Capture capture = Capture.open(
                Files.write(folder.resolve("capture.bin"), segments.get(0).contents()));
        assertEquals(20, capture.requestCount());
    }

    @Test
    void closesASegmentThatTheDiskDoesNotTake() throws Exception {
        List<TestingOutput> segments = Collections.synchronizedList(new ArrayList<>());
        CaptureWriter writer = rotating(new SegmentOutputs() {
            @Override
            public CaptureOutput create(int segment) {
                TestingOutput created = new TestingOutput();
                if (segment == 0) {
                    created.failForce();
                }
                segments.add(created);
                return created;
            }

            @Override
            public void discard(int segment) {}
        });
        int connection = writer.openConnection(START_NS, null, null);
        await(() -> {
            writer.data(connection, START_NS, WHOLE, ByteBuffer.allocate(3000));
            return segments.size() > 1;
        });
        writer.close();

        assertTrue(writer.totals().failure().contains("Input/output error"));
        segments.forEach(segment -> assertTrue(segment.isClosed()));
    }

    private static CaptureWriter rotating(SegmentOutputs outputs) throws IOException {
        CaptureOptions options = CaptureOptions.builder()
                .blockBytes(4096)
                .memoryBytes(1 << 20)
                .flushInterval(Duration.ofMillis(1))
                .rotateBytes(32_768)
                .build();
        return new CaptureWriter(
                        Path.of("test.bin"),
                        outputs,
                        TestingCaptures.fixedIdentity(options),
                        options,
                        CaptureWriter.INDEX_CAPACITY,
                        () -> START_NS)
                .start();
    }

    private void endEarly(CaptureOptions.Builder options, int leastSegments) throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk.toString()) == 0,
                "a small tmpfs can only be mounted by root");
        try {
            Path path = disk.resolve("capture.bin");
            CaptureWriter writer =
                    CaptureWriter.create(path, options.blockBytes(16 << 10).build());
            int connection = writer.openConnection(System.nanoTime(), null, null);
            byte[] request = new byte[500];
            Random random = new Random(1);
            await(() -> {
                random.nextBytes(request);
                return !writer.data(connection, System.nanoTime(), WHOLE, ByteBuffer.wrap(request));
            });
            await(() -> writer.totals().failure() != null);
            writer.close();

            CaptureTotals totals = writer.totals();
            assertTrue(totals.failure().contains("the disk is full at offset"), totals.failure());
            assertTrue(totals.requests() > 300, "most of 256 KiB: " + totals.requests());
            Capture capture = Capture.open(path, OpenOptions.defaults().encryption(GoldenCaptures.KEY));
            assertTrue(
                    capture.info().segments() >= leastSegments,
                    "segments: " + capture.info().segments());
            assertEquals(totals.requests(), capture.requestCount());
            assertEquals(totals.lostRequests(), capture.info().lostRequests());
            assertEquals(totals.failure(), capture.info().endedEarly());
        } finally {
            assertEquals(0, run("umount", "-l", disk.toString()));
        }
    }

    @Test
    void refusesNewConnectionsBeforeItLosesOpenOnes() throws Exception {
        CaptureWriter writer = writer(smallBlocks().memoryBytes(16 * 4096).build());
        int open = writer.openConnection(START_NS, null, null);
        output.stall();
        ByteBuffer request = ByteBuffer.allocate(3000);
        while (writer.openConnection(START_NS, null, null) >= 0) {
            assertTrue(writer.data(open, START_NS, WHOLE, request.clear()));
        }
        // A quarter of the memory is still there for what is recorded already.
        for (int i = 0; i < 3; i++) {
            assertTrue(writer.data(open, START_NS, WHOLE, request.clear()));
        }
        assertEquals(1, writer.totals().lostConnections());
        output.goOn();
        await(() -> writer.openConnection(START_NS, null, null) >= 0);
        writer.closeConnection(open, START_NS, CloseReason.CLIENT_FIN);
        writer.close();
        assertEquals(0, writer.totals().lostRequests());
        assertEquals(CloseReason.CLIENT_FIN, reopen().closeReason(open));
    }

    @Test
    void waitsForTheDiskWhereThatIsWanted() throws Exception {
        CaptureWriter writer = writer(smallBlocks().waitForDisk(true).build());
        int connection = writer.openConnection(START_NS, null, null);
        output.stall();
        Thread appending = new Thread(() -> {
            for (int i = 0; i < 100; i++) {
                assertTrue(writer.data(connection, START_NS, WHOLE, ByteBuffer.allocate(5000)));
            }
        });
        appending.start();
        output.awaitStalled();
        await(() -> appending.getState() == Thread.State.WAITING);
        output.goOn();
        appending.join();
        writer.close();
        assertFalse(writer.totals().lossy());
        assertEquals(100, reopen().requestCount());
    }

    private static int run(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return process.exitValue();
    }
}
