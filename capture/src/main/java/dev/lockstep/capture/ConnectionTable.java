package dev.lockstep.capture;

/** The connections of a capture, 64 bytes each outside the heap. Filled by one thread, then read by any. */
final class ConnectionTable {
    private static final int ENTRY_BYTES = 64;
    private static final int OPENED_NS = 0;
    private static final int CLOSED_NS = 8;
    private static final int REQUESTS = 16;
    private static final int OPAQUE_BYTES = 24;
    private static final int OPEN_REQUEST = 32;
    private static final int PROTOCOL = 40;
    private static final int CLOSE_REASON = 42;
    private static final int STATE = 43;
    private static final int ANSWER_NOTES = 44;
    private static final int HALF_CLOSED_NS = 48;
    private static final int LAST_REQUEST = 56;

    private static final int HAS_HOLE = 1;
    private static final int HALF_CLOSED = 1 << 1;

    /** Stands where there is no request in progress. */
    static final int NONE = -1;

    private final FlatTable table;

    ConnectionTable(FlatMemory memory) {
        this.table = new FlatTable(memory, ENTRY_BYTES);
    }

    int size() {
        return (int) table.size();
    }

    /** Adds the next connection, and returns its number. */
    int open(long timeNs) {
        long connection = table.add();
        table.putLong(connection, OPENED_NS, timeNs);
        table.putLong(connection, CLOSED_NS, timeNs);
        table.putLong(connection, OPEN_REQUEST, NONE);
        return (int) connection;
    }

    /** Notes the time of a further record of a connection. Runs per record. */
    void heardOf(int connection, long timeNs) {
        table.putLong(connection, CLOSED_NS, timeNs);
    }

    void close(int connection, int reason) {
        table.putByte(connection, CLOSE_REASON, reason);
    }

    void protocol(int connection, int code) {
        table.putShort(connection, PROTOCOL, code);
    }

    /** Notes that the client ended its side. */
    void halfClose(int connection, long timeNs) {
        table.putLong(connection, HALF_CLOSED_NS, timeNs);
        table.putByte(connection, STATE, table.getByte(connection, STATE) | HALF_CLOSED);
    }

    /** Notes that bytes of the client are missing from here on. */
    void tear(int connection) {
        table.putByte(connection, STATE, table.getByte(connection, STATE) | HAS_HOLE);
    }

    boolean hasHole(int connection) {
        return (table.getByte(connection, STATE) & HAS_HOLE) != 0;
    }

    /** Counts bytes outside complete requests that can be replayed. */
    void countOpaque(int connection, int bytes) {
        table.putLong(connection, OPAQUE_BYTES, table.getLong(connection, OPAQUE_BYTES) + bytes);
    }

    /** Returns where the list of {@link AnswerNotes} begins; 0 for none. */
    int answerNotes(int connection) {
        return table.getInt(connection, ANSWER_NOTES);
    }

    void answerNotes(int connection, int entry) {
        table.putInt(connection, ANSWER_NOTES, entry);
    }

    /** Returns the request that was completed last; not to be asked for where there is none. */
    long lastRequest(int connection) {
        return table.getLong(connection, LAST_REQUEST);
    }

    /** Returns the request in progress, or {@link #NONE}. */
    long openRequest(int connection) {
        return table.getLong(connection, OPEN_REQUEST);
    }

    void openRequest(int connection, long request) {
        table.putLong(connection, OPEN_REQUEST, request);
    }

    /** Counts one more complete request, and returns how many there were before. */
    int countRequest(int connection, long request) {
        table.putLong(connection, LAST_REQUEST, request);
        long before = table.getLong(connection, REQUESTS);
        table.putLong(connection, REQUESTS, before + 1);
        return (int) before;
    }

    long requests(int connection) {
        return table.getLong(check(connection), REQUESTS);
    }

    long openedNs(int connection) {
        return table.getLong(check(connection), OPENED_NS);
    }

    long closedNs(int connection) {
        return table.getLong(check(connection), CLOSED_NS);
    }

    /** Returns when the client ended its side, or -1 where it did not. */
    long halfClosedNs(int connection) {
        return (table.getByte(check(connection), STATE) & HALF_CLOSED) == 0
                ? -1
                : table.getLong(connection, HALF_CLOSED_NS);
    }

    long opaqueBytes(int connection) {
        return table.getLong(check(connection), OPAQUE_BYTES);
    }

    CloseReason closeReason(int connection) {
        return CloseReason.ofCode(table.getByte(check(connection), CLOSE_REASON));
    }

    Protocol protocol(int connection) {
        return Protocol.ofCode(table.getShort(check(connection), PROTOCOL));
    }

    private int check(int connection) {
        if (connection < 0 || connection >= table.size()) {
            throw new IndexOutOfBoundsException("connection " + connection + " of " + table.size());
        }
        return connection;
    }
}
