package dev.lockstep.inspection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What is in a capture over time: requests, connections that open and close, and some connections one by one, every
 * n-th of them where there are many. For one thread, in about 100 KB.
 */
final class CaptureTimeline {
    private static final int MOST_CONNECTIONS = 256;
    /** Of a short capture; with more a column would hold too few requests to be a rate. */
    private static final int COLUMNS = 240;

    private static final int MOST_COLUMNS = 2048;
    private static final long SHORT_NS = 600_000_000_000L;

    final TimeBins requests = new TimeBins();
    final TimeBins opened = new TimeBins();
    final TimeBins closed = new TimeBins();
    private final List<ConnectionFacts> connections = new ArrayList<>();
    private long seen;
    private long every = 1;

    /** Takes a connection that has ended. */
    void ended(ConnectionFacts connection) {
        opened.add(connection.openedNs);
        if (connection.isClosed) {
            closed.add(connection.lastNs);
        }
        if (seen++ % every != 0) {
            return;
        }
        connections.add(connection);
        if (connections.size() > MOST_CONNECTIONS) {
            List<ConnectionFacts> all = new ArrayList<>(connections);
            connections.clear();
            for (int i = 0; i < all.size(); i += 2) {
                connections.add(all.get(i));
            }
            every *= 2;
        }
    }

    /** Returns the connections that are kept, in the order in which they were opened. */
    List<ConnectionFacts> connections() {
        List<ConnectionFacts> sorted = new ArrayList<>(connections);
        sorted.sort(Comparator.comparingLong((ConnectionFacts connection) -> connection.openedNs)
                .thenComparingInt(connection -> connection.id));
        return sorted;
    }

    /** Of how many connections one is kept, by the order in which they ended. */
    long every() {
        return every;
    }

    /** Returns the width of a column in which so much time is shown. */
    long columnNs(long shownNs) {
        long width = Math.max(requests.widthNs(), Math.max(opened.widthNs(), closed.widthNs()));
        while (shownNs / width >= (shownNs < SHORT_NS ? COLUMNS : MOST_COLUMNS)) {
            width *= 2;
        }
        return width;
    }
}
