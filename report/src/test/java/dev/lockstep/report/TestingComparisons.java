package dev.lockstep.report;

import dev.lockstep.results.RunStatus;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Verdict.Interval;
import dev.lockstep.results.comparison.ComparedRun;
import dev.lockstep.results.comparison.Fact;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.results.comparison.RunHistory;
import dev.lockstep.results.comparison.RunVerdict;
import dev.lockstep.results.comparison.TargetFacts;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Comparisons and histories with known figures. */
final class TestingComparisons {
    static final String HOSTILE = "|<img src=x onerror=alert(1)>[a](http://b)\u001b[31m\u202e`";
    private static final OffsetDateTime FIRST = OffsetDateTime.parse("2026-11-02T07:42:00+01:00");
    private static final List<String> COSTS = List.of(
            "fullLoadCpuPerRequest",
            "steadyCpuPerRequest",
            "cpuPerRequest",
            "p50",
            "p99",
            "allocatedBytesPerRequest",
            "rss",
            "startup");
    private static final double[] VALUES = {18_800, 112_000, 242_000, 153_000, 2_390_000, 14_643, 237_408_256, 930e6};

    private TestingComparisons() {}

    static ComparedRun.Builder run(String directory, int day) {
        return ComparedRun.builder()
                .directory(directory)
                .startedAt(FIRST.plusDays(day))
                .status(RunStatus.VALID)
                .capture("samples/users.bin")
                .launches(6)
                .machine("AMD EPYC, 2 processors");
    }

    static RunVerdict.Builder verdict(String metric, String target, String run, double ratio) {
        double value = COSTS.contains(metric) ? VALUES[COSTS.indexOf(metric)] : 1;
        return RunVerdict.builder(metric, target, run)
                .baseline("lockstep-runs/monday")
                .primary(metric.equals("fullLoadCpuPerRequest"))
                .decides(metric.equals("fullLoadCpuPerRequest"))
                .ratio(ratio)
                .baselineValue(value)
                .value(value * ratio)
                .interval(Interval.of(ratio - 0.02, ratio + 0.02))
                .level(0.95)
                .launches(6)
                .baselineLaunches(6)
                .finding(ratio > 1.02 ? Finding.WORSE : Finding.INCONCLUSIVE);
    }

    private static TargetFacts facts(String target, String before, String after) {
        return TargetFacts.of(
                target, List.of(Fact.of("JVM", List.of(before, after)), Fact.of("JIT", List.of("c2", "c2"))));
    }

    /** Two runs of two targets, one of them the control and the other worse; as much differs as may. */
    static RunComparison regression() {
        List<RunVerdict> verdicts = new ArrayList<>();
        for (String metric : COSTS) {
            verdicts.add(verdict(metric, "c2", "lockstep-runs/tuesday", 1.032)
                    .decides(false)
                    .standsForDay(true)
                    .build());
        }
        for (String metric : COSTS) {
            verdicts.add(verdict(metric, "graal", "lockstep-runs/tuesday", metric.startsWith("p") ? 1.001 : 1.053)
                    .control("c2")
                    .build());
        }
        verdicts.add(RunVerdict.builder("errors", "graal", "lockstep-runs/tuesday")
                .baseline("lockstep-runs/monday")
                .count(7)
                .baselineCount(0)
                .launches(6)
                .baselineLaunches(6)
                .build());
        return RunComparison.builder()
                .run(run("lockstep-runs/monday", 0).build())
                .run(run("lockstep-runs/tuesday", 1).build())
                .primaryMetric("fullLoadCpuPerRequest")
                .margin(0.01)
                .target(facts("c2", "OpenJDK 17.0.21", "OpenJDK 17.0.21"))
                .target(facts("graal", "OpenJDK 64-Bit Server VM 17.0.21", "OpenJDK 64-Bit Server VM 17.0.22"))
                .plan(Fact.of("pace", List.of("recorded", "2000/s")))
                .machine(Fact.of("CPU", List.of("AMD EPYC", "AMD EPYC")))
                .machine(Fact.of("kernel", List.of("Linux 6.1", "Linux 6.18")))
                .machine(Fact.of("Lockstep", List.of("0.1.0", "0.1.0")))
                .verdicts(verdicts)
                .note("only in lockstep-runs/monday, and compared with nothing: old")
                .build();
    }

    /** Runs of other captures and INVALID ones, with names from strangers. */
    static RunComparison hostile() {
        return RunComparison.builder()
                .run(run(HOSTILE, 0).build())
                .run(run("b" + HOSTILE, 1)
                        .status(RunStatus.INVALID)
                        .statusReason(HOSTILE)
                        .statusReason("late")
                        .build())
                .primaryMetric("fullLoadCpuPerRequest")
                .margin(0.01)
                .capture(Fact.of("capture", List.of(HOSTILE, "b")))
                .capture(Fact.of("requests", List.of("10", "11")))
                .capture(Fact.of("requests, SHA-256", List.of("ab", "cd")))
                .target(facts(HOSTILE, HOSTILE, "b"))
                .machine(Fact.of("CPU", List.of(HOSTILE, "b")))
                .verdict(verdict("fullLoadCpuPerRequest", HOSTILE, "b" + HOSTILE, 1.1)
                        .finding(Finding.INCONCLUSIVE)
                        .invalid(true)
                        .whyNot(HOSTILE)
                        .build())
                .note(HOSTILE)
                .build();
    }

    static RunHistory history() {
        List<ComparedRun> runs = new ArrayList<>();
        RunHistory.Series.Builder cpu =
                RunHistory.Series.builder("c2", "fullLoadCpuPerRequest").primary(true);
        for (int i = 0; i < 10; i++) {
            runs.add(run("lockstep-runs/run-" + i, i * i).build());
            RunHistory.Point.Builder point = RunHistory.Point.builder(i, (i < 6 ? 18_800 : 19_900) + 10 * (i % 3))
                    .launches(6)
                    .interval(Interval.of(18_500, 20_100))
                    .fingerprint("OpenJDK 17.0.21");
            if (i == 4) {
                point.leftOut("not steady");
            }
            cpu.point(point.build());
        }
        cpu.change(RunHistory.Change.builder()
                .after(5)
                .run(6)
                .ratio(1.058)
                .interval(Interval.of(1.051, 1.065))
                .pValue(1e-6)
                .better(false)
                .with(List.of("JVM OpenJDK 17.0.21 -> OpenJDK 17.0.22"))
                .build());
        cpu.newest(verdict("fullLoadCpuPerRequest", "c2", "lockstep-runs/run-9", 1.001)
                .baseline(Optional.empty())
                .baselineRuns(3)
                .baselineLaunches(18)
                .dayRuns(8)
                .dayDeviation(0.004)
                .build());
        RunHistory.Series errors = RunHistory.Series.builder("c2", "errors")
                .point(RunHistory.Point.builder(9, 0.001)
                        .launches(6)
                        .fingerprint("OpenJDK 17.0.21")
                        .build())
                .build();
        return RunHistory.builder()
                .folder("lockstep-runs")
                .margin(0.01)
                .group(RunHistory.Group.of(
                        "samples/users.bin", "ab", "pace recorded", runs, List.of(cpu.build(), errors)))
                .skipped(List.of(
                        RunHistory.Skipped.of("lockstep-runs/killed", "its run was killed"),
                        RunHistory.Skipped.of("lockstep-runs/b", "b"),
                        RunHistory.Skipped.of("lockstep-runs/c", "c"),
                        RunHistory.Skipped.of("lockstep-runs/d", HOSTILE)))
                .build();
    }
}
