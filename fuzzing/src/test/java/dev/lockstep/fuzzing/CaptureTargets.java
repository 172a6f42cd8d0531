package dev.lockstep.fuzzing;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.OpenOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** The readers of capture files: a file is refused with a CaptureException, or read to its end. */
final class CaptureTargets {
    private static final int CRC_AT = 2044;
    private static final int BLOCK_HEADER = 64;
    private static final int HEADER = 4096;

    /** The key of the encrypted files in the corpus. */
    private static final EncryptionKey KEY =
            EncryptionKey.of("0123456789abcdef0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII));

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
        OpenOptions options = OpenOptions.defaults().allowTruncated(true);
        String byMemory = memory(file, options);
        String byStream = stream(file, options, bytes.length);
        if (!byMemory.equals(byStream)) {
            throw new AssertionError("Capture reads " + byMemory + ", CaptureReader reads " + byStream);
        }
        memory(file, options.encryption(KEY));
        stream(file, options.encryption(KEY), bytes.length);
    }

    private static String memory(Path file, OpenOptions options) {
        try (Capture capture = Capture.open(file, options)) {
            for (long i = 0; i < Math.min(1000, capture.requestCount()); i++) {
                capture.requestLength(i);
                capture.connection(i);
            }
            return found(capture.info());
        } catch (CaptureException refused) {
            return refusal(refused);
        }
    }

    private static String stream(Path file, OpenOptions options, int length) {
        try (CaptureReader reader = CaptureReader.open(file, options)) {
            long records = 0;
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                check(++records, length);
                record.timeNs();
            }
            return found(reader.info());
        } catch (CaptureException refused) {
            return refusal(refused);
        }
    }

    private static String found(CaptureInfo info) {
        return info.records() + " records, " + info.requests() + " requests, " + info.connections() + " connections";
    }

    private static void check(long records, int length) {
        // Zstandard packs a block of 32 MiB of empty records into a few bytes.
        if (records > 4_000_000L + length) {
            throw new AssertionError(records + " records in " + length + " bytes");
        }
    }

    private static String refusal(CaptureException refused) {
        if (refused.getMessage() == null || refused.getMessage().lines().count() != 1) {
            throw new AssertionError("not refused in one line: " + refused.getMessage(), refused);
        }
        return "nothing";
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
