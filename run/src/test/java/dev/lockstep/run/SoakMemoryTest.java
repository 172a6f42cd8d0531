package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.exporter.MetricsExporter;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything on our side that gets a soak run's intervals keeps no more of a long run than of a short one. */
final class SoakMemoryTest {
    private static final String DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    /** So that series are thinned before the first look and after it. */
    private static final int SHORT = 2_100;

    private static final int LONG = 4_300;
    private static final long GROWTH_LIMIT_BYTES = 1 << 20;

    @TempDir
    Path parent;

    @Test
    @Tag("full")
    void keepsNoMoreOfTwiceAsManyIntervals() {
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(DIGEST)
                        .streamSha256(DIGEST)
                        .requests(1)
                        .requestBytes(1)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .duration(Duration.ofHours(24))
                .soak(true)
                .build();
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        SoakWatch watch = new SoakWatch(86_400_000_000_000L, 60_000_000_000L, Set.of(), trends -> {});
        try (RunDirectoryWriter directory = RunDirectoryWriter.create(parent.resolve("run"), false);
                MetricsExporter exporter = MetricsExporter.launch(loopback, plan, "0.1.0")) {
            directory.durable();
            directory.alsoTo(watch);
            directory.alsoTo(exporter);
            LoadSeries series = new LoadSeries(directory.intervals());
            MonitoredIntervals intervals = new MonitoredIntervals(series);
            Interval interval = new Interval();
            send(intervals, interval, 0, SHORT);
            long before = usedBytes();
            send(intervals, interval, SHORT, LONG);
            long growth = usedBytes() - before;

            assertTrue(growth < GROWTH_LIMIT_BYTES, "grew by " + growth + " bytes");
            assertTrue(series.warmup("c2", 1, OptionalLong.empty(), true).isPresent());
            assertTrue(watch.line() != null);
        }
    }

    private static void send(MonitoredIntervals intervals, Interval interval, int from, int to) {
        for (int second = from; second < to; second++) {
            interval.resetTimes(0);
            interval.startNs = second * 1_000_000_000L;
            interval.endNs = interval.startNs + 1_000_000_000L;
            interval.startMs = 1_795_243_320_000L + 1000L * second;
            interval.endMs = interval.startMs + 1000;
            interval.responseTime().recordValue(1_000_000 + second);
            interval.serviceTime().recordValue(1_000_000);
            interval.generatorLag().recordValue(1_000);
            interval.costs = Costs.builder()
                    .set(Cost.RSS, 100_000_000 + second % 1000)
                    .set(Cost.OLD_GEN_USED, 20_000_000 + second % 1000)
                    .collector("G1 Young", GcCosts.of(1, 1_000_000))
                    .build();
            intervals.interval("c2", interval);
        }
    }

    /** Returns what is reachable, more or less. */
    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
