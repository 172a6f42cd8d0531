package dev.lockstep.analysis;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Holm's step-down adjustment of the p-values of several tests: who claims only what has an adjusted p-value below 0.05
 * claims something wrong, in any of the tests, in at most 5 % of all experiments, however the tests depend on each
 * other.
 *
 * <p>Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
 * (1979); the figures are those of R's {@code p.adjust(p, "holm")}.
 */
final class Holm {
    private Holm() {}

    /** Returns the adjusted p-values, in the order of the given ones. */
    public static double[] adjust(double... pValues) {
        for (int i = 0; i < pValues.length; i++) {
            if (!(pValues[i] >= 0 && pValues[i] <= 1)) {
                throw new IllegalArgumentException(
                        "p-values must lie between 0 and 1, value " + i + " (from 0) is " + pValues[i]);
            }
        }
        Integer[] order = new Integer[pValues.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> pValues[i]));
        double[] adjusted = new double[pValues.length];
        double highest = 0;
        for (int rank = 0; rank < order.length; rank++) {
            highest = Math.max(highest, Math.min(1, (order.length - rank) * pValues[order[rank]]));
            adjusted[order[rank]] = highest;
        }
        return adjusted;
    }
}
