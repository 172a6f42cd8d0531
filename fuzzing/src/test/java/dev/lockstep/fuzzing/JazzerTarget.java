package dev.lockstep.fuzzing;

/** What Jazzer calls, in a process of its own; the system property "lockstep.fuzz.target" names the parser. */
public final class JazzerTarget {
    private static final FuzzTargets TARGET = FuzzTargets.valueOf(System.getProperty("lockstep.fuzz.target"));

    private JazzerTarget() {}

    /** Runs one input, as libFuzzer's entry points are called. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        TARGET.parse(input);
    }
}
