package dev.lockstep.capture;

import dev.lockstep.capture.files.CaptureOutput;
import dev.lockstep.capture.files.SegmentOutputs;
import dev.lockstep.capture.format.CaptureIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes a valid capture that is larger than memory and takes next to no room on disk: uploads with bodies of zeros, of
 * which the pages are holes in the file. One connection, one upload every 10 ms. In this package, since nobody else may
 * say how a capture's bytes reach the disk.
 *
 * <pre>LargeCapture FILE MEGABYTES</pre>
 */
final class LargeCapture {
    private static final int BODY_BYTES = 8_000_000;
    private static final long GAP_NS = 10_000_000;
    private static final int PAGE_BYTES = 4096;

    private LargeCapture() {}

    /** Writes only pages that hold something else than zeros. */
    private static final class SparseOutput implements CaptureOutput {
        private final FileChannel channel;
        private long length;

        SparseOutput(Path file) throws IOException {
            channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        }

        @Override
        public void write(ByteBuffer bytes, long position) throws IOException {
            long at = position;
            while (bytes.hasRemaining()) {
                int page = (int) Math.min(bytes.remaining(), PAGE_BYTES - at % PAGE_BYTES);
                ByteBuffer piece = bytes.duplicate();
                piece.limit(piece.position() + page);
                if (holdsSomething(piece)) {
                    long to = at;
                    while (piece.hasRemaining()) {
                        to += channel.write(piece, to);
                    }
                }
                bytes.position(bytes.position() + page);
                at += page;
            }
            length = Math.max(length, at);
        }

        private static boolean holdsSomething(ByteBuffer bytes) {
            int at = bytes.position();
            for (; at <= bytes.limit() - Long.BYTES; at += Long.BYTES) {
                if (bytes.getLong(at) != 0) {
                    return true;
                }
            }
            for (; at < bytes.limit(); at++) {
                if (bytes.get(at) != 0) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void truncate(long to) throws IOException {
            length = to;
            channel.truncate(to);
        }

        @Override
        public void force() {
            // Nothing depends on this file.
        }

        @Override
        public void close() throws IOException {
            if (channel.size() < length) {
                channel.write(ByteBuffer.allocate(1), length - 1);
            }
            channel.close();
        }
    }

    public static void main(String[] arguments) throws IOException {
        write(Path.of(arguments[0]), Long.parseLong(arguments[1]) * 1_000_000);
    }

    /** Writes a capture whose requests have at least so many bytes together, and returns how many requests it has. */
    static int write(Path file, long bytes) throws IOException {
        Files.deleteIfExists(file);
        long startNs = System.nanoTime();
        CaptureOptions options = CaptureOptions.builder()
                .blockBytes(16 << 20)
                .memoryBytes(64 << 20)
                .waitForDisk(true)
                .build();
        CaptureIdentity identity = CaptureIdentity.startingNow(options);
        SegmentOutputs outputs = new SegmentOutputs() {
            @Override
            public CaptureOutput create(int segment) throws IOException {
                return new SparseOutput(file);
            }

            @Override
            public void discard(int segment) {
                throw new IllegalStateException("one segment is written");
            }
        };
        int requests = 0;
        try (CaptureWriter writer = new CaptureWriter(
                        file, outputs, identity, options, CaptureWriter.INDEX_CAPACITY, System::nanoTime)
                .start()) {
            int connection = writer.openConnection(startNs, null, null);
            writer.protocol(connection, startNs, Protocol.HTTP1);
            for (long written = 0; written < bytes; written += BODY_BYTES) {
                byte[] head = ("POST /" + requests + " HTTP/1.1\r\nHost: large\r\nContent-Length: " + BODY_BYTES
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
                long atNs = startNs + requests * GAP_NS;
                writer.data(connection, atNs, RecordFlags.MESSAGE_START, ByteBuffer.wrap(head));
                writer.data(connection, atNs, RecordFlags.MESSAGE_END, ByteBuffer.allocate(BODY_BYTES));
                requests++;
            }
            writer.closeConnection(connection, startNs + requests * GAP_NS, CloseReason.CLIENT_FIN);
        }
        return requests;
    }
}
