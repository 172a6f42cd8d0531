package dev.lockstep.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.files.CaptureOutput;
import dev.lockstep.capture.files.SegmentOutputs;
import dev.lockstep.capture.format.BlockMark;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import dev.lockstep.capture.segments.CaptureSummary;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/** What the tests of captures share: fixed identities, a clock that stands still, and shorthand. */
final class TestingCaptures {
    /** The writer's monotonic clock at the start of every fixed capture. */
    static final long START_NS = 1_000_000_000L;

    static final int WHOLE = RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END;

    private TestingCaptures() {}

    /** Returns an identity in which nothing is random. */
    static CaptureIdentity fixedIdentity(CaptureOptions options) {
        return new CaptureIdentity(
                UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"),
                new BlockMark(0x0706050403020100L, 0x0F0E0D0C0B0A0908L),
                new ClockReading(1_700_000_000_123_456_789L, START_NS),
                options);
    }

    /** Returns a started writer with a fixed identity and a given clock. */
    static CaptureWriter writer(CaptureOutput output, CaptureOptions options, AtomicLong clock) throws IOException {
        return writer(output, options, clock, CaptureWriter.INDEX_CAPACITY);
    }

    static CaptureWriter writer(CaptureOutput output, CaptureOptions options, AtomicLong clock, int indexCapacity)
            throws IOException {
        return new CaptureWriter(
                        Path.of("test.bin"),
                        onlyOne(output),
                        fixedIdentity(options),
                        options,
                        indexCapacity,
                        clock::get)
                .start();
    }

    private static SegmentOutputs onlyOne(CaptureOutput output) {
        return new SegmentOutputs() {
            @Override
            public CaptureOutput create(int segment) {
                assertEquals(0, segment);
                return output;
            }

            @Override
            public void discard(int segment) {
                throw new AssertionError("segment " + segment + " is not to be discarded");
            }
        };
    }

    /** Returns the smallest blocks and as little memory as there can be: two of them. */
    static CaptureOptions.Builder smallBlocks() {
        return CaptureOptions.builder().blockBytes(4096).memoryBytes(2 * 4096).host("test-host");
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static InetSocketAddress address(String literal, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(literal), port);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(literal, e);
        }
    }

    /** Returns the bytes of one request. */
    static byte[] request(Capture capture, long request) {
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(capture.requestLength(request)));
        for (int fragment = 0; fragment < capture.fragments(request); fragment++) {
            ByteBuffer view = capture.mapping(capture.mapping(request, fragment));
            int at = capture.offset(request, fragment);
            view.limit(at + capture.fragmentLength(request, fragment)).position(at);
            all.put(view);
        }
        return all.array();
    }

    static String text(Capture capture, long request) {
        return new String(request(capture, request), StandardCharsets.UTF_8);
    }

    /** Returns a client's address such as {@code 127.0.0.1:40312} or {@code [0:0:0:0:0:0:0:1]:40312}, or "unknown". */
    static String clientAddress(Capture capture, int connection) {
        return address(start(capture, connection).client());
    }

    /** Returns the address that a client connected to, or "unknown". */
    static String serverAddress(Capture capture, int connection) {
        return address(start(capture, connection).server());
    }

    private static ConnectionStart start(Capture capture, int connection) {
        OpenOptions open = OpenOptions.defaults().allowTruncated(true).encryption(GoldenCaptures.KEY);
        try (CaptureReader reader = CaptureReader.open(capture.path(), open)) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                if (record.type() == RecordType.CONN_OPEN && record.connection() == connection) {
                    return record.connectionStart();
                }
            }
        }
        throw new AssertionError("connection " + connection + " does not begin");
    }

    private static String address(InetSocketAddress socket) {
        if (socket == null) {
            return "unknown";
        }
        String host = socket.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + socket.getPort();
    }

    /** Hands the records of an opened capture to a test, as long as it wants more. */
    static void forEachRecord(Capture capture, Predicate<CaptureRecord> test) {
        OpenOptions open = OpenOptions.defaults().allowTruncated(true).encryption(GoldenCaptures.KEY);
        try (CaptureReader reader = CaptureReader.open(capture.path(), open)) {
            CaptureRecord record = reader.next();
            while (record != null && test.test(record)) {
                record = reader.next();
            }
        }
    }

    /** Returns the file with every checksum made right again, as far as its blocks can be followed. */
    static byte[] reseal(byte[] file) {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(CaptureFormat.HALF_CRC, CaptureIdentity.checksum(bytes, 0));
        bytes.putInt(
                CaptureFormat.HALF_BYTES + CaptureFormat.HALF_CRC,
                CaptureIdentity.checksum(bytes, CaptureFormat.HALF_BYTES));
        int block = CaptureFormat.HEADER_BYTES;
        while (block + CaptureFormat.BLOCK_HEADER_BYTES <= file.length) {
            long stored = bytes.getInt(block + CaptureFormat.BLOCK_STORED_BYTES) & 0xFFFFFFFFL;
            if (stored > file.length - block - CaptureFormat.BLOCK_HEADER_BYTES) {
                break;
            }
            int end = block + CaptureFormat.BLOCK_HEADER_BYTES + (int) stored;
            CRC32C crc = new CRC32C();
            crc.update(file, block + CaptureFormat.BLOCK_KIND, end - block - CaptureFormat.BLOCK_KIND);
            bytes.putInt(block + CaptureFormat.BLOCK_CRC, (int) crc.getValue());
            block = end;
        }
        return file;
    }

    /** Tells whether the summary of a file says that recording ended early. */
    static boolean endedEarly(byte[] file) {
        return file[CaptureFormat.HALF_BYTES + CaptureFormat.SUM_STATE] == CaptureSummary.State.ENDED_EARLY.ordinal();
    }

    /** Waits for something that another thread is about to do; fails after ten seconds. */
    static void await(BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + 60_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("waited in vain for ten seconds");
            }
            Thread.onSpinWait();
        }
    }
}
