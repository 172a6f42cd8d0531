package dev.lockstep.replayer.schedule;

/**
 * Random times of a mean rate, as of many clients that know nothing of each other: a Poisson process, whose gaps are
 * independent and of the exponential distribution. The same seed gives the same times to the nanosecond, on every JVM.
 * One thread.
 *
 * <p>Gap {@code i} is {@code -ln(u(i)) / rate} with {@code u(i)} uniform in (0, 1] and computed from seed and {@code i}
 * alone: SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014) is a counter
 * that is stirred. The time of request {@code n} is the sum of the gaps 0 to {@code n}, kept in 1/256 ns, so that
 * rounding shifts the rate by less than 10^-6 even at 10^9 requests/s, and 400 days fit.
 *
 * <p>Going on to the next request costs one gap. A jump goes on from the nearest checkpoint before it. There are at
 * most 4,096 checkpoints, first one for 1,024 requests; when they are full, every other one is dropped. So the memory
 * is 32 KB for any length of run, and a jump within an hour at 20,000 requests/s computes at most 32,768 gaps, about a
 * millisecond.
 */
final class PoissonSchedule implements ArrivalSchedule {
    private static final int UNITS_PER_NS_BITS = 8;
    private static final int CHECKPOINTS = 4096;
    /** So many gaps are computed in milliseconds. */
    private static final long FEW = 100_000;

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
    private static final double UNIT_53 = 0x1.0p-53;

    private final double meanGap;
    private final long stream;

    private final long[] checkpoints = new long[CHECKPOINTS];
    private int noted;
    private long spacing = 1024;

    /** The request at whose time {@link #time} stands. */
    private long number = -1;

    private long time;

    PoissonSchedule(double ratePerSec, long seed) {
        meanGap = (1 << UNITS_PER_NS_BITS) * 1e9 / ratePerSec;
        stream = stirred(seed);
    }

    @Override
    public long intendedNs(long n) {
        if (n < number || n - number > spacing) {
            jumpTowards(n);
        }
        while (number < n) {
            advance();
        }
        return time >> UNITS_PER_NS_BITS;
    }

    /** Of many, six standard deviations above the mean of the sum of n + 1 exponential gaps; of few the time itself. */
    @Override
    public long notAfterNs(long n) {
        if (n < FEW) {
            return intendedNs(n);
        }
        double gaps = n + 1 + 6 * Math.sqrt(n + 1.0);
        return (long) (gaps * meanGap) >> UNITS_PER_NS_BITS;
    }

    private void jumpTowards(long n) {
        long checkpoint = Math.min(n / spacing, noted - 1);
        if (n < number || checkpoint * spacing > number) {
            number = checkpoint * spacing;
            time = checkpoints[(int) checkpoint];
        }
    }

    private void advance() {
        number++;
        time += gap(number);
        if (number % spacing == 0 && number / spacing == noted) {
            note();
        }
    }

    private void note() {
        if (noted == CHECKPOINTS) {
            for (int i = 0; i < CHECKPOINTS / 2; i++) {
                checkpoints[i] = checkpoints[2 * i];
            }
            noted = CHECKPOINTS / 2;
            spacing *= 2;
        }
        checkpoints[noted++] = time;
    }

    private long gap(long i) {
        double uniform = ((stirred(stream + (i + 1) * GOLDEN_GAMMA) >>> 11) + 1) * UNIT_53;
        return Math.round(-StrictMath.log(uniform) * meanGap);
    }

    private static long stirred(long value) {
        long z = value;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    @Override
    public long countBefore(long timeNs, long limit) {
        // Halving an interval would jump about; from the last checkpoint before the time on, it is walked up to.
        int low = 0;
        int high = noted;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (checkpoints[middle] >> UNITS_PER_NS_BITS < timeNs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        long n = Math.max(0, low - 1) * spacing;
        if (number > n && time >> UNITS_PER_NS_BITS < timeNs) {
            n = number;
        }
        n = Math.min(n, limit);
        while (n < limit && intendedNs(n) < timeNs) {
            n++;
        }
        return n;
    }
}
