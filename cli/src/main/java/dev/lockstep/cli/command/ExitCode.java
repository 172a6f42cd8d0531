package dev.lockstep.cli.command;

/** What the process returns to its caller; documented in every command's help. */
public final class ExitCode {
    /** What was asked for was done. A slow or dead target is a result, not a failure. */
    public static final int DONE = 0;
    /** It could not be done. */
    public static final int FAILED = 1;
    /** The command line or a targets file is wrong. */
    public static final int USAGE = 2;
    /** The run was done, and its figures must not be trusted: see the reasons it gives. */
    public static final int INVALID = 3;

    private ExitCode() {}
}
