package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ControlGroupsV1Test {
    @Test
    void saysWhatIsNotMounted() {
        ControlGroups groups = ControlGroupsV1.open(CgroupMounts.parse(List.of(), List.of()), new CgroupFiles());
        assertEquals("no cgroup v1 controller 'memory' is mounted", groups.whyNotCapped());
        assertEquals("no cgroup v1 controller 'cpuset' is mounted", groups.whyNotPinned());
        assertEquals("no cgroup v1 controller 'freezer' is mounted", groups.whyNotFrozen());
        groups.close();
    }

    @Test
    void saysThatAMountIsReadOnlyOrClosed() {
        // /proc is a file system in which nobody can make folders.
        CgroupMounts mounts =
                CgroupMounts.parse(List.of("36 35 98:0 / /proc rw - cgroup cgroup rw,memory"), List.of("4:memory:/"));
        ControlGroups groups = ControlGroupsV1.open(mounts, new CgroupFiles());
        assertTrue(
                groups.whyNotCapped().startsWith("cgroup v1 controller 'memory': a group in /proc: "),
                groups.whyNotCapped());
        groups.close();
    }

    @Test
    void sweepsAFrozenProcessOfADeadRun() throws Exception {
        CgroupMounts.Mount freezer = CgroupMounts.read().v1("freezer").orElse(null);
        assumeTrue(freezer != null, "no cgroup v1 freezer here");
        assumeTrue(Files.isWritable(freezer.own.resolve("cgroup.procs")), "no permission for the freezer");
        // As long as it lives nobody else, as another module's tests, takes the groups for those of a dead run.
        Process run = new ProcessBuilder("sleep", "100").start();
        String[] own = RunGroupName.own(0).split("\\.");
        Path parent = freezer.own.resolve(
                "lockstep-" + run.pid() + "." + RunGroupName.startTicks(run.pid()) + "." + own[2] + ".0");
        CgroupFiles files = new CgroupFiles();
        files.makeDirectory(parent);
        Path group = parent.resolve("c2.0");
        files.makeDirectory(group);
        Process process = new ProcessBuilder(
                        "sh", "-c", "echo $$ > " + group.resolve("cgroup.procs") + "; while :; do :; done")
                .start();
        try {
            TestingTargets.await(
                    "the process in its group", () -> !files.processes(group).isEmpty());
            files.write(group.resolve("freezer.state"), "FROZEN");
            TestingTargets.await(
                    "the freeze",
                    () -> files.find(group.resolve("freezer.state")).orElse("").equals("FROZEN"));
            run.destroyForcibly().waitFor();
            ControlGroups.open().close();
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it is thawed and killed");
            assertFalse(Files.exists(parent));
        } finally {
            run.destroyForcibly();
            process.destroyForcibly();
            files.write(
                    freezer.own.resolve("cgroup.procs"),
                    Long.toString(ProcessHandle.current().pid()));
            ControlGroups.open().close();
        }
    }
}
