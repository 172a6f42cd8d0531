package dev.lockstep.replayer.engine;

import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.net.DirectSocket;
import dev.lockstep.replayer.answers.AnswerReader;
import dev.lockstep.replayer.answers.AnsweredConnection;
import dev.lockstep.replayer.comparison.AnswerLog;
import dev.lockstep.replayer.meters.LoadMeter;
import dev.lockstep.replayer.requests.RequestSource;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.io.IOException;

/**
 * One client connection: sends requests, has its {@link AnswerReader} match the answers, and tells its
 * {@link ConnectionOwner} what happened. Runs per request on the event loop; that thread only. After a close it can
 * connect again, over a new {@link Wire}.
 */
final class ReplayConnection implements AnsweredConnection {
    private enum State {
        CLOSED,
        CONNECTING,
        /** The reader talks to the target before the first request. */
        GREETING,
        OPEN,
        /** The target wants no more requests; those in flight are answered still. */
        DRAINING
    }

    /** The most flushes in a row: a connection with oneway requests only must not hog its event loop. */
    private static final int FLUSHES_PER_TURN = 32;

    /**
     * The most requests kept from the channel until their flush; beyond them the channel is asked whether the socket
     * keeps up.
     */
    private static final int MOST_HELD = 16;

    private final Target target;
    private final LoadMeter meter;
    private final RequestWriter writer;
    private final ConnectionOwner owner;
    private final Protocol protocol;
    private final int recorded;
    private final AnswerReader reader;
    /** Whether the reader writes the requests itself. */
    private final boolean readerWrites;

    private final InFlightRequests requests = new InFlightRequests();
    private final ExpiryQueue.Entry expiry = new ExpiryQueue.Entry(this);
    /** Says when it may be opened again. */
    final BackOff backOff = new BackOff();

    private State state = State.CLOSED;
    /** The present one, or null. */
    private Wire wire;
    /** Whether a flush is under way. */
    private boolean flushing;
    /** The first request that was answered before the socket had taken all there was, or none of the table. */
    private long answeredEarly = RequestSource.NOT_IN_TABLE;
    /** Whether the recorded bytes that are sent waited for the target. */
    private boolean sendsLate;
    /** Why it was closed last. */
    private ErrorKind closedBy;
    /** When what is read now came. */
    private long nowNs;

    /**
     * @param protocol in which the requests to be sent were recorded
     * @param recorded the number of the recorded connection that this one replays, or {@link #POOLED}
     */
    ReplayConnection(Target target, ConnectionOwner owner, Protocol protocol, int recorded) {
        this.target = target;
        this.owner = owner;
        this.protocol = protocol;
        this.recorded = recorded;
        meter = target.meter();
        writer = target.writer();
        reader = target.answers().newReader(this, protocol);
        readerWrites = reader.writesRequests();
    }

    @Override
    public int recorded() {
        return recorded;
    }

    // ---- opening ----------------------------------------------------------------------------------------------------

    boolean isClosed() {
        return state == State.CLOSED;
    }

    /** Tells whether it takes requests. */
    boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public boolean isUp() {
        return state != State.CLOSED && state != State.CONNECTING;
    }

    /** Tells whether this wire is the present one. */
    boolean isOn(Wire asking) {
        return wire == asking;
    }

    boolean isConnecting(Wire asking) {
        return wire == asking && state == State.CONNECTING;
    }

    /** Opens the connection; {@link ConnectionOwner#connected} or {@link ConnectionOwner#closed} follows. */
    void connect() {
        state = State.CONNECTING;
        backOff.attempt(System.nanoTime());
        wire = new Wire(this, target, protocol);
        wire.connect();
    }

    void opened() {
        meter.opened();
        state = State.GREETING;
        if (reader.opened()) {
            ready();
        } else if (state == State.GREETING) {
            Wire greeted = wire;
            target.afterTimeout(() -> giveUpGreeting(greeted));
        }
    }

    private void giveUpGreeting(Wire greeted) {
        if (wire == greeted && state == State.GREETING) {
            close(ErrorKind.READ_TIMEOUT);
        }
    }

    @Override
    public void ready() {
        state = State.OPEN;
        owner.connected();
    }

    void notConnected(ErrorKind kind) {
        state = State.CLOSED;
        wire = null;
        backOff.failed();
        meter.connectFailed(kind);
        owner.closed(kind);
    }

    // ---- sending ----------------------------------------------------------------------------------------------------

