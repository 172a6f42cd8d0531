package dev.lockstep.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Warmup;
import dev.lockstep.results.directory.RunDirectoryReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a real run of c2, its baseline, and graal, of two launches. */
final class RunFiguresTest {
    private static final Path RUNS = Paths.get("../test-data/runs/0.1.0");
    private static final String RUN = "run";

    private final RunFigures figures = new RunFigures(RUNS);

    @TempDir
    private Path folder;

    /** The published figures are mostly not of the baseline: graal tuned against graal, or without escape analysis. */
    @Test
    void hasIntervalsOfTargetsThatTheRunItselfDidNotCompare() {
        Verdict own = RunDirectoryReader.readResult(RUNS.resolve(RUN)).verdicts().stream()
                .filter(verdict -> verdict.metric().equals("userCpuPerRequest"))
                .findFirst()
                .orElseThrow();

        RunFigures.Found found = figures.ratio(RUN, "userCpuPerRequest", "c2", "graal");

        assertEquals(1 / own.ratio().orElseThrow(), found.value.orElseThrow(), 1e-12);
        assertEquals(1 / own.interval95().high(), found.low.orElseThrow(), 1e-9);
        assertEquals(1 / own.interval95().low(), found.high.orElseThrow(), 1e-9);
        assertEquals(List.of("2 launches: indicative."), found.remarks);
    }

    @Test
    void integratesP99OfEachLaunch() {
        RunFigures.Found found = figures.ratio(RUN, "integratedP99", "graal", "c2");
        RunFigures.Found inverse = figures.ratio(RUN, "integratedP99", "c2", "graal");

        assertTrue(found.low.orElseThrow() < found.value.orElseThrow(), "an interval of two launches");
        assertTrue(found.high.orElseThrow() > found.value.orElseThrow(), "an interval of two launches");
        assertEquals(1 / found.low.orElseThrow(), inverse.high.orElseThrow(), 1e-9);
    }

    /** To leave out the seconds in which nothing came back would be to judge by the good ones. */
    @Test
    void integratesNoP99WhereRequestsWithoutAnAnswerReachIt() throws IOException {
        Path copy = Files.createDirectories(folder.resolve(RUN));
        Files.copy(RUNS.resolve("run/run.json"), copy.resolve("run.json"));
        String[] lines = Files.readString(RUNS.resolve("run/intervals.jsonl")).split("\n");
        for (int i = 0; i < lines.length; i++) {
            if (lines[i].contains("\"target\":\"graal\"") && !lines[i].contains("\"phase\":\"warmup\"")) {
                lines[i] = lines[i].replace("\"errors\":{}", "\"errors\":{\"read-timeout\":50}");
                break;
            }
        }
        Files.writeString(copy.resolve("intervals.jsonl"), String.join("\n", lines) + "\n");

        RunFigures.Found found = new RunFigures(folder).ratio(RUN, "integratedP99", "graal", "c2");

        assertTrue(found.value.isEmpty());
        assertEquals(
                List.of("In some second of graal requests without an answer reach the 99th percentile."),
                found.remarks);
    }

    @Test
    void saysHowMuchBothHaveWhereThereIsNoRatio() {
        // c2 has none of it.
        assertEquals(
                List.of("No ratio: c2 has none, graal 11,051,304 (old generation)."),
                figures.ratio(RUN, "oldGenUsed", "graal", "c2").remarks);
        assertEquals(List.of("Neither has any: share of errors."), figures.ratio(RUN, "errors", "graal", "c2").remarks);
    }

    /** As verdicts do. */
    @Test
    void doubtsOnlyFiguresOfTimeWhereLockstepWasLate() throws IOException {
        RunResult run = RunDirectoryReader.readResult(RUNS.resolve(RUN));
        Path copy = Files.createDirectories(folder.resolve(RUN));
        Files.writeString(
                copy.resolve("run.json"),
                RunResult.builder(run.plan())
                        .from(run)
                        .statusReason("lag was 11 ms")
                        .latenessReason("lag was 11 ms")
                        .build()
                        .toJson());
        RunFigures late = new RunFigures(folder);

        assertFalse(late.ratio(RUN, "userCpuPerRequest", "graal", "c2").isDoubtful());
        assertFalse(late.value(RUN, "garbageMiBPerSecond", "graal").isDoubtful());
        assertTrue(late.value(RUN, "throughput", "graal").isDoubtful());
        assertTrue(late.value(RUN, "p50", "graal").isDoubtful());
    }

