package dev.lockstep.search;

import dev.lockstep.tuner.Trial;
import java.util.Optional;

/** What evaluates configurations, one after the other. Used by one thread, which closes it. */
public interface Evaluator extends AutoCloseable {
    /**
     * Evaluates a trial. That its configuration does not work is an observation, too.
     *
     * @param control says whether to give it up
     * @return absent where it was given up
     * @throws SearchException where it fails for a reason that is not in the configuration; the trial stays open
     */
    Optional<Evaluation> evaluate(Trial trial, Control control);

    @Override
    void close();
}
