package dev.lockstep.launcher;

import java.nio.file.Path;
import java.util.List;

/** A Java virtual machine found on this machine. Immutable; safe to use from any thread. */
public final class Jvm {
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

        /** Returns its name as people write it. */
        public String label() {
            return label;
        }
    }

    private final Path home;
    private final int featureVersion;
    private final String version;
    private final String vendor;
    private final String vmName;
    private final Kind kind;
    private final List<String> modules;
    private final List<String> selectOptions;
    private final String problem;

    /**
     * @param modules the modules of the run-time image; empty when not known
     * @param selectOptions what the java command needs to start this VM and not another one of the same folder
     * @param problem why it can not be used, or empty
     */
    Jvm(
            Path home,
            int featureVersion,
            String version,
            String vendor,
            String vmName,
            Kind kind,
            List<String> modules,
            List<String> selectOptions,
            String problem) {
        this.home = home;
        this.featureVersion = featureVersion;
        this.version = version;
        this.vendor = vendor;
        this.vmName = vmName;
        this.kind = kind;
        this.modules = List.copyOf(modules);
        this.selectOptions = List.copyOf(selectOptions);
        this.problem = problem;
    }

    /** Returns the JDK's or JRE's folder, links resolved. */
    public Path home() {
        return home;
    }

    public Path javaBinary() {
        return home.resolve("bin/java");
    }

    /** Returns 8, 11, 17, 25...; 0 when that could not be found out. */
    public int featureVersion() {
        return featureVersion;
    }

    /** Returns the full version, for example "17.0.15+6-Debian-1"; empty when unknown. */
    public String version() {
        return version;
    }

    /** Returns who made it, for example "Eclipse Adoptium"; empty when unknown. */
    public String vendor() {
        return vendor;
    }

    /** Returns the VM's name, for example "OpenJDK 64-Bit Server VM"; empty when its {@code release} file says enough. */
    public String vmName() {
        return vmName;
    }

    public Kind kind() {
        return kind;
    }

    /** Tells whether it can be started. */
    public boolean isUsable() {
        return problem.isEmpty();
    }

    /** Returns why it can not be used, in one line; empty when it can. */
    public String problem() {
        return problem;
    }

    /** Returns kind, version, vendor and folder in one line for people. */
    public String describe() {
        return kind.label() + " " + (version.isEmpty() ? "of unknown version" : version)
                + (vendor.isEmpty() ? "" : " (" + vendor + ")") + ", " + home
                + (problem.isEmpty() ? "" : ": " + problem);
    }

    @Override
    public String toString() {
        return describe();
    }

    /** Returns whether its image has the module; true as well when its modules are not known. */
    boolean mayHaveModule(String module) {
        return modules.isEmpty() || modules.contains(module);
    }

    List<String> selectOptions() {
        return selectOptions;
    }
}
