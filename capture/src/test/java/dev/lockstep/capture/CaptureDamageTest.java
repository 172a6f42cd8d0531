package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.request;
import static dev.lockstep.capture.TestingCaptures.reseal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.format.CaptureFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever happens to a file's bytes, no wrong record comes out, and no other exception than ours. */
final class CaptureDamageTest {
    private static final OpenOptions TRUNCATED = OpenOptions.defaults().allowTruncated(true);

    @TempDir
    Path folder;

    private Path write(byte[] contents) throws Exception {
        Path path = folder.resolve("capture.bin");
        Files.deleteIfExists(path); // ext4 writes a file that is truncated and filled again to the disk at once
        return Files.write(path, contents);
    }

    private static List<byte[]> requests(Capture capture) {
        List<byte[]> requests = new ArrayList<>();
        for (long request = 0; request < capture.requestCount(); request++) {
            requests.add(request(capture, request));
        }
        return requests;
    }

    @Test
    void refusesAFlippedBitInAnyByte() throws Exception {
        refuseFlippedBits(GoldenCaptures.closed(), OpenOptions.defaults());
    }

    @Test
    void refusesAFlippedBitOfACompressedFile() throws Exception {
        refuseFlippedBits(GoldenCaptures.compressed(), OpenOptions.defaults());
    }

    @Test
    void refusesAFlippedBitOfAnEncryptedFile() throws Exception {
        refuseFlippedBits(GoldenCaptures.encrypted(), OpenOptions.defaults().encryption(GoldenCaptures.KEY));
    }

