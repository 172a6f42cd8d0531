package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class LeakTest {
    private static final long STEP_NS = Leak.STEP_MS * 1_000_000L;

    @Test
    void keepsWhatIsDueToThePiece() {
        Leak leak = new Leak(1 << 20, 5);

        for (long step = 1; step <= 240; step++) {
            leak.step(5 + step * STEP_NS);
        }

        assertEquals(1 << 20, leak.keptBytes());
    }

    @Test
    void makesNothingUpForATimeInWhichItWasFrozen() {
        Leak leak = new Leak(60 << 20, 0);

        leak.step(STEP_NS);
        leak.step(STEP_NS + 3_600_000_000_000L);

        assertEquals((1 << 20) * 5 / 4, leak.keptBytes());
    }
}