    /**
     * Writes the n-th request of the phase; {@link #flush} must follow.
     *
     * @param deferred whether it waited for a free connection or for an answer, and so is late through the target
     */
    void send(long n, long intendedNs, boolean deferred) {
        boolean answered = reader.sending(requests.nextSequence(), n, intendedNs);
        requests.add(n, target.source().endpoint(n), intendedNs, deferred, answered, !readerWrites);
        meter.sending(deferred);
    }

    @Override
    public void sendingByMeaning(long n) {
        meter.counts().semanticRequests++;
        if (writer.isDigested(n)) {
            writer.missed("ThriftMux is replayed by its meaning, with a handshake of its own, not byte for byte");
        }
    }

    @Override
    public long sendingStream(int endpoint, long intendedNs) {
        long sequence = requests.nextSequence();
        requests.add(RequestSource.NOT_IN_TABLE, endpoint, intendedNs, sendsLate, true, false);
        meter.sending(sendsLate);
        return sequence;
    }

    /**
     * Writes recorded bytes that belong to no request and hands them to the socket, behind the requests sent before;
     * none where the reader leads the conversation itself.
     *
     * @param piece their number among the capture's opaque pieces
     * @param intendedNs when they were to be sent, on the monotonic clock
     * @param deferred whether they waited for the connection or for an answer, and so are late through the target
     * @return whether they are sent
     */
    boolean sendOpaque(long piece, long intendedNs, boolean deferred) {
        sendsLate = deferred;
        if (!reader.sendingOpaque(piece, intendedNs)) {
            return false;
        }
        writer.writeOpaque(channel(), piece);
        flushBehind();
        return true;
    }

    @Override
    public Channel channel() {
        writeHeld();
        return wire == null ? null : wire.channel();
    }

