package dev.lockstep.tuner;

import dev.lockstep.tuner.GaussianProcess.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.ejml.dense.row.decomposition.TriangularSolver_DDRM;

/**
 * Finds the hyperparameters of a {@link GaussianProcess} that are most likely given values of mean about 0 and variance
 * about 1, or draws some as likely as they are: the logs of the length scales, and behind them that of the noise's
 * variance if it is not known to be 0.
 *
 * <p>The logs have normal priors. That of the length scales grows with the root of the dimensions, for so does the
 * distance of random points; it is most likely where, and as wide as, the log-normal prior of C. Hvarfner, E. O.
 * Hellsten and L. Nardi, "Vanilla Bayesian optimization performs great in high dimensions", ICML 2024. (Theirs has its
 * mean far above that: models drawn from it hold that hardly anything matters, and search worse.) That of the noise is
 * wide: from hardly any to as much as the function varies.
 */
final class Fit {
    /** What is the most likely, and how likely. Immutable. */
    static final class Found {
        final double[] logs;
        /** -log of the posterior density, up to a constant that depends on the number of values only. */
        final double cost;

        private Found(double[] logs, double cost) {
            this.logs = logs;
            this.cost = cost;
        }
    }

    /** Of one dimension. */
    private static final double SCALE_LOG_MEAN = Math.sqrt(2) - 3;

    private static final double SCALE_LOG_SD = Math.sqrt(3);
    private static final double NOISE_LOG_MEAN = -4;
    private static final double NOISE_LOG_SD = 2;
    private static final double[] SCALE_LIMITS = {Math.log(0.01), Math.log(1000)};
    private static final double[] NOISE_LIMITS = {Math.log(1e-8), Math.log(4)};

    /** Where the search begins: from the mean of the length scales, with which noise. */
    private static final double[][] STARTS = {{0, -4}, {0, -11}, {1.5, -1}};

    /** Of the noise where it is known that there is none, so that equal points do no harm. */
    private static final double NO_NOISE = 1e-8;

    /** So many values are fitted from all starts; more are likely to have what few of them had. */
    static final int FEW_VALUES = 24;

    private static final int MANY_CALLS = 40;
    private static final int FEW_CALLS = 12;
    private static final double TOLERANCE = 1e-3;
    private static final double LONGEST_STEP = 2;

    /** Of values by values by coordinates: sampling with more of them would take too long. */
    private static final int MOST_SAMPLED = 16_000;

    private static final int SAMPLES = 8;
    /** So many rounds of all hyperparameters come before the first sample, and between two. */
    private static final int FIRST_ROUNDS = 3;

    private static final int ROUNDS = 2;

    private final double[] values;
    private final double[] variances;
    private final double[] shapes;
    private final boolean learnsNoise;
    private final int size;
    private final int dimensions;

    /** Of each pair of points, one behind the other, the squared difference in each coordinate. */
    private final double[][] differences;

    /**
     * @param differences see {@link #differences}
     * @param variances of the values' noise, as far as it is known
     * @param shapes what the variance of the noise that is learned is to be multiplied by, for each value
     */
    Fit(
            double[][] differences,
            int dimensions,
            double[] values,
            double[] variances,
            double[] shapes,
            boolean learnsNoise) {
        this.shapes = shapes;
        this.differences = differences;
        this.dimensions = dimensions;
        this.values = values;
        this.variances = variances;
        this.learnsNoise = learnsNoise;
        size = values.length;
    }

    /** Returns the squared differences of all pairs of points, to be used for several fits. */
    static double[][] differences(double[][] points, boolean[] choices) {
        double[][] differences = new double[points.length * (points.length - 1) / 2][choices.length];
        int pair = 0;
        for (int i = 0; i < points.length; i++) {
            for (int j = 0; j < i; j++) {
                for (int k = 0; k < choices.length; k++) {
                    differences[pair][k] = Matern.squaredDifference(points[i][k], points[j][k], choices[k]);
                }
                pair++;
            }
        }
        return differences;
    }

    /** Returns how many hyperparameters there are. */
    int count() {
        return dimensions + (learnsNoise ? 1 : 0);
    }

