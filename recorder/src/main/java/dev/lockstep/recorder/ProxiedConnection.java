package dev.lockstep.recorder;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionDetails;
import dev.lockstep.tap.RecordedConnection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A client's connection and the connection to the upstream that goes with it. Both run on one event loop, so threads
 * share nothing here. Runs per read.
 *
 * <p>{@link ConnectionOpening} brings both {@link ProxySide sides} to where they take bytes. From then on each side
 * writes to the other what it reads, and each side's end is passed on as it came: a FIN after all bytes before it, a
 * reset as a reset. The connection is finished when both sides have ended, or at once where one is reset or fails.
 */
final class ProxiedConnection {
    private enum State {
        OPENING,
        RELAYING,
        FINISHED
    }

    private final RecordingSession session;
    private final ProxySide client;
    private final ProxySide upstream;
    private final ConnectionOpening opening;
    private State state = State.OPENING;
    /** Null until the connection is recorded. */
    private RecordedConnection tap;

    private CloseReason firstFin;
    /** The client's FIN is not recorded yet: it came while bytes before it were held. */
    private boolean finWaits;

    private long lastReadNs = System.nanoTime();
    /** How much waited for the two sides when that was last looked at. */
    private long lastWaiting;

    private Future<?> idleTimer;

    ProxiedConnection(RecordingSession session) {
        this.session = session;
        this.client = new ProxySide(this, session);
        this.upstream = new ProxySide(this, session);
        client.pairWith(upstream);
        upstream.pairWith(client);
        this.opening = new ConnectionOpening(session, this, client, upstream);
    }

    /** The handler of the client's channel, which must have been accepted with AUTO_READ off. */
    ChannelHandler clientHandler() {
        return client;
    }

    ConnectionOpening opening() {
        return opening;
    }

    boolean isRelaying() {
        return state == State.RELAYING;
    }

    boolean isFinished() {
        return state == State.FINISHED;
    }

    /** Records the beginning of the connection, once the opening knows the client. */
    void record(ConnectionDetails details) {
        tap = session.recorder().open(System.nanoTime(), opening.clientAddress(), client.localAddress(), details);
    }

    /** Lets the bytes pass, those first that came while the connection was being opened. */
    void relay() {
        state = State.RELAYING;
        upstream.flush();
        client.passHeld();
        if (!isFinished()) {
            recordFin();
        }
        upstream.passHeld();
        if (!isFinished()) {
            client.resume();
            upstream.resume();
        }
    }

    /** Records bytes that a side has read, before it passes them on. */
    void recordRead(ProxySide origin, ByteBuf bytes) {
        long nowNs = System.nanoTime();
        lastReadNs = nowNs;
        if (origin == client) {
            tap.clientBytes(nowNs, bytes, bytes.readerIndex(), bytes.writerIndex());
        } else {
            tap.serverBytes(nowNs, bytes, bytes.readerIndex(), bytes.writerIndex());
        }
    }

    /** Records what the client has sent although the upstream never came to take it. */
    void recordLeft(ByteBuf bytes) {
        tap.clientBytes(System.nanoTime(), bytes, bytes.readerIndex(), bytes.writerIndex());
    }

    // ---- The end.

    /** Notes a side's FIN; the side sees to it that the other side gets one. */
    void inputEnded(ProxySide origin) {
        if (origin == client) {
            finWaits = true;
            if (isRelaying()) {
                recordFin();
            }
        }
        if (firstFin == null) {
            firstFin = origin == client ? CloseReason.CLIENT_FIN : CloseReason.SERVER_FIN;
        }
    }

    private void recordFin() {
        if (finWaits) {
            finWaits = false;
            tap.clientEnded(System.nanoTime());
        }
    }

    /** Ends the connection after the FINs of both sides. */
    void bothEnded() {
        if (!isFinished()) {
            finish(firstFin);
        }
    }

    /** Passes the reset of one side on to the other, behind the bytes that the other side takes at once. */
    void reset(ProxySide origin) {
        if (isFinished() || opening.failedBy(origin)) {
            return;
        }
        state = State.FINISHED; // before the flush, which may fail and would report that here
        origin.passResetOn();
        if (session.hasEnded()) {
            finish(CloseReason.RECORDING_ENDED);
        } else {
            finish(origin == client ? CloseReason.CLIENT_RESET : CloseReason.SERVER_RESET);
        }
    }

    /** Takes the close of a channel for a reset; that of an upstream that was never ready is noticed elsewhere. */
    void channelClosed(ProxySide side) {
        if (side == client || side.isReady()) {
            reset(side);
        }
    }

    /** Begins to watch for idleness; what a client sends before this has a deadline of its own. */
    void beginIdleTime() {
        lastReadNs = System.nanoTime();
        watchIdleness();
    }

    /**
     * Closes the connection once nothing was read, or taken by a slow side, for the idle time, if there is one.
     *
     * <p>What a side takes shows only when the kernel has room for more, as where a third of its send buffer is free,
     * and when this looks, once in the idle time: a side that takes nothing is cut within twice that, and so may be one
     * that takes less than the kernel waits for.
     */
    private void watchIdleness() {
        long idleNs = session.config.idleTimeout().toNanos();
        if (idleNs <= 0 || isFinished()) {
            return;
        }
        long nowNs = System.nanoTime();
        long waiting = client.waitingBytes() + upstream.waitingBytes();
        if (waiting != lastWaiting) {
            lastWaiting = waiting;
            lastReadNs = nowNs;
        }
        long restNs = lastReadNs + idleNs - nowNs;
        if (restNs > 0) {
            idleTimer = client.eventLoop().schedule(this::watchIdleness, restNs, TimeUnit.NANOSECONDS);
            return;
        }
        if (waiting > 0) {
            // Whoever gets a part only must not take it for the whole.
            client.resetOnClose();
            upstream.resetOnClose();
        }
        finish(CloseReason.TIMEOUT);
    }

    /** Closes both sides and the record; the reason is null where nobody is known to have connected. */
    void finish(CloseReason reason) {
        state = State.FINISHED;
        opening.abandon();
        if (idleTimer != null) {
            idleTimer.cancel(false);
        }
        client.close();
        upstream.close();
        if (opening.clientAddress() == null) {
            client.dropHeld();
            return;
        }
        if (tap == null) {
            opening.recordUnfinished();
        }
        client.recordHeld();
        recordFin();
        upstream.dropHeld();
        tap.close(System.nanoTime(), reason);
    }
}
