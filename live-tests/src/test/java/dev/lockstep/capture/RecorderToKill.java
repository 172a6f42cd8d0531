package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.bytes;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that records until it is killed, and says which of its requests are in the file. It goes on with a capture
 * that is there already, and ends by itself when recording fails or nobody kills it.
 */
final class RecorderToKill {
    private RecorderToKill() {}

    /** Returns how a kind of capture is written. */
    static CaptureOptions options(String kind) {
        CaptureOptions.Builder options = CaptureOptions.builder().blockBytes(32 << 10);
        switch (kind) {
            case "compressed":
                return options.compression(Compression.ZSTD).build();
            case "encrypted":
                return options.encryption(GoldenCaptures.KEY).build();
            case "rotated":
                return options.rotateBytes(128 << 10).build();
            case "all":
                return options.rotateBytes(128 << 10)
                        .compression(Compression.ZSTD)
                        .encryption(GoldenCaptures.KEY)
                        .build();
            default:
                return options.build();
        }
    }

    public static void main(String[] arguments) {
        Path path = Path.of(arguments[0]);
        String run = arguments[1];
        CaptureOptions options = options(arguments[2]);
        CaptureWriter writer =
                Files.exists(path) ? CaptureWriter.append(path, options) : CaptureWriter.create(path, options);
        start(() -> {
            LockSupport.parkNanos(TimeUnit.MINUTES.toNanos(2));
            end("nobody killed this recorder");
        });
        int counted = writer.openConnection(System.nanoTime(), null, null);
        int noise = writer.openConnection(System.nanoTime(), null, null);
        start(() -> {
            for (long read = 0; ; LockSupport.parkNanos(100_000_000)) {
                read = tellRequests(path, counted, read);
            }
        });
        start(() -> {
            ByteBuffer upload = ByteBuffer.allocateDirect(3_000);
            while (writer.data(noise, System.nanoTime(), WHOLE, upload.clear())) {
                LockSupport.parkNanos(2_000_000);
            }
        });
        for (int i = 0; ; i++) {
            long nowNs = System.nanoTime();
            writer.data(counted, nowNs, WHOLE, bytes(run + " " + i + " " + nowNs));
            LockSupport.parkNanos(500_000);
            if (writer.totals().failure() != null) {
                end(writer.totals().failure());
            }
        }
    }

    private static void end(String why) {
        System.err.println(why);
        Runtime.getRuntime().halt(1);
    }

    /** Prints the requests in the file from a record on; returns the number of the record that comes next. */
    private static long tellRequests(Path path, int connection, long from) {
        long next = from;
        try (CaptureReader reader =
                CaptureReader.open(path, OpenOptions.defaults().encryption(GoldenCaptures.KEY))) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                if (record.number() < next) {
                    continue;
                }
                next = record.number() + 1;
                if (record.type() == RecordType.DATA_C2S && record.connection() == connection) {
                    byte[] request = new byte[record.payload().remaining()];
                    record.payload().get(request);
                    System.out.println(new String(request, StandardCharsets.US_ASCII));
                }
            }
        } catch (CaptureException e) {
            // A segment whose end is just being written; all of it is there the next time.
        }
        return next;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }
}
