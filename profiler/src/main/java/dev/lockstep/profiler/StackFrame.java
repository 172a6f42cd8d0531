package dev.lockstep.profiler;

import dev.lockstep.results.CodeKind;

/** One function on a stack: its name, the same on every JVM, and the kind of its code. Immutable. */
final class StackFrame {
    /** For example "java.util.HashMap.get", "sha256_implCompressMB" or "write (libc.so.6)". */
    final String name;

    final CodeKind kind;

    StackFrame(String name, CodeKind kind) {
        this.name = name;
        this.kind = kind;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StackFrame
                && name.equals(((StackFrame) other).name)
                && kind == ((StackFrame) other).kind;
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
