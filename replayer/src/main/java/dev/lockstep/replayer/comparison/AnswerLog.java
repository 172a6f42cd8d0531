package dev.lockstep.replayer.comparison;

import dev.lockstep.measurement.ErrorKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * What one target answered to each of the first requests of a capture: two longs a request, outside the heap, so that
 * millions of answers do not burden the garbage collector. Written by one event loop, read by another thread after the
 * phase; never grows.
 *
 * <pre>
 *  63       62            48 47                                     0
 * +--------+----------------+----------------------------------------+
 * | whole  | outcome        | length of the body                     |
 * +--------+----------------+----------------------------------------+
 * | CRC-32C of the body     | header set                             |
 * +-------------------------+----------------------------------------+
 *  63                     32 31                                     0
 * </pre>
 *
 * <p>Length and digest of a body in gzip are those of what it holds, where it can be unpacked.
 *
 * <p>The outcome is 0 where nothing is known, the status + 1, or {@link #FAILED} + the number of the error kind. Where
 * "whole" is not set, the protocol told the status and the length only. A header set is the place of a list in a table
 * of the sets that occurred, which are few unless a header is new in each answer; when the table is full, it is a hash
 * with the highest bit set: such sets can be told apart, but not the headers in them.
 *
 * <pre>
 * header set: digest (2 ints) | count | number of the name, digest of the values | ...
 * </pre>
 */
public final class AnswerLog {
    static final int BYTES_PER_REQUEST = 16;
    /** What is added to the number of an {@link ErrorKind}. */
    static final int FAILED = 2000;

    private static final int LENGTH_BITS = 48;
    private static final long LENGTH_MASK = (1L << LENGTH_BITS) - 1;
    private static final long WHOLE = 1L << 63;
    private static final int OUTCOME_MASK = 0x7fff;
    private static final int OVERFLOW = 1 << 31;
    /** Where the table begins: 0 means none. */
    private static final int FIRST_SET = 1;

    private static final int SET_HEAD_INTS = 3;
    private static final int LEAST_SET_BYTES = 64 << 10;
    private static final int BYTES_OF_A_SET = 96;
    /** How many are kept for bodies to come; each takes some 50 KB outside the heap. */
    private static final int MOST_RESTING = 64;

    private static final long NONE = -1;

    final int requests;
    final HeaderNames names;
    private final LongBuffer answers;
    private final IntBuffer sets;
    /** Places of sets by digest. */
    private final IntBuffer slots;

    private final int slotMask;
    /** Null where none are kept. */
    private final AnswerBodies bodies;

    private int nextSet = FIRST_SET;
    private int setCount;
    /** Those that no body is in. */
    private final ArrayDeque<GzipDigest> resting = new ArrayDeque<>();
    /** The answer that was digested last, if its body was unpacked, until {@link #answered}. */
    private long unpacked = NONE;

    private long unpackedBytes;

    /**
     * @param requests how many requests are covered, from the first on
     * @param setBytes how many bytes the table of header sets may take at most
     * @param ignoredHeaders names in lower case that are left out beside those that always are
     */
    AnswerLog(int requests, int setBytes, Collection<String> ignoredHeaders) {
        this(requests, setBytes, ignoredHeaders, null);
    }

    /** @param bodies keeps the first bodies, or null */
    AnswerLog(int requests, int setBytes, Collection<String> ignoredHeaders, AnswerBodies bodies) {
        this.requests = requests;
        this.bodies = bodies;
        names = new HeaderNames(ignoredHeaders);
        answers = direct(requests * BYTES_PER_REQUEST).asLongBuffer();
        int tableBytes = (int) Math.max(LEAST_SET_BYTES, Math.min((long) setBytes, (long) BYTES_OF_A_SET * requests));
        sets = direct(tableBytes).asIntBuffer();
        // Half empty when the table is full of small sets.
        int slotCount = Integer.highestOneBit(tableBytes / (Integer.BYTES * SET_HEAD_INTS));
        slots = direct(slotCount * Integer.BYTES).asIntBuffer();
        slotMask = slotCount - 1;
    }

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    /** A request without a number, such as a stream of HTTP/2, is not covered. */
    boolean covers(long n) {
        return n >= 0 && n < requests;
    }

    // ---- written on the event loop ------------------------------------------------------------------------------

    /** Notes headers and body of an answer to a covered request; {@link #answered} follows. */
    void digested(long n, AnswerDigest digest) {
        int at = (int) n * 2;
        answers.put(at, WHOLE);
        answers.put(at + 1, (long) digest.body() << 32 | set(digest) & 0xffff_ffffL);
        unpacked = digest.isUnpacked() ? n : NONE;
        unpackedBytes = digest.isUnpacked() ? digest.unpackedBytes() : 0;
        if (keepsBodies()) {
            digest.keepBody((int) n, bodies);
        }
    }

    /** Says whether the body of a further answer is kept. */
    boolean keepsBodies() {
        return bodies != null && bodies.hasRoom();
    }

    /** Returns what a body in gzip is put into, for {@link #giveBack}. */
    GzipDigest takeGzip() {
        GzipDigest rested = resting.poll();
        GzipDigest gzip = rested == null ? new GzipDigest() : rested;
        gzip.begin();
        return gzip;
    }

    void giveBack(GzipDigest used) {
        if (resting.size() < MOST_RESTING) {
            used.rest();
            resting.push(used);
        } else {
            used.end();
        }
    }

    /** Notes status and length of an answer. */
    public void answered(long n, int status, long bodyBytes) {
        if (covers(n)) {
            int at = (int) n * 2;
            long length = n == unpacked ? unpackedBytes : bodyBytes;
            answers.put(at, answers.get(at) & WHOLE | (status + 1L) << LENGTH_BITS | length & LENGTH_MASK);
        }
    }

    /** Notes that a request got no answer. */
    public void failed(long n, ErrorKind kind) {
        if (covers(n)) {
            answers.put((int) n * 2, (long) (FAILED + kind.ordinal()) << LENGTH_BITS);
        }
    }

    private int set(AnswerDigest digest) {
        int headers = digest.headers();
        long hash = digest.headerSet();
        int slot = (int) (hash ^ hash >>> 32) & slotMask;
        int place;
        while ((place = slots.get(slot)) != 0) {
            if (sets.get(place) == (int) (hash >>> 32) && sets.get(place + 1) == (int) hash) {
                return place;
            }
            slot = slot + 1 & slotMask;
        }
        int ints = SET_HEAD_INTS + 2 * headers;
        if (nextSet > sets.capacity() - ints || setCount > slotMask / 4 * 3) {
            return (int) hash | OVERFLOW;
        }
        place = nextSet;
        nextSet += ints;
        setCount++;
        sets.put(place, (int) (hash >>> 32));
        sets.put(place + 1, (int) hash);
        sets.put(place + 2, headers);
        for (int i = 0; i < headers; i++) {
            sets.put(place + SET_HEAD_INTS + 2 * i, digest.number(i));
            sets.put(place + SET_HEAD_INTS + 2 * i + 1, digest.hash(i));
        }
        slots.put(slot, place);
        return place;
    }

    // ---- read after the phase -----------------------------------------------------------------------------------

    /**
     * Returns the outcome of the n-th request: 0, the status + 1, or {@link #FAILED} + the number of the error kind.
     */
    int outcome(int n) {
        return (int) (answers.get(n * 2) >>> LENGTH_BITS) & OUTCOME_MASK;
    }

    /** Returns what was kept of the bodies of these requests. */
    Map<Integer, AnswerBody> bodies(Set<Integer> requests) {
        return bodies == null ? Map.of() : bodies.of(requests, this);
    }

    /** Says an outcome that is not 0 in a word: the status, or the kind of failure. */
    static String describe(int outcome) {
        if (outcome >= FAILED) {
            return ErrorKind.values()[outcome - FAILED].key();
        }
        // Protocols without a status have 0.
        return outcome == 1 ? "reply" : Integer.toString(outcome - 1);
    }

    /** Tells whether headers and body were digested. */
    boolean isWhole(int n) {
        return answers.get(n * 2) < 0;
    }

    long bodyBytes(int n) {
        return answers.get(n * 2) & LENGTH_MASK;
    }

    int body(int n) {
        return (int) (answers.get(n * 2 + 1) >>> 32);
    }

    /** The header set, for the methods below. */
    int headerSet(int n) {
        return (int) answers.get(n * 2 + 1);
    }

    /** Tells whether the headers in this set are known by name. */
    boolean isListed(int set) {
        return set >= FIRST_SET;
    }

    /** 31 bits of the digest of all headers in this set. */
    int setHash(int set) {
        return (isListed(set) ? sets.get(set + 1) : set) & ~OVERFLOW;
    }

    int headers(int set) {
        return sets.get(set + 2);
    }

    String headerName(int set, int i) {
        return names.name(sets.get(set + SET_HEAD_INTS + 2 * i));
    }

    /** The digest of a header's values. */
    int headerHash(int set, int i) {
        return sets.get(set + SET_HEAD_INTS + 2 * i + 1);
    }
}
