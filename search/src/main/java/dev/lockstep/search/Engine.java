package dev.lockstep.search;

import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.StudyState;
import dev.lockstep.tuner.Trial;
import java.util.Optional;

/** What chooses the configurations. Used by one thread, which closes it. */
public interface Engine extends AutoCloseable {
    /** Returns the next trial; absent where there is none. */
    Optional<Trial> ask();

    /** Takes a trial as asked that an earlier engine of the same search asked for. */
    void resume(Trial trial);

    /** Tells what came of a trial. */
    void tell(Trial trial, Observation observation);

    /** Returns what is held for the best; absent where no trial has a value that counts. */
    Optional<Best> best();

    /** Returns why it is not worth going on; absent as long as it is. */
    Optional<String> whyEnd();

    /** Returns what its model holds; absent where nobody knows. */
    default Optional<StudyState> state() {
        return Optional.empty();
    }

    @Override
    void close();
}
