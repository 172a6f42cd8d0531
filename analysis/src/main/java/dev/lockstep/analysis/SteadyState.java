package dev.lockstep.analysis;

import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * From which second on a freshly started JVM gets neither faster nor slower any more. "No steady state" is a result: some
 * JVMs never reach one. Immutable.
 *
 * <p>Each series, one value per second of one launch in log (CPU per request, p50), is cut into segments of equal mean
 * by {@link ChangePoints}, after single odd seconds were brought back to their surroundings. The last segment is what the
 * launch ended in; the segments before it whose mean is the same within the tolerance belong to it. The steady state
 * begins with the first of these, and it is one when it holds ten seconds and a quarter of all seconds at least. Of
 * several series all must be steady, and the last to become so counts.
 *
 * <p>Source: E. Barrett et al., "Virtual machine warmup blows hot and cold", OOPSLA 2017: changepoints, segments
 * equivalent to the last one, and a last 25 % (500 of 2,000 iterations) that must be free of changes. They take as
 * tolerance the larger of the variance and 1 ms, we a share, since our series differ in unit.
 */
public final class SteadyState {
    /** Means that differ by 2 % are the same. */
    public static final double USUAL_TOLERANCE = 0.02;

    private static final int LEAST_SECONDS = 10;
    private static final int LEAST_SHARE = 4;

    /** An odd second lies more than this many deviations of the noise away from the median of itself and three neighbours on each side. */
    private static final double ODD = 4;

    private static final int NEIGHBOURS = 3;

    private final OptionalInt index;
    private final String reason;

    private SteadyState(OptionalInt index, String reason) {
        this.index = index;
        this.reason = reason;
    }

    /**
     * Looks for the steady state that all series of a launch share.
     *
     * @param tolerance which difference of means in log is none: 0.02 is 2 %
     * @param series one series or more, of the same length, one value per second from the first load on, in natural log;
     *     NaN where a second has no value
     */
    public static SteadyState of(double tolerance, double[]... series) {
        if (!(tolerance >= 0) || Double.isInfinite(tolerance)) {
            throw new IllegalArgumentException("tolerance must be at least 0, is " + tolerance);
        }
        if (series.length == 0) {
            throw new IllegalArgumentException("series must be one at least, are none");
        }
        int index = 0;
        for (double[] values : series) {
            if (values.length != series[0].length) {
                throw new IllegalArgumentException(
                        "series must be of one length, found " + series[0].length + " and " + values.length);
            }
            SteadyState one = ofOne(tolerance, values);
            if (!one.steady()) {
                return one;
            }
            index = Math.max(index, one.index.getAsInt());
        }
        return new SteadyState(OptionalInt.of(index), "steady from second " + index + " of " + series[0].length);
    }

    private static SteadyState ofOne(double tolerance, double[] values) {
        int[] seconds = new int[values.length];
        double[] known = new double[values.length];
        int count = 0;
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                seconds[count] = i;
                known[count++] = values[i];
            }
        }
        if (count < LEAST_SECONDS) {
            return none("only " + count + " seconds with a value, a steady state takes " + LEAST_SECONDS);
        }
        double[] smooth = withoutOddValues(Arrays.copyOf(known, count));
        int[] changes = ChangePoints.find(smooth);
        int end = count;
        int first = changes.length;
        double last = mean(smooth, changes, first, end);
        while (first > 0 && Math.abs(mean(smooth, changes, first - 1, end) - last) <= tolerance) {
            first--;
        }
        int begin = first == 0 ? 0 : changes[first - 1];
        int least = Math.max(LEAST_SECONDS, (count + LEAST_SHARE - 1) / LEAST_SHARE);
        if (end - begin < least) {
            return none(String.format(
                    Locale.ROOT,
                    "changed by %+.1f %% at second %d of %d, later than a steady state may begin",
                    100 * Math.expm1(last - mean(smooth, changes, first - 1, end)),
                    seconds[begin],
                    values.length));
        }
        return new SteadyState(OptionalInt.of(seconds[begin]), "");
    }

    /** Returns the mean of a segment, from 0; {@code changes[i - 1]} is where segment i begins. */
    private static double mean(double[] values, int[] changes, int segment, int length) {
        int begin = segment == 0 ? 0 : changes[segment - 1];
        int end = segment == changes.length ? length : changes[segment];
        return Sample.mean(Arrays.copyOfRange(values, begin, end));
    }

    /** Brings values far from the median of their neighbours back to it (Hampel's filter). Steps stay where they are. */
    private static double[] withoutOddValues(double[] values) {
        double limit = ODD * ChangePoints.noise(values);
        double[] result = values.clone();
        for (int i = 0; i < values.length; i++) {
            int begin = Math.max(0, i - NEIGHBOURS);
            int end = Math.min(values.length, i + NEIGHBOURS + 1);
            double median = Sample.median(Arrays.copyOfRange(values, begin, end));
            if (Math.abs(values[i] - median) > limit) {
                result[i] = median;
            }
        }
        return result;
    }

    private static SteadyState none(String why) {
        return new SteadyState(OptionalInt.empty(), "no steady state: " + why);
    }

    public boolean steady() {
        return index.isPresent();
    }

    /** Returns the first second of the steady state, from 0, which is also how many seconds the warm-up took; absent without one. */
    public OptionalInt index() {
        return index;
    }

    /** Returns one line for people. */
    public String reason() {
        return reason;
    }

    @Override
    public String toString() {
        return reason;
    }
}
