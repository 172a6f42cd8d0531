package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Outage;
import dev.lockstep.measurement.Pace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that end and come back while a run goes on. */
@Tag("full")
class OutageTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    private static ServerSocket listen(int port) throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReuseAddress(true);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 128);
        return server;
    }

    /**
     * Has a server go away after some requests, come back a while after so many were seen to fail, and returns what the
     * replay saw, which goes on until the new server has answered some requests too.
     */
    private LoadResult withRestart(ReplayConfig.Builder config, long failures, long awayMs) throws Exception {
        ServerSocket first = listen(0);
        int port = first.getLocalPort();
        List<Interval> rows = new ArrayList<>();
        CountDownLatch seenToFail = new CountDownLatch(1);
        AtomicLong failed = new AtomicLong();
        LoadResult result;
        TestingServer before = new TestingServer(TestingServer.OK, first);
        AtomicReference<TestingServer> second = new AtomicReference<>();
        Thread restart = new Thread(() -> {
            try {
                while (before.requests().size() < 100) {
                    Thread.sleep(1);
                }
                before.close();
                seenToFail.await();
                Thread.sleep(awayMs);
                second.set(new TestingServer(TestingServer.OK, listen(port)));
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        restart.start();
        try (Replayer replayer = Replayer.launchCold(config.durationNs(50_000 * MS)
                .timeoutNs(30_000 * MS)
                .intervals((target, interval) -> {
                    Interval row = new Interval();
                    row.startNs = interval.startNs;
                    row.endNs = interval.endNs;
                    row.counts().add(interval.counts());
                    rows.add(row);
                    if (failed.addAndGet(row.counts().errors()) >= failures) {
                        seenToFail.countDown();
                    }
                })
                .intervalNs(20 * MS)
                .build())) {
            TargetReplay target =
                    replayer.addTarget("a", new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            replayer.measure(List.of(target), 0, 1, () -> {
                TestingServer again = second.get();
                if (again != null && again.requests().size() >= 100) {
                    replayer.stop();
                }
            });
            replayer.finish();
            result = target.result();
        } finally {
            seenToFail.countDown();
            restart.join();
            second.get().close();
        }

        LoadCounts counts = result.counts();
        assertEquals(1, result.outages().size(), () -> result.outages() + " " + counts.errorsByKind());
        Outage outage = result.outages().get(0);
        long fromNs = outage.fromNs();
        long toNs = outage.toNs().orElseThrow();
        assertTrue(toNs - fromNs >= awayMs * MS, outage.toString());
        assertTrue(outage.failedRequests() > 0 && outage.failedRequests() <= counts.errors(), outage.toString());
        // The intervals tell the same story: answers before and after, and none in between.
        assertTrue(completed(rows, 0, fromNs) > 50, "answers before");
        assertTrue(completed(rows, toNs, Long.MAX_VALUE) > 50, "answers after");
        long within = rows.stream()
                .filter(row -> row.startNs > fromNs && row.endNs < toNs)
                .mapToLong(row -> row.counts().completed)
                .sum();
        assertEquals(0, within, "answers within");
        assertEquals(counts.completed, result.responseTime().getTotalCount());
        return result;
    }

    private static long completed(List<Interval> rows, long fromNs, long toNs) {
        return rows.stream()
                .filter(row -> row.endNs > fromNs && row.startNs < toNs)
                .mapToLong(row -> row.counts().completed)
                .sum();
    }

    @Test
    @Timeout(60)
    void aRestartIsSurvivedAndMarkedInAnOpenLoop() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS)) {
            LoadResult result =
                    withRestart(ReplayConfig.builder(capture).connections(5).pace(Pace.rate(500)), 60, 200);
            LoadCounts counts = result.counts();
            // Five at most are lost with their connections.
            assertTrue(counts.errors(ErrorKind.CONNECT_REFUSED) > 50, counts.errorsByKind()::toString);
        }
    }

    @Test
    @Timeout(60)
    void aRestartIsSurvivedAndMarkedInAClosedLoop() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS)) {
            withRestart(ReplayConfig.builder(capture).connections(3).pace(Pace.MAX), 1, 200);
        }
    }

    /** What a client asks on connections of its own, one after the other, goes on after a restart. */
    @Test
    @Timeout(60)
    void aRestartIsSurvivedAndMarkedOverRecordedConnections() throws Exception {
        TestingCapture recorded = new TestingCapture(directory);
        for (int i = 0; i < 150; i++) {
            int connection = recorded.open(i * 10 * MS);
            for (int k = 0; k < 4; k++) {
                recorded.request(connection, (i * 10 + 2 * k) * MS, TestingCapture.get(i));
            }
            recorded.close(connection, (i * 10 + 9) * MS);
        }
        try (Capture capture = recorded.finish()) {
            withRestart(ReplayConfig.builder(capture), 1, 300);
        }
    }
}
