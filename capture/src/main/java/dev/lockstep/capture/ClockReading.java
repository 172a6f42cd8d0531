package dev.lockstep.capture;

import java.time.Instant;

/** One instant on two clocks: the wall clock in ns since 1970, and the axis of the times that are appended. */
public final class ClockReading {
    /** The wall clock, in ns since 1970. */
    public final long epochNs;
    /** The same instant on the axis of the times that are appended, in ns. */
    public final long monotonicNs;

    /** Makes a reading of both clocks at the same instant, in ns. */
    public ClockReading(long epochNs, long monotonicNs) {
        this.epochNs = epochNs;
        this.monotonicNs = monotonicNs;
    }

    static ClockReading now() {
        Instant now = Instant.now();
        long epochNs = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
        return new ClockReading(epochNs, System.nanoTime());
    }
}
