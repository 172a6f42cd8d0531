package dev.lockstep.monitor;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Sums over the threads of a process that survive the end of a thread. Used by one thread.
 *
 * <p>Compiler threads come and go; what one used since the last look before its end is lost to its kind.
 */
final class ThreadTotals {
    private static final class Reading {
        private ThreadKind kind = ThreadKind.OTHER;
        private long cpuNs;
        private long voluntarySwitches;
        private long involuntarySwitches;
        private int seenInLook;
    }

    private final Path tasks;
    private final long nsPerTick;
    private final Map<String, Reading> living = new HashMap<>();
    /** Of ended threads, by kind. */
    private final long[] endedCpuNs = new long[ThreadKind.values().length];

    private long endedVoluntary;
    private long endedInvoluntary;
    private int look;
    private boolean jvmSeen;

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
            // It has not run, so nothing else of it has changed; its status file is the dear one to read.
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
        reading.kind = ThreadKind.of(name(status));
        reading.cpuNs = cpuNs;
        reading.voluntarySwitches = Math.max(0, KernelReader.value(status, "voluntary_ctxt_switches"));
        reading.involuntarySwitches = Math.max(0, KernelReader.value(status, "nonvoluntary_ctxt_switches"));
        reading.seenInLook = look;
        jvmSeen |= reading.kind != ThreadKind.OTHER;
    }

    /** From schedstat, exact; where the kernel has none, from the ticks of stat. */
    private long cpuNs(String task, KernelReader reader) {
        String schedstat = reader.read(task + "/schedstat");
        if (schedstat != null) {
            int blank = schedstat.indexOf(' ');
            return blank < 0 ? -1 : KernelReader.parse(schedstat.substring(0, blank));
        }
        ProcStat stat = ProcStat.parse(reader.read(task + "/stat"));
        return stat == null ? -1 : (stat.userTicks() + stat.systemTicks()) * nsPerTick;
    }

    private static String name(String status) {
        int start = status.indexOf("Name:\t") + "Name:\t".length();
        int end = status.indexOf('\n', start);
        return end < 0 ? "" : status.substring(start, end);
    }

    private void end(Reading reading) {
        endedCpuNs[reading.kind.ordinal()] += reading.cpuNs;
        endedVoluntary += reading.voluntarySwitches;
        endedInvoluntary += reading.involuntarySwitches;
    }

    /** Tells whether any thread had a name that a JVM gives. */
    boolean isJvm() {
        return jvmSeen;
    }

    long cpuNs(ThreadKind kind) {
        long sum = endedCpuNs[kind.ordinal()];
        for (Reading reading : living.values()) {
            sum += reading.kind == kind ? reading.cpuNs : 0;
        }
        return sum;
    }

    long voluntarySwitches() {
        long sum = endedVoluntary;
        for (Reading reading : living.values()) {
            sum += reading.voluntarySwitches;
        }
        return sum;
    }

    long involuntarySwitches() {
        long sum = endedInvoluntary;
        for (Reading reading : living.values()) {
            sum += reading.involuntarySwitches;
        }
        return sum;
    }
}
