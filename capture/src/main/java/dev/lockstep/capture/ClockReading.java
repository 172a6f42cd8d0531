package dev.lockstep.capture;

import java.time.Instant;

/** One instant on two clocks: the wall clock in ns since 1970, and the axis of the times that are appended. */
final class ClockReading {
    final long epochNs;
    final long monotonicNs;

    ClockReading(long epochNs, long monotonicNs) {
        this.epochNs = epochNs;
        this.monotonicNs = monotonicNs;
    }

    static ClockReading now() {
        Instant now = Instant.now();
        long epochNs = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
        return new ClockReading(epochNs, System.nanoTime());
    }
}
