package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureWriter;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.IdentityHashMap;
import java.util.Map;

/** What all connections of a recording share: where they are recorded, counted and forwarded to. */
final class RecordingSession implements AutoCloseable {
    final TrafficCounters counters = new TrafficCounters();

    private final RecordingConfig config;
    private final Bootstrap upstream;
    private final Map<EventExecutor, LoopReceiveBuffer> receiveBuffers = new IdentityHashMap<>();
    private volatile CaptureWriter writer;
    private volatile TrafficRecorder recorder;
    private volatile boolean ended;

    /** Makes a session without a writer, which {@link #begin} must set before the first connection. */
    RecordingSession(RecordingConfig config, EventLoopGroup loops, Bootstrap upstream) {
        this.config = config;
        loops.forEach(loop -> receiveBuffers.put(loop, new LoopReceiveBuffer()));
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

    /** Returns the memory into which an event loop of this session reads. */
    LoopReceiveBuffer receiveBuffer(EventLoop loop) {
        return receiveBuffers.get(loop);
    }

    /** Releases what the event loops used, which have ended. */
    @Override
    public void close() {
        receiveBuffers.values().forEach(LoopReceiveBuffer::close);
    }
}
