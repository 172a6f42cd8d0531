package dev.lockstep.profiler;

import dev.lockstep.measurement.CodeKind;

/** One function on a stack: its name, the same on every JVM, and the kind of its code. Immutable. */
final class Frame {
    private final String name;
    private final CodeKind kind;

    Frame(String name, CodeKind kind) {
        this.name = name;
        this.kind = kind;
    }

    /** Returns for example "java.util.HashMap.get", "sha256_implCompressMB" or "write (libc.so.6)". */
    String name() {
        return name;
    }

    CodeKind kind() {
        return kind;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Frame && name.equals(((Frame) other).name) && kind == ((Frame) other).kind;
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + kind.hashCode();
    }

    @Override
    public String toString() {
        return name + " [" + kind.label() + "]";
    }
}
