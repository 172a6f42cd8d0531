package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class PairedDifferenceTest {
    /** R: t.test(c(-0.3, -0.1, -0.2, -0.4)) gives -0.4554 to -0.0446. */
    @Test
    void hasStudentsInterval() {
        PairedDifference found = PairedDifference.of(new double[] {-0.3, -0.1, -0.2, -0.4}, 0);

        assertEquals(-0.25, found.mean(), 1e-12);
        assertEquals(-0.4554, found.interval().low(), 1e-4);
        assertEquals(-0.0446, found.interval().high(), 1e-4);
    }

    @Test
    void isCertainWhereAllPairsAgreeAndNoneCouldByChance() {
        ConfidenceInterval interval =
                PairedDifference.of(new double[] {-2, -2, -2}, 0).interval();

        assertEquals(-2, interval.low());
        assertEquals(-2, interval.high());
    }

    /** t of 95 % with one degree of freedom is 12.706. */
    @Test
    void isNotCertainWherePairsMayAgreeByChance() {
        ConfidenceInterval interval =
                PairedDifference.of(new double[] {-1, -1}, 0.4).interval();

        assertEquals(-1 - 12.706 * 0.4 / Math.sqrt(2), interval.low(), 1e-3);
        assertEquals(-1 + 12.706 * 0.4 / Math.sqrt(2), interval.high(), 1e-3);
    }

    @Test
    void needsTwoPairs() {
        assertThrows(IllegalArgumentException.class, () -> PairedDifference.of(new double[] {1}, 0));
    }
}
