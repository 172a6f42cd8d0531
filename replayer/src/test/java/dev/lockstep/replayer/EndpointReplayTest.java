package dev.lockstep.replayer;

import static dev.lockstep.replayer.TestingHttp2.END_HEADERS;
import static dev.lockstep.replayer.TestingHttp2.END_STREAM;
import static dev.lockstep.replayer.TestingHttp2.GET;
import static dev.lockstep.replayer.TestingHttp2.HEADERS;
import static dev.lockstep.replayer.TestingHttp2.POST;
import static dev.lockstep.replayer.TestingHttp2.PREFACE;
import static dev.lockstep.replayer.TestingHttp2.SETTINGS;
import static dev.lockstep.replayer.TestingHttp2.frame;
import static dev.lockstep.replayer.TestingReplay.endpoint;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Figures per endpoint, from the sockets of a target to its result. */
@Timeout(60)
final class EndpointReplayTest {
    private static final long MS = 1_000_000;
    private static final int SLOW_MS = 100;

    @TempDir
    Path directory;

    /** Answers late on one path, with 500 on another, and closes the connection on a third. */
    private static final TestingServer.Handler UNEVEN = (connection, head, socket, out) -> {
        if (head.startsWith("GET /slow/")) {
            TestingServer.stall(SLOW_MS);
        } else if (head.startsWith("POST /fails")) {
            out.write("HTTP/1.1 500 Oh no\r\nContent-Length: 0\r\n\r\n".getBytes());
            return true;
        } else if (head.startsWith("GET /closes")) {
            return false;
        }
        out.write(TestingServer.ok("ok"));
        return true;
    };

