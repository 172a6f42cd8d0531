package dev.lockstep.monitor;

import java.util.concurrent.TimeUnit;

/** The lines with which JVMs say how long the application stood, for a collection or anything else. */
final class SafepointLine {
    static final String START = "Total time for which application threads were stopped: ";

    private SafepointLine() {}

    /** Returns the nanoseconds of a text that begins with {@link #START}, as HotSpot up to JDK 12 and Zing have it, or -1. */
    static long stoppedNs(String text) {
        int end = text.indexOf(" seconds, ", START.length());
        if (end < 0 && text.endsWith(" seconds")) {
            end = text.length() - 8;
        }
        return end < START.length() ? -1 : GcText.decimal(text, START.length(), end, TimeUnit.SECONDS.toNanos(1));
    }

    /** Returns the nanoseconds of a text such as {@code Safepoint "Cleanup", ..., Total: 125 ns}, JDK 13 and later, or -1. */
    static long totalNs(String text) {
        int total = text.indexOf(", Total:");
        int end = total < 0 ? -1 : text.indexOf(" ns", total);
        String number = end < 0 ? "" : text.substring(total + 8, end).trim();
        return GcText.number(number, 0, number.length());
    }
}
