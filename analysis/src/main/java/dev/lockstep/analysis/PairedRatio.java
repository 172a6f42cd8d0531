package dev.lockstep.analysis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The ratio B / A of one quantity, from launches in pairs: in each pair both targets were started afresh and got the
 * same requests. The unit of replication is the pair, and its value is log(total of B / total of A), the totals being
 * those of the measured phase. The seconds or blocks within one are alike because they come from the same two
 * processes, so they add no evidence of their own. Immutable; the figures that need random numbers give the same result
 * at every call.
 *
 * <p>A mean of the blocks' ratios, in log or not, is no estimate of it: blocks of 1600 and 400 against 1000 and 1000
 * cost the same, but the mean of the logs says 0.80. So blocks are summed before anything is divided.
 *
 * <p>A deviation of the pairs below 0.1 % counts as 0.1 %: figures of a launch have three significant digits, and pairs
 * that agree in all of them by chance would otherwise seem to be certain. Figures that are coarser say so.
 *
 * <p>Sources: the estimate is the geometric mean of the ratios (Fleming and Wallace, CACM 1986) with Student's interval
 * over the pairs; the bootstrap of pairs and of parts within them is that of Kalibera and Jones, "Quantifying
 * performance changes with effect size confidence intervals" (2012), each part with numerator and denominator together
 * as for any ratio (Cochran, "Sampling Techniques", 1977, chapter 6).
 */
final class PairedRatio implements RatioEstimate {
    private static final int RESAMPLES = 2_000;
    private static final long SEED = 20_170_601;

    /** Of a figure with three significant digits. */
    static final double USUAL_RESOLUTION = 0.001;

    /** One launch of both. Immutable. */
    static final class Pair {
        private final double logRatio;
        private final List<Block> target;
        private final List<Block> baseline;

        private Pair(double logRatio, List<Block> target, List<Block> baseline) {
            this.logRatio = logRatio;
            this.target = target;
            this.baseline = baseline;
        }

        /** @param logRatio log(B / A) of the totals */
        static Pair of(double logRatio) {
            Sample.requireFinite("log-ratio of a pair", logRatio);
            return new Pair(logRatio, List.of(), List.of());
        }

        /**
         * Returns a pair with parts, which only the bootstrap looks at.
         *
         * @param target parts of B, each of the same time as the part of A at the same place; as many as those. Where
         *     one side's come to no cost or no requests there are no parts to draw from
         */
        static Pair of(double logRatio, List<Block> target, List<Block> baseline) {
            if (target.size() != baseline.size()) {
                throw new IllegalArgumentException("both sides of a pair must have as many blocks, have "
                        + target.size() + " and " + baseline.size());
            }
            Sample.requireFinite("log-ratio of a pair", logRatio);
            Pair pair = new Pair(logRatio, List.copyOf(target), List.copyOf(baseline));
            int[] all = IntStream.range(0, target.size()).toArray();
            return Double.isFinite(pair.logRatio(all)) ? pair : of(logRatio);
        }

        /** Returns log(B / A) of these parts summed; infinite or no number where one of the sums is 0. */
        private double logRatio(int[] drawn) {
            return logPerRequest(target, drawn) - logPerRequest(baseline, drawn);
        }

        private static double logPerRequest(List<Block> blocks, int[] drawn) {
            double cost = 0;
            long requests = 0;
            for (int block : drawn) {
                cost += blocks.get(block).cost();
                requests += blocks.get(block).requests();
            }
            return Math.log(cost / requests);
        }

        /** Returns the log-ratio that other parts like these would have given. */
        double resampled(SplittableRandom random) {
            int[] drawn = IntStream.range(0, target.size()).toArray();
            if (drawn.length < 2) {
                return logRatio;
            }
            double whole = logRatio(drawn);
            double another;
            do {
                Arrays.setAll(drawn, i -> random.nextInt(drawn.length));
                another = logRatio(drawn);
            } while (!Double.isFinite(another));
            return logRatio + another - whole;
        }
    }

    private final List<Pair> all;
    private final double[] logRatios;
    private final double mean;
    private final double resolution;
    /** By how much the variance of the mean is more than that of independent pairs. */
    private final double varianceFactor;
    /** Whether one pair is perhaps like the one before it. */
    private final boolean ofNeighbours;

    private PairedRatio(List<Pair> pairs, double resolution, boolean ofNeighbours) {
        this.all = List.copyOf(pairs);
        this.logRatios = pairs.stream().mapToDouble(pair -> pair.logRatio).toArray();
        if (logRatios.length == 0) {
            throw new IllegalArgumentException("a ratio must have one launch pair at least, has none");
        }
        this.mean = Sample.mean(logRatios);
        this.resolution = resolution;
        this.ofNeighbours = ofNeighbours;
        this.varianceFactor = ofNeighbours ? Neighbours.varianceFactor(logRatios) : 1;
    }

