package dev.lockstep.replayer.requests;

import dev.lockstep.capture.Sha256;
import dev.lockstep.measurement.StreamDigest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Digests, in capture order, the request bytes that were handed to one target's sockets in the first pass over the
 * capture. The event loop passes the very buffers that it writes; a thread of the replayer digests them, so that a
 * large body does not hold up the schedule. Nothing is kept after the first pass.
 *
 * <p>Requests may be handed over out of capture order where one connection lags behind another; they wait here, as
 * references, until their turn. Where too much waits, or a request was not sent whole, the digest is given up with the
 * reason.
 */
public final class SentStream {
    private static final class Handed {
        final long request;
        final ByteBuf bytes;
        final boolean last;
        /** How much memory it keeps; none where it is the capture's. */
        final int copiedBytes;

        Handed(long request, ByteBuf bytes, boolean last, int copiedBytes) {
            this.request = request;
            this.bytes = bytes;
            this.last = last;
            this.copiedBytes = copiedBytes;
        }
    }

    /** What may wait for its turn: a stall of 20 s at 5,000 requests/s of 500 bytes fits. */
    private static final long MAX_EARLY_BYTES = 64 << 20;

    /** How many buffers may wait for the digesting thread: some 30 MB of references, a second of a fast closed loop. */
    static final int MAX_ARRIVING = 200_000;
    /** How much of their memory may wait beside the capture's: an eighth of what the replayer has outside its heap. */
    static final long MAX_COPIED_BYTES = 64 << 20;

    private final long requests;
    private final Queue<Handed> arriving = new ConcurrentLinkedQueue<>();
    private final Map<Long, List<Handed>> early = new HashMap<>();
    private final MessageDigest sha256 = Sha256.begin();
    private long next;
    private long earlyBytes;
    private volatile String flaw;
    /** How many buffers came; written on the event loop. */
    private long arrived;
    /** How many of them were taken; written by the digesting thread. */
    private volatile long taken;
    /** The memory of those that came, written on the event loop, and of those that were taken, by that thread. */
    private long copiedBytes;

    private volatile long takenBytes;

    /** @param requests how many requests the first pass has */
    public SentStream(long requests) {
        this.requests = requests;
    }

    /** Tells whether the n-th request of the phase belongs to the first pass, and the digest is not given up. */
    public boolean covers(long n) {
        return n < requests && flaw == null;
    }

    /**
     * Takes note of a piece of the capture's own memory that is about to be written; called on the event loop. Keeps a
     * reference of its own.
     */
    void handed(long n, ByteBuf bytes, boolean last) {
        handed(n, bytes, last, 0);
    }

    /** As {@link #handed}, of a copy, whose memory goes back when it is digested. */
    void handedCopy(long n, ByteBuf bytes, boolean last) {
        handed(n, bytes, last, bytes.readableBytes());
    }

    private void handed(long n, ByteBuf bytes, boolean last, int copied) {
        boolean tooMany = arrived - taken >= MAX_ARRIVING;
        if (tooMany || copiedBytes + copied - takenBytes > MAX_COPIED_BYTES) {
            missed("they were sent faster than they could be digested beside the load: more than "
                    + (tooMany ? MAX_ARRIVING + "" : (MAX_COPIED_BYTES >> 20) + " MiB") + " waited");
            return;
        }
        arrived++;
        copiedBytes += copied;
        arriving.add(new Handed(n, bytes.retainedDuplicate(), last, copied));
    }

    /** Gives the digest up, for example because a request of the first pass did not reach its socket whole. */
    public void missed(String why) {
        if (flaw == null) {
            flaw = why;
        }
    }

    /** Digests what has arrived; called by one thread. */
    public void digestArrived() {
        Handed handed;
        long takenSoFar = taken;
        long bytesSoFar = takenBytes;
        while (flaw == null && (handed = arriving.poll()) != null) {
            takenSoFar++;
            taken = takenSoFar;
            bytesSoFar += handed.copiedBytes;
            takenBytes = bytesSoFar;
            if (handed.request == next) {
                digest(handed);
                List<Handed> waiting;
                while ((waiting = early.remove(next)) != null) {
                    for (Handed one : waiting) {
                        earlyBytes -= one.bytes.readableBytes();
                        digest(one);
                    }
                }
            } else {
                early.computeIfAbsent(handed.request, n -> new ArrayList<>(1)).add(handed);
                earlyBytes += handed.bytes.readableBytes();
                if (earlyBytes > MAX_EARLY_BYTES) {
                    missed("request " + next + " was so late that more than " + (MAX_EARLY_BYTES >> 20)
                            + " MiB of requests overtook it");
                }
            }
        }
        if (flaw != null) {
            release();
        }
    }

    private void digest(Handed handed) {
        sha256.update(handed.bytes.nioBuffer());
        handed.bytes.release();
        if (handed.last) {
            next++;
        }
    }

    /**
     * Ends the digest, after the last buffer was handed over, and releases what is left; called once, by that thread.
     */
    public StreamDigest finish() {
        digestArrived();
        release();
        if (flaw != null) {
            return StreamDigest.absent(flaw);
        }
        if (requests == 0) {
            return StreamDigest.absent("the capture has no complete request");
        }
        if (next < requests) {
            return StreamDigest.absent(
                    "no complete pass: " + next + " of " + requests + " requests of the capture were sent in order");
        }
        return StreamDigest.of(ByteBufUtil.hexDump(sha256.digest()));
    }

    /** Releases the buffers that are still held; after the digesting thread has ended. */
    public void release() {
        Handed handed;
        while ((handed = arriving.poll()) != null) {
            handed.bytes.release();
        }
        early.values().forEach(waiting -> waiting.forEach(early -> early.bytes.release()));
        early.clear();
    }
}
