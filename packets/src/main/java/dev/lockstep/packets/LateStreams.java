package dev.lockstep.packets;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** The streams in which bytes are missing, by the time at which they are given up. For the reassembler's thread. */
final class LateStreams {
    /**
     * How long bytes may be late that the other side has acknowledged: captures of several queues show an
     * acknowledgement before its data at times.
     */
    private static final long ACK_GRACE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    /** How long bytes may be late that nobody has acknowledged. */
    private static final long HOLE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private final PriorityQueue<Check> checks = new PriorityQueue<>();

    /** Sets when to look at a stream, if bytes are missing in it. */
    void watch(TcpStream stream, long nowNs) {
        stream.updateBlocked(nowNs);
        if (stream.isBlocked()) {
            long checkNs = dueNs(stream);
            if (stream.checkAt(checkNs)) {
                checks.add(new Check(checkNs, stream));
            }
        }
    }

    /** Returns a stream in which what is missing is overdue, or null when there is none. */
    TcpStream poll(long nowNs) {
        while (!checks.isEmpty() && checks.peek().timeNs <= nowNs) {
            Check check = checks.poll();
            TcpStream stream = check.stream;
            if (stream.takeCheck(check.timeNs) && stream.connection.isOpen()) {
                if (stream.isBlocked() && dueNs(stream) <= nowNs) {
                    return stream;
                }
                watch(stream, nowNs);
            }
        }
        return null;
    }

    private long dueNs(TcpStream stream) {
        return stream.blockedSinceNs() + (stream.isLate() ? ACK_GRACE_NS : HOLE_TIMEOUT_NS);
    }

    /** A time at which to look at a stream. */
    private static final class Check implements Comparable<Check> {
        private final long timeNs;
        private final TcpStream stream;

        Check(long timeNs, TcpStream stream) {
            this.timeNs = timeNs;
            this.stream = stream;
        }

        @Override
        public int compareTo(Check other) {
            return Long.compare(timeNs, other.timeNs);
        }
    }
}
