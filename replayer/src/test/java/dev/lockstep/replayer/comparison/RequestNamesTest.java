package dev.lockstep.replayer.comparison;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.replayer.TestingCapture;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RequestNamesTest {
    @TempDir
    Path directory;

    @Test
    void foldsNumbersIntoKindsAndWhatMayBeASecretAlways() {
        String[][] paths = {
            {"/", "/", "/"},
            {"/users/17", "/users/N", "/users/17"},
            {"/users/17/", "/users/N/", "/users/17/"},
            {"/v2/users/u17-a", "/v2/users/uN-a", "/v2/users/u17-a"},
            {"/o/0b2f6a1e-7d52-4a3c-9a51-000000000001", "/o/ID", "/o/ID"},
            {"/reset/9f86d081884c7d65", "/reset/ID", "/reset/ID"},
            {"/reset/tGzv3JOkF0XG5Qx2TlKWIA", "/reset/ID", "/reset/ID"},
            {"/cart;jsessionid=1A530637289A03B07199A44E8D531427", "/cart", "/cart"},
            {"/a-very-long-word-without-digits", "/a-very-long-word-without-digits", "/a-very-long-word-without-digits"
            },
            {"*", "*", "*"}
        };
        for (String[] path : paths) {
            assertEquals(path[1], RequestNames.path(path[0], true));
            assertEquals(path[2], RequestNames.path(path[0], false));
        }
    }

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
}
