package dev.lockstep.launcher;

/** What was found for one profile and JDK version: a line of {@code replay doctor}. Immutable. */
public final class ProfileStatus {
    private final String target;
    private final boolean available;
    private final String found;
    private final String where;
    private final String missing;

    ProfileStatus(String target, boolean available, String found, String where, String missing) {
        this.target = target;
        this.available = available;
        this.found = found;
        this.where = where;
        this.missing = missing;
    }

    /** Returns what is written after {@code --targets}, for example "c2" or "graal@25". */
    public String target() {
        return target;
    }

    /** Tells whether such a target can be started. */
    public boolean isAvailable() {
        return available;
    }

    /** Returns what was found, for example "OpenJDK 17.0.15 (Debian) with Graal 22.3.5"; empty when nothing. */
    public String found() {
        return found;
    }

    /** Returns the folders of what was found; empty when nothing. */
    public String where() {
        return where;
    }

    /** Returns what is missing, where it was looked for and what to do; empty when nothing is missing. */
    public String missing() {
        return missing;
    }
}
