package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.measurement.Pace;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.WarmupPace;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How many turns targets get where nobody says. */
final class RunPlannerTest {
    /** The sample's: 11.5 s long. */
    private static RunPlan.Builder plan(long requests) {
        return RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("users.bin")
                        .sha256("0".repeat(64))
                        .streamSha256("1".repeat(64))
                        .requests(requests)
                        .requestBytes(100 * requests)
                        .connections(1)
                        .durationNs(11_500_000_000L)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .target(TargetPlan.builder("graal").profile("graal").build());
    }

    private static int rounds(Duration duration) {
        return RunPlanner.rounds(plan(300).duration(duration).build());
    }

    @Test
    void givesShortTurnsAndLongerOnesInALongRun() {
        assertEquals(32, rounds(Duration.ofSeconds(8)));
        assertEquals(240, rounds(Duration.ofMinutes(1)));
        assertEquals(480, rounds(Duration.ofMinutes(10)));
        assertEquals(1_800, rounds(Duration.ofHours(1)));
        assertEquals(43_200, rounds(Duration.ofHours(24)));
        assertEquals(RunPlanner.MOST_ROUNDS, rounds(Duration.ofDays(10_000)));
    }

    @Test
    void givesServersThatAreNotFrozenTurnsOfTwoSeconds() {
        RunPlan plan = plan(300)
                .target(TargetPlan.builder("running").address("127.0.0.1:1").build())
                .duration(Duration.ofSeconds(8))
                .build();

        assertEquals(4, RunPlanner.rounds(plan));
    }

    @Test
    void givesTurnsOfTenSecondsInASoak() {
        assertEquals(
                8640,
                RunPlanner.rounds(
                        plan(300).duration(Duration.ofHours(24)).soak(true).build()));
    }

    @Test
    void givesEachAnEvenNumberSoThatItIsFirstAsOftenAsLast() {
        assertEquals(46, RunPlanner.rounds(plan(300).build()), "11.5 s");
        for (int tenths = 1; tenths < 200; tenths++) {
            assertEquals(0, rounds(Duration.ofMillis(100 * tenths)) % 2, tenths + " tenths of a second");
        }
        assertEquals(2, rounds(Duration.ofMillis(100)));
        assertEquals(2, RunPlanner.rounds(plan(3).build()), "no turn without a request");
        assertEquals(1, RunPlanner.rounds(plan(1).build()));
        assertEquals(1, RunPlanner.rounds(plan(0).build()));
    }

    /** It said 45 s, of 42 s at most, and had counted 40 s. */
    @Test
    void saysWhichLengthOfAWarmUpItsEstimateCounts() {
        assertEquals(", if a warm-up takes 40.0 s (42.0 s at most)", warmUp(42));
        assertEquals(", if a warm-up takes 30.0 s (30.0 s at most)", warmUp(30));
        assertEquals("", RunPlanner.assumedWarmUp(plan(300).build()));
    }

    /** Of each target: start, warm-up, the measured pace before the profile, and the profile. */
    @Test
    void countsAllThatAProfileTakes() {
        RunPlan.Builder plan = plan(300).warmupUntilSteady(Duration.ofSeconds(30), WarmupPace.MAX);
        long withoutNs = RunPlanner.runNs(plan.build()).getAsLong();

        long withNs = RunPlanner.runNs(
                        plan.profileDuration(Duration.ofSeconds(7)).build())
                .getAsLong();

        assertEquals(Duration.ofSeconds(2 * (3 + 30 + 10 + 7)).toNanos(), withNs - withoutNs);
    }

    private static String warmUp(int seconds) {
        return RunPlanner.assumedWarmUp(plan(300)
                .warmupUntilSteady(Duration.ofSeconds(seconds), WarmupPace.MAX)
                .build());
    }

    @Test
    void givesFourWhereNobodyKnowsTheLength() {
        assertEquals(
                4,
                RunPlanner.rounds(plan(300)
                        .pace(Pace.MAX)
                        .connections(50)
                        .maxRequests(1_000_000)
                        .build()));
        assertEquals(
                500,
                RunPlanner.rounds(plan(300)
                        .pace(Pace.rate(1000))
                        .connections(50)
                        .maxRequests(1_000_000)
                        .build()),
                "the rate tells");
    }
}
