package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.CaptureReference;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.TargetPlan;
import dev.lockstep.monitor.TargetMonitor;
import dev.lockstep.replayer.Replayer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Turns of two targets that compute all the time by themselves, as a JIT compiler may. */
@Timeout(120)
final class LaunchRoundTest {
    private static final long MS = 1_000_000;
    private static final int ROUNDS = 4;

    @TempDir
    private Path folder;

    private LaunchRound round;
    private final List<Row> rows = new ArrayList<>();

    /** An interval as it was handed on. */
    private static final class Row {
        final String target;
        final boolean warmup;
        final long cpuNs;
        /** What the target had used when the interval was handed on, and a moment later. */
        final long soFarNs;

        final long laterNs;

        Row(String target, Interval interval, TargetMonitor monitor) {
            this.target = target;
            warmup = interval.warmup;
            cpuNs = LaunchRoundTest.cpuNs(interval.costs);
            soFarNs = LaunchRoundTest.cpuNs(monitor.sample());
            long untilNs = System.nanoTime() + 30 * MS;
            while (System.nanoTime() < untilNs) {
                Thread.onSpinWait();
            }
            laterNs = LaunchRoundTest.cpuNs(monitor.sample());
        }
    }

    private static long cpuNs(Costs costs) {
        return costs.get(Cost.USER_CPU).orElseThrow()
                + costs.get(Cost.SYSTEM_CPU).orElseThrow();
    }

    private void row(String target, Interval interval) {
        TargetRun run = round.targets().stream()
                .filter(one -> one.name().equals(target))
                .findFirst()
                .orElseThrow();
        try (TargetMonitor monitor = TargetMonitor.open(
                run.process().pid().orElseThrow(), run.process().controlGroups(), Optional.empty())) {
            rows.add(new Row(target, interval, monitor));
        }
    }

    private TargetSpec server(String name) {
        return TargetSpec.builder(name)
                .command(List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestingLaunchedServer.class.getName(),
                        "{port}",
                        name,
                        folder.resolve("starts").toString(),
                        "burn",
                        "1"))
                .build();
    }

    private void run() {
        List<TargetSpec> specs = List.of(server("a"), server("b"));
        LaunchSettings settings = LaunchSettings.builder()
                .readinessPath("/health")
                .logDirectory(folder)
                .build();
        MonitoredIntervals intervals = new MonitoredIntervals(this::row);
        Progress progress = new Progress(new PrintWriter(new StringWriter()), false);
        try (Capture capture = Capture.open(TestingCapture.gets(folder.resolve("capture.bin"), 1, 40, 10 * MS))) {
            RunPlan plan = RunPlan.builder()
                    .capture(CaptureReference.builder()
                            .path("capture.bin")
                            .sha256(capture.sha256())
                            .streamSha256(capture.streamSha256())
                            .requests(capture.requestCount())
                            .requestBytes(capture.requestBytes())
                            .connections(capture.connectionCount())
                            .durationNs(capture.durationNs())
                            .build())
                    .target(TargetPlan.builder("a").command(List.of("a")).build())
                    .target(TargetPlan.builder("b").command(List.of("b")).build())
                    .warmup(Duration.ofMillis(100))
                    .alternate(ROUNDS)
                    .build();
            round = new LaunchRound(
                    plan,
                    specs,
                    Cores.plan(null, List.of("a", "b")),
                    settings,
                    null,
                    intervals,
                    progress,
                    Interruption.detached(),
                    1);
            try (TargetLauncher launcher = TargetLauncher.open(JvmInventory.discover(folder));
                    Replayer replayer = Replayer.launchCold(
                            ReplayRun.load(plan, capture).intervals(intervals).build())) {
                round.run(launcher, replayer, null, () -> {});
            }
        }
    }

    @Test
    void countsAllThatATargetDoesByItselfAndGivesItNoTimeBetweenItsTurns() {
        run();

        // The last row of each turn; a slow machine makes several of them.
        List<Row> lastOfTurns = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            Row next = i + 1 < rows.size() ? rows.get(i + 1) : null;
            if (next == null || !next.target.equals(rows.get(i).target)) {
                lastOfTurns.add(rows.get(i));
            }
        }
        StringBuilder order = new StringBuilder();
        for (Row row : lastOfTurns) {
            order.append(row.target);
            assertEquals(row.soFarNs, row.laterNs, "it stands still while its interval is written");
        }
        // Warm-up, then there and back; two turns in a row look like one.
        assertEquals("ab" + "abab" + "a", order.toString());
        for (String target : List.of("a", "b")) {
            Row first = null;
            Row last = null;
            long sumNs = 0;
            for (Row row : lastOfTurns) {
                if (row.target.equals(target)) {
                    first = first == null ? row : first;
                    last = row;
                }
            }
            for (Row row : rows.subList(rows.indexOf(first) + 1, rows.indexOf(last) + 1)) {
                sumNs += row.target.equals(target) ? row.cpuNs : 0;
            }
            assertTrue(first.warmup, target);
            assertFalse(last.warmup, target);
            assertTrue(sumNs > 0, target);
            assertEquals(last.soFarNs - first.soFarNs, sumNs, "no time of " + target + " is nobody's");
        }
    }
}
