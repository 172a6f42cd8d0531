package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.replayer.WarmUpSteps.Step;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Simulated launches, second by second. */
final class WarmUpWatchTest {
    private static final long SEC = 1_000_000_000L;
    private static final long LIMIT_NS = 300 * SEC;

    private final LoadSeries series = new LoadSeries(IntervalSink.NONE);
    private final Random random = new Random(5);
    private final Interval interval = new Interval();
    private final List<String> lines = new ArrayList<>();
    private long nowNs;

    /** What the service does in a second of its life: CPU and p50 of a request, in ns, and the share of its JIT. */
    private static final class Service {
        final IntToDoubleFunction cpuNs;
        final IntToDoubleFunction jitShare;
        final double noise;

        Service(IntToDoubleFunction cpuNs, IntToDoubleFunction jitShare, double noise) {
            this.cpuNs = cpuNs;
            this.jitShare = jitShare;
            this.noise = noise;
        }
    }

    /** Falls from 400 us to 20 us within 50 s, as Graal does when it is heated. */
    private static Service warming(double noise) {
        return new Service(
                t -> 20_000 + 380_000 * Math.exp(-t / 8.0), t -> t < 50 ? 0.9 * Math.exp(-t / 15.0) : 0.005, noise);
    }

    /** Runs the warm-up of a target and returns how many seconds each step took: heating, pace. */
    private int[] warmUp(String target, Service service, boolean heats, long limitNs) {
        WarmUpWatch watch = new WarmUpWatch(series, 1, 1, limitNs, heats);
        Step step = watch.next(target);
        watch.begins(target, step);
        int[] seconds = new int[2];
        for (int t = 0; step != Step.DONE; t++) {
            boolean heating = step.heats();
            seconds[heating ? 0 : 1]++;
            second(target, true, service, t, heating ? 30_000 : 300, heating ? 1 : 3);
            Step next = watch.next(target);
            lines.add(watch.line(List.of(target)));
            if (heating && step != next) {
                watch.begins(target, next);
            }
            step = next;
        }
        return seconds;
    }

    private void second(String target, boolean warmup, Service service, int t, int requests, double slower) {
        double cpuNs = slower * service.cpuNs.applyAsDouble(t) * Math.exp(service.noise * random.nextGaussian());
        long application = (long) (cpuNs * requests);
        double share = service.jitShare.applyAsDouble(t);
        interval.responseTime().reset();
        interval.launch = 1;
        interval.phase = warmup ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
        interval.startNs = nowNs;
        nowNs += SEC;
        interval.endNs = nowNs;
        interval.counts().completed = requests;
        interval.responseTime()
                .recordValueWithCount((long) (10 * cpuNs * Math.exp(service.noise * random.nextGaussian())), requests);
        interval.costs = Costs.builder()
                .set(Cost.APPLICATION_CPU, application)
                .set(Cost.JIT_CPU, (long) (application * share / (1 - share)))
                .set(Cost.USER_CPU, (long) (application / (1 - share)))
                .set(Cost.SYSTEM_CPU, 0)
                .build();
        series.interval(target, interval);
    }

    private Warmup measured(String target, Service service, int from) {
        for (int t = 0; t < 12; t++) {
            second(target, false, service, from + t, 300, 3);
        }
        return series.warmup(target, 1, OptionalLong.of(2 * SEC), false).orElseThrow();
    }

    @Test
    void heatsUntilItIsSteadyAndThenSendsAtThePaceUntilItsJitRests() {
        Service service = warming(0.02);

        int[] seconds = warmUp("graal", service, true, LIMIT_NS);

        assertTrue(seconds[0] >= 50 && seconds[0] <= 90, "heated for " + seconds[0] + " s");
        assertEquals(WarmUpWatch.LEAST_PACED_SECONDS, seconds[1]);
        assertTrue(lines.get(9).matches("graal: warm-up 10\\.?0? s, JIT [0-9.]+ %, CPU .*, p50 .*"), lines.get(9));
        assertTrue(lines.get(seconds[0] + 3).startsWith("graal: at the measured pace "), lines.get(seconds[0] + 3));
        assertTrue(lines.get(lines.size() - 1).startsWith("graal: warm after "), lines.get(lines.size() - 1));

        Warmup warmup = measured("graal", service, seconds[0] + seconds[1]);
        assertEquals(Warmup.State.STEADY, warmup.state());
        // What it took to be steady, not what it took to show that.
        double steadyNs = warmup.durationNs().orElseThrow();
        assertTrue(steadyNs >= 30 * SEC && steadyNs <= 60 * SEC, warmup.toString());
        assertEquals(steadyNs / SEC * 30_000, warmup.requests().orElseThrow());
        assertTrue(warmup.cpuNs().orElseThrow() > 30 * SEC, warmup.toString());
        assertTrue(warmup.visibleStep().orElseThrow() <= 0.05, warmup.toString());
        assertTrue(
                series.unsteady("graal", false, 9).isEmpty(),
                series.unsteady("graal", false, 9).toString());
    }

