package dev.lockstep.run;

/** Tells failures that are for the user, whose message is one line, from defects of ours, which keep their trace. */
public final class ExpectedFailure {
    private static final String OURS = "dev.lockstep.";

    private ExpectedFailure() {}

    /**
     * Design note: each module throws an exception of its own, with a message for the user, and a defect is an
     * exception of the JDK or of a library. So the package decides; a common base type would need a module below all
     * others.
     */
    public static boolean isExpected(Throwable e) {
        return e.getClass().getName().startsWith(OURS);
    }

    /** Returns the message of an expected failure, a description of another, without line breaks. */
    static String oneLine(Throwable e) {
        String message = isExpected(e) ? e.getMessage() : e.toString();
        return message.replaceAll("\\s*\\R\\s*", " ");
    }
}
