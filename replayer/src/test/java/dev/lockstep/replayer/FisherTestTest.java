package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FisherTestTest {
    @Test
    void givesFishersOwnProbabilitiesOfTheLadyTastingTea() {
        assertEquals(1 / 70.0, FisherTest.pValue(4, 4, 0, 4), 1e-9);
        assertEquals(17 / 70.0, FisherTest.pValue(3, 4, 1, 4), 1e-9);
        assertEquals(1, FisherTest.pValue(0, 4, 4, 4), 1e-9);
    }

    @Test
    void equalsTheSumOfExactHypergeometricTerms() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int size = 1 + random.nextInt(60);
            int otherSize = 1 + random.nextInt(60);
            int marked = random.nextInt(size + 1);
            int otherMarked = random.nextInt(otherSize + 1);
            int all = marked + otherMarked;
            BigInteger sum = BigInteger.ZERO;
            for (int k = marked; k <= Math.min(all, size); k++) {
                sum = sum.add(choose(size, k).multiply(choose(otherSize, all - k)));
            }
            double exact = new BigDecimal(sum)
                    .divide(new BigDecimal(choose(size + otherSize, all)), MathContext.DECIMAL64)
                    .doubleValue();

            assertEquals(
                    exact,
                    FisherTest.pValue(marked, size, otherMarked, otherSize),
                    exact * 1e-6 + 1e-12,
                    "seed " + seed);
        }
    }

    private static BigInteger choose(int n, int k) {
        BigInteger product = BigInteger.ONE;
        for (int i = 0; i < k; i++) {
            product = product.multiply(BigInteger.valueOf(n - i)).divide(BigInteger.valueOf(i + 1));
        }
        return k < 0 || k > n ? BigInteger.ZERO : product;
    }

    @Test
    void tellsSmallShiftsOfLargeNumbersAndNoShiftAtAll() {
        assertTrue(FisherTest.pValue(60_000, 1_000_000, 50_000, 1_000_000) < 1e-100);
        assertEquals(0.5, FisherTest.pValue(500_000, 1_000_000, 500_000, 1_000_000), 0.001);
        assertEquals(1, FisherTest.pValue(1_000, 1_000_000, 500_000, 1_000_000), 1e-9);
    }
}
