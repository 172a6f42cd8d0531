package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.FleetCost;
import dev.lockstep.results.HotMethods;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.run.TestingCapture;
import dev.lockstep.run.TestingLaunchedServer;
import dev.lockstep.run.TestingPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that start their targets several times; the targets are small servers of this test. */
@Timeout(120)
final class RepeatedLaunchesTest {
    private static final long MS = 1_000_000;

    @TempDir
    private Path folder;

    private final TestingCommandLine line = new TestingCommandLine();

    @Test
    void startsAllTargetsAfreshInChangingOrder() throws IOException {
        targets(server("a", "die", 0), server("b", "die", 0));

        assertEquals(ExitCode.DONE, run(20, "--launches", "3"), line.err());

        assertEquals(List.of("a", "b", "b", "a", "b", "a"), Files.readAllLines(folder.resolve("starts")));
        RunResult result = result();
        assertEquals(3, result.plan().launches());
        for (TargetResult target : result.targets()) {
            String name = target.name();
            assertEquals(60, target.counts().orElseThrow().completed, name);
            assertEquals(60, target.responseTime().orElseThrow().count(), name);
            assertEquals(
                    result.plan().capture().streamSha256(),
                    target.streamDigest().orElseThrow().sha256());
            assertEquals(3, target.launches().size(), name);
            long cpuNs = 0;
            for (LaunchResult launch : target.launches()) {
                assertEquals(20, launch.completed());
                assertTrue(launch.startup().orElseThrow().firstAnswerNs().isPresent(), name);
                cpuNs += launch.costs().get(Cost.USER_CPU).orElseThrow();
            }
            assertEquals(cpuNs, target.costs().get(Cost.USER_CPU).orElseThrow(), name);
            assertEquals(List.of(1, 2, 3), intervalLaunches(name));
            assertTrue(Files.exists(folder.resolve("run/" + name + ".log")), name);
            assertTrue(Files.exists(folder.resolve("run/" + name + ".3.log")), name);
        }
        assertEquals(List.of(1, 2, 2), positions(result.targets().get(0)));
        assertTrue(line.err().contains("; 3 launches of each target"), line.err());
        assertTrue(line.err().contains("launch 2 of 3: a: starting"), line.err());
    }

    @Test
    @Tag("full")
    void keepsTheOtherLaunchesWhereATargetDiesInOne() throws IOException {
        targets(server("a", "die", 0), server("b", "die", 2));

        assertEquals(
                ExitCode.FAILED,
                run(5, "--launches", "3", "--assert", "a.errors == 0", "--assert", "b.errors == 0"),
                line.err());

        RunResult result = result();
        assertEquals(
                List.of(
                        "holds: a.errors == 0 (0 % == 0 %)",
                        "fails: b.errors == 0 (b died in launch 2 of 3, so its figures are not those of the whole run)"),
                result.assertions().stream().map(AssertionResult::sentence).collect(Collectors.toList()));
        TargetResult b = result.targets().get(1);
        assertEquals(15, result.targets().get(0).counts().orElseThrow().completed);
        assertEquals(10, b.counts().orElseThrow().completed);
        assertEquals(
                List.of(true, false, true),
                b.launches().stream().map(LaunchResult::isMeasured).collect(Collectors.toList()));
        assertEquals(9, b.launches().get(1).exit().orElseThrow().exitCode().orElseThrow());
        assertEquals("start of launch 2", b.exit().orElseThrow().phase().orElseThrow());
        assertTrue(
                result.notes().contains("launch 2 of 3 gave no figures of b: a pair less to compare"),
                result.notes().toString());
    }

    @Test
    @Tag("full")
    void countsNoPairOfALaunchThatOneDidNotSurvive() throws IOException {
        targets(server("a", "die", 0), server("b", "quit", 2));

        assertEquals(ExitCode.DONE, run(5, "--launches", "3", "--primary", "mean"), line.err());

        RunResult result = result();
        assertTrue(result.targets().get(1).launches().get(1).isMeasured());
        assertEquals(2, result.verdicts().get(0).launches());
        assertTrue(
                result.notes().contains("launch 2 of 3 was not survived by b: a pair less to compare"),
                result.notes().toString());
    }

    @Test
    void keepsTheLaunchesBeforeASignal() throws Exception {
        targets(server("a", "mute", 2));
        CompletableFuture<Integer> exitCode =
                CompletableFuture.supplyAsync(() -> run(5, "--launches", "3", "--assert", "a.errors == 0"));
        while (!line.err().contains("launch 2 of 3: measuring")) {
            assertFalse(exitCode.isDone(), line.err());
            TimeUnit.MILLISECONDS.sleep(5);
        }

        line.interruption().request();

        assertEquals(ExitCode.FAILED, exitCode.get(), line.err());
        RunResult result = result();
        assertTrue(result.interrupted());
        assertTrue(line.out().contains("INTERRUPTED in launch 2 of 3 (1 done): "), line.out());
        assertEquals(1, result.launchesDone().orElseThrow());
        assertEquals(
                "fails: a.errors == 0 (the run was interrupted, so its figures are not those of the whole)",
                result.assertions().get(0).sentence());
        assertEquals(5, result.targets().get(0).launches().get(0).completed());
        assertEquals(List.of("a", "a"), Files.readAllLines(folder.resolve("starts")));
        assertTrue(
                result.notes().stream().anyMatch(note -> note.startsWith("ended early with 1 of 3 launches done")),
                result.notes().toString());
    }

