package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Drift;
import dev.lockstep.results.Environment;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose doing it is that the p99 of a soak run rises. */
final class SoakFindingsTest {
    private static final String DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-11-21T07:42:00+01:00");
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int SECONDS = 600;

    @TempDir
    Path parent;

    private final RunPlan plan = RunPlan.builder()
            .capture(CaptureReference.builder()
                    .path("a.bin")
                    .sha256(DIGEST)
                    .streamSha256(DIGEST)
                    .requests(1)
                    .requestBytes(1)
                    .build())
            .target(TargetPlan.builder("c2").profile("c2").build())
            .duration(Duration.ofSeconds(SECONDS))
            .replayerCores(List.of(0))
            .soak(true)
            .build();

    @Test
    void findsADriftThatIsTheTargetsOwn() {
        assertTrue(p99(result(0), 0).isRising());
    }

    @Test
    void findsNoneWhereOthersHadTheProcessorsOrLockstepWasLate() {
        Drift starved = p99(result(100), 0);
        assertTrue(!starved.isRising(), starved.toString());
        assertEquals(Optional.of("not known: others had its processors"), starved.whyNot());

        RunResult late =
                RunResult.builder(plan).from(result(0)).late("c2: late").build();
        assertEquals(Optional.of("not known: Lockstep was late"), p99(late, 0).whyNot());
    }

    /** Its answers would say that it gets no slower. */
    @Test
    void knowsNothingOfAP99ThatRequestsWithoutAnAnswerReach() {
        assertEquals(
                Optional.of("not known: requests without an answer reach it in 60 of 600 intervals"),
                p99(result(0), 60).whyNot());
        assertTrue(p99(result(0), 6).isRising(), "a few seconds of many");
    }

    /** There is no trend then that could say so. */
    @Test
    void saysWhyNothingIsKnownOfAP99ThatRequestsWithoutAnAnswerReachAllTheTime() {
        RunResult found = found(result(0), SECONDS);

        assertTrue(
                found.trends().stream().allMatch(drift -> drift.metric().isMemory()),
                found.trends().toString());
        assertEquals(
                List.of("c2: whether the p99 drifts is not known: requests without an answer reach it in 600 of 600"
                        + " intervals"),
                found.notes());
    }

    /** Returns the result of a target that waited for so many seconds for a processor that others had. */
    private RunResult result(int starvedSeconds) {
        LoadCounts counts = new LoadCounts();
        counts.sent = SECONDS;
        counts.completed = SECONDS;
        return RunResult.builder(plan)
                .startedAt(START)
                .finishedAt(START.plusSeconds(SECONDS))
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .target(TargetResult.builder("c2")
                        .load(LoadResult.builder()
                                .counts(counts)
                                .measuredNs(SECONDS * SECOND_NS)
                                .build())
                        .costs(Costs.builder()
                                .set(Cost.USER_CPU, 100 * SECOND_NS)
                                .set(Cost.SYSTEM_CPU, 10 * SECOND_NS)
                                .set(Cost.RUN_DELAY, starvedSeconds * SECOND_NS)
                                .set(Cost.PROCESSORS_BUSY, (110 + starvedSeconds) * SECOND_NS)
                                .build())
                        .cpus("1")
                        .build())
                .build();
    }

    /**
     * Returns what is found of a p99 that rises, where no request of so many of the last seconds is answered in time.
     */
    private Drift p99(RunResult result, int unansweredSeconds) {
        return found(result, unansweredSeconds).trends().stream()
                .filter(drift -> drift.metric() == Drift.Metric.RESPONSE_TIME_P99)
                .findFirst()
                .orElseThrow();
    }

    private RunResult found(RunResult result, int unansweredSeconds) {
        Path directory = parent.resolve("run" + unansweredSeconds + result.hashCode());
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            writer.plan(plan);
            for (int second = 0; second < SECONDS; second++) {
                writer.intervals().interval("c2", interval(second, second >= SECONDS - unansweredSeconds ? 1 : 0));
            }
        }
        return SoakFindings.add(result, directory);
    }

    private static Interval interval(int second, int errors) {
        Interval interval = new Interval();
        interval.startNs = second * SECOND_NS;
        interval.endNs = interval.startNs + SECOND_NS;
        interval.startMs = START.toInstant().toEpochMilli() + 1000L * second;
        interval.endMs = interval.startMs + 1000;
        interval.counts().sent = 1 + errors;
        interval.counts().completed = 1;
        interval.counts().status(200);
        interval.counts().error(ErrorKind.READ_TIMEOUT, errors);
        interval.responseTime().recordValue(1_000_000 + 5_000 * second);
        interval.serviceTime().recordValue(1_000_000);
        interval.generatorLag().recordValue(1_000);
        interval.costs = Costs.builder().set(Cost.RSS, 100_000_000).build();
        return interval;
    }
}
