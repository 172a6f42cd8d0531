package dev.lockstep.monitor;

import static dev.lockstep.monitor.ProcessSamplerTest.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThrottlingTest {
    @TempDir
    private Path mount;

    /** Of the process, two groups below the mount. */
    private Path own;

    @BeforeEach
    void makeGroups() throws IOException {
        own = mount.resolve("container/target");
        Files.createDirectories(own);
        for (Path group = own; !group.equals(mount.getParent()); group = group.getParent()) {
            Files.createFile(group.resolve("cgroup.procs"));
        }
    }

    private static Costs sample(Throttling throttling) {
        Costs.Builder sample = Costs.builder();
        throttling.sample(sample);
        return sample.build();
    }

    private static void assertThrottled(OptionalLong periods, OptionalLong ns, Throttling throttling) {
        assertEquals(periods, sample(throttling).get(Cost.THROTTLED_PERIODS));
        assertEquals(ns, sample(throttling).get(Cost.THROTTLED));
    }

    @Test
    void readsTheNearestGroupWithAQuotaOfVersion2() throws Exception {
        for (Path group : new Path[] {own, own.getParent(), mount}) {
            Files.writeString(group.resolve("cgroup.controllers"), "cpu memory\n");
        }
        Files.writeString(own.resolve("cgroup.events"), "populated 1\n");
        Files.writeString(own.resolve("cpu.max"), "max 100000\n");
        Path container = own.getParent();
        Files.writeString(container.resolve("cgroup.events"), "populated 1\n");
        Files.writeString(container.resolve("cpu.max"), "50000 100000\n");
        Files.writeString(container.resolve("cpu.stat"), "usage_usec 9\nnr_throttled 4\nthrottled_usec 7\n");

        Throttling throttling = new Throttling(own, new KernelReader());

        assertThrottled(OptionalLong.of(0), OptionalLong.of(0), throttling);
        Files.writeString(container.resolve("cpu.stat"), "usage_usec 9\nnr_throttled 6\nthrottled_usec 10\n");
        assertThrottled(OptionalLong.of(2), OptionalLong.of(3_000), throttling);
        Files.delete(container.resolve("cpu.stat"));
        assertThrottled(OptionalLong.empty(), OptionalLong.empty(), throttling);
    }

    @Test
    void readsTheNearestGroupWithAQuotaOfVersion1() throws Exception {
        Files.writeString(own.resolve("cpu.cfs_quota_us"), "-1\n");
        Files.writeString(own.resolve("cpu.stat"), "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
        Path container = own.getParent();
        Files.writeString(container.resolve("cpu.cfs_quota_us"), "20000\n");
        Files.writeString(container.resolve("cpu.cfs_period_us"), "100000\n");
        Files.writeString(container.resolve("cpu.stat"), "nr_periods 9\nnr_throttled 3\nthrottled_time 4500\n");

        Throttling throttling = new Throttling(own, new KernelReader());

        Files.writeString(container.resolve("cpu.stat"), "nr_periods 10\nnr_throttled 4\nthrottled_time 4600\n");
        assertThrottled(OptionalLong.of(1), OptionalLong.of(100), throttling);
    }

    /** As of a service of systemd's with a quota in a slice with a smaller one. */
    @Test
    void readsTheNarrowestOfTheQuotasAbove() throws Exception {
        Path container = own.getParent();
        Files.writeString(own.resolve("cpu.max"), "400000 100000\n");
        Files.writeString(own.resolve("cpu.stat"), "nr_throttled 0\nthrottled_usec 0\n");
        Files.writeString(container.resolve("cpu.max"), "150000 100000\n");
        Files.writeString(container.resolve("cpu.stat"), "nr_throttled 4\nthrottled_usec 7\n");

        Throttling throttling = new Throttling(own, new KernelReader());

        Files.writeString(container.resolve("cpu.stat"), "nr_throttled 6\nthrottled_usec 10\n");
        assertThrottled(OptionalLong.of(2), OptionalLong.of(3_000), throttling);
    }

    @Test
    void saysNoneOnlyWhereItHasSeenTheRoot() throws Exception {
        assertThrottled(OptionalLong.empty(), OptionalLong.empty(), new Throttling(null, new KernelReader()));
        assertThrottled(OptionalLong.empty(), OptionalLong.empty(), new Throttling(own, new KernelReader()));
        Files.createFile(mount.resolve("release_agent"));
        assertThrottled(OptionalLong.of(0), OptionalLong.of(0), new Throttling(own, new KernelReader()));
    }

    @Test
    void takesAContainersRootOfVersion2ForNoRoot() throws Exception {
        for (Path group : new Path[] {own, own.getParent(), mount}) {
            Files.writeString(group.resolve("cgroup.controllers"), "memory\n");
            Files.writeString(group.resolve("cgroup.events"), "populated 1\n");
        }
        assertThrottled(OptionalLong.empty(), OptionalLong.empty(), new Throttling(own, new KernelReader()));
        Files.delete(mount.resolve("cgroup.events"));
        assertThrottled(OptionalLong.of(0), OptionalLong.of(0), new Throttling(own, new KernelReader()));
    }

    @Test
    void seesTheKernelThrottleAProcessForTheQuotaAboveItsGroup() throws Exception {
        Path limited = Path.of(
                "/sys/fs/cgroup/cpu",
                "lockstep-quota-test-" + ProcessHandle.current().pid());
        Path inner = limited.resolve("target");
        try {
            Files.createDirectory(limited);
            Files.createDirectory(inner);
        } catch (IOException e) {
            assumeTrue(false, "no control group can be made: " + e);
        }
        Process process = null;
        try {
            Files.writeString(limited.resolve("cpu.cfs_period_us"), "10000");
            Files.writeString(limited.resolve("cpu.cfs_quota_us"), "1000");
            Throttling throttling = new Throttling(inner, new KernelReader());
            process = new ProcessBuilder(
                            "sh", "-c", "echo $$ > " + inner.resolve("cgroup.procs") + "; while :; do :; done")
                    .start();
            await("throttling", () -> {
                Costs sample = sample(throttling);
                return sample.get(Cost.THROTTLED_PERIODS).orElseThrow() > 2
                        && sample.get(Cost.THROTTLED).orElseThrow() > 1_000_000;
            });
        } finally {
            if (process != null) {
                process.destroyForcibly().waitFor();
            }
            await(
                    "the empty groups",
                    () -> (inner.toFile().delete() || !inner.toFile().exists())
                            && limited.toFile().delete());
        }
    }
}
