package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ScrambledSobolTest {
    /** Of 2^m points, each of the 2^m equal parts of every coordinate has one: what scrambling must not change. */
    @Test
    void everyPartOfEveryCoordinateHasOnePoint() {
        int count = 64;
        for (long seed = 0; seed < 20; seed++) {
            ScrambledSobol sobol = new ScrambledSobol(20, new SplittableRandom(seed));
            boolean[][] found = new boolean[20][count];
            for (int i = 0; i < count; i++) {
                double[] point = sobol.next();
                for (int k = 0; k < point.length; k++) {
                    assertTrue(point[k] > 0 && point[k] < 1);
                    int part = (int) (point[k] * count);
                    assertFalse(found[k][part], "seed " + seed + ", coordinate " + k + ", part " + part);
                    found[k][part] = true;
                }
            }
        }
    }

    /** The first two coordinates are a (0, m, 2)-net: of 16 points, every box of 4 x 4 has one. */
    @Test
    void everyBoxOfTheFirstTwoCoordinatesHasOnePoint() {
        for (long seed = 0; seed < 20; seed++) {
            ScrambledSobol sobol = new ScrambledSobol(2, new SplittableRandom(seed));
            int[] boxes = new int[16];
            for (int i = 0; i < 16; i++) {
                double[] point = sobol.next();
                boxes[4 * (int) (4 * point[0]) + (int) (4 * point[1])]++;
            }
            assertTrue(Arrays.stream(boxes).allMatch(one -> one == 1), "seed " + seed + ": " + Arrays.toString(boxes));
        }
    }

    @Test
    void goesOnAtRandomBehindTheLastKnownDirection() {
        int dimensions = ScrambledSobol.MOST_DIMENSIONS + 200;
        ScrambledSobol sobol = new ScrambledSobol(dimensions, new SplittableRandom(1));
        double[] point = sobol.next();
        assertEquals(dimensions, point.length);
        assertTrue(Arrays.stream(point).allMatch(x -> x > 0 && x < 1));
        assertFalse(point[dimensions - 1] == sobol.next()[dimensions - 1]);
    }

    @Test
    void seedsDifferAndOneSeedDoesNot() {
        double[] one = new ScrambledSobol(3, new SplittableRandom(1)).next();
        assertArrayEquals(one, new ScrambledSobol(3, new SplittableRandom(1)).next());
        assertFalse(Arrays.equals(one, new ScrambledSobol(3, new SplittableRandom(2)).next()));
    }

    /** The mean of a smooth function over few points is far better than that of as many random ones. */
    @Test
    void coversEvenly() {
        ScrambledSobol sobol = new ScrambledSobol(4, new SplittableRandom(9));
        double sum = 0;
        for (int i = 0; i < 256; i++) {
            sum += Arrays.stream(sobol.next()).map(x -> x * x).sum() / 256;
        }
        assertEquals(4.0 / 3, sum, 0.01);
    }
}
