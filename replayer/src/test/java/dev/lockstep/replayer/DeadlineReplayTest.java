package dev.lockstep.replayer;

import static dev.lockstep.replayer.TestingMuxServer.FRAGMENT;
import static dev.lockstep.replayer.TestingMuxServer.OK;
import static dev.lockstep.replayer.TestingMuxServer.T_DISPATCH;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Pace;
import dev.lockstep.replayer.rewriting.Rewrites;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that look at the deadlines of what they are sent, as Finagle's do. */
@Timeout(60)
final class DeadlineReplayTest {
    private static final long MS = 1_000_000;
    private static final String KEY = "com.twitter.finagle.Deadline";
    /** The 1st of January 2020. */
    private static final long RECORDED_NS = TimeUnit.SECONDS.toNanos(1_577_836_800);

    private static final long BUDGET_NS = TimeUnit.HOURS.toNanos(1);
    private static final int MORE_THAN_IS_COPIED = 40_000;

    @TempDir
    Path directory;

    private final long startedNs = nowNs();
    private final List<Long> timestamps = new CopyOnWriteArrayList<>();

    @Test
    void movesTheDeadlinesOfMuxInEachPass() throws Exception {
        try (Capture capture = mux();
                TestingMuxServer server = new TestingMuxServer(this::checkDispatch)) {
            LoadCounts counts = replay(ReplayConfig.builder(capture).requestLimit(8), server.address())
                    .counts();

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(8, counts.completed);
            assertEquals(6, counts.deadlinesMoved);
            checkTimestamps(6);
        }
    }

    @Test
    void movesTheDeadlinesOfMuxInAClosedLoop() throws Exception {
        try (Capture capture = mux();
                TestingMuxServer server = new TestingMuxServer(this::checkDispatch)) {
            LoadCounts counts = replayClosedLoop(capture, server.address());

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(9, counts.deadlinesMoved);
            checkTimestamps(9);
        }
    }

    @Test
    void movesTheDeadlinesOfTwitterInEachPass() throws Exception {
        try (Capture capture = twitter();
                TestingThriftServer server = new TestingThriftServer(this::checkCall)) {
            movesTheDeadlinesOfTwoPasses(capture, server.address());
        }
    }

    private void movesTheDeadlinesOfTwoPasses(Capture capture, InetSocketAddress server) {
        LoadResult result = replay(ReplayConfig.builder(capture).requestLimit(12), server);
        LoadCounts counts = result.counts();

        assertEquals(Map.of(), counts.errorsByKind());
        assertEquals(12, counts.completed);
        assertEquals(8, counts.deadlinesMoved);
        assertEquals(2 * capture.requestBytes(), counts.bytesSent);
        checkTimestamps(8);
        assertEquals(
                "their deadlines were moved to the replay's clock; --deadlines keep sends them as recorded",
                result.streamDigest().absentReason());
    }

    @Test
    void movesTheDeadlinesOfTwitterInAClosedLoop() throws Exception {
        try (Capture capture = twitter();
                TestingThriftServer server = new TestingThriftServer(this::checkCall)) {
            LoadCounts counts = replayClosedLoop(capture, server.address());

            assertEquals(Map.of(), counts.errorsByKind());
            assertTrue(counts.deadlinesMoved >= 6, "moved " + counts.deadlinesMoved);
            checkTimestamps((int) counts.deadlinesMoved);
        }
    }

    @Test
    void sendsDeadlinesAsRecordedWhereAskedTo() throws Exception {
        List<byte[]> calls = new CopyOnWriteArrayList<>();
        try (Capture capture = twitter();
                TestingThriftServer server = new TestingThriftServer((connection, protocol, name, oneway, call) -> {
                    calls.add(call);
                    return TestingThrift.answer(protocol, call, -1);
                })) {
            LoadResult result = replay(ReplayConfig.builder(capture).movesDeadlines(false), server.address());

            assertEquals(0, result.counts().deadlinesMoved);
            assertEquals(capture.streamSha256(), result.streamDigest().sha256());
            assertArrayEquals(call("plain", 0, 0), calls.get(1));
        }
    }

    @Test
    void movesTheDeadlinesOfHttpInEachPass() throws Exception {
        try (Capture capture = http();
                TestingServer server = new TestingServer(this::checkHead)) {
            movesTheDeadlinesOfTwoPasses(capture, server.address());
            // Every other byte stays.
            assertEquals(
                    (httpStream() + httpStream()).replaceAll("[0-9]{19}", "#"),
                    (server.received(0) + server.received(1)).replaceAll("[0-9]{19}", "#"));
        }
    }

