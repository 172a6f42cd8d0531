package dev.lockstep.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A percentile of times, or the ratio of that of two targets, with an interval that counts seconds and not requests:
 * the thousand requests that met one pause are one event. Immutable.
 *
 * <p>The interval is that of a moving-block bootstrap: blocks of about n^(1/3) neighbouring intervals of n are drawn with
 * replacement until there are n again, their histograms are added, and the percentile is read; the range that holds
 * the middle 95 % of 1,000 such percentiles is the interval. Blocks keep what belongs together, such as a collection of
 * garbage and the queue after it. It says how exactly this launch was measured; how launches differ is the matter of
 * {@link PairedRatio}.
 *
 * <p>Source: H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics 17
 * (1989); the order of the block's length: P. Hall, J. L. Horowitz and B.-Y. Jing, Biometrika 82 (1995).
 */
public final class LatencyQuantile {
    private static final int RESAMPLES = 1_000;
    private static final int LEAST_INTERVALS = 10;
    private static final long SEED = 20_170_602;

    /** Of longer runs neighbouring intervals are joined, which keeps memory and time bounded. An even number. */
    private static final int MOST_INTERVALS = 1_000;

    /** As many values must lie above a percentile for it to mean something; see docs/terminology.md, supported percentile. */
    private static final int VALUES_ABOVE = 10;

    private final double value;
    private final Optional<ConfidenceInterval> interval;

    private LatencyQuantile(double value, Optional<ConfidenceInterval> interval) {
        this.value = value;
        this.interval = interval;
    }

    /**
     * Returns a percentile of one target, in the unit of the histograms; absent where fewer than ten values lie above it.
     *
     * @param intervals what was measured in each interval, in order; they are looked at one after the other and not kept, so they
     *     can be read from a file on the way
     * @param percentile more than 0 and less than 100, for example 99
     */
    public static Optional<LatencyQuantile> of(Iterable<Histogram> intervals, double percentile) {
        requirePercentile(percentile);
        Series series = new Series(intervals);
        if (!series.supports(percentile)) {
            return Optional.empty();
        }
        double[] estimates = new double[RESAMPLES];
        SplittableRandom random = new SplittableRandom(SEED);
        int[] times = new int[series.size()];
        for (int i = 0; i < RESAMPLES; i++) {
            draw(times, random);
            estimates[i] = series.percentile(times, percentile);
        }
        return Optional.of(new LatencyQuantile(series.percentile(percentile), middle(estimates, series.size())));
    }

    /**
     * Returns the ratio target / baseline of a percentile; absent where one of them has fewer than ten values above it. Its
     * interval is taken of the logarithm.
     *
     * @param together whether both were measured at the same time, so that the i-th intervals of both met the same seconds
     *     and are drawn together; there must then be equally many
     */
    public static Optional<LatencyQuantile> ratio(
            Iterable<Histogram> target, Iterable<Histogram> baseline, double percentile, boolean together) {
        requirePercentile(percentile);
        Series a = new Series(target);
        Series b = new Series(baseline);
        if (together && a.intervals != b.intervals) {
            throw new IllegalArgumentException("targets measured together must have equally many intervals, found "
                    + a.intervals + " and " + b.intervals);
        }
        if (!a.supports(percentile) || !b.supports(percentile)) {
            return Optional.empty();
        }
        double[] estimates = new double[RESAMPLES];
        SplittableRandom random = new SplittableRandom(SEED);
        int[] targetTimes = new int[a.size()];
        int[] baselineTimes = together ? targetTimes : new int[b.size()];
        for (int i = 0; i < RESAMPLES; i++) {
            draw(targetTimes, random);
            if (!together) {
                draw(baselineTimes, random);
            }
            estimates[i] = a.percentile(targetTimes, percentile) / b.percentile(baselineTimes, percentile);
        }
        // The percentiles of the ratios are those of their logarithms, which keep the order.
        return Optional.of(new LatencyQuantile(
                a.percentile(percentile) / b.percentile(percentile), middle(estimates, Math.min(a.size(), b.size()))));
    }

    private static void requirePercentile(double percentile) {
        if (!(percentile > 0 && percentile < 100)) {
            throw new IllegalArgumentException("percentile must lie between 0 and 100, is " + percentile);
        }
    }

    /** Says how often each interval is drawn: blocks at random places until there are as many intervals again. */
    private static void draw(int[] times, SplittableRandom random) {
        Arrays.fill(times, 0);
        int block = (int) Math.ceil(Math.cbrt(times.length));
        for (int drawn = 0; drawn < times.length; ) {
            int start = random.nextInt(times.length - block + 1);
            for (int i = start; i < start + block && drawn < times.length; i++) {
                times[i]++;
                drawn++;
            }
        }
    }

    private static Optional<ConfidenceInterval> middle(double[] estimates, int intervals) {
        if (intervals < LEAST_INTERVALS) {
            return Optional.empty();
        }
        // A draw of empty intervals only has no percentile.
        double[] known =
                Arrays.stream(estimates).filter(Double::isFinite).sorted().toArray();
        if (known.length < estimates.length) {
            return Optional.empty();
        }
        return Optional.of(ConfidenceInterval.of(
                Sample.quantile(known, 0.025), Sample.quantile(known, 0.975), ConfidenceInterval.USUAL_LEVEL));
    }

