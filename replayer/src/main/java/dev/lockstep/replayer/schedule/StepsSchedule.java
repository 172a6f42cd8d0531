package dev.lockstep.replayer.schedule;

import dev.lockstep.measurement.Pace;
import java.util.Arrays;
import java.util.List;

/**
 * Constant rates one after the other; the last one stays. Immutable.
 *
 * <p>Step {@code s} starts at {@code start(s)}, the sum of the lengths before it, when {@code first(s)}, the sum of
 * rate times length before it, requests were due; within it {@code t(n) = start(s) + (n - first(s)) / rate(s)}. Where
 * {@code first(s)} is no whole number, the gap across the seam is made of both rates in their shares, so none is lost
 * or gained.
 */
final class StepsSchedule implements ArrivalSchedule {
    private final double[] first;
    private final double[] startNs;
    private final double[] gapNs;

    StepsSchedule(List<Pace.Step> steps) {
        int count = steps.size();
        first = new double[count];
        startNs = new double[count];
        gapNs = new double[count];
        for (int i = 0; i < count; i++) {
            Pace.Step step = steps.get(i);
            gapNs[i] = 1e9 / step.ratePerSec();
            if (i + 1 < count) {
                long lengthNs = step.length().toNanos();
                first[i + 1] = first[i] + step.ratePerSec() * (lengthNs / 1e9);
                startNs[i + 1] = startNs[i] + lengthNs;
            }
        }
    }

    @Override
    public long intendedNs(long n) {
        int found = Arrays.binarySearch(first, n);
        int step = found >= 0 ? found : -found - 2;
        return (long) Math.rint(startNs[step] + (n - first[step]) * gapNs[step]);
    }
}
