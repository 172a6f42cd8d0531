package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.bytes;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that records until it is killed, and says which of its requests are in the file. It goes on with a capture
 * that is there already.
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
        int counted = writer.openConnection(System.nanoTime(), null, null);
        int noise = writer.openConnection(System.nanoTime(), null, null);
        CaptureReader reader =
                CaptureReader.open(path, OpenOptions.defaults().follow(true).encryption(GoldenCaptures.KEY));
        start(() -> reader.forEach(record -> {
            if (record.type() == RecordType.DATA_C2S && record.connection() == counted) {
                byte[] request = new byte[record.payload().remaining()];
                record.payload().get(request);
                System.out.println(new String(request, StandardCharsets.US_ASCII));
            }
            return true;
        }));
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
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }
}
