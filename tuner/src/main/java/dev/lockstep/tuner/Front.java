package dev.lockstep.tuner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Of points with two values to be minimised, those of which no other is better in one and at least as good in the
 * other, from the least first value on: a Pareto front. Immutable.
 */
final class Front {
    private final double[] first;
    private final double[] second;
    private final List<Integer> members = new ArrayList<>();

    /** @param among the places of the points that count */
    Front(double[] first, double[] second, List<Integer> among) {
        this.first = first;
        this.second = second;
        List<Integer> order = new ArrayList<>(among);
        order.sort(Comparator.comparingDouble((Integer i) -> first[i]).thenComparingDouble(i -> second[i]));
        double least = Double.POSITIVE_INFINITY;
        for (int i : order) {
            if (second[i] < least) {
                least = second[i];
                members.add(i);
            }
        }
    }

    /** The places of its members; of several with the same two values there is one. Not to be changed. */
    List<Integer> members() {
        return members;
    }

    /**
     * Returns the place of the member that bulges most: with both values scaled so that the ends are at 0 and 1, the
     * one that is farthest from the line between the ends, on the better side. -1 where there is none.
     *
     * <p>Source: I. Das, "On characterizing the knee of the Pareto curve based on normal-boundary intersection",
     * Structural Optimization 18 (1999), for two objectives.
     */
    int knee() {
        int knee = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int i : members) {
            double sum = share(first, i) + share(second, i);
            if (sum < least) {
                least = sum;
                knee = i;
            }
        }
        return knee;
    }

    private double share(double[] values, int i) {
        double from = values[members.get(0)];
        double to = values[members.get(members.size() - 1)];
        // By halves, for a double does not hold how far its ends are apart.
        double extent = Math.abs(to / 2 - from / 2);
        return extent > 0 ? (values[i] / 2 - Math.min(from, to) / 2) / extent : 0;
    }
}
