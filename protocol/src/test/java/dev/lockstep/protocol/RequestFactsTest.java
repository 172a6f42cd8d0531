package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RequestFactsTest {
    @Test
    void readsWhatARequestSaysOfItself() {
        RequestFacts facts = http("POST /a/b?c=d HTTP/1.1\r\nHOST: h:80 \r\ncontent-type: text/plain; charset=x\r\n"
                + "X: y\r\nContent-Length:\t3\r\n\r\nabc");

        assertEquals("POST", facts.method());
        assertEquals("/a/b?c=d", facts.target());
        assertEquals("/a/b", facts.path());
        assertEquals("h:80", facts.host());
        assertEquals("HTTP/1.1", facts.version());
        assertEquals(101, facts.headBytes());
        assertNull(facts.thrift());
    }

    @Test
    void readsTheFormsOfTargets() {
        assertTarget("http://u@h:1/a?b", "u@h:1", "/a");
        assertTarget("http://h", "h", "/");
        assertTarget("http://h?q", "h", "/");
        assertTarget("*", null, "*");
        assertTarget("?q", null, "/");
        assertTarget("/redirect?to=http://x/", null, "/redirect");
        assertTarget("/a#b", null, "/a");
        RequestFacts connect = http("CONNECT example.org:443 HTTP/1.1\r\nHost: other\r\n\r\n");
        assertEquals("example.org:443", connect.host());
        assertNull(connect.path());
    }

    @Test
    void readsLinesAsTheFramerTakesThem() {
        RequestFacts facts = http("\r\n\nGET   /a   HTTP/1.0  \nTransfer-Encoding: chunked\nHost:h\n\n0\n\n");

        assertEquals("GET", facts.method());
        assertEquals("/a", facts.target());
        assertEquals("HTTP/1.0", facts.version());
        assertEquals("h", facts.host());
        assertEquals(60, facts.headBytes());
    }

    @Test
    void tellsWhetherTheConnectionEndsWithTheAnswer() {
        assertTrue(http("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").endsConnection());
        assertTrue(http("GET / HTTP/1.1\r\nconnection: keep-alive , Close\r\nX: y\r\n\r\n")
                .endsConnection());
        assertTrue(http("GET / HTTP/1.0\r\nConnection: upgrade\r\n\r\n").endsConnection());
        assertFalse(http("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").endsConnection());
        assertFalse(http("GET / HTTP/1.1\r\nX-Connection: close\r\nConnection: closed, upgrade\r\n\r\n")
                .endsConnection());
        assertFalse(http("GET / HTTP/1.1\r\n\r\nConnection: close\r\n").endsConnection());
    }

    @Test
    void readsAnHttp09Request() {
        RequestFacts facts = http("GET /a?b\r\n");

        assertEquals("GET", facts.method());
        assertEquals("/a?b", facts.target());
        assertEquals("/a", facts.path());
        assertNull(facts.version());
        assertEquals(-1, facts.headBytes());
    }

    @Test
    void keepsTextAsItWas() {
        assertEquals("/\u00e4\u00ff", http("GET /\u00e4\u00ff HTTP/1.1\r\n\r\n").path());
    }

    @Test
    void knowsNothingOfNothing() {
        for (String bytes : new String[] {"", "\r\n", " ", "\n\n"}) {
            RequestFacts facts = http(bytes);
            assertNull(facts.method());
            assertNull(facts.target());
            assertNull(facts.host());
        }
        assertEquals("GET", http("GET").method());
        assertNull(http("GET ").target());
    }

    @Test
    void hasNoFactsOfOpaqueBytes() {
        ByteBuf bytes = Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII);
        for (Protocol protocol :
                new Protocol[] {Protocol.UNKNOWN, Protocol.HTTP2, Protocol.TLS, Protocol.THRIFT_ZLIB}) {
            assertNull(RequestFacts.of(protocol, bytes, 0, bytes.writerIndex()).method());
        }
    }

    @Test
    void readsTheHandshakeOfAWebSocket() {
        ByteBuf bytes =
                Unpooled.copiedBuffer("GET /chat HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", StandardCharsets.US_ASCII);
        RequestFacts facts = RequestFacts.of(Protocol.WEBSOCKET, bytes, 0, bytes.writerIndex());

        assertEquals("GET", facts.method());
        assertEquals("/chat", facts.path());
    }

    @Test
    void namesThriftOverHttp() {
        String call = "\u0080\u0001\u0000\u0001\u0000\u0000\u0000\u0004ping\u0000\u0000\u0000\u0007\u0000";
        RequestFacts facts = http("POST / HTTP/1.1\r\nContent-Type: application/x-thrift\r\nContent-Length: "
                + call.length() + "\r\n\r\n" + call);

        assertEquals("POST", facts.method());
        assertEquals("ping", facts.thrift().name());
        assertEquals(7, facts.thrift().sequenceId());
        assertEquals(ThriftFacts.Type.CALL, facts.thrift().type());
    }

    @Test
    void namesThriftInTheFirstChunkOfABody() {
        String call = "\u0080\u0001\u0000\u0001\u0000\u0000\u0000\u0004ping\u0000\u0000\u0000\u0007\u0000";
        String head = "POST / HTTP/1.1\r\nContent-Type: application/x-thrift\r\nTransfer-Encoding: chunked\r\n\r\n";

        assertEquals(
                "ping",
                http(head + "11;a=b\r\n" + call + "\r\n0\r\n\r\n").thrift().name());
        assertNull(http(head + "8\r\n" + call.substring(0, 8) + "\r\n9\r\n" + call.substring(8) + "\r\n0\r\n\r\n")
                .thrift());
        assertNull(http(head).thrift());
    }

    /** Whatever the bytes are, nothing is thrown. */
    @Test
    void survivesAnyBytes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String special = "GET /: HTTP/1.1\r\n\r\nhost:content-length:transfer-encoding:\r\n\u0000\u0080\u0082\u0001";
        for (int round = 0; round < 50_000; round++) {
            StringBuilder bytes = new StringBuilder();
            for (int i = random.nextInt(60); i > 0; i--) {
                bytes.append(special.charAt(random.nextInt(special.length())));
            }
            ByteBuf buffer = Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1);
            for (Protocol protocol : Protocol.values()) {
                assertNotNull(RequestFacts.of(protocol, buffer, 0, buffer.writerIndex()), () -> "seed " + seed);
            }
        }
    }

    private static void assertTarget(String target, String host, String path) {
        RequestFacts facts = http("GET " + target + " HTTP/1.1\r\n\r\n");
        assertEquals(target, facts.target());
        assertEquals(host, facts.host());
        assertEquals(path, facts.path());
    }

    private static RequestFacts http(String bytes) {
        ByteBuf buffer = Unpooled.copiedBuffer("xx" + bytes + "yy", StandardCharsets.ISO_8859_1);
        return RequestFacts.of(Protocol.HTTP1, buffer, 2, 2 + bytes.length());
    }
}
