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
}