    /** Returns the run as if others had had its processors. */
    static RunResult starved(boolean holds) {
        RunResult run = RunDirectoryReader.readResult(RUNS.resolve(RUN));
        List<TargetResult> starved = run.targets().stream()
                .map(target -> TargetResult.builder(target.name())
                        .from(target)
                        .costs(target.costs()
                                .with(Cost.RUN_DELAY, 3_000_000_000L)
                                .with(Cost.PROCESSORS_BUSY, 10_000_000_000L))
                        .build())
                .collect(Collectors.toList());
        return run.with(starved, run.skew())
                .withAssertions(List.of(AssertionResult.of(
                        "c2.errors == 0", holds, OptionalDouble.of(0), OptionalDouble.of(0), "c2.errors == 0")));
    }

    /** On a busy machine the least memory would be too large, or none would do. */
    @Test
    void saysWhoHadTheProcessorsOfATargetWithWhichAConditionFails() throws IOException {
        for (boolean holds : new boolean[] {false, true}) {
            Path copy = Files.createDirectories(folder.resolve("holds-" + holds));
            Files.writeString(copy.resolve("run.json"), starved(holds).toJson());
        }
        RunFigures busy = new RunFigures(folder);

        String why = busy.whyStarved("holds-false").orElseThrow();
        assertTrue(
                why.startsWith(
                        "c2: latencies and rates are not its own: its threads waited 3.0 s for a processor in 4.0 s"),
                why);
        assertEquals(Optional.empty(), busy.whyStarved("holds-true"));
    }

    @Test
    void saysHowMuchMoreATargetHas() {
        RunFigures.Found found = figures.difference(RUN, "oldGenUsed", "graal", "c2");

        // Of 11,061,464 and 11,051,304 bytes, where c2 has none: t = 12.7062 of one degree of freedom.
        assertEquals(11_056_384, found.value.orElseThrow());
        assertEquals(11_056_384 - 64_547, found.low.orElseThrow(), 2);
        assertEquals(11_056_384 + 64_547, found.high.orElseThrow(), 2);
    }

    @Test
    void countsDifferentAnswers() {
        RunFigures.Found found = figures.value(RUN, "differentAnswers", "graal");

        assertEquals(0, found.value.orElseThrow());
        assertTrue(
                found.remarks.get(0).matches("Of \\d+ that were compared with those of c2\\."),
                found.remarks::toString);
        assertEquals(
                List.of("The run compared no answers of c2."), figures.value(RUN, "differentAnswers", "c2").remarks);
    }

    @Test
    void saysOfAllThatATargetWasNotSteady() throws IOException {
        RunResult run = RunDirectoryReader.readResult(RUNS.resolve(RUN));
        List<TargetResult> unsteady = run.targets().stream()
                .map(target -> TargetResult.builder(target.name())
                        .from(target)
                        .warmup(Warmup.builder(Warmup.State.NOT_STEADY)
                                .durationNs(1)
                                .cpuNs(1)
                                .requests(1)
                                .build())
                        .build())
                .collect(Collectors.toList());
        Path copy = Files.createDirectories(folder.resolve(RUN));
        Files.copy(RUNS.resolve("run/intervals.jsonl"), copy.resolve("intervals.jsonl"));
        Files.writeString(
                copy.resolve("run.json"), run.with(unsteady, run.skew()).toJson());
        RunFigures shaky = new RunFigures(folder);

        for (RunFigures.Found found : List.of(
                shaky.ratio(RUN, "userCpuPerRequest", "graal", "c2"),
                shaky.ratio(RUN, "userCpuPerRequest", "c2", "graal"),
                shaky.ratio(RUN, "integratedP99", "graal", "c2"),
                shaky.difference(RUN, "oldGenUsed", "graal", "c2"),
                shaky.value(RUN, "throughput", "graal"),
                shaky.value(RUN, "garbageMiBPerSecond", "graal"))) {
            assertTrue(found.isDoubtful(), found.remarks::toString);
            assertTrue(found.remarks.contains("Not steady."), found.remarks::toString);
        }
        assertFalse(shaky.value(RUN, "startupJvm", "graal").isDoubtful(), "a start has nothing to be steady in");
        assertFalse(figures.value(RUN, "throughput", "graal").isDoubtful());
    }

    /** JMH's own interval is of 99.9 %, and the table's head says 95 %. */
    @Test
    void givesScoresOfJmhTheIntervalOfTheTable() throws IOException {
        Files.writeString(
                folder.resolve("jmh.json"),
                "[{\"params\": {\"bytes\": \"64\"}, \"primaryMetric\": {\"score\": 40, \"scoreConfidence\": [-15, 95],"
                        + " \"rawData\": [[40, 37], [43]]}}]");

        RunFigures.Found found = new RunFigures(folder).jmh("jmh.json", "bytes=64");

        assertEquals(40, found.value.orElseThrow());
        assertEquals(40 - 7.452413, found.low.orElseThrow(), 1e-5);
        assertEquals(40 + 7.452413, found.high.orElseThrow(), 1e-5);
    }
}
