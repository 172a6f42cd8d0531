package dev.lockstep.tuner;

import java.util.Arrays;

/**
 * A Gaussian process of what must be at most 0: what was measured for a constraint, or 1 for a trial that failed and -1
 * for one that did not. What was measured is drawn in where it is far from 0, for only its neighbourhood matters. A
 * constraint that is 0 where it holds holds there: it counts as one below 0. Immutable.
 *
 * <p>Source of the drawing in: D. Eriksson and M. Poloczek, "Scalable constrained Bayesian optimization", AISTATS 2021.
 */
final class LimitModel {
    /** What is drawn in goes no farther than this: 22,000 times the usual. */
    private static final double FURTHEST = 10;

    private final GaussianProcess process;
    private final Fit.Found found;

    /** What was measured is divided by the scale, drawn in, and divided by the standard deviation. */
    private final double scale;

    private final double sd;

    private LimitModel(GaussianProcess process, Fit.Found found, double scale, double sd) {
        this.process = process;
        this.found = found;
        this.scale = scale;
        this.sd = sd;
    }

    /**
     * @param before of fewer values, or null
     * @param fits whether to find the hyperparameters anew; those of the model before count otherwise, if there is one
     */
    static LimitModel of(
            double[][] points,
            boolean[] choices,
            double[] measured,
            boolean learnsNoise,
            LimitModel before,
            boolean fits) {
        double[] sizes = Arrays.stream(measured)
                .map(Math::abs)
                .filter(size -> size > 0)
                .sorted()
                .toArray();
        double scale = usual(sizes);
        double zero = zero(measured, sizes, scale);
        double[] drawn = Arrays.stream(measured)
                .map(value -> draw(value == 0 ? zero : value, scale))
                .toArray();
        double sd = Warp.sd(drawn);
        double[] values = Arrays.stream(drawn).map(value -> value / sd).toArray();
        double[] variances = new double[values.length];
        double[] shapes = Arrays.stream(smooth(measured, before))
                .map(value -> Math.pow(1 + Math.abs(value) / scale, -2))
                .toArray();
        boolean known = !fits && before != null && before.found.logs.length == choices.length + (learnsNoise ? 1 : 0);
        double[][] differences = known ? new double[0][] : Fit.differences(points, choices);
        Fit fit = new Fit(differences, choices.length, values, variances, shapes, learnsNoise);
        Fit.Found found = known ? before.found : find(fit, values.length, before);
        GaussianProcess.Settings settings = fit.settings(found.logs);
        return new LimitModel(
                new GaussianProcess(points, choices, values, fit.noises(settings), settings), found, scale, sd);
    }

    private static Fit.Found find(Fit fit, int values, LimitModel before) {
        return before == null || values <= Fit.FEW_VALUES
                ? fit.findAfresh(before == null ? null : before.found)
                : fit.find(before.found, Fit.turn(values));
    }

    /**
     * Returns the median size, of two in the middle the larger, unless that is of what is drawn in as far as can be.
     */
    private static double usual(double[] sizes) {
        if (sizes.length == 0) {
            return 1;
        }
        double larger = sizes[sizes.length / 2];
        double smaller = sizes[(sizes.length - 1) / 2];
        return Math.log(larger) - Math.log(smaller) < FURTHEST ? larger : smaller;
    }

    /**
     * Returns what a measured 0 counts as. It keeps the limit, and where nothing is below it, as with 0 for yes and 1
     * for no, or with what exceeds a limit, it does not say by how much: then it counts as kept by the usual size.
     * Beside others below 0 it is one of a scale, and the nearest to 0 of them.
     */
    private static double zero(double[] measured, double[] sizes, double scale) {
        return Arrays.stream(measured).anyMatch(value -> value < 0) ? -sizes[0] / 2 : -scale;
    }

    private static double draw(double value, double scale) {
        double size = Math.abs(value) / scale;
        return Math.signum(value) * Math.min(FURTHEST, Math.log1p(size));
    }

    /** As that of a {@link ValueModel}: noise is drawn in as the function is, not as a lucky value of it. */
    private static double[] smooth(double[] measured, LimitModel before) {
        double[] smooth = measured.clone();
        for (int i = 0; before != null && i < before.process.points().length; i++) {
            double drawn = before.process.at(before.process.points()[i]).mean() * before.sd;
            smooth[i] = Math.signum(drawn) * Math.min(Double.MAX_VALUE, Math.expm1(Math.abs(drawn)) * before.scale);
        }
        return smooth;
    }

    GaussianProcess process() {
        return process;
    }

    /**
     * Returns the log of the probability that the limit is kept at a point, and adds to the gradient if there is one.
     */
    double logProbability(double[] point, double[] gradient) {
        GaussianProcess.At at = process.at(point);
        double sd = at.sd();
        double z = -at.mean() / sd;
        double log = NormalLogs.probability(z);
        if (gradient != null) {
            // d z = -d mean / sd - z d sd / sd, and d sd = d variance / (2 sd).
            double byZ = Math.exp(NormalLogs.density(z) - log);
            double[] byCovariances = Arrays.stream(process.weights())
                    .map(weight -> -byZ / sd * weight)
                    .toArray();
            at.addGradient(byCovariances, -byZ * z / (2 * sd * sd), gradient);
        }
        return log;
    }
}
