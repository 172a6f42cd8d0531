package dev.lockstep.monitor;

import java.util.concurrent.TimeUnit;

/** The beginning of a line of JDK 8's log: a date, the JVM's age, both or none, and then what happened. Immutable. */
final class Jdk8Stamp {
    private final long timeNs;
    private final String text;

    private Jdk8Stamp(long timeNs, String text) {
        this.timeNs = timeNs;
        this.text = text;
    }

    static Jdk8Stamp read(String line, GcClock clock) {
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
        return new Jdk8Stamp(dateNs != GcAccount.NO_TIME ? dateNs : ageNs, line.substring(at));
    }

    /** Returns the moment, or {@link GcAccount#NO_TIME}. */
    long timeNs() {
        return timeNs;
    }

    String text() {
        return text;
    }
}
