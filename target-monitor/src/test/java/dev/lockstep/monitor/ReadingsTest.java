package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of a sample, on files of our own. */
class ReadingsTest {
    @TempDir
    Path tasks;

    private void thread(int id, String name, long cpuNs, int voluntary, int involuntary) throws IOException {
        Path task = tasks.resolve(Integer.toString(id));
        Files.createDirectories(task);
        Files.writeString(
                task.resolve("status"),
                "Name:\t" + name + "\nState:\tS (sleeping)\nvoluntary_ctxt_switches:\t" + voluntary
                        + "\nnonvoluntary_ctxt_switches:\t" + involuntary + "\n");
        Files.writeString(task.resolve("schedstat"), cpuNs + " 5 6\n");
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
        assertTrue(totals.isJvm());
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
    void takesTicksWhereTheKernelHasNoSchedstat() throws Exception {
        thread(1, "VM Thread", 0, 0, 0);
        Files.delete(tasks.resolve("1/schedstat"));
        Files.writeString(tasks.resolve("1/stat"), stat("VM Thread", 3, 4));
        ThreadTotals totals = new ThreadTotals(tasks, 10);
        assertTrue(totals.look(new KernelReader()));
        assertEquals(70, totals.cpuNs(ThreadKind.GC));
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
