package dev.lockstep.redaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UnsearchableTest {
    private static final String SECRET = "s3cr3tV4lue-9f8e7d6c5b4a";
    private static final String PLAIN = "GET /plain HTTP/1.1\r\nHost: shop\r\n\r\n";
    private static final String HEADERS =
            "Host: shop\r\nAuthorization: Bearer " + SECRET + "\r\nCookie: a=" + SECRET + "; b=" + SECRET + "\r\n\r\n";

    private final RedactionPolicy dropping = RedactionPolicy.defaults(TestingStream.KEY);
    private final RedactionPolicy keeping = dropping.unsearchable(Unsearchable.KEEP);

    /** Streams that no framer cuts into requests, with secrets where the rules look for them. */
    private static String[] streams() {
        String target = "?x=1&token=" + SECRET + "&y=2";
        return new String[] {
            "GET /\0 HTTP/1.1\r\n" + HEADERS,
            "GET /a\1b" + target + " HTTP/1.1\r\n" + HEADERS,
            "GET /\7 HTTP/1.1\r\n" + HEADERS,
            "GET /\13 HTTP/1.1\r\n" + HEADERS,
            "GET /\f HTTP/1.1\r\n" + HEADERS,
            "GET /\33" + target + " HTTP/1.1\r\n" + HEADERS,
            "GET /?token=ab\1" + SECRET + " HTTP/1.1\r\n" + HEADERS,
            "\u0080GET /" + target + " HTTP/1.1\r\n" + HEADERS,
            "G\u0080T / HTTP/1.1\r\n" + HEADERS,
            "\26\3\1\0\5hello\24\3\3\0\1\1GET /" + target + " HTTP/1.1\r\n" + HEADERS,
            "\26\3\1\0\5hell\1X-Api-Key: " + SECRET + "\r\n\r\n",
            "\u00ff\u00fe\0garbage:GET /" + target + "\r\n" + HEADERS,
            "\0X-Api-Key : " + SECRET + "\r\n  " + SECRET + "\r\n\r\n",
            "GET /" + target + "\r\n" + HEADERS,
            "GET / HTTP/1.1\r\nA: b\rX-Api-Key: " + SECRET + "\r\n\r\n",
            "POST /\1 HTTP/1.1\r\nContent-Type: application/json; charset=utf-8\r\n\r\n{\"a\":{\"token\":\"" + SECRET
                    + "\"}}",
            "POST /\1 HTTP/1.1\r\nContent-Type: application/x-amz-json-1.1\r\n\r\n{\"Password\":\"" + SECRET + "\"}",
            "POST /\1 HTTP/1.1\r\nContent-Type: x/y\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{\"Password\":\""
                    + SECRET + "\"}",
            "POST /\1 HTTP/1.1\r\n\r\nuser=u&user%5Bpassword%5D=" + SECRET,
            "\170\234X-Api-Key: " + SECRET + "\n", // zlib's first bytes
            PLAIN + "GET /\33 HTTP/1.1\r\n" + HEADERS + PLAIN,
            "GET / HTTP/1.0\r\n\r\nGET /" + target + "\r\n" + HEADERS,
            "GET http://u:" + SECRET + "@shop/\33 HTTP/1.1\r\n" + HEADERS,
            "\26\3\1\0\5hell\1see https://u:" + SECRET + "@shop\r\n\r\n",
        };
    }

    @Test
    void findsHeadersAndParametersInWhatCannotBeFramed() {
        int connections = 0;
        for (String stream : streams()) {
            for (int cut : new int[] {stream.length(), 100, 7, 1}) {
                try (TestingStream connection = new TestingStream(keeping, null, false)) {
                    feed(connection, stream, cut);
                    String out = TestingStream.latin(connection.end());
                    assertEquals(stream.length(), out.length());
                    assertFalse(out.contains(SECRET), cut + ": " + out);
                    assertFalse(out.contains(SECRET.substring(12)), cut + ": " + out);
                    assertEquals(Map.of(), connection.leftOut);
                }
                connections++;
            }
        }
        assertEquals(connections, keeping.counts().unsearchedConnections());
        assertEquals(0, keeping.counts().unsearchedLeftOutBytes());
        assertTrue(keeping.counts().unsearchedKeptBytes() > 0);
    }

    @Test
    void keepsAllElseOfWhatCannotBeFramed() {
        byte[] bytes = new byte[100_000];
        new Random(1).nextBytes(bytes);
        bytes[0] = 1;
        assertEquals(TestingStream.latin(bytes), TestingStream.latin(TestingStream.redact(keeping, null, bytes)));
        String stream = "\1Accept: text\r\nX-Request-Id: 1\r\n?page=2&keyword=x;y\r\nauthority: token\r\n";
        assertEquals(stream, TestingStream.redact(keeping, stream));
        assertEquals(stream.length() + bytes.length, keeping.counts().unsearchedKeptBytes());
    }

    @Test
    void leavesOutWhatCannotBeFramed() {
        for (String stream : streams()) {
            for (int cut : new int[] {stream.length(), 100, 7, 1}) {
                try (TestingStream connection = new TestingStream(dropping, null, false)) {
                    feed(connection, stream, cut);
                    String out = TestingStream.latin(connection.end());
                    assertFalse(out.contains(SECRET), cut + ": " + out);
                    assertFalse(out.contains(SECRET.substring(12)), cut + ": " + out);
                    long leftOut = connection.leftOut.values().stream()
                            .mapToLong(Long::longValue)
                            .sum();
                    assertEquals(stream.length(), out.length() + leftOut);
                    assertTrue(leftOut > 0, stream);
                }
            }
        }
        assertEquals(streams().length * 4, dropping.counts().unsearchedConnections());
        assertEquals(0, dropping.counts().unsearchedKeptBytes());
    }

    @Test
    void saysWhereBytesAreLeftOutAndGoesOnWithTheNextRequest() {
        try (TestingStream stream = new TestingStream(dropping, null, true)) {
            stream.feed("the rest of a body, token=" + SECRET + "\r\n");
            stream.feed("and more of it\r\n");
            stream.feed(PLAIN);
            stream.missing(0);
            stream.feed("X-Api-Key: " + SECRET + "\r\n\r\n");
            stream.feed(PLAIN + PLAIN);
            stream.feed("\0\1\2");
            String out = TestingStream.latin(stream.end());
            assertEquals(PLAIN + PLAIN + PLAIN, out);
            assertEquals(stream.marksOut.size(), 6);
            assertEquals(
                    Map.of(0, 52L + SECRET.length() - 8, PLAIN.length(), 15L + SECRET.length(), 3 * PLAIN.length(), 3L),
                    stream.leftOut);
        }
        assertEquals(1, dropping.counts().unsearchedConnections());
    }

    /** Redis, NATS: a method begins like their words, and only the end of the line tells them from HTTP. */
    @Test
    void leavesOutAFirstLineInPiecesThatIsNoneOfHttp() {
        String[][] connections = {
            {"AUTH ", SECRET, "\r\n"},
            {"AUTH ", SECRET, "\r\n", "PING\r\n"},
            {"AUTH ", SECRET},
            {"CONNECT {\"jwt\":\"" + "x".repeat(40_000), SECRET, "\"}\r\n"},
            {"CONNECT {\"jwt\":\"" + SECRET, "x".repeat(100_000), "\"}\r\n"},
            {"AUTH " + SECRET, "x".repeat(1 << 20), "x"},
        };
        for (String[] pieces : connections) {
            try (TestingStream stream = new TestingStream(dropping, null, false)) {
                for (String piece : pieces) {
                    stream.feed(piece);
                }
                assertEquals("", TestingStream.latin(stream.end()));
                assertEquals(Map.of(0, (long) String.join("", pieces).length()), stream.leftOut);
            }
        }
        assertEquals(connections.length, dropping.counts().unsearchedConnections());
    }

    @Test
    void saysWhenBytesCameThatAreLeftOutAtTheEnd() {
        for (String more : new String[] {"", "\r\n"}) {
            try (TestingStream stream = new TestingStream(dropping, null, false)) {
                stream.feed("AUTH ");
                stream.feed(SECRET + more);
                stream.pass(1000);
                stream.end();
                assertEquals(1, stream.leftOutNs);
            }
        }
    }

    /** As a filter hands it on, which knows no more than what was recorded. */
    @Test
    void leavesOutAFirstLineOfNoKnownProtocolThatDoesNotEnd() {
        String line = "AUTH " + SECRET + "x".repeat(1 << 20);
        ByteBuf bytes = Unpooled.wrappedBuffer(TestingStream.latin(line));
        try (TestingStream stream = new TestingStream(dropping, null, false)) {
            stream.redactor.piece(1, true, false, bytes, 0, 100_000, stream);
            stream.redactor.piece(2, false, false, bytes, 100_000, line.length(), stream);
            assertEquals("", TestingStream.latin(stream.end()));
            assertEquals(Map.of(0, (long) line.length()), stream.leftOut);
        }
    }

    @Test
    void readsALongFirstLineOfHttp() {
        String request = "GET /?token=" + SECRET + "&x=" + "x".repeat(100_000) + " HTTP/1.1\r\nHost: shop\r\n\r\n";
        try (TestingStream stream = new TestingStream(dropping, null, false)) {
            feed(stream, request, 50_000);
            String out = TestingStream.latin(stream.end());
            assertEquals(request.length(), out.length());
            assertFalse(out.contains(SECRET));
            assertTrue(out.endsWith(request.substring(40)));
        }
        assertEquals(0, dropping.counts().unsearchedConnections());
    }

    @Test
    void replacesWhatWasHeldBeforeItLeavesOutTheRest() {
        try (TestingStream stream = new TestingStream(dropping, null, false)) {
            stream.feed("GET / HTTP/1.1\r\nX-Api-Key: s3cr3tV4lue");
            stream.feed("9f8e7d6c\0zzz\r\n\r\n");
            String out = TestingStream.latin(stream.end());
            assertTrue(out.matches("GET / HTTP/1.1\r\nX-Api-Key: \\w{11}"), out);
            assertFalse(out.contains("s3cr3t"));
        }
    }

    @Test
    void replacesWhatMayBeThePasswordOfAnAddressBeforeItLeavesOutTheRest() {
        try (TestingStream stream = new TestingStream(dropping, null, false)) {
            stream.feed(PLAIN + "GET http://user:s3cr3tV4lue");
            stream.feed("9f8e7d6c\0zzz@shop/\r\n\r\n");
            String out = TestingStream.latin(stream.end()).substring(PLAIN.length());
            assertTrue(out.matches("GET http://user:\\w{11,}"), out);
            assertFalse(out.contains("s3cr3t"));
        }
    }

    @Test
    void leavesOutWhatFollowsASwitchOfProtocols() {
        for (RedactionPolicy policy : new RedactionPolicy[] {dropping, keeping}) {
            String upgrade = "GET /chat HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nCookie: a=" + SECRET
                    + "\r\n\r\n";
            try (TestingStream stream = new TestingStream(policy, null, false)) {
                stream.feed(upgrade);
                stream.answer(
                        TestingStream.latin("HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"));
                stream.feed("\u0081\u0085abcdefghi");
                String out = TestingStream.latin(stream.end());
                assertFalse(out.contains(SECRET), out);
                assertEquals(upgrade.length() + (policy == keeping ? 11 : 0), out.length());
            }
            assertEquals(1, policy.counts().unsearchedConnections());
            assertEquals(
                    11,
                    policy.counts().unsearchedLeftOutBytes() + policy.counts().unsearchedKeptBytes());
        }
    }

    @Test
    void leavesOutNothingOfHttp2AndOfThriftWithoutRules() {
        String http2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\3\1\5\0\0\0\1\u0082\u0086\u0084";
        String thrift = "\0\0\0\22\u0080\1\0\1\0\0\0\5login\0\0\0\1\0";
        for (String stream : new String[] {http2, thrift}) {
            try (TestingStream connection = new TestingStream(dropping, null, false)) {
                feed(connection, stream, 3);
                assertEquals(stream, TestingStream.latin(connection.end()));
            }
        }
        assertEquals(0, dropping.counts().unsearchedConnections());
    }

    /** An HTTP/2 connection joined in its middle: names may stand in a table that nobody saw. */
    @Test
    void leavesOutWhatMayBeTheMiddleOfHttp2() {
        String frame = "\0\0\37\1\5\0\0\0\3\u0082\u0086\u0084\122\30" + SECRET + "\1\1";
        for (Protocol forced : new Protocol[] {null, Protocol.HTTP2}) {
            try (TestingStream connection = new TestingStream(dropping, forced, true)) {
                connection.feed(frame);
                assertFalse(TestingStream.latin(connection.end()).contains(SECRET));
            }
        }
    }

    /** A WebSocket as RFC 8441 has it, then one whose CONNECT stands in HPACK's table. */
    @Test
    void overwritesWhatATunnelThroughAStreamOfHttp2Carries() {
        String[] blocks = {"\102\7CONNECT\100\11:protocol\11websocket\u0086\u0084", "\u00bf\u00be\u0086\u0084"};
        String data = "\u0081\u0085{\"token\":\"" + SECRET + "\"}\r\n";
        String header = "X-Api-Key: ";
        StringBuilder stream = new StringBuilder("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        for (int i = 0; i < blocks.length; i++) {
            stream.append(frame(1, 4, 2 * i + 1, blocks[i])).append(frame(0, 0, 2 * i + 1, data + header + SECRET));
        }
        int runs = 0;
        for (int cut : new int[] {stream.length(), 100, 7, 1}) {
            try (TestingStream connection = new TestingStream(dropping, null, false)) {
                feed(connection, stream.toString(), cut);
                String all = data + header + SECRET;
                assertEquals(
                        stream.toString().replace(all, "x".repeat(all.length())),
                        TestingStream.latin(connection.end()));
            }
            try (TestingStream connection = new TestingStream(keeping, null, false)) {
                feed(connection, stream.toString(), cut);
                String out = TestingStream.latin(connection.end());
                assertEquals(stream.length(), out.length());
                assertTrue(out.contains(data), out);
                assertFalse(out.contains(header + SECRET), out);
            }
            runs++;
        }
        long bytes = (long) runs * blocks.length * (data + header + SECRET).length();
        assertEquals(runs, dropping.counts().unsearchedConnections());
        assertEquals(bytes, dropping.counts().unsearchedLeftOutBytes());
        assertEquals(runs, keeping.counts().unsearchedConnections());
        assertEquals(bytes, keeping.counts().unsearchedKeptBytes());
    }

    private static String frame(int type, int flags, int stream, String payload) {
        return "\0\0" + (char) payload.length() + (char) type + (char) flags + "\0\0\0" + (char) stream + payload;
    }

    private static void feed(TestingStream connection, String stream, int cut) {
        byte[] bytes = TestingStream.latin(stream);
        for (int from = 0; from < bytes.length; from += cut) {
            connection.feed(bytes, from, Math.min(bytes.length, from + cut));
        }
    }
}
