package dev.lockstep.launcher;

import org.immutables.value.Value;

/** What was found for one profile and JDK version: a line of {@code replay doctor}. Immutable. */
@Value.Immutable
public interface ProfileStatus {
    /** What is written after {@code --targets}, for example "c2" or "graal@25". */
    @Value.Parameter
    String target();

    /** What was found, for example "OpenJDK 17.0.15 (Debian) with Graal 22.3.5"; empty when nothing. */
    @Value.Parameter
    String found();

    /** The folders of what was found; empty when nothing. */
    @Value.Parameter
    String where();

    /** What is missing, where it was looked for and what to do; empty when nothing is missing. */
    @Value.Parameter
    String missing();

    /** Whether such a target can be started. */
    default boolean isAvailable() {
        return missing().isEmpty();
    }
}
