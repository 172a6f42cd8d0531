package dev.lockstep.replayer.engine;

/**
 * The requests in flight on one connection, oldest first, and how far each has come: held, unflushed, unwritten,
 * awaited, done. A ring of records of four longs each; runs per request on the event loop and allocates only to grow.
 *
 * <pre>
 *   position  0                                             size
 *             | awaited, done, done, awaited | .. | .. | ....  |
 *             |                              |    |    `- held: not even the channel was given them
 *             |                              |    `------ unflushed: the socket was not offered them
 *             |                              `----------- unwritten: the socket has not taken them whole
 *             `- the oldest, of this sequence number; a request that is done goes when it is the oldest
 * </pre>
 */
final class InFlightRequests {
    /** The intended time of a request in a closed loop: when it is written. */
    static final long WHEN_WRITTEN = Long.MIN_VALUE;

    private static final int LONGS = 4;
    private static final int INTENDED = 1;
    private static final int WRITTEN = 2;
    private static final int FLAGS = 3;
    private static final int FIRST_CAPACITY = 2;

    private static final long DEFERRED = 1;
    /** Answered out of order, while an older request is still in flight. */
    private static final long DONE = 1 << 1;
    /** Gets no answer: complete when it is written. */
    private static final long ONEWAY = 1 << 2;
    /** Above the flags. */
    private static final int ENDPOINT_SHIFT = 32;

    private long[] ring = new long[FIRST_CAPACITY * LONGS];
    /** Where the oldest record begins. */
    private int head;

    private int size;
    private long oldestSequence;

    /** How many still await something. */
    private int inFlight;

    private int unwritten;
    private int unflushed;
    private int held;
    /** How many get no answer and are not done. */
    private int oneway;

    // ---- on their way out -------------------------------------------------------------------------------------------

    /** The sequence number of the request that is added next. */
    long nextSequence() {
        return oldestSequence + size;
    }

    /**
     * Adds a request that is not written yet.
     *
     * @param deferred whether it is late through the target
     * @param answered whether it gets an answer
     * @param hold whether the channel is to be given it later, see {@link #takeHeld}
     */
    void add(long number, int endpoint, long intendedNs, boolean deferred, boolean answered, boolean hold) {
        if (size * LONGS == ring.length) {
            grow();
        }
        int at = at(size++);
        ring[at] = number;
        ring[at + INTENDED] = intendedNs;
        ring[at + WRITTEN] = 0;
        ring[at + FLAGS] = (long) endpoint << ENDPOINT_SHIFT | (deferred ? DEFERRED : 0) | (answered ? 0 : ONEWAY);
        inFlight++;
        unflushed++;
        unwritten++;
        if (hold) {
            held++;
        }
        if (!answered) {
            oneway++;
        }
    }

    private void grow() {
        long[] larger = new long[ring.length * 2];
        System.arraycopy(ring, head, larger, 0, ring.length - head);
        System.arraycopy(ring, 0, larger, ring.length - head, head);
        ring = larger;
        head = 0;
    }

    private int at(int position) {
        return head + position * LONGS & ring.length - 1;
    }

    int held() {
        return held;
    }

    /** Returns the number of the oldest request that is held, which is from now on no more. */
    long takeHeld() {
        return number(size - held--);
    }

    /** When the oldest request that is held was intended to be sent, or {@link #WHEN_WRITTEN}. */
    long heldIntendedNs() {
        return intendedNs(size - held);
    }

    /** The number of the newest request. */
    long newestNumber() {
        return number(size - 1);
    }

    int unflushed() {
        return unflushed;
    }

    /**
     * Stamps those that are about to be flushed; that is also when a request was intended that has no time of its own.
     */
    void flushed(long stampNs) {
        for (int i = size - unflushed; i < size; i++) {
            int at = at(i);
            ring[at + WRITTEN] = stampNs;
            if (ring[at + INTENDED] == WHEN_WRITTEN) {
                ring[at + INTENDED] = stampNs;
            }
        }
        unflushed = 0;
    }

    /** Stamps those of the last flush anew, as their encrypted bytes were handed to the socket later. */
    void restamp(long plainNs, long stampNs) {
        for (int i = firstUnflushed() - 1; i >= 0 && writtenNs(i) == plainNs; i--) {
            int at = at(i);
            ring[at + WRITTEN] = stampNs;
            if (ring[at + INTENDED] == plainNs) {
                ring[at + INTENDED] = stampNs;
            }
        }
    }

    int unwritten() {
        return unwritten;
    }

    /** Tells whether there are flushed requests that the socket has not taken whole. */
    boolean isBeingWritten() {
        return unwritten > unflushed;
    }

    /** The first position that the socket has not taken whole. */
    int firstUnwritten() {
        return size - unwritten;
    }

    /** The first position that was not flushed. */
    int firstUnflushed() {
        return size - unflushed;
    }

    /** Stamps those that the socket takes after their flush: from that on they are late through the target. */
    void takenLate(long stampNs) {
        for (int i = firstUnwritten(); i < firstUnflushed(); i++) {
            int at = at(i);
            ring[at + WRITTEN] = stampNs;
            ring[at + FLAGS] |= DEFERRED;
        }
    }

    /** The socket took all that was flushed. */
    void allTaken() {
        unwritten = unflushed;
    }

    /** The socket took the first that was unwritten. */
    void oneTaken() {
        unwritten--;
    }

    // ---- on their way back ------------------------------------------------------------------------------------------

    /** Tells whether this request was handed to the socket and awaits its answer. */
    boolean isAwaited(long sequence) {
        long position = sequence - oldestSequence;
        return position >= 0 && position < size - unflushed && !isDone((int) position);
    }

    int position(long sequence) {
        return (int) (sequence - oldestSequence);
    }

    /** How many await something. */
    int inFlight() {
        return inFlight;
    }

    /** How many are kept: those in flight, and those that are done and wait for an older one. */
    int size() {
        return size;
    }

    boolean hasOneway() {
        return oneway > 0;
    }

    /** Tells whether the request gets no answer and is not done. */
    boolean isOpenOneway(int position) {
        return (ring[at(position) + FLAGS] & (ONEWAY | DONE)) == ONEWAY;
    }

    void onewayDone(int position) {
        oneway--;
        done(position);
    }

    void done(int position) {
        ring[at(position) + FLAGS] |= DONE;
        inFlight--;
    }

    /** Drops the oldest that are done. */
    void dropDone() {
        while (size > 0 && isDone(0)) {
            oldestSequence++;
            head = at(1);
            size--;
        }
    }

    /** Forgets all of them; their sequence numbers are not used again. */
    void clear() {
        oldestSequence += size;
        head = 0;
        size = 0;
        inFlight = 0;
        unwritten = 0;
        unflushed = 0;
        held = 0;
        oneway = 0;
    }

    // ---- one of them ------------------------------------------------------------------------------------------------

    /** The request's number in the phase. */
    long number(int position) {
        return ring[at(position)];
    }

    int endpoint(int position) {
        return (int) (ring[at(position) + FLAGS] >>> ENDPOINT_SHIFT);
    }

    long intendedNs(int position) {
        return ring[at(position) + INTENDED];
    }

    long writtenNs(int position) {
        return ring[at(position) + WRITTEN];
    }

    boolean isDeferred(int position) {
        return (ring[at(position) + FLAGS] & DEFERRED) != 0;
    }

    boolean isDone(int position) {
        return (ring[at(position) + FLAGS] & DONE) != 0;
    }
}
