package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineLoadTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long OWN = 7;

    @TempDir
    Path root;

    private MachineLoad.Look look(long atNs, int busyTicks, int stolenTicks) throws IOException {
        Files.writeString(
                root.resolve("stat"),
                "cpu  7 0 0 900 5 0 0 7 0 0\ncpu0 " + busyTicks + " 0 0 900 5 0 0 " + stolenTicks + " 0 0\n"
                        + "cpu1 1 0 0 0 0 0 0 0 0 0\nintr 5\n");
        return MachineLoad.Look.take(root + "/", atNs, List.of(0, 1));
    }

    private void process(long pid, String command, int userTicks, int systemTicks, long startTicks) throws IOException {
        process(pid, command, userTicks, systemTicks, startTicks, 0);
    }

    private void process(long pid, String command, int userTicks, int systemTicks, long startTicks, int processor)
            throws IOException {
        Path folder = Files.createDirectories(root.resolve(Long.toString(pid)));
        Files.writeString(
                folder.resolve("stat"),
                pid + " (" + command + ") S 1 1 1 0 -1 4194560 5 0 0 0 " + userTicks + " " + systemTicks
                        + " 0 0 20 0 1 0 " + startTicks + " 1000 10" + " 0".repeat(14) + " " + processor + " 0\n");
    }

    @Test
    void namesWhoTakesTheProcessors() throws IOException {
        process(OWN, "java", 100, 0, 1);
        process(8, "stress (1) \u001b[31m", 10, 10, 1);
        process(9, "cron", 10, 0, 1);
        MachineLoad.Look before = look(0, 1000, 0);
        process(OWN, "java", 150, 0, 1);
        process(8, "stress (1) \u001b[31m", 100, 20, 1);
        process(9, "cron", 12, 0, 1);
        MachineLoad load =
                MachineLoad.between(before, look(SECOND_NS, 1160, 0), OWN).orElseThrow();

        assertTrue(load.isBusy());
        assertEquals("other programs take 1.10 of 2 processors: stress (1) ?[31m (pid 8) 100 %", load.toString());
    }

    @Test
    void countsNeitherThisProcessNorWhoHasThePidOfAnother() throws IOException {
        process(OWN, "java", 100, 0, 1);
        process(8, "sleep", 500, 0, 1);
        MachineLoad.Look before = look(0, 1000, 0);
        process(OWN, "java", 190, 0, 1);
        process(8, "make", 900, 0, 2);
        MachineLoad load =
                MachineLoad.between(before, look(SECOND_NS, 1095, 0), OWN).orElseThrow();

        assertFalse(load.isBusy());
        assertEquals("other programs take 0.05 of 2 processors", load.toString());
    }

    @Test
    void saysThatOtherMachinesHadTheProcessors() throws IOException {
        MachineLoad.Look before = look(0, 1000, 100);
        MachineLoad load =
                MachineLoad.between(before, look(SECOND_NS, 1000, 130), OWN).orElseThrow();

        assertTrue(load.isBusy());
        assertEquals(
                "other programs take 0.00 of 2 processors; other machines on the same host take 0.30", load.toString());
    }

    @Test
    void saysNothingWhereTheKernelDoesNot() {
        MachineLoad.Look nothing = MachineLoad.Look.take(root + "/", 0, List.of(0, 1));
        assertEquals(
                Optional.empty(),
                MachineLoad.between(nothing, MachineLoad.Look.take(root + "/", SECOND_NS, List.of(0, 1)), OWN));
    }

    /** As in a container with processors of its own, on a host that works. */
    @Test
    void countsAndNamesNobodyOnOtherProcessors() throws IOException {
        process(OWN, "java", 100, 0, 1);
        MachineLoad.Look before = lookOfTwoOfThree(0, 0, 0, 0);
        MachineLoad load = MachineLoad.between(before, lookOfTwoOfThree(SECOND_NS, 100, 3, 100), OWN)
                .orElseThrow();
        assertFalse(load.isBusy());
        assertEquals("other programs take 0.03 of 2 processors", load.toString());

        load = MachineLoad.between(before, lookOfTwoOfThree(SECOND_NS, 100, 60, 100), OWN)
                .orElseThrow();
        assertEquals("other programs take 0.60 of 2 processors: near (pid 9) 60 %", load.toString());
    }

    /** Looks at the processors 17 and 18 of those, and at a process on each of 0 and 17. */
    private MachineLoad.Look lookOfTwoOfThree(long atNs, int ticksOf0, int ticksOf17, int farTicks) throws IOException {
        Files.writeString(
                root.resolve("stat"),
                "cpu  999 0 0 0 0 0 0 0 0 0\ncpu0 " + ticksOf0 + " 0 0 0 0 0 0 0 0 0\ncpu17 " + ticksOf17
                        + " 0 0 0 0 0 0 0 0 0\ncpu18 0 0 0 0 0 0 0 0 0 0\nintr 5\n");
        process(8, "far", farTicks, 0, 1, 0);
        process(9, "near", ticksOf17, 0, 1, 17);
        return MachineLoad.Look.take(root + "/", atNs, List.of(17, 18));
    }
}
