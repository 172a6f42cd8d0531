package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class HolmTest {
    /** statsmodels 0.15.0: {@code multipletests([0.01, 0.04, 0.03, 0.005], method='holm')}; R's {@code p.adjust} is the same. */
    @Test
    void givesTheFiguresOfStatsmodels() {
        assertArrayEquals(new double[] {0.03, 0.06, 0.06, 0.02}, Holm.adjust(0.01, 0.04, 0.03, 0.005), 1e-12);
    }

    @Test
    void leavesOneTestAsItIsAndNothingEmpty() {
        assertArrayEquals(new double[] {0.04}, Holm.adjust(0.04), 0);
        assertArrayEquals(new double[0], Holm.adjust(), 0);
    }

    @Test
    void staysWithinOne() {
        assertArrayEquals(new double[] {1, 1, 1}, Holm.adjust(0.9, 0.5, 0.7), 0);
    }

    @Test
    void refusesWhatIsNoPValue() {
        assertThrows(IllegalArgumentException.class, () -> Holm.adjust(0.1, 1.1));
        assertThrows(IllegalArgumentException.class, () -> Holm.adjust(Double.NaN));
    }
}
