package dev.lockstep.packets;

import java.util.PriorityQueue;

/** The streams in which bytes are missing, by the time at which they are given up. For the reassembler's thread. */
final class LateStreams {
    private final TcpOptions options;
    private final PriorityQueue<Check> checks = new PriorityQueue<>();

    LateStreams(TcpOptions options) {
        this.options = options;
    }

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
        return stream.blockedSinceNs() + (stream.isLate() ? options.ackGraceNs : options.holeTimeoutNs);
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
