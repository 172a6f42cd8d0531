package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupMountsTest {
    @TempDir
    Path root;

    private String mount(String mountedRoot, String name, String type, String options) {
        return "36 35 98:0 " + mountedRoot + " " + root.resolve(name) + " rw,noatime shared:1 - " + type + " cgroup rw,"
                + options;
    }

    @Test
    void findsOwnGroupsOfVersion1() throws Exception {
        Files.createDirectories(root.resolve("memory/a/b"));
        Files.createDirectories(root.resolve("cpu,cpuacct/a"));
        CgroupMounts mounts = CgroupMounts.parse(
                List.of(
                        "23 1 0:21 / /proc rw - proc proc rw",
                        mount("/", "memory", "cgroup", "memory"),
                        mount("/", "cpu,cpuacct", "cgroup", "cpu,cpuacct"),
                        mount("/", "unified", "cgroup2", "nsdelegate")),
                List.of("4:memory:/a/b", "3:cpu,cpuacct:/a", "1:name=systemd:/x", "0::/"));
        assertEquals(root.resolve("memory/a/b"), mounts.v1("memory").orElseThrow().own);
        assertEquals(root.resolve("memory"), mounts.v1("memory").orElseThrow().root);
        assertEquals(root.resolve("cpu,cpuacct/a"), mounts.v1("cpuacct").orElseThrow().own);
        assertEquals(List.of("cpu", "cpuacct"), mounts.v1("cpu").orElseThrow().controllers);
        assertTrue(mounts.v1("freezer").isEmpty());
        assertEquals(root.resolve("unified"), mounts.v2().orElseThrow().own);
    }

    @Test
    void findsOwnGroupOfVersion2() throws Exception {
        Files.createDirectories(root.resolve("with blank/user.slice/me"));
        String line = mount("/", "with blank", "cgroup2", "x").replace("with blank", "with\\040blank");
        CgroupMounts mounts = CgroupMounts.parse(List.of(line), List.of("0::/user.slice/me"));
        assertEquals(root.resolve("with blank/user.slice/me"), mounts.v2().orElseThrow().own);
    }

    @Test
    void findsOwnGroupInAContainerThatSeesOnlyItsPart() throws Exception {
        Files.createDirectories(root.resolve("memory/job"));
        CgroupMounts mounts = CgroupMounts.parse(
                List.of(mount("/docker/123", "memory", "cgroup", "memory")), List.of("4:memory:/docker/123/job"));
        assertEquals(root.resolve("memory/job"), mounts.v1("memory").orElseThrow().own);
        mounts = CgroupMounts.parse(
                List.of(mount("/docker/123", "memory", "cgroup", "memory")), List.of("4:memory:/docker/123"));
        assertEquals(root.resolve("memory"), mounts.v1("memory").orElseThrow().own);
        mounts = CgroupMounts.parse(
                List.of(mount("/../..", "memory", "cgroup", "memory")), List.of("4:memory:/../other"));
        assertEquals(root.resolve("memory"), mounts.v1("memory").orElseThrow().own);
    }

    @Test
    void findsTheGroupThatCpuTimeIsCountedFor() throws Exception {
        Files.createDirectories(root.resolve("cpu/docker/1"));
        Files.createDirectories(root.resolve("unified/slice"));
        List<String> mounts =
                List.of(mount("/", "cpu", "cgroup", "cpu"), mount("/", "unified", "cgroup2", "nsdelegate"));
        assertEquals(
                Optional.of(root.resolve("cpu/docker/1")),
                CgroupMounts.parse(mounts, List.of("1:cpu:/docker/1", "0::/slice"))
                        .cpu());
        assertEquals(
                Optional.of(root.resolve("unified/slice")),
                CgroupMounts.parse(mounts, List.of("0::/slice")).cpu());
        assertEquals(
                Optional.empty(),
                CgroupMounts.parse(mounts.subList(1, 2), List.of("1:cpu:/docker/1", "0::/slice"))
                        .cpu(),
                "it is in the other tree, which is not mounted");
        assertEquals(
                Optional.empty(),
                CgroupMounts.parse(mounts, List.of("0::/../other")).cpu());
        assertEquals(Optional.empty(), CgroupMounts.parse(List.of(), List.of()).cpu());
    }

    @Test
    void findsTheNarrowestCpuQuotaUpToWhatIsMounted() throws Exception {
        Path pod = group("unified/pod", "cpu.max", "150000 100000\n");
        group("unified/pod/container", "cpu.max", "max 100000\n");
        group("unified", "cgroup.controllers", "cpu\n");
        CgroupMounts mounts = CgroupMounts.parse(
                List.of(mount("/", "unified", "cgroup2", "nsdelegate")), List.of("0::/pod/container"));
        assertEquals(1.5, mounts.cpuQuota().orElseThrow().processors());
        assertEquals(pod.resolve("cpu.max"), mounts.cpuQuota().orElseThrow().file());

        group("unified/pod/container", "cpu.max", "50000 100000\n");
        assertEquals(0.5, mounts.cpuQuota().orElseThrow().processors());
    }

    @Test
    void findsTheCpuQuotaOfVersion1() throws Exception {
        Path own = group("cpu/docker", "cpu.cfs_quota_us", "-1\n");
        group("cpu/docker", "cpu.cfs_period_us", "50000\n");
        CgroupMounts mounts = CgroupMounts.parse(List.of(mount("/", "cpu", "cgroup", "cpu")), List.of("1:cpu:/docker"));
        assertEquals(Optional.empty(), mounts.cpuQuota());

        Files.writeString(own.resolve("cpu.cfs_quota_us"), "200000\n");
        assertEquals(4, mounts.cpuQuota().orElseThrow().processors());
    }

    private Path group(String name, String file, String content) throws IOException {
        Path group = Files.createDirectories(root.resolve(name));
        Files.writeString(group.resolve("cgroup.procs"), "");
        Files.writeString(group.resolve(file), content);
        return group;
    }

    /** As of an own disk's, where the locale has ASCII alone; here it is a character that no path may have. */
    @Test
    void passesOverMountPointsThatCannotBeNamed() {
        CgroupMounts mounts = CgroupMounts.parse(
                List.of("40 1 8:1 / /media/\0 rw - ext4 /dev/sda1 rw", mount("/", "unified", "cgroup2", "nsdelegate")),
                List.of("0::/"));
        assertEquals(root.resolve("unified"), mounts.v2().orElseThrow().own);
    }

    @Test
    void readsThoseOfThisMachine() {
        CgroupMounts mounts = CgroupMounts.read();
        for (String controller : List.of("memory", "cpuset", "freezer")) {
            mounts.v1(controller)
                    .ifPresent(
                            mount -> assertTrue(Files.exists(mount.own.resolve("cgroup.procs")), mount.own.toString()));
        }
    }
}
