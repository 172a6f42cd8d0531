package dev.lockstep.packets;

import java.util.TreeMap;

/** One direction of a TCP connection. Positions count the bytes of the stream from 0. For the reassembler's thread. */
final class TcpStream {
    private static final long NOT_BLOCKED = Long.MIN_VALUE;
    private static final long NEVER = Long.MAX_VALUE;

    final TcpConnection connection;
    private TcpStream other;

    // Its place.
    private boolean started;
    /** Whether its place is what the other side acknowledged first, and no byte of it was seen. */
    private boolean assumed;

    private int firstSequence;
    /** The sequence number of the next byte to hand on, and that byte's position. */
    private int nextSequence;

    private long position;
    /** The position after the last byte, or -1 before a FIN was seen. */
    private long endPosition = -1;
    /** Whether the FIN was handed on. */
    private boolean ended;
    /** Up to where the other side says that it has everything; may lie before {@link #position}. */
    private long acknowledgedPosition;

    /**
     * Whether what was acknowledged did not come within the grace, and nothing came since: then nothing waits for it,
     * and what is acknowledged next is given up at once.
     */
    private boolean lossy;

    // What waits.
    /** Segments that came before bytes that precede them, by position; null until there is one. */
    private TreeMap<Long, Segment> waiting;

    private int waitingBytes;

    // For LateStreams.
    /** Since when the next byte is missing while it is acknowledged, or later ones wait. */
    private long blockedSinceNs = NOT_BLOCKED;

    private long checkNs = NEVER;

    TcpStream(TcpConnection connection) {
        this.connection = connection;
    }

    void pairWith(TcpStream answering) {
        other = answering;
    }

    TcpStream other() {
        return other;
    }

    boolean isClients() {
        return connection.client() == this;
    }

    // ---- Its place.

    void start(int sequence) {
        started = true;
        assumed = false;
        firstSequence = sequence;
        nextSequence = sequence;
        position = 0;
        acknowledgedPosition = 0;
    }

    /** Takes the sequence number that the other side acknowledged first for its place, until a byte is seen. */
    void assumeStart(int sequence) {
        start(sequence);
        assumed = true;
    }

    /**
     * Whether the first bytes that are seen stand elsewhere than was assumed: they come late, or the acknowledgement
     * was damaged.
     */
    boolean startsElsewhere(int sequence, int window) {
        if (!assumed || position > 0 || endPosition >= 0 || connection.isWaiting()) {
            return false;
        }
        int ahead = ahead(sequence);
        return ahead < 0 || ahead > window;
    }

    /** Whether the first sequence number is known. */
    boolean isStarted() {
        return started;
    }

    boolean startedAt(int sequence) {
        return started && firstSequence == sequence;
    }

    /** Returns the position of the next byte to hand on. */
    long position() {
        return position;
    }

    /** Returns how far a sequence number is ahead of the next byte; negative when it was handed on. */
    int ahead(int sequence) {
        return sequence - nextSequence;
    }

    /** Goes behind bytes that were handed on. */
    void handedOn(long bytes) {
        assumed = false;
        lossy = false;
        passed(bytes);
    }

    /** Goes behind bytes, handed on or missing. */
    void passed(long bytes) {
        blockedSinceNs = NOT_BLOCKED;
        position += bytes;
        nextSequence += (int) bytes;
    }

    /** Takes the other side's word that it has everything before a position; false when it said so before. */
    boolean acknowledge(long upTo) {
        if (upTo <= acknowledgedPosition) {
            return false;
        }
        acknowledgedPosition = upTo;
        return true;
    }

    /** Whether a reset with a sequence number is neither forged nor of an earlier connection. */
    boolean believesReset(int sequence, int window) {
        if (!started || assumed) {
            return true;
        }
        long at = position + ahead(sequence);
        return at >= Math.min(acknowledgedPosition, position) && at <= position + window;
    }

    /** Takes the position of the FIN; false when one was seen before. */
    boolean endsAt(long end) {
        if (endPosition >= 0) {
            return false;
        }
        endPosition = end;
        return true;
    }

    /** Whether everything before the FIN was handed on, and the FIN was not. */
    boolean isAtEnd() {
        return endPosition >= 0 && position >= endPosition && !ended;
    }

    /** Hands the FIN on. */
    void end() {
        ended = true;
        if (position == endPosition) {
            position++; // a FIN takes one sequence number
            nextSequence++;
        }
    }

    /** Whether the FIN was handed on. */
    boolean isEnded() {
        return ended;
    }

