package dev.lockstep.recorder;

import com.sun.jna.Native;
import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureWriter;
import java.io.File;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Records what clients send to a service by looking at the packets of a network interface. Needs Linux and CAP_NET_RAW.
 * Service and clients notice nothing.
 *
 * <p>Packets for which the kernel had no room and bytes beyond the snap length are gaps in the capture, and counted.
 *
 * <p>Any thread may ask it. The one who launched it closes it.
 */
public final class PassiveRecording implements AutoCloseable {
    private final PacketReader reader;
    private final CaptureWriter writer;
    private boolean closed;

    private PassiveRecording(PacketReader reader, CaptureWriter writer) {
        this.reader = reader;
        this.writer = writer;
    }

    /**
     * Begins to look at packets and creates the capture file. At the latest when this returns, packets are seen.
     *
     * @throws RecorderException when the interface cannot be listened to; no file is touched
     * @throws CaptureException when the capture file cannot be created
     */
    public static PassiveRecording launch(PassiveConfig config) {
        return launch(Objects.requireNonNull(config, "config"), () -> {});
    }

    /** {@code beforeBlock} runs on the reader's thread before it reads a block. */
    static PassiveRecording launch(PassiveConfig config, Runnable beforeBlock) {
        checkInterface(config.interfaceName());
        PacketRing ring = PacketRing.open(config);
        try {
            CaptureWriter writer = config.openCapture(where(config), null);
            PacketReader reader = new PacketReader(config, ring, writer, beforeBlock);
            reader.start();
            return new PassiveRecording(reader, writer);
        } catch (Throwable t) {
            ring.close();
            throw t;
        }
    }

    private static void checkInterface(String name) {
        String cannot = "cannot record interface " + name + ": ";
        if (!System.getProperty("os.name").startsWith("Linux")) {
            throw new RecorderException(
                    cannot + "passive recording needs Linux, this is " + System.getProperty("os.name")
                            + "; record with the proxy (--listen and --upstream) instead",
                    null);
        }
        int pointerBytes;
        try {
            pointerBytes = Native.POINTER_SIZE;
        } catch (LinkageError e) {
            throw new RecorderException(
                    cannot + "JNA's native library does not load ("
                            + String.valueOf(e.getMessage()).replace('\n', ' ')
                            + "); name a directory that it may be unpacked to and run from: -Djna.tmpdir=DIR",
                    e);
        }
        if (pointerBytes != Long.BYTES) {
            throw new RecorderException(
                    cannot + "passive recording needs a 64-bit JVM, this one has " + 8 * pointerBytes
                            + " bits; record with the proxy (--listen and --upstream) instead",
                    null);
        }
        if (!name.equals(PassiveConfig.ANY_INTERFACE) && PacketRing.indexOf(name) == 0) {
            throw new RecorderException(cannot + "there is none of that name; choose " + interfaces(), null);
        }
    }

    private static String interfaces() {
        String[] names = new File("/sys/class/net").list();
        return Arrays.stream(names == null ? new String[0] : names).sorted().collect(Collectors.joining(", "))
                + (names == null ? "" : " or ")
                + PassiveConfig.ANY_INTERFACE;
    }

    private static String where(PassiveConfig config) {
        return "TCP port "
                + Arrays.stream(config.ports()).mapToObj(Integer::toString).collect(Collectors.joining(", "))
                + " on interface " + config.interfaceName();
    }

    /** Answers after {@link #close()} too, then with the final counts. */
    public RecordingStatus status() {
        return reader.status;
    }

    /**
     * Records every packet that came before, and completes the capture file. Idempotent; returns when all of that is
     * done, which takes about {@link PassiveConfig#blockTimeout()}. Does not throw:
     * {@link RecordingStatus#captureFailure()} says what went wrong with the file.
     */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            reader.end();
            writer.close();
        }
    }
}
