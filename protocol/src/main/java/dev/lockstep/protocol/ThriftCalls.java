package dev.lockstep.protocol;

import java.util.Arrays;

/**
 * The calls of one connection that wait for their answers, in order, and those that are known to get none. Runs per
 * request; used by the one thread that handles the connection.
 *
 * <p>Servers answer in order. An answer that does not fit the first call that waits but a later one therefore tells
 * that the calls before it get no answer: some clients send oneway functions as calls (Go's; all before Thrift 0.9.3).
 * An answer fits by its name, without the service's that a multiplexed call has and its answer has not, and by its
 * sequence id where both have one. Once an answer comes for a call that was passed over, the server answers out of
 * order, and nothing more is concluded.
 */
final class ThriftCalls {
    /** The most calls that are remembered; of more, the oldest are forgotten and nothing is concluded about them. */
    static final int MAX_WAITING = 1024;

    /** The most answers that are remembered, of those that came before their call was seen, or instead of it. */
    private static final int MAX_REMEMBERED = 16;

    private static final int MAX_UNANSWERED = 1 << 16;

    // The waiting calls: a ring, whose length is a power of two.
    private long[] names = new long[8];
    private long[] methods = new long[8];
    private int[] sequenceIds = new int[8];
    private long[] numbers = new long[8];
    private int first;
    private int waiting;

    // Answers that fitted no call, which are seen late where packets are; and calls that were passed over.
    private final Answers early = new Answers();
    private final Answers passed = new Answers();

    // What is to be told.
    private long[] unanswered = new long[8];
    private int unansweredFrom;
    private int unansweredTo;

    private boolean learning = true;
    /** Whether answers to calls that were forgotten may still come. */
    private boolean behindGap;

    /**
     * Adds a call that was sent.
     *
     * @param number the request's number on its connection
     * @param name the hash of its name, or 0 where that is not known
     * @param method the hash of its name without the service's
     */
    void sent(long number, long name, long method, int sequenceId) {
        if (!learning || early.take(name, method, sequenceId)) {
            return;
        }
        if (waiting == names.length) {
            makeRoom();
        }
        int at = first + waiting & names.length - 1;
        names[at] = name;
        methods[at] = method;
        sequenceIds[at] = sequenceId;
        numbers[at] = number;
        waiting++;
    }

    /** Notes a request that gets no answer: it says so itself, or the answer to a later one shows it. */
    void unanswered(long number) {
        if (unansweredTo == unanswered.length) {
            if (unanswered.length == MAX_UNANSWERED) {
                return;
            }
            unanswered = Arrays.copyOf(unanswered, unanswered.length * 2);
        }
        unanswered[unansweredTo++] = number;
    }

    /**
     * Takes an answer.
     *
     * @param name the hash of its name, or 0 where that is not known
     * @return the number of the request that it answers, or -1 where that is not known
     */
    long answered(long name, int sequenceId) {
        if (!learning) {
            return -1;
        }
        int mask = names.length - 1;
        for (int i = 0; i < waiting; i++) {
            int at = first + i & mask;
            if (fits(name, sequenceId, names[at], methods[at], sequenceIds[at])) {
                for (int j = 0; j < i; j++) {
                    int before = first + j & mask;
                    unanswered(numbers[before]);
                    passed.add(names[before], methods[before], sequenceIds[before]);
                }
                first = first + i + 1 & mask;
                waiting -= i + 1;
                behindGap = false;
                return numbers[at];
            }
        }
        if (passed.take(name, name, sequenceId)) {
            stop();
        } else if (!behindGap && name != 0) {
            // One without a name would be taken for the answer to any call.
            early.add(name, name, sequenceId);
        }
        return -1;
    }

    /** Concludes nothing more: the answers are out of order, or cannot be read. */
    void stop() {
        learning = false;
        forget();
    }

    /**
     * Forgets which calls wait: some calls or answers were not seen. Until an answer fits a later call, those that fit
     * none are to forgotten ones: remembered as early, each would be taken for the answer to the next call of its name.
     */
    void forget() {
        behindGap = true;
        first = 0;
        waiting = 0;
        early.clear();
        passed.clear();
    }

    /** The number of a request that gets no answer, each once, or -1. */
    long takeUnanswered() {
        if (unansweredFrom == unansweredTo) {
            unansweredFrom = 0;
            unansweredTo = 0;
            return -1;
        }
        return unanswered[unansweredFrom++];
    }

    private void makeRoom() {
        if (names.length == MAX_WAITING) {
            first = first + 1 & names.length - 1;
            waiting--;
            return;
        }
        int capacity = names.length * 2;
        names = unrolled(names, capacity);
        methods = unrolled(methods, capacity);
        numbers = unrolled(numbers, capacity);
        int[] ids = new int[capacity];
        System.arraycopy(sequenceIds, first, ids, 0, sequenceIds.length - first);
        System.arraycopy(sequenceIds, 0, ids, sequenceIds.length - first, first);
        sequenceIds = ids;
        first = 0;
    }

    private long[] unrolled(long[] ring, int capacity) {
        long[] copy = new long[capacity];
        System.arraycopy(ring, first, copy, 0, ring.length - first);
        System.arraycopy(ring, 0, copy, ring.length - first, first);
        return copy;
    }

    /** Whether an answer can be to a call; a name of 0 is not known. */
    static boolean fits(long answer, int answerId, long name, long method, int callId) {
        boolean sameName = answer == 0 || name == 0 || answer == name || answer == method;
        return sameName && (answerId == callId || answerId == 0 || callId == 0);
    }

    /** A few names with sequence ids, of which the oldest makes room for the newest. */
    private static final class Answers {
        private final long[] names = new long[MAX_REMEMBERED];
        private final long[] methods = new long[MAX_REMEMBERED];
        private final int[] sequenceIds = new int[MAX_REMEMBERED];
        private int size;

        void add(long name, long method, int sequenceId) {
            if (size == MAX_REMEMBERED) {
                remove(0);
            }
            names[size] = name;
            methods[size] = method;
            sequenceIds[size++] = sequenceId;
        }

        /** Removes the oldest that fits a call or an answer; returns false when there is none. */
        boolean take(long name, long method, int sequenceId) {
            for (int i = 0; i < size; i++) {
                if (fits(names[i], sequenceIds[i], name, method, sequenceId)
                        || fits(name, sequenceId, names[i], methods[i], sequenceIds[i])) {
                    remove(i);
                    return true;
                }
            }
            return false;
        }

        void clear() {
            size = 0;
        }

        private void remove(int index) {
            size--;
            System.arraycopy(names, index + 1, names, index, size - index);
            System.arraycopy(methods, index + 1, methods, index, size - index);
            System.arraycopy(sequenceIds, index + 1, sequenceIds, index, size - index);
        }
    }
}
