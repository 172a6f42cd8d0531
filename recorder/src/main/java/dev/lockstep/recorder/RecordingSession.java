package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureWriter;
import io.netty.bootstrap.Bootstrap;

/** What all connections of a recording share: where they are recorded, counted and forwarded to. */
final class RecordingSession {
    final TrafficCounters counters = new TrafficCounters();

    private final RecordingConfig config;
    private final Bootstrap upstream;
    private volatile CaptureWriter writer;
    private volatile TrafficRecorder recorder;
    private volatile boolean ended;

    /** Makes a session without a writer, which {@link #begin} must set before the first connection. */
    RecordingSession(RecordingConfig config, Bootstrap upstream) {
        this.config = config;
        this.upstream = upstream;
    }

    void begin(CaptureWriter to) {
        recorder = new TrafficRecorder(to, counters, config.protocol(), config.redaction());
        writer = to;
    }

    /** Says that from now on connections close because recording ends. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    TrafficRecorder recorder() {
        return recorder;
    }

    CaptureWriter writer() {
        return writer;
    }

    /** Returns what connects to the upstream; each user sets event loop and handler on a clone. */
    Bootstrap upstream() {
        return upstream;
    }
}
