package dev.lockstep.replayer.engine;

/** When a connection that failed, or was closed, may be opened again. Event loop only; times by the monotonic clock. */
final class BackOff {
    private static final long MIN_NS = 1_000_000;
    private static final long MAX_NS = 250_000_000;

    /**
     * Attempts in a row that failed to connect, or were closed before they brought anything; time-outs do not count.
     */
    private int fruitless;
    /** Whether the present channel brought an answer, or took a request that gets none. */
    private boolean fruitful;

    private long attemptNs;

    void attempt(long nowNs) {
        attemptNs = nowNs;
        fruitful = false;
    }

    /** An answer came, or a request went out that gets none. */
    void brought() {
        fruitful = true;
        fruitless = 0;
    }

    void failed() {
        fruitless++;
    }

    /** The connection was closed after it was open. */
    void closed(boolean timedOut) {
        if (!fruitful && !timedOut) {
            fruitless++;
        }
    }

    /** Forgets that attempts to connect failed. */
    void reset() {
        fruitless = 0;
    }

    /**
     * Returns when the next attempt to connect may begin, after the last one ended. After a failed attempt the next
     * follows in 1 ms, then 2 ms and so on. A target may close one connection unanswered and is asked again at once.
     * When it does so again, attempts begin at the same distances, counted from the beginning of the last one: a
     * connection that stood open for a while needs no further wait.
     *
     * @param failed whether the last attempt failed to connect; else it was closed
     */
    long nextAttemptNs(boolean failed, long nowNs) {
        if (failed) {
            return nowNs + delayNs(fruitless);
        }
        return fruitless < 2 ? nowNs : attemptNs + delayNs(fruitless - 1);
    }

    private static long delayNs(int attempts) {
        return Math.min(MAX_NS, MIN_NS << Math.min(8, attempts - 1));
    }
}
