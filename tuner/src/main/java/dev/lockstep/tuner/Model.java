package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** What is held of values, constraints and failures after some trials. Immutable. */
final class Model {
    /** What is recommended is expected to work and to keep every constraint with this probability. */
    private static final double LOG_SURE = Math.log(0.95);

    /** How much more than a value a constraint counts that is not kept surely, for each unit of log probability. */
    private static final double UNSURE = 10;

    /** How many standard deviations of a mean speak against recommending it. */
    private static final double CAUTION = 1;

    /** How many of the best points a search begins at. */
    private static final int BEST_POINTS = 5;

    private final Evidence evidence;
    private final ValueModel values;
    private final List<LimitModel> constraints = new ArrayList<>();
    /** The constraints, and the failures if there are any. */
    private final List<LimitModel> limits = new ArrayList<>();

    private final LimitModel failures;

    /**
     * @param evidence with two values at least
     * @param before of a trial less, or null
     */
    Model(Evidence evidence, boolean[] choices, boolean learnsNoise, Model before) {
        this.evidence = evidence;
        values = ValueModel.of(evidence, choices, learnsNoise, before == null ? null : before.values);
        for (int m = 0; m < evidence.constraints.size(); m++) {
            if (evidence.constraints.get(m).length > 0) {
                boolean known = before != null && before.constraints.size() == evidence.constraints.size();
                constraints.add(LimitModel.of(
                        evidence.constraintPoints.get(m),
                        choices,
                        evidence.constraints.get(m),
                        learnsNoise,
                        known ? before.constraints.get(m) : null));
            }
        }
        limits.addAll(constraints);
        if (Arrays.stream(evidence.failures).max().orElse(-1) > 0) {
            failures = LimitModel.of(
                    evidence.triedPoints, choices, evidence.failures, true, before == null ? null : before.failures);
            limits.add(failures);
        } else {
            failures = null;
        }
    }

    Evidence evidence() {
        return evidence;
    }

    ValueModel values() {
        return values;
    }

    /** The constraints, and the failures if there are any; not to be changed. */
    List<LimitModel> limits() {
        return limits;
    }

    /** Returns the log of the probability that a point works and keeps every constraint; adds to a gradient. */
    double logFeasible(double[] point, double[] gradient) {
        double sum = 0;
        for (LimitModel limit : limits) {
            sum += limit.logProbability(point, gradient);
        }
        return sum;
    }

    /** What makes a point one to recommend: a low mean that is known well, and to be surely feasible. */
    double merit(double[] point, double[] gradient) {
        GaussianProcess.At at = values.process().at(point);
        double sd = at.sd();
        double merit = -at.mean() - CAUTION * sd;
        if (gradient != null) {
            Arrays.fill(gradient, 0);
            double[] weights = values.process().weights();
            at.addGradient(Arrays.stream(weights).map(weight -> -weight).toArray(), -CAUTION / (2 * sd), gradient);
        }
        if (limits.isEmpty()) {
            return merit;
        }
        double[] more = gradient == null ? null : new double[gradient.length];
        double lacking = LOG_SURE - logFeasible(point, more);
        if (lacking > 0) {
            merit -= UNSURE * lacking;
            for (int k = 0; gradient != null && k < gradient.length; k++) {
                gradient[k] += UNSURE * more[k];
            }
        }
        return merit;
    }

    /** Returns the points with a value, each once, from the one of most merit. */
    List<double[]> ranked() {
        List<double[]> ranked = evidence.distinctPoints();
        double[] merits =
                ranked.stream().mapToDouble(point -> merit(point, null)).toArray();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < merits.length; i++) {
            order.add(i);
        }
        order.sort(Comparator.comparingDouble(i -> -merits[i]));
        List<double[]> sorted = new ArrayList<>();
        order.forEach(i -> sorted.add(ranked.get(i)));
        return sorted;
    }

    /** Returns where searches begin. */
    List<double[]> bestPoints() {
        List<double[]> ranked = ranked();
        return ranked.subList(0, Math.min(BEST_POINTS, ranked.size()));
    }

    /**
     * Returns what is expected of a trial there.
     *
     * @param points whose values are known or under way, each once
     */
    Score improvement(double[][] points, int draws, SplittableRandom random) {
        ScrambledSobol sobol = new ScrambledSobol(points.length * (1 + constraints.size()), random.split());
        List<GaussianProcess> processes = values.processes(random);
        List<Score> parts = new ArrayList<>();
        for (GaussianProcess process : processes) {
            parts.add(new NoisyImprovement(process, constraints, points, draws / processes.size(), sobol));
        }
        Score improvement = Score.logMean(parts);
        return (point, gradient) -> improvement.at(point, gradient) + logFeasible(point, gradient);
    }
}