    @Test
    void movesTheDeadlinesOfHttpInAClosedLoop() throws Exception {
        try (Capture capture = http();
                TestingServer server = new TestingServer(this::checkHead)) {
            LoadCounts counts = replayClosedLoop(capture, server.address());

            assertEquals(Map.of(), counts.errorsByKind());
            assertEquals(8, counts.deadlinesMoved);
            checkTimestamps(8);
        }
    }

    @Test
    void sendsDeadlinesOfHttpAsRecordedWhereAskedTo() throws Exception {
        try (Capture capture = http();
                TestingServer server = new TestingServer(TestingServer.OK)) {
            LoadResult result = replay(ReplayConfig.builder(capture).movesDeadlines(false), server.address());

            assertEquals(0, result.counts().deadlinesMoved);
            assertEquals(capture.streamSha256(), result.streamDigest().sha256());
            assertEquals(httpStream(), server.received(0));
        }
    }

    @Test
    void movesTheDeadlinesOfRequestsThatAreRewritten() throws Exception {
        try (Capture capture = http();
                TestingServer server = new TestingServer(this::checkHead)) {
            // The first and the long one; the others go out as they are.
            LoadCounts counts = replay(rewriting(Rewrites.builder().path("^/0?$=>/changed"), capture), server.address())
                    .counts();

            assertEquals(4, counts.deadlinesMoved);
            checkTimestamps(4);
            assertEquals(
                    httpStream()
                            .replace("GET /0 ", "GET /changed ")
                            .replace("POST / ", "POST /changed ")
                            .replaceAll("[0-9]{19}", "#"),
                    server.received(0).replaceAll("[0-9]{19}", "#"));
        }
    }

    @Test
    void leavesADeadlineAloneThatIsSetOrRemoved() throws Exception {
        try (Capture capture = http();
                TestingServer server = new TestingServer(this::checkHead)) {
            LoadCounts counts = replay(
                            rewriting(Rewrites.builder().header("finagle-ctx-" + KEY + ":"), capture), server.address())
                    .counts();

            assertEquals(0, counts.deadlinesMoved);
            assertEquals(List.of(), timestamps);
        }
    }

