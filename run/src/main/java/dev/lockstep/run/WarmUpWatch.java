package dev.lockstep.run;

import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.analysis.SteadyState;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.replayer.WarmUpSteps;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Warms each target of a launch up until it is steady. One that is heated, as fast as it answers, is steady when its
 * heating shows it, or goes on undecided where seconds are too noisy to show it soon. Then it gets the load that will
 * be measured until its JIT has compiled what only that load calls: a service that is not saturated has other queues
 * and caches. Used by the run's thread; what time it is the series says.
 */
final class WarmUpWatch implements WarmUpSteps {
    /** How long a heated target gets the load that will be measured: until its JIT rests for so long, */
    static final int LEAST_PACED_SECONDS = 5;
    /** but no longer than this. Few requests a second call a method too seldom for all of it to be compiled. */
    static final int MOST_PACED_SECONDS = 10;

    private final LoadSeries series;
    private final int launch;
    private final int launches;
    private final long limitNs;
    private final boolean heats;
    private final Map<String, Step> steps = new HashMap<>();
    /** How far a target is, for people. */
    private final Map<String, String> shown = new LinkedHashMap<>();
    /** How long a target had got load when its step began. */
    private final Map<String, Long> beganNs = new HashMap<>();

    /**
     * @param series gets the intervals of the targets before {@link #next} is asked
     * @param launches how many launches will tell together whether a target is steady
     * @param limitNs how long a target gets load at most
     * @param heats whether targets are heated, or get the load that will be measured from the first request on
     */
    WarmUpWatch(LoadSeries series, int launch, int launches, long limitNs, boolean heats) {
        this.series = series;
        this.launch = launch;
        this.launches = launches;
        this.limitNs = limitNs;
        this.heats = heats;
    }

    @Override
    public Step next(TargetReplay target) {
        return next(target.name());
    }

    @Override
    public void begins(TargetReplay target, Step step) {
        begins(target.name(), step);
    }

    void begins(String target, Step step) {
        series.heats(target, launch, step.heats());
        steps.put(target, step);
        beganNs.put(target, series.loadNs(target, launch));
    }

    Step next(String target) {
        Step step = steps.get(target);
        if (step == null) {
            return heats ? Step.COMPILE : Step.PACE;
        }
        if (step == Step.DONE) {
            return step;
        }
        long loadNs = series.loadNs(target, launch);
        if (heats && step == Step.PACE) {
            return paced(target, loadNs);
        }
        SteadyState state = series.state(target, launch);
        shown.put(target, target + ": warm-up " + Quantities.duration(loadNs) + ", " + state.progress());
        if (step.heats()) {
            // What comes after the heating is within the limit too.
            boolean over = loadNs >= limitNs - Math.min(seconds(LEAST_PACED_SECONDS), limitNs / 2);
            boolean compiles = step == Step.COMPILE && series.jitIsBusy(target, launch);
            return state.isAsSureAsCanBe(launches) || over ? Step.PACE : compiles ? Step.COMPILE : Step.HEAT;
        }
        return state.steady() || loadNs >= limitNs
                ? done(target, state.steady() ? "warm" : "not warm", loadNs)
                : Step.PACE;
    }

    /** Decides for a target that was heated. */
    private Step paced(String target, long loadNs) {
        long pacedNs = loadNs - beganNs.get(target);
        boolean rests = series.jitRests(target, launch, LEAST_PACED_SECONDS);
        shown.put(target, target + ": at the measured pace " + Quantities.duration(pacedNs));
        return rests || pacedNs >= seconds(MOST_PACED_SECONDS) || loadNs >= limitNs
                ? done(target, rests ? "warm" : "its JIT still compiles", loadNs)
                : Step.PACE;
    }

    private Step done(String target, String how, long loadNs) {
        steps.put(target, Step.DONE);
        shown.put(target, target + ": " + how + " after " + Quantities.duration(loadNs));
        return Step.DONE;
    }

    private static long seconds(int count) {
        return TimeUnit.SECONDS.toNanos(count);
    }

    /** Returns how far these targets are, a line for people. */
    String line(List<String> targets) {
        StringBuilder line = new StringBuilder();
        for (String target : targets) {
            line.append(line.length() == 0 ? "" : "; ").append(shown.getOrDefault(target, target + ": warm-up"));
        }
        return line.toString();
    }
}