    Settings settings(double[] logs) {
        double[] scales = new double[dimensions];
        for (int k = 0; k < dimensions; k++) {
            scales[k] = Math.exp(logs[k]);
        }
        return new Settings(scales, learnsNoise ? Math.exp(logs[dimensions]) : NO_NOISE);
    }

    /** Returns the variances of the values' noise, all of it. */
    double[] noises(Settings settings) {
        double[] noises = variances.clone();
        for (int i = 0; i < size; i++) {
            noises[i] += settings.noise() * (learnsNoise ? shapes[i] : 1);
        }
        return noises;
    }

    /**
     * Returns what is found from all fixed starts and from what was found before.
     *
     * @param before with a value less; null for none
     */
    Found findAfresh(Found before) {
        Found best = before == null || before.logs.length != count() ? null : find(before.logs, MANY_CALLS);
        for (int turn = 0; turn < STARTS.length; turn++) {
            best = better(best, find(start(turn), MANY_CALLS));
        }
        return best;
    }

    /**
     * Returns what is found in a few steps from what was found before, or from one of the fixed starts.
     *
     * @param before with a value less
     * @param turn which of the starts, in turns; negative for none of them
     */
    Found find(Found before, int turn) {
        if (before.logs.length != count()) {
            return findAfresh(null);
        }
        Found best = find(before.logs, FEW_CALLS);
        return turn < 0 ? best : better(best, find(start(turn % STARTS.length), MANY_CALLS));
    }

    /** Returns which of the fixed starts has its turn after so many values, -1 where none has: every third time one. */
    static int turn(int values) {
        return values % 3 == 0 ? values / 3 : -1;
    }

    private static Found better(Found one, Found other) {
        return one == null || other.cost < one.cost ? other : one;
    }

    private double[] start(int turn) {
        double[] logs = new double[count()];
        Arrays.fill(logs, 0, dimensions, scaleLogMean() + STARTS[turn][0]);
        if (learnsNoise) {
            logs[dimensions] = STARTS[turn][1];
        }
        return logs;
    }

    private Found find(double[] start, int mostCalls) {
        double[] low = new double[count()];
        double[] high = new double[count()];
        for (int k = 0; k < low.length; k++) {
            double[] limits = limits(k);
            low[k] = limits[0];
            high[k] = limits[1];
        }
        double[] logs = start.clone();
        double cost = new Minimizer(this::at, low, high, mostCalls, TOLERANCE, LONGEST_STEP).minimize(logs);
        return new Found(logs, cost);
    }

    /** Returns whether there are few enough values to sample. */
    boolean isSampled() {
        return size * size * dimensions <= MOST_SAMPLED;
    }

    /**
     * Returns processes of hyperparameters as likely as they are, begun from the most likely ones.
     *
     * @param process of the most likely ones
     */
    List<GaussianProcess> sample(GaussianProcess process, Found found, SplittableRandom random) {
        List<GaussianProcess> processes = new ArrayList<>();
        for (double[] logs : sample(found.logs, SAMPLES, random)) {
            Settings settings = settings(logs);
            processes.add(new GaussianProcess(process.points(), process.choices(), values, noises(settings), settings));
        }
        return processes;
    }

    /**
     * Returns hyperparameters as likely as they are given the values, one behind the other from a start, by slice
     * sampling.
     *
     * <p>Source: R. M. Neal, "Slice sampling", Annals of Statistics 31 (2003), figure 5, one coordinate at a time, from
     * all that it can be.
     */
    List<double[]> sample(double[] start, int samples, SplittableRandom random) {
        double[] logs = start.clone();
        double cost = at(logs, null);
        List<double[]> found = new ArrayList<>();
        for (int round = 1; found.size() < samples; round++) {
            for (int k = 0; k < logs.length; k++) {
                cost = slice(logs, k, cost - Math.log(1 - random.nextDouble()), random);
            }
            if (round > FIRST_ROUNDS && (round - FIRST_ROUNDS) % ROUNDS == 0) {
                found.add(logs.clone());
            }
        }
        return found;
    }

