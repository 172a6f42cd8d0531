package dev.lockstep.tuner;

import java.util.Arrays;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.decomposition.TriangularSolver_DDRM;
import org.ejml.dense.row.decomposition.chol.CholeskyDecompositionInner_DDRM;

/**
 * A distribution over functions, given values at points: a constant and a function of {@link Matern} covariance, seen
 * through noise. Immutable once made.
 *
 * <p>Source: Rasmussen and Williams (see {@link Matern}), algorithm 2.1. The constant is the generalised least squares
 * estimate, equation 2.43 with one basis function and a flat prior; its own uncertainty is left out.
 */
final class GaussianProcess {
    /** The hyperparameters. Immutable. */
    static final class Settings {
        private final double[] lengthScales;
        private final double noise;

        /**
         * @param lengthScales of each coordinate
         * @param noise the variance of the noise that was learned, where its shape is 1
         */
        Settings(double[] lengthScales, double noise) {
            this.lengthScales = lengthScales.clone();
            this.noise = noise;
        }

        double lengthScale(int coordinate) {
            return lengthScales[coordinate];
        }

        double noise() {
            return noise;
        }

        /** Returns 1 / length scale^2 of each coordinate. */
        double[] precisions() {
            return Arrays.stream(lengthScales).map(scale -> 1 / (scale * scale)).toArray();
        }
    }

    /** What a point has to do with the values: enough for all that is asked of it. */
    final class At {
        private final double[] point;
        /** The covariances of the function here with that at the points of the values. */
        private final double[] covariances = new double[size];
        /** Their derivatives by the squared distances. */
        private final double[] slopes = new double[size];
        /** The root's inverse times the covariances. */
        private final double[] explained;

        private At(double[] point) {
            this.point = point;
            for (int i = 0; i < size; i++) {
                double distance = Matern.squaredDistance(point, points[i], precisions, choices);
                covariances[i] = Matern.covariance(distance);
                slopes[i] = Matern.slope(distance, covariances[i]);
            }
            explained = covariances.clone();
            TriangularSolver_DDRM.solveL(root, explained, size);
        }

        double mean() {
            return constant + dot(weights, covariances);
        }

        /** The variance of the function, the noise apart. */
        double variance() {
            return Math.max(LEAST_VARIANCE, 1 - dot(explained, explained));
        }

        double sd() {
            return Math.sqrt(variance());
        }

        double[] covariances() {
            return covariances;
        }

        /** Adds the derivatives of factor * mean + byVariance * variance by the places of the point to a gradient. */
        void addGradient(double[] byCovariances, double byVariance, double[] gradient) {
            double[] all = byCovariances.clone();
            if (byVariance != 0) {
                double[] solved = explained.clone();
                TriangularSolver_DDRM.solveTranL(root, solved, size);
                for (int i = 0; i < size; i++) {
                    all[i] -= 2 * byVariance * solved[i];
                }
            }
            for (int i = 0; i < size; i++) {
                double factor = 2 * all[i] * slopes[i];
                double[] other = points[i];
                for (int k = 0; k < point.length; k++) {
                    gradient[k] += choices[k] ? 0 : factor * (point[k] - other[k]) * precisions[k];
                }
            }
        }
    }

    /** More is added to the diagonal as long as rounding leaves a matrix without a root. */
    private static final double LEAST_JITTER = 1e-10;

    private static final double MOST_JITTER = 1e-2;

    /** What rounding leaves of a variance of 1 is no less. */
    private static final double LEAST_VARIANCE = 1e-12;

    private final double[][] points;
    private final boolean[] choices;
    private final Settings settings;
    private final double[] precisions;
    private final int size;

    /** The lower root of the covariance of the values, row by row. */
    private final double[] root;

    private final double constant;
    private final double[] noises;
    private final double[] centred;

    /** The covariance's inverse times the values less the constant. */
    private final double[] weights;

    /**
     * @param choices which coordinates are choices
     * @param noises the variances of the values' noise, all of it
     */
    GaussianProcess(double[][] points, boolean[] choices, double[] values, double[] noises, Settings settings) {
        this.points = points;
        this.choices = choices;
        this.settings = settings;
        this.noises = noises;
        size = points.length;
        precisions = settings.precisions();
        double[] covariance = covariance(points);
        for (int i = 0; i < size; i++) {
            covariance[i * size + i] += noises[i];
        }
        root = root(covariance, size);
        constant = constant(root, values);
        centred = Arrays.stream(values).map(value -> value - constant).toArray();
        weights = weigh(values, constant);
    }

