package dev.lockstep.capture;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The requests of a capture in the order of their first bytes, 32 bytes each outside the heap. Filled by one thread,
 * then read by any.
 *
 * <p>A request in one piece is described by its entry alone. One in several pieces has a run of entries in a side
 * table. The pieces of requests that arrive at the same time are interleaved in the file, so while a request is in
 * progress its pieces form a linked list among the {@link OpaquePieces}, where they stay if the request is never
 * complete; otherwise the list becomes a run.
 */
final class RequestTable {
    private static final int ENTRY_BYTES = 32;
    private static final int TIME_NS = 0;
    private static final int PAYLOAD = 8;
    private static final int CONNECTION = 16;
    private static final int INDEX_IN_CONNECTION = 20;
    private static final int LENGTH = 24;
    private static final int RUN = 28;

    // The same fields while a request is in progress.
    private static final int LAST_PIECE = INDEX_IN_CONNECTION;
    private static final int FIRST_PIECE = LENGTH;

    private static final int IN_ONE_PIECE = -1;
    private static final int INCOMPLETE = -2;

    // Flags beside the address, which is less than 2^52, and the status of the recorded answer.
    private static final long PIPELINED = 1L << 63;
    private static final long UNANSWERED = 1L << 62;
    private static final int STATUS_SHIFT = 52;
    private static final long STATUS = 0x3FFL << STATUS_SHIFT;
    private static final long FLAGS = PIPELINED | UNANSWERED | STATUS;

    // A piece in a run. The first entry of a run holds the request's length and the number of its pieces.
    private static final int PIECE_BYTES = 16;
    private static final int PIECE_PAYLOAD = 0;
    private static final int PIECE_LENGTH = 8;
    private static final int RUN_TOTAL = 0;
    private static final int RUN_PIECES = 8;

    private final FlatTable requests;
    private final FlatTable runs;
    private final OpaquePieces pieces;
    private long complete;
    private long completeBytes;

    /** Makes an empty table; requests in progress keep their pieces among the opaque ones. */
    RequestTable(FlatMemory memory, OpaquePieces pieces) {
        requests = new FlatTable(memory, ENTRY_BYTES);
        runs = new FlatTable(memory, PIECE_BYTES);
        this.pieces = pieces;
    }

    /** Adds a request that lies in one record. Runs per request. */
    void add(int connection, long timeNs, boolean pipelined, long payload, int length, int indexInConnection) {
        finish(begin(connection, timeNs, pipelined), payload, length, indexInConnection);
    }

    /** Adds a request of which more is to come, and returns its number for now. */
    long begin(int connection, long timeNs, boolean pipelined) {
        long request = requests.add();
        ByteBuffer chunk = requests.chunk(request);
        int at = requests.at(request);
        chunk.putLong(at + TIME_NS, timeNs);
        chunk.putLong(at + PAYLOAD, pipelined ? PIPELINED : 0);
        chunk.putInt(at + CONNECTION, connection);
        chunk.putInt(at + FIRST_PIECE, OpaquePieces.END_OF_LIST);
        chunk.putInt(at + LAST_PIECE, OpaquePieces.END_OF_LIST);
        chunk.putInt(at + RUN, INCOMPLETE);
        return request;
    }

    private void finish(long request, long payload, int length, int indexInConnection) {
        ByteBuffer chunk = requests.chunk(request);
        int at = requests.at(request);
        chunk.putLong(at + PAYLOAD, chunk.getLong(at + PAYLOAD) & FLAGS | payload);
        chunk.putInt(at + INDEX_IN_CONNECTION, indexInConnection);
        chunk.putInt(at + LENGTH, length);
        chunk.putInt(at + RUN, IN_ONE_PIECE);
        complete++;
        completeBytes += length;
    }

    /** Adds a piece, which is not empty, to a request in progress. */
    void addPiece(long request, int piece) {
        int last = requests.getInt(request, LAST_PIECE);
        if (last == OpaquePieces.END_OF_LIST) {
            requests.putInt(request, FIRST_PIECE, piece);
        } else {
            pieces.link(last, piece);
        }
        requests.putInt(request, LAST_PIECE, piece);
    }

    /** Marks the pieces of a request in progress, since a hole follows. */
    void tear(long request) {
        pieces.tear(requests.getInt(request, FIRST_PIECE));
    }

