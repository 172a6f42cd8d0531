package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.lockstep.measurement.Cost;
import dev.lockstep.monitor.GcLog;
import dev.lockstep.monitor.TargetMonitor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real JVMs, real control groups where this machine has them. */
class TargetLauncherTest {
    private static final long MIB = 1024 * 1024;

    @TempDir
    Path logs;

    private TargetLauncher launcher;

    @BeforeEach
    void open() {
        launcher = TargetLauncher.open(TestingTargets.inventory());
    }

    @AfterEach
    void leavesNothingBehind() {
        launcher.close();
        assertEquals(
                List.of(), TestingTargets.runGroupsOf(ProcessHandle.current().pid()));
        List<ProcessHandle> children = ProcessHandle.current().children().collect(java.util.stream.Collectors.toList());
        assertEquals(List.of(), children);
    }

    private static void assumeCapped(ControlGroups groups) {
        assumeTrue(groups.whyNotCapped().isEmpty(), groups.whyNotCapped());
    }

    @Test
    void refusesToStartATargetOnAnotherSystemThanLinux() {
        TargetFailedException e =
                assertThrows(TargetFailedException.class, () -> TargetLauncher.requireLinux("c2", "Mac OS X"));
        assertEquals(
                "target c2: Lockstep starts targets on Linux only, and this is Mac OS X; start it yourself and give its"
                        + " address, as in c2=127.0.0.1:8080",
                e.getMessage());
        TargetLauncher.requireLinux("c2", "Linux");
    }

    @Test
    void provesC2() throws Exception {
        provesTheJit("c2", "c2");
    }

    @Test
    void provesGraal() throws Exception {
        provesTheJit("graal", "graal");
    }

    @Test
    @Tag("full")
    void provesC2OnJdk25() throws Exception {
        provesTheJit("c2@25", "c2");
    }

    @Test
    @Tag("full")
    void provesGraalOnJdk25() throws Exception {
        provesTheJit("graal@25", "graal");
    }

    @Test
    void provesTheInterpreter() throws Exception {
        provesTheJit("zero", "none");
    }

    /** The replayer's session is raised: what that drives from its processor would crowd the target's. */
    private static void assertRaised(String pid) throws IOException {
        Path grouped = Path.of("/proc/sys/kernel/sched_autogroup_enabled");
        if (Files.exists(grouped)
                && Files.readString(grouped).startsWith("1")
                && System.getProperty("user.name").equals("root")) {
            String group = Files.readString(Path.of("/proc/" + pid + "/autogroup"));
            assertTrue(group.endsWith(" nice -20\n"), group);
        }
    }

    private void provesTheJit(String target, String jit) throws Exception {
        TestingTargets.assumeServes(target);
        TargetSpec spec = TestingTargets.spec(target);
        try (TargetProcess process =
                launcher.launch(spec, TestingTargets.settings("serve", logs).build())) {
            assertEquals(jit, process.jit(), process.jitProof().toString());
            assertFalse(process.jitProof().isEmpty());
            spec.jdkVersion()
                    .ifPresent(version ->
                            assertEquals(version, process.jvm().orElseThrow().featureVersion()));
            assertEquals("ok", TestingTargets.get(process.address(), "/"));
            long port = process.portOpenNs().orElseThrow();
            long answer = process.firstAnswerNs().orElseThrow();
            assertTrue(0 < port && port <= answer, port + " " + answer);
            assertTrue(process.jvmReadyNs().orElseThrow() <= answer);
            assertTrue(process.isAlive());
            assertEquals(Optional.empty(), process.exit());
            assertTrue(process.commandLine().get(0).endsWith("/bin/java"));
            // Ctrl-C at a terminal reaches the processes of its session only.
            String pid = Long.toString(process.pid().orElseThrow());
            assertEquals(pid, statField(process, 6), "the target leads a session of its own");
            assertRaised(pid);
            assertEquals(Optional.of("Serial"), process.collector(), process.effectiveFlags()::toString);
            assertTrue(process.maxHeapBytes().isPresent(), process.effectiveFlags()::toString);
        }
    }

    @Test
    void givesBothJitsTheSameJdkByDefault() {
        TestingTargets.assumeServes("graal");
        JvmInventory inventory = TestingTargets.inventory();
        assertEquals(
                inventory.choose(Profile.C2, OptionalInt.empty()).jvm.home(),
                inventory.choose(Profile.GRAAL, OptionalInt.empty()).jvm.home());
    }

