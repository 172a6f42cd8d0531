package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ConfidenceIntervalTest {
    private final ConfidenceInterval interval = ConfidenceInterval.of(0.95, 1.25, 0.95);

    @Test
    void containsItsEnds() {
        assertTrue(interval.contains(0.95) && interval.contains(1) && interval.contains(1.25));
        assertFalse(interval.contains(0.949) || interval.contains(1.251) || interval.contains(Double.NaN));
        assertTrue(interval.within(interval));
        assertFalse(interval.within(ConfidenceInterval.of(0.96, 1.3, 0.95)));
        assertEquals("0.950000 to 1.25000 (95 %)", interval.toString());
    }

    @Test
    void refusesWhatIsNoInterval() {
        assertThrows(IllegalArgumentException.class, () -> ConfidenceInterval.of(2, 1, 0.95));
        assertThrows(IllegalArgumentException.class, () -> ConfidenceInterval.of(Double.NaN, 1, 0.95));
        assertThrows(IllegalArgumentException.class, () -> ConfidenceInterval.of(1, 2, 1));
    }
}