    /**
     * Completes a request in progress.
     *
     * @param payload where the request lies if all of its pieces are empty
     * @return false when there are more pieces than can be counted
     */
    boolean complete(long request, long payload, int indexInConnection) {
        int first = requests.getInt(request, FIRST_PIECE);
        int last = requests.getInt(request, LAST_PIECE);
        if (first == OpaquePieces.END_OF_LIST) {
            finish(request, payload, 0, indexInConnection);
        } else if (first == last) {
            finish(request, pieces.payload(first), pieces.length(first), indexInConnection);
        } else {
            long run = runs.add();
            long total = 0;
            int count = 0;
            for (int piece = first; piece != OpaquePieces.END_OF_LIST; piece = pieces.next(piece)) {
                long entry = runs.add();
                runs.putLong(entry, PIECE_PAYLOAD, pieces.payload(piece));
                runs.putInt(entry, PIECE_LENGTH, pieces.length(piece));
                total += pieces.length(piece);
                count++;
            }
            if (runs.size() > Integer.MAX_VALUE) {
                return false;
            }
            runs.putLong(run, RUN_TOTAL, total);
            runs.putInt(run, RUN_PIECES, count);
            requests.putInt(request, INDEX_IN_CONNECTION, indexInConnection);
            requests.putInt(request, RUN, (int) run);
            complete++;
            completeBytes += total;
        }
        pieces.take(first);
        return true;
    }

    /** Marks a complete request as one that gets no answer. */
    void markUnanswered(long request) {
        requests.putLong(request, PAYLOAD, requests.getLong(request, PAYLOAD) | UNANSWERED);
    }

    /** Notes the {@link RecordedStatus} of the answer to a complete request. */
    void status(long request, int status) {
        long payload = requests.getLong(request, PAYLOAD) & ~STATUS;
        requests.putLong(request, PAYLOAD, payload | (long) status << STATUS_SHIFT);
    }

    /** Returns how many requests were added, complete or not: the number of the next one. */
    long begun() {
        return requests.size();
    }

    /** Takes out the requests that are incomplete. */
    void dropIncomplete() {
        long begun = requests.size();
        long kept = 0;
        for (long request = 0; request < begun && complete < begun; request++) {
            if (requests.getInt(request, RUN) != INCOMPLETE) {
                for (int field = 0; field < ENTRY_BYTES; field += Long.BYTES) {
                    requests.putLong(kept, field, requests.getLong(request, field));
                }
                kept++;
            }
        }
        requests.shrink(complete);
    }

    long size() {
        return complete;
    }

    long bytes() {
        return completeBytes;
    }

    long timeNs(long request) {
        return requests.getLong(check(request), TIME_NS);
    }

    int connection(long request) {
        return requests.getInt(check(request), CONNECTION);
    }

    int indexInConnection(long request) {
        return requests.getInt(check(request), INDEX_IN_CONNECTION);
    }

    boolean isPipelined(long request) {
        return (requests.getLong(check(request), PAYLOAD) & PIPELINED) != 0;
    }

    boolean getsAnswer(long request) {
        return (requests.getLong(check(request), PAYLOAD) & UNANSWERED) == 0;
    }

    /** Returns the {@link RecordedStatus} of its answer. */
    int status(long request) {
        return (int) ((requests.getLong(check(request), PAYLOAD) & STATUS) >>> STATUS_SHIFT);
    }

    int fragments(long request) {
        int run = requests.getInt(check(request), RUN);
        return run == IN_ONE_PIECE ? 1 : runs.getInt(run, RUN_PIECES);
    }

    long length(long request) {
        int run = requests.getInt(check(request), RUN);
        return run == IN_ONE_PIECE ? requests.getInt(request, LENGTH) : runs.getLong(run, RUN_TOTAL);
    }

    int length(long request, int fragment) {
        int run = requests.getInt(check(request), RUN);
        if (run != IN_ONE_PIECE) {
            return runs.getInt(piece(run, fragment), PIECE_LENGTH);
        }
        Objects.checkIndex(fragment, 1);
        return requests.getInt(request, LENGTH);
    }

    /** Returns the offset of a fragment in the file. */
    long offset(long request, int fragment) {
        int run = requests.getInt(check(request), RUN);
        if (run != IN_ONE_PIECE) {
            return runs.getLong(piece(run, fragment), PIECE_PAYLOAD);
        }
        Objects.checkIndex(fragment, 1);
        return requests.getLong(request, PAYLOAD) & ~FLAGS;
    }

    private long piece(int run, int fragment) {
        return run + 1L + Objects.checkIndex(fragment, runs.getInt(run, RUN_PIECES));
    }

    private long check(long request) {
        if (request < 0 || request >= complete) {
            throw new IndexOutOfBoundsException("request " + request + " of " + complete);
        }
        return request;
    }
}
