package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.command.UsageException;
import dev.lockstep.measurement.Pace;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.WarmupPace;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the options come to; what they refuse is in {@code UsageTest}. */
final class LoadOptionsTest {
    @Test
    void replaysOnceAsRecordedWithoutOptions() {
        RunPlan plan = plan();
        assertEquals(Pace.RECORDED, plan.pace());
        assertEquals(OptionalInt.empty(), plan.connections());
        assertEquals(OptionalLong.empty(), plan.maxRequests());
        assertEquals(Optional.empty(), plan.duration());
        assertEquals(1, plan.speed());
        assertEquals(Optional.of(Duration.ofSeconds(20)), plan.timeout());
    }

    @Test
    void keepsTheRecordedPaceWhenOnlyTheLengthIsGiven() {
        RunPlan byCount = plan("-n", "1000");
        assertEquals(Pace.RECORDED, byCount.pace());
        assertEquals(OptionalInt.empty(), byCount.connections());
        assertEquals(OptionalLong.of(1000), byCount.maxRequests());

        RunPlan byTime = plan("-z", "2m");
        assertEquals(Pace.RECORDED, byTime.pace());
        assertEquals(Optional.of(Duration.ofMinutes(2)), byTime.duration());
    }

    @Test
    void takesTheTimeBeforeTheCountAsHeyDoes() {
        RunPlan plan = plan("-n", "10", "-c", "50", "-z", "2s");
        assertEquals(OptionalLong.empty(), plan.maxRequests());
        assertEquals(Optional.of(Duration.ofSeconds(2)), plan.duration());
    }

    @Test
    void sendsAtARateOverHeysConnections() {
        RunPlan plan = plan("-q", "200");
        assertEquals(Pace.rate(200), plan.pace());
        assertEquals(OptionalInt.of(50), plan.connections());
        assertEquals(plan, plan("--pace", "200/s"));
        assertEquals(OptionalInt.of(8), plan("-q", "200", "-c", "8").connections());
        assertEquals(OptionalInt.of(20), plan("-q", "200", "-n", "20").connections());
    }

    @Test
    void closesTheLoopWhenOnlyConnectionsAreGiven() {
        RunPlan plan = plan("-c", "8");
        assertEquals(Pace.MAX, plan.pace());
        assertEquals(OptionalInt.of(8), plan.connections());
        assertEquals(OptionalInt.of(50), plan("--pace", "max").connections());
    }

    @Test
    void spreadsTheRecordedPaceOverConnectionsWhenAskedFor() {
        RunPlan plan = plan("--pace", "recorded", "-c", "8", "--speed", "2x");
        assertEquals(Pace.RECORDED, plan.pace());
        assertEquals(OptionalInt.of(8), plan.connections());
        assertEquals(2, plan.speed());
    }

    @Test
    void takesZeroAsNoTimeOutAndNoWarmUp() {
        RunPlan plan = plan("-t", "0", "--warmup", "0");
        assertEquals(Optional.empty(), plan.timeout());
        assertEquals(Duration.ZERO, plan.warmup());
    }

    @Test
    void warmsUpUntilTargetsAreSteadyThatItStarts() {
        RunPlan plan = plan();
        assertEquals(Optional.of(Duration.ofMinutes(5)), plan.warmupLimit());
        assertEquals(Optional.of(WarmupPace.MAX), plan.warmupPace());
        assertEquals(plan, plan("--warmup", "auto"));
        RunPlan asked = plan("--warmup-limit", "1m", "--warmup-pace", "recorded");
        assertEquals(Optional.of(Duration.ofMinutes(1)), asked.warmupLimit());
        assertEquals(Optional.of(WarmupPace.RECORDED), asked.warmupPace());
        RunPlan fixed = plan("--warmup", "3s");
        assertEquals(Duration.ofSeconds(3), fixed.warmup());
        assertEquals(Optional.empty(), fixed.warmupLimit());
    }

    @Test
    void warmsServersThatRunAlreadyUpForTenSeconds() {
        RunPlan plan = plan(false);
        assertEquals(Duration.ofSeconds(10), plan.warmup());
        assertEquals(Optional.empty(), plan.warmupLimit());
        UsageException refused = assertThrows(UsageException.class, () -> plan(false, "--warmup", "auto"));
        assertTrue(refused.getMessage().startsWith("--warmup auto looks at the CPU"), refused.getMessage());
        assertThrows(UsageException.class, () -> plan(false, "--warmup-pace", "max"));
    }

    @Test
    void sendsNoMoreToAUrlThanTheRequestsThatAreAskedFor() {
        assertEquals(Duration.ZERO, ofUrl("-n", "1").warmup());
        assertEquals(Duration.ofSeconds(10), ofUrl("-z", "5").warmup());
        assertEquals(Duration.ofSeconds(3), ofUrl("-n", "1", "--warmup", "3s").warmup());
        assertEquals(Duration.ofSeconds(10), plan(false, "-n", "1").warmup(), "a capture is repeated anyway");
    }

    private static RunPlan ofUrl(String... args) {
        LoadOptions load = new LoadOptions();
        new CommandLine(load).parseArgs(args);
        load.url();
        load.check();
        return plan(load, false);
    }

    private static RunPlan plan(String... args) {
        return plan(true, args);
    }

    private static RunPlan plan(boolean started, String... args) {
        LoadOptions load = new LoadOptions();
        new CommandLine(load).parseArgs(args);
        load.check();
        return plan(load, started);
    }

    private static RunPlan plan(LoadOptions load, boolean started) {
        String digest = "0".repeat(64);
        RunPlan.Builder plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("capture.bin")
                        .sha256(digest)
                        .streamSha256(digest)
                        .requests(100)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build());
        load.addTo(plan, started, false);
        return plan.build();
    }
}
