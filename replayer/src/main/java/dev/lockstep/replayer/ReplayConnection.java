package dev.lockstep.replayer;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.protocol.HttpResponseFramer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;

/**
 * One client connection: sends requests, frames the answers first-in first-out, and tells its {@link Dispatcher} what
 * happened. Runs per request on the event loop; that thread only.
 *
 * <p>Sharable in Netty's sense, since after a close it connects again with a new channel; it serves one at a time and
 * turns away what an earlier one still has to say.
 */
@Sharable
final class ReplayConnection extends ChannelInboundHandlerAdapter {
    /** Where the connection stands. */
    enum State {
        CLOSED,
        CONNECTING,
        OPEN
    }

    /** The intended time of a request in a closed loop: when it is written. */
    static final long WHEN_WRITTEN = Long.MIN_VALUE;

    private static final long DEFERRED = 1L << 8;

    private final ReplayWorker worker;
    private final Dispatcher dispatcher;
    private final HttpResponseFramer framer = new HttpResponseFramer();
    private final ChannelFutureListener onConnected = this::connected;
    private final ChannelFutureListener onWritten = this::written;

    // Requests in flight, oldest first: four queues that move together.
    private final LongQueue numbers = new LongQueue(1);
    private final LongQueue intendedNs = new LongQueue(1);
    private final LongQueue writtenNs = new LongQueue(1);
    private final LongQueue kinds = new LongQueue(1);

    private State state = State.CLOSED;
    private Channel channel;
    /** Of the requests in flight, how many of the last were not yet flushed. */
    private int unflushed;
    /** How many of the last the socket has not yet taken whole; those not yet flushed are among them. */
    private int unwritten;
    /** Whether a promise is out that tells when the socket took all that was flushed before it. */
    private boolean promised;

    private boolean framing;
    private long nowNs;

    /** Whether a pool has it in its queue of connections to open. */
    boolean queued;
    /** How many attempts to connect failed since the last that did not. */
    int failedConnects;
    /** Whether a pool has seen an attempt to connect end in this phase. */
    boolean settled;
    /** The recorded connection that this one stands for, or null in a pool. */
    RecordedConnections.Slot slot;

    // Links of the worker's list of connections that await an answer, oldest request first.
    ReplayConnection earlier;
    ReplayConnection later;
    boolean listed;

    ReplayConnection(ReplayWorker worker, Dispatcher dispatcher) {
        this.worker = worker;
        this.dispatcher = dispatcher;
    }

    State state() {
        return state;
    }

    /** Returns how many requests await their answers. */
    int inFlight() {
        return intendedNs.size();
    }

    /** Returns when the oldest request in flight was written. */
    long oldestWrittenNs() {
        return writtenNs.get(0);
    }

    /** Opens the connection; {@link Dispatcher#connected} or {@link Dispatcher#closed} follows. */
    void connect() {
        state = State.CONNECTING;
        ChannelFuture connecting = worker.connect(this);
        channel = connecting.channel();
        connecting.addListener(onConnected);
    }

    private void connected(ChannelFuture connecting) {
        if (!worker.isOnLoop()) {
            // Where no channel could be made, Netty reports it on a thread of its own.
            worker.execute(() -> connected(connecting));
            return;
        }
        if (connecting.isSuccess()) {
            state = State.OPEN;
            failedConnects = 0;
            worker.counts().connections++;
            dispatcher.connected(this);
        } else {
            state = State.CLOSED;
            channel = null;
            failedConnects++;
            dispatcher.closed(this, 0, connectError(connecting.cause()));
        }
    }

