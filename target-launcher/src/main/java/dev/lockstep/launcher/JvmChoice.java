package dev.lockstep.launcher;

import java.util.List;

/** A JVM with the options that make it serve a profile. Immutable. */
final class JvmChoice {
    final Jvm jvm;
    final List<String> options;
    /** Where the compiler comes from, for people. */
    final String jit;

    JvmChoice(Jvm jvm, List<String> options, String jit) {
        this.jvm = jvm;
        this.options = List.copyOf(options);
        this.jit = jit;
    }
}
