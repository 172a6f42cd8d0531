package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class ConnectionLimitsTest {
    @Test
    void saysBeforeTheRunHowManyDescriptorsAreMissingAndWhatToDo() {
        ConnectionLimits limits = new ConnectionLimits(20_000, 36, 28_232);
        limits.check(2, 1, 9_950);

        String refusal = assertThrows(ReplayException.class, () -> limits.check(2, 1, 16_384))
                .getMessage();

        assertEquals(
                "16384 connections to each of 2 target(s) need 32868 open files; this process may have 20000, 36 of them in"
                        + " use; raise the limit in the shell that starts Lockstep (ulimit -n 32868; root raises the hard"
                        + " limit: ulimit -Hn, or LimitNOFILE= of a service), or use at most -c 9950",
                refusal);
    }

    @Test
    void countsLocalPortsByAddress() {
        ConnectionLimits limits = new ConnectionLimits(Long.MAX_VALUE, 36, 28_232);
        limits.check(2, 1, 28_232);

        String refusal = assertThrows(ReplayException.class, () -> limits.check(2, 2, 16_384))
                .getMessage();

        assertTrue(refusal.startsWith(
                "32768 connections to one address need as many local ports; this machine has 28232"));
        assertTrue(refusal.endsWith("or use at most -c 14116"), refusal);
    }

    @Test
    void readsTheLimitsOfThisProcess() {
        ConnectionLimits.ofThisProcess().check(1, 1, 10);
    }
}
