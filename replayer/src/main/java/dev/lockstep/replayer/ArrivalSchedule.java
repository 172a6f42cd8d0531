package dev.lockstep.replayer;

/**
 * When the n-th request of a phase is to be sent, in nanoseconds from the phase's start. A pure function of n: no error
 * adds up, and lateness of one request does not move the next. Never decreases with n. Any thread may ask.
 */
interface ArrivalSchedule {
    /** Returns the intended time of request {@code n}, counted from 0 through all passes over the capture. */
    long intendedNs(long n);

    /**
     * A constant rate: {@code n / rate}. In double arithmetic the error stays under one nanosecond for more than a
     * hundred days, since a double counts nanoseconds exactly up to 2^53.
     */
    static ArrivalSchedule constant(double ratePerSec) {
        double gapNs = 1e9 / ratePerSec;
        return n -> (long) Math.rint(n * gapNs);
    }
}
