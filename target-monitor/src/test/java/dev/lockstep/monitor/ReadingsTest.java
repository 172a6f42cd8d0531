package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of a sample, on files of our own. */
class ReadingsTest {
    @TempDir
    Path tasks;

    private void thread(int id, String name, long cpuNs, int voluntary, int involuntary) throws IOException {
        thread(id, name, cpuNs, 5, voluntary, involuntary);
    }

    private void thread(int id, String name, long cpuNs, long runDelayNs, int voluntary, int involuntary)
            throws IOException {
        Path task = tasks.resolve(Integer.toString(id));
        Files.createDirectories(task);
        Files.writeString(
                task.resolve("status"),
                "Name:\t" + name + "\nState:\tS (sleeping)\nvoluntary_ctxt_switches:\t" + voluntary
                        + "\nnonvoluntary_ctxt_switches:\t" + involuntary + "\n");
        Files.writeString(task.resolve("schedstat"), cpuNs + " " + runDelayNs + " 6\n");
    }

    private void end(int id) throws IOException {
        Path task = tasks.resolve(Integer.toString(id));
        for (String file : List.of("status", "schedstat")) {
            Files.delete(task.resolve(file));
        }
        Files.delete(task);
    }

    @Test
    void keepsTheLastValuesOfThreadsThatEnded() throws Exception {
        thread(1, "java", 1_000, 1, 10);
        thread(2, "C2 CompilerThre", 500, 2, 20);
        thread(3, "GC Thread#0", 70, 4, 40);
        ThreadTotals totals = new ThreadTotals(tasks, 1);
        KernelReader reader = new KernelReader();
        assertTrue(totals.look(reader));
        assertTrue(totals.knows(ThreadKind.JIT) && totals.knows(ThreadKind.GC));
        assertEquals(500, totals.cpuNs(ThreadKind.JIT));
        end(2);
        assertTrue(totals.look(reader));
        assertEquals(500, totals.cpuNs(ThreadKind.JIT));
        // A new compiler thread, once under a new and once under the old id.
        thread(4, "C2 CompilerThre", 30, 0, 0);
        thread(2, "C1 CompilerThre", 200, 1, 1);
        assertTrue(totals.look(reader));
        assertEquals(730, totals.cpuNs(ThreadKind.JIT));
        thread(2, "java", 9, 0, 0);
        assertTrue(totals.look(reader));
        assertEquals(730, totals.cpuNs(ThreadKind.JIT));
        assertEquals(1_009, totals.cpuNs(ThreadKind.OTHER));
        assertEquals(70, totals.cpuNs(ThreadKind.GC));
        assertEquals(1 + 2 + 4 + 1, totals.voluntarySwitches());
        assertEquals(10 + 20 + 40 + 1, totals.involuntarySwitches());
    }

    @Test
    void knowsOfThreadsWithoutTheNamesOfAJvmNothing() throws Exception {
        thread(1, "java", 1_000, 1, 10);
        ThreadTotals totals = new ThreadTotals(tasks, 1);
        totals.look(new KernelReader());
        assertFalse(totals.knows(ThreadKind.JIT) || totals.knows(ThreadKind.GC), "JDK 8");

        thread(2, "JIT Compilation", 500, 2, 20);
        totals.look(new KernelReader());
        assertTrue(totals.knows(ThreadKind.JIT));
        assertFalse(totals.knows(ThreadKind.GC), "OpenJ9 with one thread collects on those that allocate");
    }

    @Test
    void knowsThatAHotSpotWithoutCompilersNeedsNoneOfTheirTime() throws Exception {
        thread(1, "VM Thread", 70, 1, 10);
        ThreadTotals zero = new ThreadTotals(tasks, 1);
        zero.look(new KernelReader());
        assertTrue(zero.knows(ThreadKind.JIT) && zero.knows(ThreadKind.GC));
        assertEquals(0, zero.cpuNs(ThreadKind.JIT));
    }

    @Test
    void sumsHowLongThreadsWaitedForAProcessor() throws Exception {
        thread(1, "java", 1_000, 300, 1, 10);
        thread(2, "C2 CompilerThre", 500, 4_000, 2, 20);
        ThreadTotals totals = new ThreadTotals(tasks, 1);
        KernelReader reader = new KernelReader();
        assertTrue(totals.look(reader));
        assertEquals(OptionalLong.of(4_300), totals.runDelayNs());
        end(2);
        // It waits without having run yet.
        thread(1, "java", 1_000, 700, 1, 10);
        thread(3, "java", 10, 20_000, 1, 10);
        assertTrue(totals.look(reader));
        assertEquals(OptionalLong.of(24_700), totals.runDelayNs());
    }

    @Test
    void readsWhatRanOnTheProcessorsOfAProcess() throws Exception {
        Path stat = tasks.resolve("stat");
        Files.writeString(
                stat,
                "cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1 2 4 1000 2000 8 16 32 0 0\ncpu1 100 0 0 0 0 0 0 1 0 0\n"
                        + "cpu2 200 0 0 0 0 0 0 2 0 0\ncpu10 7 0 0 0 0 0 0 0 0 0\nintr 5\n");
        Costs.Builder sample = Costs.builder();
        ProcessorTimes times = new ProcessorTimes(stat.toString());
        times.sample("0,2", new KernelReader(), sample);
        assertEquals(2_310_000_000L, sample.build().get(Cost.PROCESSORS_BUSY).orElseThrow());
        assertEquals(340_000_000, sample.build().get(Cost.PROCESSORS_STOLEN).orElseThrow());

        // Totals over other processors could not be compared.
        assertEquals(Optional.empty(), times.moved());
        Costs.Builder moved = Costs.builder();
        times.sample("0-1", new KernelReader(), moved);
        assertEquals(OptionalLong.empty(), moved.build().get(Cost.PROCESSORS_BUSY));
        times.sample("0,2", new KernelReader(), moved);
        assertEquals(Optional.of("moved from processors 0,2 to 0-1"), times.moved());
        Costs.Builder missing = Costs.builder();
        new ProcessorTimes(stat.toString()).sample("1-3", new KernelReader(), missing);
        assertEquals(OptionalLong.empty(), missing.build().get(Cost.PROCESSORS_BUSY));
    }

