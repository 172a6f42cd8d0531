package dev.lockstep.tuner;

import java.util.Map;
import java.util.TreeMap;

/**
 * A Gaussian process of warped values. Which warp is the most likely one is found with the hyperparameters: with all of
 * them while there are few values, later with the best of the values before and one of the others in turn. Immutable.
 */
final class ValueModel {
    /** From drawing in large values, the usual case, to drawing in small ones. */
    private static final double[] POWERS = {1, 0.5, 0, 1.5, 2};

    /** Noise of less variance than this part of the values' is none to speak of. */
    private static final double NO_NOISE = 1e-3;

    private final Warp warp;
    private final GaussianProcess process;
    private final Map<Double, Fit.Found> found;
    private final boolean noisy;

    private ValueModel(Warp warp, GaussianProcess process, Map<Double, Fit.Found> found, boolean noisy) {
        this.warp = warp;
        this.process = process;
        this.found = found;
        this.noisy = noisy;
    }

    /** @param before of a value less, or null */
    static ValueModel of(Evidence evidence, boolean[] choices, boolean learnsNoise, ValueModel before) {
        int size = evidence.values.length;
        boolean afresh = before == null || size <= Fit.FEW_VALUES;
        double turn = POWERS[size % POWERS.length];
        double[][] differences = Fit.differences(evidence.points, choices);
        Map<Double, Fit.Found> found = before == null ? new TreeMap<>() : new TreeMap<>(before.found);
        double least = Double.POSITIVE_INFINITY;
        ValueModel best = null;
        for (double power : POWERS) {
            if (!afresh && power != turn && power != before.warp.power()) {
                continue;
            }
            Warp warp = new Warp(power, evidence.values);
            double logSlopes = 0;
            double noise = 0;
            double[] values = new double[size];
            double[] variances = new double[size];
            for (int i = 0; i < size; i++) {
                double slope = warp.slope(evidence.values[i]);
                values[i] = warp.to(evidence.values[i]);
                variances[i] = evidence.variances[i] * slope * slope;
                logSlopes += Math.log(slope);
                noise += variances[i] / size;
            }
            Fit fit = new Fit(differences, choices.length, values, variances, learnsNoise);
            Fit.Found one = fit.find(found.get(power), afresh);
            found.put(power, one);
            if (one.cost - logSlopes < least) {
                least = one.cost - logSlopes;
                GaussianProcess process =
                        new GaussianProcess(evidence.points, choices, values, variances, fit.settings(one.logs));
                best = new ValueModel(
                        warp, process, found, noise + process.settings().noise() > NO_NOISE);
            }
        }
        return best;
    }

    Warp warp() {
        return warp;
    }

    /** The model of the warped values. */
    GaussianProcess process() {
        return process;
    }

    /** Returns the standard deviation of the learned noise at a point, in the unit of the values. */
    double noiseSd(double[] point) {
        double mean = process.at(point).mean();
        double sd = Math.sqrt(process.settings().noise());
        return (warp.from(mean + sd) - warp.from(mean - sd)) / 2;
    }

    /** Whether two values of one point may differ by something to speak of. */
    boolean isNoisy() {
        return noisy;
    }
}
