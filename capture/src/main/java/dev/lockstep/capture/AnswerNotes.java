package dev.lockstep.capture;

/**
 * What is noted of answers, while a capture is opened: which requests get none, and how others were answered. For each
 * connection a list of requests by their numbers, the highest first. They mostly come in order.
 */
final class AnswerNotes {
    private static final int ENTRY_BYTES = 16;
    private static final int NUMBER = 0;
    private static final int NEXT = 4;
    private static final int STATUS = 8;

    /** Stands where a list ends; other entries are named by their number plus one. */
    private static final int END = 0;
    /** In place of a status: the request gets no answer. */
    private static final int NO_ANSWER = -1;

    private final FlatTable table;
    private final ConnectionTable connections;

    AnswerNotes(FlatMemory memory, ConnectionTable connections) {
        this.table = new FlatTable(memory, ENTRY_BYTES);
        this.connections = connections;
    }

    /** Notes that a connection's request with a number gets no answer. */
    void noAnswer(int connection, long number) {
        add(connection, number, NO_ANSWER);
    }

    /** Notes how a connection's request with a number was answered. Runs per request. */
    void answered(int connection, long number, int status, RequestTable requests) {
        if (number >= 0 && number == connections.requests(connection) - 1) {
            // The usual case, that of an answer before the next request, takes no entry.
            requests.status(connections.lastRequest(connection), status);
        } else {
            add(connection, number, status);
        }
    }

    private void add(int connection, long number, int status) {
        if (number < 0 || number > Integer.MAX_VALUE || table.size() == Integer.MAX_VALUE) {
            return; // no such request can be
        }
        int entry = (int) table.add() + 1;
        table.putInt(entry - 1, NUMBER, (int) number);
        table.putInt(entry - 1, STATUS, status);
        int before = END;
        int after = connections.answerNotes(connection);
        while (after != END && number(after) > number) {
            before = after;
            after = next(after);
        }
        table.putInt(entry - 1, NEXT, after);
        if (before == END) {
            connections.answerNotes(connection, entry);
        } else {
            table.putInt(before - 1, NEXT, entry);
        }
    }

    /** Marks the requests, once all are known. */
    void mark(RequestTable requests) {
        for (long request = table.size() == 0 ? -1 : requests.size() - 1; request >= 0; request--) {
            int connection = requests.connection(request);
            int number = requests.indexInConnection(request);
            int entry = connections.answerNotes(connection);
            while (entry != END && number(entry) >= number) {
                if (number(entry) == number) {
                    mark(requests, request, table.getInt(entry - 1, STATUS));
                }
                entry = next(entry);
            }
            connections.answerNotes(connection, entry);
        }
    }

    private static void mark(RequestTable requests, long request, int status) {
        if (status == NO_ANSWER) {
            requests.markUnanswered(request);
        } else {
            requests.status(request, status);
        }
    }

    private int number(int entry) {
        return table.getInt(entry - 1, NUMBER);
    }

    private int next(int entry) {
        return table.getInt(entry - 1, NEXT);
    }
}
