package dev.lockstep.replayer;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Writes a capture with requests at chosen times, for tests. */
public final class TestingCapture {
    private static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 40000);
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 8080);

    private final Path path;
    private final CaptureWriter writer;
    private final long startNs;

    public TestingCapture(Path directory) {
        path = directory.resolve("capture.bin");
        writer = CaptureWriter.create(path, CaptureOptions.defaults());
        startNs = System.nanoTime();
    }

    public int open(long atNs) {
        return open(atNs, Protocol.HTTP1);
    }

    public int open(long atNs, Protocol protocol) {
        int connection = writer.openConnection(startNs + atNs, CLIENT, SERVER);
        writer.protocol(connection, startNs + atNs, protocol);
        return connection;
    }

    public TestingCapture request(int connection, long atNs, String request) {
        return request(connection, atNs, request.getBytes(StandardCharsets.ISO_8859_1));
    }

    public TestingCapture request(int connection, long atNs, byte[] request) {
        writer.data(
                connection,
                startNs + atNs,
                RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END,
                ByteBuffer.wrap(request));
        return this;
    }

    public TestingCapture protocol(int connection, long atNs, Protocol protocol) {
        writer.protocol(connection, startNs + atNs, protocol);
        return this;
    }

    /** Bytes that belong to no request. */
    public TestingCapture opaque(int connection, long atNs, String text) {
        return data(connection, atNs, 0, text);
    }

    /** A request that was sent before the one before it was answered. */
    public TestingCapture pipelined(int connection, long atNs, String request) {
        return data(
                connection, atNs, RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END | RecordFlags.PIPELINED, request);
    }

    /** The beginning of a request that has no end. */
    public TestingCapture torn(int connection, long atNs, String bytes) {
        return data(connection, atNs, RecordFlags.MESSAGE_START, bytes);
    }

    private TestingCapture data(int connection, long atNs, int flags, String text) {
        writer.data(connection, startNs + atNs, flags, ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
        return this;
    }

    public TestingCapture gap(int connection, long atNs) {
        writer.gap(connection, startNs + atNs, 100);
        return this;
    }

    public TestingCapture halfClose(int connection, long atNs) {
        writer.halfClose(connection, startNs + atNs);
        return this;
    }

    /** A request that was recorded in pieces. */
    public TestingCapture pieces(int connection, long atNs, String... pieces) {
        for (int i = 0; i < pieces.length; i++) {
            int flags =
                    (i == 0 ? RecordFlags.MESSAGE_START : 0) | (i == pieces.length - 1 ? RecordFlags.MESSAGE_END : 0);
            byte[] bytes = pieces[i].getBytes(StandardCharsets.ISO_8859_1);
            writer.data(connection, startNs + atNs, flags, ByteBuffer.wrap(bytes));
        }
        return this;
    }

    /** Notes that a connection's request gets no answer. */
    public TestingCapture unanswered(int connection, long atNs, long request) {
        writer.noAnswer(connection, startNs + atNs, request);
        return this;
    }

    /** Notes how a connection's request was answered. */
    public TestingCapture answered(int connection, long atNs, long request, int status) {
        writer.answer(connection, startNs + atNs, request, status);
        return this;
    }

    public void close(int connection, long atNs) {
        writer.closeConnection(connection, startNs + atNs, CloseReason.CLIENT_FIN);
    }

    public Capture finish() {
        writer.close();
        return Capture.open(path);
    }

    /** A capture of GET requests on one connection, one every {@code gapNs}. */
    public static Capture gets(Path directory, int requests, long gapNs) {
        TestingCapture capture = new TestingCapture(directory);
        int connection = capture.open(0);
        for (int i = 0; i < requests; i++) {
            capture.request(connection, i * gapNs, get(i));
        }
        capture.close(connection, requests * gapNs);
        return capture.finish();
    }

    public static String get(int i) {
        return "GET /" + i + " HTTP/1.1\r\nHost: test\r\n\r\n";
    }
}