    /** Returns the lower root of a symmetric matrix of numbers about 1, row by row. */
    static double[] root(double[] matrix, int size) {
        CholeskyDecompositionInner_DDRM cholesky = new CholeskyDecompositionInner_DDRM(true);
        for (double jitter = 0; jitter <= MOST_JITTER; jitter = Math.max(LEAST_JITTER, 10 * jitter)) {
            double[] copy = matrix.clone();
            for (int i = 0; i < size; i++) {
                copy[i * size + i] += jitter;
            }
            if (cholesky.decompose(DMatrixRMaj.wrap(size, size, copy))) {
                return copy;
            }
        }
        throw new IllegalStateException("expected a covariance, found a matrix of " + size + " rows without a root");
    }

    /** Returns the log of the determinant of root * root'. */
    static double logDeterminant(double[] root, int size) {
        double sum = 0;
        for (int i = 0; i < size; i++) {
            sum += 2 * Math.log(root[i * size + i]);
        }
        return sum;
    }

    /** Returns the constant that values stand around whose covariance has this root. */
    static double constant(double[] root, double[] values) {
        double[] ones = new double[values.length];
        Arrays.fill(ones, 1);
        solve(root, ones);
        return dot(ones, values) / Arrays.stream(ones).sum();
    }

    /** Replaces numbers by the inverse of root * root' times them. */
    static void solve(double[] root, double[] numbers) {
        TriangularSolver_DDRM.solveL(root, numbers, numbers.length);
        TriangularSolver_DDRM.solveTranL(root, numbers, numbers.length);
    }

    static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    Settings settings() {
        return settings;
    }

    double constant() {
        return constant;
    }

    At at(double[] point) {
        return new At(point);
    }

    /** What {@link At#mean} is less the constant, by the covariances; not to be changed. */
    double[] weights() {
        return weights;
    }

    /** The points of the values; not to be changed. */
    double[][] points() {
        return points;
    }

    /** Which coordinates are choices; not to be changed. */
    boolean[] choices() {
        return choices;
    }

    /** The values less the constant; not to be changed. */
    double[] centred() {
        return centred;
    }

    /** The variance of the noise of a value, all of it. */
    double noise(int value) {
        return noises[value];
    }

    /** Returns a model of the same function without noise, through values at other points. */
    GaussianProcess through(double[][] others) {
        return new GaussianProcess(
                others,
                choices,
                new double[others.length],
                new double[others.length],
                new Settings(settings.lengthScales, 0));
    }

    /** Returns the inverse of the covariance of the values times values less a constant, this model's or another's. */
    double[] weigh(double[] values, double less) {
        double[] numbers = Arrays.stream(values).map(value -> value - less).toArray();
        solve(root, numbers);
        return numbers;
    }

    /** Returns the covariance of the function at points before any value is known, row by row. */
    private double[] covariance(double[][] at) {
        double[] covariance = new double[at.length * at.length];
        for (int i = 0; i < at.length; i++) {
            for (int j = 0; j < i; j++) {
                double one = Matern.covariance(Matern.squaredDistance(at[i], at[j], precisions, choices));
                covariance[i * at.length + j] = one;
                covariance[j * at.length + i] = one;
            }
            covariance[i * at.length + i] = 1;
        }
        return covariance;
    }

    At[] at(double[][] points) {
        return Arrays.stream(points).map(At::new).toArray(At[]::new);
    }

    /** Returns the covariance of the function at points, given the values, row by row. */
    double[] posteriorCovariance(At[] ats) {
        double[] covariance = covariance(Arrays.stream(ats).map(at -> at.point).toArray(double[][]::new));
        for (int i = 0; i < ats.length; i++) {
            for (int j = 0; j <= i; j++) {
                double one = covariance[i * ats.length + j] - dot(ats[i].explained, ats[j].explained);
                covariance[i * ats.length + j] = one;
                covariance[j * ats.length + i] = one;
            }
        }
        return covariance;
    }
}
