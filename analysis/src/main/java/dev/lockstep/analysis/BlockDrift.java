package dev.lockstep.analysis;

import java.util.OptionalDouble;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Whether the ratio of two processes still rises or falls from block to block, as where one of them was deployed a
 * minute ago: then the mean of the blocks will not last. It is Student's t-test of the slope of a line through the logs
 * of the ratios, at 1 %. What deviates from the line by less than 0.1 % counts as 0.1 %, as in {@link PairedRatio}.
 *
 * <p>It only takes verdicts away, and is asked once, at the end of a run. Where it finds nothing, there may be a drift
 * all the same: six blocks show a change, from the first to the last, of eight times what a block deviates by in nine
 * of ten cases, twelve one of four times in six of seven. What comes and goes is no drift; for that {@link Neighbours}
 * widens the interval.
 */
final class BlockDrift {
    /** Fewer blocks show no drift but a huge one, and their verdicts are hints. */
    private static final int LEAST = Decision.FULL_PAIRS;

    private static final double CERTAIN = 0.01;

    private BlockDrift() {}

    /**
     * Returns by how much a line through the values, which are logs, changes from the first to the last; absent where
     * that may be chance.
     */
    static OptionalDouble of(double... values) {
        int n = values.length;
        if (n < LEAST) {
            return OptionalDouble.empty();
        }
        double mean = Sample.mean(values);
        double middle = (n - 1) / 2.0;
        double products = 0;
        double places = 0;
        for (int i = 0; i < n; i++) {
            products += (i - middle) * (values[i] - mean);
            places += (i - middle) * (i - middle);
        }
        double slope = products / places;
        double squares = 0;
        for (int i = 0; i < n; i++) {
            double off = values[i] - mean - slope * (i - middle);
            squares += off * off;
        }
        double deviation = Math.max(PairedRatio.USUAL_RESOLUTION, Math.sqrt(squares / (n - 2)));
        double t = Math.abs(slope) * Math.sqrt(places) / deviation;
        return 2 * TDistribution.of(n - 2).survivalProbability(t) < CERTAIN
                ? OptionalDouble.of(slope * (n - 1))
                : OptionalDouble.empty();
    }
}
