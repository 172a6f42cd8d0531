package dev.lockstep.analysis;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.results.Drift;
import dev.lockstep.results.Drift.Metric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a soak run looks for trends in, of one target: its memory and its p99 over the time under measured load, thinned
 * so that a week needs no more memory than an hour. Sizes are in bytes and times in ns; drifts are per hour. Used by
 * one thread.
 *
 * <p>Where the collector has no old generation, the heap as the JVM publishes it is looked at in its place. Either
 * rises without a leak until it is collected. So where the log counts collections, and none but of young objects began
 * in the last half of the time, a rise is not found; nor is that of the resident memory where it is no steeper.
 *
 * <p>The beginning does not count, as long as the JIT takes much of the CPU: compiled code and what the compiler keeps
 * grow by megabytes a minute then (5 clean soaks of the sample service on a busy machine: 3 to 5 MB in the first four
 * minutes, 0.3 MB a minute for ten more). At the latest after five minutes everything counts, for some JVMs never cease
 * to compile.
 */
public final class SoakSeries {
    /** How the reason begins why nobody can tell of a p99 whether it drifts, in {@link Drift#whyNot}. */
    public static final String NOT_KNOWN = "not known: ";

    private static final double NS_PER_HOUR = 3.6e12;
    /** What grows by less than this in the whole time is no leak. */
    private static final double LEAST_BYTES = 4 << 20;

    private static final double LEAST_SHARE_OF_MEMORY = 0.02;
    private static final double LEAST_SHARE_OF_TIME = 0.1;
    /** Less time than this tells nothing: what a warm JVM does in a minute or two is no trend. */
    private static final long LEAST_NS = TimeUnit.MINUTES.toNanos(4);

    private static final long SETTLING_STEP_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long MOST_SETTLING_NS = TimeUnit.MINUTES.toNanos(5);

    /**
     * The values of one quantity, a point for each stretch of time. When there are too many points, each two become one
     * and the stretches twice as long.
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

        void clear() {
            size = 0;
            openCount = 0;
        }

        Optional<Trend> trend(double leastBytes, double leastShare) {
            if (size < 2 || timesNs[size - 1] - timesNs[0] < LEAST_NS) {
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
    private boolean hasOldGen;
    private boolean countsCollections;
    /** Under load; when the old generation or the whole heap was collected last, and when anything was. */
    private long collectedAtNs;

    private long collectedAnyAtNs;

    private long loadNs;
    private boolean settled;
    /** This and the next two: of the minute that runs, until the JIT has settled. */
    private long stepNs;

    private double stepCpuNs;
    private double stepJitNs;

    public SoakSeries(String target) {
        this.target = target;
        for (Metric metric : Metric.values()) {
            points.put(metric, new Points(metric == Metric.OLD_GEN_USED || metric == Metric.HEAP_USED));
        }
    }

    /**
     * Whether requests without an answer are among the slowest hundredth of an interval, so that the p99 of its answers
     * is not that of its requests.
     *
     * @param errors requests without a good answer; a 5xx is an answer
     */
    public static boolean isWithoutP99(long completed, long errors) {
        return errors > 0 && 100 * errors >= completed + errors;
    }

    /**
     * Adds one interval of the measured phase.
     *
     * @param lengthNs its length; the time in which the target was frozen is none
     * @param costs of the interval
     */
    public void add(long lengthNs, Costs costs, OptionalLong p99Ns) {
        loadNs += lengthNs;
        costs.get(Cost.RSS).ifPresent(bytes -> points.get(Metric.RSS).add(loadNs, bytes));
        costs.get(Cost.OLD_GEN_USED)
                .ifPresent(bytes -> points.get(Metric.OLD_GEN_USED).add(loadNs, bytes));
        costs.get(Cost.HEAP_USED)
                .ifPresent(bytes -> points.get(Metric.HEAP_USED).add(loadNs, bytes));
        hasOldGen |= costs.get(Cost.OLD_GEN_USED).isPresent();
        countsCollections |= costs.get(Cost.GC_CYCLES).isPresent();
        collectedAnyAtNs = costs.get(Cost.GC_CYCLES).orElse(0) > 0 ? loadNs : collectedAnyAtNs;
        costs.collectors().forEach((collector, collected) -> {
            if (collected.cycles().orElse(0) > 0 && !isYoung(collector)) {
                collectedAtNs = loadNs;
            }
        });
        p99Ns.ifPresent(ns -> points.get(Metric.RESPONSE_TIME_P99).add(loadNs, ns));
        if (!settled) {
            settle(lengthNs, costs);
        }
    }

    /** Whether a collector, in the words of the log's reader, leaves old objects alone: "G1 Young", "ZGC Minor". */
    private static boolean isYoung(String collector) {
        return Stream.of("Young", "Minor", "scavenge", "partial gc").anyMatch(collector::endsWith);
    }

    /**
     * Whether a heap that rises may be garbage all of it. An old generation rises by young collections: where the log
     * has none of them either, it stands still, as on a full disk.
     */
    private boolean isUncollected() {
        long halfNs = loadNs / 2;
        return countsCollections && collectedAtNs <= halfNs && (!hasOldGen || collectedAnyAtNs > halfNs);
    }

    /** Drops a minute in which the JIT was busy; where nothing tells what it does, everything counts. */
    private void settle(long lengthNs, Costs costs) {
        stepNs += lengthNs;
        stepCpuNs += JitShare.allNs(costs).orElse(0);
        stepJitNs += costs.get(Cost.JIT_CPU).orElse(0);
        if (stepNs < SETTLING_STEP_NS) {
            return;
        }
        boolean compiling = !JitShare.isLow(stepJitNs, stepCpuNs);
        settled = !compiling || loadNs >= MOST_SETTLING_NS;
        if (compiling) {
            points.values().forEach(Points::clear);
        }
        stepNs = 0;
        stepCpuNs = 0;
        stepJitNs = 0;
    }

    /** Returns what is known of each quantity; those of which there is too little are left out. */
    public List<Drift> drifts() {
        Map<Metric, Drift> drifts = new EnumMap<>(Metric.class);
        points.forEach((metric, series) -> series.trend(
                        metric.isMemory() ? LEAST_BYTES : 0,
                        metric.isMemory() ? LEAST_SHARE_OF_MEMORY : LEAST_SHARE_OF_TIME)
                .ifPresent(trend -> drifts.put(metric, drift(metric, trend))));
        if (hasOldGen) {
            // Its young objects come and go.
            drifts.remove(Metric.HEAP_USED);
        }
        Drift heap = drifts.get(hasOldGen ? Metric.OLD_GEN_USED : Metric.HEAP_USED);
        if (heap != null && heap.isRising() && isUncollected()) {
            drifts.put(heap.metric(), heap.notFoundSince(Drift.UNCOLLECTED));
            Drift rss = drifts.get(Metric.RSS);
            if (rss != null && rss.isRising() && rss.low() <= heap.high()) {
                drifts.put(Metric.RSS, rss.notFoundSince(Drift.WITH_UNCOLLECTED));
            }
        }
        return new ArrayList<>(drifts.values());
    }

    private Drift drift(Metric metric, Trend trend) {
        double secondsPerHour = NS_PER_HOUR / 1e9;
        Drift drift = Drift.of(
                target,
                metric,
                trend.slopePerSecond() * secondsPerHour,
                trend.interval().low() * secondsPerHour,
                trend.interval().high() * secondsPerHour,
                trend.pValue(),
                trend.found());
        return trend.whyNot().map(drift::notFoundSince).orElse(drift);
    }
}
