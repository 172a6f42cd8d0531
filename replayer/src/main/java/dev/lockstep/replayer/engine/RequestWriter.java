package dev.lockstep.replayer.engine;

import dev.lockstep.net.DirectSocket;
import dev.lockstep.replayer.meters.LoadMeter;
import dev.lockstep.replayer.requests.RequestSource;
import dev.lockstep.replayer.requests.SentStream;
import dev.lockstep.replayer.rewriting.Deadlines;
import dev.lockstep.replayer.rewriting.Rewriter;
import io.netty.channel.Channel;
import java.io.IOException;

/**
 * Writes one target's requests, as recorded or with changes, and has the bytes of the first measured pass digested.
 * Runs per request on the event loop.
 */
final class RequestWriter {
    private final RequestSource source;
    /** Null where requests are sent as recorded. */
    private final Rewriter rewriter;
    /** Null where no request carries a deadline, or they are sent as recorded. */
    private final Deadlines deadlines;

    private final LoadMeter meter;
    /** Null in a phase that is not measured, and where requests are rewritten. Read by the digesting thread. */
    private volatile SentStream sentStream;

    RequestWriter(RequestSource source, Rewriter rewriter, Deadlines deadlines, LoadMeter meter) {
        this.source = source;
        this.rewriter = rewriter;
        this.deadlines = deadlines;
        this.meter = meter;
    }

    void startPhase(boolean measured) {
        if (rewriter != null) {
            rewriter.startPhase();
        }
        sentStream = measured && rewriter == null ? new SentStream(source.requestCount()) : null;
    }

    /**
     * Writes the n-th request of the phase to the channel, without flushing.
     *
     * @param intendedNs on the monotonic clock, {@link InFlightRequests#WHEN_WRITTEN} for now
     */
    void write(Channel channel, long n, long intendedNs) {
        if (deadlines != null && deadlines.carries(n)) {
            meter.counts().bytesSent += writeMoved(channel, n, intendedNs);
        } else {
            meter.counts().bytesSent += rewriter == null
                    ? source.write(channel, n, sentStreamFor(n))
                    : rewriter.write(channel, n, null, intendedNs);
        }
    }

    private long writeMoved(Channel channel, long n, long intendedNs) {
        if (isDigested(n)) {
            missed("their deadlines were moved to the replay's clock; --deadlines keep sends them as recorded");
        }
        meter.counts().deadlinesMoved++;
        return rewriter == null
                ? deadlines.write(channel, n, intendedNs)
                : rewriter.write(channel, n, deadlines, intendedNs);
    }

    /** Where the n-th request lies in memory, or 0 where it does not lie ready to be sent in one piece. */
    long address(long n) {
        return rewriter == null && (deadlines == null || !deadlines.carries(n)) ? source.address(n) : 0;
    }

    /**
     * Hands the n-th request straight to the socket; what the socket does not take is written to the channel.
     *
     * @param address its {@link #address}
     * @return whether the socket took the whole request
     * @throws IOException where the connection is broken
     */
    boolean send(DirectSocket socket, Channel channel, long n, long address) throws IOException {
        int length = source.length(n);
        SentStream stream = sentStreamFor(n);
        if (stream != null) {
            source.note(n, stream);
        }
        meter.counts().bytesSent += length;
        int taken = socket.send(address, length);
        if (taken < length) {
            source.writeRest(channel, n, taken);
            return false;
        }
        return true;
    }

    /** Writes recorded bytes that belong to no request to the channel, without flushing. */
    void writeOpaque(Channel channel, long piece) {
        meter.counts().opaqueBytesSent += source.writeOpaque(channel, piece);
    }

    /**
     * Tells whether the bytes of the n-th request are digested, so that {@link #missed} is due where they do not go
     * out.
     */
    boolean isDigested(long n) {
        return sentStreamFor(n) != null;
    }

    /** Gives the digest up: a request that {@link #isDigested} did not go out as it was recorded. */
    void missed(String why) {
        sentStream.missed(why);
    }

    private SentStream sentStreamFor(long n) {
        SentStream stream = sentStream;
        return stream != null && stream.covers(n) ? stream : null;
    }

    /** What changes requests, or null. */
    Rewriter rewriter() {
        return rewriter;
    }

    /** What digests the bytes that are sent, or null; any thread. */
    SentStream sentStream() {
        return sentStream;
    }
}
