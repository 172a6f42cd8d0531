package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.analysis.SoakSeries;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.Drift;
import dev.lockstep.results.Drift.Metric;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the report says of a soak run. */
final class SoakReportTest {
    private static final double MIB = 1 << 20;

    @TempDir
    Path directory;

    private final TargetResult c2 = TargetResult.builder("c2")
            .load(TestingRuns.load(5, TestingRuns.evenly(100, 1_000_000)))
            .exit(TargetExit.builder()
                    .exitCode(137)
                    .phase("measurement")
                    .oomKilled(true)
                    .build())
            .build();

    @Test
    void saysWhatLeaksFirstAndThenEveryTrend() {
        RunResult result = TestingRuns.run(c2)
                .withTrends(List.of(
                        Drift.of("c2", Metric.RSS, 60 * MIB, 58.5 * MIB, 61.25 * MIB, 1.25e-9, true),
                        Drift.of("c2", Metric.OLD_GEN_USED, -2 * MIB, -3 * MIB, -1 * MIB, 2e-5, true),
                        Drift.of("c2", Metric.RESPONSE_TIME_P99, 12_000, -20_000, 41_000, 0.46, false),
                        Drift.of("c1", Metric.RSS, 15.07 * MIB, 11.91 * MIB, 16.55 * MIB, 3e-6, false)
                                .notFoundSince("below the smallest slope asked for")));

        String text = TestingRuns.text(result);

        assertTrue(
                text.contains("LEAK: c2: resident memory rises by +60.00 MiB an hour (95 % interval +58.50 to\n"
                        + "  +61.25)\n"),
                text);
        assertTrue(
                text.contains("Trends over the measured time, an hour, with their 95 % intervals:\n"
                        + "  c2: resident memory +60.00 MiB (+58.50 to +61.25, p 1.3e-09): RISES\n"
                        + "  c2: old generation -2.00 MiB (-3.00 to -1.00, p 2.0e-05): falls\n"
                        + "  c2: p99 +0.012 ms (-0.020 to +0.041, p 0.46): no trend\n"
                        + "  c1: resident memory +15.07 MiB (+11.91 to +16.55, p 3.0e-06): below the\n"
                        + "    smallest slope asked for\n"),
                text);
        assertTrue(text.indexOf("LEAK") < text.indexOf("Replayed"), text);
        assertEquals(result.toJson(), RunResult.fromJson(result.toJson()).toJson());
    }

    @Test
    void saysThatNothingLeaksOnlyWhereTheMemoryOfAllTargetsWasWatched() {
        TargetResult alive =
                TargetResult.builder("c2").load(TestingRuns.load(5, 1_000_000)).build();
        Drift p99 = Drift.of("c2", Metric.RESPONSE_TIME_P99, 0, -1, 1, 0.5, false);
        Drift rss = Drift.of("c2", Metric.RSS, 0, -1, 1, 0.5, false);
        RunResult started = TestingRuns.run(alive);
        RunResult running = TestingRuns.run(
                        TestingRuns.plan()
                                .target(TargetPlan.builder("c2")
                                        .address("127.0.0.1:8080")
                                        .build())
                                .build(),
                        alive)
                .build();

        assertEquals("No leak and no drift was found: --output full has the trends", clean(started, List.of(rss, p99)));
        assertEquals("", clean(started, List.of(p99)));
        assertEquals(
                "No drift was found; memory not watched, it runs already: --output full has the trends",
                clean(running, List.of(p99)));
        assertTrue(
                TestingRuns.text(running.withTrends(List.of(p99)))
                        .contains("\n  c2: memory not watched: it runs already\n"),
                TestingRuns.text(running.withTrends(List.of(p99))));
    }

    @Test
    void saysOfNoDriftWhereThatIsNotKnown() {
        RunResult result = TestingRuns.run(TargetResult.builder("c2")
                        .load(TestingRuns.load(5, 1_000_000))
                        .build())
                .withTrends(List.of(
                        Drift.of("c2", Metric.RSS, 0, -1, 1, 0.5, false),
                        Drift.of("c2", Metric.RESPONSE_TIME_P99, 0, -1, 1, 0.5, false)
                                .notFoundSince(SoakSeries.NOT_KNOWN + "Lockstep was late")));

        assertEquals(
                "No leak was found; whether the p99 drifts is not known: --output full has the trends",
                new TrendLines(result).clean().orElseThrow());
        assertTrue(
                TestingRuns.text(result).contains("p 0.50): not known: Lockstep was late\n"), TestingRuns.text(result));
    }

