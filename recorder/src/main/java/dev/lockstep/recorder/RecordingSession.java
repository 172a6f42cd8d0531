package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureWriter;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** What all connections of a recording share: where they are recorded, counted and forwarded to. */
final class RecordingSession implements AutoCloseable {
    final TrafficCounters counters = new TrafficCounters();

    private final RecordingConfig config;
    private final Bootstrap upstream;
    private final TlsEngines tls;
    private final AtomicInteger open = new AtomicInteger();
    private final Map<EventExecutor, LoopReceiveBuffer> receiveBuffers = new IdentityHashMap<>();
    private volatile CaptureWriter writer;
    private volatile TrafficRecorder recorder;
    private volatile boolean ended;

    /** Makes a session without a writer, which {@link #begin} must set before the first connection. */
    RecordingSession(RecordingConfig config, TlsEngines tls, EventLoopGroup loops, Bootstrap upstream) {
        this.config = config;
        this.tls = tls;
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

    RecordingConfig config() {
        return config;
    }

    TlsEngines tls() {
        return tls;
    }

    /** Tells whether one more client is let in; if so it counts until its channel closes. */
    boolean admit(Channel client) {
        int limit = config.maxConnections();
        if (limit == 0) {
            return true;
        }
        if (open.incrementAndGet() > limit) {
            open.decrementAndGet();
            return false;
        }
        client.closeFuture().addListener(closed -> open.decrementAndGet());
        return true;
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
