package dev.lockstep.monitor;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Sums over the threads of a process that survive the end of a thread. Used by one thread.
 *
 * <p>Compiler threads come and go. What a thread used between the last look and its end is missing in the total of its
 * kind.
 */
final class ThreadTotals {
    private static final class Reading {
        private ThreadKind kind = ThreadKind.OTHER;
        private long cpuNs;
        private long runDelayNs;
        private long voluntarySwitches;
        private long involuntarySwitches;
        private int seenInLook;
    }

    private final Path tasks;
    private final long nsPerTick;
    private final Map<String, Reading> living = new HashMap<>();
    /** The CPU time of ended threads, by kind. */
    private final long[] endedCpuNs = new long[ThreadKind.values().length];

    private long endedRunDelayNs;
    private long endedVoluntary;
    private long endedInvoluntary;
    private int look;
    private final Set<ThreadKind> seen = EnumSet.noneOf(ThreadKind.class);
    private boolean hotSpotSeen;
    /** Whether the kernel says how long threads waited for a processor. */
    private boolean delaysKnown = true;
    /** Of the thread that was read last. */
    private long runDelayNs;

    /** @param tasks the folder {@code /proc/PID/task} */
    ThreadTotals(Path tasks, long nsPerTick) {
        this.tasks = tasks;
        this.nsPerTick = nsPerTick;
    }

    /** Looks at all threads; returns false when the process is gone. */
    boolean look(KernelReader reader) {
        look++;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(tasks)) {
            for (Path task : entries) {
                read(task, reader);
            }
        } catch (IOException | DirectoryIteratorException e) {
            return false;
        }
        for (Iterator<Reading> all = living.values().iterator(); all.hasNext(); ) {
            Reading reading = all.next();
            if (reading.seenInLook != look) {
                end(reading);
                all.remove();
            }
        }
        return !living.isEmpty();
    }

    private void read(Path task, KernelReader reader) {
        long cpuNs = cpuNs(task.toString(), reader);
        String id = task.getFileName().toString();
        Reading reading = living.get(id);
        if (reading != null && cpuNs == reading.cpuNs) {
            // It has not run, so nothing else has changed; its status file is expensive to read.
            reading.runDelayNs = Math.max(reading.runDelayNs, runDelayNs);
            reading.seenInLook = look;
            return;
        }
        String status = reader.read(task + "/status");
        if (status == null || cpuNs < 0) {
            return;
        }
        if (reading != null && cpuNs < reading.cpuNs) {
            // Another thread of the same id.
            end(reading);
            reading = null;
        }
        if (reading == null) {
            reading = new Reading();
            living.put(id, reading);
        }
        // A thread gets its name only after its start.
        String name = name(status);
        reading.kind = ThreadKind.of(name);
        reading.cpuNs = cpuNs;
        reading.runDelayNs = runDelayNs;
        reading.voluntarySwitches = Math.max(0, KernelReader.value(status, "voluntary_ctxt_switches"));
        reading.involuntarySwitches = Math.max(0, KernelReader.value(status, "nonvoluntary_ctxt_switches"));
        reading.seenInLook = look;
        seen.add(reading.kind);
        hotSpotSeen |= name.equals(ThreadKind.HOTSPOT_VM_THREAD);
    }

    /** From schedstat, exact and with the run delay; where the kernel has none, from the ticks of stat. */
    private long cpuNs(String task, KernelReader reader) {
        String schedstat = reader.read(task + "/schedstat");
        runDelayNs = 0;
        if (schedstat != null) {
            int blank = schedstat.indexOf(' ');
            int second = schedstat.indexOf(' ', blank + 1);
            if (blank < 0 || second < 0) {
                return -1;
            }
            runDelayNs = Math.max(0, KernelReader.parse(schedstat.substring(blank + 1, second)));
            return KernelReader.parse(schedstat.substring(0, blank));
        }
        ProcStat stat = ProcStat.parse(reader.read(task + "/stat"));
        if (stat == null) {
            // The thread has ended, which says nothing of the kernel.
            return -1;
        }
        delaysKnown = false;
        return (stat.userTicks() + stat.systemTicks()) * nsPerTick;
    }

    private static String name(String status) {
        int start = status.indexOf("Name:\t") + "Name:\t".length();
        int end = status.indexOf('\n', start);
        return end < 0 ? "" : status.substring(start, end);
    }

    private void end(Reading reading) {
        endedCpuNs[reading.kind.ordinal()] += reading.cpuNs;
        endedRunDelayNs += reading.runDelayNs;
        endedVoluntary += reading.voluntarySwitches;
        endedInvoluntary += reading.involuntarySwitches;
    }

    /**
     * Whether the time of a kind is known, which takes a thread of that kind: a JVM whose threads have other names
     * would seem to need none of it. HotSpot is known by its VM thread, and has no compilers where none were seen.
     */
    boolean knows(ThreadKind kind) {
        return seen.contains(kind) || hotSpotSeen && kind == ThreadKind.JIT;
    }

    long cpuNs(ThreadKind kind) {
        return endedCpuNs[kind.ordinal()] + sum(reading -> reading.kind == kind ? reading.cpuNs : 0);
    }

    /** Returns how long threads waited for a processor; absent where the kernel does not say. */
    OptionalLong runDelayNs() {
        return delaysKnown
                ? OptionalLong.of(endedRunDelayNs + sum(reading -> reading.runDelayNs))
                : OptionalLong.empty();
    }

    long voluntarySwitches() {
        return endedVoluntary + sum(reading -> reading.voluntarySwitches);
    }

    long involuntarySwitches() {
        return endedInvoluntary + sum(reading -> reading.involuntarySwitches);
    }

    private long sum(ToLongFunction<Reading> what) {
        return living.values().stream().mapToLong(what).sum();
    }
}
