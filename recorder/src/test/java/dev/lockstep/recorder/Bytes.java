package dev.lockstep.recorder;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.ConnectionStart;
import dev.lockstep.capture.RecordType;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Bytes as the tests send, expect and find them. */
final class Bytes {
    private Bytes() {}

    static byte[] of(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Returns a POST whose body follows from the seed. */
    static byte[] post(String path, int bodyBytes, long seed) {
        byte[] head = of("POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + bodyBytes + "\r\n\r\n");
        byte[] body = new byte[bodyBytes];
        new Random(seed).nextBytes(body);
        byte[] all = new byte[head.length + bodyBytes];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(body, 0, all, head.length, bodyBytes);
        return all;
    }

    /** Reads exactly so many bytes. */
    static byte[] read(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("the stream ends after " + bytes.length + " of " + length + " bytes: " + text(bytes));
        }
        return bytes;
    }

    /** Returns a recorded request. */
    static byte[] request(Capture capture, long request) {
        ByteBuffer all = ByteBuffer.allocate((int) capture.requestLength(request));
        for (int fragment = 0; fragment < capture.fragments(request); fragment++) {
            ByteBuffer mapping = capture.mapping(capture.mapping(request, fragment));
            int offset = capture.offset(request, fragment);
            mapping.limit(offset + capture.fragmentLength(request, fragment)).position(offset);
            all.put(mapping);
        }
        return all.array();
    }

    /** Returns a client's address such as {@code 127.0.0.1:40312} or {@code [0:0:0:0:0:0:0:1]:40312}, or "unknown". */
    static String clientAddress(Capture capture, int connection) {
        return address(start(capture, connection).client());
    }

    /** Returns the address that a client connected to, or "unknown". */
    static String serverAddress(Capture capture, int connection) {
        return address(start(capture, connection).server());
    }

    private static ConnectionStart start(Capture capture, int connection) {
        try (CaptureReader reader = CaptureReader.open(capture.path())) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                if (record.type() == RecordType.CONN_OPEN && record.connection() == connection) {
                    return record.connectionStart();
                }
            }
        }
        throw new AssertionError("connection " + connection + " does not begin");
    }

    private static String address(InetSocketAddress socket) {
        if (socket == null) {
            return "unknown";
        }
        String host = socket.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + socket.getPort();
    }

    /** Returns everything that was recorded of a connection's client, in requests or not. */
    static byte[] clientStream(Capture capture, int connection, int length) {
        ByteBuffer all = ByteBuffer.allocate(length);
        try (CaptureReader reader = CaptureReader.open(capture.path())) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                if (record.type() == RecordType.DATA_C2S && record.connection() == connection) {
                    all.put(record.payload());
                }
            }
        }
        return all.array();
    }
}
