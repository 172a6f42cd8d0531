package dev.lockstep.exporter;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * One of the times of all targets as a Prometheus histogram, summed over the run. Thread-safe.
 *
 * <p>Buckets are ten to a power of ten, from 10 us to 100 s (the preferred numbers R10 of ISO 3, shortened), so that a
 * quantile interpolated within one is at most a quarter too high. A value lies in the bucket of its HdrHistogram
 * bucket's middle, 0.05 % from it at most.
 *
 * <p>Design note: fed from the intervals' histograms. A timer of Micrometer takes one value at a time, which at 100,000
 * requests a second would be work for nothing.
 */
final class TimeMetric implements Collector {
    private static final double NS_PER_SEC = 1e9;
    private static final long[] STEPS = {100, 125, 160, 200, 250, 315, 400, 500, 630, 800};
    private static final int POWERS_OF_TEN = 7;
    private static final long SMALLEST_NS = 10_000;
    private static final int BOUNDS = STEPS.length * POWERS_OF_TEN + 1;
    private static final long[] UPPER_NS = new long[BOUNDS];
    private static final double[] UPPER_SECONDS = new double[BOUNDS + 1];

    static {
        long power = SMALLEST_NS / STEPS[0];
        for (int i = 0; i < BOUNDS; i++) {
            if (i > 0 && i % STEPS.length == 0) {
                power *= 10;
            }
            UPPER_NS[i] = STEPS[i % STEPS.length] * power;
            UPPER_SECONDS[i] = UPPER_NS[i] / NS_PER_SEC;
        }
        UPPER_SECONDS[BOUNDS] = Double.POSITIVE_INFINITY;
    }

    private static final class Buckets {
        final long[] counts = new long[BOUNDS + 1];
        double sumNs;

        void add(Histogram interval) {
            int bucket = 0;
            for (HistogramIterationValue at : interval.recordedValues()) {
                long value = interval.medianEquivalentValue(at.getValueIteratedTo());
                while (bucket < BOUNDS && value > UPPER_NS[bucket]) {
                    bucket++;
                }
                counts[bucket] += at.getCountAtValueIteratedTo();
                sumNs += (double) value * at.getCountAtValueIteratedTo();
            }
        }
    }

    final String name;
    private final String help;
    private final Map<String, Buckets> targets = new TreeMap<>();

    /** @param name with its unit, seconds */
    TimeMetric(String name, String help) {
        this.name = name;
        this.help = help;
    }

    synchronized void add(String target, Histogram interval) {
        targets.computeIfAbsent(target, first -> new Buckets()).add(interval);
    }

    @Override
    public synchronized MetricSnapshot collect() {
        List<HistogramDataPointSnapshot> points = new ArrayList<>();
        targets.forEach((target, buckets) -> points.add(new HistogramDataPointSnapshot(
                ClassicHistogramBuckets.of(UPPER_SECONDS, buckets.counts),
                buckets.sumNs / NS_PER_SEC,
                Labels.of("target", target),
                Exemplars.EMPTY,
                0)));
        return new HistogramSnapshot(new MetricMetadata(name, help), points);
    }
}
