package dev.lockstep.monitor;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcCosts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * What one launch of a target costs, seen from outside: nothing runs in the target for it. Used by one thread at a
 * time, and closed by whoever opened it.
 *
 * <p>It combines three sources: {@code /proc} and the control group ({@link ProcessSampler}), the counters that HotSpot
 * publishes ({@link PerfData}) and the log of garbage collections ({@link GcLog}). A sample costs the caller about 1 ms
 * of CPU for a process of 50 threads, and the target nothing. It never fails. A frozen target is read like any other;
 * when a target is dying or has ended, what can no longer be read is absent.
 *
 * <p>Allocation is the log's total up to the last collection, plus what eden has taken since by the published counter.
 * It is as old as that counter: up to 50 ms with SerialGC and ParallelGC (from JDK 25 on, as old as the last
 * collection), up to the last region that was filled with G1. Collectors without an eden (ZGC, Shenandoah) give the
 * total up to the last collection. Whole allocation buffers of threads count as allocated, with what is still free in
 * them: perhaps some MB a thread. These errors do not add up. Over a window of many buffers the sum is right but for
 * what is wasted in them, which HotSpot keeps below 2 %.
 */
public final class TargetMonitor implements AutoCloseable {
    /** The counter and the line of a pause are written one after the other. */
    private static final int STOP_BEING_LOGGED = 1;

    private final ProcessSampler process;
    /** Null when the JVM has none; so is the next field. */
    private final PerfData counters;

    private final GcLog gcLog;
    private long allocatedBytes;
    /** How often the collectors stopped it, by the counters of the last sample. */
    private long publishedStops;

    private boolean logSilent;
    /** How many lines the log had, and the counters when it last had a new one. */
    private long logLines;

    private long stopsThen;
    private boolean logStopped;

    private TargetMonitor(ProcessSampler process, PerfData counters, GcLog gcLog) {
        this.process = process;
        this.counters = counters;
        this.gcLog = gcLog;
        publishedStops = stops(counters);
    }

    private static long stops(PerfData published) {
        return published == null ? 0 : published.gcStops();
    }

    /**
     * Begins to watch a process; a JVM when it has started.
     *
     * @param pid of the process
     * @param controlGroups folders of its control groups by controller ("cpuacct", "memory", ... or "unified"); "cpu"
     *     in either version is where to look for a quota, there and above; may be empty
     * @param gcLog its log of garbage collections from its start on, which is closed with this; empty where there is
     *     none
     */
    public static TargetMonitor open(long pid, Map<String, Path> controlGroups, Optional<GcLog> gcLog) {
        return new TargetMonitor(
                new ProcessSampler(pid, controlGroups), PerfData.open(pid).orElse(null), gcLog.orElse(null));
    }

    /** Returns what the target has used since its start, and what it occupies now. */
    public Costs sample() {
        Costs.Builder sample = Costs.builder();
        boolean alive = process.sample(sample);
        // The log first: when a collection comes in between, eden looks smaller than it was, and this is corrected
        // below.
        GcTotals logged = null;
        boolean grown = false;
        if (gcLog != null) {
            gcLog.update();
            // The counters are older than what was just read of the log, so the log should have all that they counted.
            logSilent = gcLog.isEmpty()
                    ? publishedStops > 0
                    : publishedStops > STOP_BEING_LOGGED && !gcLog.knowsCollections();
            grown = gcLog.lines() != logLines;
            logLines = gcLog.lines();
            logStopped |= !grown && publishedStops - stopsThen > STOP_BEING_LOGGED;
            logged = gcLog.problem().isEmpty() && !logSilent ? gcLog.totals() : null;
        }
        PerfData published = alive && counters != null && counters.update() ? counters : null;
        publishedStops = published == null ? publishedStops : stops(published);
        stopsThen = grown ? publishedStops : stopsThen;
        if (logged != null) {
            collections(sample, logged);
            allocation(sample, logged, published);
        }
        safepoints(sample, logged, published);
        if (alive) {
            heap(sample, logged, published);
        }
        return sample.build();
    }

    /** Returns how many processors the JVM said it may use, by the last sample; absent where it does not tell. */
    public OptionalInt processors() {
        return gcLog == null ? OptionalInt.empty() : gcLog.processors();
    }

    /**
     * Returns that the process was moved to other processors than it had at the first sample, as a clause for people;
     * absent where it was not.
     */
    public Optional<String> moved() {
        return process.moved();
    }

    /**
     * Returns which figures are those of the process alone though it had started others when this was opened, for
     * people; absent where it had not.
     */
    public Optional<String> withoutOthers() {
        return process.withoutOthers();
    }

    private void collections(Costs.Builder sample, GcTotals logged) {
        boolean counted = gcLog.countsCycles();
        Map<String, Long> cycles = logged.cycles();
        Map<String, Long> pauseNs = logged.pauseNs();
        TreeSet<String> collectors = new TreeSet<>(cycles.keySet());
        collectors.addAll(pauseNs.keySet());
        long allCycles = 0;
        long allPausesNs = 0;
        for (String collector : collectors) {
            long begun = cycles.getOrDefault(collector, 0L);
            long stoppedNs = pauseNs.getOrDefault(collector, 0L);
            sample.collector(collector, counted ? GcCosts.of(begun, stoppedNs) : GcCosts.ofPauses(stoppedNs));
            allCycles += begun;
            allPausesNs += stoppedNs;
        }
        if (counted) {
            sample.set(Cost.GC_CYCLES, allCycles);
        }
        sample.set(Cost.GC_PAUSE, allPausesNs);
    }

