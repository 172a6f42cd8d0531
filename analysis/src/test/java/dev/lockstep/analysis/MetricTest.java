package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.FirstMinute;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class MetricTest {
    private static final Warmup WARMUP =
            Warmup.builder(Warmup.State.STEADY).durationNs(5).cpuNs(6).build();
    private static final Startup STARTUP =
            Startup.of(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(900_000_000));

    @Test
    void hasOneNameEach() {
        for (Metric metric : Metric.values()) {
            assertEquals(metric, Metric.of(metric.key()).orElseThrow());
        }
        assertTrue(Metric.of("cpu").isEmpty());
    }

    @Test
    void isTheSameFigureOfALaunchAndOfATargetThatHadOne() {
        LoadCounts counts = new LoadCounts();
        counts.sent = 20_500;
        counts.completed = 20_000;
        for (int i = 0; i < 500; i++) {
            counts.error(ErrorKind.READ_TIMEOUT);
        }
        Histogram times = new Histogram(3);
        for (int i = 1; i <= 20_000; i++) {
            times.recordValue(i);
        }
        LoadResult load = LoadResult.builder()
                .counts(counts)
                .measuredNs(2_000_000_000)
                .responseTime(times)
                .serviceTime(times)
                .build();
        Costs.Builder costs = Costs.builder();
        for (Cost cost : Cost.values()) {
            costs.set(cost, 40_000);
        }
        LaunchResult launch = LaunchResult.builder(1, 1)
                .load(load)
                .costs(costs.build())
                .startup(STARTUP)
                .warmup(WARMUP)
                .firstMinute(FirstMinute.of(7, 8))
                .fullLoad(FullLoad.of(1, 2, OptionalDouble.of(9)))
                .build();
        TargetResult target = TargetResult.builder("c2")
                .load(load)
                .costs(costs.build())
                .startup(STARTUP)
                .warmup(WARMUP)
                .firstMinute(FirstMinute.of(7, 8))
                .fullLoad(FullLoad.of(1, 2, OptionalDouble.of(9)))
                .build();
        Map<Metric, Double> expected = new EnumMap<>(Metric.class);
        expected.put(Metric.USER_CPU_PER_REQUEST, 2.0);
        expected.put(Metric.CPU_PER_REQUEST, 2.0);
        expected.put(Metric.APP_CPU_PER_REQUEST, 2.0);
        expected.put(Metric.JIT_CPU_PER_REQUEST, 2.0);
        expected.put(Metric.GC_CPU_PER_REQUEST, 2.0);
        expected.put(Metric.THROUGHPUT, 10_000.0);
        expected.put(Metric.ERRORS, 500 / 20_500.0);
        expected.put(Metric.GC_CYCLES, 40_000.0);
        expected.put(Metric.GC_PAUSE, 20_000.0);
        expected.put(Metric.STARTUP, 9e8);
        expected.put(Metric.WARMUP_TIME, 5.0);
        expected.put(Metric.WARMUP_CPU, 6.0);
        expected.put(Metric.FIRST_MINUTE_CPU, 7.0);
        expected.put(Metric.FULL_LOAD_CPU_PER_REQUEST, 9.0);
        for (Metric metric : Metric.values()) {
            if (metric.isAtLeast(launch)) {
                assertTrue(metric.of(launch).isEmpty() && metric.of(target).isEmpty(), metric.key());
                continue;
            }
            double value = metric.of(launch).orElseThrow();
            assertEquals(value, metric.of(target).orElseThrow(), metric.key());
            assertEquals(expected.getOrDefault(metric, value), value, metric.key());
        }
        assertEquals(2.0, Metric.USER_CPU_PER_REQUEST.of(costs.build(), 20_000).orElseThrow());
    }

    @Test
    void comparesServiceTimesOnlyWhereTheyAreNamed() {
        assertTrue(Metric.SERVICE_P99.isOnRequest() && Metric.SERVICE_MEAN.isOnRequest());
        assertFalse(Metric.P99.isOnRequest() || Metric.APP_CPU_PER_REQUEST.isOnRequest());
    }

    @Test
    void isTheMeanOfALaunchWhereLaunchesDifferInNumber() {
        TargetResult.Builder target = TargetResult.builder("c2")
                .load(LoadResult.builder().measuredNs(2).build());
        for (int number = 1; number <= 2; number++) {
            target.launch(LaunchResult.builder(number, 1)
                    .load(LoadResult.builder().measuredNs(1).build())
                    .costs(Costs.builder()
                            .set(Cost.GC_CYCLES, 10 * number)
                            .set(Cost.JIT_CPU, 3_000L * number)
                            .build())
                    .build());
        }
        target.cost(Cost.GC_CYCLES, 30).cost(Cost.JIT_CPU, 9_000).cost(Cost.GC_PAUSE, 8);
        assertEquals(15, Metric.GC_CYCLES.of(target.build()).orElseThrow());
        assertEquals(4_500, Metric.JIT_CPU.of(target.build()).orElseThrow());
        assertEquals(4e9, Metric.GC_PAUSE.of(target.build()).orElseThrow(), "a rate needs no mean");
    }

    /** The table, the files and the verdict have the same. */
    @Test
    void isThatOfTheBlocksInWhichAServerToldItsCost() {
        LoadResult block = TestingDays.load(0);
        TargetResult target = TargetResult.builder("go")
                .load(block)
                .launch(LaunchResult.builder(1, 1)
                        .load(block)
                        .costs(Costs.builder()
                                .set(Cost.PROCESS_CPU, 500)
                                .set(Cost.ALLOCATED, 700)
                                .build())
                        .build())
                .launch(LaunchResult.builder(2, 1).load(block).build())
                .launch(LaunchResult.builder(3, 1)
                        .load(block)
                        .costs(Costs.builder().set(Cost.PROCESS_CPU, 900).build())
                        .build())
                .build();
        assertEquals(7.0, Metric.CPU_PER_REQUEST.of(target).orElseThrow());
        assertEquals(OptionalDouble.of(7), target.perRequest().cpuNsPerRequest());
        assertEquals(OptionalDouble.of(7), target.perRequest().allocatedBytesPerRequest());
        assertEquals(OptionalDouble.empty(), target.perRequest().userCpuNsPerRequest());
    }

    @Test
    void takesAnAnswerOfTheServersErrorForAFailureAndNotForWorkDone() {
        assertEquals(2.0, Metric.USER_CPU_PER_REQUEST.of(answered(75)).orElseThrow());
        assertEquals(2.0, Metric.ALLOCATED_BYTES_PER_REQUEST.of(answered(75)).orElseThrow());
        assertEquals(75.0, Metric.THROUGHPUT.of(answered(75)).orElseThrow());
        assertEquals(0.25, Metric.ERRORS.of(answered(75)).orElseThrow());

        assertTrue(Metric.USER_CPU_PER_REQUEST.of(answered(0)).isEmpty());
        assertEquals(1.0, Metric.ERRORS.of(answered(0)).orElseThrow());
        LaunchResult launch = LaunchResult.builder(1, 1)
                .load(answered(75).load().orElseThrow())
                .build();
        assertEquals(0.25, Metric.ERRORS.of(launch).orElseThrow());
    }

    @Test
    void hasNoPercentileThatRequestsWithoutAnAnswerReach() {
        LoadCounts counts = new LoadCounts();
        counts.sent = 20_000;
        counts.completed = 19_900;
        counts.error(ErrorKind.READ_TIMEOUT, 100);
        Histogram times = new Histogram(3);
        times.recordValueWithCount(1_000_000, 19_900);
        LaunchResult launch = LaunchResult.builder(1, 1)
                .load(LoadResult.builder()
                        .counts(counts)
                        .measuredNs(1)
                        .responseTime(times)
                        .serviceTime(times)
                        .build())
                .build();

        for (Metric metric : List.of(Metric.P999, Metric.MEAN, Metric.SERVICE_P999, Metric.SERVICE_MEAN)) {
            assertTrue(metric.isAtLeast(launch), metric.key());
            assertTrue(metric.of(launch).isEmpty(), metric.key());
        }
        assertFalse(Metric.P99.isAtLeast(launch) || Metric.SERVICE_P50.isAtLeast(launch));
        assertTrue(Metric.P99.of(launch).isPresent());
        assertFalse(Metric.ERRORS.isAtLeast(launch));
        assertFalse(Metric.P99.isWithoutWork(launch));
    }

    @Test
    void isAtLeastSomethingWhereNoRequestGotAnAnswer() {
        LoadCounts counts = new LoadCounts();
        counts.sent = 3_461;
        counts.error(ErrorKind.READ_TIMEOUT, 3_461);
        LoadResult load = LoadResult.builder()
                .counts(counts)
                .measuredNs(1)
                .responseTime(new Histogram(3))
                .serviceTime(new Histogram(3))
                .build();
        LaunchResult launch = LaunchResult.builder(1, 1).load(load).build();
        TargetResult target = TargetResult.builder("c2").load(load).build();

        for (Metric metric : List.of(Metric.P50, Metric.MEAN, Metric.SERVICE_P99)) {
            assertTrue(metric.isAtLeast(launch) && metric.isAtLeast(target), metric.key());
        }
        assertFalse(Metric.ERRORS.isAtLeast(launch) || Metric.CPU_PER_REQUEST.isAtLeast(launch));
        assertTrue(Metric.CPU_PER_REQUEST.isWithoutWork(launch));
        assertFalse(Metric.ERRORS.isWithoutWork(launch), "that is what it counts");
        assertTrue(Metric.ERRORS.isWithoutWork(LaunchResult.builder(2, 1).build()), "it never was ready");
        assertFalse(Metric.P50.isAtLeast(LaunchResult.builder(1, 1).build()), "nothing was due");
    }

    /** Returns a target that got requests for a second, 25 of them failing, and needed 150 of all for them. */
    private static TargetResult answered(int good) {
        LoadCounts counts = new LoadCounts();
        counts.sent = good + 25;
        counts.completed = good + 25;
        for (int i = 0; i < good + 25; i++) {
            counts.status(i < good ? 200 : 503);
        }
        return TargetResult.builder("c2")
                .load(LoadResult.builder()
                        .counts(counts)
                        .measuredNs(1_000_000_000)
                        .build())
                .costs(Costs.builder()
                        .set(Cost.USER_CPU, 150)
                        .set(Cost.ALLOCATED, 150)
                        .build())
                .build();
    }

    @Test
    void isAbsentWhereNothingIsKnown() {
        for (Metric metric : Metric.values()) {
            assertTrue(metric.of(LaunchResult.builder(1, 1).build()).isEmpty(), metric.key());
            assertTrue(metric.of(TargetResult.builder("c2").build()).isEmpty(), metric.key());
        }
    }

    @Test
    void tellsCostsOfATargetOfWhichOnlyTheTimesAreTooNoisy() {
        Warmup noisyTimes = Warmup.builder(Warmup.State.UNDECIDABLE)
                .visibleStep(5)
                .visibleCostStep(0.04)
                .jitShare(0.01)
                .build();
        for (Metric cost : List.of(
                Metric.CPU_PER_REQUEST,
                Metric.STEADY_CPU_PER_REQUEST,
                Metric.ALLOCATED_BYTES_PER_REQUEST,
                Metric.GC_CYCLES)) {
            assertTrue(cost.isSteady(noisyTimes), cost.key());
        }
        for (Metric other : List.of(Metric.P50, Metric.SERVICE_P99, Metric.THROUGHPUT, Metric.RSS)) {
            assertFalse(other.isSteady(noisyTimes), other.key());
        }
        Warmup noisyCpu = Warmup.builder(Warmup.State.UNDECIDABLE)
                .visibleStep(0.08)
                .visibleCostStep(0.08)
                .build();
        assertFalse(Metric.ALLOCATED_BYTES_PER_REQUEST.isSteady(noisyCpu));
        Warmup changed =
                Warmup.builder(Warmup.State.NOT_STEADY).visibleCostStep(0.04).build();
        assertFalse(Metric.ALLOCATED_BYTES_PER_REQUEST.isSteady(changed));
    }
}
