package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The log of by how much a point is expected to enlarge the area that a Pareto front of two objectives dominates, up to
 * a reference point, where noise leaves open which points that front has. As in {@link NoisyImprovement}, the functions
 * at the points so far, and at those under way, are drawn; for each draw, the enlargement is that of models without
 * noise through what was drawn; the mean over the draws counts.
 *
 * <p>The area below the front is cut into strips at its members' first values. With independent models, the mean of
 * what a strip gains is a product: of the mean width and the mean height of the part of it that the new point
 * dominates, each the difference of means of max(0, c - Y).
 *
 * <p>Sources: S. Daulton, M. Balandat and E. Bakshy, "Parallel Bayesian optimization of multiple noisy objectives with
 * expected hypervolume improvement", NeurIPS 2021 (the mean over draws); M. Emmerich, K. Yang, A. Deutz, H. Wang and C.
 * M. Fonseca, "A multicriteria generalization of Bayesian global optimization", in "Advances in Stochastic and
 * Deterministic Global Optimization" (2016), section 4 (the strips); logs as in {@link NormalLogs}.
 */
final class NoisyHypervolume implements Score {
    /** A model of one objective, and its weights in each draw. */
    private static final class Objective {
        final GaussianProcess through;
        final double constant;
        final double[][] weights;

        Objective(GaussianProcess process, double[][] points, PointDraws drawn, int model) {
            through = process.through(points);
            constant = process.constant();
            weights = new double[drawn.count()][];
            for (int s = 0; s < weights.length; s++) {
                weights[s] = through.weigh(drawn.values(s, model), constant);
            }
        }
    }

    /** What is known of one objective at a point, and the derivatives of the score by it. */
    private static final class There {
        final Objective objective;
        final GaussianProcess.At at;
        final double sd;
        final double[] byCovariances;
        double bySd;

        There(Objective objective, double[] point) {
            this.objective = objective;
            at = objective.through.at(point);
            sd = at.sd();
            byCovariances = new double[at.covariances().length];
        }

        double mean(int draw) {
            return objective.constant + GaussianProcess.dot(objective.weights[draw], at.covariances());
        }

        void add(int draw, double byMean) {
            double[] weights = objective.weights[draw];
            for (int i = 0; i < byCovariances.length; i++) {
                byCovariances[i] += byMean * weights[i];
            }
        }

        void addGradient(double[] gradient) {
            at.addGradient(byCovariances, bySd / (2 * sd), gradient);
        }
    }

    private final Objective first;
    private final Objective second;
    /** Of each draw, where its strips end in the first objective; a strip begins where the one before ends. */
    private final double[][] ends;

    /** And their heights, in the second. */
    private final double[][] tops;

    /**
     * @param constraints that say which points are allowed
     * @param points whose values are known or under way, each once
     * @param sobol of as many dimensions as there are points, times two more than constraints
     * @param reference values of both objectives that are worse than those of any point that is wanted
     */
    NoisyHypervolume(
            GaussianProcess firsts,
            GaussianProcess seconds,
            List<LimitModel> constraints,
            double[][] points,
            int draws,
            ScrambledSobol sobol,
            double[] reference) {
        List<GaussianProcess> models = new ArrayList<>(List.of(firsts, seconds));
        constraints.forEach(constraint -> models.add(constraint.process()));
        PointDraws drawn = new PointDraws(models, points, draws, sobol);
        first = new Objective(firsts, points, drawn, 0);
        second = new Objective(seconds, points, drawn, 1);
        ends = new double[drawn.count()][];
        tops = new double[drawn.count()][];
        for (int s = 0; s < ends.length; s++) {
            double[] x = drawn.values(s, 0);
            double[] y = drawn.values(s, 1);
            List<Integer> inside = new ArrayList<>();
            for (int i = 0; i < points.length; i++) {
                if (drawn.isAllowed(s, i, 2) && x[i] < reference[0] && y[i] < reference[1]) {
                    inside.add(i);
                }
            }
            List<Integer> members = new Front(x, y, inside).members();
            int strips = members.size() + 1;
            ends[s] = new double[strips];
            tops[s] = new double[strips];
            for (int i = 0; i < strips; i++) {
                ends[s][i] = i < members.size() ? x[members.get(i)] : reference[0];
                tops[s][i] = i > 0 ? y[members.get(i - 1)] : reference[1];
            }
        }
    }

    @Override
    public double at(double[] point, double[] gradient) {
        There x = new There(first, point);
        There y = new There(second, point);
        int draws = ends.length;
        double[][] logs = new double[draws][];
        double most = Double.NEGATIVE_INFINITY;
        for (int s = 0; s < draws; s++) {
            logs[s] = new double[ends[s].length];
            for (int i = 0; i < logs[s].length; i++) {
                double log = logWidth(s, i, x) + logMean(tops[s][i], y.mean(s), y.sd);
                logs[s][i] = log;
                most = Math.max(most, log);
            }
        }
        double sum = 0;
        for (double[] ofDraw : logs) {
            for (double log : ofDraw) {
                sum += Math.exp(log - most);
            }
        }
        if (gradient != null) {
            Arrays.fill(gradient, 0);
            for (int s = 0; s < draws; s++) {
                addDerivatives(s, logs[s], most + Math.log(sum), x, y);
            }
            x.addGradient(gradient);
            y.addGradient(gradient);
        }
        return most + Math.log(sum / draws);
    }

    /** Returns the log of the mean of max(0, c - Y) for a normal Y. */
    private static double logMean(double c, double mean, double sd) {
        return Math.log(sd) + NormalLogs.improvement((c - mean) / sd);
    }

    private double logWidth(int draw, int strip, There x) {
        double mean = x.mean(draw);
        double whole = logMean(ends[draw][strip], mean, x.sd);
        if (strip == 0) {
            return whole;
        }
        return NormalLogs.difference(whole, logMean(ends[draw][strip - 1], mean, x.sd));
    }

    /** @param all the log of the sum over all strips of all draws */
    private void addDerivatives(int draw, double[] logs, double all, There x, There y) {
        double meanX = x.mean(draw);
        double meanY = y.mean(draw);
        double byMeanX = 0;
        double byMeanY = 0;
        for (int i = 0; i < logs.length; i++) {
            double share = Math.exp(logs[i] - all);
            if (!(share > 0)) {
                continue;
            }
            // The mean of max(0, c - Y) has the derivatives -P(z) by the mean and p(z) by the deviation.
            double top = logMean(tops[draw][i], meanY, y.sd);
            double z = (tops[draw][i] - meanY) / y.sd;
            byMeanY -= share * Math.exp(NormalLogs.probability(z) - top);
            y.bySd += share * Math.exp(NormalLogs.density(z) - top);
            double width = logs[i] - top;
            double end = (ends[draw][i] - meanX) / x.sd;
            byMeanX -= share * Math.exp(NormalLogs.probability(end) - width);
            x.bySd += share * Math.exp(NormalLogs.density(end) - width);
            if (i > 0) {
                double begin = (ends[draw][i - 1] - meanX) / x.sd;
                byMeanX += share * Math.exp(NormalLogs.probability(begin) - width);
                x.bySd -= share * Math.exp(NormalLogs.density(begin) - width);
            }
        }
        x.add(draw, byMeanX);
        y.add(draw, byMeanY);
    }
}
