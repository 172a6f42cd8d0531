package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.net.ReceiveBuffer;
import dev.lockstep.tap.TrafficRecorder;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** What all connections of a proxy share: the recorder, the counters, the way to the upstream. Any thread. */
final class RecordingSession implements AutoCloseable {
    final ProxyCounters counters = new ProxyCounters();

    final RecordingConfig config;
    /** Each user sets event loop and handler on a clone. */
    final Bootstrap upstream;

    final TlsEngines tls;
    private final AtomicInteger open = new AtomicInteger();
    private final Map<EventExecutor, ReceiveBuffer> receiveBuffers = new IdentityHashMap<>();
    private volatile CaptureWriter writer;
    private volatile TrafficRecorder recorder;
    private volatile boolean ended;

    /** {@link #begin} must set the writer before the first connection. */
    RecordingSession(RecordingConfig config, TlsEngines tls, EventLoopGroup loops, Bootstrap upstream) {
        this.config = config;
        this.tls = tls;
        loops.forEach(loop -> receiveBuffers.put(loop, new ReceiveBuffer()));
        this.upstream = upstream;
    }

    void begin(CaptureWriter to) {
        recorder = new TrafficRecorder(to, config.protocol(), config.redaction());
        writer = to;
    }

    /** From now on connections close because the recording ends. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Lets one more client in, which counts until its channel closes, or refuses it. */
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

    /** The memory into which an event loop of this session reads. */
    ReceiveBuffer receiveBuffer(EventLoop loop) {
        return receiveBuffers.get(loop);
    }

    /** Releases the memory of the event loops, which must have ended. */
    @Override
    public void close() {
        receiveBuffers.values().forEach(ReceiveBuffer::release);
    }
}