    @Test
    void refusesC2WhereGraalWasAskedFor() {
        TestingTargets.assumeServes("graal");
        TargetSpec spec = TestingTargets.spec("graal").withJvmOptions(List.of("-XX:-UseJVMCICompiler"));
        TargetFailedException e = assertThrows(
                TargetFailedException.class,
                () -> launcher.launch(
                        spec, TestingTargets.settings("serve", logs).build()));
        assertTrue(e.getMessage().contains("asked for graal, found c2"), e.getMessage());
        assertFalse(e.getMessage().contains("\n"));
    }

    @Test
    void refusesC1WhereC2WasAskedFor() {
        TargetSpec spec = TestingTargets.spec("c2").withJvmOptions(List.of("-XX:TieredStopAtLevel=1"));
        TargetFailedException e = assertThrows(
                TargetFailedException.class,
                () -> launcher.launch(
                        spec, TestingTargets.settings("serve", logs).build()));
        assertTrue(e.getMessage().contains("asked for c2, found c1 only"), e.getMessage());
    }

    @Test
    void pinsAndCapsAndReadsBothBack() throws Exception {
        CpuList cpu = CpuList.of(Cores.allowed().toList().get(Cores.allowed().size() - 1));
        LaunchSettings settings = TestingTargets.settings("serve", logs)
                .cpus(cpu)
                .memoryLimitBytes(128 * MIB)
                .build();
        try (TargetProcess process = launcher.launch(TestingTargets.spec("c2"), settings);
                ControlGroups groups = ControlGroups.open()) {
            assertEquals(Optional.of(cpu), process.cpus());
            assumeCapped(groups);
            assertEquals(128 * MIB, process.memoryLimitBytes().orElseThrow());
            String controllers = (groups.whyNotPinned().isEmpty() ? "cpuset, " : "") + "memory"
                    + (groups.whyNotFrozen().isEmpty() ? ", freezer" : "");
            assertTrue(process.isolation().contains(groups.version() + ": " + controllers), process.isolation());
            // The JVM sizes its heap after the cap by itself.
            long heap = process.maxHeapBytes().orElseThrow();
            assertTrue(heap <= 64 * MIB, "heap " + heap);
            assertSwapIsOff(process, 128 * MIB);
            assumeTrue(process.memoryPeakBytes().isPresent(), "cgroup v2 tells no peak before Linux 5.19");
            long peak = process.memoryPeakBytes().getAsLong();
            assertTrue(peak > MIB && peak <= 128 * MIB, "peak " + peak);
            TestingTargets.stop(process);
            assertEquals(peak, process.memoryPeakBytes().orElseThrow(), 64.0 * MIB);
        }
    }

    private static void assertSwapIsOff(TargetProcess process, long limitBytes) throws IOException {
        Path memory = process.controlGroups().get("memory");
        if (memory == null) {
            Path swap = process.controlGroups().get("unified").resolve("memory.swap.max");
            assertTrue(Files.notExists(swap) || KernelFile.read(swap).trim().equals("0"), swap.toString());
            return;
        }
        assertEquals("0", KernelFile.read(memory.resolve("memory.swappiness")).trim());
        Path withSwap = memory.resolve("memory.memsw.limit_in_bytes");
        if (Files.exists(withSwap)) {
            assertEquals(Long.toString(limitBytes), KernelFile.read(withSwap).trim());
        }
    }

    @Test
    @Tag("full")
    void theKernelHoldsATargetThatReachesForAnotherProcessor() throws Exception {
        try (ControlGroups groups = ControlGroups.open()) {
            assumeTrue(groups.whyNotPinned().isEmpty(), groups.whyNotPinned());
        }
        assumeTrue(Executables.find("taskset").isPresent(), "no taskset here");
        List<Integer> all = Cores.allowed().toList();
        assumeTrue(all.size() > 1, "only one processor here");
        CpuList cpu = CpuList.of(all.get(0));
        LaunchSettings settings =
                TestingTargets.settings("busy", logs).cpus(cpu).build();
        try (TargetProcess process = launcher.launch(TestingTargets.spec("c2"), settings)) {
            String escape = "taskset%20-a%20-c%20-p%20" + all.get(1) + "%20%7Bpid%7D";
            String answer = TestingTargets.get(process.address(), "/run?" + escape);
            assertTrue(answer.contains("failed to set"), answer);
            String child = TestingTargets.get(
                    process.address(),
                    "/run?taskset%20-c%20" + all.get(1) + "%20true;grep%20Cpus_allowed_list%20/proc/self/status");
            assertTrue(child.contains("failed to set"), child);
            assertTrue(child.contains("Cpus_allowed_list:\t" + cpu + "\n"), child);
            String ticks = cpuTicks(process);
            TestingTargets.await("a second of work", () -> {
                assertEquals(Set.of(Integer.toString(all.get(0))), processors(process));
                return ticksOf(cpuTicks(process)) > ticksOf(ticks) + 30;
            });
        }
    }

