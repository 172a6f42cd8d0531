package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The files of version 2 on an ordinary folder, for this project's machines have its controllers at version 1;
 * freezing, which needs no controller, on the real thing.
 */
class ControlGroupsV2Test {
    @TempDir
    Path temporary;

    private Path root;

    @BeforeEach
    void makeRoot() throws IOException {
        root = Files.createDirectory(temporary.toRealPath().resolve("cgroup"));
    }

    private CgroupMounts.Mount mount(Path own) {
        return new CgroupMounts.Mount(root, own, List.of());
    }

    @Test
    void makesGroupsBelowTheRootAndWritesTheirLimits() throws Exception {
        TestingCgroupFiles files = new TestingCgroupFiles(root, "cpuset cpu memory");
        ControlGroups groups = ControlGroupsV2.open(mount(root), files);
        assertEquals("", groups.whyNotPinned());
        assertEquals("", groups.whyNotCapped());
        assertEquals("", groups.whyNotFrozen());
        ControlGroup group = groups.create("c2", CpuList.parse("1-2"), 128L << 20);
        Path directory = group.directories().get("unified");
        assertEquals(Map.of("unified", directory), group.directories());
        assertEquals(List.of(directory.resolve("cgroup.procs")), group.joinFiles());
        assertTrue(directory.startsWith(root.resolve(RunGroupName.own(0))), directory.toString());
        assertEquals("1-2", Files.readString(directory.resolve("cpuset.cpus")));
        assertEquals("134217728", Files.readString(directory.resolve("memory.max")));
        assertEquals("0", Files.readString(directory.resolve("memory.swap.max")));
        assertEquals(OptionalLong.of(128L << 20), group.memoryLimitBytes());

        Files.writeString(directory.resolve("memory.peak"), "1234\n");
        Files.writeString(directory.resolve("memory.events"), "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\n");
        assertEquals(OptionalLong.of(1234), group.memoryPeakBytes());
        assertEquals(OptionalLong.of(1), group.oomKills());

        group.freeze();
        assertEquals("1", Files.readString(directory.resolve("cgroup.freeze")));
        group.thaw();
        assertEquals("0", Files.readString(directory.resolve("cgroup.freeze")));

        ControlGroup unlimited = groups.create("c2", null, 0);
        assertFalse(unlimited.directories().equals(group.directories()));
        assertEquals(OptionalLong.empty(), unlimited.memoryLimitBytes());
        unlimited.remove();
        group.remove();
        groups.close();
        assertEquals(List.of(), files.children(root));
    }

    @Test
    void goesUpwardsPastGroupsThatHoldProcesses() throws Exception {
        TestingCgroupFiles files = new TestingCgroupFiles(root, "cpuset memory");
        files.write(root.resolve("cgroup.subtree_control"), "+cpuset");
        files.write(root.resolve("cgroup.subtree_control"), "+memory");
        Path slice = root.resolve("user.slice");
        files.makeDirectory(slice);
        Path own = slice.resolve("scope");
        files.write(slice.resolve("cgroup.subtree_control"), "+memory");
        files.makeDirectory(own);
        files.busy.add(own);
        files.closed.add(root);
        // The slice can hand down memory but not cpuset, and the root is not ours.
        files.busy.add(slice);
        ControlGroups groups = ControlGroupsV2.open(mount(own), files);
        assertEquals("", groups.whyNotCapped());
        assertEquals("cgroup v2: controller 'cpuset' is not delegated to " + slice, groups.whyNotPinned());
        ControlGroup group = groups.create("c2", CpuList.of(1), 1 << 20);
        assertEquals(
                "1048576", Files.readString(group.directories().get("unified").resolve("memory.max")));
        group.remove();
        groups.close();
        assertEquals(List.of(), files.children(own));
        assertEquals(List.of(own), files.children(slice));
    }

    @Test
    void saysWhyNothingIsPossible() throws Exception {
        TestingCgroupFiles files = new TestingCgroupFiles(root, "cpuset memory");
        files.closed.add(root);
        ControlGroups groups = ControlGroupsV2.open(mount(root), files);
        String why = groups.whyNotCapped();
        assertEquals("cgroup v2: no permission for a group in " + root, why);
        assertEquals(why, groups.whyNotPinned());
        assertEquals(why, groups.whyNotFrozen());
        ControlGroup group = groups.create("c2", CpuList.of(0), 1 << 20);
        assertEquals(List.of(), group.joinFiles());
        assertEquals(OptionalLong.empty(), group.memoryLimitBytes());
        group.remove();
        groups.close();
    }