    private void allocation(Costs.Builder sample, GcTotals logged, PerfData published) {
        OptionalLong eden = published == null ? OptionalLong.empty() : ifPublished(published.edenUsedBytes());
        boolean collected = logged.allocatedBytes().isPresent();
        if (!collected && eden.isEmpty() && allocatedBytes == 0) {
            // Nothing: the figure goes up to the last collection, and there was none.
            sample.awaited(Cost.ALLOCATED);
            return;
        }
        long sinceBytes = collected && logged.edenUsedBytes().isEmpty()
                ? 0
                : Math.max(0, eden.orElse(0) - logged.edenUsedBytes().orElse(0));
        allocatedBytes = Math.max(allocatedBytes, logged.allocatedBytes().orElse(0) + sinceBytes);
        sample.set(Cost.ALLOCATED, allocatedBytes);
    }

    private void safepoints(Costs.Builder sample, GcTotals logged, PerfData published) {
        if (gcLog != null) {
            if (logged != null && (logged.safepointNs().isPresent() || counters != null)) {
                // HotSpot's log has all of them: when it has none, there was none.
                sample.set(Cost.SAFEPOINT, logged.safepointNs().orElse(0));
            } else if (logged != null) {
                sample.awaited(Cost.SAFEPOINT);
            }
        } else if (published != null) {
            published.safepointNs().ifPresent(ns -> sample.set(Cost.SAFEPOINT, ns));
        }
    }

    /**
     * Returns a level without a 0, which no JVM has that runs: from JDK 25 on it stands for one before a collection.
     */
    private static OptionalLong ifPublished(OptionalLong level) {
        return level.orElse(0) == 0 ? OptionalLong.empty() : level;
    }

    private static void heap(Costs.Builder sample, GcTotals logged, PerfData published) {
        // A collector without an eden publishes the whole heap as its old generation.
        if (published != null
                && published.edenUsedBytes().isPresent()
                && ifPublished(published.heapUsedBytes()).isPresent()) {
            published.heapUsedBytes().ifPresent(bytes -> sample.set(Cost.HEAP_USED, bytes));
            published.oldUsedBytes().ifPresent(bytes -> sample.set(Cost.OLD_GEN_USED, bytes));
            return;
        }
        OptionalLong used = published == null ? OptionalLong.empty() : ifPublished(published.heapUsedBytes());
        if (used.isEmpty() && logged != null) {
            used = logged.heapUsedBytes();
        }
        used.ifPresent(bytes -> sample.set(Cost.HEAP_USED, bytes));
        if (logged != null) {
            logged.oldUsedBytes().ifPresent(bytes -> sample.set(Cost.OLD_GEN_USED, bytes));
        }
    }

    public boolean knowsPauses() {
        return gcLog != null && !logSilent && !gcLog.isOfAnotherZone();
    }

    /**
     * Returns a window's costs without those that cannot be trusted: figures of a log that turned out to be silent, and
     * totals of which nothing is known up to now.
     */
    public Costs conclude(Costs window) {
        return (logSilent ? window.withoutCollections() : window).concluded();
    }

    /** Returns the pauses that the samples since the last call have met in the log. */
    public List<GcPause> takePauses() {
        return gcLog == null ? List.of() : gcLog.takePauses();
    }

    /**
     * Returns the safepoints that the samples since the last call have met in the log, those of collections included.
     */
    public List<Safepoint> takeSafepoints() {
        return gcLog == null ? List.of() : gcLog.takeSafepoints();
    }

    /** Returns what is missing of the log of collections, a line each for people; none when all is well. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (gcLog != null) {
            gcLog.problem().ifPresent(problems::add);
            if (gcLog.damagedLines() > 0) {
                problems.add("lines of the GC log that were not understood: " + gcLog.damagedLines());
            }
            if (gcLog.isOfAnotherZone()) {
                problems.add("GC pauses count, but when they were is not known: the dates of the GC log are of another"
                        + " time zone than Lockstep's (TZ), or the clock was set");
            } else if (gcLog.lostPauses() > 0) {
                problems.add("GC pauses that count but whose time is not known: " + gcLog.lostPauses());
            }
            if (gcLog.missingCycles() > 0) {
                problems.add("cycles whose numbers the GC log leaves out, so that its figures are too low: "
                        + gcLog.missingCycles() + " (a full disk?)");
            }
            if (gcLog.gaps() > 0) {
                problems.add("places where the GC log lacks lines, so that its figures are too low: " + gcLog.gaps()
                        + " (cut short, or rotated away before it was read)");
            }
            if (logStopped && !logSilent) {
                problems.add("the JVM collected on while its GC log stood still, so that its figures are too low"
                        + " (a full disk?)");
            }
            if (logSilent) {
                problems.add("no figures of garbage collections: the JVM collected, but its log has none of them"
                        + " (switched off in a file of options, a full disk, or a collector not known here?)");
            }
        }
        return problems;
    }

    @Override
    public void close() {
        if (counters != null) {
            counters.close();
        }
        if (gcLog != null) {
            gcLog.close();
        }
    }
}
