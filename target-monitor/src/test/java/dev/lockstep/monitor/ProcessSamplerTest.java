package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes and, where this machine has them, real control groups. */
class ProcessSamplerTest {
    private static final long TICK_NS = Duration.ofMillis(10).toNanos();

    private final List<Process> processes = new ArrayList<>();
    private final List<Path> groups = new ArrayList<>();

    private Process busyProcess(String first) throws IOException {
        Process process = new ProcessBuilder("sh", "-c", first + " while :; do :; done").start();
        processes.add(process);
        return process;
    }

    @AfterEach
    void cleanUp() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
        for (Path group : groups) {
            await("the empty group", () -> group.toFile().delete());
        }
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadlineNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("did not come: " + what);
            }
            Thread.sleep(2);
        }
    }

    private static long cpuNs(ProcessSample sample) {
        return sample.userCpuNs().orElseThrow() + sample.systemCpuNs().orElseThrow();
    }

    /** Returns the kernel's own figure. */
    private static long ticksNs(long pid) throws IOException {
        ProcStat stat = ProcStat.parse(Files.readString(Path.of("/proc/" + pid + "/stat")));
        return (stat.userTicks() + stat.systemTicks()) * TICK_NS;
    }

    @Test
    void measuresAProcessFromProcAlone() throws Exception {
        Process process = busyProcess("");
        ProcessSampler sampler = new ProcessSampler(process.pid(), Map.of());
        assertEquals(
                "/proc/PID/stat, to 10 ms; user and system time split by the kernel's timer ticks",
                sampler.cpuSource());
        ProcessSample first = sampler.sample();
        await("200 ms of CPU time", () -> cpuNs(sampler.sample()) > cpuNs(first) + 200_000_000);
        long before = ticksNs(process.pid());
        ProcessSample second = sampler.sample();
        long after = ticksNs(process.pid());
        assertTrue(cpuNs(second) >= before && cpuNs(second) <= after, before + " " + cpuNs(second) + " " + after);
        ProcessSample window = second.since(first);
        assertEquals(second.timeNs() - first.timeNs(), window.durationNs());
        assertEquals(cpuNs(second) - cpuNs(first), cpuNs(window));
        assertTrue(window.involuntaryContextSwitches().orElseThrow() >= 0);
        assertTrue(second.minorFaults().orElseThrow() > 0);
        assertTrue(second.rssBytes().orElseThrow() > 100_000);
        assertTrue(second.peakRssBytes().orElseThrow() >= second.rssBytes().orElseThrow());
        assertEquals(second.rssBytes(), window.rssBytes());
        // A shell is no JVM: a split would be made up.
        assertEquals(OptionalLong.empty(), second.jitCpuNs());
        assertEquals(OptionalLong.empty(), second.gcCpuNs());
        assertEquals(OptionalLong.empty(), second.applicationCpuNs());
        assertEquals(OptionalLong.empty(), second.groupCpuNs());
        assertEquals(OptionalLong.empty(), second.throttledNs());
    }

    @Test
    void splitsAJvmsTimeByItsThreads() throws Exception {
        // This JVM itself: its compilers have work, and so has its collector now.
        System.gc();
        ProcessSampler sampler = new ProcessSampler(ProcessHandle.current().pid(), Map.of());
        ProcessSample first = sampler.sample();
        long jit = first.jitCpuNs().orElseThrow();
        long gc = first.gcCpuNs().orElseThrow();
        assertTrue(jit > 0 && gc > 0, jit + " " + gc);
        assertEquals(cpuNs(first), first.applicationCpuNs().orElseThrow() + jit + gc);
        assertTrue(first.voluntaryContextSwitches().orElseThrow() > 0);
        Thread burner = new Thread(() -> {
            while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < 100_000_000) {
                Thread.onSpinWait();
            }
        });
        burner.start();
        burner.join();
        ProcessSample window = sampler.sample().since(first);
        assertTrue(window.applicationCpuNs().orElseThrow() > 0, "the ended thread's time is the application's");
    }

    @Test
    void givesNothingOfAProcessThatHasEnded() throws Exception {
        Process process = busyProcess("");
        ProcessSampler sampler = new ProcessSampler(process.pid(), Map.of());
        ProcessSample alive = sampler.sample();
        assertTrue(alive.userCpuNs().isPresent());
        process.destroyForcibly().waitFor();
        ProcessSample dead = sampler.sample();
        assertEquals(OptionalLong.empty(), dead.userCpuNs());
        assertEquals(OptionalLong.empty(), dead.rssBytes());
        assertEquals(OptionalLong.empty(), dead.minorFaults());
        assertEquals(OptionalLong.empty(), dead.voluntaryContextSwitches());
        assertEquals(OptionalLong.empty(), dead.since(alive).userCpuNs());
        assertEquals(
                OptionalLong.empty(),
                new ProcessSampler(process.pid(), Map.of()).sample().userCpuNs());
    }

    @Test
    void takesTheExactTimesOfAControlGroupOfVersion1() throws Exception {
        Path group = makeGroup(Path.of("/sys/fs/cgroup/cpuacct"), "cpuacct.usage_user");
        Process process = busyProcess("echo $$ > " + group.resolve("cgroup.procs") + ";");
        measuresByGroup(process, "cpuacct", group, "cgroup v1 cpuacct.usage, to 1 ns");
    }

    @Test
    void takesTheExactTimesOfAControlGroupOfVersion2() throws Exception {
        Path root = Files.exists(Path.of("/sys/fs/cgroup/cgroup.procs"))
                ? Path.of("/sys/fs/cgroup")
                : Path.of("/sys/fs/cgroup/unified");
        Path group = makeGroup(root, "cpu.stat");
        Process process = busyProcess("echo $$ > " + group.resolve("cgroup.procs") + ";");
        measuresByGroup(process, "unified", group, "cgroup v2 cpu.stat, to 1 us");
    }

    private Path makeGroup(Path root, String file) {
        Path group =
                root.resolve("lockstep-monitor-test-" + ProcessHandle.current().pid());
        try {
            Files.createDirectory(group);
        } catch (IOException e) {
            assumeTrue(false, "no control group can be made: " + e);
        }
        groups.add(group);
        assumeTrue(Files.exists(group.resolve(file)), "no " + file + " in " + group);
        return group;
    }

    private void measuresByGroup(Process process, String controller, Path group, String source) throws Exception {
        ProcessSampler sampler = new ProcessSampler(process.pid(), Map.of(controller, group));
        assertTrue(sampler.cpuSource().startsWith(source), sampler.cpuSource());
        await("200 ms of CPU time", () -> cpuNs(sampler.sample()) > 200_000_000);
        long before = ticksNs(process.pid());
        ProcessSample sample = sampler.sample();
        long after = ticksNs(process.pid());
        // The shell used a little before it joined, and ticks are cut off.
        assertTrue(
                cpuNs(sample) > before - 2 * TICK_NS && cpuNs(sample) < after + 2 * TICK_NS,
                before + " " + cpuNs(sample) + " " + after);
        assertEquals(sample.groupCpuNs().orElseThrow(), cpuNs(sample), 1_000.0);
        process.destroyForcibly().waitFor();
        ProcessSample dead = sampler.sample();
        assertTrue(cpuNs(dead) >= cpuNs(sample), "the group keeps the last of it");
        assertEquals(OptionalLong.empty(), dead.rssBytes());
    }

    @Test
    void readsThrottling(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("cpu.stat"), "nr_periods 9\nnr_throttled 3\nthrottled_time 4500\n");
        ProcessSample v1 = new ProcessSampler(1, Map.of("cpu", folder)).sample();
        assertEquals(OptionalLong.of(3), v1.throttledPeriods());
        assertEquals(OptionalLong.of(4500), v1.throttledNs());
        Files.writeString(
                folder.resolve("cpu.stat"),
                "usage_usec 30\nuser_usec 20\nsystem_usec 10\nnr_periods 9\nnr_throttled 4\nthrottled_usec 7\n");
        ProcessSample v2 = new ProcessSampler(1, Map.of("unified", folder)).sample();
        assertEquals(OptionalLong.of(4), v2.throttledPeriods());
        assertEquals(OptionalLong.of(7_000), v2.throttledNs());
        assertEquals(OptionalLong.of(20_000), v2.userCpuNs());
        assertEquals(OptionalLong.of(10_000), v2.systemCpuNs());
        assertEquals(OptionalLong.of(30_000), v2.groupCpuNs());
    }
}
