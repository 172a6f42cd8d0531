package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecoverCommandTest {
    private static final String DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    private static final int SECONDS = 12;

    @TempDir
    Path parent;

    private final TestingCommandLine line = new TestingCommandLine();

    @Test
    void givesVerdictsOfTheLaunchesThatCameToTheirEnd() {
        Path directory = killedIn(4);

        assertEquals(ExitCode.DONE, line.execute("recover", directory.toString()), line.err());

        RunResult result = RunDirectoryReader.read(directory);
        assertEquals(4, result.targets().get(0).launches().size());
        Verdict verdict = result.verdicts().get(0);
        assertEquals("cpuPerRequest", verdict.metric());
        assertEquals(3, verdict.launches(), "not the fourth, which was cut short");
        assertEquals(0.9, verdict.ratio().orElseThrow(), 1e-3);
        assertEquals(Finding.BETTER, verdict.finding());
        assertTrue(
                result.notes()
                        .contains("the verdicts are those of the launches that came to their end, 3 of at most 12"),
                result.notes().toString());
        assertTrue(
                line.out().contains("\nVERDICT by CPU per request, exact (counted by the control group)\n"),
                line.out());
        line.assertReportPrintsTheSame(directory, false);
    }

    @Test
    void givesNoneOfTheFirstLaunch() {
        Path directory = killedIn(1);

        assertEquals(ExitCode.DONE, line.execute("recover", directory.toString()), line.err());

        assertEquals(List.of(), RunDirectoryReader.read(directory).verdicts());
    }

    @Test
    void saysThatACaptureNeedsNoRecovery() throws IOException {
        Path capture = Files.writeString(parent.resolve("k9.bin"), "a");

        assertEquals(ExitCode.FAILED, line.execute("recover", capture.toString()));

        assertEquals(
                "replay: " + capture + ": expected a run directory, found a file; a capture needs no recovery: check"
                        + " it with replay verify, or replay it\n",
                line.err());
    }

    /** Writes what is left of a run of six launches or more that was killed while this one was measured. */
    private Path killedIn(int last) {
        Path directory = parent.resolve("run");
        RunPlan plan = RunPlan.builder()
                .primaryMetric("cpuPerRequest")
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(DIGEST)
                        .streamSha256(DIGEST)
                        .requests(1)
                        .requestBytes(1)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .target(TargetPlan.builder("graal").profile("graal").build())
                .launches(6)
                .maxLaunches(12)
                .build();
        RunResult.Builder begun = RunResult.builder(plan)
                .startedAt(OffsetDateTime.now())
                .finishedAt(OffsetDateTime.now())
                .environment(Environment.builder().lockstepVersion("0.1.0").build());
        for (String name : List.of("c2", "graal")) {
            TargetResult.Builder target = TargetResult.builder(name);
            for (int launch = 1; launch <= last; launch++) {
                target.launch(LaunchResult.builder(launch, 1).build());
            }
            begun.target(target.build());
        }
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            writer.plan(plan);
            writer.begun(begun.build());
            for (int launch = 1; launch <= last; launch++) {
                for (int second = 0; second < SECONDS; second++) {
                    writer.intervals().interval("c2", interval(launch, second, 100_000));
                    // The last launch would speak against the others.
                    writer.intervals().interval("graal", interval(launch, second, launch < last ? 90_000 : 190_000));
                }
            }
        }
        return directory;
    }

    private static Interval interval(int launch, int second, long cpuNsPerRequest) {
        Interval interval = new Interval();
        interval.launch = launch;
        interval.startNs = ((launch - 1) * SECONDS + second) * 1_000_000_000L;
        interval.endNs = interval.startNs + 1_000_000_000L;
        interval.startMs = 1_795_243_320_000L + interval.startNs / 1_000_000;
        interval.endMs = interval.startMs + 1000;
        interval.counts().sent = 100;
        interval.counts().completed = 100;
        interval.responseTime().recordValueWithCount(1_000_000, 100);
        interval.serviceTime().recordValueWithCount(1_000_000, 100);
        interval.generatorLag().recordValueWithCount(1_000, 100);
        // No two launches are quite alike.
        interval.costs = Costs.builder()
                .set(Cost.GROUP_CPU, 100 * cpuNsPerRequest + launch % 2 * 1_000)
                .build();
        return interval;
    }
}
