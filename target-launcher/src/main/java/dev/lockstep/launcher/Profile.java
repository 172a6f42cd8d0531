package dev.lockstep.launcher;

import java.util.Optional;

/**
 * A kind of JVM and JIT that a target can be started with. Which JVM serves it is up to {@link JvmInventory}; that it
 * really runs is proven by what the started JVM shows.
 */
public enum Profile {
    /** HotSpot with its own compilers. Proof: a C2 compiler thread and no JVMCI thread. */
    C2("c2", "c2"),
    /** The Graal compiler in HotSpot. Proof: a JVMCI compiler thread, no C2 thread and the line Graal prints. */
    GRAAL("graal", "graal"),
    /**
     * Eclipse OpenJ9. Proof: the VM's name and a thread "JIT Compilation". Written after OpenJ9's source and
     * documentation; not tried, for lack of one here.
     */
    OPENJ9("openj9", "openj9"),
    /**
     * Azul Platform Prime. Proof: the VM's name, which has no other optimising compiler than Falcon since release
     * 20.03. Written after Azul's documentation; not tried, for lack of one here.
     */
    ZING("zing", "falcon"),
    /** HotSpot's interpreter without any compiler. Proof: the VM's name and no compiler thread. */
    ZERO("zero", "none");

    private final String id;
    private final String jit;

    Profile(String id, String jit) {
        this.id = id;
        this.jit = jit;
    }

    /** Returns the name written after {@code --targets}. */
    public String id() {
        return id;
    }

    /** Returns the name of its JIT in results: "c2", "graal", "openj9", "falcon", "none". */
    public String jit() {
        return jit;
    }

    /** Returns the profile of this name, if there is one. */
    public static Optional<Profile> of(String id) {
        for (Profile profile : values()) {
            if (profile.id.equals(id)) {
                return Optional.of(profile);
            }
        }
        return Optional.empty();
    }
}
