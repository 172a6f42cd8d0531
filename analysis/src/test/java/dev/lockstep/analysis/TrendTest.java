package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class TrendTest {
    private static final int SOAKS = 100;
    private static final int TEN_MINUTES = 600;
    private static final double MB = 1e6;
    private static final double MB_PER_MINUTE = MB / 60;
    private static final long SECOND = 1_000_000_000L;

    @Test
    void findsALeakOfAMegabyteAMinuteInAnOldGenerationWithinTenMinutes() {
        assertFound(0.97, noise -> floor(sawTooth(noise, 5, 20 * MB, 2 * MB, t -> t * MB_PER_MINUTE)));
        assertFound(0.85, noise -> floor(sawTooth(noise, 12, 20 * MB, 2 * MB, t -> t * MB_PER_MINUTE)));
        assertFound(0.94, noise -> floor(sawTooth(noise, 20, 20 * MB, 1 * MB, t -> t * MB_PER_MINUTE)));
        // Never collected so far.
        assertFound(1, noise -> floor(series(t -> 30 * MB + t / 7 * 7 * MB_PER_MINUTE + noise.normal(0.1 * MB))));
    }

    @Test
    void findsALeakOfAMegabyteAMinuteInResidentMemoryWithinTenMinutes() {
        assertFound(0.97, noise -> {
            double[] rough = noise.autocorrelated(TEN_MINUTES, 0.8, 1.5 * MB);
            return level(series(t -> 400 * MB + t * MB_PER_MINUTE + rough[t]));
        });
    }

    private static void assertFound(double power, Function<TestingNoise, Trend> soak) {
        int found = 0;
        int covered = 0;
        double slopes = 0;
        for (int run = 0; run < SOAKS; run++) {
            Trend trend = soak.apply(new TestingNoise(TestingNoise.SEED + run));
            found += trend.found() ? 1 : 0;
            covered += trend.interval().contains(MB_PER_MINUTE) ? 1 : 0;
            slopes += trend.slopePerSecond();
        }
        assertTrue(found >= power * SOAKS, found + " of " + SOAKS + ", seed " + TestingNoise.SEED);
        assertTrue(covered >= 0.85 * SOAKS, covered + " of " + SOAKS + ", seed " + TestingNoise.SEED);
        assertEquals(MB_PER_MINUTE, slopes / SOAKS, 0.05 * MB_PER_MINUTE);
    }

    @Test
    void findsAStaircaseThatOnlyGoesUp() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        assertTrue(level(series(t -> 200 * MB + t / 25 * MB + noise.normal(0.2 * MB)))
                .found());
    }

    @Test
    void findsALatencyThatCreepsUpAndOneThatCreepsDown() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        assertTrue(level(series(t -> Math.log(20e6) + 0.0005 * t + noise.normal(0.1)))
                .found());
        assertTrue(level(series(t -> Math.log(20e6) - 0.0005 * t + noise.normal(0.1)))
                .found());
    }

    @Test
    void claimsNoLeakInCleanSeries() {
        assertClean(0, "flat", noise -> level(series(t -> 300 * MB)));
        assertClean(0.01, "flat with noise", noise -> level(series(t -> 300 * MB + noise.normal(3 * MB))));
        assertClean(0.02, "steps at collections", noise -> {
            double[] steps = new double[TEN_MINUTES];
            double level = 100 * MB;
            for (int t = 0; t < TEN_MINUTES; t++) {
                if (noise.below(20) == 0) {
                    level = 100 * MB + noise.uniform(0, 15 * MB);
                }
                steps[t] = level;
            }
            return level(steps);
        });
        for (int period : new int[] {7, 12, 25, 45, 90, 150, 200, 290}) {
            assertClean(
                    0.01, "saw-tooth of " + period, noise -> floor(sawTooth(noise, period, 40 * MB, 2 * MB, t -> 0)));
        }
        for (double fading : new double[] {20, 60, 120}) {
            for (double rough : new double[] {0.1, 1}) {
                assertClean(0.02, "warm-up over " + fading, noise -> level(warmUp(noise, fading, rough * MB)));
            }
            // The worst: what is left of the rise is as large as the noise.
            assertClean(0.1, "noisy warm-up over " + fading, noise -> level(warmUp(noise, fading, 3 * MB)));
        }
    }

    private static double[] warmUp(TestingNoise noise, double fading, double rough) {
        return series(t -> 300 * MB - 100 * MB * Math.exp(-t / fading) + noise.normal(rough));
    }

    private static void assertClean(double share, String what, Function<TestingNoise, Trend> soak) {
        int found = 0;
        for (int run = 0; run < SOAKS; run++) {
            found += soak.apply(new TestingNoise(TestingNoise.SEED + run)).found() ? 1 : 0;
        }
        assertTrue(found <= share * SOAKS, what + ": " + found + " of " + SOAKS + ", seed " + TestingNoise.SEED);
    }

    @Test
    void claimsATrendInAtMostOneOfAHundredSeriesOfAutocorrelatedNoise() {
        for (double share : new double[] {0, 0.5, 0.9, 0.95}) {
            int found = 0;
            for (int run = 0; run < 1_000; run++) {
                TestingNoise noise = new TestingNoise(TestingNoise.SEED + run);
                found += level(noise.autocorrelated(TEN_MINUTES, share, MB)).found() ? 1 : 0;
            }
            assertTrue(found <= 10, found + " of 1,000 at " + share + ", seed " + TestingNoise.SEED);
        }
    }

    @Test
    void takesIrregularTimesAndGaps() {
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        long[] timesNs = new long[300];
        double[] values = new double[300];
        long time = -7_000 * SECOND;
        for (int i = 0; i < timesNs.length; i++) {
            time += (long) (noise.uniform(0.1, 4) * SECOND) + (i == 150 ? 60 * SECOND : 0);
            timesNs[i] = time;
            values[i] = 5 + 0.002 * (time / 1e9) + noise.normal(0.05);
        }

        Trend trend = Trend.of(timesNs, values, 0).orElseThrow();

        assertTrue(trend.found());
        assertEquals(0.002, trend.slopePerSecond(), 0.0002);
        assertTrue(trend.interval().contains(0.002));
        assertTrue(trend.pValue() < 0.001);
    }

    @Test
    void takesADayOfSeconds() {
        int day = 86_400;
        TestingNoise noise = new TestingNoise(TestingNoise.SEED);
        long[] timesNs = new long[day];
        double[] values = new double[day];
        for (int t = 0; t < day; t++) {
            timesNs[t] = t * SECOND;
            values[t] = 300 * MB + 0.01 * MB_PER_MINUTE * t + noise.normal(5 * MB);
        }

        assertTrue(Trend.of(timesNs, values, 0).orElseThrow().found());
        assertFalse(Trend.of(timesNs, values, 0.1 * MB_PER_MINUTE).orElseThrow().found());
    }

    @Test
    void leavesASlopeAloneThatNobodyCaresAbout() {
        double[] slow = series(t -> 300 * MB + t * 0.05 * MB_PER_MINUTE);
        assertTrue(
                Trend.of(times(slow), slow, 0.04 * MB_PER_MINUTE).orElseThrow().found());
        assertFalse(
                Trend.of(times(slow), slow, 0.06 * MB_PER_MINUTE).orElseThrow().found());
    }

    @Test
    void isAbsentForTooFewValues() {
        assertEquals(
                Optional.empty(),
                Trend.of(times(new double[15]), new double[15], 0).map(Trend::found));
        long[] twoBursts = new long[100];
        for (int i = 0; i < 100; i++) {
            twoBursts[i] = i + (i < 50 ? 0 : 600 * SECOND);
        }
        assertEquals(Optional.empty(), Trend.of(twoBursts, new double[100], 0).map(Trend::found));
    }

    @Test
    void refusesTimesThatDoNotIncreaseAndValuesThatAreNone() {
        assertThrows(IllegalArgumentException.class, () -> Trend.of(new long[20], new double[20], 0));
        assertThrows(IllegalArgumentException.class, () -> Trend.of(new long[20], new double[19], 0));
        double[] values = new double[20];
        values[3] = Double.NaN;
        assertThrows(IllegalArgumentException.class, () -> Trend.of(times(values), values, 0));
    }

    private static Trend level(double[] values) {
        return Trend.of(times(values), values, 0).orElseThrow();
    }

    private static Trend floor(double[] values) {
        return Trend.ofFloor(times(values), values, 0).orElseThrow();
    }

    private static long[] times(double[] values) {
        long[] timesNs = new long[values.length];
        for (int i = 0; i < timesNs.length; i++) {
            timesNs[i] = i * SECOND;
        }
        return timesNs;
    }

    private interface AtSecond {
        double value(int second);
    }

    private static double[] series(AtSecond level) {
        double[] values = new double[TEN_MINUTES];
        for (int t = 0; t < values.length; t++) {
            values[t] = level.value(t);
        }
        return values;
    }

    /** An old generation that fills over about a period and is then collected down to a floor with noise. */
    private static double[] sawTooth(
            TestingNoise noise, int period, double height, double rough, IntToDoubleFunction floor) {
        double[] values = new double[TEN_MINUTES];
        int start = -noise.below(period);
        int length = period;
        double base = noise.normal(rough);
        for (int t = 0; t < values.length; t++) {
            if (t - start >= length) {
                start = t;
                length = Math.max(2, (int) Math.round(period * noise.uniform(0.8, 1.2)));
                base = noise.normal(rough);
            }
            values[t] = 60 * MB + floor.applyAsDouble(t) + base + height * (t - start) / length;
        }
        return values;
    }
}
