package dev.lockstep.analysis;

import dev.lockstep.results.RunPlan;
import java.util.Arrays;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * After how many launches a run is looked at, where it goes on only while nothing is decided. Each look is one more
 * chance to be wrong, so each gets a part of the 5 % that all may be wrong together, and decides by an interval of a
 * higher level. Immutable.
 *
 * <p>The parts grow with the launches done, t of all: alpha ln(1 + (e - 1) t) is spent by then, most of it at the first
 * look, because launches cost minutes and most differences that matter are clear by then. What is spent at a look
 * counts only the runs that had not ended before it, which the recursion of Armitage, McPherson and Rowe gives for
 * means of normal values. So a look that was not planned, as of a run that was interrupted, has its level as well, and
 * the intervals of all looks hold the truth together in 95 % of all runs, whenever one ends.
 *
 * <p>Sources: K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70
 * (1983), with their function that is close to Pocock's boundary; P. Armitage, C. K. McPherson and B. C. Rowe, J. Royal
 * Statistical Society A 132 (1969); C. Jennison and B. W. Turnbull, "Interim analyses: the repeated confidence interval
 * approach", J. Royal Statistical Society B 51 (1989). {@code SimulationTest} tries it with Student's t and all else
 * that {@link Decision} asks for.
 */
final class Looks {
    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);
    /** Points of the density between its ends; twice as many change no level by 1e-6. */
    private static final int POINTS = 401;

    private final int[] launches;

    private Looks(int... launches) {
        this.launches = launches;
    }

    /** Returns when the verdicts of a run are looked at. */
    static Looks of(RunPlan plan) {
        return after(plan.looks().stream().mapToInt(Integer::intValue).toArray());
    }

    /**
     * @param launches how many are done at each look, the last one being when the run ends in any case; none where it
     *     is looked at only then
     */
    static Looks after(int... launches) {
        for (int look = 0; look < launches.length; look++) {
            if (launches[look] < 1 || look > 0 && launches[look] <= launches[look - 1]) {
                throw new IllegalArgumentException(
                        "looks must be after more and more launches, are after " + Arrays.toString(launches));
            }
        }
        return new Looks(launches.clone());
    }

    /**
     * Returns the level of the interval that decides after so many launches, of one metric.
     *
     * @param alpha in which share of runs all looks together may be wrong
     */
    double levelAt(int done, double alpha) {
        if (launches.length < 2) {
            return 1 - alpha;
        }
        double all = launches[launches.length - 1];
        double[] shares = Arrays.stream(launches)
                .filter(look -> look < done)
                .mapToDouble(look -> look / all)
                .toArray();
        shares = Arrays.copyOf(shares, shares.length + 1);
        shares[shares.length - 1] = Math.min(1, done / all);
        return 1 - lastAlpha(shares, alpha);
    }

    private static double spent(double share, double alpha) {
        return alpha * Math.log1p((Math.E - 1) * share);
    }

    /**
     * Returns the two-sided alpha of the last look. The sum of the values seen so far, in units in which that of all
     * has variance 1, has a density on what did not end the run; each look carries it on by what was added since.
     */
    private static double lastAlpha(double[] shares, double alpha) {
        double bound = Math.sqrt(shares[0]) * NORMAL.inverseSurvivalProbability(spent(shares[0], alpha) / 2);
        double[] at = grid(bound);
        double[] density = new double[POINTS];
        double first = Math.sqrt(shares[0]);
        Arrays.setAll(density, i -> NORMAL.density(at[i] / first) / first);
        double[] points = at;
        for (int look = 1; look < shares.length; look++) {
            double step = Math.sqrt(shares[look] - shares[look - 1]);
            bound = bound(points, density, step, spent(shares[look], alpha) - spent(shares[look - 1], alpha));
            double[] next = grid(bound);
            density = carried(points, density, step, next);
            points = next;
        }
        return 2 * NORMAL.survivalProbability(bound / Math.sqrt(shares[shares.length - 1]));
    }

    private static double[] grid(double bound) {
        double[] points = new double[POINTS];
        Arrays.setAll(points, i -> bound * (2.0 * i / (POINTS - 1) - 1));
        return points;
    }

    /** Returns beyond which sum so many of the runs lie that had not ended. */
    private static double bound(double[] points, double[] density, double step, double share) {
        double low = 0;
        double high = 10;
        for (int i = 0; i < 50; i++) {
            double middle = (low + high) / 2;
            double beyond = 0;
            for (int point = 0; point < POINTS; point++) {
                beyond += weight(point)
                        * density[point]
                        * (NORMAL.survivalProbability((middle - points[point]) / step)
                                + NORMAL.survivalProbability((middle + points[point]) / step));
            }
            if (beyond * (points[1] - points[0]) > share) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (low + high) / 2;
    }

    private static double[] carried(double[] points, double[] density, double step, double[] next) {
        double[] carried = new double[POINTS];
        double width = (points[1] - points[0]) / step;
        for (int to = 0; to < POINTS; to++) {
            for (int from = 0; from < POINTS; from++) {
                carried[to] += weight(from) * density[from] * NORMAL.density((next[to] - points[from]) / step) * width;
            }
        }
        return carried;
    }

    /** The trapezoid rule's. */
    private static double weight(int point) {
        return point == 0 || point == POINTS - 1 ? 0.5 : 1;
    }
}
