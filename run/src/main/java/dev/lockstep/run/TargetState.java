package dev.lockstep.run;

import dev.lockstep.measurement.Cost;
import dev.lockstep.results.IntervalFigures;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * How far one target is, and what it did in the last second, for listeners that show it: they pass on what they hear.
 * Used by one thread at a time.
 */
public final class TargetState {
    private static final String FAILED = "did not start";
    private static final double NS_PER_SEC = 1e9;
    private static final double PERCENT = 100;

    private final String name;
    private String text = "not started yet";
    private int launch;
    private IntervalFigures last;

    /** @param name as in the plan */
    public TargetState(String name) {
        this.name = name;
    }

    /** Takes the phase that the run begins. */
    public void phase(RunPhase phase) {
        boolean ours = phase.target().map(name::equals).orElse(true);
        if (phase.kind() == RunPhase.Kind.START && ours) {
            launch++;
            last = null;
            text = "starting";
        } else if (phase.kind() == RunPhase.Kind.START || text.equals(FAILED)) {
            // Nothing changes for it.
        } else if (ours) {
            text = doing(phase);
        } else if (phase.turn().isPresent() || phase.kind() == RunPhase.Kind.WARM_UP) {
            // It shows what it did in its turn before.
            text = "waits for its turn";
        } else {
            rests();
        }
    }

    private static String doing(RunPhase phase) {
        String round = phase.turn()
                .map(turn -> ", round " + (turn.number() / turn.targets() + 1) + " of " + turn.rounds())
                .orElse("");
        switch (phase.kind()) {
            case WARM_UP:
                return "warm-up";
            case LEARNING:
                return "learning which answers vary";
            case MEASUREMENT:
                return "measured" + round;
            case FULL_LOAD:
                return "full load" + round;
            case PROFILE_START:
                return "starting with a profiler";
            case PROFILE_WARM_UP:
                return "warm-up before its profile";
            case PROFILE:
                return "profiled";
            default:
                return "ending, which completes its profile";
        }
    }

    /** Takes what is said of its warm-up. */
    public void says(String progress) {
        text = progress;
    }

    /** It answers, in this launch. */
    public void ready(int number) {
        launch = number;
        text = "ready";
    }

    /** It did not start. */
    public void failed() {
        text = FAILED;
    }

    /** It gets no load. */
    public void rests() {
        last = null;
        if (!text.equals(FAILED) && launch > 0) {
            text = "no load";
        }
    }

    /**
     * Takes what it did in a second.
     *
     * @return whether it is shown; not what was left of a turn, which is no second
     */
    public boolean interval(IntervalFigures figures) {
        boolean shown = !figures.isRestOf(last);
        last = shown ? figures : last;
        return shown;
    }

    public String name() {
        return name;
    }

    /** Returns what it does, for people. */
    public String text() {
        return text;
    }

    /** Returns which launch it is in; 0 before the first. */
    public int launch() {
        return launch;
    }

    /** Returns what it did in the last second in which it had load; absent where it has none, as all that follows. */
    public Optional<IntervalFigures> last() {
        return Optional.ofNullable(last).filter(figures -> figures.endNs() > figures.startNs());
    }

    /** Returns the good answers a second, of which a 5xx is none. */
    public OptionalDouble rate() {
        return perSecond(IntervalFigures::successful);
    }

    /** Returns the requests a second that failed, or were answered with a 5xx. */
    public OptionalDouble errorRate() {
        return perSecond(IntervalFigures::failed);
    }

    private OptionalDouble perSecond(ToLongFunction<IntervalFigures> count) {
        return last().stream()
                .mapToDouble(figures -> count.applyAsLong(figures) / seconds(figures))
                .findFirst();
    }

    /** Returns the application's CPU in percent of one processor; absent too where threads are not told apart. */
    public OptionalDouble applicationCpu() {
        return processor(Cost.APPLICATION_CPU);
    }

    /** Returns the JIT's CPU, likewise. */
    public OptionalDouble jitCpu() {
        return processor(Cost.JIT_CPU);
    }

    private OptionalDouble processor(Cost cost) {
        return last().stream()
                .filter(figures -> figures.costs().get(cost).isPresent())
                .mapToDouble(figures -> PERCENT * figures.costs().get(cost).getAsLong() / NS_PER_SEC / seconds(figures))
                .findFirst();
    }

    /** Returns the memory of its control group, else its resident memory, in bytes. */
    public OptionalLong memory() {
        return last().map(figures -> figures.costs().get(Cost.MEMORY).isPresent()
                        ? figures.costs().get(Cost.MEMORY)
                        : figures.costs().get(Cost.RSS))
                .orElse(OptionalLong.empty());
    }

    private static double seconds(IntervalFigures figures) {
        return (figures.endNs() - figures.startNs()) / NS_PER_SEC;
    }
}
