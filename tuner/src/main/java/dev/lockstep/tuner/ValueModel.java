package dev.lockstep.tuner;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
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

    /** A value whose noise has so much more variance than all values tells nothing; more would be infinite. */
    private static final double MOST_NOISE = 1e12;

    private final Warp warp;
    /** Null where there are too many values to sample: it holds all their differences. */
    private final Fit sampled;

    private final GaussianProcess process;
    private final Map<Double, Fit.Found> found;
    private final boolean noisy;

    private ValueModel(Warp warp, Fit fit, GaussianProcess process, Map<Double, Fit.Found> found, boolean noisy) {
        this.warp = warp;
        this.sampled = fit.isSampled() ? fit : null;
        this.process = process;
        this.found = found;
        this.noisy = noisy;
    }

    /** Values as a warp has them, with their noise. */
    private static final class Warped {
        final Warp warp;
        final double[] values;
        final double[] variances;
        final double[] shapes;
        double logSlopes;

        Warped(double power, Evidence evidence, double[] smooth) {
            int size = evidence.values.length;
            warp = new Warp(power, evidence.values);
            logSlopes = -size * warp.logSd();
            shapes = new double[size];
            values = new double[size];
            variances = new double[size];
            for (int i = 0; i < size; i++) {
                double logSlope = warp.logSlope(evidence.values[i]);
                values[i] = warp.to(evidence.values[i]);
                variances[i] = noise(Math.log(evidence.variances[i]) + 2 * (logSlope - warp.logSd()));
                logSlopes += logSlope;
                shapes[i] = noise(2 * warp.logSlope(smooth[i]));
            }
        }

        Fit fit(double[][] differences, int dimensions, boolean learnsNoise) {
            return new Fit(differences, dimensions, values, variances, shapes, learnsNoise);
        }
    }

    /**
     * @param before of fewer values, or null
     * @param fits whether to find the hyperparameters anew; otherwise, of more values than can be sampled, those of the
     *     model before count
     */
    static ValueModel of(Evidence evidence, boolean[] choices, boolean learnsNoise, ValueModel before, boolean fits) {
        int size = evidence.values.length;
        double[] smooth = smooth(evidence, before);
        if (!fits) {
            Warped warped = new Warped(before.warp.power(), evidence, smooth);
            Fit fit = warped.fit(new double[0][], choices.length, learnsNoise);
            Fit.Found known = before.found.get(before.warp.power());
            if (known.logs.length == fit.count()) {
                return model(warped, fit, known, before.found, evidence, choices);
            }
        }
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
            Warped warped = new Warped(power, evidence, smooth);
            Fit fit = warped.fit(differences, choices.length, learnsNoise);
            Fit.Found one = afresh
                    ? fit.findAfresh(found.get(power))
                    : fit.find(found.get(power), power == before.warp.power() ? Fit.turn(size) : -1);
            found.put(power, one);
            if (best == null || one.cost - warped.logSlopes < least) {
                least = one.cost - warped.logSlopes;
                best = model(warped, fit, one, found, evidence, choices);
            }
        }
        return best;
    }

    private static ValueModel model(
            Warped warped, Fit fit, Fit.Found one, Map<Double, Fit.Found> found, Evidence evidence, boolean[] choices) {
        GaussianProcess.Settings settings = fit.settings(one.logs);
        double[] noises = fit.noises(settings);
        return new ValueModel(
                warped.warp,
                fit,
                new GaussianProcess(evidence.points, choices, warped.values, noises, settings),
                found,
                Arrays.stream(noises).average().orElse(0) > NO_NOISE);
    }

    /** Returns a variance by its log. */
    private static double noise(double log) {
        return Math.min(MOST_NOISE, Math.exp(log));
    }

    /**
     * Returns the values as the model before has them, and those that it does not know as they are: what a warp does to
     * their noise is what it does about the function's value, not about a lucky one.
     */
    private static double[] smooth(Evidence evidence, ValueModel before) {
        double[] smooth = evidence.values.clone();
        for (int i = 0; before != null && i < before.process.points().length; i++) {
            smooth[i] = before.warp.from(
                    before.process.at(before.process.points()[i]).mean());
        }
        return smooth;
    }

    Warp warp() {
        return warp;
    }

    /** The model of the warped values. */
    GaussianProcess process() {
        return process;
    }

    /**
     * Returns the models of the warped values whose mean counts for what to try: with noise, and as few values as can
     * be sampled, several of other hyperparameters, for the values leave open what varies by how much.
     */
    List<GaussianProcess> processes(SplittableRandom random) {
        return noisy && sampled != null ? sampled.sample(process, found.get(warp.power()), random) : List.of(process);
    }

    /** Returns the standard deviation of the learned noise, in the unit of the values. */
    double noiseSd() {
        return warp.sd() * Math.sqrt(process.settings().noise());
    }

    /** Whether two values of one point may differ by something to speak of. */
    boolean isNoisy() {
        return noisy;
    }
}