    /** Moves one coordinate to any place of those that cost no more, and returns the cost there. */
    private double slice(double[] logs, int k, double most, SplittableRandom random) {
        double from = logs[k];
        double low = limits(k)[0];
        double high = limits(k)[1];
        while (true) {
            logs[k] = low + (high - low) * random.nextDouble();
            double cost = at(logs, null);
            // Rounding may leave nothing but the place it came from.
            if (cost <= most || high - low < TOLERANCE * TOLERANCE) {
                return cost;
            }
            if (logs[k] < from) {
                low = logs[k];
            } else {
                high = logs[k];
            }
        }
    }

    private double[] limits(int k) {
        return k < dimensions ? SCALE_LIMITS : NOISE_LIMITS;
    }

    private double scaleLogMean() {
        return SCALE_LOG_MEAN + 0.5 * Math.log(dimensions);
    }

    /**
     * Returns -log of the posterior density of the hyperparameters' logs, up to a constant.
     *
     * @param gradient takes its derivatives; null where nobody wants them
     */
    double at(double[] logs, double[] gradient) {
        Settings settings = settings(logs);
        double[] precisions = settings.precisions();
        double[] noises = noises(settings);
        double[] covariance = new double[size * size];
        double[] slopes = new double[differences.length];
        int pair = 0;
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < i; j++) {
                double distance = GaussianProcess.dot(differences[pair], precisions);
                double between = Matern.covariance(distance);
                slopes[pair] = Matern.slope(distance, between);
                covariance[i * size + j] = between;
                covariance[j * size + i] = between;
                pair++;
            }
            covariance[i * size + i] = 1 + noises[i];
        }
        double[] root = GaussianProcess.root(covariance, size);
        double constant = GaussianProcess.constant(root, values);
        double[] centred = Arrays.stream(values).map(value -> value - constant).toArray();
        double[] weights = centred.clone();
        GaussianProcess.solve(root, weights);
        double cost = 0.5 * (GaussianProcess.dot(centred, weights) + GaussianProcess.logDeterminant(root, size));
        if (gradient != null) {
            addLikelihoodGradient(inverse(root), weights, slopes, precisions, settings.noise(), gradient);
        }
        return cost + addPriors(logs, gradient);
    }

    /**
     * The derivative by a covariance is half of inverse - weights weights' (Rasmussen and Williams, equation 5.9). The
     * constant is at its best, so that a change of it adds nothing.
     */
    private void addLikelihoodGradient(
            double[] inverse, double[] weights, double[] slopes, double[] precisions, double noise, double[] gradient) {
        Arrays.fill(gradient, 0);
        double byNoise = 0;
        int pair = 0;
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < i; j++) {
                double bySlope = (inverse[i * size + j] - weights[i] * weights[j]) * slopes[pair];
                double[] difference = differences[pair++];
                for (int k = 0; k < dimensions; k++) {
                    gradient[k] += bySlope * difference[k];
                }
            }
            byNoise += shapes[i] * 0.5 * (inverse[i * size + i] - weights[i] * weights[i]);
        }
        for (int k = 0; k < dimensions; k++) {
            gradient[k] *= -2 * precisions[k];
        }
        if (learnsNoise) {
            gradient[dimensions] = byNoise * noise;
        }
    }

    private double addPriors(double[] logs, double[] gradient) {
        double cost = 0;
        for (int k = 0; k < logs.length; k++) {
            double mean = k < dimensions ? scaleLogMean() : NOISE_LOG_MEAN;
            double sd = k < dimensions ? SCALE_LOG_SD : NOISE_LOG_SD;
            double from = (logs[k] - mean) / sd;
            cost += 0.5 * from * from;
            if (gradient != null) {
                gradient[k] += from / sd;
            }
        }
        return cost;
    }

    /** Returns the lower half of the inverse of root * root'. */
    private double[] inverse(double[] root) {
        double[] inverseRoot = new double[size * size];
        TriangularSolver_DDRM.invertLower(root, inverseRoot, size);
        double[] inverse = new double[size * size];
        for (int k = 0; k < size; k++) {
            int row = k * size;
            for (int i = 0; i <= k; i++) {
                double factor = inverseRoot[row + i];
                int to = i * size;
                for (int j = 0; j <= i; j++) {
                    inverse[to + j] += factor * inverseRoot[row + j];
                }
            }
        }
        return inverse;
    }
}