    private void refuseFlippedBits(byte[] original, OpenOptions options) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<byte[]> expected = requests(Capture.open(write(original), options));
        for (int at = 0; at < original.length; at += step(at, random)) {
            byte[] damaged = flip(original, at, random);
            Path path = write(damaged);
            String where = "byte " + at + ", seed " + seed;
            assertThrows(CaptureException.class, () -> Capture.open(path, options), where);
            assertThrows(CaptureException.class, () -> CaptureReader.verify(path, OpenOptions.defaults()), where);
            assertPrefix(expected, path, options.allowTruncated(true), where);
        }
    }

    @Test
    void takesAFlippedBitOfTheLastBlockOfAnUnclosedFileForATornEnd() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] original = GoldenCaptures.unclosed();
        for (int at = CaptureFormat.HEADER_BYTES; at < original.length; at++) {
            Path path = write(flip(original, at, random));
            Capture capture = Capture.open(path);
            assertEquals(0, capture.requestCount(), "byte " + at + ", seed " + seed);
            assertEquals(
                    original.length - CaptureFormat.HEADER_BYTES, capture.info().cutBytes());
        }
        for (int at = 0; at < CaptureFormat.HEADER_BYTES; at += step(at, random)) {
            Path path = write(flip(original, at, random));
            assertThrows(CaptureException.class, () -> Capture.open(path), "byte " + at + ", seed " + seed);
        }
    }

    /** The header is mostly zeros under two checksums: some of its bytes stand for all. Every other byte is tried. */
    private static int step(int at, Random random) {
        return at < CaptureFormat.HEADER_BYTES ? 1 + random.nextInt(9) : 1;
    }

    private static byte[] flip(byte[] original, int at, Random random) {
        byte[] damaged = original.clone();
        damaged[at] ^= (byte) (1 << random.nextInt(8));
        return damaged;
    }

    @Test
    void refusesEveryTruncation() throws Exception {
        byte[] closed = GoldenCaptures.closed();
        List<byte[]> expected = requests(Capture.open(write(closed)));
        for (int length = 0; length < closed.length; length += length < CaptureFormat.HEADER_BYTES ? 64 : 1) {
            Path path = write(Arrays.copyOf(closed, length));
            String where = "length " + length;
            assertThrows(CaptureException.class, () -> Capture.open(path), where);
            assertPrefix(expected, path, TRUNCATED, where);
        }
    }

    @Test
    void opensAnUnclosedFileOfEveryLength() throws Exception {
        byte[] whole = Arrays.copyOf(GoldenCaptures.torn(), 4527);
        for (int length = CaptureFormat.HEADER_BYTES; length <= whole.length; length++) {
            Path path = write(Arrays.copyOf(whole, length));
            Capture capture = Capture.open(path);
            assertEquals(length == 4527 ? 3 : 0, capture.requestCount());
            assertEquals(
                    length == 4527 ? 0 : length - CaptureFormat.HEADER_BYTES,
                    capture.info().cutBytes());
            assertFalse(capture.info().closedProperly());
        }
    }

    /** Checks that what is read with truncation allowed, if it is read at all, are the first of the requests. */
    private static void assertPrefix(List<byte[]> expected, Path path, OpenOptions truncated, String where) {
        Capture capture;
        try {
            capture = Capture.open(path, truncated);
        } catch (CaptureException refused) {
            return;
        }
        List<byte[]> found = requests(capture);
        assertTrue(found.size() <= expected.size(), where);
        for (int i = 0; i < found.size(); i++) {
            assertArrayEquals(expected.get(i), found.get(i), where);
        }
        assertFalse(capture.info().closedProperly(), where);
    }

    @Test
    @Tag("full")
    void meetsContradictionsBehindRightChecksumsWithItsOwnExceptionOnly() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<byte[]> originals = List.of(
                GoldenCaptures.closed(), GoldenCaptures.torn(), GoldenCaptures.lossy(), GoldenCaptures.compressed());
        int refused = 0;
        int rounds = 3_000;
        for (int round = 0; round < rounds; round++) {
            byte[] file = originals.get(random.nextInt(originals.size())).clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                int at = random.nextInt(8) == 0
                        ? random.nextInt(file.length)
                        : CaptureFormat.HEADER_BYTES + random.nextInt(file.length - CaptureFormat.HEADER_BYTES);
                file[at] = interesting(random);
            }
            Path path = write(reseal(file));
            String where = "round " + round + ", seed " + seed;
            try {
                Capture capture = Capture.open(path, TRUNCATED);
                readAll(capture);
                assertEquals(capture.info().records(), readAll(path));
            } catch (CaptureException e) {
                refused++;
                assertEquals(-1, e.getMessage().indexOf('\n'), where);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(where, e);
            }
        }
        assertTrue(refused > rounds / 10, "only " + refused + " were refused");
    }

    private static byte interesting(Random random) {
        byte[] edges = {0, 1, 2, 15, 16, 17, 64, 127, -128, -2, -1};
        return random.nextBoolean() ? edges[random.nextInt(edges.length)] : (byte) random.nextInt();
    }

    private static long readAll(Path path) {
        long records = 0;
        try (CaptureReader reader = CaptureReader.open(path, TRUNCATED)) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                assertEquals(records++, record.number());
            }
        }
        return records;
    }

    private static void readAll(Capture capture) {
        requests(capture);
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            capture.closeReason(connection);
            capture.protocol(connection);
        }
        long[] records = {0};
        TestingCaptures.forEachRecord(capture, record -> {
            assertEquals(records[0]++, record.number());
            if (record.type() == RecordType.CONN_OPEN) {
                record.connectionStart();
            }
            return record.payload().remaining() >= 0;
        });
        assertEquals(capture.info().records(), records[0]);
    }

    @Test
    @Tag("full")
    void countsNoiseBehindAnIntactHeaderAsCut() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            byte[] file =
                    Arrays.copyOf(GoldenCaptures.unclosed(), CaptureFormat.HEADER_BYTES + 1 + random.nextInt(9000));
            byte[] noise = new byte[file.length - CaptureFormat.HEADER_BYTES];
            random.nextBytes(noise);
            System.arraycopy(noise, 0, file, CaptureFormat.HEADER_BYTES, noise.length);
            Path path = write(file);
            assertEquals(noise.length, Capture.open(path).info().cutBytes(), "seed " + seed);
        }
    }

    @Test
    void endsTheSearchForWholeBlocksInAFileOfMarks() throws Exception {
        byte[] file = Arrays.copyOf(GoldenCaptures.unclosed(), 300_000);
        for (int at = CaptureFormat.HEADER_BYTES; at + 64 < file.length; at += 16) {
            System.arraycopy(file, CaptureFormat.ID_MARK, file, at, 16);
        }
        Path path = write(file);

        CaptureException refused = assertThrows(CaptureException.class, () -> Capture.open(path, TRUNCATED));
        assertTrue(
                refused.getMessage().contains(" at offset 4096: the file is damaged: expected "), refused.getMessage());
    }
}
