package dev.lockstep.analysis;

import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.TargetResult;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * A figure over launches, with a 95 % interval whose unit of replication is the launch. Of one target it is the
 * geometric mean with a t-interval of the logarithms, as in the ratios of two targets; where a launch has 0, the
 * arithmetic mean without an interval. Launches of two targets are compared by their pairs: by ratios with
 * {@link LaunchRatios}, by differences with the arithmetic mean of these. Immutable.
 */
public final class LaunchMean {
    private final double mean;
    private final ConfidenceInterval interval;
    private final int launches;

    private LaunchMean(double mean, ConfidenceInterval interval, int launches) {
        this.mean = mean;
        this.interval = interval;
        this.launches = launches;
    }

    /**
     * Returns it of the launches that have the figure and that the target survived; absent where none does.
     *
     * @param figure of a launch
     */
    public static Optional<LaunchMean> of(TargetResult target, Function<LaunchResult, OptionalDouble> figure) {
        double[] values = target.launches().stream()
                .filter(launch -> launch.exit().isEmpty())
                .map(figure)
                .flatMapToDouble(OptionalDouble::stream)
                .toArray();
        return values.length == 0 ? Optional.empty() : Optional.of(of(values));
    }

    static LaunchMean of(double... values) {
        if (Arrays.stream(values).anyMatch(value -> value <= 0)) {
            return new LaunchMean(Sample.mean(values), null, values.length);
        }
        double[] logs = Arrays.stream(values).map(Math::log).toArray();
        double mean = Sample.mean(logs);
        if (values.length < 2) {
            return new LaunchMean(values[0], null, 1);
        }
        double half = halfWidth(logs, 0);
        return new LaunchMean(
                Math.exp(mean),
                ConfidenceInterval.of(Math.exp(mean - half), Math.exp(mean + half), ConfidenceInterval.USUAL_LEVEL),
                values.length);
    }

    /** As {@link #arithmetic(double[], double)}, without a least deviation. */
    public static LaunchMean arithmetic(double... values) {
        return arithmetic(values, 0);
    }

    /**
     * Returns the arithmetic mean of one value or more, with a t-interval.
     *
     * @param leastDeviation how much they deviate at least, as by their rounding: values that agree by chance would
     *     otherwise seem to be certain; 0 where there is no chance in them
     */
    public static LaunchMean arithmetic(double[] values, double leastDeviation) {
        double mean = Sample.mean(values);
        if (values.length < 2) {
            return new LaunchMean(mean, null, values.length);
        }
        double half = halfWidth(values, leastDeviation);
        return new LaunchMean(
                mean, ConfidenceInterval.of(mean - half, mean + half, ConfidenceInterval.USUAL_LEVEL), values.length);
    }

    /** Returns a ratio of pairs as its estimate has it. */
    static LaunchMean of(RatioEstimate ratio) {
        return new LaunchMean(
                ratio.ratio(), ratio.interval(ConfidenceInterval.USUAL_LEVEL).orElse(null), ratio.pairs());
    }

    private static double halfWidth(double[] values, double leastDeviation) {
        return PairedRatio.upperT((1 - ConfidenceInterval.USUAL_LEVEL) / 2, values.length - 1)
                * Math.max(leastDeviation, Sample.standardDeviation(values))
                / Math.sqrt(values.length);
    }

    public double mean() {
        return mean;
    }

    /** Absent with one launch, and where one has 0 whose logarithm was needed. */
    public Optional<ConfidenceInterval> interval() {
        return Optional.ofNullable(interval);
    }

    /** How many launches have the figure, or pairs of them. */
    public int launches() {
        return launches;
    }
}
