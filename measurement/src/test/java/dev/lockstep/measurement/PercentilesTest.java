package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Percentiles.Level;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PercentilesTest {
    @Test
    void readsTheRankFromTheHistogram() {
        // Values up to 2047 are kept exactly with three digits, so that the ranks can be told.
        Percentiles percentiles = Percentiles.of(oneToN(1000));

        assertEquals(500, percentiles.at(Level.P50));
        assertEquals(900, percentiles.at(Level.P90));
        assertEquals(950, percentiles.at(Level.P95));
        assertEquals(990, percentiles.at(Level.P99));
        assertEquals(999, percentiles.at(Level.P999));
        assertEquals(1000, percentiles.at(Level.P9999));
        assertEquals(1, percentiles.min());
        assertEquals(1000, percentiles.max());
        assertEquals(501, percentiles.mean());
        assertEquals(289, percentiles.standardDeviation());
        assertEquals(1000, percentiles.count());
    }

    @Test
    void keepsThreeDigitsOfLargeValues() {
        Histogram histogram = new Histogram(3);
        histogram.recordValue(123_456_789_012L);
        Percentiles percentiles = Percentiles.of(histogram);
        assertEquals(123_456_789_012L, percentiles.at(Level.P50), 123_456_789.0);
        assertTrue(percentiles.min() <= 123_456_789_012L && percentiles.max() >= 123_456_789_012L);
    }

    @Test
    void wantsTenValuesAboveAPercentile() {
        assertEquals(20, Level.P50.neededValues());
        assertEquals(100, Level.P90.neededValues());
        assertEquals(200, Level.P95.neededValues());
        assertEquals(1_000, Level.P99.neededValues());
        assertEquals(10_000, Level.P999.neededValues());
        assertEquals(100_000, Level.P9999.neededValues());

        assertTrue(Percentiles.of(oneToN(1000)).supports(Level.P99));
        assertFalse(Percentiles.of(oneToN(999)).supports(Level.P99));
        assertTrue(Percentiles.of(oneToN(995), 5, 5, 1).supports(Level.P99), "those without an answer are above it");
    }

    @Test
    void hasOnlyTheCountWithoutValues() {
        Percentiles none = Percentiles.of(new Histogram(3));
        assertEquals(0, none.count());
        assertThrows(IllegalStateException.class, none::max);
        assertThrows(IllegalStateException.class, none::min);
        assertThrows(IllegalStateException.class, none::mean);
        assertThrows(IllegalStateException.class, none::standardDeviation);
        assertThrows(IllegalStateException.class, () -> none.at(Level.P50));
    }

    @Test
    void takesARequestWithoutAnAnswerForSlowerThanAll() {
        // 5 of 1000 have no answer, so the p99 of all is the 990th of 995 answers.
        Percentiles percentiles = Percentiles.of(oneToN(995), 5, 0, 0);

        assertEquals(500, percentiles.at(Level.P50));
        assertEquals(990, percentiles.at(Level.P99));
        assertTrue(percentiles.stands(Level.P99));
        assertFalse(percentiles.stands(Level.P999), "the 999th of 1000 has no answer");
        assertEquals(995, percentiles.at(Level.P999), "it took at least as long as the slowest answer");
        assertEquals(995, percentiles.max());
        assertEquals(5, percentiles.withoutAnswer());
        assertEquals(995, percentiles.count());
        assertEquals(OptionalLong.of(950), percentiles.of(95, oneToN(995)));
        assertEquals(OptionalLong.empty(), percentiles.of(99.9, oneToN(995)));
    }

    @Test
    void standsOnlyBelowTheShareWithoutAnAnswer() {
        assertFalse(Percentiles.of(oneToN(990), 10, 0, 0).stands(Level.P99));
        assertTrue(Percentiles.of(oneToN(991), 9, 0, 0).stands(Level.P99));
        assertTrue(Percentiles.of(oneToN(10), 0, 0, 0).stands(Level.P9999));
    }

    @Test
    void knowsThatARequestThatWasGivenUpTookTheTimeAllowed() {
        // Half a percent of time-outs at 20 s make the p99.9 20 s at least.
        Percentiles timeouts = Percentiles.of(oneToN(995), 5, 5, 20_000);
        assertEquals(20_000, timeouts.at(Level.P999));
        assertEquals(20_000, timeouts.max());
        assertEquals(990, timeouts.at(Level.P99));

        // Which of those without an answer is the 999th is not known: only the last three were given up.
        Percentiles mixed = Percentiles.of(oneToN(995), 5, 3, 20_000);
        assertEquals(20_000, mixed.at(Level.P999));
        assertEquals(995, Percentiles.of(oneToN(995), 5, 1, 20_000).at(Level.P999));
    }

    @Test
    void recognisesItsHistogram() {
        assertTrue(Percentiles.of(oneToN(995), 5, 5, 20_000).isOf(oneToN(995)));
        assertFalse(Percentiles.of(oneToN(995), 5, 5, 20_000).isOf(oneToN(994)));
    }

    private static Histogram oneToN(int n) {
        Histogram histogram = new Histogram(3);
        for (int value = 1; value <= n; value++) {
            histogram.recordValue(value);
        }
        return histogram;
    }
}
