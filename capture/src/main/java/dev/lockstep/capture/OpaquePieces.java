package dev.lockstep.capture;

import dev.lockstep.capture.format.CaptureFormat;
import java.nio.ByteBuffer;

/**
 * The client's bytes outside complete requests, one piece a record, in file order: streams of an unknown protocol, what
 * follows an upgrade, frames between requests, requests that have no end. 32 bytes each outside the heap. Filled by one
 * thread, then read by any.
 *
 * <p>The pieces of a connection and its complete requests, each request behind the pieces that have as many requests
 * before them, are all that the client sent on it, in order.
 *
 * <p>Where bytes of a connection are missing, what is left around the hole means nothing to a server any more: the rest
 * of the request that it tore, and what comes behind it outside complete requests. Such pieces are here too, and
 * marked.
 */
public final class OpaquePieces {
    private static final int ENTRY_BYTES = 32;
    private static final int TIME_NS = 0;
    private static final int PAYLOAD = 8;
    private static final int CONNECTION = 16;
    private static final int REQUESTS_BEFORE = 20;
    private static final int LENGTH = 24;
    private static final int NEXT = 28;

    private static final int LENGTH_MASK = CaptureFormat.MAX_PAYLOAD_BYTES;
    private static final int BY_HOLE = 1 << 30;
    /** Belongs to a complete request, and no longer to the pieces. */
    private static final int TAKEN = 1 << 31;

    /** The end of a list of pieces. */
    static final int END_OF_LIST = -1;

    private final FlatTable table;
    private final CaptureMemory file;
    private long bytes;
    private long bytesByHoles;

    OpaquePieces(FlatMemory memory, CaptureMemory file) {
        this.table = new FlatTable(memory, ENTRY_BYTES);
        this.file = file;
    }

    public long count() {
        return table.size();
    }

    public long bytes() {
        return bytes;
    }

    /** Returns the bytes of the pieces that stand {@link #isByHole by a hole}. */
    public long bytesByHoles() {
        return bytesByHoles;
    }

    /** Returns the time of a piece in ns since the capture's start; never less than the one before. */
    public long timeNs(long piece) {
        return table.getLong(check(piece), TIME_NS);
    }

    public int connection(long piece) {
        return table.getInt(check(piece), CONNECTION);
    }

    /** Returns how many complete requests of its connection were sent before a piece. */
    public int requestsBefore(long piece) {
        return table.getInt(check(piece), REQUESTS_BEFORE);
    }

    /** Returns the bytes of a piece, at least 1. */
    public int length(long piece) {
        return table.getInt(check(piece), LENGTH) & LENGTH_MASK;
    }

    /** Whether a piece is of a request that a hole tore, or comes behind a hole: it cannot be replayed. */
    public boolean isByHole(long piece) {
        return (table.getInt(check(piece), LENGTH) & BY_HOLE) != 0;
    }

    /** Returns the {@link Capture#mapping(int) mapping} that holds a piece. */
    public int mapping(long piece) {
        return file.index(table.getLong(check(piece), PAYLOAD));
    }

    /** Returns where in its mapping a piece begins. */
    public int offset(long piece) {
        return file.position(table.getLong(check(piece), PAYLOAD));
    }

    private long check(long piece) {
        if (piece < 0 || piece >= table.size()) {
            throw new IndexOutOfBoundsException("opaque piece " + piece + " of " + table.size());
        }
        return piece;
    }

    // ---- While the capture is opened: requests in progress are lists of pieces.

    /**
     * Adds a piece, and returns its number for now, or -1 when there are more than can be counted.
     *
     * @param byHole whether a hole is before it
     */
    int add(int connection, long timeNs, long payload, int length, int requestsBefore, boolean byHole) {
        if (table.size() == Integer.MAX_VALUE) {
            return -1;
        }
        long piece = table.add();
        ByteBuffer chunk = table.chunk(piece);
        int at = table.at(piece);
        chunk.putLong(at + TIME_NS, timeNs);
        chunk.putLong(at + PAYLOAD, payload);
        chunk.putInt(at + CONNECTION, connection);
        chunk.putInt(at + REQUESTS_BEFORE, requestsBefore);
        chunk.putInt(at + LENGTH, length | (byHole ? BY_HOLE : 0));
        chunk.putInt(at + NEXT, END_OF_LIST);
        return (int) piece;
    }

    /** Makes a piece follow another one. */
    void link(int piece, int following) {
        table.putInt(piece, NEXT, following);
    }

    int next(int piece) {
        return table.getInt(piece, NEXT);
    }

    long payload(int piece) {
        return table.getLong(piece, PAYLOAD);
    }

    /** Takes the pieces of a list out, since their request is complete. */
    void take(int first) {
        for (int piece = first; piece != END_OF_LIST; piece = next(piece)) {
            table.putInt(piece, LENGTH, TAKEN);
        }
        // Mostly these are the last ones: then the table does not grow with the requests.
        long size = table.size();
        while (size > 0 && table.getInt(size - 1, LENGTH) == TAKEN) {
            size--;
        }
        table.shrink(size);
    }

    /** Marks the pieces of a list, since a hole follows. */
    void tear(int first) {
        for (int piece = first; piece != END_OF_LIST; piece = next(piece)) {
            table.putInt(piece, LENGTH, table.getInt(piece, LENGTH) | BY_HOLE);
        }
    }

    /** Ends the filling, and tells each connection how many bytes it has in pieces that can be replayed. */
    void finish(ConnectionTable connections) {
        long kept = 0;
        for (long piece = 0; piece < table.size(); piece++) {
            int length = table.getInt(piece, LENGTH);
            if (length == TAKEN) {
                continue;
            }
            bytes += length & LENGTH_MASK;
            if ((length & BY_HOLE) != 0) {
                bytesByHoles += length & LENGTH_MASK;
            } else {
                connections.countOpaque(table.getInt(piece, CONNECTION), length);
            }
            if (kept < piece) {
                for (int field = 0; field < ENTRY_BYTES; field += Long.BYTES) {
                    table.putLong(kept, field, table.getLong(piece, field));
                }
            }
            kept++;
        }
        table.shrink(kept);
    }
}