    /** Returns the percentile in the unit of the histograms, or the ratio. */
    public double value() {
        return value;
    }

    /** Returns the 95 % interval of {@link #value}; absent for fewer than ten intervals, or where most of them are empty. */
    public Optional<ConfidenceInterval> interval() {
        return interval;
    }

    @Override
    public String toString() {
        return value + interval.map(i -> " (" + i + ")").orElse("");
    }

    /** What a histogram holds: its values in increasing order, and how often each is there. */
    private static final class Sparse {
        private final long[] values;
        private final long[] counts;

        private Sparse(long[] values, long[] counts, int size) {
            this.values = Arrays.copyOf(values, size);
            this.counts = Arrays.copyOf(counts, size);
        }

        static Sparse of(Histogram histogram) {
            long[] values = new long[64];
            long[] counts = new long[64];
            int size = 0;
            for (HistogramIterationValue value : histogram.recordedValues()) {
                if (size == values.length) {
                    values = Arrays.copyOf(values, 2 * size);
                    counts = Arrays.copyOf(counts, 2 * size);
                }
                values[size] = value.getValueIteratedTo();
                counts[size++] = value.getCountAddedInThisIterationStep();
            }
            return new Sparse(values, counts, size);
        }

        Sparse plus(Sparse other) {
            long[] sumValues = new long[values.length + other.values.length];
            long[] sumCounts = new long[sumValues.length];
            int size = 0;
            int mine = 0;
            int theirs = 0;
            while (mine < values.length || theirs < other.values.length) {
                long left = mine < values.length ? values[mine] : Long.MAX_VALUE;
                long right = theirs < other.values.length ? other.values[theirs] : Long.MAX_VALUE;
                sumValues[size] = Math.min(left, right);
                if (left <= right) {
                    sumCounts[size] += counts[mine++];
                }
                if (right <= left) {
                    sumCounts[size] += other.counts[theirs++];
                }
                size++;
            }
            return new Sparse(sumValues, sumCounts, size);
        }
    }

    /** The intervals of one target: of each the values that it has, as positions in one sorted list of values, and how often. */
    private static final class Series {
        private final double[] values;
        private final int[][] positions;
        private final long[][] counts;
        private final long[] sums;
        private final long intervals;
        private final long total;

        /** Looks at every histogram once and keeps none. */
        Series(Iterable<Histogram> histograms) {
            List<Sparse> joined = new ArrayList<>();
            int each = 1;
            int inLast = 1;
            long seen = 0;
            long recorded = 0;
            for (Histogram histogram : histograms) {
                if (inLast == each && joined.size() == MOST_INTERVALS) {
                    joined = joinNeighbours(joined);
                    each *= 2;
                    inLast = each;
                }
                if (inLast == each) {
                    joined.add(Sparse.of(histogram));
                    inLast = 1;
                } else {
                    joined.set(joined.size() - 1, joined.get(joined.size() - 1).plus(Sparse.of(histogram)));
                    inLast++;
                }
                seen++;
                recorded += histogram.getTotalCount();
            }
            if (seen == 0) {
                throw new IllegalArgumentException("intervals must be one at least, are none");
            }
            intervals = seen;
            total = recorded;
            long[] sorted = joined.stream()
                    .flatMapToLong(sparse -> Arrays.stream(sparse.values))
                    .sorted()
                    .distinct()
                    .toArray();
            values = Arrays.stream(sorted).asDoubleStream().toArray();
            sums = new long[sorted.length];
            counts = joined.stream().map(sparse -> sparse.counts).toArray(long[][]::new);
            positions = joined.stream()
                    .map(sparse -> Arrays.stream(sparse.values)
                            .mapToInt(value -> Arrays.binarySearch(sorted, value))
                            .toArray())
                    .toArray(int[][]::new);
        }

        private static List<Sparse> joinNeighbours(List<Sparse> intervals) {
            List<Sparse> half = new ArrayList<>();
            for (int i = 0; i < intervals.size(); i += 2) {
                half.add(intervals.get(i).plus(intervals.get(i + 1)));
            }
            return half;
        }

        int size() {
            return positions.length;
        }

        boolean supports(double percentile) {
            // Percentages such as 99.9 are not exact, hence the rounding.
            return total * (100 - percentile) / 100 >= VALUES_ABOVE - 1e-6;
        }

        double percentile(double percentile) {
            int[] once = new int[positions.length];
            Arrays.fill(once, 1);
            return percentile(once, percentile);
        }

        /** Returns the percentile of the intervals, each taken so many times; NaN when they hold nothing. */
        double percentile(int[] times, double percentile) {
            Arrays.fill(sums, 0);
            long count = 0;
            for (int i = 0; i < times.length; i++) {
                if (times[i] > 0) {
                    int[] places = positions[i];
                    long[] numbers = counts[i];
                    for (int j = 0; j < places.length; j++) {
                        long number = times[i] * numbers[j];
                        sums[places[j]] += number;
                        count += number;
                    }
                }
            }
            // As HdrHistogram counts.
            long needed = Math.max(1, (long) Math.ceil(Math.nextDown(percentile) * count / 100));
            for (int place = 0; place < sums.length; place++) {
                needed -= sums[place];
                if (needed <= 0) {
                    return values[place];
                }
            }
            return Double.NaN;
        }
    }
}
