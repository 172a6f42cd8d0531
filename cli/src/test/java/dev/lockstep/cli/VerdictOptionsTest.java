package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.CaptureReference;
import dev.lockstep.measurement.Environment;
import dev.lockstep.measurement.FleetCost;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.TargetPlan;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.measurement.Verdict;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class VerdictOptionsTest {
    private static final String HASH = "ab".repeat(32);

    @Test
    void moneyRestsOnTheIntervalOfUserCpuAlone() {
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("a.bin")
                        .sha256(HASH)
                        .streamSha256(HASH)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .target(TargetPlan.builder("graal").profile("graal").build())
                .primaryMetric("p99")
                .launches(6)
                .build();
        RunResult result = RunResult.builder(plan)
                .startedAt(OffsetDateTime.now())
                .finishedAt(OffsetDateTime.now())
                .environment(Environment.builder().lockstepVersion("0.1.0").build())
                .target(TargetResult.builder("c2").build())
                .target(TargetResult.builder("graal").build())
                .build()
                .withVerdicts(List.of(Verdict.builder("userCpuPerRequest", "graal", "c2")
                        .ratio(0.9)
                        .interval(new Verdict.Interval(0.7, 1.1))
                        .interval95(new Verdict.Interval(0.85, 0.95))
                        .launches(6)
                        .build()));
        VerdictOptions options =
                CommandLine.populateCommand(new VerdictOptions(), "--cost", "core-year=100,cores=10,servers=1");

        FleetCost.Saving saving =
                options.conclude(result).fleetCost().orElseThrow().savings().get(0);

        assertEquals(100, saving.usdPerYear(), 1e-9);
        assertEquals(50, saving.interval().orElseThrow().low(), 1e-9);
        assertEquals(150, saving.interval().orElseThrow().high(), 1e-9);
    }
}