    @Test
    @Tag("full")
    void keepsTheLaunchesBeforeADefectOfOurs() throws IOException {
        targets(server("a", "die", 0), server("b", "die", 0));
        // When b had its turn in launch 2.
        line.failFor("a", 2);

        assertEquals(ExitCode.FAILED, run(20, "--launches", "3", "--rounds", "2"), line.err());

        assertEquals(List.of("a", "b", "b", "a"), Files.readAllLines(folder.resolve("starts")));
        RunResult result = result();
        assertEquals(RunStatus.INVALID, result.status());
        String reason = "Lockstep failed with 1 of 3 launches done: java.lang.IllegalStateException: a defect made by a"
                + " test; the figures are those of the launches done";
        assertTrue(
                result.statusReasons().contains(reason), result.statusReasons().toString());
        assertFalse(result.interrupted());
        for (TargetResult target : result.targets()) {
            assertEquals(20, target.counts().orElseThrow().completed, target.name());
            assertEquals(1, target.launches().size(), target.name());
            assertEquals(List.of(1), intervalLaunches(target.name()));
        }
        assertTrue(line.out().replaceAll("\\s+", " ").contains("INVALID: " + reason), line.out());
        assertTrue(line.err().contains("\tat dev.lockstep.cli."), line.err());
        assertTrue(Files.exists(folder.resolve("run/summary.csv")));
        assertFalse(Files.exists(folder.resolve("run/begun.json")));
    }

    @Test
    @Tag("full")
    void profilesOnceAfterAllLaunchesAndCountsNothingOfIt() throws IOException {
        targets(server("a", "die", 0));
        Files.writeString(
                folder.resolve("targets.yaml"),
                Files.readString(folder.resolve("targets.yaml"))
                        .replace(
                                Path.of(System.getProperty("java.home"), "bin/java")
                                        .toString(),
                                "{java}")
                        // C2 is what it must serve with.
                        .replace("\"-XX:TieredStopAtLevel=1\", ", ""));

        assertEquals(ExitCode.DONE, run(20, "--launches", "2", "--profile", "--profile-duration", "1s"), line.err());

        RunResult result = result();
        TargetResult a = result.targets().get(0);
        assertEquals(40, a.counts().orElseThrow().completed);
        assertEquals(2, a.launches().size());
        assertEquals(List.of(1, 2), intervalLaunches("a"));
        HotMethods.Target profiled = result.hotMethods().orElseThrow().targets().get(0);
        assertEquals("a", profiled.name());
        // A machine that stands still may leave no sample, which is said and tried in another way.
        int starts = Files.readAllLines(folder.resolve("starts")).size();
        assertTrue(starts == 3 || line.err().contains("a: no profile with async-profiler"), line.err());
        assertTrue(
                line.err().indexOf("a: starting with async-profiler")
                        > line.err().indexOf("launch 2 of 2: measuring"),
                line.err());
        assertFalse(Files.exists(folder.resolve("run/profile.tmp")));
        assertFalse(Files.exists(folder.resolve("run/a.3.log")));
    }

    @Test
    @Tag("full")
    void comparesTheLaunchesWithTheBaseline() throws IOException {
        targets(server("a", "die", 0), server("b", "die", 0));

        int exitCode = run(
                20,
                "--launches",
                "2",
                "--baseline",
                "b",
                "--aa",
                "--primary",
                "mean",
                "--assert",
                "a.errors == 0",
                "--assert",
                "a.mean <= 0 * b",
                "--cost",
                "core-year=127,cores=24,servers=10000");

        assertEquals(ExitCode.FAILED, exitCode, line.err());
        RunResult result = result();
        assertEquals(
                List.of("a", "b", "b-aa"),
                result.targets().stream().map(TargetResult::name).collect(Collectors.toList()));
        List<Verdict> primary =
                result.verdicts().stream().filter(Verdict::primary).collect(Collectors.toList());
        assertEquals(List.of("a", "b-aa"), primary.stream().map(Verdict::target).collect(Collectors.toList()));
        for (Verdict verdict : primary) {
            assertEquals("mean", verdict.metric());
            assertEquals("b", verdict.baseline());
            assertEquals(2, verdict.launches());
            assertTrue(verdict.indicative());
            assertNotNull(verdict.interval());
            assertNotNull(verdict.noiseFloor());
        }
        assertEquals(
                List.of(true, false),
                result.assertions().stream().map(AssertionResult::holds).collect(Collectors.toList()));
        FleetCost cost = result.fleetCost().orElseThrow();
        assertEquals(30_480_000, cost.usdPerYear());
        assertTrue(cost.savings().stream().noneMatch(saving -> saving.target().equals("b-aa")), "that is noise");
        assertTrue(line.out().contains("VERDICT by mean response time\n"), line.out());
        assertTrue(line.out().contains("\nfails: a.mean <= 0 * b ("), line.out());
    }

