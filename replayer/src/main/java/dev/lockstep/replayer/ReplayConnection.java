package dev.lockstep.replayer;

import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.net.DirectSocket;
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
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;

/**
 * One client connection: sends requests, has its {@link AnswerReader} match the answers, and tells its {@link Dispatcher}
 * what happened. Runs per request on the event loop; that thread only.
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
        /** The reader talks to the target before the first request. */
        GREETING,
        OPEN,
        /** The target wants no more requests; those in flight are answered still. */
        DRAINING
    }

    /** The intended time of a request in a closed loop: when it is written. */
    static final long WHEN_WRITTEN = Long.MIN_VALUE;

    /** A connection with nothing but requests that get no answer must not keep its event loop from all else. */
    private static final int FLUSHES_PER_TURN = 32;

    private static final long MIN_BACK_OFF_NS = 1_000_000;
    private static final long MAX_BACK_OFF_NS = 250_000_000;

    /** So many requests are kept from the channel until their flush; of more it is asked whether the socket keeps up. */
    private static final int MOST_HELD = 16;

    /** Stands for the number of a request that is none of the capture's table. */
    static final long NOT_IN_TABLE = Long.MAX_VALUE;

    private static final long DEFERRED = 1;
    /** Answered out of order, while an older request is still in flight. */
    private static final long DONE = 1 << 1;
    /** Gets no answer: complete when it is written. */
    private static final long ONEWAY = 1 << 2;

    private final ReplayWorker worker;
    private final Dispatcher dispatcher;
    private final AnswerReader reader;
    /** Whether the reader writes the requests itself. */
    private final boolean readerWrites;

    private final ChannelFutureListener onConnected = this::connected;
    private final ChannelFutureListener onWritten = this::written;
    private final ChannelFutureListener onOutputTaken = this::outputTaken;
    private final GenericFutureListener<Future<Channel>> onSecured = this::secured;
    private final Protocol protocol;

    /** Those whose turn to be dropped has not come, the oldest first. */
    private final InFlightRequests requests = new InFlightRequests();
    /** The sequence number of the oldest of these. */
    private long oldestSequence;
    /** How many of them still await something. */
    private int inFlight;

    private State state = State.CLOSED;
    private Channel channel;
    /** TLS of the channel, or null without it. */
    private TlsLink tls;
    /** The channel's socket where nothing stands between it and this connection, else null. */
    private DirectSocket socket;
    /** Of the requests in flight, how many of the last were not yet flushed. */
    private int unflushed;
    /** How many of the last not even the channel was given yet. */
    private int held;
    /** How many of the last the socket has not yet taken whole; those not yet flushed are among them. */
    private int unwritten;
    /** Of the requests in flight, how many get no answer. */
    private int onewayInFlight;
    /** Whether a flush is under way. */
    private boolean flushing;
    /** Whether the recorded bytes that are sent waited for the target. */
    private boolean sendsLate;
    /** Whether a promise is out that tells when the socket took all that was flushed before it. */
    private boolean promised;

    /** Why it was closed last. */
    private ErrorKind closedBy;

    private long nowNs;
    /** When the last attempt to connect began. */
    private long connectingSinceNs;
    /** Whether an answer came on the present channel, or a request went out that gets none. */
    private boolean fruitful;

    /** Whether a pool has it in its queue of connections to open. */
    boolean queued;
    /** How many attempts in a row failed to connect, or were closed before they brought anything; time-outs do not count. */
    int fruitless;
    /** Whether a pool has seen an attempt to connect end in this phase. */
    boolean settled;
    /** Whether it stands in a pool's queue of connections that are free or that pause; it may have been lost there. */
    boolean waits;
    /** Until when it pauses, where a pool's connections do. */
    long thinksUntilNs;
    /** The recorded connection that this one stands for, or null in a pool. */
    RecordedConnections.Slot slot;

    // Links of the worker's list of connections that await an answer, oldest request first.
    ReplayConnection earlier;
    ReplayConnection later;
    boolean listed;

    /** @param protocol in which the requests to be sent were recorded */
    ReplayConnection(ReplayWorker worker, Dispatcher dispatcher, Protocol protocol) {
        this.worker = worker;
        this.dispatcher = dispatcher;
        this.protocol = protocol;
        reader = worker.newReader(this, protocol);
        readerWrites = reader.writesRequests();
    }

    State state() {
        return state;
    }

    /** Tells whether the channel that was opened last still serves; when it was closed, the next may be under way already. */
    boolean isUp() {
        return state != State.CLOSED && state != State.CONNECTING;
    }

    /** Returns how many requests await their answers. */
    int inFlight() {
        return inFlight;
    }

    /** Tells whether this request was handed to the socket and awaits its answer. */
    boolean isAwaited(long sequence) {
        long position = sequence - oldestSequence;
        return position >= 0 && position < requests.size() - unflushed && (requests.flags((int) position) & DONE) == 0;
    }

    /** Returns the number in the phase of a request in flight. */
    long number(long sequence) {
        return requests.number((int) (sequence - oldestSequence));
    }

    /** Returns the channel, for whoever writes something else to it behind the requests; null while there is none. */
    Channel channel() {
        writeHeld();
        return channel;
    }

    /** Returns why it was closed last, after it was open. */
    ErrorKind closedBy() {
        return closedBy;
    }

    /** Returns when the oldest request in flight was written. */
    long oldestWrittenNs() {
        return requests.writtenNs(0);
    }

    /**
     * Returns when the next attempt to connect may begin, on the monotonic clock, after the last one ended. A failed one
     * is followed by the next after 1 ms, then 2 ms and so on. A target may close a connection unanswered once, and is
     * asked again at once; when it goes on so, attempts keep the same distances from the beginning of one to that of the
     * next, so that one that stood open for a while is no reason to wait.
     *
     * @param failed whether the last attempt failed to connect; else it was closed
     */
    long nextAttemptNs(boolean failed, long nowNs) {
        if (failed) {
            return nowNs + backOffNs(fruitless);
        }
        return fruitless < 2 ? nowNs : connectingSinceNs + backOffNs(fruitless - 1);
    }

    private static long backOffNs(int attempts) {
        return Math.min(MAX_BACK_OFF_NS, MIN_BACK_OFF_NS << Math.min(8, attempts - 1));
    }

    /** Opens the connection; {@link Dispatcher#connected} or {@link Dispatcher#closed} follows. */
    void connect() {
        state = State.CONNECTING;
        connectingSinceNs = System.nanoTime();
        fruitful = false;
        tls = worker.newTlsLink(protocol);
        ChannelFuture connecting = worker.connect(tls == null ? this : tls.initializer(this));
        channel = connecting.channel();
        connecting.addListener(onConnected);
    }

    private void connected(ChannelFuture connecting) {
        if (!worker.isOnLoop()) {
            // Where no channel could be made, Netty reports it on a thread of its own.
            worker.execute(() -> connected(connecting));
            return;
        }
        if (!connecting.isSuccess()) {
            notConnected(connectError(connecting.cause()));
        } else if (tls == null) {
            opened();
        } else {
            tls.handshake().addListener(onSecured);
        }
    }

    private void secured(Future<Channel> handshake) {
        if (tls == null || handshake != tls.handshake() || state != State.CONNECTING) {
            return;
        }
        if (handshake.isSuccess() && tls.isAgreed()) {
            opened();
            return;
        }
        Channel closing = channel;
        if (!tls.isAbandoned()) {
            worker.tlsFailed(tls.problem(handshake.cause()));
        }
        notConnected(ErrorKind.TLS_FAILED);
        closing.close();
    }

    private void opened() {
        socket = DirectSocket.of(channel, this);
        worker.opened();
        state = State.GREETING;
        if (reader.opened()) {
            ready();
        } else if (state == State.GREETING) {
            Channel greeted = channel;
            worker.afterTimeout(() -> giveUpGreeting(greeted));
        }
    }

    private void notConnected(ErrorKind kind) {
        state = State.CLOSED;
        channel = null;
        fruitless++;
        worker.connectFailed(kind);
        dispatcher.closed(this, kind);
    }

    private void giveUpGreeting(Channel greeted) {
        if (channel == greeted && state == State.GREETING) {
            close(ErrorKind.READ_TIMEOUT);
        }
    }

    /** Says that requests may be sent; called by the reader where {@link AnswerReader#opened} did not say so. */
    void ready() {
        state = State.OPEN;
        dispatcher.connected(this);
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
        if (cause instanceof NoRouteToHostException
                || message.contains("No route to host")
                || message.contains("unreachable")) {
            return ErrorKind.NO_ROUTE;
        }
        if (message.contains("timed out")) {
            // The kernel's own limit, where ours is longer.
            return ErrorKind.CONNECT_TIMEOUT;
        }
        if (message.contains("reset")) {
            return ErrorKind.CONNECT_RESET;
        }
        return cause instanceof ConnectException ? ErrorKind.CONNECT_REFUSED : ErrorKind.CONNECT_FAILED;
    }

    /**
     * Writes the n-th request of the phase; {@link #flush} must follow.
     *
     * @param deferred whether it waited for a free connection or for an answer, and so is late through the target
     */
    void send(long n, long intendedAtNs, boolean deferred) {
        boolean answered = reader.sending(oldestSequence + requests.size(), n);
        requests.add(n, intendedAtNs, (deferred ? DEFERRED : 0) | (answered ? 0 : ONEWAY));
        if (!answered) {
            onewayInFlight++;
        }
        inFlight++;
        unflushed++;
        unwritten++;
        if (!readerWrites) {
            held++;
        }
        worker.sending(deferred);
    }

    /** Gives the channel the requests that it was not given yet. */
    private void writeHeld() {
        int size = requests.size();
        while (held > 0) {
            long n = requests.number(size - held);
            held--;
            worker.counts().bytesSent += worker.source().write(channel, n, worker.sentStreamFor(n));
        }
    }

    /**
     * Hands the only request that is held straight to the socket, where nothing is in the way and it lies in one piece;
     * what the socket does not take goes through the channel. A pipelined one goes through the channel, since all that
     * was recorded in one piece is to go out in one.
     *
     * @return whether the socket took the whole request
     */
    private boolean sendHeld() {
        if (held != 1 || socket == null || !socket.isFree()) {
            return false;
        }
        RequestSource source = worker.source();
        long n = requests.number(requests.size() - 1);
        long address = source.address(n);
        if (address == 0) {
            return false;
        }
        held = 0;
        int length = source.length(n);
        SentStream sentStream = worker.sentStreamFor(n);
        if (sentStream != null) {
            source.note(n, sentStream);
        }
        worker.counts().bytesSent += length;
        int taken;
        try {
            taken = socket.send(address, length);
        } catch (IOException e) {
            close(ErrorKind.CONNECTION_RESET);
            return false;
        }
        if (taken < length) {
            source.writeRest(channel, n, taken);
            return false;
        }
        return true;
    }

    /**
     * Takes note of a request that ends in recorded bytes which are about to be written and are none of the capture's
     * table.
     *
     * @return its sequence number
     */
    long sendingStream(long intendedAtNs) {
        long sequence = oldestSequence + requests.size();
        requests.add(NOT_IN_TABLE, intendedAtNs, sendsLate ? DEFERRED : 0);
        inFlight++;
        unflushed++;
        unwritten++;
        worker.sending(sendsLate);
        return sequence;
    }

    /** Sends no more requests; closes the connection when the last one in flight is answered. */
    void drain() {
        if (state != State.OPEN) {
            return;
        }
        state = State.DRAINING;
        closeDrained();
    }

    private void closeDrained() {
        if (state == State.DRAINING && inFlight == 0) {
            close(ErrorKind.PREMATURE_CLOSE);
        }
    }

    /** Closes the connection, since its oldest request waited too long. */
    void expire() {
        close(reader.expiredAs());
    }

    /**
     * Hands the written requests to the socket and stamps them. The stamp is taken before the system call, since on a
     * loopback device the call itself may deliver the bytes; where the socket does not take all at once, it is the time
     * at which it took the last byte.
     */
    void flush() {
        if (flushing) {
            // A request without an answer was completed, and another was sent: the flush under way goes on with it.
            return;
        }
        flushing = true;
        int flushes = 0;
        do {
            flushOnce();
        } while (unflushed > 0 && ++flushes < FLUSHES_PER_TURN);
        flushing = false;
        if (unflushed > 0) {
            worker.execute(this::flushRest);
        }
    }

    private void flushRest() {
        if (unflushed > 0) {
            flush();
        }
    }

    private void flushOnce() {
        long stampNs = System.nanoTime();
        int size = requests.size();
        for (int i = size - unflushed; i < size; i++) {
            requests.writtenNs(i, stampNs);
            if (requests.intendedNs(i) == WHEN_WRITTEN) {
                requests.intendedNs(i, stampNs);
            }
        }
        unflushed = 0;
        worker.awaiting(this);
        Channel flushed = channel;
        if (sendHeld()) {
            allTaken(false, stampNs);
            return;
        }
        if (channel != flushed) {
            return;
        }
        writeHeld();
        flushed.flush();
        // The flush itself may have met a broken connection, and closed it.
        if (channel == flushed && unwritten > 0) {
            if (tls != null) {
                encrypted(size, stampNs);
            }
            settle(false, stampNs);
        }
    }

    /** Stamps what was just flushed anew, with the time at which its encrypted bytes were handed to the socket. */
    private void encrypted(int size, long plainNs) {
        long stampNs = tls.flushedNs();
        for (int i = size - 1; i >= 0 && requests.writtenNs(i) == plainNs; i--) {
            requests.writtenNs(i, stampNs);
            if (requests.intendedNs(i) == plainNs) {
                requests.intendedNs(i, stampNs);
            }
        }
    }

    /**
     * Writes recorded bytes that belong to no request and hands them to the socket, behind the requests sent before; none
     * where the reader leads the conversation itself.
     *
     * @param piece their number among the capture's opaque pieces
     * @param intendedAtNs when they were to be sent, on the monotonic clock
     * @param deferred whether they waited for the connection or for an answer, and so are late through the target
     * @return whether they are sent
     */
    boolean sendOpaque(long piece, long intendedAtNs, boolean deferred) {
        sendsLate = deferred;
        if (!reader.sendingOpaque(piece, intendedAtNs)) {
            return false;
        }
        Channel written = channel();
        worker.counts().opaqueBytesSent += worker.source().writeOpaque(written, piece);
        flushBehind();
        return true;
    }

    /** Hands over what was written to the {@link #channel} behind the requests, and stamps those that go out with it. */
    void flushBehind() {
        if (unflushed > 0) {
            flush();
        } else {
            channel.flush();
        }
    }

    /** Tells whether the socket keeps up, so that what is sent now does not pile up in memory. */
    boolean isWritable() {
        if (held >= MOST_HELD) {
            writeHeld();
        }
        return channel.isWritable();
    }

    /** Reads no more of a target that does not take what we say to it, until it does; what it sends waits with it. */
    void readOnlyWhileWritable() {
        if (isUp() && !channel.isWritable()) {
            channel.config().setAutoRead(false);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        // Later, since this comes in the middle of a flush.
        worker.execute(() -> {
            if (ctx.channel() == channel && channel.isWritable()) {
                channel.config().setAutoRead(true);
                if (state == State.OPEN) {
                    dispatcher.writable(this);
                }
            }
        });
    }

    /** Ends our side once the socket took all that was sent; what the target still says is read. */
    void endOutput() {
        if (tls == null) {
            channel().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(onOutputTaken);
        } else {
            tls.endOutput();
        }
    }

    private void outputTaken(ChannelFuture taken) {
        if (taken.isSuccess() && taken.channel() == channel) {
            ((DuplexChannel) channel).shutdownOutput();
        }
    }

    private void written(ChannelFuture writing) {
        if (writing.channel() == channel) {
            promised = false;
            if (writing.isSuccess()) {
                settle(true, System.nanoTime());
                flushRest();
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
            allTaken(late, stampNs);
        } else if (!promised) {
            // Behind the last byte goes an empty buffer whose promise tells when the socket took it.
            promised = true;
            ChannelFuture taken = tls == null ? channel.writeAndFlush(Unpooled.EMPTY_BUFFER) : tls.afterFlushed();
            taken.addListener(onWritten);
        }
    }

    private void allTaken(boolean late, long stampNs) {
        int size = requests.size();
        for (int i = size - unwritten; i < size - unflushed; i++) {
            if (late) {
                requests.writtenNs(i, stampNs);
            }
            written(i);
        }
        unwritten = unflushed;
        if (late && listed) {
            // Its place among those that may expire is that of the oldest stamp, which is new.
            worker.noLongerAwaiting(this);
            worker.awaiting(this);
        }
        if (onewayInFlight > 0) {
            completeOneway();
        }
    }

    private void written(int position) {
        worker.written(
                requests.number(position),
                requests.intendedNs(position),
                requests.writtenNs(position),
                (requests.flags(position) & DEFERRED) != 0);
    }

    /** Completes the requests that get no answer and were taken by the socket. */
    private void completeOneway() {
        int completed = 0;
        for (int i = requests.size() - unwritten - 1; i >= 0; i--) {
            if ((requests.flags(i) & (ONEWAY | DONE)) == ONEWAY) {
                worker.completedOneway();
                if (worker.answerLog() != null) {
                    worker.answerLog().answered(requests.number(i), 0, 0);
                }
                done(i);
                completed++;
            }
        }
        onewayInFlight -= completed;
        if (completed > 0) {
            // It brought what it was opened for; a target may close a connection after a call that gets no answer.
            brought();
        }
        worker.noLongerAwaiting(this);
        dropDone();
        if (inFlight > unflushed) {
            worker.awaiting(this);
        }
        Channel open = channel;
        for (; completed > 0 && channel == open; completed--) {
            dispatcher.answered(this, state == State.OPEN);
        }
        closeDrained();
    }

    /** Closes the connection; requests in flight fail with this kind. */
    void close(ErrorKind kind) {
        if (state == State.CLOSED) {
            return;
        }
        Channel closing = channel;
        if (state == State.CONNECTING) {
            // Fails the attempt, which then ends like any that failed.
            if (tls != null) {
                tls.abandon();
            }
            closing.close();
            return;
        }
        channel = null;
        closedBy = kind;
        if (state == State.GREETING) {
            state = State.CLOSED;
            fruitless++;
            worker.closed();
            worker.connectFailed(kind);
            closing.close();
            reader.closed();
            dispatcher.closed(this, kind);
            return;
        }
        state = State.CLOSED;
        if (!fruitful && kind != ErrorKind.READ_TIMEOUT) {
            fruitless++;
        }
        reader.closed();
        failInFlight(kind);
        worker.closed();
        closing.close();
        dispatcher.closed(this, null);
    }

    private void failInFlight(ErrorKind kind) {
        worker.noLongerAwaiting(this);
        promised = false;
        int size = requests.size();
        for (int i = size - unwritten; i < size; i++) {
            worker.cut(requests.number(i), kind);
        }
        // What is given up between rounds awaits its answer still: nothing is known of it.
        AnswerLog log = worker.isIdle() ? null : worker.answerLog();
        for (int i = 0; log != null && i < size; i++) {
            if ((requests.flags(i) & DONE) == 0) {
                log.failed(requests.number(i), kind);
            }
        }
        int failed = inFlight;
        inFlight = 0;
        held = 0;
        unflushed = 0;
        unwritten = 0;
        onewayInFlight = 0;
        oldestSequence += size;
        requests.clear();
        if (failed > 0) {
            worker.lost(kind, failed);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (ctx.channel() == channel) {
                worker.counts().bytesReceived += in.readableBytes();
                nowNs = System.nanoTime();
                reader.read(in);
            }
        } finally {
            in.release();
        }
    }

    /**
     * Takes an answered request out of flight. An answer may come before its request was written to the end.
     *
     * @param status the answer's status code, 0 where the protocol has none
     * @param reusable whether the connection can carry more; where not, it is closed
     * @return whether the connection goes on
     */
    boolean completed(long sequence, int status, long bodyBytes, boolean reusable) {
        int position = answered(sequence);
        AnswerLog log = worker.answerLog();
        if (log != null) {
            log.answered(requests.number(position), status, bodyBytes);
        }
        worker.answered(requests.intendedNs(position), requests.writtenNs(position), nowNs, status, bodyBytes);
        return goOn(position, reusable);
    }

    /**
     * Takes a request out of flight whose answer is whole and says that it failed; the connection goes on.
     *
     * @return whether the connection goes on
     */
    boolean answeredWith(ErrorKind kind, long sequence) {
        return answeredWith(kind, sequence, true);
    }

    /** As above; where the connection is not reusable, it is closed. */
    boolean answeredWith(ErrorKind kind, long sequence, boolean reusable) {
        int position = answered(sequence);
        AnswerLog log = worker.answerLog();
        if (log != null) {
            log.failed(requests.number(position), kind);
        }
        worker.answeredWith(kind, nowNs);
        return goOn(position, reusable);
    }

    private void brought() {
        fruitful = true;
        fruitless = 0;
    }

    private int answered(long sequence) {
        brought();
        int position = (int) (sequence - oldestSequence);
        // The socket took this one, and so all before it.
        int stillUnwritten = requests.size() - position - 1;
        while (unwritten > stillUnwritten) {
            written(requests.size() - unwritten);
            unwritten--;
        }
        return position;
    }

    private boolean goOn(int position, boolean reusable) {
        boolean ofTable = requests.number(position) != NOT_IN_TABLE;
        worker.noLongerAwaiting(this);
        done(position);
        dropDone();
        if (inFlight > 0) {
            worker.awaiting(this);
        }
        if (ofTable) {
            dispatcher.answered(this, reusable && state == State.OPEN);
        }
        if (!reusable) {
            // What was pipelined behind the last answer of a connection gets none.
            close(ErrorKind.PREMATURE_CLOSE);
        }
        closeDrained();
        return isUp();
    }

    private void done(int position) {
        requests.flags(position, requests.flags(position) | DONE);
        inFlight--;
    }

    private void dropDone() {
        while (!requests.isEmpty() && (requests.flags(0) & DONE) != 0) {
            oldestSequence++;
            requests.removeOldest();
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
        // The end of a TLS handshake is told by its future.
        if (ctx.channel() != channel || state == State.CONNECTING) {
            return;
        }
        nowNs = System.nanoTime();
        reader.ended();
        if (ctx.channel() == channel) {
            close(ErrorKind.PREMATURE_CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (ctx.channel() != channel) {
            return;
        }
        if (tls == null || !TlsLink.isTlsFailure(cause)) {
            close(
                    !(cause instanceof IOException)
                            ? worker.unexpected(cause)
                            : unwritten > unflushed ? ErrorKind.WRITE_FAILED : ErrorKind.CONNECTION_RESET);
        } else if (state != State.CONNECTING) {
            // A target that wants a certificate may say so only after a handshake of TLS 1.3.
            worker.tlsFailed(tls.problem(cause));
            close(ErrorKind.TLS_FAILED);
        }
    }
}
