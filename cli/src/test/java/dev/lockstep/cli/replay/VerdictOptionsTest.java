package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.FleetCost;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class VerdictOptionsTest {
    private static final String HASH = "ab".repeat(32);

    @Test
    void moneyRestsOnTheIntervalOfAllCpuAlone() {
        FleetCost cost = worth("p99");

        assertEquals("cpuPerRequest", cost.metric());
        FleetCost.Saving saving = cost.savings().get(0);
        assertEquals(100, saving.usdPerYear(), 1e-9);
        assertEquals(50, saving.interval().orElseThrow().low(), 1e-9);
        assertEquals(150, saving.interval().orElseThrow().high(), 1e-9);
    }

    @Test
    void moneyRestsOnUserCpuWhereThatDecides() {
        FleetCost cost = worth("userCpuPerRequest");

        assertEquals("userCpuPerRequest", cost.metric());
        assertEquals(200, cost.savings().get(0).usdPerYear(), 1e-9);
    }

    @Test
    void helpNamesTheMetricThatDecidesByDefault() {
        String help = String.join(
                " ",
                TestingCommandLine.parser()
                        .getCommandSpec()
                        .findOption("--primary")
                        .description());

        assertTrue(
                help.contains(
                        "Default: fullLoadCpuPerRequest, else " + plan().build().primaryMetric() + ","),
                help);
    }

    private static RunPlan.Builder plan() {
        return RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(HASH)
                        .streamSha256(HASH)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .target(TargetPlan.builder("graal").profile("graal").build())
                .launches(6);
    }

    /** Prices a fleet of 1,000 USD a year by a run that has verdicts on both kinds of CPU. */
    private static FleetCost worth(String primary) {
        RunPlan plan = plan().primaryMetric(primary).build();
        RunResult result = RunResult.builder(plan)
                .startedAt(OffsetDateTime.now())
                .finishedAt(OffsetDateTime.now())
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .target(TargetResult.builder("c2").build())
                .target(TargetResult.builder("graal").build())
                .build()
                .withVerdicts(List.of(verdict("cpuPerRequest", 0.9), verdict("userCpuPerRequest", 0.8)));
        return CommandLine.populateCommand(new VerdictOptions(), "--cost", "core-year=100,cores=10,servers=1")
                .fleet()
                .orElseThrow()
                .worth(result);
    }

    private static Verdict verdict(String metric, double ratio) {
        return Verdict.builder(metric, "graal", "c2")
                .ratio(ratio)
                .interval(Verdict.Interval.of(ratio - 0.2, ratio + 0.2))
                .interval95(Verdict.Interval.of(ratio - 0.05, ratio + 0.05))
                .launches(6)
                .build();
    }
}
