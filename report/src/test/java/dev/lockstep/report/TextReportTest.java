package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.GcOverlap;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Outage;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextReportTest {
    /** Three targets: one that did well, one that failed some requests, one that was killed while it started. */
    private static RunResult everything() {
        TargetResult c2 = TargetResult.builder("c2")
                .jit("HotSpot C2")
                .jvm("OpenJDK 17.0.15")
                .address("127.0.0.1:40001")
                .load(TestingRuns.load(5, TestingRuns.evenly(20_000, 20_000_000))
                        .then(TestingRuns.endpoints(
                                TestingRuns.endpoint("GET /users/N", 12_000, 12_000_000, 0),
                                TestingRuns.endpoint("POST /users", 8_000, 20_000_000, 0))))
                .cost(Cost.GROUP_CPU, 4_450_000_000L)
                .cost(Cost.USER_CPU, 4_000_000_000L)
                .cost(Cost.SYSTEM_CPU, 450_000_000L)
                .cost(Cost.RSS, 100L << 20)
                .cost(Cost.APPLICATION_CPU, 3_500_000_000L)
                .cost(Cost.JIT_CPU, 900_000_000L)
                .cost(Cost.GC_CPU, 50_000_000L)
                .cost(Cost.ALLOCATED, 20_000L * 12_345)
                .cost(Cost.GC_CYCLES, 17)
                .cost(Cost.GC_PAUSE, 45_300_000)
                .cost(Cost.HEAP_USED, 20L << 20)
                .cost(Cost.OLD_GEN_USED, 12L << 20)
                .gcOverlap(GcOverlap.of(20_000_000, 20, 20, 7, OptionalDouble.empty(), OptionalDouble.empty()))
                .cpus("1")
                .memoryLimitBytes(128L << 20)
                .memoryPeakBytes(110L << 20)
                .build();
        TargetResult graal = TargetResult.builder("graal")
                .jit("Graal")
                .jvm("OpenJDK 17.0.15")
                .load(TestingRuns.load(
                                5,
                                counts -> {
                                    counts.error(ErrorKind.READ_TIMEOUT);
                                    counts.error(ErrorKind.CONNECTION_RESET);
                                    counts.error(ErrorKind.CONNECTION_RESET);
                                    counts.unanswered = 1;
                                    counts.deferred = 25;
                                },
                                i -> i % 1000 == 999 ? 503 : 200,
                                List.of(Outage.of(1_250_000_000L, OptionalLong.of(2_730_000_000L), 1234)),
                                TestingRuns.evenly(5_000, 30_000_000))
                        .then(TestingRuns.endpoints(
                                TestingRuns.endpoint("GET /users/N", 3_000, 30_000_000, 4),
                                TestingRuns.endpoint("POST /users", 2_000, 15_000_000, 0))))
                .cost(Cost.USER_CPU, 900_000_000L)
                .cost(Cost.SYSTEM_CPU, 100_000_000L)
                .cost(Cost.RSS, 140L << 20)
                .note("shares core 1 with the replayer")
                .build();
        TargetResult tiny = TargetResult.builder("tiny")
                .jit("HotSpot C2")
                .jvm("OpenJDK 17.0.15")
                .exit(TargetExit.builder()
                        .exitCode(137)
                        .phase("start")
                        .oomKilled(true)
                        .kernelMessage("Memory cgroup out of memory: Killed process 4711 (java)")
                        .lastLogLines(List.of("\u001b[32mloading users\u001b[0m", "\tat Main.main(Main.java:1)"))
                        .build())
                .build();
        return TestingRuns.run(TestingRuns.plan(c2, graal, tiny).alternate(6).build(), c2, graal, tiny)
                .invalid("the replayer was late by 12 ms at p99, more than 1 ms")
                .invalid("the replayer's JVM paused for 80 ms")
                .interrupted(true)
                .note("2 cores for the replayer and 3 targets")
                .build();
    }

    @Test
    void looksLikeTheGoldenFile() throws IOException {
        assertEquals(TestingRuns.resource("report.txt"), TestingRuns.text(everything()));
    }

    @Test
    void isTheSameForARunReadFromItsDirectory(@TempDir Path parent) {
        RunResult measured = everything();
        RunDirectoryWriter writer = RunDirectoryWriter.create(parent.resolve("run"), false);
        writer.intervals().interval("c2", TestingRuns.interval(i -> 200, TestingRuns.evenly(20_000, 20_000_000)));
        writer.intervals().interval("graal", TestingRuns.interval(i -> 200, TestingRuns.evenly(5_000, 30_000_000)));
        writer.result(measured);
        RunResult read = RunDirectoryReader.read(parent.resolve("run"));
        for (ReportFormat format : ReportFormat.values()) {
            assertEquals(Report.of(measured).as(format), Report.of(read).as(format));
        }
    }

    @Test
    void beginsWithADeathAndTheReasonsOfAnInvalidRun() {
        List<String> lines =
                TestingRuns.text(everything()).lines().limit(5).collect(java.util.stream.Collectors.toList());
        assertTrue(lines.get(0).startsWith("DIED: tiny during start: exit code 137 (SIGKILL)"), lines.get(0));
        assertEquals("INVALID: the replayer was late by 12 ms at p99, more than 1 ms", lines.get(2));
        assertEquals("INVALID: the replayer's JVM paused for 80 ms", lines.get(3));
        assertEquals("INTERRUPTED: the figures are those of what was measured until then", lines.get(4));
    }

    @Test
    void fitsATerminal() {
        String text = TestingRuns.text(everything());
        assertTrue(text.lines().allMatch(line -> line.length() <= 80), text);
    }

    @Test
    void beginsWithTheLaunchInWhichItWasInterrupted() {
        TargetResult c2 = TargetResult.builder("c2").build();
        RunResult result = TestingRuns.run(TestingRuns.plan(c2).launches(6).build(), c2)
                .interrupted(true)
                .launchesDone(2)
                .build();
        String start =
                "INTERRUPTED in launch 3 of 6 (2 done): the figures are those of what was\n  measured until then\n";
        assertTrue(TestingRuns.text(result).startsWith(start), TestingRuns.text(result));
        RunResult read = RunResult.fromJson(result.toJson());
        assertTrue(TestingRuns.text(read).startsWith(start), TestingRuns.text(read));
    }

    @Test
    void givesNoShareOfTooFewSlowRequests() {
        TargetResult c2 = TargetResult.builder("c2")
                .gcOverlap(GcOverlap.of(20_000_000, 3, 3, 3, OptionalDouble.of(0.5), OptionalDouble.of(0.1)))
                .build();
        String text = TestingRuns.text(TestingRuns.run(c2));
        assertTrue(
                text.contains("  Tail:\t3 of the 3 slowest requests overlapped a GC pause (too few for a share)\n"),
                text);
    }

    @Test
    void saysHowMuchOfTheSlowRequestsTimePausesTookBesideWhatChanceGives() {
        TargetResult c2 = TargetResult.builder("c2")
                .gcOverlap(GcOverlap.of(
                        2_900_000_000L, 718, 718, 718, OptionalDouble.of(0.0013), OptionalDouble.of(0.0039)))
                .build();
        String text = TestingRuns.text(TestingRuns.run(c2));
        assertTrue(
                text.contains("  Tail:\tGC pauses took 0.1 % of the time of the requests above p99.9, by chance\n"
                        + "    alone 0.4 % (718 of 718 met one)\n"),
                text);
    }

    @Test
    void saysOfWhichTargetsThePaceWasItsOwn() {
        RunResult run = TestingRuns.run(TargetResult.builder("c2").build());
        RunResult.Builder paced = RunResult.builder(run.plan())
                .startedAt(run.startedAt())
                .finishedAt(run.finishedAt())
                .environment(run.environment())
                .target(TargetResult.builder("c2").build())
                .self(SelfReport.of(9, 9, 0, 0, 0, List.of(), List.of(SelfReport.Bottleneck.of("c2", 1, 0.991))));
        String text = TestingRuns.text(paced.build());
        assertTrue(
                text.replaceAll("\\s+", " ")
                        .startsWith(
                                "BOTTLENECK: c2: Lockstep was busy 99 % of the time that it sent and set the pace of this closed"
                                        + " loop itself: rates, latencies and what a request costs are not this target's own,"
                                        + " and there is no verdict on them;"),
                text);
    }

    @Test
    void saysWhatARandomPaceIsOnAverage() {
        TargetResult c2 =
                TargetResult.builder("c2").load(TestingRuns.load(1, 1_000_000)).build();
        RunPlan plan =
                TestingRuns.plan(c2).pace(Pace.poisson(500, 7)).connections(5).build();

        String text = TestingRuns.text(TestingRuns.run(plan, c2).build()).replaceAll("\\s+", " ");

        assertTrue(text.contains(" at random, 500/s on average (seed 7) over 5 connections"), text);
    }

    @Test
    void saysAtWhichTargetsFullLoadThePaceWasItsOwn() {
        RunResult run = TestingRuns.run(TargetResult.builder("c2").build());
        String text = TestingRuns.text(RunResult.builder(run.plan())
                .from(run)
                .self(SelfReport.of(9, 9, 0, 0, 0, List.of(), List.of())
                        .withFullLoadBottlenecks(List.of(SelfReport.Bottleneck.of("c2", 1, 0.981))))
                .build());
        assertTrue(
                text.startsWith("BOTTLENECK: c2: Lockstep was busy 98 % of the time that it sent at full load and\n"),
                text);
    }

    @Test
    void blamesNoVerdictOnALaunchThatWasCut() {
        TargetResult c2 = TargetResult.builder("c2").build();
        String text = TestingRuns.text(TestingRuns.run(
                        TestingRuns.plan(c2)
                                .launches(6)
                                .primaryMetric("fullLoadCpuPerRequest")
                                .build(),
                        c2)
                .interrupted(true)
                .launchesDone(3)
                .self(SelfReport.of(9, 9, 0, 0, 0, List.of(), List.of())
                        .withFullLoadBottlenecks(List.of(
                                SelfReport.Bottleneck.of("c2", 2, 0.97), SelfReport.Bottleneck.of("c2", 4, 0.99))))
                .build());
        text = text.replaceAll("\\s+", " ");
        assertTrue(
                text.contains(
                        "97 % of the time that it sent at full load in launch 2 and set the pace itself: what a request costs"
                                + " this target there is not its own, and there is no verdict on it;"),
                text);
        assertTrue(
                text.contains(
                        "99 % of the time that it sent at full load in launch 4 and set the pace itself: what a request costs"
                                + " this target there is not its own; the launch was cut, so that no verdict is of it"),
                text);
    }

    @Test
    void saysThatACostIsThatOfSeveralLaunches() {
        TargetResult.Builder c2 = TargetResult.builder("c2").cost(Cost.GC_CYCLES, 3);
        for (int launch = 1; launch <= 2; launch++) {
            c2.launch(LaunchResult.builder(launch, 1)
                    .load(TestingRuns.load(1, 1_000_000))
                    .build());
        }
        String text = TestingRuns.text(TestingRuns.run(c2.build()));
        assertTrue(text.contains("\nCost of 2 launches:\n  Collections:\t3\n"), text);
    }

    @Test
    void saysWhatWasReplayedAndHow() {
        assertEquals(
                "Nothing was sent of samples/users.bin (1000 requests on 12 connections) at its recorded pace",
                heading(TestingRuns.run(TargetResult.builder("c2").build())));
        TargetResult c2 = TargetResult.builder("c2")
                .load(TestingRuns.load(1000, 1_000_000))
                .build();
        assertEquals(
                "VALID. Replayed samples/users.bin (1000 requests on 12 connections) at its recorded pace",
                heading(TestingRuns.run(c2)));
        assertEquals(
                "VALID. Replayed samples/users.bin (1000 requests on 12 connections) at 2.5 times its recorded pace",
                heading(TestingRuns.run(TestingRuns.plan(c2).speed(2.5).build(), c2)
                        .build()));
        assertEquals(
                "VALID. Replayed samples/users.bin (1000 requests on 12 connections) as fast as each target answers over 50"
                        + " connections",
                heading(TestingRuns.run(
                                TestingRuns.plan(c2)
                                        .pace(Pace.MAX)
                                        .connections(50)
                                        .build(),
                                c2)
                        .build()));
        assertEquals(
                "VALID. Replayed samples/users.bin (1000 requests on 12 connections) at 1000/s over 1 connection",
                heading(TestingRuns.run(
                                TestingRuns.plan(c2)
                                        .pace(Pace.rate(1000))
                                        .connections(1)
                                        .build(),
                                c2)
                        .build()));
    }

    private static String heading(RunResult result) {
        return TestingRuns.text(result)
                .replaceAll("\n  (?=\\S)", " ")
                .lines()
                .findFirst()
                .orElseThrow();
    }

    @Test
    void saysOfAServiceTimeThatRequestsWithoutAnAnswerReachThatItIsAtLeastThat() {
        TargetResult c2 = TargetResult.builder("c2")
                .load(TestingRuns.load(
                        5,
                        counts -> {
                            counts.sent += 20;
                            counts.error(ErrorKind.READ_TIMEOUT, 20);
                            counts.deferred = 500;
                        },
                        TestingRuns.evenly(1000, 2_000_000)))
                .build();

        String text = unwrapped(TestingRuns.run(c2));

        assertTrue(text.contains(" not in the service time: p50 1.02 ms, p99 >=2.00 ms"), text);
    }

    @Test
    void saysWhatWasNotSentRequestByRequestOrByteForByte() {
        LoadCounts counts = new LoadCounts();
        counts.sent = 7;
        counts.completed = 7;
        counts.semanticRequests = 7;
        counts.tagsChanged = 2;
        counts.deadlinesMoved = 5;
        counts.exceptionsAsRecorded = 4;
        counts.opaqueBursts = 3;
        counts.opaqueBurstsUnanswered = 1;
        Histogram first = new Histogram(3);
        first.recordValue(1_000_000);
        Histogram last = new Histogram(3);
        last.recordValue(25_000_000);
        TargetResult c2 = TargetResult.builder("c2")
                .load(LoadResult.builder()
                        .counts(counts)
                        .measuredNs(1_000_000_000)
                        .opaqueFirstByte(first)
                        .opaqueLastByte(last)
                        .build())
                .build();

        String text = unwrapped(TestingRuns.run(c2));

        assertTrue(
                text.contains(
                        "  c2: 7 requests of ThriftMux replayed by their meaning, with a live handshake, not byte for"
                                + " byte; 2 with another tag than recorded\n"),
                text);
        assertTrue(
                text.contains("  c2: 4 calls answered with an exception as recorded: completed, not failed\n"), text);
        assertTrue(
                text.contains("  c2: 5 requests carried a deadline: moved to the replay's clock (--deadlines)\n"),
                text);
        assertTrue(
                text.contains(
                        "  c2: 3 bursts of bytes that belong to no request, first byte back p50 1.00 ms, p99 1.00 ms,"
                                + " last byte p50 25.0 ms, p99 25.0 ms, 1 without a byte back\n"),
                text);
    }

    /** Returns the report with every note on one line. */
    private static String unwrapped(RunResult result) {
        return TestingRuns.text(result).replaceAll("(?<=\\S)\n    (?=\\S)", " ");
    }

    @Test
    void cutsNotesAtTheWidthOfATerminal() {
        TargetResult c2 = TargetResult.builder("c2").build();
        String path = "/a/" + "very/long/".repeat(10) + "path";
        String text = TestingRuns.text(TestingRuns.run(TestingRuns.plan(c2).build(), c2)
                .note("a".repeat(39) + " " + "b".repeat(38))
                .note("a".repeat(39) + " " + "b".repeat(39) + " " + "c".repeat(80) + " d")
                .note("the file " + path)
                .note(path + " is full")
                .build());
        assertTrue(
                text.endsWith(String.join(
                        "\n",
                        "Notes:",
                        "  " + "a".repeat(39) + " " + "b".repeat(38),
                        "  " + "a".repeat(39),
                        "    " + "b".repeat(39),
                        "    " + "c".repeat(80),
                        "    d",
                        "  the file",
                        "    " + path,
                        "  " + path,
                        "    is full",
                        "")),
                text);
    }

    /** The cold and memory figures of a Graal in Java are not those of a GraalVM. */
    @Test
    void saysWhichGraalRan() {
        TargetResult java = TargetResult.builder("graal")
                .jitProof("compiler threads: 1 x 'JVMCI CompilerT'")
                .build();
        TargetResult library = TargetResult.builder("graal")
                .jitProof("compiler threads: 1 x 'JVMCI-native Co'")
                .build();

        assertTrue(
                unwrapped(TestingRuns.run(java)).contains("graal: this Graal is Java code on the target's own heap"));
        assertFalse(unwrapped(TestingRuns.run(library)).contains("this Graal is"));
    }

    @Test
    void namesATargetByWhatIsKnownOfIt() {
        assertTrue(TestingRuns.text(TestingRuns.run(TargetResult.builder("c2")
                        .jit("HotSpot C2")
                        .jvm("OpenJDK 17.0.15")
                        .address("127.0.0.1:1")
                        .build()))
                .contains("\nTarget c2 (HotSpot C2, OpenJDK 17.0.15)\n"));
        assertTrue(TestingRuns.text(TestingRuns.run(TargetResult.builder("c2")
                        .jit("c2")
                        .collector("Serial")
                        .maxHeapBytes(64 << 20)
                        .processors(1)
                        .build()))
                .contains("\nTarget c2 (c2, Serial, heap up to 64 MiB, sees 1 processor)\n"));
        assertTrue(TestingRuns.text(TestingRuns.run(
                        TargetResult.builder("bench").address("127.0.0.1:8080").build()))
                .contains("\nTarget bench (127.0.0.1:8080)\n"));
        assertTrue(TestingRuns.text(TestingRuns.run(TargetResult.builder("own").build()))
                .contains("\nTarget own\n  No load reached this target.\n"));
    }

    @Test
    void saysHowATargetDied() {
        assertTrue(TestingRuns.text(TestingRuns.run(TargetResult.builder("c2")
                        .exit(TargetExit.builder()
                                .exitCode(1)
                                .phase("measurement")
                                .build())
                        .load(TestingRuns.load(1, 5_000))
                        .build()))
                .contains("\nTarget c2\n  Died during measurement: exit code 1\n\nSummary:\n"));
        assertTrue(TestingRuns.text(TestingRuns.run(TargetResult.builder("c2")
                        .exit(TargetExit.builder().oomKilled(true).build())
                        .build()))
                .contains("\nTarget c2\n  Died, killed by the kernel for lack of memory (OOM)\n"));
    }

    @Test
    void comparesTheRequestBytesWithTheCaptures() {
        RunResult result = TestingRuns.run(
                target("same", StreamDigest.of(TestingRuns.STREAM_SHA256)),
                target("other", StreamDigest.of("ab".repeat(32))),
                target("none", StreamDigest.absent("no pass was completed")));
        String text = unwrapped(result);
        assertTrue(text.contains("\n  same: request bytes as in the capture, SHA-256 fedcba987654...\n"), text);
        assertTrue(
                text.contains("\n  other: request bytes DIFFER from the capture's, SHA-256 " + "ab".repeat(32)
                        + " instead of " + TestingRuns.STREAM_SHA256 + "\n"),
                text);
        assertTrue(
                text.contains("\n  none: request bytes not compared with the capture's, no pass was completed\n"),
                text);
    }

    @Test
    void claimsNothingOfTheBytesOfACaptureWithoutRequests() {
        TargetResult c2 = target("c2", StreamDigest.of(TestingRuns.STREAM_SHA256));
        RunPlan plan = TestingRuns.plan(c2)
                .capture(CaptureReference.builder()
                        .path("streams.bin")
                        .sha256(TestingRuns.STREAM_SHA256)
                        .streamSha256(TestingRuns.STREAM_SHA256)
                        .connections(1)
                        .build())
                .build();
        String text = TestingRuns.text(TestingRuns.run(plan, c2).build());
        assertFalse(text.contains("request bytes"), text);
    }

    private static TargetResult target(String name, StreamDigest digest) {
        return TargetResult.builder(name)
                .load(LoadResult.builder().measuredNs(1).streamDigest(digest).build())
                .build();
    }

    @Test
    void printsEveryWarningOnceAndNoControlCharacters() {
        TargetResult c2 = TargetResult.builder("c2").jit("C2\u001b[2J\n").build();
        RunResult result = TestingRuns.run(TestingRuns.plan(c2).build(), c2)
                .note("said twice")
                .note("said twice")
                .environment(Environment.builder()
                        .lockstepVersion("0.1.0")
                        .warning("epoll is not available\u0007, NIO is used")
                        .build())
                .build();
        String text = TestingRuns.text(result);
        assertEquals(text.indexOf("said twice"), text.lastIndexOf("said twice"));
        assertTrue(text.contains("  epoll is not available?, NIO is used\n"), text);
        assertTrue(text.contains("Target c2 (C2?)\n"), text);
        assertFalse(text.contains("\u001b"), text);
    }

    @Test
    void explainsWhatIsLeftOut() {
        TargetResult one =
                TargetResult.builder("c2").load(TestingRuns.load(1, 5_000_000)).build();
        String text = unwrapped(TestingRuns.run(one));
        assertTrue(
                text.contains("  c2: 1 request, too few for a dependable p50 (needs 20) or 99% line (needs 1000)\n"
                        + "  A percentile stands as \"-\" where fewer than ten requests lie above it: p50 needs 20 requests,"
                        + " p90 needs 100 requests, p95 needs 200 requests, p99 needs 1000 requests, p99.9 needs 10000"
                        + " requests\n"),
                text);
    }

    @Test
    void tellsOutagesAndSumsUpMany() {
        List<Outage> many = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            many.add(Outage.of(i * 1_000_000_000L, OptionalLong.of(i * 1_000_000_000L + 500_000_000), 1));
        }
        String text = TestingRuns.text(TestingRuns.run(
                unreachable("c2", List.of(Outage.of(12_345_000_000L, OptionalLong.empty(), 1_234_567))),
                unreachable("graal", many)));
        assertTrue(
                text.contains(
                        "\n  c2 was unreachable from 12.3 s of the measured phase to its end: 1,234,567\n    requests failed\n"),
                text);
        assertTrue(
                text.contains(
                        "\n  graal was unreachable from 3.0 s to 3.5 s of the measured phase: 1 request\n    failed\n"
                                + "  graal was unreachable 3 more times; run.json lists all\n"),
                text);
    }

    private static TargetResult unreachable(String name, List<Outage> outages) {
        return TargetResult.builder(name)
                .load(TestingRuns.load(1, counts -> {}, i -> 200, outages))
                .build();
    }

    @Test
    void hasNoNotesWhereThereIsNothingToSay() {
        assertFalse(TestingRuns.text(TestingRuns.run(TargetResult.builder("c2").build()))
                .contains("Notes"));
    }
}
