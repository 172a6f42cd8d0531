package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TargetExitTest {
    @Test
    void readsTheSignalFromTheExitCode() {
        TargetExit killed = TargetExit.builder().exitCode(137).build();
        assertEquals(9, killed.signal().getAsInt());
        assertEquals("SIGKILL", killed.signalName().orElseThrow());
        assertEquals(
                "signal 40",
                TargetExit.builder().exitCode(168).build().signalName().orElseThrow());
    }

    @Test
    void hasNoSignalForAnOrdinaryExitCode() {
        for (int code : new int[] {0, 1, 128, 193, 255}) {
            assertTrue(TargetExit.builder().exitCode(code).build().signal().isEmpty(), "exit code " + code);
        }
        assertTrue(TargetExit.builder().build().signalName().isEmpty());
    }
}
