package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories with a {@code run.json} and nothing else: comparing reads no more. */
final class CompareCommandTest {
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-11-02T07:42:00Z");
    private static final Warmup STEADY =
            Warmup.builder(Warmup.State.STEADY).jitShare(0.02).build();

    @TempDir
    private Path folder;

    private final TestingCommandLine line = new TestingCommandLine();

    private static TargetResult target(String name, double cpuNs) {
        return target(name, cpuNs, 6);
    }

    private static TargetResult target(String name, double cpuNs, int launches) {
        TargetResult.Builder target =
                TargetResult.builder(name).jvm("OpenJDK 17.0.21").warmup(STEADY);
        for (int launch = 1; launch <= launches; launch++) {
            target.launch(LaunchResult.builder(launch, 1)
                    .warmup(STEADY)
                    .fullLoad(FullLoad.of(2_000_000_000L, 1000, OptionalDouble.of(cpuNs * (1 + 0.002 * (launch % 3)))))
                    .costs(Costs.NONE.with(Cost.GROUP_CPU, 1_000_000_000))
                    .build());
        }
        return target.build();
    }

    private static RunResult.Builder run(int day, String capture, TargetResult... targets) {
        RunPlan.Builder plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("users.bin")
                        .sha256(capture.repeat(32))
                        .streamSha256(capture.repeat(32))
                        .requests(10)
                        .build())
                .primaryMetric("fullLoadCpuPerRequest")
                .fullLoad(Duration.ofSeconds(2))
                .launches(6);
        for (TargetResult target : targets) {
            plan.target(TargetPlan.builder(target.name()).profile("c2").build());
        }
        return RunResult.builder(plan.build())
                .startedAt(START.plusDays(day))
                .finishedAt(START.plusDays(day).plusMinutes(12))
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .targets(List.of(targets));
    }

    private String written(String name, RunResult result) throws IOException {
        Path directory = Files.createDirectories(folder.resolve(name));
        Files.writeString(directory.resolve("run.json"), result.toJson());
        return directory.toString();
    }

    private String day(int day, double cpuNs) throws IOException {
        return written("day-" + day, run(day, "ab", target("c2", cpuNs)).build());
    }

    @Test
    void findsARegressionAndSaysSoByItsExitCode() throws IOException {
        String before = day(0, 100);
        String after = day(1, 110);

        assertEquals(ExitCode.FAILED, line.execute("compare", before, after), line.err());

        assertTrue(line.out().startsWith("REGRESSION by CPU per request at full load\n"), line.out());
        assertTrue(
                line.out().replaceAll("\\s+", " ").contains("the interval does not know how much days differ"),
                line.out());
        assertEquals("", line.err());
    }

    @Test
    void isDoneWhereNothingIsWorse() throws IOException {
        String before = day(0, 100);

        assertEquals(ExitCode.DONE, line.execute("compare", before, day(1, 100)), line.err());
        assertTrue(line.out().startsWith("NO REGRESSION by "), line.out());
        assertEquals(ExitCode.DONE, line.execute("compare", before, day(2, 90)), line.err());
    }

    @Test
    void judgesAgainstTheBaselineThatIsNamed() throws IOException {
        String before = day(0, 100);
        String after = day(1, 110);

        assertEquals(ExitCode.DONE, line.execute("compare", before, after, "--baseline", after), line.err());
    }

    @Test
    void refusesOtherRequestsUnlessForced() throws IOException {
        String before = day(0, 100);
        String other = written("other", run(1, "cd", target("c2", 100)).build());

        assertEquals(ExitCode.USAGE, line.execute("compare", before, other));
        assertEquals(
                "replay: expected runs of the same requests, found " + before
                        + " with 10 requests of users.bin (SHA-256 abababababab) and " + other
                        + " with 10 requests of users.bin (SHA-256 cdcdcdcdcdcd); --force compares them all the same; see"
                        + " replay compare --help\n",
                line.err());
        assertEquals("", line.out());

        assertEquals(ExitCode.DONE, line.execute("compare", "--force", before, other));
        assertTrue(line.out().contains("\nNOT THE SAME REQUESTS (--force): "), line.out());
    }

    @Test
    void isInvalidWhereARunIsInvalidForTheMetricThatDecides() throws IOException {
        String before = day(0, 100);
        String wrong = written(
                "wrong",
                run(1, "ab", target("c2", 150)).invalid("other bytes were sent").build());
        String late = written(
                "late", run(1, "ab", target("c2", 150)).late("late by 12 ms").build());

        assertEquals(ExitCode.INVALID, line.execute("compare", before, wrong), line.err());
        assertTrue(line.out().contains("INVALID: run 2: other bytes were sent\n"), line.out());
        assertTrue(line.out().startsWith("INVALID, NO VERDICT by CPU per request at full load\n"), line.out());
        assertEquals(ExitCode.FAILED, line.execute("compare", before, late), "its CPU is right");
        assertEquals(ExitCode.INVALID, line.execute("compare", before, late, "--primary", "p99"));
    }

    @Test
    void saysThatNothingIsDecidedWhereALaunchIsTooFew() throws IOException {
        String before = written("one", run(0, "ab", target("c2", 100, 1)).build());

        assertEquals(ExitCode.DONE, line.execute("compare", before, day(1, 100)), line.err());
        assertTrue(line.out().startsWith("NOT DECIDED, NO REGRESSION FOUND by "), line.out());
    }

    @Test
    void printsMarkdownInPlaceOfTheText() throws IOException {
        assertEquals(ExitCode.DONE, line.execute("compare", "--markdown", "-", day(0, 100), day(1, 100)), line.err());

        assertTrue(line.out().startsWith("## Lockstep: runs compared\n"), line.out());
        assertFalse(line.out().contains("\nNext, "), line.out());
    }

    @Test
    void printsJsonAndWritesFiles() throws IOException {
        String before = day(0, 100);
        String after = day(1, 100);
        Path page = folder.resolve("a.html");
        Path markdown = folder.resolve("a.md");

        assertEquals(
                ExitCode.DONE,
                line.execute("compare", "--json", "--html", page + "", "--markdown", markdown + "", before, after),
                line.err());

        assertTrue(line.out().startsWith("{\n  \"version\": 1,\n  \"runs\": ["), line.out());
        assertTrue(Files.readString(page).startsWith("<!DOCTYPE html>"));
        assertTrue(Files.readString(markdown).startsWith("## Lockstep: runs compared\n"));
    }

    @Test
    void judgesTheNewestRunOfAFolder() throws IOException {
        for (int day = 0; day < 8; day++) {
            day(day, 100 + day % 3);
        }
        Files.createDirectories(folder.resolve("killed"));
        Files.writeString(folder.resolve("killed/plan.json"), "{}");
        Files.createDirectories(folder.resolve("notes/older"));
        Files.createDirectories(folder.resolve("broken"));
        Files.writeString(folder.resolve("broken/run.json"), "{");

        assertEquals(ExitCode.DONE, line.execute("compare", "--history", folder + ""), line.err());
        String printed = line.out();
        assertTrue(
                printed.startsWith("NOT DECIDED, NO REGRESSION FOUND in the newest run,")
                        && printed.replaceAll("\\s+", " ").contains(" run, " + folder + "/day-7 of 2026-11-09 "),
                printed);
        for (String skipped : List.of("broken", "killed", "notes")) {
            assertTrue(printed.contains("skipped " + folder + "/" + skipped), skipped + ": " + printed);
        }

        day(8, 120);
        Path page = folder.resolve("a.html");
        assertEquals(ExitCode.FAILED, line.execute("compare", "--history", folder + "", "--html", page + ""));
        assertTrue(Files.readString(page).contains("day-8"));
        assertEquals(ExitCode.FAILED, line.execute("compare", "--history", folder + "", "--json"));
    }

    @Test
    void tellsWhatIsWrongInOneLine() throws IOException {
        String before = day(0, 100);
        String after = day(1, 100);
        assertUsage("expected two run directories at least, or --history FOLDER, found none");
        assertUsage("expected two run directories at least, or --history FOLDER, found one", before);
        assertUsage("expected different run directories, found " + before + " twice", before, before);
        assertUsage(
                "--history takes all runs of its folder, found --force beside it; leave it out",
                "--history",
                folder + "",
                "--force");
        assertUsage(
                "--margin: expected a share above 0 and below 1 such as 1% or 0.01, found '0'",
                "--margin", "0", before, after);
        assertUsage(
                "--control: expected a target of all runs, found 'zing', which " + before
                        + " does not have; its targets are c2",
                "--control",
                "zing",
                before,
                after);
        String renamed = written("renamed", run(2, "ab", target("v2", 100)).build());
        assertUsage(
                "expected a target of the baseline in each run, found c2 in " + before + ", v2 in " + renamed
                        + "; targets are compared by their names",
                before,
                after,
                renamed);
        assertUsage(
                "--primary throughput: " + before
                        + ": expected a closed loop (-c without -q), found a schedule, which sets"
                        + " the rate of all targets alike",
                "--primary",
                "throughput",
                before,
                after);
    }

    @Test
    void tellsOfAMetricOfAnotherVersionInOneLine() throws IOException {
        String before = day(0, 100);
        String after = written("day-1", run(1, "ab", target("c2", 100)).build());
        Path file = Path.of(after, "run.json");
        Files.writeString(file, Files.readString(file).replace("\"fullLoadCpuPerRequest\"", "\"wattsPerRequest\""));

        assertEquals(ExitCode.FAILED, line.execute("compare", before, after));

        assertTrue(
                line.err().startsWith("replay: " + after + ": primaryMetric: expected one of cpuPerRequest, ")
                        && line.err().contains("found 'wattsPerRequest'")
                        && line.err().lines().count() == 1,
                line.err());
    }

    private void assertUsage(String message, String... args) {
        TestingCommandLine wrong = new TestingCommandLine();
        String[] all = new String[args.length + 1];
        all[0] = "compare";
        System.arraycopy(args, 0, all, 1, args.length);

        assertEquals(ExitCode.USAGE, wrong.execute(all), wrong.out());
        assertEquals("replay: " + message + "; see replay compare --help\n", wrong.err());
    }

    @Test
    void failsWhereThereIsNoRun() {
        assertEquals(ExitCode.FAILED, line.execute("compare", folder + "/a", folder + "/b"));
        assertEquals("replay: " + folder + "/a: expected a run directory, found nothing\n", line.err());
        TestingCommandLine empty = new TestingCommandLine();
        assertEquals(ExitCode.FAILED, empty.execute("compare", "--history", folder + ""));
        assertEquals("replay: " + folder + ": expected finished runs below it, found none\n", empty.err());
        assertFalse(empty.out().contains("REGRESSION"));
    }

    /** A run of version 0.1.0, of two launches, and itself as another. */
    @Test
    void readsTheRunOfAnEarlierVersion() throws IOException {
        Path golden = Path.of(System.getProperty("lockstep.testData"), "runs", "0.1.0", "run");
        Path copy = Files.createDirectories(folder.resolve("copy"));
        Files.copy(golden.resolve("run.json"), copy.resolve("run.json"));

        assertEquals(ExitCode.DONE, line.execute("compare", golden + "", copy + ""), line.err());
        assertTrue(line.out().contains("NO REGRESSION"), line.out());
    }
}
