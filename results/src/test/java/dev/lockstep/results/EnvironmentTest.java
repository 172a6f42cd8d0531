package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvironmentTest {
    @TempDir
    Path root;

    @Test
    void readsTheKernelsFiles() throws IOException {
        file("proc/sys/kernel/osrelease", "6.1.0-21\n");
        file("proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU: 2 @ 2.50GHz\nprocessor\t: 1\n");
        file("proc/meminfo", "MemTotal:       24683528 kB\nMemFree: 1 kB\n");
        file("sys/devices/system/cpu/online", "0-3,8\n");
        file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
        file("sys/fs/cgroup/cgroup.controllers", "cpuset memory\n");

        Environment environment =
                Environment.ofMachine(root).lockstepVersion("0.1.0").build();

        assertTrue(environment.kernel().orElseThrow().contains(" 6.1.0-21 "));
        assertEquals("Example CPU: 2 @ 2.50GHz", environment.cpuModel().orElseThrow());
        assertEquals(5, environment.cores().getAsInt());
        assertEquals(24_683_528L * 1024, environment.memoryBytes().getAsLong());
        assertEquals("tsc", environment.clock().orElseThrow());
        assertEquals("v2", environment.cgroup().orElseThrow());
        assertEquals(
                System.getProperty("java.vm.version"), environment.jvmVersion().orElseThrow());
    }

    @Test
    void leavesOutWhatTheMachineDoesNotSay() throws IOException {
        Environment environment =
                Environment.ofMachine(root).lockstepVersion("0.1.0").build();
        assertTrue(environment.cpuModel().isEmpty());
        assertTrue(environment.memoryBytes().isEmpty());
        assertTrue(environment.clock().isEmpty());
        assertTrue(environment.cgroup().isEmpty());
        assertEquals(
                Runtime.getRuntime().availableProcessors(), environment.cores().getAsInt());

        file("sys/fs/cgroup/memory/tasks", "");
        assertEquals(
                "v1",
                Environment.ofMachine(root)
                        .lockstepVersion("0.1.0")
                        .build()
                        .cgroup()
                        .orElseThrow());
    }

    @Test
    void knowsThisMachine() {
        Environment environment =
                Environment.ofThisMachine().lockstepVersion("0.1.0").build();
        assertFalse(environment.kernel().orElseThrow().isEmpty());
        assertTrue(environment.cores().getAsInt() >= 1);
        assertTrue(environment.jvmOptions().contains("-Xmx512m"), "surefire's options are this JVM's");
    }

    @Test
    void readsTheKernelsLists() {
        assertEquals(List.of(0, 1, 3), Environment.processors("0-1,3\n"));
    }

    @Test
    void wantsTheVersion() {
        assertThrows(IllegalArgumentException.class, () -> Environment.builder().build());
    }

    private void file(String name, String contents) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, contents);
    }
}