    private static long ticksOf(String userAndSystem) {
        return Arrays.stream(userAndSystem.split(" "))
                .mapToLong(Long::parseLong)
                .sum();
    }

    /** Returns on which processors the threads of a target ran last. */
    private static Set<String> processors(TargetProcess process) {
        Set<String> processors = new HashSet<>();
        Path tasks = Path.of("/proc/" + process.pid().orElseThrow() + "/task");
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                try {
                    String stat = KernelFile.read(thread.resolve("stat"));
                    processors.add(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[39 - 3]);
                } catch (IOException e) {
                    // The thread has ended.
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return processors;
    }

    @Test
    @Tag("full")
    void theCapHoldsForTheChildrenOfATargetToo() throws Exception {
        try (ControlGroups groups = ControlGroups.open()) {
            assumeCapped(groups);
        }
        LaunchSettings settings = TestingTargets.settings("serve", logs)
                .memoryLimitBytes(128 * MIB)
                .build();
        try (TargetProcess process = launcher.launch(TestingTargets.spec("c2"), settings)) {
            try {
                // It keeps all of a line that does not end.
                TestingTargets.get(process.address(), "/run?tail%20-n1%20/dev/zero");
            } catch (IOException e) {
                // The kernel took the target and not its child.
            }
            try (TargetMonitor monitor =
                    TargetMonitor.open(process.pid().orElseThrow(), process.controlGroups(), Optional.empty())) {
                TestingTargets.await(
                        "the kernel's kill",
                        () -> monitor.sample().get(Cost.OOM_KILLS).orElse(0) > 0);
            }
            assertTrue(process.memoryPeakBytes().orElse(0) <= 128 * MIB);
        }
    }

    @Test
    void saysWhatTheKernelDoesNotTake() {
        LaunchSettings settings =
                TestingTargets.settings("serve", logs).cpus(CpuList.of(4095)).build();
        TargetFailedException e =
                assertThrows(TargetFailedException.class, () -> launcher.launch(TestingTargets.spec("c2"), settings));
        assertTrue(e.getMessage().startsWith("target c2: it "), e.getMessage());
        assertTrue(e.getMessage().contains("4095"), e.getMessage());
    }

    @Test
    void reportsTheKernelsKillOfATargetThatExceedsItsCap() throws Exception {
        try (ControlGroups groups = ControlGroups.open()) {
            assumeCapped(groups);
        }
        LaunchSettings settings = TestingTargets.settings("serve", logs)
                .memoryLimitBytes(96 * MIB)
                .jvmOptions(List.of("-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=8g"))
                .build();
        try (TargetProcess process = launcher.launch(TestingTargets.spec("c2"), settings)) {
            assertThrows(IOException.class, () -> TestingTargets.get(process.address(), "/eat"));
            ProcessExit exit = process.onExit().get(60, TimeUnit.SECONDS);
            assertEquals(137, exit.exitCode());
            assertEquals(Optional.of("SIGKILL"), exit.signal());
            assertTrue(exit.isOomKilled(), exit.describe());
            assertFalse(exit.isStopped());
            if (Files.isReadable(Path.of("/dev/kmsg"))) {
                assertTrue(exit.kernelLine().orElseThrow().contains("Killed process"), exit.describe());
            }
            assertTrue(exit.lastLogLines().contains("serving"), exit.lastLogLines()::toString);
            assertFalse(process.isAlive());
        }
    }

    @Test
    void saysSoWhenTheCapIsTooSmallForTheJvm() throws Exception {
        try (ControlGroups groups = ControlGroups.open()) {
            assumeCapped(groups);
        }
        LaunchSettings settings =
                TestingTargets.settings("serve", logs).memoryLimitBytes(4 * MIB).build();
        TargetFailedException e =
                assertThrows(TargetFailedException.class, () -> launcher.launch(TestingTargets.spec("c2"), settings));
        assertTrue(e.getMessage().contains("killed by the kernel for lack of memory"), e.getMessage());
        assertTrue(e.getMessage().contains("its memory limit is " + 4 * MIB), e.getMessage());
        assertTrue(e.exit().orElseThrow().isOomKilled());
    }

    @Test
    void freezesAndThaws() throws Exception {
        freezesAndThaws(launcher);
    }

    @Test
    void freezesBySignalWhereThereIsNoFreezer() throws Exception {
        try (TargetLauncher plain =
                TargetLauncher.open(TestingTargets.inventory(), new TestingNoControlGroups("none in this test"))) {
            assertTrue(
                    plain.isolation().contains("no control groups, because none in this test; pinning by taskset"),
                    plain.isolation());
            freezesAndThaws(plain);
        }
    }

    /** A start script's other child, which has init for its parent once the target died. */
    @Test
    void freezesAndEndsWhatATargetStartedWhereThereAreNoControlGroups() throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "sleep 300 & exec \"$@\"", "script"));
        command.addAll(TestingTargets.command("serve"));
        ProcessHandle child;
        try (TargetLauncher plain = TargetLauncher.open(
                        TestingTargets.inventory(), new TestingNoControlGroups("none in this test"));
                TargetProcess process = plain.launch(
                        TestingTargets.spec("c2"),
                        TestingTargets.settings("serve", logs).command(command).build())) {
            ProcessHandle java = ProcessHandle.of(process.pid().getAsLong()).orElseThrow();
            child = java.children().findFirst().orElseThrow();
            process.freeze();
            TestingTargets.await("the frozen child", () -> stateOf(child) == 'T');
            process.thaw();
            TestingTargets.await("the thawed child", () -> stateOf(child) != 'T');
            java.destroyForcibly();
            TestingTargets.await("its death", () -> process.exit().isPresent());
            assertTrue(child.isAlive());
        }
        TestingTargets.await("the end of the child", () -> !child.isAlive());
    }

    private static char stateOf(ProcessHandle process) {
        try {
            String stat = KernelFile.read(Path.of("/proc/" + process.pid() + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void freezesAndThaws(TargetLauncher launcher) throws Exception {
        try (TargetProcess process = launcher.launch(
                TestingTargets.spec("c2"), TestingTargets.settings("busy", logs).build())) {
            process.freeze();
            process.freeze();
            // A signal stops a thread that has no processor just now when it gets one.
            String[] ticks = {cpuTicks(process)};
            TestingTargets.await("the frozen target to stand still", () -> {
                String before = ticks[0];
                sleep(100);
                ticks[0] = cpuTicks(process);
                return ticks[0].equals(before);
            });
            // Nothing to await: the point is that nothing happens. A busy thread uses 10 ticks in this time.
            sleep(100);
            assertEquals(ticks[0], cpuTicks(process));
            process.thaw();
            process.thaw();
            TestingTargets.await(
                    "CPU time of the thawed target", () -> !cpuTicks(process).equals(ticks[0]));
        }
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String cpuTicks(TargetProcess process) {
        return statField(process, 14) + " " + statField(process, 15);
    }

    /** @param field of /proc/PID/stat, counted from 1 as in proc(5) */
    private static String statField(TargetProcess process, int field) {
        try {
            String stat = KernelFile.read(Path.of("/proc/" + process.pid().orElseThrow() + "/stat"));
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[field - 3];
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void stopsAFrozenTarget() throws Exception {
        TargetProcess process = launcher.launch(
                TestingTargets.spec("c2"),
                TestingTargets.settings("busy", logs)
                        .stopGrace(Duration.ofSeconds(60))
                        .build());
        process.freeze();
        ProcessExit exit = TestingTargets.stop(process);
        // SIGTERM was enough, so it had been thawed.
        assertEquals(143, exit.exitCode());
        assertTrue(exit.isStopped());
        assertEquals(exit, TestingTargets.stop(process));
        process.thaw();
        process.freeze();
    }

    @Test
    void killsATargetThatIgnoresSigterm() throws Exception {
        TargetProcess process = launcher.launch(
                TestingTargets.spec("c2"),
                TestingTargets.settings("stubborn", logs)
                        .stopGrace(Duration.ofMillis(300))
                        .build());
        ProcessExit exit = TestingTargets.stop(process);
        assertEquals(137, exit.exitCode());
        assertTrue(exit.isStopped());
        assertFalse(exit.isOomKilled());
    }

    @Test
    void doesNotQuoteTheFlagsThatItHadTheJvmPrint() {
        for (String words : List.of("", "echo the last words; ")) {
            String script = words + "echo -XX:InitialHeapSize=1 -XX:+PrintCommandLineFlags; exit 7 # {port}";
            TargetSpec spec = TargetSpec.builder("script")
                    .command(List.of("sh", "-c", script))
                    .build();
            TargetFailedException e = assertThrows(
                    TargetFailedException.class,
                    () -> launcher.launch(
                            spec, TestingTargets.settings("serve", logs).build()));
            String said = words.isEmpty() ? "; it printed nothing; " : "; its last line: 'the last words'; ";
            assertTrue(e.getMessage().contains(said), e.getMessage());
        }
    }

    @Test
    void givesExitCodeAndLastLinesOfATargetThatCrashesAtStart() {
        TargetFailedException e = assertThrows(
                TargetFailedException.class,
                () -> launcher.launch(
                        TestingTargets.spec("c2"),
                        TestingTargets.settings("crash", logs).build()));
        assertTrue(e.getMessage().contains("exit code 7"), e.getMessage());
        assertTrue(e.getMessage().contains("its last line: 'the last words'"), e.getMessage());
        assertEquals(7, e.exit().orElseThrow().exitCode());
        int lines = e.lastLogLines().size();
        assertEquals(
                List.of("about to fail", "the last words"), e.lastLogLines().subList(lines - 2, lines));
    }

    @Test
    void givesWhatAJvmSaysOfAnOptionThatItRefuses() throws Exception {
        assertEquals(
                "Unrecognized VM option 'UseParalelGC' Did you mean '(+/-)UseParallelGC'?",
                saidOfOption("-XX:+UseParalelGC"));
        assertEquals("Unrecognized option: -Xnonsense", saidOfOption("-Xnonsense"));
    }

    private String saidOfOption(String option) {
        String message = assertThrows(
                        TargetFailedException.class,
                        () -> launcher.launch(
                                TestingTargets.spec("c2").withJvmOptions(List.of(option)),
                                TestingTargets.settings("refused" + option.length(), logs)
                                        .build()))
                .getMessage();
        return message.replaceFirst(".*; the JVM said: '(.*)'; all output is in .*", "$1");
    }

    @Test
    void givesTheExitOfATargetThatEndsWhileItsJitIsProven() {
        TestingTargets.assumeServes("graal@17");
        // So few compilations that Graal, which starts with the first one, never says its name.
        TargetSpec spec = TestingTargets.spec("graal@17")
                .withJvmOptions(List.of("-XX:CompileThresholdScaling=1000", "-XX:-EagerJVMCI"));
        TargetFailedException e = assertThrows(
                TargetFailedException.class,
                () -> launcher.launch(
                        spec, TestingTargets.settings("mortal", logs).build()));
        assertTrue(e.getMessage().contains("it ended before it was ready with exit code 9"), e.getMessage());
        assertEquals(9, e.exit().orElseThrow().exitCode());
        assertFalse(e.isLate());
        assertTrue(e.lastLogLines().contains("serving"), e.lastLogLines()::toString);
    }

    @Test
    @Tag("full")
    void givesUpOnATargetThatNeverBecomesReady() {
        TargetSpec sample = TestingTargets.spec("c2");
        assertGivesUp(sample, TestingTargets.settings("silent", logs), 600, "ms (port open, but");
        assertGivesUp(sample, TestingTargets.settings("deaf", logs), 300, "ms (connection refused)");
        LaunchSettings.Builder broken = TestingTargets.settings("serve", logs).readinessPath("/broken");
        assertGivesUp(sample, broken, 600, "GET /broken answered 'HTTP/1.1 503");
        TargetSpec own = TargetSpec.builder("own")
                .command(TestingTargets.command("serve"))
                .build();
        assertGivesUp(own, broken, 600, "gives it longer, or set readiness in the targets file to a path");
        TargetSpec elsewhere = TargetSpec.builder("elsewhere")
                .command(TestingTargets.command("deaf"))
                .build();
        assertGivesUp(elsewhere, TestingTargets.settings("deaf", logs), 300, "longer; it has to listen on port ");
    }

    /** Gives a target on a busy machine, which starts slowly, more and more time to come as far as that. */
    private void assertGivesUp(TargetSpec spec, LaunchSettings.Builder settings, int firstMs, String where) {
        int readyMs = firstMs;
        String message;
        do {
            LaunchSettings limited =
                    settings.readyTimeout(Duration.ofMillis(readyMs)).build();
            TargetFailedException e = assertThrows(TargetFailedException.class, () -> launcher.launch(spec, limited));
            message = e.getMessage();
            assertTrue(message.contains("within " + readyMs + " ms"), message);
            assertTrue(message.contains("; --ready-timeout gives it longer"), message);
            assertTrue(e.isLate());
            readyMs *= 3;
        } while (!message.contains(where) && readyMs < 60_000);
        assertTrue(message.contains(where), message);
    }

    @Test
    void saysThatAFixedPortIsTaken() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            TargetSpec spec = TargetSpec.builder("mine")
                    .command(TestingTargets.command("serve"))
                    .port(other.getLocalPort())
                    .build();
            TargetFailedException e = assertThrows(
                    TargetFailedException.class,
                    () -> launcher.launch(
                            spec, TestingTargets.settings("serve", logs).build()));
            assertTrue(e.getMessage().contains("port " + other.getLocalPort() + " is taken"), e.getMessage());
        }
    }

    @Test
    void triesAnotherPortWhenItsOwnWasTakenMeanwhile() throws Exception {
        Path tries = logs.resolve("tries");
        // The first start fails as a server does whose port was taken between the look and the bind.
        String script = "echo try >> " + tries + "; if [ $(wc -l < " + tries + ") = 1 ]; then"
                + " echo 'java.net.BindException: Address already in use'; exit 1; fi; exec \"$@\"";
        TargetSpec spec = TargetSpec.builder("unlucky")
                .command(concat(List.of("sh", "-c", script, "sh"), TestingTargets.command("serve")))
                .build();
        try (TargetProcess process =
                launcher.launch(spec, TestingTargets.settings("serve", logs).build())) {
            assertEquals("c2", process.jit());
            assertEquals(2, Files.readAllLines(tries).size());
            assertFalse(
                    TestingTargets.stop(process)
                            .lastLogLines()
                            .contains("java.net.BindException: Address already in use"),
                    "the tail is that of this launch");
        }
    }

    private static List<String> concat(List<String> first, List<String> second) {
        List<String> all = new java.util.ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    @Test
    void saysThatACommandIsNotExecutable() throws Exception {
        Path file = Files.writeString(logs.resolve("no-program"), "text");
        TargetSpec notExecutable = TargetSpec.builder("a")
                .command(List.of(file.toString(), "{port}"))
                .build();
        TargetSpec notThere = TargetSpec.builder("b")
                .command(List.of("no-such-program-anywhere", "{port}"))
                .build();
        LaunchSettings settings = TestingTargets.settings("serve", logs).build();
        String message = assertThrows(TargetFailedException.class, () -> launcher.launch(notExecutable, settings))
                .getMessage();
        assertEquals("target a: '" + file + "' is not an executable program", message);
        message = assertThrows(TargetFailedException.class, () -> launcher.launch(notThere, settings))
                .getMessage();
        assertEquals("target b: 'no-such-program-anywhere' is not an executable program on PATH", message);
    }

    @Test
    void refusesAStartScriptThatKeepsTheJvmAsItsChild() {
        TargetSpec spec = TargetSpec.builder("wrapped")
                .profile(Profile.C2)
                .command(concat(List.of("sh", "-c", "\"$@\"; exit $?", "sh"), TestingTargets.command("serve")))
                .build();
        TargetFailedException e = assertThrows(
                TargetFailedException.class,
                () -> launcher.launch(
                        spec, TestingTargets.settings("serve", logs).build()));
        assertTrue(e.getMessage().contains("a start script must exec its JVM"), e.getMessage());
    }

    @Test
    void runsACustomApplicationWithEnvironment() throws Exception {
        TargetSpec spec = TargetSpec.builder("own")
                .command(TestingTargets.command("serve"))
                .environment(Map.of("TEST_PORT", "<{port}>"))
                .readinessPath("")
                .build();
        try (TargetProcess process =
                launcher.launch(spec, TestingTargets.settings("serve", logs).build())) {
            String home = process.jvm().orElseThrow().home().toString();
            assertEquals(
                    home + " <" + process.address().getPort() + ">",
                    TestingTargets.get(process.address(), "/environment"));
        }
    }

    /** As docker's client, whose container serves. */
    @Test
    void knowsThatAnotherProcessServesItsPort() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        TargetSpec spec = TargetSpec.builder("client")
                .command(List.of("sleep", "600"))
                .port(port)
                .readinessPath("")
                .build();
        LaunchSettings settings = TestingTargets.settings("serve", logs).build();
        CompletableFuture<TargetProcess> launched = CompletableFuture.supplyAsync(() -> {
            try {
                return launcher.launch(spec, settings);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        // Before that its port has to be free.
        TestingTargets.await("its start", () -> Files.exists(logs.resolve("client.log")));
        try (ServerSocket elsewhere = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
                TargetProcess process = launched.get(60, TimeUnit.SECONDS)) {
            assertEquals(elsewhere.getLocalPort(), process.address().getPort());
            assertTrue(process.isServedElsewhere());
            assertEquals(OptionalLong.empty(), process.memoryPeakBytes());
        }
    }

    @Test
    void knowsThatWhatATargetStartedServesItsPort() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin/java");
        List<String> server = TestingTargets.command("serve");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "\"$@\"; exit $?", "sh", java.toString()));
        command.addAll(server.subList(server.indexOf("-cp"), server.size()));
        TargetSpec spec = TargetSpec.builder("script").command(command).build();
        try (TargetProcess process =
                launcher.launch(spec, TestingTargets.settings("serve", logs).build())) {
            assertEquals(Optional.empty(), process.jvm());
            assertFalse(process.isServedElsewhere());
        }
    }

    @Test
    void attachesToAServerThatRuns() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TargetProcess process = launcher.launch(
                        TestingTargets.spec("bench=127.0.0.1:" + server.getLocalPort()),
                        TestingTargets.settings("serve", logs).build())) {
            assertEquals("unknown", process.jit());
            assertEquals(new InetSocketAddress("127.0.0.1", server.getLocalPort()), process.address());
            assertTrue(process.pid().isEmpty());
            assertFalse(process.canFreeze());
            assertTrue(process.isAlive());
        }
    }

    @Test
    void saysThatNothingAnswersAtAnAddress() throws Exception {
        List<String> heard = new ArrayList<>();
        LaunchSettings settings = TestingTargets.settings("serve", logs)
                .readyTimeout(Duration.ofMillis(100))
                .onWaiting(heard::add)
                .build();
        try (Socket unused = new Socket()) {
            // Nobody listens on it, and nobody else is given it while it is bound.
            unused.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String address = "127.0.0.1:" + unused.getLocalPort();
            TargetFailedException e = assertThrows(
                    TargetFailedException.class, () -> launcher.launch(TestingTargets.spec("x=" + address), settings));
            assertEquals(
                    "target x: nothing answers at " + address + " within 100 ms (connection refused); start the server"
                            + " first, or wait longer with --ready-timeout",
                    e.getMessage());
        }
        assertEquals(List.of("connection refused"), heard, "told once");
    }

    @Test
    void saysThatAServerIsPerhapsAskedForTheWrongPath() throws Exception {
        LaunchSettings settings = TestingTargets.settings("serve", logs)
                .readyTimeout(Duration.ofMillis(100))
                .build();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
        try {
            int port = server.getAddress().getPort();
            TargetSpec spec = TargetSpec.builder("x")
                    .attach("127.0.0.1", port)
                    .readinessPath("/health")
                    .build();
            TargetFailedException e = assertThrows(TargetFailedException.class, () -> launcher.launch(spec, settings));
            assertEquals(
                    "target x: not ready at 127.0.0.1:" + port + " within 100 ms (port open, GET /health answered"
                            + " 'HTTP/1.1 404 Not Found'); set readiness in the targets file to a path that it answers"
                            + " below 400 within 2 s, or to an empty text, or wait longer with --ready-timeout",
                    e.getMessage());
        } finally {
            server.stop(0);
        }
    }

    @Test
    void hasAJvmLogItsCollectionsIntoAFileForEachLaunch() throws Exception {
        for (int launch = 1; launch <= 2; launch++) {
            LaunchSettings settings =
                    TestingTargets.settings("serve", logs).launch(launch).build();
            Path file = logs.resolve(launch == 1 ? "c2.gc.log" : "c2.2.gc.log");
            try (TargetProcess process = launcher.launch(TestingTargets.spec("c2"), settings);
                    GcLog log = process.openGcLog().orElseThrow()) {
                assertEquals(PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file));
                assertEquals("", process.whyNoGcLog());
                TestingTargets.get(process.address(), "/allocate");
                log.update();
                assertTrue(
                        log.totals().cycles().get("Serial Young") > 0,
                        log.totals().toString());
            }
        }
    }

    @Test
    void logsItsCollectionsAlthoughItsOwnOptionsSwitchAllOtherLogsOff() throws Exception {
        TargetSpec spec = TestingTargets.spec("c2").withJvmOptions(List.of("-Xlog:disable"));
        try (TargetProcess process = launcher.launch(
                        spec, TestingTargets.settings("serve", logs).build());
                GcLog log = process.openGcLog().orElseThrow()) {
            TestingTargets.get(process.address(), "/allocate");
            log.update();
            assertTrue(
                    log.totals().cycles().get("Serial Young") > 0, log.totals().toString());
        }
    }

    /** The JVM would take what stands behind the blank for another option, and not start. */
    @Test
    void logsNoCollectionsIntoAFolderWithABlankWhereOptionsAreJoined() throws Exception {
        Path folder = Files.createDirectory(logs.resolve("my runs"));
        List<String> command = new ArrayList<>(TestingTargets.command("serve"));
        command.remove("{jvmOptions}");
        TargetSpec spec = TargetSpec.builder("own")
                .command(command)
                .environment(Map.of("JAVA_TOOL_OPTIONS", "{jvmOptions}"))
                .build();
        try (TargetProcess process =
                launcher.launch(spec, TestingTargets.settings("serve", folder).build())) {
            assertEquals("c2", process.jit());
            assertTrue(process.whyNoGcLog().startsWith("its JVM options are joined by blanks"), process.whyNoGcLog());
        }
    }

    @Test
    void leavesAloneAJvmWhoseOwnOptionsLogItsCollections() throws Exception {
        TargetSpec spec =
                TestingTargets.spec("c2").withJvmOptions(List.of("-Xlog:gc:file=" + logs.resolve("mine.txt")));
        try (TargetProcess process =
                launcher.launch(spec, TestingTargets.settings("serve", logs).build())) {
            assertTrue(process.openGcLog().isEmpty());
            assertEquals("its own options have it log", process.whyNoGcLog());
            assertTrue(Files.exists(logs.resolve("mine.txt")));
            assertFalse(Files.exists(logs.resolve("c2.gc.log")));
        }
    }

    @Test
    void leavesNothingWhenInterrupted() throws Exception {
        Thread me = Thread.currentThread();
        LaunchSettings settings = TestingTargets.settings("deaf", logs).build();
        Thread interrupter = new Thread(() -> {
            try {
                TestingTargets.await(
                        "the child", () -> ProcessHandle.current().children().count() > 0);
                me.interrupt();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        interrupter.start();
        assertThrows(InterruptedException.class, () -> launcher.launch(TestingTargets.spec("c2"), settings));
        interrupter.join();
    }

    @Test
    void canBeClosedFromAnotherThreadWhileATargetStarts() throws Exception {
        LaunchSettings settings = TestingTargets.settings("deaf", logs).build();
        CompletableFuture<TargetProcess> launch = CompletableFuture.supplyAsync(() -> {
            try {
                return launcher.launch(TestingTargets.spec("c2"), settings);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        TestingTargets.await(
                "the child", () -> ProcessHandle.current().children().count() > 0);
        launcher.close();
        launcher.close();
        ExecutionException e = assertThrows(ExecutionException.class, () -> launch.get(60, TimeUnit.SECONDS));
        assertTrue(e.getCause() instanceof TargetFailedException, e.getCause().toString());
        assertThrows(IllegalStateException.class, () -> launcher.launch(TestingTargets.spec("c2"), settings));
    }

    @Test
    void standsInForACapWithJvmOptionsWhereThereAreNoControlGroups() throws Exception {
        CpuList cpu = CpuList.of(Cores.allowed().toList().get(0));
        LaunchSettings settings = TestingTargets.settings("serve", logs)
                .memoryLimitBytes(256 * MIB)
                .cpus(cpu)
                .build();
        try (TargetLauncher plain = TargetLauncher.open(
                        TestingTargets.inventory(), new TestingNoControlGroups("none in this test"));
                TargetProcess process = plain.launch(TestingTargets.spec("c2"), settings)) {
            assertEquals(Optional.of(cpu), process.cpus());
            assertTrue(process.memoryLimitBytes().isEmpty());
            assertTrue(process.commandLine().contains("-XX:MaxRAM=" + 256 * MIB));
            assertEquals(
                    "no control groups, because none in this test; pinned by taskset; memory capped by the JVM itself"
                            + " (-XX:MaxRAM=268435456); freezing by SIGSTOP",
                    process.isolation());
            long heap = process.maxHeapBytes().orElseThrow();
            assertTrue(heap <= 128 * MIB, "heap " + heap);
        }
    }

    @Test
    @Tag("full")
    void aKilledLockstepLeavesNoTargetAndTheNextSweepsItsGroups() throws Exception {
        assumeTrue(Executables.find("setpriv").isPresent(), "no setpriv here");
        Path java = Path.of(System.getProperty("java.home"), "bin/java");
        Process lockstep = new ProcessBuilder(
                        java.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestingLockstep.class.getName(),
                        logs.toString())
                .redirectErrorStream(true)
                .start();
        String line = new java.io.BufferedReader(new java.io.InputStreamReader(lockstep.getInputStream())).readLine();
        assertTrue(line != null && line.matches("[0-9]+"), line);
        ProcessHandle target = ProcessHandle.of(Long.parseLong(line)).orElseThrow();
        assertTrue(target.isAlive());
        lockstep.destroyForcibly().waitFor();
        try {
            target.onExit().get(60, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            target.destroyForcibly();
            throw new AssertionError("the target outlived its launcher", e);
        }
        boolean hadGroups = !TestingTargets.runGroupsOf(lockstep.pid()).isEmpty();
        try (ControlGroups groups = ControlGroups.open()) {
            assertEquals(
                    groups.whyNotFrozen().isEmpty() || groups.whyNotCapped().isEmpty(),
                    hadGroups,
                    "the killed one left its groups");
            assertEquals(List.of(), TestingTargets.runGroupsOf(lockstep.pid()));
        }
    }
}