    /** As in a container with rights and a control group namespace of its own. */
    @Test
    void saysWhereProcessesAreInTheWayOfAController() throws Exception {
        TestingCgroupFiles files = new TestingCgroupFiles(root, "cpuset memory");
        files.busy.add(root);
        Files.writeString(root.resolve("cgroup.procs"), ProcessHandle.current().pid() + "\n");
        ControlGroups groups = ControlGroupsV2.open(mount(root), files);
        assertEquals(
                "cgroup v2: " + root + " holds processes and so hands down no controller 'memory'",
                groups.whyNotCapped());
        assertEquals("", groups.whyNotFrozen());
        groups.close();
    }

    @Test
    void sweepsTheGroupsOfDeadRunsOnly() throws Exception {
        TestingCgroupFiles files = new TestingCgroupFiles(root, "cpuset memory");
        String own = RunGroupName.own(0);
        String namespace = own.split("\\.")[2];
        Path dead = root.resolve("lockstep-999999999.1." + namespace + ".0");
        Path elsewhere = root.resolve("lockstep-999999999.1.77.0");
        Path foreign = root.resolve("lockstep-notes");
        Path alive = root.resolve(RunGroupName.own(7));
        for (Path group : List.of(dead, elsewhere, foreign, alive)) {
            files.makeDirectory(group);
        }
        files.makeDirectory(dead.resolve("c2.0"));
        ControlGroupsV2.open(mount(root), files).close();
        List<Path> left = files.children(root);
        assertFalse(left.contains(dead));
        assertTrue(left.containsAll(List.of(elsewhere, foreign, alive)), left.toString());
        assertEquals(3, left.size());
    }

    /** It would try for seconds, at each start of a run. */
    @Test
    void leavesAloneTheGroupsOfDeadRunsThatItMayNotRemove() throws Exception {
        TestingCgroupFiles files = new TestingCgroupFiles(root, "cpuset memory");
        String namespace = RunGroupName.own(0).split("\\.")[2];
        Path dead = root.resolve("lockstep-999999999.1." + namespace + ".0");
        files.makeDirectory(dead);
        files.closed.add(root);

        ControlGroupsV2.open(mount(root), files).close();

        assertEquals(List.of(dead), files.children(root));
    }

    @Test
    void freezesSweepsAndKillsForReal() throws Exception {
        CgroupMounts.Mount mount = CgroupMounts.read().v2().orElse(null);
        assumeTrue(mount != null, "no cgroup v2 is mounted here");
        ControlGroups groups = ControlGroupsV2.open(mount, new CgroupFiles());
        assumeTrue(groups.whyNotFrozen().isEmpty(), groups.whyNotFrozen());
        ControlGroup group = groups.create("busy", null, 0);
        Process process = new ProcessBuilder(
                        "sh", "-c", "echo $$ > " + group.joinFiles().get(0) + "; while :; do :; done")
                .start();
        try {
            CgroupFiles files = new CgroupFiles();
            Path directory = group.directories().get("unified");
            TestingTargets.await("the process in its group", () -> !files.processes(directory)
                    .isEmpty());
            group.freeze();
            long usage =
                    files.number(directory.resolve("cpu.stat"), "usage_usec").orElseThrow();
            // Nothing to await: the point is that nothing happens.
            Thread.sleep(50);
            assertEquals(
                    usage,
                    files.number(directory.resolve("cpu.stat"), "usage_usec").orElseThrow());
            group.thaw();
            TestingTargets.await(
                    "progress",
                    () -> files.number(directory.resolve("cpu.stat"), "usage_usec")
                                    .orElseThrow()
                            > usage);
            group.freeze();
            group.remove();
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it is killed though frozen");
            assertFalse(Files.exists(directory));
        } finally {
            process.destroyForcibly();
            group.remove();
            groups.close();
        }
        assertEquals(
                List.of(), TestingTargets.runGroupsOf(ProcessHandle.current().pid()));
    }
}
