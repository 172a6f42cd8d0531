package dev.lockstep.replayer.engine;

import java.util.concurrent.TimeUnit;

/**
 * What keeps a heating from being one endless burst: now and then the target gets nothing to do for a moment, and now
 * and then a connection is closed and opened anew. Event loop only.
 *
 * <p>Design note: a JIT compiles what it sees run, and bets that nothing else will. Under a burst over connections that
 * stay, no event loop ever finds nothing to do and no connection ever ends; the first that does, at the measured pace,
 * breaks these bets. Then whole chains of methods are thrown away, and at a few hundred requests a second it takes
 * minutes until they are compiled again. {@code docs/measurement.md} has figures.
 *
 * <p>Where a target has one processor, its JIT gets half of it while requests take the other half, and has more to do
 * than that for the longest part of a heating. So it gets more than half of the time to itself as long as that is asked
 * for.
 */
final class HeatingRhythm {
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long COMPILING_REST_NS = TimeUnit.MILLISECONDS.toNanos(60);
    /** In which share of the time something may be sent, where the JIT has not much to do. */
    static final double SENDING_SHARE = 1 - (double) REST_NS / PERIOD_NS;
    /** Often enough for a JIT to see it, seldom enough not to use up local ports, which are kept for a minute. */
    private static final long RENEWAL_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final long startedNs;
    private long restNs = REST_NS;
    private long renewalNs;

    HeatingRhythm(long nowNs) {
        startedNs = nowNs;
        renewalNs = nowNs + RENEWAL_NS;
    }

    /** Says whether it rests for long, because the target's JIT has much to do, or no longer. */
    void compiling(boolean compiling) {
        restNs = compiling ? COMPILING_REST_NS : REST_NS;
    }

    /** Returns for how long nothing is to be sent from now on; 0 where something may be. */
    long restLeftNs(long nowNs) {
        long atNs = Math.floorMod(nowNs - startedNs, PERIOD_NS);
        return atNs < PERIOD_NS - restNs ? 0 : PERIOD_NS - atNs;
    }

    /** Tells whether the connection that has just been answered is to be closed and opened anew. */
    boolean renews(long nowNs) {
        if (nowNs - renewalNs < 0) {
            return false;
        }
        renewalNs = nowNs + RENEWAL_NS;
        return true;
    }
}
