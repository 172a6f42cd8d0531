package dev.lockstep.tuner;

import java.util.Arrays;

/**
 * Finds a local minimum of a smooth function in a box, by the method of Broyden, Fletcher, Goldfarb and Shanno with a
 * projected line search: coordinates at a border that the function pushes out of the box stay there until it no longer
 * does. The matrix is kept as a whole, for there are dozens of coordinates at most.
 *
 * <p>Source: J. Nocedal and S. J. Wright, "Numerical Optimization" (2006), chapters 3 and 6; D. P. Bertsekas,
 * "Projected Newton methods for optimization problems with simple constraints", SIAM J. Control Optim. 20 (1982).
 */
final class Minimizer {
    /** A function and its derivatives. */
    interface Smooth {
        /**
         * Returns the value at a point, infinite where there is none.
         *
         * @param gradient takes the derivatives
         */
        double at(double[] point, double[] gradient);
    }

    /** What a step must at least win of what the slope promises. */
    private static final double ARMIJO = 1e-4;

    private static final int MOST_HALVINGS = 12;

    private final Smooth function;
    private final double[] low;
    private final double[] high;
    private final int mostCalls;
    private final double tolerance;
    private final double longestStep;
    private int calls;

    /**
     * @param mostCalls of the function
     * @param tolerance ends the search where a step wins less
     * @param longestStep by which a coordinate moves at once
     */
    Minimizer(Smooth function, double[] low, double[] high, int mostCalls, double tolerance, double longestStep) {
        this.function = function;
        this.low = low;
        this.high = high;
        this.mostCalls = mostCalls;
        this.tolerance = tolerance;
        this.longestStep = longestStep;
    }

    /** Moves a point in the box to a minimum and returns the value there. */
    double minimize(double[] point) {
        int size = point.length;
        double[] gradient = new double[size];
        double value = function.at(point, gradient);
        calls = 1;
        double[][] inverse = new double[size][size];
        boolean fresh = true;
        double[] direction = new double[size];
        double[] next = new double[size];
        double[] nextGradient = new double[size];
        boolean[] held = new boolean[size];
        while (calls < mostCalls && Double.isFinite(value)) {
            boolean[] holding = held(point, gradient);
            if (fresh || !Arrays.equals(held, holding)) {
                identity(inverse);
                fresh = true;
            }
            held = holding;
            double slope = direction(inverse, gradient, held, direction);
            if (!(slope < 0)) {
                if (fresh) {
                    return value;
                }
                fresh = true;
                continue;
            }
            double nextValue = search(point, value, gradient, direction, fresh, next, nextGradient);
            if (!(nextValue < value)) {
                if (fresh) {
                    return value;
                }
                fresh = true;
                continue;
            }
            fresh = !update(inverse, point, next, gradient, nextGradient, held, fresh);
            double won = value - nextValue;
            System.arraycopy(next, 0, point, 0, size);
            System.arraycopy(nextGradient, 0, gradient, 0, size);
            value = nextValue;
            if (won < tolerance) {
                return value;
            }
        }
        return value;
    }

    private boolean[] held(double[] point, double[] gradient) {
        boolean[] held = new boolean[point.length];
        for (int i = 0; i < point.length; i++) {
            held[i] = point[i] <= low[i] && gradient[i] > 0 || point[i] >= high[i] && gradient[i] < 0;
        }
        return held;
    }

    private double direction(double[][] inverse, double[] gradient, boolean[] held, double[] direction) {
        double slope = 0;
        double longest = 0;
        for (int i = 0; i < direction.length; i++) {
            direction[i] = 0;
            if (held[i]) {
                continue;
            }
            for (int j = 0; j < direction.length; j++) {
                direction[i] -= held[j] ? 0 : inverse[i][j] * gradient[j];
            }
            slope += direction[i] * gradient[i];
            longest = Math.max(longest, Math.abs(direction[i]));
        }
        if (longest > longestStep) {
            for (int i = 0; i < direction.length; i++) {
                direction[i] *= longestStep / longest;
            }
            slope *= longestStep / longest;
        }
        return slope;
    }

    /**
     * Returns the value at the point that it leaves in {@code next}, or that of the old point if it finds no better.
     */
    private double search(
            double[] point,
            double value,
            double[] gradient,
            double[] direction,
            boolean fresh,
            double[] next,
            double[] nextGradient) {
        double step = 1;
        if (fresh) {
            double longest = Arrays.stream(direction).map(Math::abs).max().orElse(0);
            step = Math.min(1, longestStep / 4 / longest);
        }
        for (int i = 0; i < MOST_HALVINGS && calls < mostCalls; i++) {
            double promised = 0;
            for (int j = 0; j < next.length; j++) {
                next[j] = Math.max(low[j], Math.min(high[j], point[j] + step * direction[j]));
                promised += gradient[j] * (next[j] - point[j]);
            }
            double found = function.at(next, nextGradient);
            calls++;
            if (found <= value + ARMIJO * promised && found < value) {
                return found;
            }
            // The minimum of the parabola through the value, the slope and the value found, within limits.
            double parabola = Double.isFinite(found) ? -promised / (2 * (found - value - promised)) : 0;
            step *= Math.max(0.1, Math.min(0.5, parabola));
        }
        return value;
    }

    private static boolean update(
            double[][] inverse,
            double[] point,
            double[] next,
            double[] gradient,
            double[] nextGradient,
            boolean[] held,
            boolean fresh) {
        int size = point.length;
        double[] moved = new double[size];
        double[] change = new double[size];
        double curvature = 0;
        double length = 0;
        for (int i = 0; i < size; i++) {
            if (!held[i]) {
                moved[i] = next[i] - point[i];
                change[i] = nextGradient[i] - gradient[i];
                curvature += moved[i] * change[i];
                length += change[i] * change[i];
            }
        }
        if (!(curvature > 1e-12 * length) || length == 0) {
            return false;
        }
        if (fresh) {
            for (int i = 0; i < size; i++) {
                inverse[i][i] = curvature / length;
            }
        }
        double[] product = new double[size];
        double quadratic = 0;
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                product[i] += inverse[i][j] * change[j];
            }
            quadratic += product[i] * change[i];
        }
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                inverse[i][j] += (1 + quadratic / curvature) * moved[i] * moved[j] / curvature
                        - (product[i] * moved[j] + moved[i] * product[j]) / curvature;
            }
        }
        return true;
    }

    private static void identity(double[][] matrix) {
        for (int i = 0; i < matrix.length; i++) {
            Arrays.fill(matrix[i], 0);
            matrix[i][i] = 1;
        }
    }
}
