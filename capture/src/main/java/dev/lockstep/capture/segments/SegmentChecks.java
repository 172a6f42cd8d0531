package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureException;
import java.nio.file.Path;
import java.util.Locale;

/** Refuses a segment whose bytes contradict each other although their checksums are right. */
final class SegmentChecks {
    private final Path path;

    SegmentChecks(Path path) {
        this.path = path;
    }

    /** Refuses the segment unless both numbers are the same. */
    void requireEqual(long where, String what, long expected, long found) {
        if (expected != found) {
            throw contradiction(where, "%s: expected %d, found %d", what, expected, found);
        }
    }

    /** Refuses the segment when something is shorter than this version of the format has it. */
    void requireLength(long where, String what, int least, int found) {
        if (found < least) {
            throw contradiction(where, "%s: expected at least %d bytes, found %d", what, least, found);
        }
    }

    /** Returns the refusal of a contradiction, told as by {@link String#format}. */
    CaptureException contradiction(long where, String problem, Object... arguments) {
        String told = String.format(Locale.ROOT, problem, arguments);
        return new CaptureException(
                path, where, "the file contradicts itself: " + told + "; restore the file from a copy");
    }

    /** Returns the refusal of something that only a later version of the format defines. */
    CaptureException newer(long where, String problem) {
        return new CaptureException(path, where, problem + "; read the file with a newer version of Lockstep");
    }

    static String hex(int code) {
        return "0x" + Integer.toHexString(code);
    }
}
