package dev.lockstep.search;

import dev.lockstep.tuner.Trial;
import java.util.function.Supplier;

/** Hears how a search goes, on its thread. Every method does nothing unless it is overridden. */
public interface SearchListener {
    /** A sentence for people. */
    default void note(String sentence) {}

    /** @param evaluations how many there are to be in all */
    default void begins(Trial trial, int evaluations) {}

    default void ended(Told told, int evaluations) {}

    /**
     * It waits for what it evaluates.
     *
     * @param soFar asks the engine what it holds, which takes a moment; to be asked within this call only
     */
    default void changed(Supplier<SearchResult> soFar) {}

    /** It evaluates nothing and waits for a wish to go on; as {@link #changed}. */
    default void paused(Supplier<SearchResult> soFar) {}
}
