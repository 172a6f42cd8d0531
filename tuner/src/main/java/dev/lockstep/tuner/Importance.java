package dev.lockstep.tuner;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** What share each parameter has in what the value varies: see {@link StudyState#importance}. Immutable. */
final class Importance {
    private static final int POINTS = 128;
    private static final int DRAWS = 32;
    private static final double TAIL = 0.05;

    private final Map<String, Double> shares = new LinkedHashMap<>();
    private final Map<String, StudyState.Interval> intervals = new LinkedHashMap<>();

    Importance(Space space, Encoding encoding, GaussianProcess process, SplittableRandom random) {
        int size = encoding.size();
        SamplePaths paths = encoding.paths(process, DRAWS, random);
        ScrambledSobol sobol = new ScrambledSobol(2 * size, random.split());
        double[][] totals = new double[space.parameters().size()][DRAWS];
        for (int n = 0; n < POINTS; n++) {
            double[] units = sobol.next();
            double[] base = paths.at(encoding.sample(Arrays.copyOf(units, size)));
            for (int p = 0; p < totals.length; p++) {
                Parameter parameter = space.parameters().get(p);
                double[] other = Arrays.copyOf(units, size);
                int first = encoding.first(parameter);
                int last = first + (parameter.special().isEmpty() ? 1 : 2);
                System.arraycopy(units, size + first, other, first, last - first);
                double[] changed = paths.at(encoding.sample(other));
                for (int s = 0; s < DRAWS; s++) {
                    totals[p][s] += (base[s] - changed[s]) * (base[s] - changed[s]);
                }
            }
        }
        for (int s = 0; s < DRAWS; s++) {
            double sum = 0;
            for (double[] total : totals) {
                sum += total[s];
            }
            for (double[] total : totals) {
                total[s] = sum > 0 ? total[s] / sum : 1.0 / totals.length;
            }
        }
        for (int p = 0; p < totals.length; p++) {
            String name = space.parameters().get(p).name();
            shares.put(name, Warp.mean(totals[p]));
            Arrays.sort(totals[p]);
            int tail = (int) Math.round(TAIL * DRAWS);
            intervals.put(
                    name,
                    ImmutableInterval.builder()
                            .low(totals[p][tail])
                            .high(totals[p][DRAWS - 1 - tail])
                            .build());
        }
    }

    Map<String, Double> shares() {
        return shares;
    }

    Map<String, StudyState.Interval> intervals() {
        return intervals;
    }
}
