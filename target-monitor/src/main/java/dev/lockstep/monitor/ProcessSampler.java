package dev.lockstep.monitor;

import dev.lockstep.monitor.ProcessSample.Value;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads what a process has used from {@code /proc} and from its control group, at no cost to the process. Used by one
 * thread at a time; nothing to close. A sample costs the caller about 1 ms of CPU for a
 * process of 50 threads.
 *
 * <p>CPU times come from the finest source there is, {@link #cpuSource()} tells which. In each the sum of user and
 * system time is exact to its unit, while their ratio is counted at the kernel's timer ticks:
 *
 * <ul>
 *   <li>control group v2, {@code cpu.stat}: microseconds, split by the kernel;
 *   <li>control group v1, {@code cpuacct.usage}: nanoseconds, split here as the kernel does it;
 *   <li>{@code /proc/PID/stat}: clock ticks, mostly of 10 ms, split by the kernel.
 * </ul>
 *
 * <p>The split by thread comes from {@code task/*&#47;schedstat}, nanoseconds of user and system time together.
 */
public final class ProcessSampler {
    private static final long NS_PER_US = TimeUnit.MICROSECONDS.toNanos(1);

    private final String process;
    /** Folders of control groups, or null. */
    private final String unified;

    private final String cpuacct;
    private final String cpu;
    private final KernelReader reader = new KernelReader();
    private final long nsPerTick = TimeUnit.SECONDS.toNanos(1) / KernelReader.clockTicksPerSec();
    private final CpuSplit cpuacctSplit = new CpuSplit();
    private final ThreadTotals threads;
    /** When the process started; a later one of the same id is not it. */
    private final long startTicks;
    /** Of the last reading of the control group. */
    private long groupUserNs;

    private long groupSystemNs;

    /**
     * @param pid of the process
     * @param controlGroups folders of its control groups by controller ("cpuacct", "cpu", ... or "unified"); may be
     *     empty
     */
    public ProcessSampler(long pid, Map<String, Path> controlGroups) {
        process = "/proc/" + pid;
        unified = folder(controlGroups, "unified");
        cpuacct = folder(controlGroups, "cpuacct");
        cpu = folder(controlGroups, "cpu");
        threads = new ThreadTotals(Path.of(process, "task"), nsPerTick);
        ProcStat stat = ProcStat.parse(reader.read(process + "/stat"));
        startTicks = stat == null ? -1 : stat.startTicks();
    }

    private static String folder(Map<String, Path> controlGroups, String controller) {
        Path folder = controlGroups.get(controller);
        return folder == null ? null : folder.toString();
    }

    /**
     * Reads now. Of a process that has ended everything is absent, but for the CPU time of a control group that is still
     * there.
     */
    public ProcessSample sample() {
        ProcessSample.Builder sample = new ProcessSample.Builder();
        long timeNs = System.nanoTime();
        boolean cpuOfGroup = readGroup(sample);
        if (cpuOfGroup) {
            sample.set(Value.USER_CPU_NS, groupUserNs);
            sample.set(Value.SYSTEM_CPU_NS, groupSystemNs);
        }
        ProcStat stat = ProcStat.parse(reader.read(process + "/stat"));
        if (stat == null || stat.isDead() || stat.startTicks() != startTicks) {
            return sample.build(timeNs);
        }
        long userNs = cpuOfGroup ? groupUserNs : stat.userTicks() * nsPerTick;
        long systemNs = cpuOfGroup ? groupSystemNs : stat.systemTicks() * nsPerTick;
        sample.set(Value.USER_CPU_NS, userNs);
        sample.set(Value.SYSTEM_CPU_NS, systemNs);
        sample.set(Value.MINOR_FAULTS, stat.minorFaults());
        sample.set(Value.MAJOR_FAULTS, stat.majorFaults());
        readMemory(sample);
        readThreads(sample, userNs + systemNs);
        return sample.build(timeNs);
    }

    private void readMemory(ProcessSample.Builder sample) {
        String status = reader.read(process + "/status");
        if (status == null) {
            return;
        }
        setIfKnown(sample, Value.RSS_BYTES, KernelReader.value(status, "VmRSS"), 1024);
        setIfKnown(sample, Value.PEAK_RSS_BYTES, KernelReader.value(status, "VmHWM"), 1024);
    }

    private void readThreads(ProcessSample.Builder sample, long processCpuNs) {
        if (!threads.look(reader)) {
            return;
        }
        sample.set(Value.VOLUNTARY_SWITCHES, threads.voluntarySwitches());
        sample.set(Value.INVOLUNTARY_SWITCHES, threads.involuntarySwitches());
        if (threads.isJvm()) {
            long jitNs = threads.cpuNs(ThreadKind.JIT);
            long gcNs = threads.cpuNs(ThreadKind.GC);
            sample.set(Value.JIT_CPU_NS, jitNs);
            sample.set(Value.GC_CPU_NS, gcNs);
            // The process's time, not the sum over threads, for that lacks what ended threads used last.
            sample.set(Value.APPLICATION_CPU_NS, Math.max(0, processCpuNs - jitNs - gcNs));
        }
    }

    /** Returns whether the group gave user and system time. */
    private boolean readGroup(ProcessSample.Builder sample) {
        if (unified != null) {
            return readGroupV2(sample);
        }
        if (cpu != null) {
            String stat = reader.read(cpu + "/cpu.stat");
            if (stat != null) {
                setIfKnown(sample, Value.THROTTLED_PERIODS, KernelReader.value(stat, "nr_throttled"), 1);
                setIfKnown(sample, Value.THROTTLED_NS, KernelReader.value(stat, "throttled_time"), 1);
            }
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
        sample.set(Value.GROUP_CPU_NS, exactNs);
        if (userTicks < 0 || systemTicks < 0) {
            return false;
        }
        cpuacctSplit.update(exactNs, userTicks, systemTicks);
        groupUserNs = cpuacctSplit.userNs();
        groupSystemNs = cpuacctSplit.systemNs();
        return true;
    }

    private boolean readGroupV2(ProcessSample.Builder sample) {
        String stat = reader.read(unified + "/cpu.stat");
        if (stat == null) {
            return false;
        }
        setIfKnown(sample, Value.THROTTLED_PERIODS, KernelReader.value(stat, "nr_throttled"), 1);
        setIfKnown(sample, Value.THROTTLED_NS, KernelReader.value(stat, "throttled_usec"), NS_PER_US);
        long usageUs = KernelReader.value(stat, "usage_usec");
        long userUs = KernelReader.value(stat, "user_usec");
        long systemUs = KernelReader.value(stat, "system_usec");
        setIfKnown(sample, Value.GROUP_CPU_NS, usageUs, NS_PER_US);
        if (usageUs < 0 || userUs < 0 || systemUs < 0) {
            return false;
        }
        groupUserNs = userUs * NS_PER_US;
        groupSystemNs = systemUs * NS_PER_US;
        return true;
    }

    private static void setIfKnown(ProcessSample.Builder sample, Value value, long number, long factor) {
        if (number >= 0) {
            sample.set(value, number * factor);
        }
    }

    /** Returns where the CPU times come from and how fine they are, in one line for people. */
    public String cpuSource() {
        if (unified != null && reader.read(unified + "/cpu.stat") != null) {
            return "cgroup v2 cpu.stat, to 1 us; user and system time split by the kernel's timer ticks";
        }
        if (cpuacct != null && reader.number(cpuacct + "/cpuacct.usage_user") >= 0) {
            return "cgroup v1 cpuacct.usage, to 1 ns; user and system time split by the kernel's timer ticks";
        }
        return "/proc/PID/stat, to " + TimeUnit.NANOSECONDS.toMillis(nsPerTick)
                + " ms; user and system time split by the kernel's timer ticks";
    }
}
