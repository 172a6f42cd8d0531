package dev.lockstep.replayer.engine;

/**
 * Decides which connection sends which request, and when. One worker owns one dispatcher; all calls come on its event
 * loop. Between {@link #startPhase} and {@link #endPhase} lies a phase: the warm-up, or all measured rounds together.
 */
interface Dispatcher {
    /** Begins a phase at request 0, and opens connections that must stand before it. */
    void startPhase();

    /** Tells whether all connections wanted at the start are open, or failed to open. */
    boolean isReady();

    /**
     * Sends one request, if one is due, with what was pipelined behind it.
     *
     * @param nowNs the time by the monotonic clock
     * @return nanoseconds until more is due, 0 where more may be due now; {@link Long#MAX_VALUE} where only an answer,
     *     or nothing, can bring more
     */
    long poll(long nowNs);

    /** How many requests are due in this round and not yet sent, for want of a connection or of an answer. */
    long overdue(long nowNs);

    /** Tells whether requests of this round are still to come. */
    boolean hasMore();

    /** Tells whether the target owes nothing, and the round only awaits the recorded ends of connections. */
    default boolean awaitsOnlyEnds() {
        return false;
    }

    /** A round begins: what the one before left over goes out in its first {@link #poll}. */
    void resume();

    /** Ends the phase, closes its connections where the next phase cannot use them, and counts what was left unsent. */
    void endPhase();

    /** Closes everything for good. */
    void shutDown();
}
