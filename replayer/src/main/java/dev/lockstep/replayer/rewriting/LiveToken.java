package dev.lockstep.replayer.rewriting;

import java.util.concurrent.atomic.LongAdder;

/**
 * A login that is put into each request, and is renewed while requests are sent. One thread sets it; event loops read
 * it and count what became of it.
 */
public final class LiveToken {
    private final LongAdder refused = new LongAdder();
    private volatile String credentials = "";
    private volatile long renewals;
    private volatile long failures;

    /** Sets the token, the first one or another. */
    public void set(String token) {
        boolean first = credentials.isEmpty();
        credentials = "Bearer " + token;
        // Not before: whoever sees the count sees the token.
        renewals += first ? 0 : 1;
    }

    /** Tells whether a token is the one that is sent now. */
    public boolean isSame(String token) {
        return credentials.equals("Bearer " + token);
    }

    /** Counts an attempt to renew it that failed: it stays. */
    public void failed() {
        failures++;
    }

    /** Counts an answer with status 401. */
    public void countRefused() {
        refused.increment();
    }

    /** Returns how many answers had status 401. */
    public long refused() {
        return refused.sum();
    }

    /** Returns how often it was renewed. */
    public long renewals() {
        return renewals;
    }

    /** Returns how often that failed. */
    public long failures() {
        return failures;
    }

    /** Returns the value of the field Authorization. */
    public String credentials() {
        return credentials;
    }
}
