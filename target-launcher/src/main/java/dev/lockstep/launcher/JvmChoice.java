package dev.lockstep.launcher;

import java.util.List;

/** A JVM with the options that make it serve a profile. Immutable. */
final class JvmChoice {
    private final Jvm jvm;
    private final List<String> options;
    private final String jit;

    JvmChoice(Jvm jvm, List<String> options, String jit) {
        this.jvm = jvm;
        this.options = List.copyOf(options);
        this.jit = jit;
    }

    Jvm jvm() {
        return jvm;
    }

    List<String> options() {
        return options;
    }

    /** Returns where the compiler comes from, for people. */
    String jit() {
        return jit;
    }
}
