package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.monitor.TargetMonitor;
import dev.lockstep.results.RunPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
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
            warmup = !interval.isMeasured();
            cpuNs = LaunchRoundTest.cpuNs(interval.costs);
            soFarNs = LaunchRoundTest.cpuNs(monitor.sample());
            long untilNs = System.nanoTime() + 30 * MS;
            while (System.nanoTime() < untilNs) {
                Thread.onSpinWait();
            }
            laterNs = LaunchRoundTest.cpuNs(monitor.sample());
        }
    }

    static long cpuNs(Costs costs) {
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
        return TestingTurns.server(
                name,
                TestingLaunchedServer.class,
                "{port}",
                name,
                folder.resolve("starts").toString(),
                "burn",
                "1");
    }

    private void run() {
        TestingTurns.run(
                folder,
                List.of(server("a"), server("b")),
                ROUNDS,
                RunPlan.builder().warmup(Duration.ofMillis(100)),
                this::row,
                made -> round = made);
    }

    @Test
    @Tag("full")
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
