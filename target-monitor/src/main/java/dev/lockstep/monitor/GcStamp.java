package dev.lockstep.monitor;

import java.util.Set;
import java.util.concurrent.TimeUnit;

/** When a line of a log was written, what else stands at its beginning, and what follows. Immutable. */
final class GcStamp {
    private static final Set<String> LEVELS = Set.of("trace", "debug", "info", "warning", "error");
    /** An epoch in milliseconds is more, the age of a JVM less. */
    private static final long LEAST_EPOCH_MS = 1_000_000_000_000L;

    /** The moment, or {@link GcAccount#NO_TIME}. */
    final long timeNs;
    /** The tags of unified logging, for example "gc,start"; empty when the log has none. */
    final String tags;
    /** Whether unified logging decorated the line. */
    final boolean decorated;

    final String text;

    private GcStamp(long timeNs, String tags, boolean decorated, String text) {
        this.timeNs = timeNs;
        this.tags = tags;
        this.decorated = decorated;
        this.text = text;
    }

    /** Reads the decorations of unified logging; returns null when one has no end. */
    static GcStamp unified(String line, GcClock clock) {
        long timeNs = GcAccount.NO_TIME;
        String tags = "";
        int at = 0;
        while (at < line.length() && line.charAt(at) == '[') {
            int end = line.indexOf(']', at);
            if (end < 0) {
                return null;
            }
            String decoration = line.substring(at + 1, end).trim();
            boolean isTime = !decoration.isEmpty() && GcText.isDigit(decoration.charAt(0));
            // They come in a fixed order; when there are several times, the last one, in nanoseconds, is the best.
            if (isTime && (timeNs == GcAccount.NO_TIME || decoration.endsWith("ns"))) {
                timeNs = time(decoration, clock);
            } else if (!isTime && !LEVELS.contains(decoration)) {
                tags = decoration;
            }
            at = end + 1;
        }
        boolean decorated = at > 0;
        while (at < line.length() && line.charAt(at) == ' ') {
            at++;
        }
        return new GcStamp(timeNs, tags, decorated, line.substring(at));
    }

    private static long time(String text, GcClock clock) {
        int length = text.length();
        if (text.endsWith("ns")) {
            long nanos = GcText.number(text, 0, length - 2);
            return nanos < 0 ? GcAccount.NO_TIME : clock.ofNanos(nanos);
        }
        if (text.endsWith("ms")) {
            long millis = GcText.number(text, 0, length - 2);
            return millis >= LEAST_EPOCH_MS
                    ? clock.ofEpochMs(millis)
                    : clock.ofUptimeNs(millis < 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(millis));
        }
        if (text.endsWith("s")) {
            return clock.ofUptimeNs(GcText.decimal(text, 0, length - 1, TimeUnit.SECONDS.toNanos(1)));
        }
        return clock.ofEpochMs(clock.epochMs(text));
    }

    /** Reads the beginning of a line of JDK 8's log: a date, the JVM's age, both or none. */
    static GcStamp jdk8(String line, GcClock clock) {
        long dateNs = GcAccount.NO_TIME;
        long ageNs = GcAccount.NO_TIME;
        int at = 0;
        while (at < line.length() && GcText.isDigit(line.charAt(at))) {
            int end = line.indexOf(": ", at);
            if (end < 0) {
                break;
            }
            long epochMs = clock.epochMs(line.substring(at, end));
            if (epochMs >= 0) {
                dateNs = clock.ofEpochMs(epochMs);
            } else {
                long nanos = GcText.decimal(line, at, end, TimeUnit.SECONDS.toNanos(1));
                if (nanos < 0) {
                    break;
                }
                ageNs = clock.ofUptimeNs(nanos);
            }
            at = end + 2;
        }
        if (at < line.length() && line.charAt(at) == '#') {
            // -XX:+PrintGCID
            int end = line.indexOf(": ", at);
            at = end < 0 ? at : end + 2;
        }
        return new GcStamp(dateNs != GcAccount.NO_TIME ? dateNs : ageNs, "", false, line.substring(at));
    }
}
