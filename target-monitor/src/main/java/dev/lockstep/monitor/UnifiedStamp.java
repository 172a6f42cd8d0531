package dev.lockstep.monitor;

import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The decorations at the beginning of a line of unified logging, and what follows them. Immutable. */
final class UnifiedStamp {
    private static final Set<String> LEVELS = Set.of("trace", "debug", "info", "warning", "error");

    /** An epoch in milliseconds is more, the age of a JVM less. */
    private static final long LEAST_EPOCH_MS = 1_000_000_000_000L;

    private final long timeNs;
    private final String tags;
    private final boolean decorated;
    private final String text;

    private UnifiedStamp(long timeNs, String tags, boolean decorated, String text) {
        this.timeNs = timeNs;
        this.tags = tags;
        this.decorated = decorated;
        this.text = text;
    }

    /** Returns null when a decoration has no end. */
    static UnifiedStamp read(String line, GcClock clock) {
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
            // They come in a fixed order; of several times the one in nanoseconds is the last and the best.
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
        return new UnifiedStamp(timeNs, tags, decorated, line.substring(at));
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

    /** Returns the moment, or {@link GcAccount#NO_TIME}. */
    long timeNs() {
        return timeNs;
    }

    /** Returns the tags, for example "gc,start"; empty when the log has none. */
    String tags() {
        return tags;
    }

    boolean isDecorated() {
        return decorated;
    }

    String text() {
        return text;
    }
}
