package dev.lockstep.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Where the mean of a metric changes from run to run. The cuts with the least cost, as in {@link ChangePoints} but with
 * the weight that each run's launches give it and with segments of two runs at least, are proposed; each must then pass
 * a t-test between the runs on both sides of it, up to the next cuts, at 5 % for all places where one could be
 * (Bonferroni). The weakest that does not pass goes, and the others are tested again.
 *
 * <p>Why so: E-divisive, which MongoDB and Apache Otava use, draws its p-values from permutations of a series, so that
 * four runs against three can never be significant (1 of 35), and takes all runs for equally noisy. A history of a team
 * is short, has looks of one launch beside verdicts of twelve, and knows the noise of a run from its launches. The
 * times between runs do not matter: a change is a step between two runs, and how far apart they were only says how well
 * its time is known. The test is that of Otava (hunter), which also confirms by a t-test what was proposed. A last run
 * that differs by itself is no segment; that is judged against the others by {@link RunRatio}.
 *
 * <p>Sources: D. Daly et al., "The use of change point detection to identify software performance regressions in a
 * continuous integration system" (ICPE 2020); M. Fleming et al., "Hunter: using change point detection to hunt for
 * performance regressions" (ICPE 2023); for the cuts see {@link ChangePoints}.
 */
final class RunChanges {
    /** Less than where seconds are cut: a test decides. */
    private static final double PENALTY = 9;

    private static final int LEAST_RUNS = 2;
    private static final double ALPHA = 0.05;

    /** A cut. Immutable. */
    static final class Change {
        private final int at;
        private final double log;
        private final double error;
        private final int degreesOfFreedom;
        private final double pValue;

        private Change(int at, double log, double error, int degreesOfFreedom, double pValue) {
            this.at = at;
            this.log = log;
            this.error = error;
            this.degreesOfFreedom = degreesOfFreedom;
            this.pValue = pValue;
        }

        /** Returns the place of the first run after it. */
        int at() {
            return at;
        }

        double ratio() {
            return Math.exp(log);
        }

        ConfidenceInterval interval() {
            double width = PairedRatio.upperT((1 - ConfidenceInterval.USUAL_LEVEL) / 2, degreesOfFreedom) * error;
            return ConfidenceInterval.of(Math.exp(log - width), Math.exp(log + width), ConfidenceInterval.USUAL_LEVEL);
        }

        /** Returns that of all places together. */
        double pValue() {
            return pValue;
        }
    }

    private final double[] values;
    private final double[] weights;
    /** The share of the variance, in units of the weights, that launches or the resolution explain: never less. */
    private final double least;

    private RunChanges(double[] values, double[] weights, double least) {
        this.values = values;
        this.weights = weights;
        this.least = least;
    }

    /** Returns the changes in runs in the order of their start; those within the margin are none. */
    static List<Change> find(List<RunSample> runs, double margin) {
        if (runs.size() < 2 * LEAST_RUNS) {
            return List.of();
        }
        double single = RunSample.pooledDeviation(runs);
        double[] values = runs.stream().mapToDouble(RunSample::mean).toArray();
        double[] explained =
                runs.stream().mapToDouble(run -> run.meanVariance(single)).toArray();
        double floor = Math.max(
                Sample.mean(explained),
                PairedRatio.USUAL_RESOLUTION * PairedRatio.USUAL_RESOLUTION / Decision.FULL_PAIRS);
        double noise = ChangePoints.noise(values);
        double days = Math.max(0, noise * noise - Sample.mean(explained));
        double[] weights = new double[values.length];
        Arrays.setAll(weights, i -> 1 / Math.max(floor, days + explained[i]));
        return new RunChanges(values, weights, floor * Sample.mean(weights)).tested(margin);
    }

    private List<Change> tested(double margin) {
        List<Integer> cuts = proposed();
        while (!cuts.isEmpty()) {
            List<Change> changes = new ArrayList<>();
            for (int i = 0; i < cuts.size(); i++) {
                changes.add(change(
                        i == 0 ? 0 : cuts.get(i - 1),
                        cuts.get(i),
                        i == cuts.size() - 1 ? values.length : cuts.get(i + 1)));
            }
            int weakest = 0;
            for (int i = 1; i < changes.size(); i++) {
                weakest = weakness(changes.get(i), margin) > weakness(changes.get(weakest), margin) ? i : weakest;
            }
            if (weakness(changes.get(weakest), margin) < ALPHA) {
                return changes;
            }
            cuts.remove(weakest);
        }
        return List.of();
    }

    private static double weakness(Change change, double margin) {
        return Math.abs(change.log) <= Math.log1p(margin) ? 1 : change.pValue;
    }

    /** Returns the cuts of the segmentation with the least cost, by dynamic programming: histories are short. */
    private List<Integer> proposed() {
        int length = values.length;
        double[] sums = new double[length + 1];
        double[] squares = new double[length + 1];
        double[] totals = new double[length + 1];
        double mean = Sample.mean(values);
        for (int i = 0; i < length; i++) {
            double value = values[i] - mean;
            totals[i + 1] = totals[i] + weights[i];
            sums[i + 1] = sums[i] + weights[i] * value;
            squares[i + 1] = squares[i] + weights[i] * value * value;
        }
        double[] best = new double[length + 1];
        int[] from = new int[length + 1];
        Arrays.fill(best, Double.POSITIVE_INFINITY);
        best[0] = -PENALTY;
        for (int end = LEAST_RUNS; end <= length; end++) {
            for (int start = 0; start <= end - LEAST_RUNS; start++) {
                double sum = sums[end] - sums[start];
                double cost = best[start]
                        + squares[end]
                        - squares[start]
                        - sum * sum / (totals[end] - totals[start])
                        + PENALTY;
                if (cost < best[end]) {
                    best[end] = cost;
                    from[end] = start;
                }
            }
        }
        List<Integer> cuts = new ArrayList<>();
        for (int cut = from[length]; cut > 0; cut = from[cut]) {
            cuts.add(0, cut);
        }
        return cuts;
    }

    private Change change(int from, int at, int to) {
        double before = weight(from, at);
        double after = weight(at, to);
        int degrees = to - from - 2;
        double spread = Math.max(least, (squares(from, at) + squares(at, to)) / degrees);
        double error = Math.sqrt(spread * (1 / before + 1 / after));
        double log = mean(at, to) - mean(from, at);
        double alone = 2 * TDistribution.of(degrees).survivalProbability(Math.abs(log) / error);
        return new Change(at, log, error, degrees, Math.min(1, alone * (values.length - 1)));
    }

    private double weight(int from, int to) {
        return Arrays.stream(weights, from, to).sum();
    }

    private double mean(int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += weights[i] * values[i];
        }
        return sum / weight(from, to);
    }

    private double squares(int from, int to) {
        double mean = mean(from, to);
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += weights[i] * (values[i] - mean) * (values[i] - mean);
        }
        return sum;
    }
}
