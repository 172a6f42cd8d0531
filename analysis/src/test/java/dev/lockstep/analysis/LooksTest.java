package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.Test;

class LooksTest {
    @Test
    void takesNothingFromTheOnlyLook() {
        assertEquals(0.95, Looks.after().levelAt(3, 0.05), 1e-12);
        assertEquals(0.99, Looks.after().levelAt(6, 0.01), 1e-12);
        assertEquals(0.95, Looks.after(6).levelAt(6, 0.05), 1e-12);
    }

    /**
     * Bounds of five looks equally far apart that spend 0.05 ln(1 + (e - 1) t) two-sided, as the programs of D. M.
     * Reboussin, D. L. DeMets, K. Kim and K. K. G. Lan (Controlled Clinical Trials 21, 2000) give them.
     */
    @Test
    void givesTheBoundsOfLanAndDeMets() {
        Looks looks = Looks.after(2, 4, 6, 8, 10);
        double[] bounds = {2.438, 2.427, 2.410, 2.397, 2.386};
        for (int look = 0; look < bounds.length; look++) {
            double alpha = 1 - looks.levelAt(2 * look + 2, 0.05);
            double bound = NormalDistribution.of(0, 1).inverseSurvivalProbability(alpha / 2);
            assertEquals(bounds[look], bound, 0.002, "look " + (look + 1));
        }
    }

    @Test
    void asksForMoreWhereThereAreMoreLooksAndMoreMetrics() {
        Looks looks = Looks.after(6, 8, 10, 12);
        assertEquals(0.969, looks.levelAt(6, 0.05), 0.001);
        for (int launches : new int[] {6, 8, 10, 12}) {
            assertTrue(looks.levelAt(launches, 0.05) > 0.955 && looks.levelAt(launches, 0.05) < 0.985);
            assertTrue(looks.levelAt(launches, 0.005) > 0.9955);
        }
    }

    /** An interrupted run ends between two looks. */
    @Test
    void hasALevelForALookThatWasNotPlanned() {
        Looks looks = Looks.after(6, 12);
        double level = looks.levelAt(9, 0.05);
        assertTrue(level > 0.95 && level < 1, "level " + level);
        assertTrue(looks.levelAt(2, 0.05) > looks.levelAt(6, 0.05), "earlier than the first");
    }

    @Test
    void refusesLooksThatGoBack() {
        assertThrows(IllegalArgumentException.class, () -> Looks.after(6, 6));
        assertThrows(IllegalArgumentException.class, () -> Looks.after(0, 6));
    }
}
