package dev.lockstep.cli;

import dev.lockstep.analysis.Trend;
import dev.lockstep.measurement.Drift;
import dev.lockstep.measurement.Drift.Metric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a soak run looks for trends in, of one target: its memory and its p99 over the time under measured load, thinned so
 * that a week needs no more memory than an hour. Sizes are in bytes and times in ns; drifts are per hour. Used by one
 * thread.
 */
final class SoakSeries {
    private static final double NS_PER_HOUR = 3.6e12;
    /** What grows by less than this in the whole time is no leak. */
    private static final double LEAST_BYTES = 2 << 20;

    private static final double LEAST_SHARE_OF_MEMORY = 0.02;
    private static final double LEAST_SHARE_OF_TIME = 0.1;

    /**
     * The values of one quantity, a point for each stretch of time. When there are too many points, each two become one and
     * the stretches twice as long.
     */
    private static final class Points {
        private static final int MOST = 2048;
        private static final long FIRST_STRETCH_NS = 1_000_000_000;

        private final boolean floor;
        private final long[] timesNs = new long[MOST];
        private final double[] values = new double[MOST];
        private int size;
        private long stretchNs = FIRST_STRETCH_NS;

        /** The least value, or the sum, of the stretch that the last point stands for. */
        private double open;
        /** Of how many values; 0 after the stretches became longer, when the next value begins a new point. */
        private int openCount;

        /** @param floor whether the least value stands for a stretch, or their mean */
        Points(boolean floor) {
            this.floor = floor;
        }

        void add(long atNs, double value) {
            long stretch = atNs / stretchNs;
            if (openCount > 0 && size > 0 && timesNs[size - 1] / stretchNs == stretch) {
                open = floor ? Math.min(open, value) : open + value;
                openCount++;
            } else {
                if (size == MOST) {
                    halve();
                    add(atNs, value);
                    return;
                }
                open = value;
                openCount = 1;
                timesNs[size++] = atNs;
            }
            values[size - 1] = floor ? open : open / openCount;
        }

        private void halve() {
            stretchNs *= 2;
            int kept = 0;
            for (int i = 0; i < size; i++) {
                if (kept > 0 && timesNs[kept - 1] / stretchNs == timesNs[i] / stretchNs) {
                    values[kept - 1] =
                            floor ? Math.min(values[kept - 1], values[i]) : (values[kept - 1] + values[i]) / 2;
                } else {
                    timesNs[kept] = timesNs[i];
                    values[kept++] = values[i];
                }
            }
            size = kept;
            openCount = 0;
        }

        Optional<Trend> trend(double leastBytes, double leastShare) {
            if (size < 2) {
                return Optional.empty();
            }
            double[] known = Arrays.copyOf(values, size);
            double[] sorted = known.clone();
            Arrays.sort(sorted);
            double least = Math.max(leastBytes, leastShare * sorted[size / 2]);
            double leastPerSecond = least / ((timesNs[size - 1] - timesNs[0]) / 1e9);
            long[] times = Arrays.copyOf(timesNs, size);
            return floor ? Trend.ofFloor(times, known, leastPerSecond) : Trend.of(times, known, leastPerSecond);
        }
    }

    private final String target;
    private final Map<Metric, Points> points = new EnumMap<>(Metric.class);
    private long loadNs;

    SoakSeries(String target) {
        this.target = target;
        for (Metric metric : Metric.values()) {
            points.put(metric, new Points(metric == Metric.OLD_GEN_USED));
        }
    }

    /**
     * Adds one interval of the measured phase.
     *
     * @param lengthNs its length; the time in which the target was frozen is none
     */
    void add(long lengthNs, OptionalLong rssBytes, OptionalLong oldGenUsedBytes, OptionalLong p99Ns) {
        loadNs += lengthNs;
        rssBytes.ifPresent(bytes -> points.get(Metric.RSS).add(loadNs, bytes));
        oldGenUsedBytes.ifPresent(bytes -> points.get(Metric.OLD_GEN_USED).add(loadNs, bytes));
        p99Ns.ifPresent(ns -> points.get(Metric.RESPONSE_TIME_P99).add(loadNs, ns));
    }

    /** Returns what is known of each quantity; those of which there is too little are left out. */
    List<Drift> drifts() {
        List<Drift> drifts = new ArrayList<>();
        points.forEach((metric, series) -> series.trend(
                        metric.isMemory() ? LEAST_BYTES : 0,
                        metric.isMemory() ? LEAST_SHARE_OF_MEMORY : LEAST_SHARE_OF_TIME)
                .ifPresent(trend -> drifts.add(drift(metric, trend))));
        return drifts;
    }

    private Drift drift(Metric metric, Trend trend) {
        double secondsPerHour = NS_PER_HOUR / 1e9;
        return new Drift(
                target,
                metric,
                trend.slopePerSecond() * secondsPerHour,
                trend.interval().low() * secondsPerHour,
                trend.interval().high() * secondsPerHour,
                trend.pValue(),
                trend.found());
    }
}
