package dev.lockstep.monitor;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Reads what a process has used from {@code /proc} and from its control group, at no cost to the process. Used by one
 * thread at a time; nothing to close. A sample costs the caller about 1 ms of CPU for a process of 50 threads.
 *
 * <p>CPU times come from the finest source there is. The sum of user and system time is exact to the source's unit,
 * while their ratio is counted at the kernel's timer ticks:
 *
 * <ul>
 *   <li>control group v2, {@code cpu.stat}: microseconds, split by the kernel;
 *   <li>control group v1, {@code cpuacct.usage}: nanoseconds, split here as the kernel does it;
 *   <li>{@code /proc/PID/stat}: clock ticks, mostly of 10 ms, split by the kernel.
 * </ul>
 *
 * <p>The split by thread comes from {@code task/*&#47;schedstat}, nanoseconds of user and system time together. Of a
 * JVM that collects on threads of other kinds too, as OpenJ9 does on those that allocate, that part counts as the
 * application's.
 */
final class ProcessSampler {
    private static final long NS_PER_US = TimeUnit.MICROSECONDS.toNanos(1);

    private static final String CPUS = "Cpus_allowed_list:";

    private final String process;
    /** Folders of control groups, or null. */
    private final String unified;

    private final String cpuacct;
    private final Throttling throttling;
    private final String memory;
    private final KernelReader reader = new KernelReader();
    private final long nsPerTick = TimeUnit.SECONDS.toNanos(1) / KernelReader.clockTicksPerSec();
    private final CpuSplit cpuacctSplit = new CpuSplit();
    private final ThreadTotals threads;
    private final ProcessorTimes processors;
    /** When the process started; a later one of the same id is not it. */
    private final long startTicks;
    /** Whether it had started other processes by then. */
    private final boolean hasOthers;
    /** The last reading of the control group. */
    private long groupUserNs;

    private long groupSystemNs;

    /**
     * @param pid of the process
     * @param controlGroups folders of its control groups by controller ("cpuacct", "memory", ... or "unified"); "cpu"
     *     in either version is where to look for a quota, there and above; may be empty
     */
    ProcessSampler(long pid, Map<String, Path> controlGroups) {
        process = "/proc/" + pid;
        unified = folder(controlGroups, "unified");
        cpuacct = folder(controlGroups, "cpuacct");
        throttling = new Throttling(controlGroups.get("cpu"), reader);
        memory = folder(controlGroups, "memory");
        threads = new ThreadTotals(Path.of(process, "task"), nsPerTick);
        processors = new ProcessorTimes("/proc/stat");
        ProcStat stat = ProcStat.parse(reader.read(process + "/stat"));
        startTicks = stat == null ? -1 : stat.startTicks();
        hasOthers = ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::descendants)
                .findAny()
                .isPresent();
    }

    private static String folder(Map<String, Path> controlGroups, String controller) {
        Path folder = controlGroups.get(controller);
        return folder == null ? null : folder.toString();
    }

    /**
     * Reads now and sets what there is. When the process has ended everything is absent, except CPU time, memory and
     * OOM kills of a control group that is still there. A frozen process is read like any other.
     */
    boolean sample(Costs.Builder sample) {
        boolean cpuOfGroup = readGroup(sample);
        readGroupMemory(sample);
        if (cpuOfGroup) {
            sample.set(Cost.USER_CPU, groupUserNs);
            sample.set(Cost.SYSTEM_CPU, groupSystemNs);
        }
        ProcStat stat = ProcStat.parse(reader.read(process + "/stat"));
        if (stat == null || stat.isDead() || stat.startTicks() != startTicks) {
            return false;
        }
        long userNs = cpuOfGroup ? groupUserNs : stat.userTicks() * nsPerTick;
        long systemNs = cpuOfGroup ? groupSystemNs : stat.systemTicks() * nsPerTick;
        sample.set(Cost.USER_CPU, userNs);
        sample.set(Cost.SYSTEM_CPU, systemNs);
        sample.set(Cost.MINOR_FAULTS, stat.minorFaults());
        sample.set(Cost.MAJOR_FAULTS, stat.majorFaults());
        throttling.sample(sample);
        readMemory(sample);
        readThreads(sample, userNs + systemNs);
        return true;
    }

    /**
     * Returns which figures are those of the process alone though it had started others when this was made, for people;
     * absent where it had not.
     */
    Optional<String> withoutOthers() {
        if (!hasOthers) {
            return Optional.empty();
        }
        String alone = "of its first process alone, not of those that it started (workers, or the JVM of a script that"
                + " does not exec it)";
        return Optional.of(
                unified == null && cpuacct == null
                        ? "CPU time and resident memory are " + alone + "; the CPU time of all takes a control group"
                        : "resident memory is " + alone);
    }

    private void readMemory(Costs.Builder sample) {
        String status = reader.read(process + "/status");
        if (status == null) {
            return;
        }
        setIfKnown(sample, Cost.RSS, KernelReader.value(status, "VmRSS"), 1024);
        setIfKnown(sample, Cost.PEAK_RSS, KernelReader.value(status, "VmHWM"), 1024);
        int cpus = status.indexOf(CPUS);
        if (cpus >= 0) {
            int from = cpus + CPUS.length();
            int to = status.indexOf('\n', from);
            processors.sample(
                    status.substring(from, to < 0 ? status.length() : to).strip(), reader, sample);
        }
    }

    /** Returns that the process was moved to other processors, as a clause; absent where it was not. */
    Optional<String> moved() {
        return processors.moved();
    }

    private void readThreads(Costs.Builder sample, long cpuNs) {
        if (!threads.look(reader)) {
            return;
        }
        threads.runDelayNs().ifPresent(ns -> sample.set(Cost.RUN_DELAY, ns));
        sample.set(Cost.VOLUNTARY_SWITCHES, threads.voluntarySwitches());
        sample.set(Cost.INVOLUNTARY_SWITCHES, threads.involuntarySwitches());
        long jitNs = threads.cpuNs(ThreadKind.JIT);
        long gcNs = threads.cpuNs(ThreadKind.GC);
        if (threads.knows(ThreadKind.JIT)) {
            sample.set(Cost.JIT_CPU, jitNs);
        }
        if (threads.knows(ThreadKind.GC)) {
            sample.set(Cost.GC_CPU, gcNs);
        }
        if (threads.knows(ThreadKind.JIT) && threads.knows(ThreadKind.GC)) {
            // The whole time and not the sum over the threads, which lacks what ended threads used last.
            sample.set(Cost.APPLICATION_CPU, Math.max(0, cpuNs - jitNs - gcNs));
        }
    }

    private void readGroupMemory(Costs.Builder sample) {
        if (unified != null) {
            setIfKnown(sample, Cost.MEMORY, reader.number(unified + "/memory.current"), 1);
            setIfKnown(sample, Cost.MEMORY_PEAK, reader.number(unified + "/memory.peak"), 1);
            readOomKills(sample, unified + "/memory.events");
        } else if (memory != null) {
            setIfKnown(sample, Cost.MEMORY, reader.number(memory + "/memory.usage_in_bytes"), 1);
            setIfKnown(sample, Cost.MEMORY_PEAK, reader.number(memory + "/memory.max_usage_in_bytes"), 1);
            readOomKills(sample, memory + "/memory.oom_control");
        }
    }

    private void readOomKills(Costs.Builder sample, String file) {
        String events = reader.read(file);
        if (events != null) {
            setIfKnown(sample, Cost.OOM_KILLS, KernelReader.value(events, "oom_kill "), 1);
        }
    }

    /** Returns whether the group gave user and system time. */
    private boolean readGroup(Costs.Builder sample) {
        if (unified != null) {
            return readGroupV2(sample);
        }
        if (cpuacct == null) {
            return false;
        }
        long userTicks = reader.number(cpuacct + "/cpuacct.usage_user");
        long systemTicks = reader.number(cpuacct + "/cpuacct.usage_sys");
        long exactNs = reader.number(cpuacct + "/cpuacct.usage");
        if (exactNs < 0) {
            return false;
        }
        sample.set(Cost.GROUP_CPU, exactNs);
        if (userTicks < 0 || systemTicks < 0) {
            return false;
        }
        cpuacctSplit.update(exactNs, userTicks, systemTicks);
        groupUserNs = cpuacctSplit.userNs();
        groupSystemNs = cpuacctSplit.systemNs();
        return true;
    }

    private boolean readGroupV2(Costs.Builder sample) {
        String stat = reader.read(unified + "/cpu.stat");
        if (stat == null) {
            return false;
        }
        long usageUs = KernelReader.value(stat, "usage_usec");
        long userUs = KernelReader.value(stat, "user_usec");
        long systemUs = KernelReader.value(stat, "system_usec");
        setIfKnown(sample, Cost.GROUP_CPU, usageUs, NS_PER_US);
        readPressure(sample);
        if (usageUs < 0 || userUs < 0 || systemUs < 0) {
            return false;
        }
        groupUserNs = userUs * NS_PER_US;
        groupSystemNs = systemUs * NS_PER_US;
        return true;
    }

    /** The line of the file is "some avg10=0.00 avg60=0.00 avg300=0.00 total=US". */
    private void readPressure(Costs.Builder sample) {
        String pressure = reader.read(unified + "/cpu.pressure");
        int total = pressure == null ? -1 : pressure.indexOf("total=");
        if (total >= 0 && pressure.startsWith("some")) {
            String digits = pressure.substring(total + "total=".length()).split("\\s", 2)[0];
            setIfKnown(sample, Cost.CPU_PRESSURE, KernelReader.parse(digits), NS_PER_US);
        }
    }

    private static void setIfKnown(Costs.Builder sample, Cost cost, long number, long factor) {
        if (number >= 0) {
            sample.set(cost, number * factor);
        }
    }
}
