package dev.lockstep.capture;

/**
 * The requests that get no answer, while a capture is opened: for each connection a list of their numbers, the highest
 * first. They mostly come in order.
 */
final class UnansweredRequests {
    private static final int ENTRY_BYTES = 8;
    private static final int NUMBER = 0;
    private static final int NEXT = 4;

    /** Stands where a list ends; other entries are named by their number plus one. */
    private static final int END = 0;

    private final FlatTable table;
    private final ConnectionTable connections;

    UnansweredRequests(FlatMemory memory, ConnectionTable connections) {
        this.table = new FlatTable(memory, ENTRY_BYTES);
        this.connections = connections;
    }

    /** Notes that a connection's request with a number gets no answer. */
    void add(int connection, long number) {
        if (number < 0 || number > Integer.MAX_VALUE || table.size() == Integer.MAX_VALUE) {
            return; // no such request can be
        }
        int entry = (int) table.add() + 1;
        table.putInt(entry - 1, NUMBER, (int) number);
        int before = END;
        int after = connections.unanswered(connection);
        while (after != END && number(after) > number) {
            before = after;
            after = next(after);
        }
        table.putInt(entry - 1, NEXT, after);
        if (before == END) {
            connections.unanswered(connection, entry);
        } else {
            table.putInt(before - 1, NEXT, entry);
        }
    }

    /** Marks the requests, once all are known. */
    void mark(RequestTable requests) {
        for (long request = table.size() == 0 ? -1 : requests.size() - 1; request >= 0; request--) {
            int connection = requests.connection(request);
            int number = requests.indexInConnection(request);
            int entry = connections.unanswered(connection);
            while (entry != END && number(entry) > number) {
                entry = next(entry);
            }
            connections.unanswered(connection, entry);
            if (entry != END && number(entry) == number) {
                requests.markUnanswered(request);
            }
        }
    }

    private int number(int entry) {
        return table.getInt(entry - 1, NUMBER);
    }

    private int next(int entry) {
        return table.getInt(entry - 1, NEXT);
    }
}