    @Test
    void refusesAConditionBeforeAnythingStarts() throws IOException {
        targets(server("a", "die", 0));

        assertEquals(ExitCode.USAGE, run(1, "--assert", "a.p98 <= 20ms"));
        assertTrue(
                line.err()
                        .startsWith("replay: --assert: assertion \"a.p98 <= 20ms\", column 3: unknown metric \"p98\""),
                line.err());
        assertEquals(ExitCode.USAGE, run(1, "--primary", "throughput", "-q", "9"));
        assertEquals(ExitCode.USAGE, run(1, "--assert", "a.throughput >= 9", "-q", "9"));
        assertTrue(
                line.err()
                        .contains(
                                "replay: --assert 'a.throughput >= 9': throughput: expected a closed loop (-c without -q),"
                                        + " found a schedule, which sets the rate of all targets alike"),
                line.err());
        assertEquals(ExitCode.USAGE, run(1, "--assert", "a.fullLoadCpuPerRequest <= 1ms"));
        assertTrue(
                line.err()
                        .contains("replay: --assert 'a.fullLoadCpuPerRequest <= 1ms': fullLoadCpuPerRequest: expected a"
                                + " time of full load (--full-load), found none"),
                line.err());
        assertFalse(Files.exists(folder.resolve("starts")));
    }

    @Test
    void comparesNoTotalsWhereAFasterTargetGetsMoreRequests() throws IOException {
        targets(server("a", "die", 0), server("b", "die", 0));

        assertEquals(ExitCode.USAGE, run(1, "--primary", "gcCycles", "-z", "1s"));
        assertEquals(ExitCode.USAGE, run(1, "--assert", "a.jitCpu <= b", "-z", "1s"));
        assertTrue(
                line.err()
                        .contains(
                                "replay: --assert 'a.jitCpu <= b': jitCpu: expected equally many requests for all targets"
                                        + " (-n or a schedule), found a closed loop for a time (-z), in which a faster target gets"
                                        + " more"),
                line.err());
        assertEquals(ExitCode.DONE, run(1, "--dry-run", "--assert", "a.gcCycles <= 5", "-z", "1s"), line.err());
        assertEquals(ExitCode.DONE, run(1, "--dry-run", "--assert", "a.gcCycles <= b", "-n", "1"), line.err());
        assertFalse(Files.exists(folder.resolve("starts")));
    }

    private String server(String name, String otherwise, int launch) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                TestingPrograms.classPath(TestingLaunchedServer.class),
                TestingLaunchedServer.class.getName(),
                "{port}",
                name,
                folder.resolve("starts").toString(),
                otherwise,
                Integer.toString(launch));
        return "  - name: " + name + "\n    command: [\"" + String.join("\", \"", command) + "\"]\n";
    }

    private void targets(String... entries) throws IOException {
        Files.writeString(folder.resolve("targets.yaml"), "targets:\n" + String.join("", entries));
    }

    /** Replays this many requests, sent as fast as they are answered. */
    private int run(int requests, String... args) {
        Path capture = folder.resolve("capture.bin");
        if (Files.notExists(capture)) {
            TestingCapture.gets(capture, 1, requests, MS);
        }
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of(
                "--targets-file",
                folder.resolve("targets.yaml").toString(),
                "--schedule",
                all.contains("--rounds") ? "alternate" : "together",
                "--warmup",
                "0",
                "--max-lag",
                "30s",
                "-c",
                "1",
                "-o",
                folder.resolve("run").toString(),
                capture.toString()));
        int exitCode = line.execute(all.toArray(new String[0]));
        line.assertReportPrintsTheSame(folder.resolve("run"), all.contains("--json"));
        return exitCode;
    }

    private RunResult result() {
        return RunDirectoryReader.read(folder.resolve("run"));
    }

    private static List<Integer> positions(TargetResult target) {
        return target.launches().stream().map(LaunchResult::position).collect(Collectors.toList());
    }

    private List<Integer> intervalLaunches(String target) {
        List<Integer> launches = new ArrayList<>();
        RunDirectoryReader.readFigures(folder.resolve("run"), target, interval -> {
            if (interval.phase() == Interval.Phase.MEASURED && !launches.contains(interval.launch())) {
                launches.add(interval.launch());
            }
        });
        return launches;
    }
}
