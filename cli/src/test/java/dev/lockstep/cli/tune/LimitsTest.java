package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LimitsTest {
    private static final String HASH = "ab".repeat(32);

    /** A target that answered 1,000 requests in so many ms each, and so many not at all. */
    private static TargetResult target(String name, long ms, long withoutAnswer) {
        return target(name, ms, withoutAnswer, 0);
    }

    /** As {@link #target(String, long, long)}, which Lockstep sent so many ms late. */
    private static TargetResult target(String name, long ms, long withoutAnswer, long lagMs) {
        Interval all = new Interval();
        all.responseTime().recordValueWithCount(ms * 1_000_000, 1000);
        Interval lag = new Interval();
        lag.responseTime().recordValueWithCount(lagMs * 1_000_000, 1000);
        LoadCounts counts = all.counts();
        counts.sent = 1000 + withoutAnswer;
        counts.completed = 1000;
        counts.unanswered = withoutAnswer;
        LoadResult load = LoadResult.builder()
                .counts(counts)
                .measuredNs(10_000_000_000L)
                .responseTime(all.responseTime())
                .ownLag(lag.responseTime())
                .build();
        return TargetResult.builder(name)
                .load(load)
                .launch(LaunchResult.builder(1, 1).load(load).build())
                .build();
    }

    private static TargetResult collecting(String name, long cycles) {
        LoadResult load = target(name, 1, 0).load().orElseThrow();
        return TargetResult.builder(name)
                .load(load)
                .cost(Cost.GC_CYCLES, cycles)
                .launch(LaunchResult.builder(1, 1)
                        .load(load)
                        .costs(Costs.builder().set(Cost.GC_CYCLES, cycles).build())
                        .build())
                .build();
    }

    /** What is measured of these constraints where one target has to keep them beside another. */
    private static Map<String, Double> measured(List<String> names, TargetResult candidate, TargetResult control) {
        return Limits.of(names).measured(run(names, candidate, control, List.of()), candidate.name(), control.name());
    }

    /** @param late why Lockstep was late */
    private static RunResult run(List<String> names, TargetResult candidate, TargetResult control, List<String> late) {
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(HASH)
                        .streamSha256(HASH)
                        .build())
                .target(TargetPlan.builder(control.name()).profile("c2").build())
                .target(TargetPlan.builder(candidate.name()).profile("c2").build())
                .build();
        RunResult.Builder builder = RunResult.builder(plan)
                .startedAt(OffsetDateTime.now())
                .finishedAt(OffsetDateTime.now())
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .target(control)
                .target(candidate);
        late.forEach(builder::late);
        RunResult result = builder.build();
        return result.withAssertions(Limits.of(names)
                .conditions(plan, List.of(candidate.name()), control.name())
                .outcomes(result));
    }

    /** Neither kept nor violated, whatever the figures are. */
    @Test
    void measuresNothingOfATimeThatLockstepSpoiled() {
        List<String> names = List.of("p99 <= 20ms", "p99", "p99 <= 2 * control", "errors", "throttled");
        for (long ms : new long[] {1, 90}) {
            RunResult run = run(
                    names,
                    target(JvmSearch.CANDIDATE, ms, 0),
                    target(JvmSearch.CONTROL, 1, 0),
                    List.of("the replayer was late"));
            Limits limits = Limits.of(names);

            assertEquals(List.of(), limits.violated(run, JvmSearch.CANDIDATE, JvmSearch.CONTROL));
            assertEquals(names.subList(0, 3), limits.unmeasured(run, JvmSearch.CANDIDATE, JvmSearch.CONTROL));
        }
    }

    @Test
    void noLimitHoldsForAPercentileThatRequestsWithoutAnAnswerReach() {
        List<String> names = List.of("p99", "p99 <= 20ms", "p99 <= 2 * control");

        Map<String, Double> lost = measured(names, target(JvmSearch.CANDIDATE, 1, 20), target(JvmSearch.CONTROL, 1, 0));

        assertEquals(Map.of("p99", 1.0, "p99 <= 20ms", 1.0, "p99 <= 2 * control", 1.0), lost);
        Map<String, Double> kept = measured(names, target(JvmSearch.CANDIDATE, 1, 0), target(JvmSearch.CONTROL, 1, 0));
        assertEquals(3, kept.size());
        assertTrue(kept.values().stream().allMatch(value -> value < 0), kept + "");
    }

    @Test
    void takesAFigureOfZeroForAFigure() {
        for (long[] one : new long[][] {{0, 0}, {0, 5}, {30, 0}}) {
            assertEquals(one[0] > one[1], moreCollections(one[0], one[1]) > 0, List.of(one[0], one[1]) + "");
        }
    }

    @Test
    void forgivesACollectionMoreWhichIsChance() {
        for (long[] one : new long[][] {{1, 0}, {2, 1}, {12, 10}}) {
            assertTrue(moreCollections(one[0], one[1]) <= 0, List.of(one[0], one[1]) + "");
        }
        assertTrue(moreCollections(60, 20) > 0);
    }

    private static double moreCollections(long candidate, long control) {
        return measured(
                        List.of("gcCycles"),
                        collecting(JvmSearch.CANDIDATE, candidate),
                        collecting(JvmSearch.CONTROL, control))
                .get("gcCycles");
    }

    @Test
    void saysNothingWhereItIsTheControlThatHasNoFigure() {
        assertEquals(
                Map.of(),
                measured(
                        List.of("p99", "p99 <= 2 * control"),
                        target(JvmSearch.CANDIDATE, 1, 20),
                        target(JvmSearch.CONTROL, 1, 20)));
    }

    @Test
    void measuresAConditionHoweverItIsSpaced() {
        String spaced = " p99  <=\t2ms ";

        Map<String, Double> measured =
                measured(List.of(spaced), target(JvmSearch.CANDIDATE, 4, 0), target(JvmSearch.CONTROL, 1, 0));

        assertEquals(1, measured.get(spaced), 1e-9);
    }

    @Test
    void measuresNothingBesideAControlWhoseTimeLockstepSpoiledHoweverItIsSpaced() {
        Map<String, Double> measured = measured(
                List.of("p99 <= 20ms", "p99 <= control", "p99<=control"),
                target(JvmSearch.CANDIDATE, 90, 0),
                target(JvmSearch.CONTROL, 1, 0, 1));

        assertEquals(Set.of("p99 <= 20ms"), measured.keySet());
    }

    @Test
    void meansTheDefaultByTheControlInAVerification() {
        Map<String, Double> measured = measured(
                List.of("p99", "p99 <= 2 * control"), target(JvmSearch.TUNED, 4, 0), target(JvmSearch.DEFAULT, 1, 0));

        assertTrue(measured.get("p99") > 0, measured + "");
        assertTrue(measured.get("p99 <= 2 * control") > 0, measured + "");
    }

    @Test
    void alwaysHasErrorsAmongThem() {
        assertEquals(List.of("errors"), Limits.withErrors(List.of()));
        assertEquals(List.of("errors", "p99"), Limits.withErrors(List.of("p99")));
        assertEquals(List.of("p99", "errors"), Limits.withErrors(List.of("p99", "errors")));
    }
}
