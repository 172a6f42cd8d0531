package dev.lockstep.replayer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class HeatingRhythmTest {
    private static final long MS = 1_000_000;

    @Test
    void restsForTheLastMillisecondsOfEachTenth() {
        HeatingRhythm rhythm = new HeatingRhythm(-30 * MS);

        assertEquals(0, rhythm.restLeftNs(-30 * MS));
        assertEquals(0, rhythm.restLeftNs(65 * MS - 1));
        assertEquals(5 * MS, rhythm.restLeftNs(65 * MS));
        assertEquals(1, rhythm.restLeftNs(70 * MS - 1));
        assertEquals(0, rhythm.restLeftNs(70 * MS));
        assertEquals(2 * MS, rhythm.restLeftNs(168 * MS));
    }

    @Test
    void restsForMostOfEachTenthAsLongAsTheTargetCompiles() {
        HeatingRhythm rhythm = new HeatingRhythm(0);

        rhythm.compiling(true);
        assertEquals(0, rhythm.restLeftNs(40 * MS - 1));
        assertEquals(60 * MS, rhythm.restLeftNs(40 * MS));
        rhythm.compiling(false);
        assertEquals(0, rhythm.restLeftNs(40 * MS));
        assertEquals(5 * MS, rhythm.restLeftNs(95 * MS));
    }

    @Test
    void renewsOneConnectionEachTime() {
        HeatingRhythm rhythm = new HeatingRhythm(0);

        assertFalse(rhythm.renews(49 * MS));
        assertTrue(rhythm.renews(60 * MS));
        assertFalse(rhythm.renews(60 * MS));
        assertFalse(rhythm.renews(109 * MS));
        assertTrue(rhythm.renews(110 * MS));
    }
}
