package dev.lockstep.replayer.schedule;

import java.util.function.LongUnaryOperator;

/** Another schedule, of which requests that are left out take no time. One thread, as the other. */
final class SparseSchedule implements ArrivalSchedule {
    private final ArrivalSchedule times;
    private final LongUnaryOperator leftOutBefore;

    SparseSchedule(ArrivalSchedule times, LongUnaryOperator leftOutBefore) {
        this.times = times;
        this.leftOutBefore = leftOutBefore;
    }

    @Override
    public long intendedNs(long n) {
        return times.intendedNs(n - leftOutBefore.applyAsLong(n));
    }

    @Override
    public long notAfterNs(long n) {
        return times.notAfterNs(n - leftOutBefore.applyAsLong(n));
    }

    /** Asks the other schedule as a whole, which may compute each of its times from the one before. */
    @Override
    public long countBefore(long timeNs, long limit) {
        long kept = times.countBefore(timeNs, limit);
        long low = kept;
        long high = limit;
        while (low < high) {
            long middle = low + (high - low) / 2;
            if (middle - leftOutBefore.applyAsLong(middle) < kept) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
