package dev.lockstep.tuner;

import java.util.Arrays;
import java.util.List;

/** Values of several functions at points, drawn together from what their models hold. Quasi-random. Immutable. */
final class PointDraws {
    /** A variance below this is what rounding leaves of none. */
    private static final double CERTAIN = 1e-7;

    /** What rounding may add to a constraint that holds by nothing. */
    private static final double ROUNDING = 1e-9;

    /** Of each draw, the values of each model at the points. */
    private final double[][][] drawn;

    /**
     * @param points each once
     * @param draws how many there are; where all values are known to the last digit, one stands for all
     * @param sobol of as many dimensions as there are points, times the models
     */
    PointDraws(List<GaussianProcess> models, double[][] points, int draws, ScrambledSobol sobol) {
        int size = points.length;
        int all = models.size();
        double[][] means = new double[all][];
        double[][] roots = new double[all][];
        boolean certain = true;
        for (int m = 0; m < all; m++) {
            GaussianProcess one = models.get(m);
            GaussianProcess.At[] ats = one.at(points);
            means[m] = Arrays.stream(ats).mapToDouble(GaussianProcess.At::mean).toArray();
            double[] covariance = one.posteriorCovariance(ats);
            for (int i = 0; i < size; i++) {
                certain &= covariance[i * size + i] < CERTAIN;
            }
            roots[m] = GaussianProcess.root(covariance, size);
        }
        drawn = new double[certain ? 1 : draws][][];
        for (int s = 0; s < drawn.length; s++) {
            drawn[s] = means;
            if (!certain) {
                double[] units = sobol.next();
                drawn[s] = new double[all][];
                for (int m = 0; m < all; m++) {
                    drawn[s][m] = draw(means[m], roots[m], Arrays.copyOfRange(units, m * size, (m + 1) * size));
                }
            }
        }
    }

    private static double[] draw(double[] means, double[] root, double[] units) {
        double[] normal = Arrays.stream(units).map(NormalLogs::quantile).toArray();
        double[] drawn = means.clone();
        for (int i = 0; i < drawn.length; i++) {
            for (int j = 0; j <= i; j++) {
                drawn[i] += root[i * drawn.length + j] * normal[j];
            }
        }
        return drawn;
    }

    int count() {
        return drawn.length;
    }

    /** Returns what a draw has for a model at the points. */
    double[] values(int draw, int model) {
        return drawn[draw][model];
    }

    /** Returns whether a draw has a point keep all limits, whose models come after so many of others. */
    boolean isAllowed(int draw, int point, int others) {
        boolean allowed = true;
        for (int m = others; m < drawn[draw].length; m++) {
            allowed &= drawn[draw][m][point] <= ROUNDING;
        }
        return allowed;
    }
}
