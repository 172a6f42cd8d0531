package dev.lockstep.conversion.imports;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** What one wrapper of an Envoy tap says of a socket: a segment of its trace, or the whole of it. Plain values. */
final class EnvoySegment {
    /** Takes what a file of either form holds. */
    interface Taker {
        void socket(EnvoySegment segment);

        void http();

        /** Something is left out. */
        void skipped(String reason);

        /** Something is imported in another way than the file has it. */
        void changed(String what);
    }

    /** The two ends of a socket; each is null where it is not known. */
    static final class Ends {
        InetSocketAddress local;
        InetSocketAddress remote;
    }

    /** One event of a socket. */
    static final class Event {
        long timeNs;
        boolean read;
        boolean write;
        boolean closed;
        boolean endStream;
        boolean truncated;
        byte[] data = {};
        final Ends ends = new Ends();
    }

    /** The segment is the whole trace. */
    final boolean buffered;

    final List<Event> events = new ArrayList<>();
    String id = "0";
    /** Null where the segment does not say them. */
    Ends ends;

    boolean readTruncated;
    boolean writeTruncated;

    EnvoySegment(boolean buffered) {
        this.buffered = buffered;
    }

    /** A time in ns since 1970; 0 where it is out of range. */
    static long timeNs(long seconds, long nanos) {
        return seconds < 0 || seconds > 9_000_000_000L ? 0 : seconds * 1_000_000_000L + nanos % 1_000_000_000L;
    }
}
