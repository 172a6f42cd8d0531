package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.results.FirstMinute;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class LoadSeriesTest {
    private static final long SEC = 1_000_000_000L;

    private final List<Interval> handedOn = new ArrayList<>();
    private final LoadSeries series = new LoadSeries((target, interval) -> handedOn.add(interval));
    private final Interval interval = new Interval();
    private long nowNs;
    private String target = "c2";
    /** In a second. */
    private int answers = 100;

    private boolean fullLoad;
    /** How many of 100 answers have the status 503. */
    private int failing;
    /** CPU time of the JIT in a second; 0 where it is not known. */
    private long jitNs;

    @Test
    void findsTheSteadyStateBehindTheWarmUpsSlowSeconds() {
        seconds(8, true, 1, 4_000_000, 400_000);
        seconds(12, true, 1, 1_000_000, 100_000);
        seconds(20, false, 1, 1_000_000, 100_000);

        Warmup warmup = warmup(1).orElseThrow();

        assertTrue(warmup.isSteady());
        assertEquals(8 * SEC, warmup.durationNs().orElseThrow());
        assertEquals(800, warmup.requests().orElseThrow());
        assertEquals(7 * SEC + 2 * 800 * 400_000 + 4 * 400_000, warmup.cpuNs().orElseThrow());
        assertTrue(warmup.visibleStep().orElseThrow() < 0.05);
        assertTrue(series.unsteady("c2", false, 9).isEmpty());
        assertEquals(40, handedOn.size());
    }

    @Test
    void saysWhatWasMeasuredBeforeTheSteadyState() {
        seconds(2, true, 1, 4_000_000, 400_000);
        seconds(3, false, 1, 4_000_000, 400_000);
        seconds(35, false, 1, 1_000_000, 100_000);

        Warmup first = warmup(1).orElseThrow();

        assertTrue(first.isSteady());
        assertEquals(5 * SEC, first.durationNs().orElseThrow());
        assertEquals(
                "c2: 3.0 s were measured before the steady state in launch 1; a longer --warmup leaves them out",
                series.unsteady("c2", false, 9).orElseThrow());
    }

    @Test
    void isNotSteadyWhereMuchOfTheMeasuredPhaseWasNot() {
        seconds(2, true, 1, 4_000_000, 400_000);
        seconds(6, false, 1, 4_000_000, 400_000);
        seconds(32, false, 1, 1_000_000, 100_000);
        seconds(20, true, 2, 1_000_000, 100_000);
        seconds(18, false, 2, 2_000_000, 200_000);
        seconds(8, false, 2, 4_000_000, 400_000);

        assertEquals(Warmup.State.NOT_STEADY, warmup(1).orElseThrow().state());
        Warmup second = warmup(2).orElseThrow();
        assertEquals(Warmup.State.NOT_STEADY, second.state());
        assertEquals(46 * SEC, second.durationNs().orElseThrow(), "it takes longer than this");
        assertEquals(
                "c2: no steady state in launches 1, 2 (steady only 6.0 s into its measured phase in launch 1):"
                        + " its figures depend on how long it is measured",
                series.unsteady("c2", false, 9).orElseThrow());
    }

    @Test
    void isNotSteadyWhileTheJitTakesMuchOfTheCpu() {
        jitNs = 30_000_000;
        seconds(40, true, 1, 1_000_000, 100_000);

        Warmup warmup = warmup(1).orElseThrow();

        assertEquals(Warmup.State.NOT_STEADY, warmup.state());
        assertEquals(0.75, warmup.jitShare().orElseThrow(), 0.001);
    }

    @Test
    void takesLongerThanAllOfTheLoadWhereAHeatingWasNotSteady() {
        series.heats("c2", 1, true);
        for (int i = 0; i < 20; i++) {
            seconds(1, true, 1, (long) (4_000_000 * Math.pow(0.9, i)), (long) (400_000 * Math.pow(0.9, i)));
        }
        assertFalse(series.state("c2", 1).seemsSteady());
        series.heats("c2", 1, false);
        seconds(5, true, 1, 500_000, 50_000);
        seconds(12, false, 1, 500_000, 50_000);

        Warmup warmup = warmup(1).orElseThrow();

        assertEquals(Warmup.State.NOT_STEADY, warmup.state());
        assertEquals(37 * SEC, warmup.durationNs().orElseThrow());
    }

    @Test
    void knowsWhatARequestCostsUnderFullLoadAfterItsFirstSecond() {
        jitNs = 100_000;
        seconds(40, true, 1, 1_000_000, 100_000);
        seconds(12, false, 1, 5_000_000, 500_000);
        assertEquals(Optional.empty(), series.fullLoad("c2", 1));
        long loadNs = series.loadNs("c2", 1);
        fullLoad = true;
        seconds(1, false, 1, 1_000_000, 900_000);
        assertEquals(Optional.empty(), series.fullLoad("c2", 1));
        seconds(5, false, 1, 1_000_000, 100_000);

        FullLoad found = series.fullLoad("c2", 1).orElseThrow();

        // User and system time of 100 requests, less the JIT's.
        assertEquals(199_000, found.steadyCpuNsPerRequest().orElseThrow(), 1_000);
        assertEquals(500, found.requests());
        assertEquals(5 * SEC, found.durationNs());
        assertEquals(100, found.throughputPerSec().orElseThrow());
        assertEquals(loadNs, series.loadNs("c2", 1), "it is no part of what was measured");
        assertEquals(Optional.empty(), series.fullLoad("c2", 2));
    }

    /** What stood under load of the measured pace is compiled for another one. */
    @Test
    void saysWhereATargetThatWasSteadyCompilesAnewAtFullLoad() {
        jitNs = 100_000;
        seconds(40, true, 1, 1_000_000, 100_000);
        seconds(12, false, 1, 1_000_000, 100_000);
        fullLoad = true;
        seconds(3, false, 1, 1_000_000, 100_000);
        assertTrue(warmup(1).orElseThrow().isSteady());
        assertEquals(Optional.empty(), series.compiling("c2", false, 1));
        jitNs = 20_000_000;
        seconds(3, false, 1, 1_000_000, 100_000);

        String found = series.compiling("c2", false, 1).orElseThrow();
        assertTrue(found.startsWith("c2: at full load the JIT took "), found);
        assertTrue(found.contains(" % of its CPU in launch 1: it compiled anew"), found);
        assertEquals(Optional.empty(), series.compiling("c2", false, 0));
    }

    /** Now and then a JIT compiles one more large method. What a request costs while it does is little more. */
    @Test
    void countsAJitAtFullLoadForNothingThatChangesNothing() {
        atFullLoad(40, 1, 1);

        FullLoad load = series.fullLoad("c2", 1).orElseThrow();
        assertTrue(load.jitShare().orElseThrow() > 0.2, load.toString());
        assertFalse(load.codeReplaced());
        assertEquals(Optional.empty(), series.compiling("c2", false, 1));
    }

    @Test
    void countsAJitAtFullLoadThatMakesRequestsCheaper() {
        atFullLoad(40, 1, 0.9);

        assertTrue(series.fullLoad("c2", 1).orElseThrow().codeReplaced());
    }

    @Test
    void countsAJitAtFullLoadBesideWhichRequestsAreDearer() {
        atFullLoad(40, 1.3, 1);

        assertTrue(series.fullLoad("c2", 1).orElseThrow().codeReplaced());
    }

    /** Two that both replace code keep their ratio. */
    @Test
    void countsTheJitsOfTwoTargetsThatBothMakeRequestsCheaper() {
        for (String name : List.of("c2", "graal")) {
            target = name;
            fullLoad = false;
            atFullLoad(40, 1, 0.9);
        }

        for (String name : List.of("c2", "graal")) {
            assertTrue(series.fullLoad(name, 1).orElseThrow().codeReplaced(), name);
        }
    }

    @Test
    void takesTheCostOfTheTurnsInWhichTheJitRests() {
        atFullLoad(40, 1.06, 1);

        FullLoad load = series.fullLoad("c2", 1).orElseThrow();
        assertFalse(load.codeReplaced());
        assertEquals(200_000, load.steadyCpuNsPerRequest().orElseThrow(), 500);
        assertEquals(3_900, load.requests(), "all of them");
    }

    @Test
    void countsAJitAtFullLoadThatRestsTooSeldomToTell() {
        atFullLoad(20, 1, 1);

        assertTrue(series.fullLoad("c2", 1).orElseThrow().codeReplaced());
    }

    /**
     * A target that is steady until it is under full load, where its JIT works in every third second.
     *
     * @param compiling what a request costs in these, to the others
     * @param later what one costs in the later half, to the earlier one
     */
    private void atFullLoad(int seconds, double compiling, double later) {
        jitNs = 100_000;
        seconds(40, true, 1, 1_000_000, 100_000);
        seconds(12, false, 1, 1_000_000, 100_000);
        fullLoad = true;
        for (int i = 0; i < seconds; i++) {
            boolean compiles = i % 3 == 2;
            jitNs = compiles ? 20_000_000 : 100_000;
            double costNs = 100_000 * (compiles ? compiling : 1) * (i < seconds / 2 ? 1 : later);
            // Of the whole process, as the system counts it.
            seconds(1, false, 1, 1_000_000, Math.round(costNs) + jitNs / 200);
        }
    }

    /** Of requests that take longer than an interval; the two lasted unequally many of them. */
    @Test
    void takesAllIntervalsOfATurnForOne() {
        jitNs = 100_000;
        fullLoad = true;
        for (String name : List.of("c2", "graal")) {
            target = name;
            for (int turn = 0; turn < 10; turn++) {
                answers = 0;
                seconds(name.equals("c2") ? 1 : 2, false, 1, 1_000_000, 100_000);
                answers = 100;
                seconds(1, false, 1, 1_000_000, 100_000);
                nowNs += 3 * SEC;
            }
        }

        assertEquals(9, series.logRatiosAtFullLoad("graal", "c2", 1).length);
        assertEquals(18 * SEC, series.fullLoad("c2", 1).orElseThrow().durationNs());
    }

    /** The first 1,500 cost four times as much as those behind them, which who is faster comes to sooner. */
    @Test
    void tellsAtFullLoadWhatTheRequestsCostThatAllTargetsOfOneRateCameTo() {
        jitNs = 100_000;
        fullLoad = true;
        Map<String, Integer> rates = Map.of("c2", 100, "graal", 150, "zero", 10);
        rates.forEach((name, rate) -> {
            target = name;
            answers = rate;
            for (int second = 0; second < 21; second++) {
                seconds(1, false, 1, 1_000_000, second * rate < 1_500 ? 400_000 : 100_000);
            }
        });

        FullLoad c2 = series.fullLoad("c2", 1).orElseThrow();
        FullLoad graal = series.fullLoad("graal", 1).orElseThrow();
        assertEquals(
                1,
                graal.steadyCpuNsPerRequest().orElseThrow()
                        / c2.steadyCpuNsPerRequest().orElseThrow(),
                0.02);
        assertEquals(2_000, c2.requests());
        assertEquals(13 * SEC, graal.durationNs());
        assertEquals(200, series.fullLoad("zero", 1).orElseThrow().requests(), "too slow to be waited for");
    }

    /** One that awaits a database, or has few connections, is as far from full as at the measured pace. */
    @Test
    void saysWhereATargetSleepsAtFullLoad() {
        jitNs = 100_000;
        seconds(12, false, 1, 1_000_000, 100_000);
        assertEquals(Optional.empty(), series.idle("c2", 1, List.of()), "it got no full load");
        fullLoad = true;
        seconds(5, false, 1, 1_000_000, 1_900_000);
        seconds(5, false, 2, 1_000_000, 6_000_000);

        assertEquals(
                "c2: at full load it used 19 % of one processor in launch 1: it waits for something else, such as a"
                        + " database, a lock or the network, needs more connections (-c with -q), or others or a CPU"
                        + " quota kept it from running; what a request costs there is in part waking up",
                series.idle("c2", 2, List.of()).orElseThrow());
        assertEquals(Optional.empty(), series.idle("c2", 0, List.of()));
        List<SelfReport.Bottleneck> ofAnother =
                List.of(SelfReport.Bottleneck.of("graal", 1, 0.99), SelfReport.Bottleneck.of("c2", 2, 0.99));
        assertTrue(series.idle("c2", 2, ofAnother).isPresent());
        assertEquals(
                Optional.empty(),
                series.idle("c2", 2, List.of(SelfReport.Bottleneck.of("c2", 1, 0.99))),
                "it slept because Lockstep was no faster");
        jitNs = 0;
        seconds(5, false, 3, 1_000_000, 1_900_000);
        assertTrue(series.idle("c2", 3, List.of()).orElseThrow().contains("in launch 1:"), "nobody knows of launch 3");
    }

    @Test
    void tellsNoCostOfATargetThatRefusesAtFullLoadWhatItAnsweredBefore() {
        jitNs = 100_000;
        seconds(12, false, 1, 1_000_000, 100_000);
        fullLoad = true;
        failing = 20;
        seconds(5, false, 1, 1_000_000, 100_000);

        assertEquals(
                OptionalDouble.empty(), series.fullLoad("c2", 1).orElseThrow().steadyCpuNsPerRequest());
        assertEquals(
                "c2: at full load 20.0 % of its requests failed or were answered with 4xx or 5xx in launch 1, 0.0 % while"
                        + " it was measured: what a request costs there is not told",
                series.overloaded("c2", 1).orElseThrow());
        assertEquals(Optional.empty(), series.overloaded("graal", 1));
    }

    @Test
    void cannotTellOfShortLoadAndKnowsNothingOfAWarmUpThatItDidNotSee() {
        seconds(9, false, 1, 1_000_000, 100_000);
        seconds(20, false, 2, 1_000_000, 100_000);

        assertEquals(
                Warmup.State.UNDECIDABLE,
                series.warmup("c2", 1, OptionalLong.empty(), true).orElseThrow().state());
        assertEquals(
                "c2: cannot tell whether it was steady in launch 1 (only 9 seconds with a value, a steady state takes"
                        + " 10); a longer warm-up, measured phase or a higher rate would tell",
                series.unsteady("c2", false, 9).orElseThrow());
        assertTrue(series.unsteady("c2", true, 9).isEmpty(), "other launches, or full load, told");
        assertTrue(warmup(2).isEmpty());
        assertTrue(
                series.warmup("c2", 2, OptionalLong.empty(), true).orElseThrow().isSteady());
        assertFalse(series.warmup("graal", 1, OptionalLong.empty(), true).isPresent());
        seconds(4, true, 3, 1_000_000, 100_000);
        seconds(5, false, 3, 1_000_000, 100_000);
        assertEquals(4 * SEC, warmup(3).orElseThrow().durationNs().orElseThrow(), "so long it was warmed up");
    }

    @Test
    void leavesOpenWhetherATargetThatDiedWouldHaveBecomeSteady() {
        seconds(20, true, 1, 1_000_000, 100_000);
        jitNs = 30_000_000;
        seconds(20, true, 2, 1_000_000, 100_000);
        series.died("c2", 1);
        series.died("c2", 2);

        assertTrue(warmup(1).orElseThrow().isSteady(), "it died later");
        assertEquals(Optional.empty(), warmup(2));
        assertEquals(Optional.empty(), series.unsteady("c2", false, 9));
    }

    @Test
    void knowsTheFirstMinuteOfALaunchThatLivedSoLong() {
        seconds(40, true, 1, 1_000_000, 100_000);
        seconds(16, false, 1, 1_000_000, 100_000);

        assertEquals(Optional.empty(), firstMinute(OptionalLong.of(3 * SEC)));
        FirstMinute minute = firstMinute(OptionalLong.of(10 * SEC)).orElseThrow();
        assertEquals(50 * 100, minute.requests());
        assertEquals(7 * SEC + 2 * 5_000 * 100_000 + 25 * 100_000, minute.cpuNs());
        fullLoad = true;
        seconds(1, false, 1, 1_000_000, 100_000);
        FirstMinute longer = firstMinute(OptionalLong.of(3 * SEC)).orElseThrow();
        assertEquals(57 * 100, longer.requests(), "full load is a part of its life");
        assertEquals(7 * SEC + 2 * 5_700 * 100_000 + 28 * 100_000, longer.cpuNs());
        assertEquals(Optional.empty(), firstMinute(OptionalLong.empty()));
        assertEquals(Optional.empty(), firstMinute(OptionalLong.of(90 * SEC)), "its start took more");
        assertEquals(Optional.empty(), series.firstMinute("c2", 1, OptionalLong.of(SEC), OptionalLong.empty()));
    }

    private Optional<FirstMinute> firstMinute(OptionalLong startNs) {
        return series.firstMinute("c2", 1, startNs, OptionalLong.of(7 * SEC));
    }

    private Optional<Warmup> warmup(int launch) {
        return series.warmup("c2", launch, OptionalLong.of(7 * SEC), false);
    }

    @Test
    void cutsTheMeasuredPhaseIntoBlocksOfSomeSeconds() {
        seconds(5, true, 1, 1_000_000, 900_000);
        seconds(3, false, 1, 1_000_000, 100_000);
        seconds(3, false, 1, 1_000_000, 200_000);

        assertBlocks(1, 300, 100_000, 200_000);
        assertEquals(List.of(), series.of(Metric.P50, "c2", 1));
        assertEquals(List.of(), series.of(Metric.ALLOCATED_BYTES_PER_REQUEST, "c2", 1), "not known");
        seconds(5, false, 2, 1_000_000, 100_000);
        assertEquals(List.of(), series.of(Metric.USER_CPU_PER_REQUEST, "c2", 2), "too short");
    }

    @Test
    void keepsALongLaunchMoreCoarselyAndLosesNothingOfIt() {
        seconds(600, true, 1, 4_000_000, 400_000);
        seconds(5_000, false, 1, 1_000_000, 100_000);
        seconds(5_000, false, 1, 1_000_000, 101_000);

        Warmup warmup = warmup(1).orElseThrow();

        assertEquals(600, warmup.durationNs().orElseThrow() / 1e9, 8);
        assertEquals(
                100 * (warmup.durationNs().orElseThrow() / SEC),
                warmup.requests().orElseThrow());
        assertBlocks(
                1, 100_000, 100_000, 100_000, 100_000, 100_000, 100_000, 101_000, 101_000, 101_000, 101_000, 101_000);
    }

    /** It said "at second 1456 of 1610" of a run of 54 minutes. */
    @Test
    void tellsOfALongLaunchInSeconds() {
        seconds(20, true, 1, 1_000_000, 100_000);
        seconds(2_900, false, 1, 1_000_000, 100_000);
        seconds(300, false, 1, 2_000_000, 100_000);

        warmup(1);

        String told = series.unsteady("c2", false, 9).orElseThrow();
        assertTrue(told.matches(".*p50 changed by [+][0-9.]+ % at second 29[12][0-9] of 3220, .*"), told);
    }

    /** Asserts what the blocks of a launch took of user CPU per request. */
    private void assertBlocks(int launch, long requests, double... cpuNsPerRequest) {
        List<Block> blocks = series.of(Metric.USER_CPU_PER_REQUEST, "c2", launch);
        assertEquals(cpuNsPerRequest.length, blocks.size());
        for (int i = 0; i < cpuNsPerRequest.length; i++) {
            assertEquals(requests, blocks.get(i).requests(), 0.02 * requests, "block " + i);
            assertEquals(
                    cpuNsPerRequest[i], blocks.get(i).cost() / blocks.get(i).requests(), 10, "block " + i);
        }
    }

    @Test
    void putsShortTurnsTogetherUntilTheyCoverASecond() {
        for (long turnNs : List.of(SEC / 10, 2 * SEC / 5, 3 * SEC / 4, 2 * SEC)) {
            int launch = (int) (turnNs / 1_000_000);
            seconds(4, true, launch, 4_000_000, 400_000);
            for (long atNs = 0; atNs < 36 * SEC; atNs += turnNs) {
                // Slow for the first two of them.
                boolean slow = atNs < 2 * SEC;
                turn(turnNs, launch, slow ? 4_000_000 : 1_000_000, slow ? 400_000 : 100_000);
            }

            Warmup warmup = warmup(launch).orElseThrow();

            assertTrue(warmup.isSteady(), "turns of " + turnNs + ": " + series.unsteady("c2", false, 9));
            assertEquals(6, warmup.durationNs().orElseThrow() / 1e9, 1.1, "turns of " + turnNs);
            assertEquals(6 * 100, warmup.requests().orElseThrow(), 110, "turns of " + turnNs);
            assertEquals(
                    10, series.of(Metric.USER_CPU_PER_REQUEST, "c2", launch).size());
        }
    }

    /** Adds a turn with 100 answers a second: its intervals, the last of them of a few ms. */
    private void turn(long lengthNs, int launch, long p50Ns, long cpuNsPerRequest) {
        for (long atNs = 0; atNs < lengthNs; atNs += SEC) {
            long partNs = Math.min(SEC, lengthNs - atNs);
            interval(partNs, launch, p50Ns + nowNs % 7 * p50Ns / 5_000, cpuNsPerRequest);
        }
        interval(3_000_000, launch, p50Ns, cpuNsPerRequest);
        // The others' turns.
        nowNs += lengthNs;
    }

    private void interval(long lengthNs, int launch, long p50Ns, long cpuNsPerRequest) {
        long completed = lengthNs / (SEC / 100);
        interval.responseTime().reset();
        interval.launch = launch;
        interval.phase = Interval.Phase.MEASURED;
        interval.startNs = nowNs;
        nowNs += lengthNs;
        interval.endNs = nowNs;
        interval.counts().completed = completed;
        if (completed > 0) {
            interval.responseTime().recordValueWithCount(p50Ns, completed);
        }
        interval.costs = Costs.builder()
                .set(Cost.USER_CPU, completed * cpuNsPerRequest + nowNs / 1_000_000 % 13 * 1000)
                .set(Cost.SYSTEM_CPU, completed * cpuNsPerRequest)
                .build();
        series.interval("c2", interval);
    }

    @Test
    void hasBlocksOfALaunchAsLongAsItKeepsSecondBySecond() {
        seconds(2_048, false, 1, 1_000_000, 100_000);

        assertEquals(10, series.of(Metric.USER_CPU_PER_REQUEST, "c2", 1).size());
    }

    @Test
    void dividesByTheRequestsThatSucceeded() {
        failing = 50;
        seconds(3, false, 1, 1_000_000, 100_000);
        failing = 0;
        seconds(3, false, 1, 1_000_000, 100_000);

        List<Block> blocks = series.of(Metric.USER_CPU_PER_REQUEST, "c2", 1);
        assertEquals(150, blocks.get(0).requests());
        assertEquals(3e7, blocks.get(0).cost());
        assertEquals(300, blocks.get(1).requests());
        failing = 100;
        seconds(6, false, 2, 1_000_000, 100_000);
        assertEquals(0, series.of(Metric.USER_CPU_PER_REQUEST, "c2", 2).get(0).requests(), "none succeeded");
    }

    /** Adds seconds with 100 answers each. */
    private void seconds(int count, boolean warmup, int launch, long p50Ns, long cpuNsPerRequest) {
        for (int i = 0; i < count; i++) {
            interval.responseTime().reset();
            interval.launch = launch;
            interval.phase =
                    fullLoad ? Interval.Phase.FULL_LOAD : warmup ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
            interval.startNs = nowNs;
            nowNs += SEC;
            interval.endNs = nowNs;
            interval.counts().set(new LoadCounts());
            interval.counts().completed = answers;
            for (int answer = 0; answer < failing; answer++) {
                interval.counts().status(503);
            }
            // Neither figure is ever quite the same.
            interval.responseTime().recordValueWithCount(p50Ns + i % 3 * p50Ns / 500, answers);
            interval.costs = Costs.builder()
                    .set(Cost.USER_CPU, answers * cpuNsPerRequest)
                    .set(Cost.SYSTEM_CPU, answers * cpuNsPerRequest + i % 2 * cpuNsPerRequest)
                    .build();
            if (jitNs > 0) {
                interval.costs = interval.costs
                        .with(Cost.APPLICATION_CPU, answers * cpuNsPerRequest)
                        .with(Cost.JIT_CPU, jitNs);
            }
            series.interval(target, interval);
        }
    }
}
