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
 * heating shows it, or goes on undecided when nothing has changed for long on a machine too noisy to show it; then it
 * gets the load that will be measured until nothing changes there either, ten seconds at least: a service that is not
 * saturated has other queues and caches. That need not have the power to show 5 %, which at a low rate takes many
 * minutes. Used by the run's thread; what time it is the series says.
 */
final class WarmUpWatch implements WarmUpSteps {
    /** How long a heated target gets the load that will be measured, at least. */
    static final long LEAST_PACED_NS = TimeUnit.SECONDS.toNanos(10);

    /**
     * For how many seconds nothing must change in a heating whose seconds are too noisy to show a step of 5 %: to see
     * it would take many times as long, and the launch is called undecidable either way.
     */
    static final int LEVEL_SECONDS = 30;

    private final LoadSeries series;
    private final int launch;
    private final long limitNs;
    private final boolean heats;
    private final Map<String, Step> steps = new HashMap<>();
    /** How far a target is, for people. */
    private final Map<String, String> shown = new LinkedHashMap<>();
    /** How long a target had got load when its step began. */
    private final Map<String, Long> beganNs = new HashMap<>();

    /**
     * @param series gets the intervals of the targets before {@link #next} is asked
     * @param limitNs how long a target gets load at most
     * @param heats whether targets are heated, or get the load that will be measured from the first request on
     */
    WarmUpWatch(LoadSeries series, int launch, long limitNs, boolean heats) {
        this.series = series;
        this.launch = launch;
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
        series.heats(target, launch, step == Step.HEAT);
        steps.put(target, step);
        beganNs.put(target, series.loadNs(target, launch));
    }

    Step next(String target) {
        Step step = steps.get(target);
        if (step == null) {
            return heats ? Step.HEAT : Step.PACE;
        }
        if (step == Step.DONE) {
            return step;
        }
        SteadyState state = series.state(target, launch);
        long loadNs = series.loadNs(target, launch);
        long stepNs = loadNs - beganNs.get(target);
        boolean paced = heats && step == Step.PACE;
        shown.put(
                target,
                target + ": " + (paced ? "at the measured pace " : "warm-up ")
                        + Quantities.duration(paced ? stepNs : loadNs) + ", " + state.progress());
        if (step == Step.HEAT) {
            // What comes after the heating is within the limit too.
            boolean over = loadNs >= limitNs - Math.min(LEAST_PACED_NS, limitNs / 2);
            boolean seemsLevel = state.seemsSteady() && state.levelSeconds() >= LEVEL_SECONDS;
            return state.steady() || seemsLevel || over ? Step.PACE : Step.HEAT;
        }
        boolean ready = paced ? stepNs >= LEAST_PACED_NS && state.seemsSteady() : state.steady();
        if (ready || loadNs >= limitNs) {
            steps.put(target, Step.DONE);
            shown.put(target, target + ": " + (ready ? "warm" : "not warm") + " after " + Quantities.duration(loadNs));
            return Step.DONE;
        }
        return Step.PACE;
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
