package dev.lockstep.replayer.engine;

/**
 * The connections of one target that await an answer, by the time at which their oldest request was written: a linked
 * list through an entry that each connection keeps. Runs per request on the event loop and allocates nothing.
 */
final class ExpiryQueue {
    /** A connection's place in the queue. */
    static final class Entry {
        private final ReplayConnection connection;
        private Entry earlier;
        private Entry later;
        private boolean listed;

        Entry(ReplayConnection connection) {
            this.connection = connection;
        }

        boolean isListed() {
            return listed;
        }

        private long writtenNs() {
            return connection.oldestWrittenNs();
        }
    }

    private Entry oldest;
    private Entry newest;

    /** The connection whose oldest request has waited longest, or null. */
    ReplayConnection oldest() {
        return oldest == null ? null : oldest.connection;
    }

    /** Adds a connection with an unanswered request, unless it is listed. */
    void add(Entry entry) {
        if (entry.listed) {
            return;
        }
        entry.listed = true;
        // Nearly always the newest; a pipelined request that moves up may be older than the last few.
        Entry before = newest;
        while (before != null && before.writtenNs() - entry.writtenNs() > 0) {
            before = before.earlier;
        }
        entry.earlier = before;
        entry.later = before == null ? oldest : before.later;
        if (entry.earlier == null) {
            oldest = entry;
        } else {
            entry.earlier.later = entry;
        }
        if (entry.later == null) {
            newest = entry;
        } else {
            entry.later.earlier = entry;
        }
    }

    void remove(Entry entry) {
        if (!entry.listed) {
            return;
        }
        entry.listed = false;
        if (entry.earlier == null) {
            oldest = entry.later;
        } else {
            entry.earlier.later = entry.later;
        }
        if (entry.later == null) {
            newest = entry.earlier;
        } else {
            entry.later.earlier = entry.earlier;
        }
        entry.earlier = null;
        entry.later = null;
    }
}
