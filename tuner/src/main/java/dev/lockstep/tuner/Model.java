package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** What is held of values, constraints and failures after some trials. Immutable; one thread at a time uses it. */
final class Model {
    /** What is recommended is expected to work and to keep every constraint with this probability. */
    private static final double LOG_SURE = Math.log(0.95);

    /** How much more than a value a constraint counts that is not kept surely, for each unit of log probability. */
    private static final double UNSURE = 10;

    /** How many standard deviations of a mean speak against recommending it. */
    private static final double CAUTION = 1;

    /** How many standard deviations speak for a point as an end of the front. */
    private static final double CURIOSITY = 1;

    /** How many standard deviations a known point may be better than its mean. */
    private static final double CHANCE = 2;

    /** By which part of its extent the reference of a front lies beyond it. */
    private static final double BEYOND = 0.1;

    /** How many of the best points a search begins at. */
    private static final int BEST_POINTS = 5;

    private final Evidence evidence;
    private final ValueModel values;
    /** Of the second objective; null where there is one. */
    private final ValueModel second;

    /** By the space's constraints; null where one was never measured. */
    private final List<LimitModel> byConstraint = new ArrayList<>();
    /** Those that were measured. */
    private final List<LimitModel> constraints = new ArrayList<>();
    /** The constraints, and the failures if there are any. */
    private final List<LimitModel> limits = new ArrayList<>();

    private final LimitModel failures;
    private final boolean learnsNoise;
    /** Found when they are asked for. */
    private final List<double[]> ranked = new ArrayList<>();

