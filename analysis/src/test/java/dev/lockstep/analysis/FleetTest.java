package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.FleetCost;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Verdict.Interval;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class FleetTest {
    private static final String HASH = "ab".repeat(32);

    /** The source says 3,048,000 and 335,280 for the same product: it has lost a zero. */
    @Test
    void multipliesWhatTheSourceMultiplies() {
        FleetCost cost = Fleet.of(127, 24, 10_000).worth(run(0.89, null));

        assertEquals(30_480_000, cost.usdPerYear(), 0);
        assertEquals(3_352_800, cost.savings().get(0).usdPerYear(), 1e-6);
        assertTrue(cost.savings().get(0).interval().isEmpty());
    }

    @Test
    void turnsTheIntervalOfTheRatioAround() {
        FleetCost.Saving saving = saving(Fleet.of(127, 24, 10_000), 0.89, Interval.of(0.87, 0.91));

        assertEquals(2_743_200, saving.interval().orElseThrow().low(), 1e-6);
        assertEquals(3_962_400, saving.interval().orElseThrow().high(), 1e-6);
    }

    @Test
    void countsALossAsANegativeSaving() {
        FleetCost.Saving saving = saving(Fleet.of(100, 1, 10), 1.1, Interval.of(0.95, 1.25));

        assertEquals(-100, saving.usdPerYear(), 1e-9);
        assertEquals(-250, saving.interval().orElseThrow().low(), 1e-9);
        assertEquals(50, saving.interval().orElseThrow().high(), 1e-9);
    }

    /** Each refused in another launch, so that no pair has full load: what the JIT took too is no answer to that. */
    @Test
    void hasNoSumByOtherCpuWhereNoPairHasWhatDecides() {
        RunResult run = run(0.89, null);
        FleetCost cost = Fleet.of(127, 24, 10_000)
                .worth(run.withVerdicts(List.of(
                        Verdict.builder("fullLoadCpuPerRequest", "graal", "c2")
                                .primary(true)
                                .launches(0)
                                .ofLaunches(2)
                                .build(),
                        run.verdicts().get(0))));

        assertEquals("fullLoadCpuPerRequest", cost.metric());
        assertEquals(List.of(), cost.savings());
    }

    @Test
    void refusesPricesAndFleetsOfNothing() {
        assertThrows(IllegalArgumentException.class, () -> Fleet.of(0, 24, 10));
        assertThrows(IllegalArgumentException.class, () -> Fleet.of(127, -1, 10));
        assertThrows(IllegalArgumentException.class, () -> Fleet.of(127, 24, Double.NaN));
    }

    private static FleetCost.Saving saving(Fleet fleet, double ratio, Interval interval) {
        return fleet.worth(run(ratio, interval)).savings().get(0);
    }

    /** Returns a run whose second target needs so many times the CPU of the first. */
    private static RunResult run(double ratio, Interval interval) {
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(HASH)
                        .streamSha256(HASH)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .target(TargetPlan.builder("graal").profile("graal").build())
                .launches(6)
                .build();
        OffsetDateTime start = OffsetDateTime.parse("2026-11-21T07:42:00+01:00");
        return RunResult.builder(plan)
                .startedAt(start)
                .finishedAt(start.plusSeconds(5))
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .targets(List.of(
                        TargetResult.builder("c2").build(),
                        TargetResult.builder("graal").build()))
                .build()
                .withVerdicts(List.of(Verdict.builder("cpuPerRequest", "graal", "c2")
                        .launches(6)
                        .ofLaunches(6)
                        .ratio(ratio)
                        .interval95(interval)
                        .build()));
    }
}
