package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Drift;
import dev.lockstep.results.Environment;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.results.directory.RunDirectoryWriter;
import dev.lockstep.run.SoakFindings;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is found in the interval files of a soak run, here of one that was killed. */
final class SoakFindingsTest {
    private static final String DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    private static final double MIB = 1 << 20;
    private static final int SECONDS = 600;

    @TempDir
    Path parent;

    private final TestingCommandLine line = new TestingCommandLine();
    private Path directory;
    private RunPlan plan;

    /** Ten minutes in which one target leaks a megabyte a minute. */
    @BeforeEach
    void writeARunWithALeak() {
        directory = parent.resolve("run");
        plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(DIGEST)
                        .streamSha256(DIGEST)
                        .requests(1)
                        .requestBytes(1)
                        .build())
                .target(TargetPlan.builder("clean").profile("c2").build())
                .target(TargetPlan.builder("leaking").profile("c2").build())
                .duration(Duration.ofHours(24))
                .soak(true)
                .build();
        Random random = new Random(7);
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            writer.plan(plan);
            for (int second = 0; second < SECONDS; second++) {
                for (String target : List.of("clean", "leaking")) {
                    double leaked = target.equals("leaking") ? second * MIB / 60 : 0;
                    writer.intervals().interval(target, interval(second, 100 * MIB + leaked + random.nextInt(1 << 18)));
                }
            }
        }
    }

    private static Interval interval(int second, double rssBytes) {
        Interval interval = new Interval();
        interval.startNs = second * 1_000_000_000L;
        interval.endNs = interval.startNs + 1_000_000_000L;
        interval.startMs = 1_795_243_320_000L + 1000L * second;
        interval.endMs = interval.startMs + 1000;
        interval.counts().sent = 1;
        interval.counts().completed = 1;
        interval.counts().status(200);
        interval.responseTime().recordValue(1_000_000);
        interval.serviceTime().recordValue(1_000_000);
        interval.generatorLag().recordValue(1_000);
        interval.costs = Costs.builder().set(Cost.RSS, (long) rssBytes).build();
        return interval;
    }

    @Test
    void findsTheLeakOfARunThatWasKilled() {
        assertEquals(ExitCode.DONE, line.execute("recover", directory.toString()), line.err());

        assertTrue(line.out().startsWith("INTERRUPTED: "), line.out());
        assertTrue(line.out().contains("\nLEAK: leaking: resident memory rises by +"), line.out());
        RunResult result = RunDirectoryReader.read(directory);
        assertEquals(SECONDS, result.targets().get(1).counts().orElseThrow().completed);
        for (Drift drift : result.trends()) {
            boolean planted = drift.target().equals("leaking") && drift.metric() == Drift.Metric.RSS;
            assertEquals(planted, drift.isRising(), drift.toString());
            if (planted) {
                assertEquals(60, drift.slopePerHour() / MIB, 1, drift.toString());
            }
        }
        assertEquals(ExitCode.FAILED, line.execute("recover", directory.toString()));
        assertTrue(line.err().endsWith("run.json: the run has a result: there is nothing to recover\n"), line.err());
    }

    @Test
    void keepsTheLastMinuteBeforeAnOomKill() {
        RunResult result = RunResult.builder(plan)
                .startedAt(OffsetDateTime.now())
                .finishedAt(OffsetDateTime.now())
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .target(TargetResult.builder("clean").build())
                .target(TargetResult.builder("leaking")
                        .exit(TargetExit.builder()
                                .exitCode(137)
                                .phase("measurement")
                                .oomKilled(true)
                                .build())
                        .build())
                .build();

        List<IntervalFigures> last = SoakFindings.add(result, directory)
                .targets()
                .get(1)
                .exit()
                .orElseThrow()
                .lastMinute();

        assertEquals(60, last.size());
        assertEquals((SECONDS - 60) * 1_000_000_000L, last.get(0).startNs());
        assertEquals(SECONDS * 1_000_000_000L, last.get(59).endNs());
        assertTrue(last.get(59).costs().get(Cost.RSS).orElseThrow() > 109 * MIB);
    }

    @Test
    void refusesADirectoryWithoutARun() {
        assertEquals(
                ExitCode.FAILED, line.execute("recover", parent.resolve("none").toString()));

        assertEquals("replay: " + parent.resolve("none") + ": expected a run directory, found nothing\n", line.err());
    }
}
