import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.Compression;
import dev.lockstep.capture.RecordFlags;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * How fast captures are written into the page cache and scanned, beside this machine's memcpy and plain writes of a file
 * in the same run: the best of some rounds of each.
 *
 * <p>Written: one thread appends requests of one size, and the writer's thread writes them; it waits for nothing but
 * memory. Scanned: one thread reads every record of the file, with every checksum. Bytes are those of the requests.
 *
 * <pre>benchmarks/capture_speed.sh [FOLDER [MEBIBYTES [ROUNDS]]]</pre>
 */
final class CaptureSpeed {
    private static final int BLOCK_BYTES = 256 << 10;

    private final Path file;
    private final long bytes;
    private final int rounds;
    private final byte[] pattern;
    private final ByteBuffer from = ByteBuffer.allocateDirect(64 << 20);
    private final ByteBuffer to = ByteBuffer.allocateDirect(64 << 20);

    private CaptureSpeed(Path folder, long bytes, int rounds) {
        this.file = folder.resolve("capture-speed.bin");
        this.bytes = bytes;
        this.rounds = rounds;
        this.pattern = ("GET /api/users/12345?fields=name,address HTTP/1.1\r\nHost: users.example.org\r\n"
                        + "User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nAccept: application/json\r\n"
                        + "Authorization: Bearer 0123456789abcdef0123456789abcdef0123456789abcdef\r\n"
                        + "X-Request-Id: 7b6f6e1c-6ad1-4a0e-9a55-3f6f0e0f9a11\r\n\r\n")
                .getBytes();
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        CaptureSpeed speed =
                new CaptureSpeed(folder, Long.parseLong(arguments[1]) << 20, Integer.parseInt(arguments[2]));
        try {
            speed.run();
        } finally {
            Files.deleteIfExists(speed.file);
        }
    }

    private interface Work {
        /** Does it once, and returns the bytes that count. */
        long run() throws IOException;
    }

    private double best(String what, Work work) throws IOException {
        double best = 0;
        for (int round = 0; round < rounds; round++) {
            long beganNs = System.nanoTime();
            long done = work.run();
            best = Math.max(best, done / (double) (System.nanoTime() - beganNs));
        }
        System.out.printf(Locale.ROOT, "%-52s %6.2f GB/s%n", what, best);
        return best;
    }

    private void run() throws IOException {
        double copy = best("memcpy, 64 MiB to 64 MiB", this::copy);
        double plain = best("file written, 256 KiB a call", this::writePlain);
        double plainRead = best("file read, 256 KiB a call", this::readPlain);
        for (int size : new int[] {300, 16_000}) {
            double written = best("capture written, requests of " + size + " bytes", () -> write(size, false));
            double overhead = overhead(size);
            double scanned = best("capture scanned, requests of " + size + " bytes", this::scan);
            System.out.printf(
                    Locale.ROOT,
                    "  written %.2f of the file, %.2f of memcpy; scanned %.2f of the file, %.2f of memcpy;"
                            + " %.1f bytes of overhead per request%n",
                    written / plain,
                    written / copy,
                    scanned / plainRead,
                    scanned / copy,
                    overhead);
        }
        best("capture written with zstd, requests of 300 bytes", () -> write(300, true));
        best("capture scanned with zstd, requests of 300 bytes", this::scan);
    }

    private long copy() {
        long done = 0;
        for (int i = 0; i < 16; i++) {
            to.clear().put(from.clear());
            done += from.capacity();
        }
        return done;
    }

    private long writePlain() throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        Files.deleteIfExists(file);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = 0; at < bytes; at += BLOCK_BYTES) {
                channel.write(block.clear());
            }
        }
        return bytes;
    }

    private long readPlain() throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        long done = 0;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (int read = channel.read(block.clear()); read >= 0; read = channel.read(block.clear())) {
                done += read;
            }
        }
        return done;
    }

    /** Writes requests, up to the closed file; in a folder of memory (tmpfs) closing does not wait for a disk. */
    private long write(int size, boolean compressed) throws IOException {
        ByteBuffer request = ByteBuffer.allocateDirect(size);
        while (request.hasRemaining()) {
            request.put(pattern, 0, Math.min(pattern.length, request.remaining()));
        }
        CaptureWriter writer = CaptureWriter.create(
                file,
                CaptureOptions.builder()
                        .overwrite(true)
                        .waitForDisk(true)
                        .compression(compressed ? Compression.ZSTD : Compression.NONE)
                        .build());
        try {
            int connection = writer.openConnection(System.nanoTime(), null, null);
            long requests = bytes / size;
            for (long i = 0; i < requests; i++) {
                request.clear();
                writer.data(
                        connection,
                        System.nanoTime(),
                        RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END,
                        request);
            }
            return requests * size;
        } finally {
            writer.close();
        }
    }

    private double overhead(int size) throws IOException {
        long requests = bytes / size;
        return (Files.size(file) - 4096 - requests * size) / (double) requests;
    }

    private long scan() throws IOException {
        long done = 0;
        try (CaptureReader reader = CaptureReader.open(file)) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                done += record.payload().remaining();
            }
        }
        return done;
    }
}
