package dev.lockstep.replayer.rewriting;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.FinagleDeadline;
import dev.lockstep.protocol.HttpDeadline;
import dev.lockstep.protocol.MuxFrame;
import dev.lockstep.replayer.requests.Endpoints;
import dev.lockstep.replayer.requests.RequestSource;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Moves the deadlines that requests of Finagle's carry from the time of the recording to that of the replay, in the
 * requests of one target. Their timestamp becomes the time at which the request was intended to be sent, their budget
 * stays, and so does every length. Runs per request on the event loop and allocates nothing.
 */
public final class Deadlines {
    /** The intended time of a request that has none: when it is written. */
    private static final long NOW = Long.MIN_VALUE;

    /** Up to this length a request is copied whole, since that is cheaper than a slice of its rest. */
    private static final int COPIED_BYTES = 16 * 1024;

    private static final int NO_TAG = -1;

    /** How much of a request of HTTP holds its head. */
    private static final int LONGEST_HEAD = 64 << 10;

    private final Capture capture;
    private final RequestSource source;
    /** Tells which requests of HTTP have one; null where theirs are not moved. */
    private final Endpoints endpoints;

    private final FinagleDeadline deadline = new FinagleDeadline();
    private final HttpDeadline httpDeadline = new HttpDeadline();
    /** What the wall clock is ahead of the monotonic one. */
    private long epochAheadNs;

    /** The request in which a deadline was looked for last, and whether it has one; -1 for none. */
    private long looked = -1;

    private boolean carries;
    /** Whether that is one of HTTP. */
    private boolean isHttp;

    /** The tag of the dispatch whose contexts go on in its next frame, or {@link #NO_TAG}. */
    private int readingTag = NO_TAG;

    private Deadlines(Capture capture, RequestSource source, Endpoints endpoints) {
        this.capture = capture;
        this.source = source;
        this.endpoints = endpoints;
        synchronise();
    }

    /**
     * Returns null for a capture whose requests carry none.
     *
     * @param endpoints of the capture
     * @param rewrites what else is changed in requests, or null; a deadline that it sets is not moved
     */
    public static Deadlines of(Capture capture, RequestSource source, Endpoints endpoints, Rewrites rewrites) {
        if (endpoints.haveDeadlines() && (rewrites == null || !rewrites.setsHeader(HttpDeadline.NAME))) {
            return new Deadlines(capture, source, endpoints);
        }
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            Protocol protocol = capture.protocol(connection);
            if (protocol == Protocol.THRIFT_MUX || protocol == Protocol.THRIFT_TTWITTER) {
                return new Deadlines(capture, source, null);
            }
        }
        return null;
    }

    /** Reads both clocks, of which one may have been set; some times a second at most. */
    public void synchronise() {
        Instant now = Instant.now();
        epochAheadNs = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - System.nanoTime();
    }

    private long epochNs(long intendedNs) {
        return epochAheadNs + (intendedNs == NOW ? System.nanoTime() : intendedNs);
    }

    // ---- HTTP and TTwitter ------------------------------------------------------------------------------------------

    /** Tells whether the n-th request of the phase is one of HTTP/1 or TTwitter with a deadline. */
    public boolean carries(long n) {
        long request = source.request(n);
        if (request != looked) {
            looked = request;
            isHttp = endpoints != null && endpoints.hasDeadline(request);
            carries = isHttp
                    || capture.protocol(capture.connection(request)) == Protocol.THRIFT_TTWITTER && find(request);
        }
        return carries;
    }

    private boolean find(long request) {
        deadline.beginTwitter();
        int fragments = capture.fragments(request);
        int place = 0;
        for (int fragment = 0; fragment < fragments; fragment++) {
            int length = capture.fragmentLength(request, fragment);
            if (!source.feed(request, fragment, deadline, place)) {
                break;
            }
            place += length;
        }
        return deadline.isFound();
    }

    /**
     * Writes the n-th request of the phase, which {@link #carries} a deadline as was asked last, to the channel,
     * without flushing.
     *
     * @param intendedNs on the monotonic clock, {@link Long#MIN_VALUE} for now
     * @return its length in bytes
     */
    public long write(Channel channel, long n, long intendedNs) {
        long request = source.request(n);
        long length = capture.requestLength(request);
        int copied =
                length <= COPIED_BYTES ? (int) length : isHttp ? (int) Math.min(length, LONGEST_HEAD) : deadline.end();
        ByteBuf out = channel.alloc().directBuffer(copied);
        source.copy(request, out, copied);
        if (isHttp) {
            moveIn(out, intendedNs);
        } else {
            deadline.move(out, epochNs(intendedNs));
        }
        channel.write(out, channel.voidPromise());
        return length == copied ? length : copied + source.writeFrom(channel, request, copied);
    }

    /** Moves the deadline of a request of HTTP/1 that is all that a buffer holds, its head at least. */
    void moveIn(ByteBuf out, long intendedNs) {
        httpDeadline.move(out, out.readerIndex(), out.writerIndex(), epochNs(intendedNs));
    }

    // ---- mux --------------------------------------------------------------------------------------------------------

    /** Begins a request that is given frame by frame. */
    public void beginFrames() {
        looked = -1;
        readingTag = NO_TAG;
    }

    /**
     * Moves the deadline of a dispatch where it ends in this frame. Contexts may go on in later fragments of the
     * request.
     *
     * @param out has the request's frames at the indexes at which they stay
     * @param frame where the frame begins
     * @param begins whether it is its dispatch's first one
     * @param intendedNs as in {@link #write}
     * @return whether a deadline was moved
     */
    public boolean moveIn(ByteBuf out, int frame, int end, boolean begins, long intendedNs) {
        int tag = MuxFrame.tag(out, frame);
        if (begins && MuxFrame.isDispatch(out, frame)) {
            deadline.beginDispatch();
        } else if (begins || tag != readingTag) {
            return false;
        }
        int body = frame + MuxFrame.HEADER_BYTES;
        readingTag = deadline.feed(out, body, end, body) ? tag : NO_TAG;
        if (!deadline.isFound()) {
            return false;
        }
        deadline.move(out, epochNs(intendedNs));
        return true;
    }
}
