package dev.lockstep.launcher;

import java.nio.file.Path;
import java.util.List;

/**
 * The JVMs of this machine and which of them serves a {@link Profile}. Immutable; safe to use from any thread.
 *
 * <p>Looked for in {@code JAVA_HOME}, {@code LOCKSTEP_JDKS} (folders joined by ':'), the java of {@code PATH},
 * {@code /usr/lib/jvm}, {@code /usr/java}, {@code /opt}, {@code ~/.sdkman/candidates/java} and {@code ~/.jdks}.
 */
public final class JvmInventory {
    private JvmInventory() {}

    /**
     * Looks for JVMs. One that is broken is listed with its {@link Jvm#problem() problem}.
     *
     * @param graalJars the folder whose subfolders 17 and 25 hold the Graal compiler for stock JDKs
     */
    public static JvmInventory discover(Path graalJars) {
        throw new UnsupportedOperationException();
    }

    /** Returns what was found, without duplicates, in rising order of version. */
    public List<Jvm> jvms() {
        throw new UnsupportedOperationException();
    }

    /** Returns what there is for every profile, in the order of {@link Profile}. */
    public List<ProfileStatus> doctor() {
        throw new UnsupportedOperationException();
    }
}
