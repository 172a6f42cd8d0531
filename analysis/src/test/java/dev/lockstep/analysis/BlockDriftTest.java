package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class BlockDriftTest {
    /** Neither moves the line nor turns it. */
    private static final double[] OFF = {1, -1, 0, 0, -1, 1};

    /** Their deviation is that of the line, so that t is 4.1833 steps; it is 4.6041 at 1 % with 4 degrees. */
    @Test
    void findsALineByStudentsTest() {
        assertEquals(0.056, BlockDrift.of(line(0.0112, 0.01)).orElseThrow(), 1e-12);
        assertEquals(-0.056, BlockDrift.of(line(-0.0112, 0.01)).orElseThrow(), 1e-12);
        assertTrue(BlockDrift.of(line(0.0108, 0.01)).isEmpty());
    }

    @Test
    void trustsBlocksOnALineNoFurtherThanTheirDigits() {
        assertEquals(0.006, BlockDrift.of(line(0.0012, 0)).orElseThrow(), 1e-12);
        assertTrue(BlockDrift.of(line(0.0010, 0)).isEmpty());
        assertTrue(BlockDrift.of(0.3, 0.3, 0.3, 0.3, 0.3, 0.3).isEmpty());
    }

    @Test
    void knowsNothingOfFewerBlocksAndOfWhatIsNoDrift() {
        assertTrue(BlockDrift.of(0.1, 0.2, 0.3, 0.4, 0.5).isEmpty());
        assertTrue(BlockDrift.of(0, 0.01, -0.01, 0, 0.01, 1).isEmpty(), "one odd block");
        assertTrue(BlockDrift.of(0, 1, 0, 1, 0, 1, 0, 1).isEmpty());
    }

    private static double[] line(double step, double deviation) {
        double[] values = new double[OFF.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = 0.7 + step * i + deviation * OFF[i];
        }
        return values;
    }
}
