package dev.lockstep.launcher;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A kind of JVM and JIT that a target can be started with. Which JVM serves it is up to {@link JvmInventory}; that it
 * really runs is proven by what the started JVM shows ({@link JitProof}).
 */
public enum Profile {
    /** HotSpot with its own compilers. Proof: a C2 compiler thread and no JVMCI thread. */
    C2("c2", "c2", Jvm.Kind.HOTSPOT, "C2", "no HotSpot JVM%s found", "-XX:+PrintCommandLineFlags"),
    /** The Graal compiler in HotSpot. Proof: a JVMCI compiler thread, no C2 thread and the line Graal prints. */
    GRAAL("graal", "graal", Jvm.Kind.GRAALVM, "Graal of GraalVM", "no JVM%s found that can run Graal"),
    /**
     * An installed GraalVM and nothing else, whose Graal is native code (libgraal) in most editions. Proof: as for
     * Graal. Written from GraalVM's documentation; not tried on a real one.
     */
    GRAALVM("graalvm", "graal", Jvm.Kind.GRAALVM, "Graal of GraalVM", "no GraalVM%s found"),
    /**
     * Eclipse OpenJ9. Proof: the VM's name and a thread "JIT Compilation". Written from OpenJ9's source and
     * documentation; not tried on a real one.
     */
    OPENJ9("openj9", "openj9", Jvm.Kind.OPENJ9, "OpenJ9's own JIT", "no OpenJ9 JVM%s found (for example IBM Semeru)"),
    /**
     * Azul Platform Prime. Proof: the VM's name, which has no other optimising compiler than Falcon since release
     * 20.03. Written from Azul's documentation; not tried on a real one.
     */
    ZING("zing", "falcon", Jvm.Kind.ZING, "Falcon", "no Azul Platform Prime (Zing) JVM%s found"),
    /** HotSpot's interpreter without any compiler. Proof: the VM's name and no compiler thread. */
    ZERO(
            "zero",
            "none",
            Jvm.Kind.ZERO,
            "interpreter only",
            "no Zero VM%s found (Debian: package openjdk-17-jre-zero)",
            "-XX:+PrintCommandLineFlags");

    private final String id;
    private final String jit;
    /** The JVMs that have this JIT by default; {@link JvmChooser} knows which others can be made to use it. */
    final Jvm.Kind kind;
    /** The JIT of those JVMs, for people. */
    final String jitName;
    /** What to say where no JVM serves it, {@code %s} being the wished version. */
    final String missing;
    /** The options that those JVMs are started with. */
    final List<String> options;

    Profile(String id, String jit, Jvm.Kind kind, String jitName, String missing, String... options) {
        this.id = id;
        this.jit = jit;
        this.kind = kind;
        this.jitName = jitName;
        this.missing = missing;
        this.options = List.of(options);
    }

    /** Returns the name written after {@code --targets}. */
    public String id() {
        return id;
    }

    /** Returns the name of its JIT in results: "c2", "graal", "openj9", "falcon", "none". */
    public String jit() {
        return jit;
    }

    /** Whether it asks for the Graal compiler, from wherever. */
    public boolean isGraal() {
        return jit.equals(GRAAL.jit);
    }

    /** Returns the profile of this name, if there is one. */
    public static Optional<Profile> of(String id) {
        return Arrays.stream(values()).filter(profile -> profile.id.equals(id)).findFirst();
    }
}
