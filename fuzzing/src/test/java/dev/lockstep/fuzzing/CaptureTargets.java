package dev.lockstep.fuzzing;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.OpenOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** The readers of capture files: a file is refused with a CaptureException, or read to its end. */
final class CaptureTargets {
    private static final int CRC_AT = 2044;
    private static final int BLOCK_HEADER = 64;
    private static final int HEADER = 4096;

    private CaptureTargets() {}

    static void open(byte[] input) throws IOException {
        Path file = Files.createTempFile("fuzz", ".bin");
        try {
            // Once as it is, and once with right checksums, behind which the fuzzer would not get otherwise.
            read(file, input);
            byte[] mended = input.clone();
            mendChecksums(mended);
            read(file, mended);
        } finally {
            Files.delete(file);
        }
    }

    private static void read(Path file, byte[] bytes) throws IOException {
        Files.write(file, bytes);
        try (Capture capture = Capture.open(file, OpenOptions.defaults().allowTruncated(true))) {
            long[] total = new long[1];
            capture.forEachRecord(record -> ++total[0] < 10L * bytes.length + 10);
            for (long i = 0; i < Math.min(1000, capture.requestCount()); i++) {
                capture.requestLength(i);
                capture.connection(i);
            }
        } catch (CaptureException refused) {
            if (refused.getMessage() == null || refused.getMessage().isEmpty()) {
                throw new AssertionError("refused without a word", refused);
            }
        }
    }

    private static void mendChecksums(byte[] file) {
        for (int page = 0; page < HEADER && page + CRC_AT + 4 <= file.length; page += HEADER / 2) {
            put(file, page + CRC_AT, crc(file, page, page + CRC_AT));
        }
        for (int block = HEADER; block + BLOCK_HEADER <= file.length; ) {
            int stored = get(file, block + 24);
            if (stored < 0 || stored > file.length - block - BLOCK_HEADER) {
                stored = file.length - block - BLOCK_HEADER;
                put(file, block + 24, stored);
            }
            System.arraycopy(file, 48, file, block, 16);
            put(file, block + 16, crc(file, block + 20, block + BLOCK_HEADER + stored));
            block += BLOCK_HEADER + stored;
        }
    }

    private static int crc(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    private static int get(byte[] bytes, int at) {
        return bytes[at] & 0xFF | (bytes[at + 1] & 0xFF) << 8 | (bytes[at + 2] & 0xFF) << 16 | bytes[at + 3] << 24;
    }

    private static void put(byte[] bytes, int at, int value) {
        for (int i = 0; i < 4; i++) {
            bytes[at + i] = (byte) (value >>> 8 * i);
        }
    }
}