    @Test
    void saysThatDeadlinesOfHttp2AreSentAsRecorded() throws Exception {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.HTTP2);
        String name = "finagle-ctx-com.twitter.finagle.deadline";
        String field = (char) 0 + "" + (char) name.length() + name + (char) 1 + "1";
        recording.opaque(
                connection,
                0,
                TestingHttp2.PREFACE
                        + TestingHttp2.frame(TestingHttp2.SETTINGS, 0, 0, "")
                        + TestingHttp2.frame(
                                TestingHttp2.HEADERS,
                                TestingHttp2.END_HEADERS | TestingHttp2.END_STREAM,
                                1,
                                TestingHttp2.GET + field));
        recording.close(connection, MS);
        String note = "1 HTTP/2 request carried a deadline of Finagle's: sent as recorded, expired; the target may"
                + " refuse them";
        try (Capture capture = recording.finish();
                TestingHttp2 server = new TestingHttp2()) {
            ReplayConfig.Builder moving = ReplayConfig.builder(capture);
            assertEquals(
                    List.of(note), TestingReplay.to(server.address(), moving).notes());
            ReplayConfig.Builder keeping = ReplayConfig.builder(capture).movesDeadlines(false);
            assertEquals(List.of(), TestingReplay.to(server.address(), keeping).notes());
        }
    }

    // ---- what is recorded -------------------------------------------------------------------------------------------

    /** A dispatch in one piece, one without a deadline, one recorded in two pieces, and one in fragments. */
    private Capture mux() throws IOException {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.THRIFT_MUX);
        recording.request(connection, 0, TestingMuxServer.frame(T_DISPATCH, 2, dispatch(0)));
        recording.request(connection, MS, TestingMuxServer.frame(T_DISPATCH, 3, new byte[] {0, 0, 0, 0, 0, 0}));
        String cut = text(TestingMuxServer.frame(T_DISPATCH, 4, dispatch(1)));
        int middle = cut.indexOf(KEY) + KEY.length() + 7;
        recording.pieces(connection, 2 * MS, cut.substring(0, middle), cut.substring(middle));
        byte[] body = dispatch(2);
        middle = text(body).indexOf(KEY) + KEY.length() + 9;
        ByteArrayOutputStream fragments = new ByteArrayOutputStream();
        fragments.write(TestingMuxServer.frame(T_DISPATCH, 5 | FRAGMENT, Arrays.copyOf(body, middle)));
        fragments.write(TestingMuxServer.frame(TestingMuxServer.T_PING, 1, new byte[0]));
        fragments.write(TestingMuxServer.frame(T_DISPATCH, 5, Arrays.copyOfRange(body, middle, body.length)));
        recording.request(connection, 3 * MS, fragments.toByteArray());
        recording.close(connection, 4 * MS);
        return recording.finish();
    }

    private static byte[] dispatch(int i) {
        ByteBuf out = Unpooled.buffer();
        out.writeShort(3);
        muxContext(out, "com.twitter.finagle.tracing.TraceContext", new byte[32]);
        muxContext(out, KEY, deadline(i));
        muxContext(out, "com.twitter.finagle.Deadline2", new byte[16]);
        out.writeShort(0).writeShort(0);
        return bytes(out);
    }

    private static void muxContext(ByteBuf out, String key, byte[] value) {
        out.writeShort(key.length()).writeCharSequence(key, StandardCharsets.US_ASCII);
        out.writeShort(value.length).writeBytes(value);
    }

    private static byte[] deadline(int i) {
        ByteBuffer value = ByteBuffer.allocate(16);
        return value.putLong(RECORDED_NS + i)
                .putLong(RECORDED_NS + i + BUDGET_NS)
                .array();
    }

    /** The probe, then calls: in one piece, in two, pipelined and long, and without a deadline. */
    private Capture twitter() {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.THRIFT_TTWITTER);
        recording.request(
                connection,
                0,
                TestingThrift.message(
                        Protocol.THRIFT_FRAMED_BINARY, TestingThrift.UPGRADE_PROBE, TestingThrift.CALL, 0));
        recording.request(connection, MS, call("plain", 0, 0));
        String cut = text(call("cut", 1, 0));
        int middle = cut.indexOf(KEY) + KEY.length() + 7 + 5;
        recording.pieces(connection, 2 * MS, cut.substring(0, 2), cut.substring(2, middle), cut.substring(middle));
        recording.request(connection, 3 * MS, call("long", 2, MORE_THAN_IS_COPIED));
        recording.pipelined(connection, 3 * MS, text(call("pipelined", 3, 0)));
        recording.request(
                connection, 5 * MS, TestingThrift.message(Protocol.THRIFT_TTWITTER, "without", TestingThrift.CALL, 0));
        recording.close(connection, 6 * MS);
        return recording.finish();
    }

    /** A call behind a header with trace id, contexts and flags. */
    private static byte[] call(String name, int i, int padding) {
        byte[] message = TestingThrift.message(Protocol.THRIFT_UNFRAMED_BINARY, name, TestingThrift.CALL, 0);
        ByteBuf out = Unpooled.buffer();
        out.writeInt(0);
        out.writeByte(10).writeShort(1).writeLong(77);
        out.writeByte(10).writeShort(7).writeLong(0);
        out.writeByte(15).writeShort(8).writeByte(12).writeInt(3);
        thriftContext(out, "com.twitter.finagle.Retries", new byte[4]);
        thriftContext(out, KEY, deadline(i));
        thriftContext(out, "padding", new byte[padding]);
        out.writeByte(11).writeShort(9).writeInt(0);
        out.writeByte(0).writeBytes(message);
        out.setInt(0, out.writerIndex() - 4);
        return bytes(out);
    }

    /** In one piece, cut in its deadline, with a long body, pipelined, with a long head, and without a deadline. */
    private Capture http() {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, 0, get(0));
        String cut = get(1);
        int middle = cut.indexOf(KEY) + KEY.length() + 7;
        recording.pieces(connection, MS, cut.substring(0, 2), cut.substring(2, middle), cut.substring(middle));
        recording.request(connection, 2 * MS, post());
        recording.pipelined(connection, 2 * MS, get(3));
        recording.request(connection, 4 * MS, "GET /without HTTP/1.1\r\nHost: a\r\n\r\n");
        recording.request(
                connection,
                5 * MS,
                "GET /never HTTP/1.1\r\nFinagle-Ctx-" + KEY + ": " + RECORDED_NS + " " + Long.MAX_VALUE + "\r\n\r\n");
        recording.close(connection, 6 * MS);
        return recording.finish();
    }

    private static String httpStream() {
        return get(0) + get(1) + post() + get(3) + "GET /without HTTP/1.1\r\nHost: a\r\n\r\n"
                + "GET /never HTTP/1.1\r\nFinagle-Ctx-" + KEY + ": " + RECORDED_NS + " " + Long.MAX_VALUE
                + "\r\n\r\n";
    }

    private static String get(int i) {
        return "GET /" + i + " HTTP/1.1\r\nHost: a\r\n" + deadlineField(i) + "\r\n";
    }

    private static String post() {
        return "POST / HTTP/1.1\r\nX-Long: " + "a".repeat(MORE_THAN_IS_COPIED / 2) + "\r\n" + deadlineField(2)
                + "Content-Length: " + 2 * MORE_THAN_IS_COPIED + "\r\n\r\n" + "b".repeat(2 * MORE_THAN_IS_COPIED);
    }

    private static String deadlineField(int i) {
        return "Finagle-Ctx-" + KEY + ": " + (RECORDED_NS + i) + " " + (RECORDED_NS + i + BUDGET_NS) + "\r\n";
    }

    private static ReplayConfig.Builder rewriting(Rewrites.Builder rules, Capture capture) {
        return ReplayConfig.builder(capture).rewrites(rules.build());
    }

    private static void thriftContext(ByteBuf out, String key, byte[] value) {
        out.writeByte(11).writeShort(1).writeInt(key.length()).writeCharSequence(key, StandardCharsets.US_ASCII);
        out.writeByte(11).writeShort(2).writeInt(value.length).writeBytes(value);
        out.writeByte(0);
    }

    private static byte[] bytes(ByteBuf out) {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    // ---- what the servers see ---------------------------------------------------------------------------------------

    /** Of a dispatch in fragments, by its connection, the part before that was cut. */
    private final Map<Integer, String> begun = new ConcurrentHashMap<>();

    private void checkDispatch(TestingMuxServer.Session session, int type, int tag, byte[] body) throws IOException {
        if (session.handshake(type, tag, body)) {
            return;
        }
        begun.merge(session.number, text(body), String::concat);
        if ((tag & FRAGMENT) == 0) {
            check(begun.remove(session.number), 2);
            session.answer(tag, OK, new byte[0]);
        }
    }

    private byte[] checkCall(int connection, Protocol protocol, String name, boolean oneway, byte[] call) {
        check(text(call), 7);
        return TestingThrift.answer(protocol, call, -1);
    }

    private boolean checkHead(int connection, String head, Socket socket, OutputStream out) throws IOException {
        int key = head.indexOf(KEY + ": ");
        if (key >= 0 && !head.startsWith("GET /never")) {
            String[] value = head.substring(key + KEY.length() + 2, head.indexOf('\r', key))
                    .split(" ");
            long timestamp = Long.parseLong(value[0]);
            if (Long.parseLong(value[1]) - timestamp != BUDGET_NS) {
                return false;
            }
            timestamps.add(timestamp);
        }
        out.write(TestingServer.ok("ok"));
        return true;
    }

    /** @param between how many bytes stand between the context's key and its value */
    private void check(String request, int between) {
        int key = request.indexOf(KEY);
        if (key >= 0) {
            byte[] value = request.substring(key + KEY.length() + between).getBytes(StandardCharsets.ISO_8859_1);
            long timestamp = ByteBuffer.wrap(value).getLong();
            assertEquals(BUDGET_NS, ByteBuffer.wrap(value).getLong(8) - timestamp, "the budget stays");
            timestamps.add(timestamp);
        }
    }

    private void checkTimestamps(int expected) {
        assertEquals(expected, timestamps.size(), timestamps::toString);
        for (long timestamp : timestamps) {
            assertTrue(timestamp > startedNs - 1000 * MS && timestamp < nowNs(), () -> "is now: " + timestamps);
        }
        assertTrue(Collections.max(timestamps) > Collections.min(timestamps), () -> "later ones later: " + timestamps);
    }

    private static long nowNs() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() + 1);
    }

    private static LoadCounts replayClosedLoop(Capture capture, InetSocketAddress address) {
        return replay(
                        ReplayConfig.builder(capture)
                                .connections(1)
                                .pace(Pace.MAX)
                                .requestLimit(12),
                        address)
                .counts();
    }

    private static LoadResult replay(ReplayConfig.Builder config, InetSocketAddress address) {
        return TestingReplay.to(address, config).result();
    }
}
