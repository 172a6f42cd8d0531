package dev.lockstep.run;

import dev.lockstep.results.Drift;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunResult;
import java.util.List;
import java.util.Map;

/**
 * Hears how a run goes. Every method does nothing unless it is overridden.
 *
 * <p>Each listener has a thread of its own for the time of a run, which calls it with one event after the other, in the
 * order in which they happened. So a listener that is slow, blocks or throws holds up neither the measurement nor the
 * other listeners; one that comes from outside, such as a page's, may block on its socket. Of a listener that falls
 * behind, only the newest {@link #progress} and {@link #status} are kept, and from {@value Listeners#MOST_WAITING}
 * waiting events on no {@link #interval}; nothing else is left out. The run waits for its listeners only when nothing
 * is measured any more, after {@link #measured} and at its end, and for {@link RunConfig.Builder#listenerGrace} at
 * most. What a listener throws is told by {@link RunOutcome#listenerFailures}.
 */
public interface RunListener {
    /** A sentence for people: what is run, what to beware of, what could not be done. */
    default void note(String sentence) {}

    /** The run begins something, and has ended what it did before. */
    default void phase(RunPhase phase) {}

    /**
     * The phase goes on; about once a second.
     *
     * @param elapsedNs since the phase began
     * @param answers how many answers each target under load gave in this launch so far
     */
    default void progress(long elapsedNs, Map<String, Long> answers) {}

    /** What a target did in a second or so, of the warm-up too. */
    default void interval(String target, IntervalFigures figures) {}

    /**
     * How a soak run stands, or what a warm-up awaits that takes until the targets are steady: a line for people, in
     * place of {@link #progress}.
     */
    default void status(String line) {}

    /** What a soak run knows of leaks and drifts of all targets, once a minute, in place of what was known before. */
    default void trends(List<Drift> drifts) {}

    /** A phase is over and no other follows at once. */
    default void phaseEnded() {}

    /** A target did not start; the launch goes on without it. */
    default void targetFailed(String target, String why) {}

    /** A target answers. */
    default void targetReady(ReadyTarget target) {}

    /** All targets of a launch are up, and the load begins; a target that failed to start is not among them. */
    default void launched(List<ReadyTarget> targets) {}

    /**
     * A launch of a run that may have several came to its end.
     *
     * @param done how many did, this one included
     * @param soFar what they came to, without verdicts
     */
    default void launchDone(int done, RunResult soFar) {}

    /**
     * The measurement is over; its result is written to the run directory meanwhile.
     *
     * @param result with verdicts, conditions and costs
     * @param last whether this is the run's result; else {@link #profiled} follows with more in it
     */
    default void measured(RunResult result, boolean last) {}

    /** The profiles are there, and the run is over. */
    default void profiled(RunResult result) {}
}
