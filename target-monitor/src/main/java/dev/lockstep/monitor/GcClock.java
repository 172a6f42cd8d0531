package dev.lockstep.monitor;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Brings the times of a log to the clock of {@link System#nanoTime()}. Used by one thread. */
final class GcClock {
    private static final long MAX_EPOCH_MS = Long.MAX_VALUE / 2_000_000;
    private static final int DATE_CHARS = 23;
    /** Clocks are compared and set; time zones differ by more. */
    private static final long SLACK_MS = TimeUnit.MINUTES.toMillis(5);

    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss[.][,]SSS", Locale.ROOT);

    private OptionalLong jvmStartNs;
    private final ZoneId zone;
    private long epochOffsetNs;
    /** When the log was read last; it has nothing of later. */
    private long readMs = Long.MAX_VALUE;

    private boolean anotherZone;

    /**
     * @param jvmStartNs when the JVM was started, on this machine's monotonic clock; empty when not known
     * @param zone of dates that do not say theirs
     */
    GcClock(OptionalLong jvmStartNs, ZoneId zone) {
        this.jvmStartNs = jvmStartNs;
        this.zone = zone;
        adjust(System.nanoTime(), System.currentTimeMillis());
    }

    /** Compares the two clocks again, because the wall clock may be set while the other goes on. */
    void adjust() {
        readMs = System.currentTimeMillis();
        adjust(System.nanoTime(), readMs);
    }

    void adjust(long nanoTime, long epochMs) {
        epochOffsetNs = TimeUnit.MILLISECONDS.toNanos(epochMs) - nanoTime;
    }

    /** Takes the start of the JVM from its log, if the caller did not know it. */
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
     * Takes nanoseconds that are either a time of this clock or the JVM's age: both decorations of unified logging look
     * alike. An age is less than the JVM's start on this clock, unless the machine was booted just before.
     */
    long ofNanos(long nanos) {
        return jvmStartNs.isPresent() && nanos < jvmStartNs.getAsLong() ? ofUptimeNs(nanos) : nanos;
    }

    /**
     * Reads a date such as {@code 2026-11-21T17:00:00.123+0000}, the zone optional; returns -1 when it is none, or of a
     * zone that is not known.
     */
    long epochMs(CharSequence text) {
        if (text.length() < DATE_CHARS) {
            return -1;
        }
        try {
            LocalDateTime date = LocalDateTime.parse(text.subSequence(0, DATE_CHARS), DATE);
            if (text.length() > DATE_CHARS) {
                ZoneOffset offset = ZoneOffset.of(
                        text.subSequence(DATE_CHARS, text.length()).toString());
                return date.toInstant(offset).toEpochMilli();
            }
            long epochMs = date.toInstant(zone.getRules().getOffset(date)).toEpochMilli();
            // Before its own start, or to come: the JVM has another TZ than we, or the clock was set.
            anotherZone |= epochMs - SLACK_MS > readMs
                    || jvmStartNs.isPresent() && ofEpochMs(epochMs + SLACK_MS) < jvmStartNs.getAsLong();
            return anotherZone ? -1 : epochMs;
        } catch (DateTimeException e) {
            return -1;
        }
    }

    /** Whether the log's dates have shown to be of another time zone than ours, which they do not tell. */
    boolean isOfAnotherZone() {
        return anotherZone;
    }
}
