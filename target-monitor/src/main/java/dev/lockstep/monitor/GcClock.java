package dev.lockstep.monitor;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Brings the times of a log to the clock of {@link System#nanoTime()}. Used by one thread. */
final class GcClock {
    private static final long MAX_EPOCH_MS = Long.MAX_VALUE / 2_000_000;

    private OptionalLong jvmStartNs;
    private final ZoneId zone;
    private long epochOffsetNs;

    /**
     * @param jvmStartNs when the JVM was started, on this machine's monotonic clock; empty when not known
     * @param zone of dates that do not say theirs
     */
    GcClock(OptionalLong jvmStartNs, ZoneId zone) {
        this.jvmStartNs = jvmStartNs;
        this.zone = zone;
        adjust();
    }

    /** Compares the two clocks anew, for the epoch's may be set while the other goes on. */
    void adjust() {
        adjust(System.nanoTime(), System.currentTimeMillis());
    }

    void adjust(long nanoTime, long epochMs) {
        epochOffsetNs = TimeUnit.MILLISECONDS.toNanos(epochMs) - nanoTime;
    }

    /** Takes the start of the JVM from its log, where the caller did not know it. */
    void jvmStartedAt(long epochMs) {
        if (jvmStartNs.isEmpty() && ofEpochMs(epochMs) != GcAccount.NO_TIME) {
            jvmStartNs = OptionalLong.of(ofEpochMs(epochMs));
        }
    }

    long ofEpochMs(long epochMs) {
        return epochMs < 0 || epochMs > MAX_EPOCH_MS
                ? GcAccount.NO_TIME
                : TimeUnit.MILLISECONDS.toNanos(epochMs) - epochOffsetNs;
    }

    long ofUptimeNs(long uptimeNs) {
        return jvmStartNs.isEmpty() || uptimeNs < 0 || uptimeNs > Long.MAX_VALUE / 2
                ? GcAccount.NO_TIME
                : jvmStartNs.getAsLong() + uptimeNs;
    }

    /**
     * Takes nanoseconds that are either this clock or the JVM's age; both decorations of unified logging look alike. An
     * age is less than the start of the JVM on this clock unless the machine was booted just before.
     */
    long ofNanos(long nanos) {
        return jvmStartNs.isPresent() && nanos < jvmStartNs.getAsLong() ? ofUptimeNs(nanos) : nanos;
    }

    /** Reads a date such as {@code 2026-11-21T17:00:00.123+0000}, the zone optional; returns -1 when it is none. */
    long epochMs(CharSequence text) {
        int length = text.length();
        if (length < 23 || text.charAt(4) != '-' || text.charAt(10) != 'T' || text.charAt(13) != ':') {
            return -1;
        }
        int[] fields = new int[7];
        int[] starts = {0, 5, 8, 11, 14, 17, 20};
        int[] ends = {4, 7, 10, 13, 16, 19, 23};
        for (int i = 0; i < fields.length; i++) {
            for (int at = starts[i]; at < ends[i]; at++) {
                int digit = text.charAt(at) - '0';
                if (digit < 0 || digit > 9) {
                    return -1;
                }
                fields[i] = 10 * fields[i] + digit;
            }
        }
        try {
            LocalDateTime date =
                    LocalDateTime.of(fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], (int)
                            TimeUnit.MILLISECONDS.toNanos(fields[6]));
            ZoneOffset offset = length == 23
                    ? zone.getRules().getOffset(date)
                    : ZoneOffset.of(text.subSequence(23, length).toString());
            return date.toInstant(offset).toEpochMilli();
        } catch (DateTimeException e) {
            return -1;
        }
    }
}
