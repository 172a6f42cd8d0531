package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The log of how much a point is expected to better the best one so far, where noise leaves open which that is and how
 * good it is. The functions at the points so far, and at those under way, are drawn from what the models hold. For each
 * draw, the improvement is that of a model without noise through what was drawn; the mean over the draws counts. The
 * draws are quasi-random and the same for all points.
 *
 * <p>Source: B. Letham, B. Karrer, G. Ottoni and E. Bakshy, "Constrained Bayesian optimization with noisy experiments",
 * Bayesian Analysis 14 (2019), section 4; logs as in {@link NormalLogs}.
 */
final class NoisyImprovement implements Score {
    private final GaussianProcess through;
    private final double constant;
    /** Of each draw, the weights that give its model's mean, and its best value. */
    private final double[][] weights;

    private final double[] best;

    /**
     * @param constraints that say which points are allowed
     * @param points whose values are known or under way, each once
     * @param sobol of as many dimensions as there are points, times one more than constraints
     */
    NoisyImprovement(
            GaussianProcess values, List<LimitModel> constraints, double[][] points, int draws, ScrambledSobol sobol) {
        List<GaussianProcess> models = new ArrayList<>(List.of(values));
        constraints.forEach(constraint -> models.add(constraint.process()));
        PointDraws drawn = new PointDraws(models, points, draws, sobol);
        through = values.through(points);
        constant = values.constant();
        weights = new double[drawn.count()][];
        best = new double[drawn.count()];
        for (int s = 0; s < best.length; s++) {
            best[s] = best(drawn, s);
            weights[s] = through.weigh(drawn.values(s, 0), constant);
        }
    }

    /** Returns the least value that is allowed, or the largest one where none is: any allowed point betters that. */
    private static double best(PointDraws drawn, int draw) {
        double[] values = drawn.values(draw, 0);
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < values.length; i++) {
            least = drawn.isAllowed(draw, i, 1) ? Math.min(least, values[i]) : least;
        }
        return least < Double.POSITIVE_INFINITY
                ? least
                : Arrays.stream(values).max().orElse(0);
    }

    @Override
    public double at(double[] point, double[] gradient) {
        GaussianProcess.At at = through.at(point);
        double sd = at.sd();
        double[] covariances = at.covariances();
        int draws = best.length;
        double[] zs = new double[draws];
        double[] logs = new double[draws];
        double most = Double.NEGATIVE_INFINITY;
        for (int s = 0; s < draws; s++) {
            zs[s] = (best[s] - constant - GaussianProcess.dot(weights[s], covariances)) / sd;
            logs[s] = NormalLogs.improvement(zs[s]);
            most = Math.max(most, logs[s]);
        }
        double sum = 0;
        for (int s = 0; s < draws; s++) {
            sum += Math.exp(logs[s] - most);
        }
        if (gradient != null) {
            Arrays.fill(gradient, 0);
            // The improvement is sd h(z), where d h / d z = P(z), d z / d mean = -1 / sd and d z / d sd = -z / sd.
            double[] byCovariances = new double[covariances.length];
            double bySd = 1 / sd;
            for (int s = 0; s < draws; s++) {
                double byZ = Math.exp(logs[s] - most + NormalLogs.probability(zs[s]) - logs[s]) / sum;
                bySd -= byZ * zs[s] / sd;
                for (int i = 0; i < byCovariances.length; i++) {
                    byCovariances[i] -= byZ / sd * weights[s][i];
                }
            }
            at.addGradient(byCovariances, bySd / (2 * sd), gradient);
        }
        return Math.log(sd) + most + Math.log(sum / draws);
    }
}
