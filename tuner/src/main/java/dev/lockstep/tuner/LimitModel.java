package dev.lockstep.tuner;

import java.util.Arrays;

/**
 * A Gaussian process of what must be at most 0: what was measured for a constraint, or 1 for a trial that failed and -1
 * for one that did not. What was measured is drawn in where it is far from 0, for only its neighbourhood matters.
 * Immutable.
 *
 * <p>Source of the drawing in: D. Eriksson and M. Poloczek, "Scalable constrained Bayesian optimization", AISTATS 2021.
 */
final class LimitModel {
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

    /** @param before of a value less, or null */
    static LimitModel of(
            double[][] points, boolean[] choices, double[] measured, boolean learnsNoise, LimitModel before) {
        double[] sizes = Arrays.stream(measured).map(Math::abs).sorted().toArray();
        double scale = sizes[sizes.length / 2] > 0 ? sizes[sizes.length / 2] : 1;
        double[] drawn = Arrays.stream(measured)
                .map(value -> Math.signum(value) * Math.log1p(Math.abs(value) / scale))
                .toArray();
        double sd = Warp.sd(drawn);
        double[] values = Arrays.stream(drawn).map(value -> value / sd).toArray();
        double[] variances = new double[values.length];
        double[] shapes = Arrays.stream(smooth(measured, before))
                .map(value -> Math.pow(1 + Math.abs(value) / scale, -2))
                .toArray();
        Fit fit = new Fit(points, choices, values, variances, shapes, learnsNoise);
        Fit.Found found = before == null || values.length <= Fit.FEW_VALUES
                ? fit.findAfresh(before == null ? null : before.found)
                : fit.find(before.found, Fit.turn(values.length));
        GaussianProcess.Settings settings = fit.settings(found.logs);
        return new LimitModel(
                new GaussianProcess(points, choices, values, fit.noises(settings), settings), found, scale, sd);
    }

    /** As that of a {@link ValueModel}: noise is drawn in as the function is, not as a lucky value of it. */
    private static double[] smooth(double[] measured, LimitModel before) {
        double[] smooth = measured.clone();
        for (int i = 0; before != null && i < before.process.points().length; i++) {
            double drawn = before.process.at(before.process.points()[i]).mean() * before.sd;
            smooth[i] = Math.signum(drawn) * Math.expm1(Math.abs(drawn)) * before.scale;
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
