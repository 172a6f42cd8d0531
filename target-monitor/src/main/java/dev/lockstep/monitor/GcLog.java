package dev.lockstep.monitor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Follows the log of garbage collections that a running JVM writes, from outside. Used by one thread; closed by whoever
 * opened it. {@link #update()} reads what was added, in memory that does not grow with the log; {@link #totals()} and
 * {@link #takePauses()} give what was read by then.
 *
 * <p>Times are on the clock of {@link System#nanoTime()}, CLOCK_MONOTONIC of the machine, exact as follows:
 *
 * <ul>
 *   <li>unified logging with {@link GcLogging}'s options stamps with that very clock ({@code os::javaTimeNanos()} is
 *       the source of both, see logDecorations.cpp): to the microsecond of the durations in the log;
 *   <li>dates, of JDK 8 and OpenJ9, to 1 ms and however well the machine's date is kept; OpenJ9's do not tell their
 *       zone, and are none of ours where the JVM has another TZ;
 *   <li>times since the JVM's start to the millisecond they are printed in, plus what the JVM did before it began to
 *       count, a few milliseconds, plus the error of the start given to {@link #open}.
 * </ul>
 *
 * <p>Lines of no use are passed over; damaged lines are also counted.
 */
public final class GcLog implements AutoCloseable {
    /** How much older than the JVM its log may seem, since clocks are compared and stamps are coarse. */
    private static final long START_SLACK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final GcAccount account = new GcAccount();
    private final GcClock clock;
    private final GcLines lines;
    private final LogTail tail;
    private final Path file;
    private final GcLogFormat format;
    private String problem;

    private GcLog(Path file, GcLogFormat format, OptionalLong jvmStartNs, boolean ownerOnly) {
        this.file = file;
        this.format = format;
        clock = new GcClock(jvmStartNs, ZoneId.systemDefault());
        OptionalLong notBeforeEpochMs = jvmStartNs.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(System.currentTimeMillis()
                        - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - jvmStartNs.getAsLong() + START_SLACK_NS));
        lines = new GcLines(GcDialect.of(format, account, clock), account);
        tail = new LogTail(file, lines, notBeforeEpochMs, ownerOnly);
    }

    /**
     * Follows a log from its beginning.
     *
     * @param file as named in the JVM's options, without what rotation adds; it need not exist yet
     * @param jvmStartNs when the JVM was started, in {@link System#nanoTime()}. With it, files that an earlier JVM left
     *     under the same name are passed over, files rotated away before the first update are read, and times since the
     *     start can be placed. Without it, the newest file is taken, and a log that has only such times gives totals
     *     but no pauses
     */
    public static GcLog open(Path file, GcLogFormat format, OptionalLong jvmStartNs) {
        return new GcLog(file, format, jvmStartNs, false);
    }

    /**
     * Follows a log as {@link #open} does, and makes each of its files, as it is found, readable by its owner only: a
     * JVM creates them as its umask has it, and a mask of ours would be that of all files that the application writes.
     */
    public static GcLog openOwn(Path file, GcLogFormat format, OptionalLong jvmStartNs) {
        return new GcLog(file, format, jvmStartNs, true);
    }

    /** Makes a file readable by its owner only, if it is there and its file system can. */
    public static void hide(Path file) {
        try {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException | UnsupportedOperationException e) {
            // Gone or renamed meanwhile, or on a file system without modes: no reason to end a run.
        }
    }

    /** Reads what the JVM has added since the last time, through files that were rotated meanwhile. */
    public void update() {
        clock.adjust();
        try {
            tail.update();
            problem = null;
        } catch (IOException e) {
            problem = "GC log " + file + " can not be read: " + e;
        }
    }

    /** Returns what the log has said from its beginning to the last {@link #update()}. */
    public GcTotals totals() {
        return account.totals();
    }

    /** Returns the pauses that were read since the last call, in the order of their ends in the log. */
    public List<GcPause> takePauses() {
        return account.takePauses();
    }

    /**
     * Returns the safepoints that were read since the last call and whose time the log tells, in the order of their
     * ends; beyond 100,000 that nobody took, the last.
     */
    public List<Safepoint> takeSafepoints() {
        return account.takeSafepoints();
    }

    /** Returns how many processors the JVM said it may use; absent where its log does not tell. */
    OptionalInt processors() {
        return account.processors() > 0 ? OptionalInt.of(account.processors()) : OptionalInt.empty();
    }

    /** Returns how many lines were too long, cut short, or of a known kind and yet not understood. */
    public long damagedLines() {
        return account.damagedLines();
    }

    /**
     * Returns how many pauses are in the totals but were not given out: those whose time the log does not tell, and
     * beyond 100,000 that nobody took.
     */
    public long lostPauses() {
        return account.lostPauses();
    }

    /**
     * Returns how many cycles the log does not have, by the numbers it leaves out: the JVM could not write them, or
     * they were lost before they could be read. Only formats that number their cycles show this.
     */
    public long missingCycles() {
        return account.missingCycles();
    }

    /**
     * Returns how often lines were lost, because a file was cut short or rotated away before it was read to its end.
     */
    public long gaps() {
        return account.gaps();
    }

    /** Whether its dates are of another time zone than ours, so that no time of it is known. */
    boolean isOfAnotherZone() {
        return clock.isOfAnotherZone();
    }

    /** Whether the log shows cycles at all; Zing's shows only pauses. */
    boolean countsCycles() {
        return format != GcLogFormat.ZING;
    }

    /** Returns how many lines were read so far. */
    long lines() {
        return lines.count();
    }

    /** Whether it has shown no collection and no other stop so far. */
    boolean isEmpty() {
        return account.isEmpty();
    }

    /** Whether it has shown a collection: of JDK 8's Shenandoah only the stops are understood. */
    boolean knowsCollections() {
        return account.knowsCollections();
    }

    /** Returns why the last update could not read, in one line; empty when it could, also when there is no log yet. */
    public Optional<String> problem() {
        return Optional.ofNullable(problem);
    }

    @Override
    public void close() {
        try {
            tail.close();
        } catch (IOException e) {
            // It was only read.
        }
    }
}
