package dev.lockstep.monitor;

import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.List;
import java.util.OptionalLong;

/** A log fed to its parser without a file, on clocks that stand. */
final class TestingGcLog {
    /** The JVM's start on the monotonic clock. */
    static final long START_NS = 50_000_000_000L;

    /** The epoch at the monotonic clock's zero. */
    static final long EPOCH_MS = 1_600_000_000_000L;

    private final GcAccount account = new GcAccount();
    private final GcLines lines;

    TestingGcLog(GcLogFormat format) {
        GcClock clock = new GcClock(OptionalLong.of(START_NS), ZoneOffset.UTC);
        clock.adjust(0, EPOCH_MS);
        lines = new GcLines(GcDialect.of(format, account, clock), account);
    }

    /** Returns a log that has read these lines. */
    static TestingGcLog of(GcLogFormat format, String... text) {
        TestingGcLog log = new TestingGcLog(format);
        log.feed(String.join("\n", text) + "\n");
        return log;
    }

    void feed(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        lines.bytes(bytes, 0, bytes.length);
    }

    void feed(byte[] bytes, int from, int to) {
        lines.bytes(bytes, from, to);
    }

    GcTotals totals() {
        return account.totals();
    }

    List<GcPause> takePauses() {
        return account.takePauses();
    }

    List<Safepoint> takeSafepoints() {
        return account.takeSafepoints();
    }

    long damagedLines() {
        return account.damagedLines();
    }

    long missingCycles() {
        return account.missingCycles();
    }

    long lostPauses() {
        return account.lostPauses();
    }
}