    /** Where requests without an answer reach the p99 all the time, it has no trend. */
    @Test
    void saysOfNoDriftWhereThereIsNoP99() {
        RunResult result = TestingRuns.run(TargetResult.builder("c2")
                        .load(TestingRuns.load(5, 1_000_000))
                        .build())
                .withTrends(List.of(Drift.of("c2", Metric.RSS, 0, -1, 1, 0.5, false)));

        assertEquals(
                "No leak was found; whether the p99 drifts is not known: --output full has the trends",
                new TrendLines(result).clean().orElseThrow());
    }

    @Test
    void saysOfAServerThatRunsAlreadyThatItsP99IsNotKnown() {
        TargetResult server =
                TargetResult.builder("c2").load(TestingRuns.load(5, 1_000_000)).build();
        RunResult result = TestingRuns.run(
                        TestingRuns.plan()
                                .target(TargetPlan.builder("c2")
                                        .address("127.0.0.1:8080")
                                        .build())
                                .build(),
                        server)
                .build()
                .withTrends(List.of(Drift.of("c2", Metric.RESPONSE_TIME_P99, 0, -1, 1, 0.5, false)
                        .notFoundSince(SoakSeries.NOT_KNOWN + "Lockstep was late")));

        assertEquals(
                "Whether the p99 drifts is not known; memory not watched, it runs already: --output full has the trends",
                new TrendLines(result).clean().orElseThrow());
    }

    private static String clean(RunResult result, List<Drift> trends) {
        String screen = new FirstScreen(result.withTrends(trends), Paint.NONE).toString();
        String text = new TrendLines(result.withTrends(trends)).clean().orElse("");
        assertEquals(!text.isEmpty(), screen.contains("drift was found"), screen);
        return text;
    }

    @Test
    void callsARiseWithoutACollectionNoLeak() {
        RunResult result = TestingRuns.run(c2)
                .withTrends(List.of(
                        Drift.of("c2", Metric.RSS, 2 * MIB, 1.5 * MIB, 2.25 * MIB, 1e-9, true)
                                .notFoundSince(Drift.WITH_UNCOLLECTED),
                        Drift.of("c2", Metric.HEAP_USED, 2 * MIB, 1.5 * MIB, 2.25 * MIB, 1e-9, true)
                                .notFoundSince(Drift.UNCOLLECTED)));

        String text = TestingRuns.text(result);
        String screen = new FirstScreen(result, Paint.NONE).toString();

        assertTrue(!text.contains("LEAK") && !screen.contains("LEAK") && !screen.contains("No leak"), screen);
        assertTrue(
                screen.contains("c2: heap rises by +2.00 MiB an hour and was not collected in the last half of\n"
                        + "  the time: soak longer, or take a smaller heap\n"),
                screen);
        assertTrue(text.contains("  c2: heap +2.00 MiB (+1.50 to +2.25, p 1.0e-09): not collected"), text);
    }

    @Test
    void showsTheLastMinuteBeforeAnOomKill() {
        RunDirectoryWriter writer = RunDirectoryWriter.create(directory.resolve("run"), false);
        for (int second = 0; second < 2; second++) {
            Interval interval = TestingRuns.interval(i -> i == 0 ? 200 : 503, 1_000_000, 2_000_000);
            interval.startNs = second * 1_000_000_000L;
            interval.endNs = interval.startNs + 1_000_000_000L;
            interval.inFlight = 7;
            interval.costs = Costs.builder()
                    .set(Cost.RSS, (100L + second) << 20)
                    .set(Cost.HEAP_USED, 30L << 20)
                    .build();
            writer.intervals().interval("c2", interval);
        }
        writer.close();
        List<IntervalFigures> last = new ArrayList<>();
        RunDirectoryReader.readFigures(directory.resolve("run"), "c2", last::add);

        RunResult result = TestingRuns.run(c2).withLastMinute("c2", last);

        assertTrue(
                TestingRuns.text(result)
                        .contains("  Last 2 intervals before it, MiB:\n"
                                + "    seconds  req/s  p99 ms  in flight  errors    RSS  heap  old gen  group\n"
                                + "       -1.0      1    2.00          7       1  100.0  30.0        -      -\n"
                                + "        0.0      1    2.00          7       1  101.0  30.0        -      -\n"),
                TestingRuns.text(result));
        assertEquals(result.toJson(), RunResult.fromJson(result.toJson()).toJson());
        assertTrue(result.toJson().contains("\"lastMinute\": ["), result.toJson());
    }
}
