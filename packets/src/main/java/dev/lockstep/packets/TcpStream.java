package dev.lockstep.packets;

import java.util.TreeMap;

/** One direction of a TCP connection. For the reassembler's thread. */
final class TcpStream {
    /** What a waiting segment costs beside its bytes: the tree's entry, two objects, two array headers. */
    static final int SEGMENT_OVERHEAD_BYTES = 160;

    static final long NOT_BLOCKED = Long.MIN_VALUE;

    final TcpConnection connection;
    TcpStream other;

    /** Whether the first sequence number is known. */
    boolean started;

    int firstSequence;
    /** The sequence number of the next byte to hand on. */
    int nextSequence;
    /** How many bytes lie before the next one; positions in the stream are counted like this. */
    long position;

    /** The position after the last byte, or -1 before a FIN was seen. */
    long endPosition = -1;
    /** Whether the FIN was handed on. */
    boolean ended;

    /** Up to where the other side says that it has everything; may lie before {@link #position}. */
    long acknowledgedPosition;

    /**
     * Whether what was acknowledged did not come within the grace, and nothing came since: then nothing waits for it, and
     * what is acknowledged next is given up at once.
     */
    boolean lossy;

    /** Segments that came before bytes that precede them, by position; null until there is one. */
    TreeMap<Long, Segment> waiting;

    int waitingBytes;

    /** Since when the next byte is missing while it is acknowledged, or later ones wait; NOT_BLOCKED when it is not. */
    long blockedSinceNs = NOT_BLOCKED;

    /** When the reassembler looks at this stream next; Long.MAX_VALUE when it is not going to. */
    long checkNs = Long.MAX_VALUE;

    TcpStream(TcpConnection connection) {
        this.connection = connection;
    }

    void start(int sequence) {
        started = true;
        firstSequence = sequence;
        nextSequence = sequence;
        position = 0;
        acknowledgedPosition = 0;
    }

    boolean isWaiting() {
        return waiting != null && !waiting.isEmpty();
    }

    /** Tells whether bytes wait, and the one before them is not here. */
    boolean hasHole() {
        return isWaiting() && waiting.firstKey() > position;
    }

    /** Tells whether the other side has acknowledged what is not here yet and may still come. A FIN counts as a byte. */
    boolean isLate() {
        return acknowledgedPosition > position && !lossy;
    }

    /** Tells whether what the other side sent when it had this stream up to a position can be handed on now. */
    boolean letsPass(long afterPosition) {
        return afterPosition <= position || lossy || ended;
    }

    /** A piece of the stream that had to be copied because bytes before it are missing. */
    static final class Segment {
        final byte[] bytes;
        /** Its length on the wire, at least what was captured of it. */
        final int wireBytes;
        /** The position in the other stream up to which its sender had everything when it sent this. */
        final long afterOther;

        Segment(byte[] bytes, int wireBytes, long afterOther) {
            this.bytes = bytes;
            this.wireBytes = wireBytes;
            this.afterOther = afterOther;
        }

        int cost() {
            return bytes.length + SEGMENT_OVERHEAD_BYTES;
        }
    }
}
