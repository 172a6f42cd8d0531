package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * How likely it is that nothing in the space is better than a point by more than a gain, by functions drawn from the
 * model: for each, the best value that keeps the drawn limits is sought among many points and round the best of them.
 *
 * <p>Source: J. T. Wilson, "Stopping Bayesian optimization with probabilistic regret bounds", NeurIPS 2024.
 */
final class RegretDraws {
    private static final int DRAWS = 64;
    private static final int POINTS = 256;
    private static final int NEIGHBOURS = 16;
    private static final int ROUNDS = 2;

    private final Encoding encoding;
    private final Warp warp;
    private final List<SamplePaths> limits = new ArrayList<>();
    private final SamplePaths values;
    private final SplittableRandom random;

    /** Of each draw, the least value found and where that is. */
    private final double[] least = new double[DRAWS];

    private final double[][] where = new double[DRAWS][];

    private final double[] held;
    /** In which draws the point itself breaks a limit. */
    private final boolean[] heldBreaks;

    private final List<double[]> begin;
    private final double gain;
    /** So many draws may have something better. */
    private final int most;

    /**
     * @param isKnown whether the point is known to work and to keep every constraint
     * @param gain in the unit of the values
     * @param sure the probability with which nothing is to be better by it
     */
    RegretDraws(
            Encoding encoding,
            Model model,
            double[] point,
            boolean isKnown,
            double gain,
            double sure,
            SplittableRandom random) {
        this.gain = gain;
        most = (int) ((1 - sure) * DRAWS);
        this.encoding = encoding;
        this.random = random;
        warp = model.values().warp();
        values = encoding.paths(model.values().process(), DRAWS, random.split());
        for (LimitModel limit : model.limits()) {
            limits.add(encoding.paths(limit.process(), DRAWS, random.split()));
        }
        held = values.at(point);
        heldBreaks = isKnown ? new boolean[DRAWS] : broken(point);
        Arrays.fill(least, Double.POSITIVE_INFINITY);
        begin = new ArrayList<>(model.bestPoints());
        begin.add(point);
    }

    /** Returns whether nothing better by the gain is so likely, as far as is found. */
    boolean isSure() {
        boolean sure = true;
        for (int i = 0; i < begin.size() && sure; i++) {
            sure = look(begin.get(i)) && lookAround(begin.get(i));
        }
        List<double[]> points = encoding.samples(POINTS, random.split());
        for (int i = 0; i < points.size() && sure; i++) {
            sure = look(points.get(i));
        }
        for (int round = 0; round < ROUNDS && sure; round++) {
            double[][] found = where.clone();
            for (int s = 0; s < DRAWS && sure; s++) {
                sure = found[s] == null || lookAround(found[s]);
            }
        }
        return sure;
    }

    private boolean lookAround(double[] point) {
        boolean sure = true;
        for (int i = 0; i < NEIGHBOURS && sure; i++) {
            sure = look(encoding.neighbour(point, random));
        }
        return sure;
    }

    /** Looks at a point in every draw, and returns whether few enough have found something better by the gain. */
    private boolean look(double[] point) {
        if (!encoding.keepsRules(point)) {
            return true;
        }
        double[] found = values.at(point);
        boolean[] broken = broken(point);
        int better = 0;
        for (int s = 0; s < DRAWS; s++) {
            if (!broken[s] && found[s] < least[s]) {
                least[s] = found[s];
                where[s] = point;
            }
            better += isBetter(s) ? 1 : 0;
        }
        return better <= most;
    }

    /** Whether a draw has something better: what keeps the limits is better than a point that does not. */
    private boolean isBetter(int draw) {
        if (where[draw] == null) {
            return false;
        }
        return heldBreaks[draw] || warp.from(held[draw]) - warp.from(least[draw]) > gain;
    }

    /** Returns in which draws a point breaks a limit. */
    private boolean[] broken(double[] point) {
        boolean[] broken = new boolean[DRAWS];
        for (SamplePaths limit : limits) {
            double[] limited = limit.at(point);
            for (int s = 0; s < DRAWS; s++) {
                broken[s] |= limited[s] > 0;
            }
        }
        return broken;
    }
}