    @Test
    void leavesTheProcessorToTheJitUntilItTakesLessThanHalfOfIt() {
        Service service = new Service(t -> 20_000, t -> t < 8 ? 0.7 : t == 15 ? 0.6 : 0.01, 0.01);
        WarmUpWatch watch = new WarmUpWatch(series, 1, 1, LIMIT_NS, true);
        Step step = watch.next("c2");
        assertEquals(Step.COMPILE, step);
        watch.begins("c2", step);

        for (int t = 0; t < 18; t++) {
            second("c2", true, service, t, 30_000, 1);
            Step next = watch.next("c2");
            assertEquals(t < 8 ? Step.COMPILE : Step.HEAT, next, "second " + t);
            if (next != step) {
                watch.begins("c2", next);
            }
            step = next;
        }
        assertTrue(series.warmup("c2", 1, OptionalLong.empty(), true).isPresent());
    }

    @Test
    void isNotSteadyWhereTheJitNeverRests() {
        Service service = new Service(t -> 20_000, t -> 0.2, 0.02);

        int[] seconds = warmUp("c2", service, true, LIMIT_NS);

        assertEquals(295, seconds[0]);
        assertEquals(5, seconds[1]);
        assertTrue(
                lines.get(lines.size() - 1).startsWith("c2: its JIT still compiles after "),
                lines.get(lines.size() - 1));
        assertEquals(Warmup.State.NOT_STEADY, measured("c2", service, 300).state());
        assertEquals(
                "c2: no steady state in launch 1 (the JIT takes 20 % of the CPU): its figures depend on how long it is"
                        + " measured",
                series.unsteady("c2", false, 9).orElseThrow());
    }

    @Test
    void cannotBeDecidedWhereTheNoiseHidesASmallStepAndHeatsNoLongerForIt() {
        Service service = new Service(t -> 20_000, t -> 0.001, 0.4);

        int[] seconds = warmUp("c2", service, true, 100 * SEC);

        assertTrue(seconds[0] >= 15 && seconds[0] <= 25, "heated for " + seconds[0] + " s");
        assertEquals(WarmUpWatch.LEAST_PACED_SECONDS, seconds[1]);
        assertEquals(Warmup.State.UNDECIDABLE, measured("c2", service, 100).state());
        assertTrue(
                series.unsteady("c2", false, 9)
                        .orElseThrow()
                        .startsWith("c2: cannot tell whether it was steady in launch 1"),
                series.unsteady("c2", false, 9).toString());
    }

    @Test
    void warmsUpAtTheMeasuredPaceWhereItIsNotHeated() {
        Service service = warming(0.01);

        int[] seconds = warmUp("c2", service, false, LIMIT_NS);

        assertEquals(0, seconds[0]);
        assertTrue(seconds[1] >= 60 && seconds[1] <= 100, "paced for " + seconds[1] + " s");
        Warmup warmup = measured("c2", service, seconds[1]);
        assertEquals(
                Warmup.State.STEADY,
                warmup.state(),
                series.unsteady("c2", false, 9).toString());
    }

    @Test
    void waitsAtThePaceForAJitThatWorksOnceMore() {
        Service service = new Service(t -> 20_000, t -> t > 10 && t < 24 ? 0.3 : 0.001, 0.01);
        WarmUpWatch watch = new WarmUpWatch(series, 1, 1, LIMIT_NS, true);
        watch.begins("c2", Step.HEAT);
        second("c2", true, service, 0, 30_000, 1);
        watch.begins("c2", Step.PACE);

        int paced = 0;
        do {
            second("c2", true, service, 11 + paced++, 300, 3);
        } while (watch.next("c2") == Step.PACE);
        assertEquals(WarmUpWatch.MOST_PACED_SECONDS, paced, "it rests too late");

        Service early = new Service(t -> 20_000, t -> t > 10 && t < 15 ? 0.3 : 0.001, 0.01);
        watch.begins("graal", Step.HEAT);
        second("graal", true, early, 0, 30_000, 1);
        watch.begins("graal", Step.PACE);
        paced = 0;
        do {
            second("graal", true, early, 11 + paced++, 300, 3);
        } while (watch.next("graal") == Step.PACE);
        assertEquals(9, paced);
    }

    @Test
    void isNotSteadyWhereTheJitWorksWhileItIsMeasured() {
        int[] seconds = warmUp("c2", warming(0.01), true, LIMIT_NS);
        int from = seconds[0] + seconds[1];

        Warmup warmup = measured("c2", new Service(t -> 20_000, t -> t < from + 8 ? 0.97 : 0.005, 0.01), from);

        assertEquals(Warmup.State.NOT_STEADY, warmup.state());
        assertTrue(warmup.jitShare().orElseThrow() > 0.2, warmup.toString());
        assertTrue(
                series.unsteady("c2", false, 9)
                        .orElseThrow()
                        .contains("after it was heated, the JIT took 39 % of a processor while it was measured"),
                series.unsteady("c2", false, 9).toString());
    }
}