    private ErrorKind connectError(Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return ErrorKind.CONNECT_TIMEOUT;
        }
        String message = String.valueOf(cause.getMessage());
        if (message.contains("Too many open files")) {
            worker.ownLimit(
                    "Lockstep ran out of file descriptors; raise the limit (ulimit -n) or use fewer connections");
            return ErrorKind.CONNECT_FAILED;
        }
        if (message.contains("Cannot assign requested address")) {
            worker.ownLimit("Lockstep ran out of local ports; use fewer or longer-lived connections");
            return ErrorKind.CONNECT_FAILED;
        }
        return cause instanceof ConnectException ? ErrorKind.CONNECT_REFUSED : ErrorKind.CONNECT_FAILED;
    }

    /**
     * Writes the n-th request of the phase; {@link #flush} must follow.
     *
     * @param deferred whether it waited for a free connection or for an answer, and so is late through the target
     */
    void send(long n, long intendedAtNs, boolean deferred) {
        RequestSource source = worker.source();
        byte kind = source.expectedAnswer(source.request(n));
        numbers.add(n);
        intendedNs.add(intendedAtNs);
        writtenNs.add(0);
        kinds.add(deferred ? kind | DEFERRED : kind);
        unflushed++;
        unwritten++;
        worker.sending(deferred);
        worker.counts().bytesSent += source.write(channel, n, worker.sentStreamFor(n));
    }

    /**
     * Hands the written requests to the socket and stamps them. The stamp is taken before the system call, since on a
     * loopback device the call itself may deliver the bytes; where the socket does not take all at once, it is the time
     * at which it took the last byte.
     */
    void flush() {
        long stampNs = System.nanoTime();
        int size = writtenNs.size();
        for (int i = size - unflushed; i < size; i++) {
            writtenNs.set(i, stampNs);
            if (intendedNs.get(i) == WHEN_WRITTEN) {
                intendedNs.set(i, stampNs);
            }
        }
        unflushed = 0;
        worker.awaiting(this);
        Channel flushed = channel;
        flushed.flush();
        // The flush itself may have met a broken connection, and closed it.
        if (channel == flushed && unwritten > 0) {
            settle(false, stampNs);
        }
    }

    private void written(ChannelFuture writing) {
        if (writing.channel() == channel) {
            promised = false;
            if (writing.isSuccess()) {
                settle(true, System.nanoTime());
            }
        }
    }

    /**
     * Records the lag of what the socket has taken, or sees to it that we are told when it has.
     *
     * @param late whether the socket took it after its flush, and so at this time
     */
    private void settle(boolean late, long stampNs) {
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        if (outbound == null) {
            return;
        }
        if (outbound.isEmpty()) {
            int size = intendedNs.size();
            for (int i = size - unwritten; i < size - unflushed; i++) {
                if (late) {
                    writtenNs.set(i, stampNs);
                }
                worker.written(intendedNs.get(i), writtenNs.get(i), (kinds.get(i) & DEFERRED) != 0);
            }
            unwritten = unflushed;
        } else if (!promised) {
            // Behind the last byte goes an empty buffer whose promise tells when the socket took it.
            promised = true;
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(onWritten);
        }
    }

    /** Closes the connection; requests in flight fail with this kind. */
    void close(ErrorKind kind) {
        if (state == State.CLOSED) {
            return;
        }
        Channel closing = channel;
        if (state == State.CONNECTING) {
            // Fails the attempt, which then ends like any that failed.
            closing.close();
            return;
        }
        channel = null;
        state = State.CLOSED;
        int failed = failInFlight(kind);
        closing.close();
        dispatcher.closed(this, failed, null);
    }

    private int failInFlight(ErrorKind kind) {
        worker.noLongerAwaiting(this);
        framing = false;
        promised = false;
        int failed = intendedNs.size();
        for (int i = failed - unwritten; i < failed; i++) {
            worker.cut(numbers.get(i), kind);
        }
        unflushed = 0;
        unwritten = 0;
        numbers.clear();
        intendedNs.clear();
        writtenNs.clear();
        kinds.clear();
        if (failed > 0) {
            worker.failed(kind, failed);
        }
        return failed;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (ctx.channel() == channel) {
                worker.counts().bytesReceived += in.readableBytes();
                nowNs = System.nanoTime();
                read(in);
            }
        } finally {
            in.release();
        }
    }

    private void read(ByteBuf in) {
        while (in.isReadable()) {
            if (intendedNs.size() == unflushed) {
                worker.excessBytes();
                close(ErrorKind.EXCESS_RESPONSE);
                return;
            }
            if (!framing) {
                long kind = kinds.get(0) & ~DEFERRED;
                framer.expect(
                        kind == RequestSource.ExpectedAnswer.TO_HEAD, kind == RequestSource.ExpectedAnswer.TO_CONNECT);
                framing = true;
            }
            switch (framer.feed(in)) {
                case HttpResponseFramer.MORE:
                    return;
                case HttpResponseFramer.COMPLETE:
                    if (in.isReadable() && intendedNs.size() == 1) {
                        // Before the next request goes out, whose answer these bytes would be taken for.
                        close(ErrorKind.EXCESS_RESPONSE);
                        return;
                    }
                    answered();
                    if (channel == null) {
                        return;
                    }
                    break;
                default:
                    close(ErrorKind.MALFORMED_RESPONSE);
                    return;
            }
        }
    }

    /** Takes the oldest request out of flight. An answer may come before its request was written to the end. */
    private void answered() {
        framing = false;
        if (unwritten == intendedNs.size()) {
            unwritten--;
            worker.written(intendedNs.get(0), writtenNs.get(0), (kinds.get(0) & DEFERRED) != 0);
        }
        worker.noLongerAwaiting(this);
        numbers.remove();
        long intendedAtNs = intendedNs.remove();
        long writtenAtNs = writtenNs.remove();
        kinds.remove();
        worker.answered(intendedAtNs, writtenAtNs, nowNs, framer.status(), framer.bodyBytes());
        if (!intendedNs.isEmpty()) {
            worker.awaiting(this);
        }
        boolean reusable = framer.persistent();
        dispatcher.answered(this, reusable);
        if (!reusable) {
            // What was pipelined behind the last answer of a connection gets none.
            close(ErrorKind.PREMATURE_CLOSE);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (ctx.channel() == channel && unflushed > 0) {
            flush();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (ctx.channel() != channel) {
            return;
        }
        if (framing && framer.endOfStream() == HttpResponseFramer.COMPLETE) {
            nowNs = System.nanoTime();
            answered();
        } else {
            close(ErrorKind.PREMATURE_CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (ctx.channel() == channel) {
            close(cause instanceof IOException ? ErrorKind.CONNECTION_RESET : worker.unexpected(cause));
        }
    }
}
