package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureException;
import java.io.IOException;
import java.nio.file.Path;

/** Why a recording ended early. Immutable. */
public final class WriteFailure {
    /** What stands in files between their name and the reason. */
    public static final String EARLY = ": recording ended early, ";

    /** One line for people. */
    final String text;

    final CaptureSummary.Reason reason;

    private WriteFailure(String text, CaptureSummary.Reason reason) {
        this.text = text;
        this.reason = reason;
    }

    /** Returns that whoever writes was told to stop before all was written. */
    public static WriteFailure stopped(Path path, String why) {
        return new WriteFailure(
                path + EARLY + why + "; what was written before is readable", CaptureSummary.Reason.STOPPED);
    }

    /**
     * Returns the failure that an exception means.
     *
     * @param where begins with a blank, such as " at offset 4096"
     */
    static WriteFailure of(Path path, Throwable cause, String where) {
        boolean io = cause instanceof IOException;
        boolean ours = cause instanceof CaptureException || cause instanceof IllegalStateException;
        String problem =
                io ? CaptureException.reason((IOException) cause) : ours ? cause.getMessage() : cause.toString();
        boolean full = (io || ours) && (problem.contains("No space left") || problem.contains("quota"));
        return new WriteFailure(
                path
                        + EARLY + (full ? "the disk is full" : "writing failed") + where + ": "
                        + problem.replace('\n', ' ') + "; what was written before is readable",
                full ? CaptureSummary.Reason.DISK_FULL : CaptureSummary.Reason.WRITE_FAILED);
    }
}