    boolean knowsEnd() {
        return endPosition >= 0;
    }

    /** Returns how many bytes are missing before the FIN; 0 when none are, or there was no FIN. */
    long missingBeforeEnd() {
        return Math.max(0, endPosition - position);
    }

    /** Whether what the other side sent when it had this stream up to a position can be handed on now. */
    boolean letsPass(long afterPosition) {
        return afterPosition <= position || isLossy() || ended;
    }

    // ---- What waits.

    boolean isWaiting() {
        return waiting != null && !waiting.isEmpty();
    }

    /** Whether bytes wait, and the one before them is not here. */
    boolean hasHole() {
        return isWaiting() && waiting.firstKey() > position;
    }

    /** Returns how many bytes are missing before those that wait. */
    long holeBytes() {
        return hasHole() ? waiting.firstKey() - position : 0;
    }

    /** Returns the segment that waits at exactly this position, or null. */
    Segment waitingAt(long at) {
        return waiting == null ? null : waiting.get(at);
    }

    /** Keeps a segment, in place of one at the same position; returns by how much more memory is taken. */
    int keep(long at, Segment segment) {
        if (waiting == null) {
            waiting = new TreeMap<>();
        }
        Segment before = waiting.put(at, segment);
        int more = segment.cost() - (before == null ? 0 : before.cost());
        waitingBytes += more;
        return more;
    }

    Segment firstWaiting() {
        return waiting.firstEntry().getValue();
    }

    long firstWaitingPosition() {
        return waiting.firstKey();
    }

    Segment pollWaiting() {
        Segment first = waiting.pollFirstEntry().getValue();
        waitingBytes -= first.cost();
        return first;
    }

    int waitingBytes() {
        return waitingBytes;
    }

    // ---- What is late.

    /** Whether the other side has acknowledged what is not here yet and may still come. A FIN counts as a byte. */
    boolean isLate() {
        return acknowledgedPosition > position && !isLossy();
    }

    /** Whether nothing waits for this stream: bytes of it did not come within the grace, and nothing came since. */
    boolean isLossy() {
        return lossy;
    }

    /** Gives up what the other side has and nobody saw; returns how many bytes that are. */
    long giveUpAcknowledged() {
        long upTo = acknowledgedPosition;
        if (isWaiting()) {
            upTo = Math.min(upTo, waiting.firstKey());
        } else if (upTo == position + 1) {
            upTo = position; // a FIN that was not captured, for all that is known
        }
        if (endPosition >= 0) {
            upTo = Math.min(upTo, endPosition);
        }
        lossy = true;
        return Math.max(0, upTo - position);
    }

    /** Notes whether bytes are missing, and since when. */
    void updateBlocked(long nowNs) {
        if (!isLate() && !hasHole()) {
            blockedSinceNs = NOT_BLOCKED;
        } else if (blockedSinceNs == NOT_BLOCKED) {
            blockedSinceNs = nowNs;
        }
    }

    boolean isBlocked() {
        return blockedSinceNs != NOT_BLOCKED;
    }

    long blockedSinceNs() {
        return blockedSinceNs;
    }

    /** Sets when to look at this stream; false when that is to be earlier already. */
    boolean checkAt(long timeNs) {
        if (timeNs >= checkNs) {
            return false;
        }
        checkNs = timeNs;
        return true;
    }

    /** Takes a time that was set; false when an earlier one took its place. */
    boolean takeCheck(long timeNs) {
        if (checkNs != timeNs) {
            return false;
        }
        checkNs = NEVER;
        return true;
    }

    /** A piece of the stream that had to be copied because bytes before it are missing. */
    static final class Segment {
        /** What a waiting segment costs beside its bytes: the tree's entry, two objects, two array headers. */
        private static final int OVERHEAD_BYTES = 160;

        private final byte[] bytes;
        private final int wireBytes;
        private final long afterOther;

        /**
         * Keeps bytes.
         *
         * @param wireBytes their length on the wire, at least what was captured
         * @param afterOther the position in the other stream up to which the sender had everything when it sent this
         */
        Segment(byte[] bytes, int wireBytes, long afterOther) {
            this.bytes = bytes;
            this.wireBytes = wireBytes;
            this.afterOther = afterOther;
        }

        byte[] bytes() {
            return bytes;
        }

        int wireBytes() {
            return wireBytes;
        }

        long afterOther() {
            return afterOther;
        }

        int cost() {
            return bytes.length + OVERHEAD_BYTES;
        }
    }
}
