package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import java.util.Objects;

/**
 * Records what clients send to a service by looking at the packets of a network interface. Needs Linux and
 * CAP_NET_RAW; service and clients notice nothing of it.
 *
 * <p>Any thread may ask and close it; whoever launched it closes it.
 */
public final class PassiveRecording implements AutoCloseable {
    private final TrafficCounters counters = new TrafficCounters();
    private final CaptureWriter writer;

    private PassiveRecording(CaptureWriter writer) {
        this.writer = writer;
    }

    /**
     * Begins to look at packets and creates the capture file.
     *
     * @throws RecorderException when the interface cannot be listened to; no file is touched
     * @throws CaptureException when the capture file cannot be created
     */
    public static PassiveRecording launch(PassiveConfig config) {
        Objects.requireNonNull(config, "config");
        return new PassiveRecording(CaptureWriter.create(
                config.capture(),
                CaptureOptions.builder()
                        .overwrite(config.overwrite())
                        .toolVersion(config.toolVersion())
                        .listen(config.interfaceName())
                        .build()));
    }

    /** Returns what was seen and written so far; still answers after {@link #close()}, then with the final counts. */
    public RecordingStatus status() {
        return new RecordingStatus(counters, writer.totals());
    }

    /**
     * Records every packet that came before, and completes the capture file. Idempotent; returns when all of that is
     * done. Does not throw: {@link RecordingStatus#captureFailure()} says what went wrong with the file.
     */
    @Override
    public void close() {
        writer.close();
    }
}