    /** Rounds of four requests, a connection for each path. */
    private Capture fourPaths(int rounds, long gapNs) throws IOException {
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "c"));
        int[] connections = {recording.open(0), recording.open(0), recording.open(0), recording.open(0)};
        for (int i = 0; i < rounds; i++) {
            recording.request(
                    connections[0], i * gapNs, "GET /fast/" + i + "?token=s3cret HTTP/1.1\r\nHost: a\r\n\r\n");
            recording.request(connections[1], i * gapNs, "GET /slow/" + i + " HTTP/1.1\r\nHost: a\r\n\r\n");
            recording.request(connections[2], i * gapNs, "POST /fails HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
            recording.request(connections[3], i * gapNs, "GET /closes HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        for (int connection : connections) {
            recording.close(connection, rounds * gapNs);
        }
        return recording.finish();
    }

    @Test
    void tellsTheSlowPathAndTheFailingOnesFromTheOthersAtEveryPace() throws Exception {
        for (Pace pace : List.of(Pace.RECORDED, Pace.MAX, Pace.rate(100), Pace.parse("closed:1ms"))) {
            try (Capture capture = fourPaths(5, 5 * MS);
                    TestingServer server = new TestingServer(UNEVEN)) {
                ReplayConfig.Builder config =
                        ReplayConfig.builder(capture).pace(pace).timeoutNs(0);
                if (!pace.equals(Pace.RECORDED)) {
                    // Two passes: the numbers of requests go on, and their endpoints come again.
                    config.connections(4).requestLimit(40);
                }
                LoadResult result = TestingReplay.to(server.address(), config).result();
                int each = pace.equals(Pace.RECORDED) ? 5 : 10;

                assertEquals(
                        List.of("GET /fast/N", "GET /slow/N", "POST /fails", "GET /closes", EndpointLoad.OTHER),
                        result.endpoints().stream().map(EndpointLoad::name).collect(Collectors.toList()));
                for (EndpointLoad endpoint : result.endpoints().subList(0, 4)) {
                    assertEquals(each, endpoint.count(), pace + " " + endpoint.name());
                }
                assertEquals(0, endpoint(result, "GET /fast/N").errors(), pace.toString());
                assertEquals(0, endpoint(result, "GET /slow/N").errors(), pace.toString());
                assertEquals(each, endpoint(result, "POST /fails").errors(), pace.toString());
                assertEquals(each, endpoint(result, "GET /closes").errors(), pace.toString());
                assertEquals(0, endpoint(result, EndpointLoad.OTHER).count());
                Percentiles slow = result.responseTimes(endpoint(result, "GET /slow/N"));
                assertTrue(slow.min() >= 0.99 * SLOW_MS * MS, pace + " " + slow);
                assertTrue(slow.stands(Level.P99));
                assertEquals(
                        each,
                        result.responseTimes(endpoint(result, "POST /fails")).count());
                assertEquals(Percentiles.NONE, result.responseTimes(endpoint(result, "GET /closes")));
            }
        }
    }

    @Test
    void countsPipelinedRequestsEachForItsOwn() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, MS, "GET /fast/1 HTTP/1.1\r\nHost: a\r\n\r\n");
        recording.pipelined(connection, MS, "GET /slow/1 HTTP/1.1\r\nHost: a\r\n\r\n");
        recording.pipelined(connection, MS, "GET /fast/2 HTTP/1.1\r\nHost: a\r\n\r\n");
        recording.pipelined(connection, MS, "POST /fails HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
        recording.close(connection, 2 * MS);
        try (Capture capture = recording.finish();
                TestingServer server = new TestingServer(UNEVEN)) {
            LoadResult result = TestingReplay.to(server.address(), ReplayConfig.builder(capture))
                    .result();

            assertEquals(2, endpoint(result, "GET /fast/N").count());
            assertEquals(0, endpoint(result, "GET /fast/N").errors());
            assertEquals(1, endpoint(result, "GET /slow/N").count());
            assertEquals(1, endpoint(result, "POST /fails").errors());
        }
    }

    @Test
    void aPercentileThatTimedOutRequestsReachIsAtLeastTheTimeAllowed() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (Capture capture = fourPaths(4, 5 * MS);
                TestingServer server = new TestingServer((connection, head, socket, out) -> {
                    if (head.startsWith("GET /slow/3")) {
                        end.await(60, TimeUnit.SECONDS);
                        return false;
                    }
                    out.write(TestingServer.ok("ok"));
                    return true;
                })) {
            LoadResult result = TestingReplay.to(
                            server.address(), ReplayConfig.builder(capture).timeoutNs(1500 * MS))
                    .result();
            end.countDown();

            EndpointLoad slow = endpoint(result, "GET /slow/N");
            assertEquals(4, slow.count());
            assertEquals(1, slow.errors());
            Percentiles times = result.responseTimes(slow);
            assertFalse(times.stands(Level.P99));
            assertTrue(times.at(Level.P99) >= 1500 * MS, times.toString());
            assertTrue(times.stands(Level.P50));
            assertTrue(result.responseTimes(endpoint(result, "GET /fast/N")).stands(Level.P99));
        }
    }

    @Test
    void whatCouldNotBeSentIsMissingOfItsOwnEndpoints() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (Capture capture = fourPaths(5, MS);
                TestingServer server = new TestingServer((connection, head, socket, out) -> {
                    end.await(60, TimeUnit.SECONDS);
                    return false;
                })) {
            // A connection for 50 requests in 50 ms: the first one awaits its answer until the round is over.
            LoadResult result = TestingReplay.to(
                            server.address(),
                            ReplayConfig.builder(capture)
                                    .pace(Pace.rate(1000))
                                    .connections(1)
                                    .requestLimit(50)
                                    .durationNs(60 * MS)
                                    .timeoutNs(300 * MS))
                    .result();
            end.countDown();

            assertTrue(result.counts().unsent > 0, result.counts().toString());
            assertEquals(13, endpoint(result, "GET /fast/N").count());
            assertEquals(13, endpoint(result, "GET /slow/N").count());
            assertEquals(12, endpoint(result, "POST /fails").count());
            assertEquals(12, endpoint(result, "GET /closes").errors());
        }
    }

    @Test
    void namesThriftCallsByTheirFunctions() throws Exception {
        for (Protocol protocol : List.of(Protocol.THRIFT_FRAMED_BINARY, Protocol.THRIFT_HEADER)) {
            TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "t"));
            int connection = recording.open(0, protocol);
            String[] calls = {"ping", "Users:get", "log", "fail", "Users:get"};
            for (int i = 0; i < calls.length; i++) {
                int type = calls[i].equals("log") ? TestingThrift.ONEWAY : TestingThrift.CALL;
                recording.request(connection, i * MS, TestingThrift.message(protocol, calls[i], type, i));
            }
            recording.close(connection, 10 * MS);
            try (Capture capture = recording.finish();
                    TestingThriftServer server =
                            new TestingThriftServer((number, with, name, oneway, call) -> "fail".equals(name)
                                    ? TestingThrift.answer(with, call, 6)
                                    : TestingThriftServer.PLAIN.answer(number, with, name, oneway, call))) {
                LoadResult result = TestingReplay.to(server.address(), ReplayConfig.builder(capture))
                        .result();

                assertEquals(2, endpoint(result, "Users.get").count());
                assertEquals(
                        2, result.responseTimes(endpoint(result, "Users.get")).count());
                assertEquals(1, endpoint(result, "ping").count());
                assertEquals(1, endpoint(result, "log").count());
                assertEquals(0, endpoint(result, "log").errors());
                assertEquals(Percentiles.NONE, result.responseTimes(endpoint(result, "log")));
                assertEquals(1, endpoint(result, "fail").errors());
            }
        }
    }

    @Test
    void namesTheCallsInDispatchesOfMux() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.THRIFT_MUX);
        for (int i = 0; i < 3; i++) {
            ByteArrayOutputStream dispatch = new ByteArrayOutputStream();
            // No contexts, destination or delegations.
            dispatch.writeBytes(new byte[6]);
            dispatch.writeBytes(TestingThrift.message(
                    Protocol.THRIFT_UNFRAMED_BINARY, i == 1 ? "add" : "ping", TestingThrift.CALL, i));
            recording.request(
                    connection,
                    i * MS,
                    TestingMuxServer.frame(TestingMuxServer.T_DISPATCH, 2 + i, dispatch.toByteArray()));
        }
        recording.close(connection, 5 * MS);
        try (Capture capture = recording.finish();
                TestingMuxServer server = new TestingMuxServer(TestingMuxServer.ECHO)) {
            LoadResult result = TestingReplay.to(server.address(), ReplayConfig.builder(capture))
                    .result();

            assertEquals(2, endpoint(result, "ping").count());
            assertEquals(1, endpoint(result, "add").count());
        }
    }

    @Test
    void namesTheStreamsOfHttp2ByTheirHeaders() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int first = recording.open(0, Protocol.HTTP2);
        int second = recording.open(0, Protocol.HTTP2);
        String beginning = PREFACE + frame(SETTINGS, 0, 0, "");
        int ends = END_HEADERS | END_STREAM;
        recording.opaque(first, 0, beginning + frame(HEADERS, ends, 1, GET) + frame(HEADERS, ends, 3, POST));
        recording.opaque(second, MS, beginning + frame(HEADERS, ends, 1, GET));
        // A literal path that enters no table.
        recording.opaque(first, 2 * MS, frame(HEADERS, ends, 5, "\u0082\u0086\u0004\u0008/users/7\u00be"));
        recording.close(first, 10 * MS);
        recording.close(second, 10 * MS);
        try (Capture capture = recording.finish();
                TestingHttp2 server = new TestingHttp2()) {
            LoadResult result = TestingReplay.to(server.address(), ReplayConfig.builder(capture))
                    .result();

            assertEquals(2, endpoint(result, "GET /").count());
            assertEquals(1, endpoint(result, "POST /").count());
            assertEquals(1, endpoint(result, "GET /users/N").count());
            assertEquals(0, endpoint(result, EndpointLoad.OTHER).count());
        }
    }
}
