package dev.lockstep.monitor;

import java.util.concurrent.TimeUnit;

/** The lines with which JVMs say how long the application stood, for a collection or anything else. */
final class SafepointLine {
    /** Returned for a line that says something else. */
    static final long NONE = -2;

    private static final String STOPPED = "Total time for which application threads were stopped: ";

    private SafepointLine() {}

    /**
     * Returns the nanoseconds of a line such as {@code Safepoint "Cleanup", ..., Total: 125 ns}, JDK 13 and later, or
     * {@code Total time for which application threads were stopped: 0.1 seconds, ...}, as HotSpot before and Zing have
     * it; -1 when it is damaged, {@link #NONE} when it is no such line.
     */
    static long stoppedNs(String text) {
        if (text.startsWith("Safepoint \"")) {
            int total = text.indexOf(", Total:");
            int end = total < 0 ? -1 : text.indexOf(" ns", total);
            String number = end < 0 ? "" : text.substring(total + 8, end).trim();
            return GcText.number(number, 0, number.length());
        }
        if (!text.startsWith(STOPPED)) {
            return NONE;
        }
        int end = text.indexOf(" seconds, ", STOPPED.length());
        if (end < 0 && text.endsWith(" seconds")) {
            end = text.length() - 8;
        }
        return end < STOPPED.length() ? -1 : GcText.decimal(text, STOPPED.length(), end, TimeUnit.SECONDS.toNanos(1));
    }
}
