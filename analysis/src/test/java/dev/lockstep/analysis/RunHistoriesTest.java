package dev.lockstep.analysis;

import static dev.lockstep.analysis.TestingDays.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.comparison.Outcome;
import dev.lockstep.results.comparison.RunHistory;
import dev.lockstep.results.comparison.RunHistory.Change;
import dev.lockstep.results.comparison.RunHistory.Series;
import dev.lockstep.results.comparison.RunVerdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class RunHistoriesTest {
    private static final RunCriteria USUAL = RunCriteria.of(0.01);

    /** A run of one launch each day, that vary by half a percent. */
    private static List<NamedRun> days(double... cpu) {
        List<NamedRun> runs = new ArrayList<>();
        for (int day = 0; day < cpu.length; day++) {
            runs.add(TestingDays.run(day, target("c2", cpu[day] * (day % 2 == 0 ? 1.005 : 0.995))));
        }
        return runs;
    }

    private static RunHistory history(List<NamedRun> runs) {
        return RunHistories.of("lockstep-runs", runs, List.of(), USUAL);
    }

    private static Series primary(RunHistory history) {
        return history.groups().get(0).series().get(0);
    }

    @Test
    void findsThatTheNewestRunIsWorse() {
        RunHistory history = history(days(100, 100, 100, 100, 100, 100, 100, 110));

        RunVerdict newest = primary(history).newest().orElseThrow();
        assertEquals(Finding.WORSE, newest.finding());
        assertEquals(7, newest.baselineRuns());
        assertEquals(7, newest.dayRuns().orElseThrow());
        assertEquals(Outcome.REGRESSION, history.outcome());
        assertEquals(List.of(), primary(history).changes(), "one run is no change yet");
    }

    @Test
    void judgesNoErrorsOfATargetThatOnlyTheNewestRunHas() {
        List<NamedRun> runs = new ArrayList<>(days(100, 100));
        runs.add(TestingDays.run(2, target("c2", 100), target("graal", 100)));

        RunHistory history = history(runs);

        assertTrue(
                history.groups().stream()
                        .flatMap(group -> group.series().stream())
                        .filter(series -> series.target().equals("graal"))
                        .allMatch(series -> series.newest().isEmpty()),
                "nothing to judge it against");
    }

    /** The first run of a version that gives full load, after those of one that knew none. */
    @Test
    void decidesByWhatEarlierRunsHaveAfterAnUpgrade() {
        List<NamedRun> runs = new ArrayList<>();
        for (int day = 0; day < 3; day++) {
            NamedRun run = TestingDays.run(day, measured());
            runs.add(NamedRun.of(
                    run.directory(),
                    RunResult.builder(run.result().plan().toBuilder()
                                    .primaryMetric(day < 2 ? "p99" : "throughput")
                                    .build())
                            .startedAt(run.result().startedAt())
                            .finishedAt(run.result().finishedAt())
                            .environment(run.result().environment())
                            .targets(run.result().targets())
                            .build()));
        }
        assertEquals(Metric.THROUGHPUT, RunHistories.primary(runs), "earlier ones have it");

        runs.set(2, TestingDays.run(2, measured().launch(fullLoad())));
        assertEquals(Metric.P50, RunHistories.primary(runs), "only the newest has full load");
        runs.set(1, TestingDays.run(1, measured().launch(fullLoad())));
        assertEquals(Metric.FULL_LOAD_CPU_PER_REQUEST, RunHistories.primary(runs));
    }

    private static TargetResult.Builder measured() {
        return TargetResult.builder("c2")
                .load(TestingDays.load(0))
                .launch(LaunchResult.builder(1, 1).load(TestingDays.load(0)).build());
    }

    private static LaunchResult fullLoad() {
        return LaunchResult.builder(2, 1)
                .fullLoad(FullLoad.of(2_000_000_000L, 1000, OptionalDouble.of(100)))
                .build();
    }

    @Test
    void judgesTheNewestAgainstThoseSinceTheLastChange() {
        RunHistory history = history(days(100, 100, 100, 100, 100, 110, 110, 110, 110, 110));

        Series series = primary(history);
        assertEquals(1, series.changes().size());
        Change change = series.changes().get(0);
        assertEquals(4, change.after());
        assertEquals(5, change.run());
        assertFalse(change.better());
        assertEquals(1.1, change.ratio(), 0.01);
        assertEquals(4, series.newest().orElseThrow().baselineRuns());
        assertNotEquals(Outcome.REGRESSION, history.outcome());
    }

    @Test
    void sortsRunsByTheirStart() {
        List<NamedRun> runs = days(100, 100, 100, 110, 110, 110);
        Collections.reverse(runs);

        RunHistory history = history(runs);

        assertEquals("day-0", history.groups().get(0).runs().get(0).directory());
        assertEquals(3, primary(history).changes().get(0).run());
    }

    @Test
    void saysWhatChangedWithAChange() {
        List<NamedRun> runs = days(100, 100, 100, 100);
        for (int day = 4; day < 8; day++) {
            runs.add(TestingDays.run(day, target("c2", 110 + day % 2).jvm("OpenJDK 17.0.22")));
        }

        assertEquals(
                List.of("JVM OpenJDK 17.0.21 -> OpenJDK 17.0.22"),
                primary(history(runs)).changes().get(0).with());
    }

    @Test
    void leavesInvalidRunsOutAndShowsThem() {
        List<NamedRun> runs = days(100, 100, 100, 100, 100, 100, 100);
        runs.add(
                3,
                NamedRun.of(
                        "wrong",
                        TestingDays.result(9, "ab", target("c2", 300.0))
                                .invalid("other bytes")
                                .build()));
        RunHistory history = history(runs);

        assertEquals(
                Optional.of("INVALID: other bytes"),
                primary(history).points().get(7).leftOut());
        assertEquals(Outcome.INVALID, history.outcome(), "it is the newest");
    }

    /** One death hid whatever got worse after it. */
    @Test
    void callsTheNewestWorseThanThoseThatDidNotDie() {
        List<NamedRun> runs = days(100, 100, 100, 100, 100, 100, 100, 110);
        LaunchResult died = LaunchResult.builder(2, 1)
                .exit(TargetExit.builder().exitCode(137).phase("measurement").build())
                .build();
        runs.set(2, TestingDays.run(2, target("c2", 100).launch(died)));

        RunVerdict newest = primary(history(runs)).newest().orElseThrow();

        assertEquals(Finding.WORSE, newest.finding());
        assertEquals(6, newest.baselineRuns());
    }

    /** Two nights whose p99 differ five hundredfold, at the level of seven metrics together. */
    @Test
    void givesNoIntervalThatIsInfinite() {
        RunVerdict newest = primary(history(days(1e-20, 1e20, 1))).newest().orElseThrow();

        assertEquals(1, newest.ratio().orElseThrow(), 0.1);
        assertEquals(Optional.empty(), newest.interval());
        assertEquals(Finding.INCONCLUSIVE, newest.finding());
    }

    /** What a cut run lacks says nothing of those that are whole. */
    @Test
    void judgesErrorsAgainstRunsThatCameToTheirEnd() {
        List<NamedRun> runs = new ArrayList<>();
        for (int day = 0; day < 4; day++) {
            LaunchResult launch = LaunchResult.builder(1, 1)
                    .load(TestingDays.load(day == 3 ? 50 : 0))
                    .build();
            runs.add(NamedRun.of(
                    "day-" + day,
                    TestingDays.result(
                                    day,
                                    "ab",
                                    TargetResult.builder("c2")
                                            .load(TestingDays.load(0))
                                            .launch(launch))
                            .interrupted(day == 1)
                            .build()));
        }

        Series errors = history(runs).groups().get(0).series().stream()
                .filter(series -> series.metric().equals("errors"))
                .findFirst()
                .orElseThrow();

        RunVerdict newest = errors.newest().orElseThrow();
        assertEquals(Finding.WORSE, newest.finding());
        assertEquals(2, newest.baselineRuns());
        assertEquals(
                Optional.of("the run was interrupted in its only launch"),
                errors.points().get(1).leftOut());
    }

    @Test
    void keepsRunsOfOtherRequestsApart() {
        List<NamedRun> runs = days(100, 100, 100);
        runs.add(NamedRun.of(
                "other", TestingDays.result(20, "cd", target("c2", 500.0)).build()));

        RunHistory history = history(runs);

        assertEquals(2, history.groups().size());
        assertEquals("other", history.groups().get(0).runs().get(0).directory(), "the newest first");
        assertTrue(primary(history).newest().isEmpty(), "there is nothing before it");
        assertEquals(Outcome.NOT_DECIDED, history.outcome());
        assertEquals(1, history.notes().size());
    }

    @Test
    void findsADrift() {
        double[] cpu = new double[20];
        for (int day = 0; day < cpu.length; day++) {
            // Too slow for a step of more than the margin to be anywhere.
            cpu[day] = 100 * Math.exp(0.0004 * day);
        }
        List<NamedRun> runs = new ArrayList<>();
        for (int day = 0; day < cpu.length; day++) {
            runs.add(TestingDays.run(day, target("c2", cpu[day])));
        }

        RunHistory.Drift drift = primary(history(runs)).drift().orElseThrow();

        assertEquals(Math.exp(0.0004 * 30), drift.ratio(), 1e-6);
        assertTrue(drift.pValue() < 0.001, "p " + drift.pValue());
    }

    /** As of a directory that was copied: one pair without a distance took the drift of all others away. */
    @Test
    void findsADriftThoughTwoRunsBeganAtOnce() {
        List<NamedRun> runs = new ArrayList<>();
        for (int day = 0; day < 20; day++) {
            runs.add(TestingDays.run(day, target("c2", 100 * Math.exp(0.0004 * day))));
        }
        runs.add(NamedRun.of("copy", runs.get(7).result()));

        RunHistory.Drift drift = primary(history(runs)).drift().orElseThrow();

        assertEquals(Math.exp(0.0004 * 30), drift.ratio(), 1e-6);
    }

    /** In thirty days, their slopes of minutes came to infinity, which is no number of JSON. */
    @Test
    void takesNoDriftFromRunsOfTheSameHour() {
        double[] minutes = {100, 110, 101, 111, 102, 112, 103};
        List<NamedRun> runs = new ArrayList<>();
        for (int minute = 0; minute < minutes.length; minute++) {
            runs.add(NamedRun.of(
                    "minute-" + minute,
                    TestingDays.result(0, "ab", target("c2", minutes[minute]))
                            .startedAt(TestingDays.FIRST.plusMinutes(minute))
                            .build()));
        }
        runs.add(TestingDays.run(4, target("c2", 105)));

        RunHistory.Drift drift = primary(history(runs)).drift().orElseThrow();

        assertEquals(Math.pow(105 / 112.0, 30 / 4.0), drift.interval().low(), 0.01);
        assertEquals(Math.pow(105 / 100.0, 30 / 4.0), drift.interval().high(), 0.01);
    }

    /** A server that was deployed a minute before its run: the mean of its blocks says nothing of what it costs. */
    @Test
    void leavesOutARunOfAServerWhoseFigureStillChangesFromBlockToBlock() {
        List<NamedRun> runs = new ArrayList<>();
        for (int day = 0; day < 4; day++) {
            runs.add(TestingDays.blocks(day, 100, 101, 99, 100.5, 99.5, 100));
        }
        runs.add(2, TestingDays.blocks(9, 130, 125, 120, 115, 110, 105));

        Series series = primary(history(runs));

        assertEquals(
                Optional.of("still changes from block to block"),
                series.points().get(4).leftOut());
        assertEquals(
                4,
                series.points().stream()
                        .filter(point -> point.leftOut().isEmpty())
                        .count());
    }
}
