package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.bytes;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** A process that records until it is killed, and says how many requests are in the file. */
final class RecorderToKill {
    private static final int BATCH = 20;

    private RecorderToKill() {}

    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[0]);
        CaptureWriter writer = CaptureWriter.create(
                path, CaptureOptions.builder().blockBytes(64 << 10).build());
        int counted = writer.openConnection(System.nanoTime(), null, null);
        int noise = writer.openConnection(System.nanoTime(), null, null);
        Thread load = new Thread(() -> {
            ByteBuffer upload = ByteBuffer.allocateDirect(30_000);
            while (writer.data(noise, System.nanoTime(), WHOLE, upload.clear())) {
                LockSupport.parkNanos(200_000);
            }
        });
        load.setDaemon(true);
        load.start();
        for (int i = 0; ; ) {
            for (int end = i + BATCH; i < end; i++) {
                writer.data(counted, System.nanoTime(), WHOLE, bytes("request " + i));
            }
            long atLeast = CaptureFormat.HEADER_BYTES + writer.totals().bytes();
            while (Files.size(path) < atLeast) {
                LockSupport.parkNanos(100_000);
            }
            System.out.println(i);
        }
    }
}
