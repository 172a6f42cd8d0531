package dev.lockstep.replayer.engine;

/**
 * Tells when a target has answered nothing for so long that the requests left are given up. For a phase that ends when
 * all its requests are sent: each of them may take the time allowed for an answer, which adds up to hours. Event loop
 * only; asked at each of its turns.
 */
final class SilenceWatch {
    private final long mostNs;
    private long answered;
    private long sinceNs;

    /** @param mostNs how long the target may be silent */
    SilenceWatch(long mostNs) {
        this.mostNs = mostNs;
    }

    /**
     * Returns how long the target may still be silent, 0 or less where its time is over.
     *
     * @param answeredSoFar how many requests it has answered
     * @param fromNs from when on silence counts, such as the time when the last request was due
     */
    long leftNs(long answeredSoFar, long fromNs, long nowNs) {
        if (answeredSoFar != answered || fromNs - sinceNs > 0) {
            answered = answeredSoFar;
            sinceNs = fromNs - nowNs > 0 ? fromNs : nowNs;
        }
        return mostNs - (nowNs - sinceNs);
    }

    /** Begins anew. */
    void restart(long answeredSoFar, long nowNs) {
        answered = answeredSoFar;
        sinceNs = nowNs;
    }

    long mostNs() {
        return mostNs;
    }
}