    @Test
    void takesTicksWhereTheKernelHasNoSchedstat() throws Exception {
        thread(1, "VM Thread", 0, 0, 0);
        Files.delete(tasks.resolve("1/schedstat"));
        Files.writeString(tasks.resolve("1/stat"), stat("VM Thread", 3, 4));
        ThreadTotals totals = new ThreadTotals(tasks, 10);
        assertTrue(totals.look(new KernelReader()));
        assertEquals(70, totals.cpuNs(ThreadKind.GC));
        assertEquals(OptionalLong.empty(), totals.runDelayNs());
    }

    @Test
    void knowsTheRunDelayStillWhenAThreadEndsWhileItLooks() throws Exception {
        thread(1, "java", 1_000, 300, 1, 10);
        // It ended after the folder was listed.
        Files.createDirectory(tasks.resolve("2"));
        ThreadTotals totals = new ThreadTotals(tasks, 1);
        assertTrue(totals.look(new KernelReader()));
        assertEquals(OptionalLong.of(300), totals.runDelayNs());
    }

    @Test
    void noticesThatThereIsNoProcess() {
        assertFalse(new ThreadTotals(tasks.resolve("gone"), 1).look(new KernelReader()));
        assertFalse(new ThreadTotals(tasks, 1).look(new KernelReader()));
    }

    private static String stat(String command, long userTicks, long systemTicks) {
        return "7 (" + command + ") S 1 1 1 0 -1 4194304 11 12 13 14 " + userTicks + " " + systemTicks
                + " 0 0 20 0 1 0 99 2654 262\n";
    }

    @Test
    void readsAStatLineWhateverTheCommandIsCalled() {
        ProcStat stat = ProcStat.parse(stat("a) S (b", 21, 22));
        assertEquals(11, stat.minorFaults());
        assertEquals(13, stat.majorFaults());
        assertEquals(21, stat.userTicks());
        assertEquals(22, stat.systemTicks());
        assertEquals(99, stat.startTicks());
        assertFalse(stat.isDead());
        assertTrue(ProcStat.parse(stat("x", 1, 1).replace(") S ", ") Z ")).isDead());
        assertNull(ProcStat.parse("7 (x) S 1 2"));
        assertNull(ProcStat.parse(""));
        assertNull(ProcStat.parse(null));
    }

    @Test
    void findsValuesByTheirKey() {
        String text = "user 5\nsystem_user 6\nVmRSS:\t  123 kB\nuser_usec 7";
        assertEquals(5, KernelReader.value(text, "user "));
        assertEquals(7, KernelReader.value(text, "user_usec"));
        assertEquals(123, KernelReader.value(text, "VmRSS"));
        assertEquals(-1, KernelReader.value(text, "VmHWM"));
        assertEquals(-1, KernelReader.value("max\n", "max"));
    }

    @Test
    void knowsTheThreadsOfJvms() {
        for (String name : List.of(
                "C1 CompilerThre",
                "C2 CompilerThre",
                "JVMCI CompilerT",
                "JVMCI-native Co",
                "Sweeper thread",
                "JIT Compilation",
                "IProfiler")) {
            assertEquals(ThreadKind.JIT, ThreadKind.of(name), name);
        }
        for (String name : List.of(
                "GC Thread#0",
                "G1 Main Marker",
                "G1 Conc#0",
                "G1 Refine#0",
                "G1 Service",
                "VM Thread",
                "ZWorkerYoung#0",
                "ZDriverMajor",
                "XWorker#1",
                "RuntimeWorker#0",
                "Shenandoah GC T",
                "Shenandoah Cont",
                "GC Worker")) {
            assertEquals(ThreadKind.GC, ThreadKind.of(name), name);
        }
        for (String name : List.of("java", "main", "G1", "Zookeeper", "VM Periodic Tas", "vert.x-eventloo", "C2")) {
            assertEquals(ThreadKind.OTHER, ThreadKind.of(name), name);
        }
    }

    @Test
    void splitsExactTimeByTicksWithoutGoingBackwards() {
        CpuSplit split = new CpuSplit();
        split.update(1_000, 0, 0);
        assertEquals(1_000, split.userNs());
        split = new CpuSplit();
        split.update(1_000, 3, 1);
        assertEquals(750, split.userNs());
        assertEquals(250, split.systemNs());
        // All at once the ticks say it was all user time: the system time stays.
        split.update(1_100, 30, 0);
        assertEquals(850, split.userNs());
        assertEquals(250, split.systemNs());

        long seed = System.nanoTime();
        Random random = new Random(seed);
        long exact = 1_100;
        long user = 30;
        long system = 0;
        for (int i = 0; i < 10_000; i++) {
            long userBefore = split.userNs();
            long systemBefore = split.systemNs();
            exact += random.nextInt(10_000_000);
            user += random.nextInt(4);
            system += random.nextInt(3);
            split.update(exact, user, system);
            assertTrue(split.userNs() >= userBefore && split.systemNs() >= systemBefore, "seed " + seed);
            assertEquals(exact, split.userNs() + split.systemNs(), "seed " + seed);
        }
    }
}