    /** Gives the channel the requests that it was not given yet. */
    private void writeHeld() {
        while (requests.held() > 0) {
            long intendedNs = requests.heldIntendedNs();
            writer.write(wire.channel(), requests.takeHeld(), intendedNs);
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
        if (requests.held() != 1) {
            return false;
        }
        DirectSocket socket = wire.freeSocket();
        long n = requests.newestNumber();
        long address = socket == null ? 0 : writer.address(n);
        if (address == 0) {
            return false;
        }
        requests.takeHeld();
        try {
            return writer.send(socket, wire.channel(), n, address);
        } catch (IOException e) {
            close(ErrorKind.CONNECTION_RESET);
            return false;
        }
    }

    /**
     * Hands the written requests to the socket and stamps them. The stamp is taken before the system call, since on a
     * loopback device the call itself may deliver the bytes; where the socket does not take all at once, it is the time
     * at which it took the last byte.
     */
    void flush() {
        if (flushing) {
            // A oneway request completed and its connection sent another: the flush under way takes that too.
            return;
        }
        flushing = true;
        int flushes = 0;
        do {
            flushOnce();
        } while (requests.unflushed() > 0 && ++flushes < FLUSHES_PER_TURN);
        flushing = false;
        if (requests.unflushed() > 0) {
            target.execute(this::flushRest);
        }
    }

    /** Hands over what no flush has reached yet. */
    void flushRest() {
        if (requests.unflushed() > 0) {
            flush();
        }
    }

    private void flushOnce() {
        long stampNs = System.nanoTime();
        requests.flushed(stampNs);
        target.expiring().add(expiry);
        Wire flushed = wire;
        if (sendHeld()) {
            allTaken(false, stampNs);
            return;
        }
        if (wire != flushed) {
            return;
        }
        writeHeld();
        flushed.channel().flush();
        // The flush itself may have met a broken connection, and closed it.
        if (wire == flushed && requests.unwritten() > 0) {
            if (flushed.isTls()) {
                requests.restamp(stampNs, flushed.encryptedNs());
            }
            if (flushed.hasTakenAll()) {
                allTaken(false, stampNs);
            }
        }
    }

    @Override
    public void flushBehind() {
        if (requests.unflushed() > 0) {
            flush();
        } else {
            wire.channel().flush();
        }
    }

    /** The wire's socket took what was flushed before, later than its flush. */
    void taken(Wire taking) {
        if (wire == taking) {
            if (taking.hasTakenAll()) {
                allTaken(true, System.nanoTime());
            }
            flushRest();
        }
    }

    /** @param late whether the socket took it after its flush, and so at this time */
    private void allTaken(boolean late, long stampNs) {
        if (late) {
            lateBeforeFlush();
            requests.takenLate(stampNs);
        }
        int to = requests.firstUnflushed();
        for (int i = requests.firstUnwritten(); i < to; i++) {
            written(i);
        }
        requests.allTaken();
        answeredEarly = RequestSource.NOT_IN_TABLE;
        if (late && expiry.isListed()) {
            // Its place among those that may expire is that of the oldest stamp, which is new.
            target.expiring().remove(expiry);
            target.expiring().add(expiry);
        }
        if (requests.hasOneway()) {
            completeOneway();
        }
    }

    /** What the socket takes after its flush is late through the target; up to the flush it was through us. */
    private void lateBeforeFlush() {
        int to = requests.firstUnflushed();
        for (int i = requests.firstUnwritten(); i < to; i++) {
            if (!requests.isDeferred(i)) {
                meter.lateBefore(Math.max(0, requests.writtenNs(i) - requests.intendedNs(i)));
            }
        }
    }

    private void written(int position) {
        meter.written(
                requests.number(position),
                requests.intendedNs(position),
                requests.writtenNs(position),
                requests.isDeferred(position));
    }

    /** Completes the requests that get no answer and were taken by the socket. */
    private void completeOneway() {
        AnswerLog log = target.answers().log();
        int completed = 0;
        for (int i = requests.firstUnwritten() - 1; i >= 0; i--) {
            if (requests.isOpenOneway(i)) {
                meter.completedOneway(requests.endpoint(i));
                if (log != null) {
                    log.answered(requests.number(i), 0, 0);
                }
                requests.onewayDone(i);
                completed++;
            }
        }
        if (completed > 0) {
            // The connection was of use; a target may close it after a oneway call.
            backOff.brought();
        }
        target.expiring().remove(expiry);
        requests.dropDone();
        if (requests.inFlight() > requests.unflushed()) {
            target.expiring().add(expiry);
        }
        Wire open = wire;
        for (; completed > 0 && wire == open; completed--) {
            owner.answered(state == State.OPEN);
        }
        closeDrained();
    }

    @Override
    public boolean isWritable() {
        if (requests.held() >= MOST_HELD) {
            writeHeld();
        }
        return wire.channel().isWritable();
    }

    void writable() {
        if (state == State.OPEN) {
            owner.writable();
        }
    }

    @Override
    public void readOnlyWhileWritable() {
        if (isUp()) {
            wire.readOnlyWhileWritable();
        }
    }

    /** Ends our side once the socket took all that was sent; what the target still says is read. */
    void endOutput() {
        writeHeld();
        wire.endOutput();
    }

    // ---- answers ----------------------------------------------------------------------------------------------------

    void read(ByteBuf in) {
        meter.counts().bytesReceived += in.readableBytes();
        nowNs = System.nanoTime();
        reader.read(in);
    }

    @Override
    public boolean isAwaited(long sequence) {
        return requests.isAwaited(sequence);
    }

    @Override
    public long number(long sequence) {
        return requests.number(requests.position(sequence));
    }

    @Override
    public int inFlight() {
        return requests.inFlight();
    }

    /** When the oldest request in flight was written. */
    long oldestWrittenNs() {
        return requests.writtenNs(0);
    }

    @Override
    public boolean completed(long sequence, int status, long bodyBytes, boolean reusable) {
        int position = answered(sequence);
        AnswerLog log = target.answers().log();
        if (log != null) {
            log.answered(requests.number(position), status, bodyBytes);
        }
        meter.answered(
                requests.endpoint(position),
                requests.intendedNs(position),
                requests.writtenNs(position),
                nowNs,
                status,
                bodyBytes);
        return goOn(position, reusable);
    }

    @Override
    public boolean answeredWith(ErrorKind kind, long sequence, boolean reusable) {
        int position = answered(sequence);
        AnswerLog log = target.answers().log();
        if (log != null) {
            log.failed(requests.number(position), kind);
        }
        meter.answeredWith(requests.endpoint(position), kind, nowNs);
        return goOn(position, reusable);
    }

    private int answered(long sequence) {
        backOff.brought();
        int position = requests.position(sequence);
        if (requests.firstUnwritten() <= position && answeredEarly == RequestSource.NOT_IN_TABLE) {
            answeredEarly = requests.number(position);
        }
        // The socket took this one, and so all before it.
        while (requests.firstUnwritten() <= position) {
            written(requests.firstUnwritten());
            requests.oneTaken();
        }
        return position;
    }

    private boolean goOn(int position, boolean reusable) {
        boolean ofTable = requests.number(position) != RequestSource.NOT_IN_TABLE;
        if (position == 0) {
            target.expiring().remove(expiry);
        }
        requests.done(position);
        requests.dropDone();
        // Behind an older request that goes on waiting its place stays, however many others are answered.
        if (position == 0 && requests.inFlight() > 0) {
            target.expiring().add(expiry);
        }
        if (ofTable) {
            owner.answered(reusable && state == State.OPEN);
        }
        if (!reusable) {
            // Requests pipelined behind the last answer get none.
            close(ErrorKind.PREMATURE_CLOSE);
        }
        closeDrained();
        return isUp();
    }

    // ---- closing ----------------------------------------------------------------------------------------------------

    @Override
    public void drain() {
        if (state == State.OPEN) {
            state = State.DRAINING;
            closeDrained();
        }
    }

    private void closeDrained() {
        if (state == State.DRAINING && requests.inFlight() == 0) {
            close(ErrorKind.PREMATURE_CLOSE);
        }
    }

    /** Closes the connection, since its oldest request waited too long; younger ones are lost with it. */
    void expire(long nowNs, long timeoutNs) {
        ErrorKind kind = reader.expiredAs();
        int expired = requests.size();
        if (kind == ErrorKind.READ_TIMEOUT) {
            expired = 1;
            while (expired < requests.firstUnflushed() && nowNs - requests.writtenNs(expired) >= timeoutNs) {
                expired++;
            }
        }
        close(kind, expired);
    }

    /** The target ended the connection. */
    void ended(Wire ending) {
        nowNs = System.nanoTime();
        reader.ended();
        if (wire == ending) {
            close(ErrorKind.PREMATURE_CLOSE);
        }
    }

    void broken(Throwable cause) {
        if (cause instanceof IOException) {
            close(requests.isBeingWritten() ? ErrorKind.WRITE_FAILED : ErrorKind.CONNECTION_RESET);
        } else {
            target.fail(cause);
            close(ErrorKind.WRITE_FAILED);
        }
    }

    @Override
    public void close(ErrorKind kind) {
        close(kind, requests.size());
    }

    /** @param oldest how many of the requests in flight, done ones between them, fail for this reason */
    private void close(ErrorKind kind, int oldest) {
        if (state == State.CLOSED) {
            return;
        }
        if (state == State.CONNECTING) {
            wire.abandon();
            return;
        }
        Wire closing = wire;
        wire = null;
        closedBy = kind;
        if (state == State.GREETING) {
            state = State.CLOSED;
            backOff.failed();
            meter.closed();
            meter.connectFailed(kind);
            closing.close();
            reader.closed();
            owner.closed(kind);
            return;
        }
        state = State.CLOSED;
        backOff.closed(kind == ErrorKind.READ_TIMEOUT);
        reader.closed();
        failInFlight(kind, oldest);
        meter.closed();
        closing.close();
        owner.closed(null);
    }

    /** Why what was not sent on it fails, after it was open; only what was sent can have waited too long. */
    ErrorKind closedBy() {
        return closedBy == ErrorKind.READ_TIMEOUT ? ErrorKind.PREMATURE_CLOSE : closedBy;
    }

    private void failInFlight(ErrorKind kind, int oldest) {
        target.expiring().remove(expiry);
        int size = requests.size();
        for (int i = requests.firstUnwritten(); i < size; i++) {
            if (writer.isDigested(requests.number(i))) {
                writer.missed("the connection of request " + requests.number(i) + " broke while it was being written: "
                        + kind.key());
            }
        }
        if (writer.isDigested(answeredEarly)) {
            writer.missed("request " + answeredEarly + " was answered before all of it was sent, and its connection"
                    + " ended then");
        }
        answeredEarly = RequestSource.NOT_IN_TABLE;
        // A request given up between rounds is still awaiting its answer: nothing is known of it.
        AnswerLog log = target.phase().isIdle() ? null : target.answers().log();
        int failed = 0;
        for (int i = 0; i < size; i++) {
            if (!requests.isDone(i)) {
                ErrorKind reason = i < oldest ? kind : ErrorKind.PREMATURE_CLOSE;
                failed += i < oldest ? 1 : 0;
                meter.withoutAnswer(requests.endpoint(i), reason);
                if (log != null) {
                    log.failed(requests.number(i), reason);
                }
            }
        }
        int lost = requests.inFlight() - failed;
        requests.clear();
        if (failed > 0) {
            meter.lost(kind, failed);
        }
        if (lost > 0) {
            meter.lost(ErrorKind.PREMATURE_CLOSE, lost);
        }
    }
}
