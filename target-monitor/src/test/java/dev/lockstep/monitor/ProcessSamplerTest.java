package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadlineNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("did not come: " + what);
            }
            Thread.sleep(2);
        }
    }

    private static Costs sample(ProcessSampler sampler) {
        Costs.Builder sample = Costs.builder();
        sampler.sample(sample);
        return sample.build();
    }

    private static long cpuNs(Costs sample) {
        return sample.get(Cost.USER_CPU).orElseThrow()
                + sample.get(Cost.SYSTEM_CPU).orElseThrow();
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
        Costs first = sample(sampler);
        await("200 ms of CPU time", () -> cpuNs(sample(sampler)) > cpuNs(first) + 200_000_000);
        long before = ticksNs(process.pid());
        Costs second = sample(sampler);
        long after = ticksNs(process.pid());
        assertTrue(cpuNs(second) >= before && cpuNs(second) <= after, before + " " + cpuNs(second) + " " + after);
        Costs window = second.since(first);
        assertEquals(cpuNs(second) - cpuNs(first), cpuNs(window));
        assertTrue(window.get(Cost.INVOLUNTARY_SWITCHES).orElseThrow() >= 0);
        assertTrue(second.get(Cost.MINOR_FAULTS).orElseThrow() > 0);
        assertTrue(second.get(Cost.RSS).orElseThrow() > 100_000);
        assertTrue(
                second.get(Cost.PEAK_RSS).orElseThrow() >= second.get(Cost.RSS).orElseThrow());
        assertEquals(second.get(Cost.RSS), window.get(Cost.RSS));
        // A shell is no JVM: a split would be made up.
        assertEquals(OptionalLong.empty(), second.get(Cost.JIT_CPU));
        assertEquals(OptionalLong.empty(), second.get(Cost.GC_CPU));
        assertEquals(OptionalLong.empty(), second.get(Cost.APPLICATION_CPU));
        assertEquals(OptionalLong.empty(), second.get(Cost.GROUP_CPU));
        assertEquals(OptionalLong.empty(), second.get(Cost.THROTTLED));
    }

    @Test
    void saysThatItReadsNoProcessesThatAnotherStarted() throws Exception {
        Process alone = busyProcess("");
        assertEquals(Optional.empty(), new ProcessSampler(alone.pid(), Map.of()).withoutOthers());
        Process script = new ProcessBuilder("sh", "-c", "sleep 600; :").start();
        processes.add(script);
        try {
            await("its child", () -> script.descendants().findAny().isPresent());
            String ofNoGroup =
                    new ProcessSampler(script.pid(), Map.of()).withoutOthers().orElseThrow();
            assertTrue(
                    ofNoGroup.startsWith("CPU time and resident memory are of its first process alone, not of"),
                    ofNoGroup);
            String ofGroup = new ProcessSampler(script.pid(), Map.of("unified", Path.of("/not/there")))
                    .withoutOthers()
                    .orElseThrow();
            assertTrue(ofGroup.startsWith("resident memory is of its first process alone, not of"), ofGroup);
        } finally {
            script.descendants().forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void splitsAJvmsTimeByItsThreads() throws Exception {
        // This JVM itself: its compilers have work, and so has its collector now.
        System.gc();
        ProcessSampler sampler = new ProcessSampler(ProcessHandle.current().pid(), Map.of());
        Costs first = sample(sampler);
        long jit = first.get(Cost.JIT_CPU).orElseThrow();
        long gc = first.get(Cost.GC_CPU).orElseThrow();
        assertTrue(jit > 0 && gc > 0, jit + " " + gc);
        assertEquals(cpuNs(first), first.get(Cost.APPLICATION_CPU).orElseThrow() + jit + gc);
        assertTrue(first.get(Cost.VOLUNTARY_SWITCHES).orElseThrow() > 0);
        Thread burner = new Thread(() -> {
            while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < 100_000_000) {
                Thread.onSpinWait();
            }
        });
        burner.start();
        burner.join();
        Costs window = sample(sampler).since(first);
        assertTrue(window.get(Cost.APPLICATION_CPU).orElseThrow() > 0, "the ended thread's time is the application's");
    }

    @Test
    void givesNothingOfAProcessThatHasEnded() throws Exception {
        Process process = busyProcess("");
        ProcessSampler sampler = new ProcessSampler(process.pid(), Map.of());
        Costs alive = sample(sampler);
        assertTrue(alive.get(Cost.USER_CPU).isPresent());
        process.destroyForcibly().waitFor();
        Costs dead = sample(sampler);
        assertEquals(OptionalLong.empty(), dead.get(Cost.USER_CPU));
        assertEquals(OptionalLong.empty(), dead.get(Cost.RSS));
        assertEquals(OptionalLong.empty(), dead.get(Cost.MINOR_FAULTS));
        assertEquals(OptionalLong.empty(), dead.get(Cost.VOLUNTARY_SWITCHES));
        assertEquals(OptionalLong.empty(), dead.since(alive).get(Cost.USER_CPU));
        assertEquals(
                OptionalLong.empty(),
                sample(new ProcessSampler(process.pid(), Map.of())).get(Cost.USER_CPU));
    }

    @Test
    void takesTheExactTimesOfAControlGroupOfVersion1() throws Exception {
        Path group = makeGroup(Path.of("/sys/fs/cgroup/cpuacct"), "cpuacct.usage_user");
        Process process = busyProcess("echo $$ > " + group.resolve("cgroup.procs") + ";");
        measuresByGroup(process, "cpuacct", group);
    }

    @Test
    void takesTheExactTimesOfAControlGroupOfVersion2() throws Exception {
        Path root = Files.exists(Path.of("/sys/fs/cgroup/cgroup.procs"))
                ? Path.of("/sys/fs/cgroup")
                : Path.of("/sys/fs/cgroup/unified");
        Path group = makeGroup(root, "cpu.stat");
        Process process = busyProcess("echo $$ > " + group.resolve("cgroup.procs") + ";");
        measuresByGroup(process, "unified", group);
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

    private void measuresByGroup(Process process, String controller, Path group) throws Exception {
        ProcessSampler sampler = new ProcessSampler(process.pid(), Map.of(controller, group));
        await("200 ms of CPU time", () -> cpuNs(sample(sampler)) > 200_000_000);
        long before = ticksNs(process.pid());
        Costs sample = sample(sampler);
        long after = ticksNs(process.pid());
        // The shell used a little before it joined, and ticks are cut off.
        assertTrue(
                cpuNs(sample) > before - 2 * TICK_NS && cpuNs(sample) < after + 2 * TICK_NS,
                before + " " + cpuNs(sample) + " " + after);
        assertEquals(sample.get(Cost.GROUP_CPU).orElseThrow(), cpuNs(sample), 1_000.0);
        process.destroyForcibly().waitFor();
        Costs dead = sample(sampler);
        assertTrue(cpuNs(dead) >= cpuNs(sample), "the group keeps the last of it");
        assertEquals(OptionalLong.empty(), dead.get(Cost.RSS));
    }

    @Test
    void readsAFrozenProcess() throws Exception {
        Process process = busyProcess("");
        ProcessSampler sampler = new ProcessSampler(process.pid(), Map.of());
        await("some CPU time", () -> cpuNs(sample(sampler)) > 0);
        new ProcessBuilder("sh", "-c", "kill -STOP " + process.pid()).start().waitFor();
        await("the standstill", () -> stateOf(process) == 'T');
        Costs frozen = sample(sampler);
        assertTrue(cpuNs(frozen) > 0);
        assertTrue(frozen.get(Cost.RSS).orElseThrow() > 0);
        assertEquals(cpuNs(frozen), cpuNs(sample(sampler)));
    }

    private static char stateOf(Process process) {
        try {
            String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void readsMemoryAndOomKillsOfAControlGroup(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("memory.usage_in_bytes"), "4096\n");
        Files.writeString(folder.resolve("memory.max_usage_in_bytes"), "8192\n");
        Files.writeString(folder.resolve("memory.oom_control"), "oom_kill_disable 0\nunder_oom 1\noom_kill 2\n");
        Costs v1 = sample(new ProcessSampler(1, Map.of("memory", folder)));
        assertEquals(OptionalLong.of(4096), v1.get(Cost.MEMORY));
        assertEquals(OptionalLong.of(8192), v1.get(Cost.MEMORY_PEAK));
        assertEquals(OptionalLong.of(2), v1.get(Cost.OOM_KILLS));
        Costs v2 = sample(new ProcessSampler(1, Map.of("unified", folder)));
        assertEquals(OptionalLong.empty(), v2.get(Cost.MEMORY));
        Files.writeString(folder.resolve("memory.current"), "12288\n");
        Files.writeString(folder.resolve("memory.events"), "low 0\nhigh 0\nmax 7\noom 5\noom_kill 3\n");
        v2 = sample(new ProcessSampler(1, Map.of("unified", folder)));
        assertEquals(OptionalLong.of(12_288), v2.get(Cost.MEMORY));
        // Kernels before 5.19 have no memory.peak.
        assertEquals(OptionalLong.empty(), v2.get(Cost.MEMORY_PEAK));
        assertEquals(OptionalLong.of(3), v2.get(Cost.OOM_KILLS));
    }

    @Test
    void readsTheCpuTimeOfAControlGroupWhoseThrottlingIsNotTheWholeOfIt(@TempDir Path folder) throws Exception {
        Files.writeString(
                folder.resolve("cpu.stat"),
                "usage_usec 30\nuser_usec 20\nsystem_usec 10\nnr_periods 9\nnr_throttled 4\nthrottled_usec 7\n");
        Costs v2 = sample(new ProcessSampler(1, Map.of("unified", folder)));
        assertEquals(OptionalLong.empty(), v2.get(Cost.THROTTLED_PERIODS));
        assertEquals(OptionalLong.empty(), v2.get(Cost.THROTTLED));
        assertEquals(OptionalLong.of(20_000), v2.get(Cost.USER_CPU));
        assertEquals(OptionalLong.of(10_000), v2.get(Cost.SYSTEM_CPU));
        assertEquals(OptionalLong.of(30_000), v2.get(Cost.GROUP_CPU));
    }
}
