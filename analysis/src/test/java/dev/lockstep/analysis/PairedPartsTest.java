package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class PairedPartsTest {
    private static final long SECOND_NS = 1_000_000_000L;

    /** One for all seconds: its histograms are large. */
    private final Interval interval = new Interval();

    private Interval second(Interval.Phase phase, int number, double cpuNsPerRequest) {
        interval.phase = phase;
        interval.startNs = number * SECOND_NS;
        interval.endNs = interval.startNs + SECOND_NS;
        interval.counts().completed = 1000;
        interval.costs = Costs.NONE
                .with(Cost.USER_CPU, Math.round(1000 * cpuNsPerRequest))
                .with(Cost.SYSTEM_CPU, 0)
                .with(Cost.APPLICATION_CPU, Math.round(1000 * cpuNsPerRequest))
                .with(Cost.JIT_CPU, 0);
        return interval;
    }

    /** The mean of the variances is that of the ratios over many launches. */
    @Test
    void isTheVarianceOfTheRatio() {
        SplittableRandom random = new SplittableRandom(7);
        double sum = 0;
        double squares = 0;
        double variances = 0;
        int launches = 150;
        for (int launch = 0; launch < launches; launch++) {
            PairedParts parts = new PairedParts(Metric.CPU_PER_REQUEST, "b", "a");
            double a = 0;
            double b = 0;
            for (int second = 0; second < 40; second++) {
                double both = 1 + 0.2 * random.nextDouble();
                double ofA = 100_000 * both * (1 + 0.1 * (random.nextDouble() - 0.5));
                double ofB = 90_000 * both * (1 + 0.1 * (random.nextDouble() - 0.5));
                parts.interval("a", second(Interval.Phase.MEASURED, second, ofA));
                parts.interval("b", second(Interval.Phase.MEASURED, second, ofB));
                a += ofA;
                b += ofB;
            }
            double ratio = Math.log(b / a);
            sum += ratio / launches;
            squares += ratio * ratio / launches;
            variances += parts.variance().orElseThrow() / launches;
        }
        assertEquals(1, variances / (squares - sum * sum), 0.35);
    }

    @Test
    void isSmallWhereBothVaryAlike() {
        PairedParts parts = new PairedParts(Metric.CPU_PER_REQUEST, "b", "a");
        for (int second = 0; second < 20; second++) {
            parts.interval("a", second(Interval.Phase.MEASURED, second, 1e5 * (1 + second)));
            parts.interval("b", second(Interval.Phase.MEASURED, second, 2e5 * (1 + second)));
        }
        assertTrue(parts.variance().orElseThrow() < 1e-12);
    }

    @Test
    void looksAtFullLoadAfterItsFirstSecondWhereThatIsAskedFor() {
        PairedParts parts = new PairedParts(Metric.FULL_LOAD_CPU_PER_REQUEST, "b", "a");
        for (int second = 0; second < 12; second++) {
            double odd = second == 0 ? 50 : 1;
            parts.interval("a", second(Interval.Phase.FULL_LOAD, second, 1e5 * odd));
            parts.interval("b", second(Interval.Phase.FULL_LOAD, second, 1e5));
            parts.interval("b", second(Interval.Phase.MEASURED, second, 1e5 * second));
        }
        assertEquals(0, parts.variance().orElseThrow(), 1e-12);
    }

    /** From the capture's 10,000th request on they cost three times as much, and b, no better than a, comes to more. */
    @Test
    void comparesTheSameRequestsOfFullLoad() {
        PairedParts parts = new PairedParts(Metric.FULL_LOAD_CPU_PER_REQUEST, "b", "a");
        for (int second = 0; second < 20; second++) {
            parts.interval("a", loaded(second, 1000));
            parts.interval("b", loaded(second, 1500));
        }
        assertEquals(0, parts.logRatio().orElseThrow(), 0.01);
    }

    private Interval loaded(int number, int requests) {
        int cheap = Math.max(0, Math.min(requests, 10_000 - number * requests));
        Interval interval = second(Interval.Phase.FULL_LOAD, number, 100.0 * (cheap + 3 * (requests - cheap)) / 1000);
        interval.counts().completed = requests;
        return interval;
    }

    @Test
    void isAbsentWhereLittleIsKnown() {
        PairedParts few = new PairedParts(Metric.CPU_PER_REQUEST, "b", "a");
        PairedParts latency = new PairedParts(Metric.P99, "b", "a");
        for (int second = 0; second < 4; second++) {
            few.interval("a", second(Interval.Phase.MEASURED, second, 1e5));
            few.interval("b", second(Interval.Phase.MEASURED, second, 1e5));
        }
        for (int second = 0; second < 40; second++) {
            latency.interval("a", second(Interval.Phase.MEASURED, second, 1e5));
            latency.interval("b", second(Interval.Phase.MEASURED, second, 1e5));
        }
        assertEquals(OptionalDouble.empty(), few.variance());
        assertEquals(OptionalDouble.empty(), latency.variance());
    }
}
