package dev.lockstep.replayer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.net.Transport;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.TestingCapture;
import dev.lockstep.replayer.TestingReplay;
import dev.lockstep.replayer.TestingServer;
import dev.lockstep.replayer.requests.Endpoints;
import dev.lockstep.replayer.rewriting.Rewrites;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections of a pool that a target closes after each answer, while nothing is in flight on them. */
@Timeout(60)
final class ConnectionPoolTest {
    private static final long MS = 1_000_000;
    private static final TestingServer.Handler CLOSING = (connection, head, socket, out) -> {
        out.write(TestingServer.ok("ok"));
        return false;
    };

    @TempDir
    Path directory;

    @Test
    void connectionsThatAreLostWhileTheyAreFreeServeAgain() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer(CLOSING)) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture)
                                    .pace(Pace.rate(500))
                                    .connections(50)
                                    .requestLimit(300),
                            server)
                    .counts();

            assertEquals(300, counts.sent);
            assertEquals(300, counts.completed + counts.errors(), counts.errorsByKind()::toString);
            // Where this machine stands still, a request may go out before the end of its connection is read.
            assertTrue(counts.completed > 100, counts.errorsByKind()::toString);
            assertTrue(counts.connections >= counts.completed, "connections " + counts.connections);
            for (int i = 0; i < server.connections(); i++) {
                String received = server.received(i);
                assertTrue(received.indexOf("GET ") == received.lastIndexOf("GET "), received);
            }
        }
    }

    @Test
    void aPauseOutlivesItsConnection() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer(CLOSING)) {
            LoadResult result = replay(
                    ReplayConfig.builder(capture)
                            .pace(Pace.closed(Duration.ofMillis(10)))
                            .connections(1)
                            .requestLimit(20),
                    server);

            assertEquals(20, result.counts().sent);
            long pauses = result.counts().completed - 1;
            assertTrue(pauses > 0, result.counts().errorsByKind()::toString);
            assertTrue(result.measuredNs() >= pauses * 10 * MS, "took " + result.measuredNs() + " ns");
        }
    }

    @Test
    void aPauseFollowsAnAnswerWithWhichTheTargetEndsTheConnection() throws Exception {
        byte[] last =
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer((number, head, socket, out) -> {
                    out.write(last);
                    return false;
                })) {
            LoadResult result = replay(
                    ReplayConfig.builder(capture)
                            .pace(Pace.closed(Duration.ofMillis(10)))
                            .connections(1)
                            .requestLimit(10),
                    server);

            assertEquals(10, result.counts().completed);
            assertTrue(result.measuredNs() >= 9 * 10 * MS, "took " + result.measuredNs() + " ns");
        }
    }

    @Test
    void aPauseFollowsARequestThatFailedWithItsConnection() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer((number, head, socket, out) -> {
                    // Every other request ends its connection unanswered.
                    if (requests.incrementAndGet() % 2 == 0) {
                        return false;
                    }
                    out.write(TestingServer.ok("ok"));
                    return true;
                })) {
            LoadResult result = replay(
                    ReplayConfig.builder(capture)
                            .pace(Pace.closed(Duration.ofMillis(50)))
                            .connections(1)
                            .requestLimit(10),
                    server);

            assertEquals(5, result.counts().completed);
            assertEquals(5, result.counts().errors(), result.counts().errorsByKind()::toString);
            assertTrue(result.measuredNs() >= 9 * 50 * MS, "took " + result.measuredNs() + " ns");
        }
    }

    /** As of an upload that the target took so late that its time was not over when the turn ended. */
    @Test
    void nothingFollowsAnAnswerThatComesBeforeTheNextTurnStarts() throws Exception {
        CountDownLatch turns = new CountDownLatch(1);
        EventLoopGroup loops = Transport.best().eventLoops(1, "test");
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer((number, head, socket, out) -> {
                    turns.await(30, TimeUnit.SECONDS);
                    out.write(TestingServer.ok("ok"));
                    return true;
                })) {
            ReplayConfig config =
                    ReplayConfig.builder(capture).pace(Pace.MAX).connections(1).build();
            EventLoop loop = loops.next();
            Target target = new Target(config, Endpoints.of(capture), server.address(), null, loop);
            ConnectionPool pool = new ConnectionPool(target, Protocol.HTTP1, 1, 0, null);
            LoadCounts counts = target.meter().counts();
            loop.submit(() -> {
                        target.phase().begin(null, Long.MAX_VALUE, Long.MAX_VALUE, false, MS);
                        pool.startPhase();
                    })
                    .sync();
            while (!loop.submit(() -> pool.isReady()).get()) {
                Thread.onSpinWait();
            }
            loop.submit(() -> {
                        long nowNs = System.nanoTime();
                        target.phase().startRound(0, 2, nowNs);
                        target.meter().startRound(nowNs);
                        pool.poll(nowNs);
                        target.phase().endRound(nowNs);
                        target.phase().startRound(1, 2, nowNs + 3_600_000 * MS);
                    })
                    .sync();
            turns.countDown();
            while (loop.submit(() -> counts.completed).get() == 0) {
                Thread.onSpinWait();
            }

            assertEquals(1, loop.submit(() -> counts.sent).get());
            loop.submit(() -> {
                        pool.shutDown();
                        target.connector().release();
                    })
                    .sync();
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    /** The server does not say in its answers that it closes, and would take another request. */
    @Test
    void nothingFollowsARequestThatEndedItsConnection() throws Exception {
        try (Capture capture = closing();
                TestingServer server = new TestingServer(TestingServer.OK)) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture)
                                    .pace(Pace.MAX)
                                    .connections(2)
                                    .requestLimit(30),
                            server)
                    .counts();

            assertEquals(30, counts.completed, counts.errorsByKind()::toString);
            for (int i = 0; i < server.connections(); i++) {
                String received = server.received(i);
                assertTrue(received.indexOf("GET ") == received.lastIndexOf("GET "), received);
            }
        }
    }

    @Test
    void connectionsStayWhereWhatTheySayOfItIsReplaced() throws Exception {
        try (Capture capture = closing();
                TestingServer server = new TestingServer(TestingServer.OK)) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture)
                                    .pace(Pace.MAX)
                                    .connections(1)
                                    .rewrites(Rewrites.builder()
                                            .header("connection: keep-alive")
                                            .build())
                                    .requestLimit(30),
                            server)
                    .counts();

            assertEquals(30, counts.completed, counts.errorsByKind()::toString);
            assertEquals(1, counts.connections);
        }
    }

    /** As recorded, only some requests said so. */
    @Test
    void nothingFollowsARequestThatIsMadeToEndItsConnection() throws Exception {
        for (String received : receivedWith("Connection: x , Close")) {
            assertTrue(received.indexOf("GET ") == received.lastIndexOf("GET "), received);
        }
    }

    /** One of HTTP/1.0 ends its connection, one of HTTP/1.1 no longer. */
    @Test
    void connectionsEndByTheirVersionWhereWhatRequestsSayOfThemIsRemoved() throws Exception {
        List<String> all = receivedWith("Connection:");

        for (String received : all) {
            int http10 = received.indexOf("GET /0 ");
            assertTrue(http10 < 0 || http10 == received.lastIndexOf("GET "), received);
        }
        assertTrue(all.stream().anyMatch(received -> received.lastIndexOf("GET ") > 0), all::toString);
    }

    /** Returns what a server that never ends a connection got on each of them. */
    private List<String> receivedWith(String header) throws Exception {
        try (Capture capture = closing();
                TestingServer server = new TestingServer(TestingServer.OK)) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture)
                                    .pace(Pace.MAX)
                                    .connections(1)
                                    .rewrites(Rewrites.builder().header(header).build())
                                    .requestLimit(30),
                            server)
                    .counts();

            assertEquals(30, counts.completed, counts.errorsByKind()::toString);
            List<String> received = new ArrayList<>();
            for (int i = 0; i < server.connections(); i++) {
                received.add(server.received(i));
            }
            return received;
        }
    }

    private Capture closing() {
        TestingCapture recording = new TestingCapture(directory);
        for (int i = 0; i < 3; i++) {
            int connection = recording.open(i * MS);
            recording.request(
                    connection,
                    i * MS,
                    i == 0
                            ? "GET /0 HTTP/1.0\r\n\r\n"
                            : "GET /" + i + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
            recording.close(connection, i * MS + 1);
        }
        return recording.finish();
    }

    /** Whether it comes with the body or behind it. */
    @Test
    void aLineEndBehindABodyIsNoAnswer() throws Exception {
        byte[] body = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\r\n".getBytes(StandardCharsets.US_ASCII);
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                TestingServer server = new TestingServer((number, head, socket, out) -> {
                    out.write(body, 0, body.length - 2);
                    if (number % 2 == 0) {
                        out.flush();
                        Thread.sleep(2);
                    }
                    out.write(body, body.length - 2, 2);
                    return true;
                })) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture)
                                    .pace(Pace.MAX)
                                    .connections(4)
                                    .requestLimit(40),
                            server)
                    .counts();

            assertEquals(40, counts.completed, counts.errorsByKind()::toString);
        }
    }

    private static LoadResult replay(ReplayConfig.Builder config, TestingServer server) {
        return TestingReplay.to(server.address(), config).result();
    }
}
