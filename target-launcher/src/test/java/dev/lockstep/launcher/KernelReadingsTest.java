package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What we read of the kernel, of the JVM and of the target's own output. */
class KernelReadingsTest {
    private static final String LOG = "[ 10.1] java invoked oom-killer: gfp_mask=0xcc0\n"
            + "[ 10.2] oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/a/lockstep-5.1.2.0/c2.0,"
            + "task_memcg=/a/lockstep-5.1.2.0/c2.0,task=java,pid=4711,uid=0\n"
            + "[ 10.3] Memory cgroup out of memory: Killed process 4711 (java) total-vm:2654268kB\n"
            + "[ 11.3] Memory cgroup out of memory: Killed process 47110 (java) total-vm:1kB\n";

    @Test
    void findsTheKernelsWordAboutAProcess() {
        assertEquals(
                Optional.of("[ 10.3] Memory cgroup out of memory: Killed process 4711 (java) total-vm:2654268kB"),
                KernelLog.find(LOG, 4711, "x"));
        assertEquals(Optional.empty(), KernelLog.find(LOG, 471, "x"));
    }

    @Test
    void findsItByTheGroupWhereTheKernelCountsProcessesDifferently() {
        assertTrue(KernelLog.find(LOG, 3, "lockstep-5.1.2.0/c2.0").orElseThrow().contains("oom-kill:"));
        assertEquals(Optional.empty(), KernelLog.find(LOG, 3, "lockstep-6.1.2.0/c2.0"));
    }

    @Test
    void readsFilesThatGiveTheirContentToTheFirstReadOnly() throws Exception {
        String range = KernelFile.read(Path.of("/proc/sys/net/ipv4/ip_local_port_range"));
        assertTrue(range.matches("[0-9]+\\s+[0-9]+\\s+"), range);
    }

    @Test
    void keepsTheLastLinesOfALaunch(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("sub/x.log");
        TargetLog first = new TargetLog(file);
        assertEquals(List.of(), first.tail());
        Files.writeString(file, "one\ntwo\n");
        assertEquals(List.of("one", "two"), first.tail());
        TargetLog second = new TargetLog(file);
        assertEquals(List.of(), second.tail());
        StringBuilder much = new StringBuilder(Files.readString(file));
        for (int i = 0; i < 5_000; i++) {
            much.append("line ").append(i).append('\n');
        }
        much.append(String.join("", Collections.nCopies(3_000, "x")));
        Files.writeString(file, much);
        List<String> tail = second.tail();
        assertEquals(20, tail.size());
        assertEquals("line 4999", tail.get(18));
        assertEquals(1_003, tail.get(19).length());
        assertTrue(second.head().startsWith("line 0\n"));
        Files.delete(file);
        assertEquals(List.of(), second.tail());
    }

    /** As of a target that logs each request through a soak: it goes on to write behind what is kept. */
    @Test
    void cutsTheMiddleOutOfALogThatGrowsTooLong(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("x.log"), "before");
        TargetLog log = new TargetLog(file, 100, 10);
        String first = "before" + "x".repeat(100);
        try (OutputStream target = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
            target.write("x".repeat(260).getBytes(StandardCharsets.UTF_8));
            log.cut();
            assertEquals(266, Files.size(file));
            assertEquals(Optional.empty(), log.whatIsCut());

            target.write("the end 1\n".getBytes(StandardCharsets.UTF_8));
            log.cut();
            assertEquals(first + mark(160) + "the end 1\n", Files.readString(file));

            target.write("y".repeat(300).getBytes(StandardCharsets.UTF_8));
            target.write("the end 2\n".getBytes(StandardCharsets.UTF_8));
            log.cut();
            target.write("more\n".getBytes(StandardCharsets.UTF_8));
            assertEquals(first + mark(160 + 310) + "the end 2\nmore\n", Files.readString(file));
        }
        assertEquals(
                List.of("the end 2", "more"),
                log.tail().subList(log.tail().size() - 2, log.tail().size()));
        assertEquals(Optional.of("its output is too long: the middle of x.log, 1 MiB, was cut out"), log.whatIsCut());
    }

    private static String mark(int bytes) {
        return "\n[Lockstep cut out " + bytes + " bytes here, for the output is too long: its beginning and its end are"
                + " kept]\n";
    }

    @Test
    void looksWhetherTheOutputOfAProcessThatRunsIsTooLong(@TempDir Path folder) throws Exception {
        TargetLog log = new TargetLog(folder.resolve("x.log"), 100, 10);
        List<String> command = List.of("sh", "-c", "printf '%0300d' 0; exec sleep 60");
        try (ProcessStarter starter = new ProcessStarter();
                LaunchedProcess process = new LaunchedProcess(
                        command,
                        starter.start(command, Map.of(), List.of(), null, log.file),
                        new ControlGroup(new CgroupFiles(), Map.of()),
                        false,
                        log,
                        Duration.ZERO,
                        () -> {})) {
            process.watch("x");

            TestingTargets.await("a cut", () -> log.whatIsCut().isPresent());
        }
        assertTrue(Files.size(log.file) < 260);
    }

    /** The common pool has one thread beside the caller's on two processors. */
    @Test
    void closesAllProcessesAtTheSameTime(@TempDir Path folder) throws Exception {
        int count = Runtime.getRuntime().availableProcessors() + 2;
        CountDownLatch closing = new CountDownLatch(count);
        AtomicInteger together = new AtomicInteger();
        List<LaunchedProcess> all = new ArrayList<>();
        try (ProcessStarter starter = new ProcessStarter()) {
            for (int i = 0; i < count; i++) {
                TargetLog log = new TargetLog(folder.resolve(i + ".log"));
                List<String> command = List.of("sleep", "600");
                LaunchedProcess process = new LaunchedProcess(
                        command,
                        starter.start(command, Map.of(), List.of(), null, log.file),
                        new ControlGroup(new CgroupFiles(), Map.of()),
                        false,
                        log,
                        Duration.ofSeconds(60),
                        () -> {
                            closing.countDown();
                            if (comes(closing)) {
                                together.incrementAndGet();
                            }
                        });
                process.watch("x");
                all.add(process);
            }

            LaunchedProcess.closeAll(all);
        }

        assertEquals(count, together.get());
    }

    private static boolean comes(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Test
    void describesEndsInOneLine() {
        ProcessExit exit =
                ImmutableProcessExit.of(137, false, true, Optional.of("[ 1.0] Killed process 1 (java)"), List.of("a"));
        assertEquals(
                "exit code 137 (SIGKILL), killed by the kernel for lack of memory: [ 1.0] Killed process 1 (java)",
                exit.describe());
        assertEquals(
                "exit code 1",
                ImmutableProcessExit.of(1, false, false, Optional.empty(), List.of())
                        .describe());
        assertEquals(
                "exit code 143 (SIGTERM), stopped by Lockstep",
                ImmutableProcessExit.of(143, true, false, Optional.empty(), List.of())
                        .describe());
        assertEquals(
                "signal 34",
                ImmutableProcessExit.of(162, false, false, Optional.empty(), List.of())
                        .signal()
                        .orElseThrow());
    }
}
