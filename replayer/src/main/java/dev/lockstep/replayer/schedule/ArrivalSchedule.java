package dev.lockstep.replayer.schedule;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.Pace;
import java.util.function.LongUnaryOperator;

/**
 * When the n-th request of a phase is to be sent, in nanoseconds from the phase's start. A pure function of n: no error
 * adds up, and lateness of one request does not move the next. Never decreases with n. One thread asks at a time; two
 * schedules of one pace give the same times.
 */
public interface ArrivalSchedule {
    /** The intended time of request {@code n}, counted from 0 through all passes over the capture. */
    long intendedNs(long n);

    /** Returns a time before which request {@code n} is due, for any {@code n} at once. */
    default long notAfterNs(long n) {
        return intendedNs(n);
    }

    /**
     * Returns how many requests are to be sent before this time.
     *
     * @param limit returned where they are more than that
     */
    default long countBefore(long timeNs, long limit) {
        long low = 0;
        long high = 1;
        while (high < limit && intendedNs(high) < timeNs) {
            low = high;
            high = high > Long.MAX_VALUE / 2 ? limit : high * 2;
        }
        high = Math.min(high, limit);
        while (low < high) {
            long middle = low + (high - low) / 2;
            if (intendedNs(middle) < timeNs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The schedule of a pace, null for a closed loop, which has none. */
    static ArrivalSchedule of(Pace pace, Capture capture, double speed) {
        switch (pace.kind()) {
            case RECORDED:
                return new RecordedSchedule(capture, speed);
            case CONSTANT:
                return constant(pace.ratePerSec().getAsDouble());
            case POISSON:
                return new PoissonSchedule(pace.ratePerSec().getAsDouble(), pace.seed());
            case RAMP:
                return new RampSchedule(
                        pace.rampFromPerSec(),
                        pace.rampToPerSec(),
                        pace.length().orElseThrow().toNanos());
            case STEPS:
                return new StepsSchedule(pace.steps());
            default:
                return null;
        }
    }

    /**
     * The schedule of a warm-up before this pace. For a ramp or steps it is their mean rate: their beginning would
     * leave the target cold, and their end could be more than it bears.
     */
    static ArrivalSchedule ofWarmUp(Pace pace, Capture capture, double speed) {
        return pace.length().isPresent() ? constant(pace.ratePerSec().getAsDouble()) : of(pace, capture, speed);
    }

    /**
     * Returns this schedule where some requests are left out, but not all: they take none of its times.
     *
     * @param leftOutBefore tells how many of them come before the n-th request
     */
    default ArrivalSchedule without(LongUnaryOperator leftOutBefore) {
        return new SparseSchedule(this, leftOutBefore);
    }

    /**
     * A constant rate: {@code n / rate}. In double arithmetic the error stays under one nanosecond for more than a
     * hundred days, since a double counts nanoseconds exactly up to 2^53.
     */
    static ArrivalSchedule constant(double ratePerSec) {
        double gapNs = 1e9 / ratePerSec;
        return n -> (long) Math.rint(n * gapNs);
    }
}
