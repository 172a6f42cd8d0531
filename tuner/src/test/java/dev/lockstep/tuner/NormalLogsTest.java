package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class NormalLogsTest {
    /** Figures by mpmath with 60 digits: z, log(density + z probability), log(probability). */
    private static final double[][] FIGURES = {
        {3, 1.0987396653277078, -0.0013508099647481938},
        {0.5, -0.35982768374506382, -0.36894641528865639},
        {-0.5, -1.6205162643873199, -1.1759117615936186},
        {-1.5, -3.5299359208057099, -2.7059444008238898},
        {-8, -37.122364261692633, -35.01343715991455},
        {-50, -1258.7441828684609, -1254.8313611394199},
        {-150, -11260.940342433996, -11255.929618266808},
        {-1e4, -50000019.339619307, -50000010.129278915},
    };

    @Test
    void isExactIntoTheTails() {
        for (double[] one : FIGURES) {
            assertEquals(one[1], NormalLogs.improvement(one[0]), 1e-9 * Math.abs(one[1]), "at " + one[0]);
            assertEquals(one[2], NormalLogs.probability(one[0]), 1e-9 * Math.max(1, Math.abs(one[2])), "at " + one[0]);
        }
    }

    @Test
    void takesForNothingTheDifferenceOfWhatRoundingMadeLess() {
        assertEquals(Math.log(3 - 2), NormalLogs.difference(Math.log(3), Math.log(2)), 1e-12);
        assertEquals(Double.NEGATIVE_INFINITY, NormalLogs.difference(-700, Math.nextUp(-700.0)));
        assertEquals(Double.NEGATIVE_INFINITY, NormalLogs.difference(-700, -700));
        assertEquals(-700, NormalLogs.difference(-700, Double.NEGATIVE_INFINITY));
    }

    @Test
    void goesOnWhereItsFormulasMeet() {
        for (double z : new double[] {-1, -100, -1e6}) {
            double above = NormalLogs.improvement(z * (1 - 1e-9));
            double below = NormalLogs.improvement(z * (1 + 1e-9));
            assertEquals(above, below, 1e-8 * Math.abs(above), "at " + z);
        }
    }

    @Test
    void quantilesAreThoseOfTheProbabilities() {
        for (double z : new double[] {-5, -1, 0, 0.3, 2}) {
            assertEquals(z, NormalLogs.quantile(Math.exp(NormalLogs.probability(z))), 1e-9);
        }
    }
}
