package dev.lockstep.replayer.meters;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Outage;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Finds, from what happens to one target's connections, when it could not be reached. Runs on the event loop; only
 * {@link #isTroubled} is asked per request.
 *
 * <p>An outage is a time without an answer in which no connection is open: all are lost, and attempts to open others
 * fail or bring only failed requests. It begins with the first failure after the last answer and ends with the next
 * answer. A connection that is lost alone, or opened again at once, is no outage.
 */
final class OutageWatch {
    /** Further outages are only counted: a target that fails all day must not cost memory. */
    static final int MOST_LISTED = 1000;

    private final List<Outage> outages = new ArrayList<>();
    private long leftOut;

    private int open;
    private boolean troubled;
    private long troubledSinceNs;
    private long failed;
    private boolean allLost;
    private boolean down;
    private boolean died;

    /** Begins a phase; open connections stay open. */
    void startPhase() {
        outages.clear();
        leftOut = 0;
        troubled = false;
    }

    void opened() {
        open++;
    }

    /** An open connection was closed, by either side; its failed requests were told before. */
    void closed() {
        open--;
        if (open == 0 && troubled) {
            allLost = true;
        }
    }

    void connectFailed(ErrorKind kind, long nowNs) {
        if (kind == ErrorKind.CONNECT_FAILED) {
            // A limit of this machine, not the target.
            return;
        }
        trouble(nowNs);
        if (open == 0) {
            down = true;
        }
    }

    /** Requests failed with their connection, or for want of one. */
    void failed(long requests, long nowNs) {
        if (requests == 0) {
            return;
        }
        if (troubled && allLost) {
            down = true;
        }
        trouble(nowNs);
        down |= died;
        failed += requests;
    }

    /** The target's process ended: from now on it answers nothing, also where it was idle then. */
    void died() {
        died = true;
    }

    private void trouble(long nowNs) {
        if (!troubled) {
            troubled = true;
            troubledSinceNs = nowNs;
            failed = 0;
            allLost = false;
            down = false;
        }
    }

    /** Tells whether something failed since the last answer. */
    boolean isTroubled() {
        return troubled;
    }

    /** An answer came. */
    void answered(long nowNs) {
        if (troubled && down) {
            if (outages.size() < MOST_LISTED) {
                outages.add(Outage.of(troubledSinceNs, OptionalLong.of(nowNs), failed));
            } else {
                leftOut++;
            }
        }
        troubled = false;
    }

    /**
     * Returns the outages of the phase, in order of time; one that lasts has no end.
     *
     * @param originNs the phase's start on the monotonic clock; times are counted from it
     */
    List<Outage> outages(long originNs) {
        List<Outage> counted = new ArrayList<>();
        for (Outage outage : outages) {
            counted.add(Outage.of(
                    Math.max(0, outage.fromNs() - originNs),
                    OptionalLong.of(Math.max(0, outage.toNs().getAsLong() - originNs)),
                    outage.failedRequests()));
        }
        if (troubled && down) {
            counted.add(Outage.of(Math.max(0, troubledSinceNs - originNs), OptionalLong.empty(), failed));
        }
        return counted;
    }

    long leftOut() {
        return leftOut;
    }
}
