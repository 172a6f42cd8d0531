package dev.lockstep.run;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Phases and targets as a run tells them, without a run. */
public final class TestingPhases {
    private static final long SECOND_NS = 1_000_000_000;

    private TestingPhases() {}

    public static RunPhase start(String target) {
        return RunPhase.builder(RunPhase.Kind.START, target + ": starting")
                .target(target)
                .build();
    }

    /** One of all targets, until they are steady. */
    public static RunPhase warmUp() {
        return RunPhase.builder(RunPhase.Kind.WARM_UP, "warm-up").build();
    }

    /** One of a target alone, until it is steady. */
    public static RunPhase warmUp(String target) {
        return RunPhase.builder(RunPhase.Kind.WARM_UP, target + ": warm-up")
                .target(target)
                .build();
    }

    /** A round of a target, of a second. */
    public static RunPhase round(String target, int place, int targets, int round, int rounds) {
        return RunPhase.builder(RunPhase.Kind.MEASUREMENT, target + ": round " + (round + 1) + " of " + rounds)
                .target(target)
                .lengthNs(SECOND_NS)
                .turn(ImmutableTurn.of((long) round * targets + place, targets, rounds))
                .build();
    }

    /** The measured phase of all targets together, of so many seconds. */
    public static RunPhase measurement(int seconds) {
        return RunPhase.builder(RunPhase.Kind.MEASUREMENT, "measuring")
                .lengthNs(seconds * SECOND_NS)
                .build();
    }

    public static ReadyTarget ready(String target, int launch) {
        return ImmutableReadyTarget.builder()
                .name(target)
                .launch(launch)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 8080))
                .sentence(target + ": ready in 900 ms")
                .build();
    }
}
