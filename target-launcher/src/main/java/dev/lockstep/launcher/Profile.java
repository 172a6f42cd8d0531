package dev.lockstep.launcher;

import java.util.Optional;

/** A kind of JVM and JIT that a target can be started with. */
public enum Profile {
    /** HotSpot with its own compilers. */
    C2("c2"),
    /** The Graal compiler in HotSpot. */
    GRAAL("graal"),
    /** Eclipse OpenJ9. */
    OPENJ9("openj9"),
    /** Azul Platform Prime with the Falcon compiler. */
    ZING("zing"),
    /** HotSpot's interpreter without any compiler. */
    ZERO("zero");

    private final String id;

    Profile(String id) {
        this.id = id;
    }

    /** Returns the name written after {@code --targets}. */
    public String id() {
        return id;
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