    static PairedRatio of(List<Pair> pairs) {
        return of(pairs, USUAL_RESOLUTION, false);
    }

    /**
     * Returns the ratio of pairs whose figures may be coarser than others.
     *
     * @param resolution the share of the figures below which they tell nothing
     * @param ofNeighbours whether they were not started afresh, so that each is perhaps like the one before it
     */
    static PairedRatio of(List<Pair> pairs, double resolution, boolean ofNeighbours) {
        return new PairedRatio(pairs, Math.max(USUAL_RESOLUTION, resolution), ofNeighbours);
    }

    /**
     * As {@link #of(List, double, boolean)}, of pairs that have one value each and were started afresh.
     *
     * @param logRatios log(B / A)
     */
    static PairedRatio ofPairs(double resolution, double[] logRatios) {
        List<Pair> pairs = Arrays.stream(logRatios).mapToObj(Pair::of).collect(Collectors.toList());
        return of(pairs, resolution, false);
    }

    @Override
    public int pairs() {
        return logRatios.length;
    }

    /** Returns exp of the mean over the pairs. */
    @Override
    public double ratio() {
        return Math.exp(mean);
    }

    /** Returns that of the pairs, at least their resolution, and as much more as their neighbours are alike. */
    @Override
    public OptionalDouble standardDeviation() {
        return pairs() < 2
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        Math.max(resolution, Sample.standardDeviation(logRatios)) * Math.sqrt(varianceFactor));
    }

    private double standardError() {
        return standardDeviation().orElseThrow() / Math.sqrt(pairs());
    }

    /** Returns Student's 95 % interval of the ratio over the pairs; absent with one pair. */
    Optional<ConfidenceInterval> interval() {
        return interval(ConfidenceInterval.USUAL_LEVEL);
    }

    /** Returns Student's interval. */
    @Override
    public Optional<ConfidenceInterval> interval(double level) {
        ConfidenceInterval.requireLevel(level);
        if (pairs() < 2) {
            return Optional.empty();
        }
        double width = upperT((1 - level) / 2, pairs() - 1) * standardError();
        return Optional.of(ConfidenceInterval.of(Math.exp(mean - width), Math.exp(mean + width), level));
    }

    /**
     * Returns the 95 % interval of a percentile bootstrap that draws pairs, and blocks within each pair drawn. It
     * assumes no normal distribution, but with few pairs it is too narrow (three pairs have only ten different
     * samples), so it stands beside Student's and decides nothing. Absent with one pair.
     */
    @Override
    public Optional<ConfidenceInterval> bootstrapInterval() {
        if (pairs() < 2) {
            return Optional.empty();
        }
        SplittableRandom random = new SplittableRandom(SEED);
        double[] estimates = new double[RESAMPLES];
        for (int i = 0; i < RESAMPLES; i++) {
            double sum = 0;
            for (int draw = 0; draw < pairs(); draw++) {
                sum += all.get(random.nextInt(pairs())).resampled(random);
            }
            estimates[i] = sum / pairs();
        }
        Arrays.sort(estimates);
        return Optional.of(ConfidenceInterval.of(
                Math.exp(Sample.quantile(estimates, 0.025)),
                Math.exp(Sample.quantile(estimates, 0.975)),
                ConfidenceInterval.USUAL_LEVEL));
    }

    /** Returns that of the t-test. */
    @Override
    public OptionalDouble pValue() {
        if (pairs() < 2) {
            return OptionalDouble.empty();
        }
        double t = Math.abs(mean) / standardError();
        return OptionalDouble.of(2 * TDistribution.of(pairs() - 1).survivalProbability(t));
    }

    @Override
    public OptionalDouble signFlipP() {
        return SignFlips.p(logRatios);
    }

    @Override
    public OptionalDouble drift() {
        return ofNeighbours ? BlockDrift.of(logRatios) : OptionalDouble.empty();
    }

    /** Returns the value that Student's t exceeds with probability {@code tail}. */
    static double upperT(double tail, double degreesOfFreedom) {
        return TDistribution.of(degreesOfFreedom).inverseSurvivalProbability(tail);
    }

    /** Returns for example {@code 0.961200 (0.951200 to 0.973100 (95 %), 6 pairs)}. */
    @Override
    public String toString() {
        String inside = interval().map(i -> i + ", " + pairs() + " pairs").orElse("1 pair");
        return String.format(Locale.ROOT, "%.6g (%s)", ratio(), inside);
    }
}
