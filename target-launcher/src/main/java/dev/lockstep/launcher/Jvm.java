package dev.lockstep.launcher;

import java.nio.file.Path;

/** A Java virtual machine found on this machine. Immutable; safe to use from any thread. */
public final class Jvm {
    /** The families of JVMs that matter for choosing a JIT. */
    public enum Kind {
        /** OpenJDK's VM with its own compilers C1 and C2. */
        HOTSPOT,
        /** Eclipse OpenJ9, for example IBM Semeru. */
        OPENJ9,
        /** Azul Platform Prime, formerly Zing, with the Falcon compiler. */
        ZING,
        /** HotSpot without a compiler: the Zero interpreter. */
        ZERO,
        /** HotSpot with Graal as its compiler, as GraalVM is shipped. */
        GRAALVM,
        OTHER
    }

    private Jvm() {}

    /** Returns the JDK's or JRE's folder, links resolved. */
    public Path home() {
        throw new UnsupportedOperationException();
    }

    public Path javaBinary() {
        throw new UnsupportedOperationException();
    }

    /** Returns 8, 11, 17, 25...; 0 when that could not be found out. */
    public int featureVersion() {
        throw new UnsupportedOperationException();
    }

    /** Returns the full version, for example "17.0.15+6-Debian-1"; empty when unknown. */
    public String version() {
        throw new UnsupportedOperationException();
    }

    /** Returns who made it, for example "Eclipse Adoptium"; empty when unknown. */
    public String vendor() {
        throw new UnsupportedOperationException();
    }

    /** Returns the VM's name, for example "OpenJDK 64-Bit Server VM"; empty when unknown. */
    public String vmName() {
        throw new UnsupportedOperationException();
    }

    public Kind kind() {
        throw new UnsupportedOperationException();
    }

    /** Tells whether it can be started. */
    public boolean isUsable() {
        throw new UnsupportedOperationException();
    }

    /** Returns why it can not be used, in one line; empty when it can. */
    public String problem() {
        throw new UnsupportedOperationException();
    }

    /** Returns kind, version, vendor and folder in one line for people. */
    public String describe() {
        throw new UnsupportedOperationException();
    }
}
