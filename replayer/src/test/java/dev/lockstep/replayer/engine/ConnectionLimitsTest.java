package dev.lockstep.replayer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.ReplayException;
import dev.lockstep.replayer.TestingCapture;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConnectionLimitsTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    @Test
    void saysBeforeTheRunHowManyDescriptorsAreMissingAndWhatToDo() {
        ConnectionLimits limits = new ConnectionLimits(20_000, 36, 28_232);
        limits.check(2, 1, 9_950, false);

        String refusal = assertThrows(ReplayException.class, () -> limits.check(2, 1, 16_384, false))
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
        limits.check(2, 1, 28_232, false);

        String refusal = assertThrows(ReplayException.class, () -> limits.check(2, 2, 16_384, false))
                .getMessage();

        assertTrue(refusal.startsWith(
                "32768 connections to one address need as many local ports; this machine has 28232"));
        assertTrue(refusal.endsWith("or use at most -c 14116"), refusal);
    }

    @Test
    void knowsTheLocalPortsOfThisMachine() {
        assumeTrue(Files.isReadable(Path.of("/proc/sys/net/ipv4/ip_local_port_range")));

        long ports = ConnectionLimits.localPorts();

        assertTrue(ports > 0 && ports <= 65_536, "ports: " + ports);
    }

    @Test
    void saysHowManyItCanHoldToEach() {
        ConnectionLimits limits = new ConnectionLimits(20_000, 36, 28_232);

        assertEquals(4_872, limits.mostToEach(4));
        limits.check(4, 1, 4_872, false);
        assertEquals(28_232, new ConnectionLimits(Long.MAX_VALUE, 36, 28_232).mostToEach(4));
        assertEquals(1, new ConnectionLimits(50, 36, 28_232).mostToEach(4));
    }

    @Test
    void namesRecordedConnectionsAsSuch() {
        ConnectionLimits limits = new ConnectionLimits(1_000, 36, 28_232);
        String refusal = assertThrows(ReplayException.class, () -> limits.check(2, 1, 451, true))
                .getMessage();
        assertTrue(
                refusal.startsWith(
                        "451 recorded connections that are open at the same time to each of 2 target(s) need 1002"
                                + " open files; this process may have 1000,"),
                refusal);
        assertTrue(refusal.endsWith(", or send the requests over fewer, with -c 450"), refusal);
    }

    @Test
    void countsRecordedConnectionsThatAreOpenAtTheSameTime() {
        TestingCapture recording = new TestingCapture(directory);
        // Three beside each other and one that carries nothing, then two of which one outlives the pass.
        int a = recording.open(0);
        recording.request(a, MS, TestingCapture.get(0));
        int b = recording.open(5 * MS);
        int c = recording.open(6 * MS);
        recording.request(b, 6 * MS, TestingCapture.get(1)).request(c, 7 * MS, TestingCapture.get(2));
        int empty = recording.open(7 * MS);
        recording.close(empty, 9 * MS);
        recording.close(c, 9 * MS);
        recording.close(a, 10 * MS);
        recording.close(b, 20 * MS);
        int d = recording.open(60 * MS);
        int e = recording.open(61 * MS);
        recording.request(d, 61 * MS, TestingCapture.get(3));
        recording.request(e, 62 * MS, TestingCapture.get(4)).request(e, 63 * MS, TestingCapture.get(5));
        recording.close(d, 70 * MS);
        recording.close(e, 100 * MS);
        try (Capture capture = recording.finish()) {
            assertEquals(3, mostOpen(ReplayConfig.builder(capture)));
            assertEquals(2, mostOpen(ReplayConfig.builder(capture).durationNs(4_500_000)));
            assertEquals(1, mostOpen(ReplayConfig.builder(capture).requestLimit(1)));
            // The second pass begins 74 ms after the first.
            assertEquals(4, mostOpen(ReplayConfig.builder(capture).requestLimit(9)));
            assertEquals(4, mostOpen(ReplayConfig.builder(capture).speed(100).durationNs(MS)));
        }
    }

    @Test
    void countsConnectionsThatCarryNothingButBytesAfterTheLastRequest() {
        TestingCapture recording = new TestingCapture(directory);
        int http = recording.open(0);
        recording.request(http, MS, TestingCapture.get(0)).request(http, 2 * MS, TestingCapture.get(1));
        for (int i = 0; i < 3; i++) {
            int opaque = recording.open((10 + i) * MS, Protocol.UNKNOWN);
            recording.opaque(opaque, (20 + i) * MS, "abc");
        }
        try (Capture capture = recording.finish()) {
            assertEquals(4, mostOpen(ReplayConfig.builder(capture)));
            assertEquals(1, mostOpen(ReplayConfig.builder(capture).requestLimit(1)));
        }
    }

    @Test
    void countsConnectionsOfACaptureWithoutRequests() {
        TestingCapture recording = new TestingCapture(directory);
        for (int i = 0; i < 3; i++) {
            recording.opaque(recording.open(i * MS, Protocol.UNKNOWN), (10 + i) * MS, "abc");
        }
        try (Capture capture = recording.finish()) {
            assertEquals(3, mostOpen(ReplayConfig.builder(capture)));
            assertEquals(3, mostOpen(ReplayConfig.builder(capture).durationNs(60_000 * MS)));
        }
    }

    private static int mostOpen(ReplayConfig.Builder config) {
        return ConnectionDemand.mostOpen(config.build());
    }

    @Test
    void readsTheLimitsOfThisProcess() {
        ConnectionLimits.ofThisProcess().check(1, 1, 10, false);
    }
}
