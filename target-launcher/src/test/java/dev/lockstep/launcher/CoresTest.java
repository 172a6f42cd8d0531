package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.monitor.CpuQuota;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoresTest {
    private static final List<String> TWO = List.of("c2", "graal");

    /** A machine without hyperthreads. */
    private static Cores plain(String wish, List<String> targets, String allowed) {
        CpuList cpus = CpuList.parse(allowed);
        List<CpuList> cores = new ArrayList<>();
        cpus.toList().forEach(cpu -> cores.add(CpuList.of(cpu)));
        return Cores.plan(wish, targets, cpus, cores);
    }

    /** A machine of four cores with two threads each, numbered as Linux does on x86: 0 and 4 are one core. */
    private static Cores threaded(String wish) {
        List<CpuList> cores = new ArrayList<>();
        for (int cpu = 0; cpu < 4; cpu++) {
            cores.add(CpuList.of(cpu, cpu + 4));
        }
        return Cores.plan(wish, TWO, CpuList.parse("0-7"), cores);
    }

    @Test
    void alternatesTwoTargetsOnTwoCores() {
        Cores cores = plain(null, TWO, "0-1");
        assertEquals("0", cores.replayer().toString());
        assertEquals("1", cores.targets().toString());
        assertFalse(cores.canRunTogether());
        assertEquals(List.of(), cores.warnings());
        assertEquals("replayer on 0, targets on 1, not all at once: 1 core for 2 targets", cores.describe());
        assertThrows(IllegalStateException.class, () -> cores.together(0, 0));
    }

    @Test
    void runsOneTargetOnTwoCores() {
        Cores cores = plain(null, List.of("c2"), "0-1");
        assertTrue(cores.canRunTogether());
        assertEquals("1", cores.together(0, 0).toString());
    }

    @Test
    void warnsWhenAllShareOneCore() {
        Cores cores = plain(null, TWO, "3");
        assertEquals("3", cores.replayer().toString());
        assertEquals("3", cores.targets().toString());
        assertFalse(cores.canRunTogether());
        assertEquals(1, cores.warnings().size());
    }

    @Test
    void warnsOfNoSharingWithTargetsThatRunNobodyKnowsWhere() {
        TargetSpec elsewhere = TargetSpec.builder("a").attach("127.0.0.1", 8080).build();
        TargetSpec here =
                TargetSpec.builder("b").command(List.of("server", "{port}")).build();
        assertEquals(0, onOneCore(null, elsewhere).warnings().size());
        assertEquals(1, onOneCore(null, elsewhere, here).warnings().size());
        assertEquals(1, onOneCore("3/3", elsewhere).warnings().size());
    }

    private static Cores onOneCore(String wish, TargetSpec... targets) {
        CpuList cpu = CpuList.of(3);
        return Cores.planFor(wish, List.of(targets), cpu, List.of(cpu), CpuList.of());
    }

    @Test
    void givesEqualSharesThatGoRoundLaunchAfterLaunch() {
        Cores cores = plain(null, TWO, "0-5");
        assertTrue(cores.canRunTogether());
        assertEquals("1-2", cores.together(0, 0).toString());
        assertEquals("3-4", cores.together(1, 0).toString());
        assertEquals("3-4", cores.together(0, 1).toString());
        assertEquals("1-2", cores.together(1, 1).toString());
        assertEquals("1-2", cores.together(0, 2).toString());
        assertEquals("replayer on 0, targets on 1-5, each on its own: 2 cores for each target", cores.describe());
    }

    @Test
    void keepsTheThreadsOfACoreTogether() {
        Cores cores = threaded(null);
        assertEquals("0,4", cores.replayer().toString());
        assertEquals("1-3,5-7", cores.targets().toString());
        assertEquals("1,5", cores.together(0, 0).toString());
        assertEquals("2,6", cores.together(1, 0).toString());
    }

    @Test
    void doesNotRunTogetherOnUnlikeCores() {
        List<CpuList> cores = List.of(CpuList.of(0, 1), CpuList.of(2, 3), CpuList.of(4));
        Cores plan = Cores.plan(null, TWO, CpuList.parse("0-4"), cores);
        assertFalse(plan.canRunTogether());
        assertTrue(plan.describe().endsWith("the cores are not alike"), plan.describe());
    }

    /** As on arm64, where the kernel says how fast each is. */
    @Test
    void doesNotRunTogetherWhereOneTargetWouldHaveSlowerCores(@TempDir Path devices) throws Exception {
        Path system = devices.resolve("system/cpu");
        for (int cpu = 0; cpu < 5; cpu++) {
            Path processor = Files.createDirectories(system.resolve("cpu" + cpu));
            Files.writeString(processor.resolve("cpu_capacity"), cpu < 3 ? "414\n" : "1024\n");
        }
        Cores unlike = plain(null, TWO, "0-4").alikeOnly(system);
        assertFalse(unlike.canRunTogether());
        assertEquals("1-4", unlike.targets().toString());
        assertTrue(unlike.describe().endsWith("the cores are not alike"), unlike.describe());
        assertFalse(
                plain("replayer=0/c2=2/graal=3", TWO, "0-4").alikeOnly(system).canRunTogether());

        assertTrue(
                plain("replayer=0/c2=3/graal=4", TWO, "0-4").alikeOnly(system).canRunTogether());
        assertTrue(
                plain("replayer=0/c2=1,4/graal=2-3", TWO, "0-4")
                        .alikeOnly(system)
                        .canRunTogether(),
                "one of each");
        assertTrue(plain(null, List.of("c2"), "0-4").alikeOnly(system).canRunTogether());
    }

    /** As on x86, where some processors have P-cores and E-cores without hyperthreads. */
    @Test
    void doesNotRunTogetherOnPerformanceAndEfficientCores(@TempDir Path devices) throws Exception {
        Path system = Files.createDirectories(devices.resolve("system/cpu"));
        assertTrue(plain(null, TWO, "0-4").alikeOnly(system).canRunTogether());

        Files.writeString(Files.createDirectory(devices.resolve("cpu_atom")).resolve("cpus"), "3-4\n");

        assertFalse(plain(null, TWO, "0-4").alikeOnly(system).canRunTogether());
        assertTrue(plain(null, TWO, "0-2").alikeOnly(system).canRunTogether());
    }

    /** A wish may leave them out, or the processors that this process may use. */
    @Test
    void knowsTheHyperthreadsBesideItsProcessors(@TempDir Path system) throws Exception {
        for (int cpu = 0; cpu < 3; cpu++) {
            Path topology = Files.createDirectories(system.resolve("cpu" + cpu + "/topology"));
            Files.writeString(topology.resolve("thread_siblings_list"), cpu + "," + (cpu + 4) + "\n");
        }

        assertEquals("0-1,4-5", plain("0/1", TWO, "0-3").wholeCores(system).toString());
        assertEquals("3", plain("3/3", TWO, "0-3").wholeCores(system).toString(), "nobody knows of any");
    }

    @Test
    void warnsOfACpuQuotaThatGrantsLessThanTheProcessors() {
        Path file = Path.of("/sys/fs/cgroup/cpu.max");
        assertEquals(
                List.of(
                        "a CPU quota grants Lockstep and the targets that it starts the time of 1.50 processors together"
                                + " (/sys/fs/cgroup/cpu.max), and they run on 4: when it is used up the kernel stops them all,"
                                + " and requests wait; raise it to 4"),
                plain(null, TWO, "0-3")
                        .warnedOf(Optional.of(new CpuQuota(1.5, file)))
                        .warnings());
        Optional<CpuQuota> two = Optional.of(new CpuQuota(2, file));
        String warning = plain(null, TWO, "0-3").warnedOf(two).warnings().get(0);
        assertTrue(warning.endsWith("raise it to 4, or give them 2 processors in all by --cores"), warning);

        assertEquals(List.of(), plain("0/1", TWO, "0-3").warnedOf(two).warnings());
        assertEquals(
                List.of(), plain(null, TWO, "0-3").warnedOf(Optional.empty()).warnings());
    }

    @Test
    void followsTheUsersWish() {
        Cores cores = plain("replayer=0-1/targets=2-5", TWO, "0-7");
        assertEquals("0-1", cores.replayer().toString());
        assertEquals("2-5", cores.targets().toString());
        assertEquals("2-3", cores.together(0, 0).toString());
        assertEquals("4-5", cores.together(0, 1).toString());
        assertEquals("1", plain("0/1", TWO, "0-1").targets().toString());
    }

    @Test
    void leavesProcessorsWhereTheUserNamedThem() {
        Cores cores = plain("replayer=0/graal=1/c2=2", TWO, "0-2");
        assertTrue(cores.canRunTogether());
        assertEquals("2", cores.together(0, 0).toString());
        assertEquals("2", cores.together(0, 1).toString());
        assertEquals("1", cores.together(1, 5).toString());
        assertFalse(plain("replayer=0/graal=1-2/c2=3", TWO, "0-3").canRunTogether());
        assertFalse(plain("replayer=0/graal=1/c2=1", TWO, "0-3").canRunTogether());
    }

    @Test
    void warnsWhenTheUserLetsReplayerAndTargetsShare() {
        assertEquals(
                List.of("the replayer shares processor 1 with the targets: latencies include the replayer's own work"),
                plain("1/1-2", TWO, "0-2").warnings());
        assertEquals(
                List.of("the replayer's threads that send nothing share processor 1 with the targets, at the lowest"
                        + " priority"),
                plain("0-1/1-2", TWO, "0-2").warnings());
        assertEquals(
                List.of("the replayer and the targets are hyperthreads of one core (0,4): they slow each other down"),
                threaded("0/4-6").warnings());
    }

    @Test
    void warnsWhereATargetHasSeveralProcessorsThatTheKernelKeepsApart() {
        String warning = "processors 2-3 of a target are isolated (isolcpus): the kernel moves no thread from one of"
                + " them to another, and all of the target's may run on the first; give it one of them, or others, by"
                + " --cores";
        CpuList isolated = CpuList.of(2, 3);
        List<String> one = List.of("c2");
        assertEquals(
                List.of(warning), plain("0/1-3", one, "0-3").warnedOf(isolated).warnings());
        assertEquals(
                List.of(warning), plain(null, one, "0-3").warnedOf(isolated).warnings());
        assertEquals(
                List.of(warning),
                plain("0/2-3", List.of("a", "b", "c"), "0-3").warnedOf(isolated).warnings());
        assertEquals(2, plain("0/0-3", one, "0-3").warnedOf(isolated).warnings().size());

        assertEquals(List.of(), plain("0/1-2", one, "0-3").warnedOf(isolated).warnings());
        assertEquals(List.of(), plain("0/2-3", TWO, "0-3").warnedOf(isolated).warnings(), "each has one");
    }

    @Test
    void refusesAWishThatCanNotBe() {
        refuses("replayer=0", "expected targets=LIST or one part for each of [c2, graal]");
        refuses("0", "has no name");
        refuses("targets=1", "replayer=LIST is missing");
        refuses("replayer=0/c2=1", "expected targets=LIST or one part for each");
        refuses("replayer=0/targets=1/c2=1", "expected targets=LIST or one part for each");
        refuses("replayer=0/targets=1/zing=1", "'zing' is neither");
        refuses("replayer=0/targets=1-4", "this process may use 0-3, but not 4");
        refuses("replayer=/targets=1", "no processor for 'replayer'");
        refuses("replayer=0/replayer=1", "stands twice");
        refuses("replayer=x/targets=1", "found 'x'");
    }

    private static void refuses(String wish, String why) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> plain(wish, TWO, "0-3"), wish);
        assertTrue(e.getMessage().contains(why), e.getMessage());
    }

    @Test
    void groupsProcessorsAfterTheKernelsTopology(@TempDir Path system) throws Exception {
        for (int cpu = 0; cpu < 4; cpu++) {
            Path topology = Files.createDirectories(system.resolve("cpu" + cpu + "/topology"));
            Files.writeString(topology.resolve("thread_siblings_list"), cpu % 2 + "," + (cpu % 2 + 2) + "\n");
        }
        assertEquals(List.of(CpuList.of(0, 2), CpuList.of(1, 3)), Cores.coresOf(CpuList.parse("0-3"), system));
        assertEquals(List.of(CpuList.of(0, 2), CpuList.of(3)), Cores.coresOf(CpuList.parse("0,2-3"), system));
        assertEquals(List.of(CpuList.of(8), CpuList.of(9)), Cores.coresOf(CpuList.parse("8-9"), system));
    }

    @Test
    void readsWhatThisProcessMayUse() {
        // A CPU quota makes the JVM see fewer.
        assertTrue(Cores.allowed().size() >= Runtime.getRuntime().availableProcessors());
    }

    /** In a process of its own, for the pin stays. */
    @Test
    void pinsAllThreadsOfTheProcessAndGivesThemTheirProcessorsBack() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        PinnedProgram.class.getName())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            List<String> lines = new ArrayList<>();
            reader.lines().forEach(lines::add);
            assertEquals(List.of("Optional.empty", "alike", "as before"), lines);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Pins itself and prints whether all its threads are where they should be. */
    static final class PinnedProgram {
        private PinnedProgram() {}

        public static void main(String[] args) throws Exception {
            CpuList before = Cores.allowed();
            Cores cores = Cores.plan(null, List.of("x"));
            System.out.println(cores.pinThisProcess());
            try (var tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
                for (Path task : tasks) {
                    Optional<CpuList> is = Cores.allowed(task.resolve("status"));
                    // One that is not there any more ended after it was listed.
                    if (is.isPresent() ? !is.get().equals(cores.replayer()) : Files.exists(task)) {
                        System.out.println(task + " is on " + is);
                    }
                }
            }
            System.out.println("alike");
            cores.unpinThisProcess();
            System.out.println(Cores.allowed().equals(before) ? "as before" : "on " + Cores.allowed());
        }
    }
}