    /**
     * @param evidence with two values at least
     * @param learnsNoise whether what is measured again may differ
     * @param before of fewer trials, or null
     * @param fits whether to find the hyperparameters anew, which are those of the model before otherwise
     */
    Model(Evidence evidence, boolean[] choices, boolean learnsNoise, Model before, boolean fits) {
        this.evidence = evidence;
        this.learnsNoise = learnsNoise;
        values = ValueModel.of(evidence, choices, learnsNoise, before == null ? null : before.values, fits);
        second = evidence.second == null
                ? null
                : ValueModel.of(evidence.second, choices, learnsNoise, before == null ? null : before.second, fits);
        for (int m = 0; m < evidence.constraints.size(); m++) {
            LimitModel constraint = null;
            if (evidence.constraints.get(m).length > 0) {
                constraint = LimitModel.of(
                        evidence.constraintPoints.get(m),
                        choices,
                        evidence.constraints.get(m),
                        learnsNoise,
                        before == null ? null : before.byConstraint.get(m),
                        fits);
                constraints.add(constraint);
            }
            byConstraint.add(constraint);
        }
        limits.addAll(constraints);
        if (Arrays.stream(evidence.failures).max().orElse(-1) > 0) {
            failures = LimitModel.of(
                    evidence.triedPoints,
                    choices,
                    evidence.failures,
                    true,
                    before == null ? null : before.failures,
                    fits);
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

    /** The values of the second objective; null where there is one. */
    ValueModel second() {
        return second;
    }

    /** Whether two values of one point may differ by something to speak of. */
    boolean isNoisy() {
        return values.isNoisy() || second != null && second.isNoisy();
    }

    /**
     * Whether the values are those of their points. Noise that is little beside all values may still be much beside the
     * differences of the best ones.
     */
    boolean isExact() {
        return !learnsNoise && !isNoisy();
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

    /** Returns whether a point works and keeps every constraint with 95 %. */
    boolean isSurelyFeasible(double[] point) {
        return limits.isEmpty() || logFeasible(point, null) >= LOG_SURE;
    }

    /** Whether the best value seen is that of a point that would keep every constraint again. */
    boolean isBestKnown() {
        int best = evidence.best();
        return best >= 0 && isExact() && (evidence.isMeasured(best) || isSurelyFeasible(evidence.points[best]));
    }

    /** What makes a point one to recommend: a low mean that is known well, and to be surely feasible. */
    double merit(double[] point, double[] gradient) {
        return merit(values, CAUTION, point, gradient);
    }

    /** What makes a point one where the first objective may well be best: what is not known yet speaks for it. */
    double hope(double[] point, double[] gradient) {
        return merit(values, -CURIOSITY, point, gradient);
    }

    /**
     * As {@link #hope}, of points that are known, of which none that may be the best is to be left out.
     *
     * @param underWay how many trials there are that measure the point: each leaves less to find out
     */
    double chance(double[] point, long underWay) {
        return merit(values, -CHANCE / Math.sqrt(1 + underWay), point, null);
    }

    /** The same for the second objective. */
    double secondHope(double[] point, double[] gradient) {
        return merit(second, -CURIOSITY, point, gradient);
    }

    private double merit(ValueModel model, double caution, double[] point, double[] gradient) {
        GaussianProcess.At at = model.process().at(point);
        double sd = at.sd();
        double merit = -at.mean() - caution * sd;
        if (gradient != null) {
            Arrays.fill(gradient, 0);
            double[] weights = model.process().weights();
            at.addGradient(Arrays.stream(weights).map(weight -> -weight).toArray(), -caution / (2 * sd), gradient);
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

    /** Returns the points with a value, each once, from the one of most merit; not to be changed. */
    List<double[]> ranked() {
        if (ranked.isEmpty()) {
            ranked.addAll(rank());
        }
        return ranked;
    }

    private List<double[]> rank() {
        List<double[]> points = evidence.distinctPoints();
        double[] merits =
                points.stream().mapToDouble(point -> merit(point, null)).toArray();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < merits.length; i++) {
            order.add(i);
        }
        order.sort(Comparator.comparingDouble(i -> -merits[i]));
        List<double[]> sorted = new ArrayList<>();
        order.forEach(i -> sorted.add(points.get(i)));
        return sorted;
    }

    /**
     * Returns the front of two objectives by what is expected of the points with a value: of those that are surely
     * feasible, or where none is, of those that violated nothing. Without noise what was measured is sure.
     *
     * @param points those of {@link Evidence#distinctPoints}
     */
    Front front(List<double[]> points) {
        double[] firsts = expected(values, evidence, points);
        double[] seconds = expected(second, evidence.second, points);
        List<Integer> kept = new ArrayList<>();
        List<Integer> sure = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            double[] point = points.get(i);
            boolean isKept = evidence.isFeasible(point);
            if (isKept) {
                kept.add(i);
            }
            boolean isKnown = isExact() && evidence.isMeasured(evidence.indexOf(point));
            boolean mayBeSure = isKept || !isExact();
            if (mayBeSure && (isKnown || isSurelyFeasible(point))) {
                sure.add(i);
            }
        }
        return new Front(firsts, seconds, sure.isEmpty() ? kept : sure);
    }

    /** Without noise the values are known. */
    private double[] expected(ValueModel model, Evidence evidence, List<double[]> points) {
        return points.stream()
                .mapToDouble(point -> learnsNoise || model.isNoisy()
                        ? model.warp().from(model.process().at(point).mean())
                        : evidence.values[evidence.indexOf(point)])
                .toArray();
    }

    /** Returns where searches begin. */
    List<double[]> bestPoints() {
        if (second != null) {
            return spread();
        }
        return ranked().subList(0, Math.min(BEST_POINTS, ranked().size()));
    }

    /** Returns the best of the points that are surely feasible. */
    List<double[]> surePoints() {
        return ranked().stream()
                .filter(this::isSurelyFeasible)
                .limit(BEST_POINTS)
                .collect(Collectors.toList());
    }

    /** Returns some points of the front, from end to end. */
    private List<double[]> spread() {
        List<double[]> points = evidence.distinctPoints();
        List<Integer> members = front(points).members();
        if (members.isEmpty()) {
            return points.subList(0, Math.min(BEST_POINTS, points.size()));
        }
        List<double[]> spread = new ArrayList<>();
        int count = Math.min(BEST_POINTS, members.size());
        for (int i = 0; i < count; i++) {
            spread.add(points.get(members.get(count == 1 ? 0 : i * (members.size() - 1) / (count - 1))));
        }
        return spread;
    }

    /**
     * Returns warped values of both objectives that are worse than those of any point that is wanted: by a tenth of the
     * extent beyond the worst of the front, and of the points where each objective may well be best. By the front
     * alone, one that began short would stay so.
     *
     * <p>Source of the tenth: H. Ishibuchi, R. Imada, Y. Setoguchi and Y. Nojima, "How to specify a reference point in
     * hypervolume calculation for fair performance comparison", Evolutionary Computation 26 (2018).
     *
     * @param ends where each objective may well be best
     */
    private double[] reference(List<double[]> ends) {
        List<double[]> points = evidence.distinctPoints();
        List<double[]> wanted = new ArrayList<>(ends);
        front(points).members().forEach(i -> wanted.add(points.get(i)));
        return new double[] {reference(values, wanted), reference(second, wanted)};
    }

    private static double reference(ValueModel model, List<double[]> wanted) {
        DoubleSummaryStatistics means = means(model, wanted);
        double extent = means.getMax() - means.getMin();
        return means.getMax() + (extent > 0 ? BEYOND * extent : 1);
    }

    private static DoubleSummaryStatistics means(ValueModel model, List<double[]> points) {
        return points.stream()
                .mapToDouble(point -> model.process().at(point).mean())
                .summaryStatistics();
    }

    /**
     * Returns what is expected of a trial there.
     *
     * @param points whose values are known or under way, each once
     * @param ends of two objectives, where each may well be best
     */
    Score improvement(double[][] points, List<double[]> ends, int draws, SplittableRandom random) {
        int objectives = second == null ? 1 : 2;
        ScrambledSobol sobol = new ScrambledSobol(points.length * (objectives + constraints.size()), random.split());
        List<GaussianProcess> processes = values.processes(random);
        if (second != null) {
            List<GaussianProcess> seconds = second.processes(random);
            return allowed(hypervolumes(processes, seconds, points, reference(ends), draws, sobol));
        }
        List<Score> parts = new ArrayList<>();
        for (GaussianProcess process : processes) {
            parts.add(new NoisyImprovement(process, constraints, points, draws / processes.size(), sobol));
        }
        return allowed(parts);
    }

    private List<Score> hypervolumes(
            List<GaussianProcess> firsts,
            List<GaussianProcess> seconds,
            double[][] points,
            double[] reference,
            int draws,
            ScrambledSobol sobol) {
        int count = Math.max(firsts.size(), seconds.size());
        List<Score> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(new NoisyHypervolume(
                    firsts.get(i % firsts.size()),
                    seconds.get(i % seconds.size()),
                    constraints,
                    points,
                    draws / count,
                    sobol,
                    reference));
        }
        return parts;
    }

    private Score allowed(List<Score> parts) {
        Score improvement = Score.logMean(parts);
        return (point, gradient) -> improvement.at(point, gradient) + logFeasible(point, gradient);
    }
}
