package dev.lockstep.analysis;

import java.util.OptionalDouble;

/** The figures of a run, by target and metric. */
@FunctionalInterface
public interface Figures {
    /** Returns a value in the unit that its {@link Quantity} has inside; absent where the run has none. */
    OptionalDouble of(String target, String metric);
}
