package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/** The figures of docs/tuning-statistics.md: {@code -Dsimulation.experiments=2000} for as many as there. */
final class EarlyStopTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int SECONDS = 40;
    private static final int EXPERIMENTS = Integer.getInteger("simulation.experiments", 300);

    private final Interval interval = new Interval();

    private void second(EarlyStop stop, String target, int number, double cpuNsPerRequest) {
        interval.startNs = number * SECOND_NS;
        interval.endNs = interval.startNs + SECOND_NS;
        interval.counts().completed = 1000;
        long cpuNs = Math.round(1000 * cpuNsPerRequest);
        interval.costs = Costs.NONE.with(Cost.USER_CPU, cpuNs).with(Cost.SYSTEM_CPU, 0);
        stop.interval(target, interval);
    }

    /** Returns after how many seconds a launch is stopped; all of them where it is not. */
    private int seconds(double worse, double launchSd, double secondSd, double known, Random random) {
        EarlyStop stop = new EarlyStop(
                new PairedParts(Metric.CPU_PER_REQUEST, "candidate", "control"), 0, 0, known, SECONDS * SECOND_NS);
        double launch = worse + launchSd * random.nextGaussian();
        for (int second = 0; second < SECONDS; second++) {
            double both = 1e5 * (1 + 0.2 * random.nextDouble());
            second(stop, "control", second, both * Math.exp(secondSd * random.nextGaussian()));
            second(stop, "candidate", second, both * Math.exp(launch + secondSd * random.nextGaussian()));
            if (stop.isHopeless()) {
                return second + 1;
            }
        }
        return SECONDS;
    }

    /** Returns which share of launches was stopped, and which of the time of all was saved. */
    private double[] shares(DoubleUnaryOperator worse, double launchSd, double secondSd) {
        double stopped = 0;
        double saved = 0;
        for (int i = 0; i < EXPERIMENTS; i++) {
            Random random = new Random(new SplittableRandom(i).nextLong());
            int seconds = seconds(worse.applyAsDouble((i + 0.5) / EXPERIMENTS), launchSd, secondSd, launchSd, random);
            stopped += seconds < SECONDS ? 1.0 / EXPERIMENTS : 0;
            saved += (SECONDS - seconds) / (double) SECONDS / EXPERIMENTS;
        }
        if (EXPERIMENTS > 1000) {
            System.out.printf(
                    "launches %.3f seconds %.2f: stopped %.3f, saved %.3f%n", launchSd, secondSd, stopped, saved);
        }
        return new double[] {stopped, saved};
    }

    @Test
    void stopsWhatIsAsGoodInNoMoreThanItsShareOfLaunches() {
        for (double launchSd : new double[] {0.005, 0.02, 0.05}) {
            for (double secondSd : new double[] {0.02, 0.1, 0.3}) {
                double atMargin = shares(u -> Math.log1p(EarlyStop.MARGIN), launchSd, secondSd)[0];
                assertTrue(atMargin <= EarlyStop.ALPHA + 2.5 * Math.sqrt(EarlyStop.ALPHA / EXPERIMENTS), "at most 5 %");
                assertTrue(shares(u -> 0, launchSd, secondSd)[0] <= atMargin);
            }
        }
    }

    @Test
    void savesAPartOfTheTimeWhereCandidatesDiffer() {
        for (double secondSd : new double[] {0.02, 0.05, 0.1, 0.3}) {
            double[] shares = shares(u -> 0.3 * u, 0.02, secondSd);

            assertTrue(shares[0] > (secondSd > 0.2 ? 0.25 : 0.5), "stopped " + shares[0]);
            assertTrue(shares[1] > (secondSd > 0.2 ? 0.1 : 0.3), "saved " + shares[1]);
        }
    }

    @Test
    void stopsWhatIsFarWorseAtTheFirstLook() {
        assertEquals(SECONDS / 4, seconds(0.5, 0, 0.02, 0.02, new Random(1)));
    }

    /** Whoever ends the run does so some time after the look; until then intervals come, the last cut off. */
    @Test
    void keepsWhatTheLookSawThatStoppedIt() {
        PairedParts parts = new PairedParts(Metric.CPU_PER_REQUEST, "candidate", "control");
        EarlyStop stop = new EarlyStop(parts, 0, 0, 0, SECONDS * SECOND_NS);
        assertTrue(Double.isNaN(stop.logRatio()));
        for (int second = 0; second < SECONDS / 4; second++) {
            second(stop, "control", second, 1e5);
            second(stop, "candidate", second, 2e5);
        }
        assertTrue(stop.isHopeless());
        for (int second = SECONDS / 4; second < SECONDS; second++) {
            second(stop, "control", second, 1e5);
            interval.costs = Costs.NONE;
            stop.interval("candidate", interval);
        }

        assertTrue(parts.logRatio().isEmpty(), "the costs of one interval are not known");
        assertTrue(stop.isHopeless());
        assertEquals(Math.log(2), stop.logRatio(), 1e-9);
        assertEquals(0, stop.variance(), 1e-9);
    }

    @Test
    void takesLaunchesForDifferentAsLongAsTooFewAreKnown() {
        // 5 % more is no more than two launches of the same may differ by.
        assertEquals(SECONDS, seconds(0.05, 0, 0.001, 0, new Random(1)));
    }

    @Test
    void stopsNothingByAMetricWithoutParts() {
        EarlyStop stop =
                new EarlyStop(new PairedParts(Metric.P99, "candidate", "control"), 0, 0, 0, SECONDS * SECOND_NS);
        for (int second = 0; second < SECONDS; second++) {
            second(stop, "control", second, 1e5);
            second(stop, "candidate", second, 9e5);
        }
        assertFalse(stop.isHopeless());
    }
}
