package dev.lockstep.search;

import dev.lockstep.tuner.StudyState;
import dev.lockstep.tuner.Trial;
import java.util.Optional;
import java.util.function.Supplier;

/** What evaluates configurations. Used by one thread, which closes it. */
public interface Evaluator extends AutoCloseable {
    /**
     * Takes a trial to evaluate. As many may be in progress as the search evaluates at a time.
     *
     * @throws SearchException where it fails for a reason that is not in the configuration; the trial stays open
     */
    void begin(Trial trial);

    /**
     * As {@link #begin(Trial)}, where what is known of the others may make it worth less to evaluate it to its end.
     *
     * @param known what the model holds, which takes a moment to find; absent where nobody knows
     */
    default void begin(Trial trial, Supplier<Optional<StudyState>> known) {
        begin(trial);
    }

    /**
     * Waits for one of those in progress to end. That its configuration does not work is an observation, too.
     *
     * @param control says whether to give one up
     * @return absent where that says so
     * @throws SearchException where it fails for a reason that is not in the configuration; the trial stays open
     */
    Optional<Told> next(Control control);

    /** Drops a trial in progress, whose answer is not wanted any more. */
    void giveUp(Trial trial);

    @Override
    void close();
}
