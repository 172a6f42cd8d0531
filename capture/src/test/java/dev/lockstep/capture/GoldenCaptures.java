package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.START_NS;
import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.address;
import static dev.lockstep.capture.TestingCaptures.await;
import static dev.lockstep.capture.TestingCaptures.bytes;

import dev.lockstep.capture.format.CaptureFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** Makes the captures that seal format 1.0, in which nothing is left to chance. */
final class GoldenCaptures {
    private static final int BLOCK_BYTES = 4096;

    private final TestingOutput output = new TestingOutput();
    private final AtomicLong clock = new AtomicLong(START_NS);

    private GoldenCaptures() {}

    /** The key of the encrypted one. */
    static final EncryptionKey KEY =
            EncryptionKey.of("0123456789abcdef0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII));

    private CaptureWriter writer() throws Exception {
        return writer(options());
    }

    private CaptureWriter writer(CaptureOptions.Builder options) throws Exception {
        return TestingCaptures.writer(output, options.build(), clock);
    }

    private static CaptureOptions.Builder options() {
        return CaptureOptions.builder()
                .blockBytes(BLOCK_BYTES)
                .memoryBytes(2 * BLOCK_BYTES)
                .toolVersion("0.1.0")
                .host("golden")
                .listen("127.0.0.1:8080")
                .upstream("127.0.0.1:9090");
    }

    /** Appends one of everything, in one block. */
    private static void appendAll(CaptureWriter writer) {
        int first = writer.openConnection(START_NS + 1_000, address("127.0.0.1", 40_000), address("127.0.0.1", 8080));
        int second = writer.openConnection(START_NS + 2_000, address("::1", 40_001), null);
        writer.protocol(first, START_NS + 3_000, Protocol.HTTP1);
        writer.data(first, START_NS + 3_000, WHOLE, bytes("GET /one HTTP/1.1\r\n\r\n"));
        writer.data(second, START_NS + 4_000, RecordFlags.MESSAGE_START, bytes("POST /two HTTP/1.1\r\n"));
        writer.data(first, START_NS + 5_000, WHOLE | RecordFlags.REDACTED, bytes("GET /three HTTP/1.1\r\n\r\n"));
        writer.data(second, START_NS + 6_000, RecordFlags.MESSAGE_END, bytes("Content-Length: 0\r\n\r\n"));
        writer.data(second, START_NS + 7_000, 0, bytes("opaque"));
        writer.data(first, START_NS + 8_000, RecordFlags.MESSAGE_START, bytes("GET /with"));
        writer.gap(first, START_NS + 9_000, 1_234);
        writer.data(first, START_NS + 10_000, WHOLE | RecordFlags.TRUNCATED, bytes("GET /cut"));
        writer.halfClose(first, START_NS + 11_000);
        writer.closeConnection(first, START_NS + 12_000, CloseReason.CLIENT_FIN);
    }

    /** Returns a capture that its recorder closed, with an index and one connection open to the end. */
    static byte[] closed() throws Exception {
        GoldenCaptures golden = new GoldenCaptures();
        CaptureWriter writer = golden.writer();
        appendAll(writer);
        golden.clock.addAndGet(20_000);
        writer.close();
        return golden.output.contents();
    }

    /** Returns the same capture with every note, compressed. */
    static byte[] compressed() throws Exception {
        return encoded(options()
                .compression(Compression.ZSTD)
                .filters("path /api")
                .sampling("1 of 10")
                .redaction("default")
                .comment("golden"));
    }

    /** Returns the same capture, encrypted under {@link #KEY}; each time with other nonces. */
    static byte[] encrypted() throws Exception {
        return encoded(options().compression(Compression.ZSTD).encryption(KEY));
    }

    private static byte[] encoded(CaptureOptions.Builder options) throws Exception {
        GoldenCaptures golden = new GoldenCaptures();
        CaptureWriter writer = golden.writer(options);
        appendAll(writer);
        writer.redacted(1);
        golden.clock.addAndGet(20_000);
        writer.close();
        return golden.output.contents();
    }

    /** Returns the same capture, killed after its block was flushed. */
    static byte[] unclosed() throws Exception {
        GoldenCaptures golden = new GoldenCaptures();
        try (CaptureWriter writer = golden.writer()) {
            appendAll(writer);
            golden.clock.addAndGet(CaptureOptions.defaults().flushIntervalNs());
            await(() -> golden.output.contents().length > CaptureFormat.HEADER_BYTES);
            return golden.output.contents();
        }
    }

    /** Returns a capture of two blocks, killed while the second was written. */
    static byte[] torn() throws Exception {
        GoldenCaptures golden = new GoldenCaptures();
        try (CaptureWriter writer = golden.writer()) {
            appendAll(writer);
            golden.clock.addAndGet(CaptureOptions.defaults().flushIntervalNs());
            await(() -> golden.output.contents().length > CaptureFormat.HEADER_BYTES);
            int oneBlock = golden.output.contents().length;
            writer.data(1, START_NS + 200_000_000, WHOLE, bytes("GET /torn HTTP/1.1\r\n\r\n"));
            golden.clock.addAndGet(CaptureOptions.defaults().flushIntervalNs());
            await(() -> golden.output.contents().length > oneBlock);
            byte[] whole = golden.output.contents();
            return Arrays.copyOf(whole, whole.length - 10);
        }
    }

    /** Returns a closed capture of which the disk was too slow for a part. */
    static byte[] lossy() throws Exception {
        GoldenCaptures golden = new GoldenCaptures();
        CaptureWriter writer = golden.writer();
        golden.output.stall();
        appendUntilLost(writer);
        writer.data(0, START_NS + 30_000, WHOLE, bytes("GET /lost HTTP/1.1\r\n\r\n"));
        golden.output.goOn();
        writer.close();
        return golden.output.contents();
    }

    /** Returns a capture that ended early because the disk was full. */
    static byte[] diskFull() throws Exception {
        GoldenCaptures golden = new GoldenCaptures();
        CaptureWriter writer = golden.writer();
        golden.output.stall();
        appendUntilLost(writer);
        golden.output.failBeyond(CaptureFormat.HEADER_BYTES + BLOCK_BYTES + 100, "No space left on device");
        golden.output.goOn();
        writer.close();
        return golden.output.contents();
    }

    /** Fills all of the memory, two blocks: one takes a request of 2,100 bytes, and one more does not fit. */
    private static void appendUntilLost(CaptureWriter writer) {
        int connection = writer.openConnection(START_NS, address("127.0.0.1", 40_000), null);
        byte[] request = new byte[2_100];
        Arrays.fill(request, (byte) 'x');
        for (int i = 0; i < 3; i++) {
            writer.data(connection, START_NS + 10_000 * i, WHOLE, ByteBuffer.wrap(request));
        }
    }
}
