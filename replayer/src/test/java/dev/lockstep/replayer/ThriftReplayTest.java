package dev.lockstep.replayer;

import static dev.lockstep.replayer.TestingThrift.CALL;
import static dev.lockstep.replayer.TestingThrift.ONEWAY;
import static dev.lockstep.replayer.TestingThrift.REPLY;
import static dev.lockstep.replayer.TestingThrift.UPGRADE_PROBE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordedStatus;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.replayer.requests.Endpoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
final class ThriftReplayTest {
    private static final long MS = 1_000_000;

    /** The forms whose messages are answered in order, TTwitter's apart. */
    private enum Form {
        FRAMED_BINARY,
        FRAMED_COMPACT,
        FRAMED_JSON,
        UNFRAMED_BINARY,
        UNFRAMED_COMPACT,
        UNFRAMED_JSON,
        HEADER;

        Protocol protocol() {
            return Protocol.valueOf("THRIFT_" + name());
        }
    }

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Form.class)
    void matchesAnswersInOrderAndCountsExceptionsByTheirType(Form form) throws Exception {
        Protocol protocol = form.protocol();
        Recording recording = new Recording(protocol)
                .message("ping", CALL, 1)
                .message("Calculator:add", CALL, 2)
                .message("log", ONEWAY, 3)
                .message("fail", CALL, 4)
                .message("ping", CALL, 5);
        try (Capture capture = recording.finish();
                TestingThriftServer server =
                        new TestingThriftServer((connection, with, name, oneway, call) -> "fail".equals(name)
                                ? TestingThrift.answer(with, call, 6)
                                : TestingThriftServer.PLAIN.answer(connection, with, name, oneway, call))) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(List.of("ping", "Calculator:add", "log", "fail", "ping"), server.calls());
            assertArrayEquals(recording.sent(), server.received(0));
            assertEquals(1, server.connections());
            assertEquals(5, counts.sent);
            assertEquals(4, counts.completed);
            assertEquals(1, counts.oneway);
            assertEquals(Map.of(ErrorKind.THRIFT_EXCEPTION, 1L), counts.errorsByKind());
            assertEquals(Map.of(6, 1L), counts.thriftExceptions());
            assertEquals(Map.of(), counts.statusCodes());
        }
    }

    @Test
    void takesAnExceptionForNoFailureWhereTheRecordedServerGaveOneToo() throws Exception {
        Protocol protocol = Protocol.THRIFT_FRAMED_BINARY;
        TestingCapture recording = new TestingCapture(Files.createTempDirectory(directory, "c"));
        int connection = recording.open(0, protocol);
        for (int i = 0; i < 4; i++) {
            recording.request(connection, i * MS, TestingThrift.message(protocol, "call", CALL, i));
        }
        recording
                .answered(connection, 4 * MS, 0, RecordedStatus.THRIFT_EXCEPTION)
                .answered(connection, 4 * MS, 1, RecordedStatus.THRIFT_REPLY)
                .answered(connection, 4 * MS, 3, RecordedStatus.THRIFT_EXCEPTION);
        recording.close(connection, 5 * MS);
        // An exception to all but the last, twice over.
        AtomicInteger calls = new AtomicInteger();
        try (Capture capture = recording.finish();
                TestingThriftServer server = new TestingThriftServer((number, form, name, oneway, call) ->
                        TestingThrift.answer(form, call, calls.getAndIncrement() % 4 == 3 ? -1 : 6))) {
            LoadCounts counts = replay(
                            ReplayConfig.builder(capture)
                                    .connections(1)
                                    .pace(Pace.MAX)
                                    .requestLimit(8),
                            server.address())
                    .counts();

            assertEquals(2, counts.exceptionsAsRecorded);
            assertEquals(4, counts.completed);
            assertEquals(Map.of(ErrorKind.THRIFT_EXCEPTION, 4L), counts.errorsByKind());
            assertEquals(Map.of(6, 4L), counts.thriftExceptions());
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void replaysOverAPool(Form form) throws Exception {
        Recording recording = new Recording(form.protocol())
                .message("ping", CALL, 0)
                .message("log", ONEWAY, 0)
                .message("add", CALL, 0);
        for (Pace pace : List.of(Pace.MAX, Pace.rate(2000))) {
            try (Capture capture = recording.finish();
                    TestingThriftServer server = new TestingThriftServer(TestingThriftServer.PLAIN)) {
                LoadCounts counts = replay(
                                ReplayConfig.builder(capture)
                                        .pace(pace)
                                        .connections(3)
                                        .requestLimit(300),
                                server.address())
                        .counts();

                assertEquals(Map.of(), counts.errorsByKind());
                assertEquals(300, counts.completed);
                assertEquals(100, counts.oneway);
                assertEquals(3, counts.connections);
            }
        }
    }

    @Test
    void takesAnswersInAnotherFormThanTheCalls() throws Exception {
        Recording recording = new Recording(Protocol.THRIFT_UNFRAMED_BINARY)
                .message("ping", CALL, 1)
                .message("add", CALL, 2);
        try (Capture capture = recording.finish();
                TestingThriftServer server = new TestingThriftServer((connection, with, name, oneway, call) ->
                        TestingThrift.message(Protocol.THRIFT_HEADER, name, REPLY, 0))) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(2, counts.completed);
        }
    }

    @Test
    void anAnswerThatDoesNotFitClosesTheConnection() throws Exception {
        // On a machine that is 50 ms late the next call is due before this one is answered.
        Retry.untilUndisturbed(this::replayToAServerWhoseAnswersDoNotFit);
    }

    private void replayToAServerWhoseAnswersDoNotFit() throws Exception {
        Recording recording = new Recording(Protocol.THRIFT_FRAMED_BINARY)
                .every(50 * MS)
                .message("first", CALL, 0)
                .message("second", CALL, 7)
                .message("third", CALL, 0);
        try (Capture capture = recording.finish();
                TestingThriftServer server =
                        new TestingThriftServer((connection, with, name, oneway, call) -> "first".equals(name)
                                ? TestingThrift.message(with, "other", REPLY, 0)
                                : "second".equals(name)
                                        ? TestingThrift.message(with, name, REPLY, 8)
                                        : TestingThrift.answer(with, call, -1))) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(ErrorKind.MISMATCHED_RESPONSE, 2L), counts.errorsByKind());
            assertEquals(1, counts.completed);
            assertEquals(3, counts.connections);
        }
    }

    @Test
    void anAnswerToACallThatGetsNoneIsNotTakenForTheNextOnes() throws Exception {
        Recording recording = new Recording(Protocol.THRIFT_FRAMED_BINARY)
                .message("log", ONEWAY, 0)
                .message("ping", CALL, 0);
        try (Capture capture = recording.finish();
                TestingThriftServer server = new TestingThriftServer(
                        (connection, with, name, oneway, call) -> "log".equals(name) && connection > 0
                                ? TestingThriftServer.NOTHING
                                : TestingThrift.answer(with, call, -1))) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(2, counts.sent);
            assertEquals(1, counts.oneway);
            // Whether it comes before or after the next call is sent is the network's affair.
            assertEquals(
                    1,
                    counts.strayAnswers + counts.errorsByKind().getOrDefault(ErrorKind.MISMATCHED_RESPONSE, 0L),
                    counts.completed + " completed, " + counts.errorsByKind());
        }
    }

    @Test
    void doesNotAwaitCallsThatTheRecordedServerDidNotAnswer() throws Exception {
        Protocol protocol = Protocol.THRIFT_FRAMED_BINARY;
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.THRIFT_FRAMED_BINARY);
        int index = 0;
        for (String name : List.of("log", "ping", "log")) {
            recording.request(connection, index++ * MS, TestingThrift.message(protocol, name, CALL, 0));
        }
        // Of the last call nobody knows, but that other calls of the function are not answered.
        recording.unanswered(connection, 2 * MS, 0);
        recording.close(connection, 3 * MS);
        try (Capture capture = recording.finish();
                TestingThriftServer server = new TestingThriftServer((c, with, name, oneway, call) ->
                        "log".equals(name) ? TestingThriftServer.NOTHING : TestingThrift.answer(with, call, -1))) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(3, counts.completed);
            assertEquals(2, counts.oneway);
        }
    }

    @Test
    void warmsItsOwnCodeUpWithThriftToo() throws Exception {
        Recording recording = new Recording(Protocol.THRIFT_UNFRAMED_COMPACT)
                .message("ping", CALL, 3)
                .message("log", ONEWAY, 4);
        try (Capture capture = recording.finish()) {
            LoadCounts counts = SelfWarmUp.run(
                    ReplayConfig.builder(capture).pace(Pace.MAX).connections(2).build(),
                    Endpoints.of(capture),
                    200 * MS);

            assertTrue(counts.completed > 0);
            assertEquals(Map.of(), counts.errorsByKind());
        }
    }

    @Test
    void whatIsNotThriftIsMalformed() throws Exception {
        Recording recording = new Recording(Protocol.THRIFT_FRAMED_BINARY).message("ping", CALL, 0);
        for (String answer : List.of("HTTP/1.1 400 Bad Request\r\n\r\n", "\u0000\u0000\u0000\u0010\u0015\u0003")) {
            try (Capture capture = recording.finish();
                    TestingThriftServer server = new TestingThriftServer(
                            (connection, with, name, oneway, call) -> answer.getBytes(StandardCharsets.ISO_8859_1))) {
                LoadCounts counts =
                        replay(ReplayConfig.builder(capture), server.address()).counts();

                assertEquals(Map.of(ErrorKind.MALFORMED_RESPONSE, 1L), counts.errorsByKind());
            }
        }
    }

    @Test
    void sendsCallsWithoutAnswersAsFastAsTheSocketTakesThem() throws Exception {
        Recording recording = new Recording(Protocol.THRIFT_FRAMED_BINARY);
        for (int i = 0; i < 100; i++) {
            recording.message("log", ONEWAY, 0);
        }
        int requests = 5_000;
        for (boolean pooled : new boolean[] {true, false}) {
            try (Capture capture = recording.finish();
                    TestingThriftServer server = new TestingThriftServer(TestingThriftServer.PLAIN)) {
                ReplayConfig.Builder config = ReplayConfig.builder(capture).requestLimit(requests);
                LoadCounts counts = replay(
                                pooled ? config.pace(Pace.MAX).connections(2) : config.speed(1e6), server.address())
                        .counts();

                assertEquals(Map.of(), counts.errorsByKind());
                assertEquals(requests, counts.completed);
                assertEquals(requests, counts.oneway);
            }
        }
    }

    @Test
    void replaysAConnectionThatWasUpgradedToTTwitter() throws Exception {
        Recording recording = upgraded(true);
        try (Capture capture = recording.finish();
                TestingThriftServer server = new TestingThriftServer(TestingThriftServer.FINAGLE)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(3, counts.completed);
            assertArrayEquals(recording.sent(), server.received(0));
        }
    }

    @Test
    void upgradesFirstWhereTheRecordingDoesNot() throws Exception {
        try (Capture capture = upgraded(false).finish();
                TestingThriftServer server = new TestingThriftServer(TestingThriftServer.FINAGLE)) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(2, counts.completed);
            assertEquals(List.of(UPGRADE_PROBE, "ping", "add"), server.calls());
        }
    }

    @Test
    void upgradesAgainAfterAReconnect() throws Exception {
        AtomicInteger adds = new AtomicInteger();
        try (Capture capture = upgraded(true).finish();
                TestingThriftServer server = new TestingThriftServer(
                        (connection, with, name, oneway, call) -> "ping".equals(name) && adds.getAndIncrement() == 0
                                ? null
                                : TestingThriftServer.FINAGLE.answer(connection, with, name, oneway, call))) {
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), server.address()).counts();

            assertEquals(Map.of(ErrorKind.PREMATURE_CLOSE, 1L), counts.errorsByKind());
            assertEquals(2, counts.completed);
            assertEquals(List.of(UPGRADE_PROBE, "ping", UPGRADE_PROBE, "add"), server.calls());
        }
    }

    @Test
    void sendsNothingButTheProbeToATargetThatDoesNotUpgrade() throws Exception {
        for (boolean recordedProbe : new boolean[] {true, false}) {
            try (Capture capture = upgraded(recordedProbe).finish();
                    TestingThriftServer server = new TestingThriftServer(TestingThriftServer.PLAIN)) {
                LoadCounts counts =
                        replay(ReplayConfig.builder(capture), server.address()).counts();

                assertEquals(Map.of(ErrorKind.HANDSHAKE_FAILED, capture.requestCount()), counts.errorsByKind());
                assertEquals(0, counts.completed);
                assertEquals(
                        Collections.nCopies(server.calls().size(), UPGRADE_PROBE),
                        server.calls(),
                        "with " + recordedProbe);
            }
        }
    }

    @Test
    void sendsNothingButTheProbeToATargetThatUpgradesUnlikeTheRecordedOne() throws Exception {
        Recording recording = new Recording(Protocol.THRIFT_FRAMED_BINARY)
                .message(UPGRADE_PROBE, CALL, 0)
                .message("ping", CALL, 0)
                .message("add", CALL, 0);
        try (Capture capture = recording.finish();
                TestingThriftServer finagle = new TestingThriftServer(TestingThriftServer.FINAGLE);
                TestingThriftServer plain = new TestingThriftServer(TestingThriftServer.PLAIN)) {
            LoadCounts refused =
                    replay(ReplayConfig.builder(capture), finagle.address()).counts();
            LoadCounts counts =
                    replay(ReplayConfig.builder(capture), plain.address()).counts();

            assertEquals(Map.of(ErrorKind.HANDSHAKE_FAILED, 3L), refused.errorsByKind());
            assertEquals(List.of(UPGRADE_PROBE), finagle.calls());
            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(3, counts.completed);
        }
    }

    @Test
    void upgradesEachConnectionOfAPoolAndLeavesRecordedProbesOut() throws Exception {
        try (Capture capture = upgraded(true).finish();
                TestingThriftServer server = new TestingThriftServer(TestingThriftServer.FINAGLE)) {
            ReplayConfig.Builder config =
                    ReplayConfig.builder(capture).pace(Pace.MAX).connections(2).requestLimit(60);
            TargetReplay target = TestingReplay.to(server.address(), config);

            LoadCounts counts = target.result().counts();
            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(40, counts.completed);
            assertEquals(40, counts.sent);
            assertEquals(0, counts.unsent);
            assertEquals(2, Collections.frequency(server.calls(), UPGRADE_PROBE));
            assertTrue(
                    target.notes().get(0).contains("left out"), target.notes().toString());
        }
    }

    @Test
    void sendsAtTheRateThatWasAskedForThoughRecordedProbesAreLeftOut() throws Exception {
        try (Capture capture = upgraded(true).finish();
                TestingThriftServer server = new TestingThriftServer(TestingThriftServer.FINAGLE)) {
            ReplayConfig.Builder config = ReplayConfig.builder(capture)
                    .pace(Pace.rate(300))
                    .connections(2)
                    .durationNs(200 * MS);
            LoadCounts counts = replay(config, server.address()).counts();

            assertEquals(60, counts.sent);
            assertEquals(0, counts.unsent);
        }
    }

    @Test
    void countsNoRecordedProbesAmongWhatAPoolDidNotSend() throws Exception {
        try (Capture capture = upgraded(true).finish();
                TestingThriftServer server =
                        new TestingThriftServer((connection, with, name, oneway, call) -> UPGRADE_PROBE.equals(name)
                                ? TestingThrift.answer(with, call, -1)
                                : TestingThriftServer.NOTHING)) {
            ReplayConfig.Builder config = ReplayConfig.builder(capture)
                    .pace(Pace.rate(300))
                    .connections(1)
                    .durationNs(200 * MS);
            LoadCounts counts = replay(config, server.address(), 200 * MS).counts();

            assertTrue(counts.unsent > 0);
            assertEquals(60, counts.due());
        }
    }

    @Test
    void refusesAPoolToATargetThatDoesNotUpgrade() throws Exception {
        try (Capture capture = upgraded(true).finish();
                TestingThriftServer server = new TestingThriftServer(TestingThriftServer.PLAIN)) {
            ReplayConfig.Builder config = ReplayConfig.builder(capture)
                    .pace(Pace.rate(100))
                    .connections(2)
                    .requestLimit(9);
            TargetReplay target = TestingReplay.to(server.address(), config);

            assertEquals(
                    Map.of(ErrorKind.HANDSHAKE_FAILED, 6L),
                    target.result().counts().errorsByKind());
            assertEquals(Collections.nCopies(server.calls().size(), UPGRADE_PROBE), server.calls());
            assertTrue(target.notes().toString().contains("refused the upgrade to TTwitter"));
        }
    }

    @Test
    void givesUpATargetThatDoesNotAnswerTheProbe() throws Exception {
        try (Capture capture = upgraded(false).finish();
                TestingThriftServer server = new TestingThriftServer(
                        (connection, with, name, oneway, call) -> TestingThriftServer.NOTHING)) {
            LoadCounts counts = replay(ReplayConfig.builder(capture), server.address(), 200 * MS)
                    .counts();

            assertEquals(Map.of(ErrorKind.READ_TIMEOUT, 2L), counts.errorsByKind());
        }
    }

    /** A connection that was upgraded to TTwitter, recorded from its probe on or later. */
    private Recording upgraded(boolean withProbe) {
        Recording recording = new Recording(Protocol.THRIFT_TTWITTER);
        if (withProbe) {
            recording.request(TestingThrift.message(Protocol.THRIFT_FRAMED_BINARY, UPGRADE_PROBE, CALL, 0));
        }
        return recording.message("ping", CALL, 1).message("add", CALL, 2);
    }

    private static LoadResult replay(ReplayConfig.Builder builder, InetSocketAddress address) {
        return replay(builder, address, 60_000 * MS);
    }

    private static LoadResult replay(ReplayConfig.Builder builder, InetSocketAddress address, long timeoutNs) {
        return TestingReplay.to(address, builder.timeoutNs(timeoutNs)).result();
    }

    /** One connection with requests a millisecond apart. */
    private final class Recording {
        private final Protocol protocol;
        private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        private final List<byte[]> requests = new ArrayList<>();

        private long gapNs = MS;

        Recording(Protocol protocol) {
            this.protocol = protocol;
        }

        Recording every(long gapNs) {
            this.gapNs = gapNs;
            return this;
        }

        Recording message(String name, int type, int sequenceId) {
            return request(TestingThrift.message(protocol, name, type, sequenceId));
        }

        Recording request(byte[] bytes) {
            requests.add(bytes);
            sent.writeBytes(bytes);
            return this;
        }

        byte[] sent() {
            return sent.toByteArray();
        }

        Capture finish() throws IOException {
            TestingCapture capture = new TestingCapture(Files.createTempDirectory(directory, "c"));
            int connection = capture.open(0, protocol);
            for (int i = 0; i < requests.size(); i++) {
                capture.request(connection, i * gapNs, requests.get(i));
            }
            capture.close(connection, requests.size() * gapNs);
            return capture.finish();
        }
    }
}
