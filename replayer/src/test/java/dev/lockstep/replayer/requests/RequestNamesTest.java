package dev.lockstep.replayer.requests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.replayer.TestingCapture;
import dev.lockstep.replayer.TestingThrift;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RequestNamesTest {
    @TempDir
    Path directory;

    @Test
    void masksTheValuesOfAQuery() {
        assertEquals("q=***&token=***&***", RequestNames.query("q=ada&token=s3cret&bare#part"));
    }

    @Test
    void namesARequestByMethodAndPathAlsoWhenItWasRecordedInPieces() {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, 1, "GET http://u:pw@host/users/7?sort=x HTTP/1.1\r\nHost: a\r\n\r\n");
        recording.pieces(connection, 2, "PO", "ST /users?key=", "abc HTTP/1.1\r\nContent-Length: 1\r\n\r\n", "x");
        int chat = recording.open(2);
        recording.request(chat, 3, "GET /chat/7 HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
        recording.protocol(chat, 4, Protocol.WEBSOCKET).opaque(chat, 4, "frame");
        recording.request(connection, 5, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n");
        try (Capture capture = recording.finish()) {
            RequestNames names = new RequestNames(capture);

            assertEquals("GET /users/N", names.kind(0));
            assertEquals("GET /users/7?sort=***", names.name(0));
            assertEquals("POST /users", names.kind(1));
            assertEquals("POST /users?key=***", names.name(1));
            assertEquals("GET /chat/N", names.kind(2));
            assertEquals("CONNECT", names.kind(3));
        }
    }

    @Test
    void namesARequestAlsoWhereItsConnectionBecameAnotherOne() {
        TestingCapture recording = new TestingCapture(directory);
        int upgraded = recording.open(0);
        recording
                .request(upgraded, 1, "GET /users/7 HTTP/1.1\r\nUpgrade: h2c\r\n\r\n")
                .protocol(upgraded, 2, Protocol.HTTP2);
        int tunnel = recording.open(3);
        recording
                .request(tunnel, 4, "GET /users/8 HTTP/1.1\r\n\r\n")
                .request(tunnel, 5, "CONNECT a:443 HTTP/1.1\r\n\r\n")
                .protocol(tunnel, 6, Protocol.UNKNOWN);
        try (Capture capture = recording.finish()) {
            RequestNames names = new RequestNames(capture);

            assertEquals("GET /users/N", names.kind(0));
            assertEquals("GET /users/N", names.kind(1));
            assertEquals("CONNECT", names.kind(2));
        }
    }

    @Test
    void namesAThriftCallByItsServiceAndFunction() {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0, Protocol.THRIFT_FRAMED_BINARY);
        recording.request(connection, 1, TestingThrift.message(Protocol.THRIFT_FRAMED_BINARY, "Users:get2", 1, 0));
        byte[] call = TestingThrift.message(Protocol.THRIFT_UNFRAMED_BINARY, "ping", 1, 0);
        recording.request(
                recording.open(2),
                2,
                "POST /thrift/7 HTTP/1.1\r\nContent-Type: application/x-thrift\r\nContent-Length: " + call.length
                        + "\r\n\r\n" + new String(call, StandardCharsets.ISO_8859_1));
        int compressed = recording.open(3, Protocol.THRIFT_ZLIB);
        recording.request(compressed, 3, "x");
        try (Capture capture = recording.finish()) {
            RequestNames names = new RequestNames(capture);

            assertEquals("Users.get2", names.kind(0));
            assertEquals("POST /thrift/N ping", names.kind(1));
            assertEquals("thrift-zlib request", names.kind(2));
        }
    }

    @Test
    void hasNeitherQueriesNorControlCharactersInAKind() {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, 1, "GET /a\u001b[31m/\u00e4?token=s3cret HTTP/1.1\r\nHost: a\r\n\r\n");
        recording.request(connection, 2, "GET /" + "a".repeat(500) + " HTTP/1.1\r\nHost: a\r\n\r\n");
        try (Capture capture = recording.finish()) {
            RequestNames names = new RequestNames(capture);

            assertEquals("GET /a?[Nm/?", names.kind(0));
            assertEquals("GET /" + "a".repeat(112) + "...", names.kind(1));
        }
    }
}
