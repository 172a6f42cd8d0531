package dev.lockstep.cli;

/** Says whether a person watches standard error; the JVM cannot tell, so ./replay does. */
final class Terminal {
    private Terminal() {}

    static boolean isWatched() {
        return Boolean.getBoolean("lockstep.terminal");
    }
}
