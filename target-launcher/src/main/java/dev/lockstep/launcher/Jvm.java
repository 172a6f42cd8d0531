package dev.lockstep.launcher;

import java.nio.file.Path;
import java.util.List;
import org.immutables.value.Value;

/** A Java virtual machine found on this machine. Immutable; safe to use from any thread. */
@Value.Immutable
public abstract class Jvm {
    /** The families of JVMs that matter for choosing a JIT. */
    public enum Kind {
        /** OpenJDK's VM with its own compilers C1 and C2. */
        HOTSPOT("HotSpot"),
        /** Eclipse OpenJ9, for example IBM Semeru. */
        OPENJ9("OpenJ9"),
        /** Azul Platform Prime, formerly Zing, with the Falcon compiler. */
        ZING("Zing"),
        /** HotSpot without a compiler: the Zero interpreter. */
        ZERO("Zero"),
        /** HotSpot with Graal as its compiler, as GraalVM is shipped. */
        GRAALVM("GraalVM"),
        OTHER("another JVM");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** Whether it is HotSpot, whatever its compiler. */
        boolean isHotSpot() {
            return this == HOTSPOT || this == GRAALVM || this == ZERO;
        }

        /** Returns its name as people write it. */
        public String label() {
            return label;
        }
    }

    /** The JDK's or JRE's folder, links resolved. */
    public abstract Path home();

    /** 8, 11, 17, 25...; 0 when that could not be found out. */
    public abstract int featureVersion();

    /** The full version, for example "17.0.15+6-Debian-1"; empty when unknown. */
    public abstract String version();

    /** Who made it, for example "Eclipse Adoptium"; empty when unknown. */
    public abstract String vendor();

    /** The modules of the run-time image; none when they are not known. */
    abstract List<String> modules();

    public abstract Kind kind();

    /** The VM's name, for example "OpenJDK 64-Bit Server VM"; empty when its {@code release} file says enough. */
    public abstract String vmName();

    /** What the java command needs to start this VM and not another one of the same folder. */
    abstract List<String> selectOptions();

    /** Why it can not be used, in one line; empty when it can. */
    public abstract String problem();

    public boolean isUsable() {
        return problem().isEmpty();
    }

    public Path javaBinary() {
        return home().resolve("bin/java");
    }

    /** Whether its image has the module; true as well when its modules are not known. */
    boolean mayHaveModule(String module) {
        return modules().isEmpty() || modules().contains(module);
    }

    /** Returns kind, version, vendor and folder in one line for people. */
    public String describe() {
        return kind().label() + " " + (version().isEmpty() ? "of unknown version" : version())
                + (vendor().isEmpty() ? "" : " (" + vendor() + ")") + ", " + home()
                + (isUsable() ? "" : ": " + problem());
    }

    @Override
    public String toString() {
        return describe();
    }
}
