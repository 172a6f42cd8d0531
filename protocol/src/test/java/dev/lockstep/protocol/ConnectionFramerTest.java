package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ConnectionFramerTest {
    private static final String GET = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String POST = "POST /b HTTP/1.1\r\nContent-Length: 10\r\n\r\n";
    private static final String CHUNKED = "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String CONNECT = "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n";
    private static final String UPGRADE = "GET /chat HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private ConnectionFramer framer = new ConnectionFramer(null, false);
    private int ended;

    @Test
    void knowsNothingOfAConnectionBeforeItsFirstByte() {
        assertTrue(framer.isBetweenRequests());
        assertFalse(framer.isInRequest());
        assertFalse(framer.isOpaque());
        assertFalse(framer.wantsAnswers());
        assertEquals(Protocol.UNKNOWN, framer.protocol());
    }

    @Test
    void framesHttp1WithoutTheAnswers() {
        for (String request : new String[] {GET, POST + "0123456789", "HEAD / HTTP/1.1\r\n\r\n", GET + GET + GET}) {
            client(request);
            assertTrue(framer.isBetweenRequests());
        }
        assertEquals(6, ended);
        assertEquals(Protocol.HTTP1, framer.protocol());
    }

    @Test
    void recognisesMethodsByAnyFirstLetter() {
        client("x-y /a HTTP/1.1\r\n\r\n");
        assertEnded(1, Protocol.HTTP1);
        framer = new ConnectionFramer(null, false);
        client("x");
        assertTrue(framer.isInRequest());
        client("-y /a HTTP/1.1\r\n\r");
        client("\n" + GET);
        assertEnded(3, Protocol.HTTP1);
    }

    @Test
    void keepsTls() {
        client("\u0016");
        assertFalse(framer.isBetweenRequests());
        client("\u0003\u0001\u0002\u0000\u0001");

        assertOpaque(Protocol.TLS);
    }

    @Test
    void keepsWhatItDoesNotRecognise() {
        client("\u00ff\u00fe something of its own\r\n" + GET);

        assertOpaque(Protocol.UNKNOWN);
        assertEquals(0, ended);
    }

    @Test
    void recognisesThriftHoweverItIsCut() {
        String call =
                "\u0000\u0000\u0000\u0011\u0080\u0001\u0000\u0001\u0000\u0000\u0000\u0004ping\u0000\u0000\u0000\u0001\u0000";
        client(call);
        assertEquals(Protocol.THRIFT_FRAMED_BINARY, framer.protocol());

        framer = new ConnectionFramer(null, false);
        for (int i = 0; i < call.length(); i++) {
            client(call.substring(i, i + 1));
        }
        assertEquals(Protocol.THRIFT_FRAMED_BINARY, framer.protocol());
    }

    @Test
    void obeysAForcedProtocol() {
        framer = new ConnectionFramer(Protocol.UNKNOWN, false);
        client(GET);
        assertOpaque(Protocol.UNKNOWN);

        framer = new ConnectionFramer(Protocol.HTTP1, false);
        client("\u0000\u0000\u0000\u0011\u0080\u0001\u0000\u0001");
        assertOpaque(Protocol.UNKNOWN);
        assertEquals(OpaqueReason.NOT_HTTP1, framer.opaqueReason());

        framer = new ConnectionFramer(Protocol.HTTP2, false);
        client(PREFACE);
        assertOpaque(Protocol.HTTP2);
    }

    @Test
    void followsHttp2WithPriorKnowledgeHoweverItIsCut() {
        String stream = PREFACE + "\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000" + get(1) + get(3);
        for (int cut = 1; cut <= stream.length(); cut++) {
            framer = new ConnectionFramer(null, false);
            for (int from = 0; from < stream.length(); from += cut) {
                client(stream.substring(from, Math.min(stream.length(), from + cut)));
            }
            assertOpaque(Protocol.HTTP2);
            assertEquals(2, framer.http2Requests(), "in pieces of " + cut);
        }
        assertEquals(0, ended);
    }

    @Test
    void countsHttp2OnAConnectionWhoseBeginningWasNotSeen() {
        String settings = "\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000";
        for (Protocol forced : new Protocol[] {null, Protocol.HTTP2}) {
            framer = new ConnectionFramer(forced, true);
            client("the rest of something");
            client(settings + get(7) + get(9) + "\u0000\u0000\u0004\u0008");

            assertOpaque(Protocol.HTTP2);
            assertEquals(2, framer.http2Requests());

            framer = new ConnectionFramer(forced, true);
            client("the rest of something");
            client(PREFACE + settings + get(1));
            assertEquals(1, framer.http2Requests());
        }

        framer = new ConnectionFramer(Protocol.HTTP2, true);
        client(GET);
        assertOpaque(Protocol.HTTP2);

        framer = new ConnectionFramer(null, true);
        client(settings);
        client("\u0000\u0000\u0003\u0001\u0005\u0000\u0000\u0000\u0002\u0082\u0086\u0084");
        assertOpaque(Protocol.UNKNOWN);
    }

    @Test
    void becomesAWebSocketWhenTheServerSaysSo() {
        client(UPGRADE);
        assertTrue(framer.wantsAnswers());
        assertEquals(Protocol.HTTP1, framer.protocol());
        server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n\r\n\u0081\u0002hi");

        assertFalse(framer.wantsAnswers());
        assertOpaque(Protocol.WEBSOCKET);
        client(GET);
        assertOpaque(Protocol.WEBSOCKET);
        assertEquals(1, ended);
    }

    @Test
    void readsTheAnswerInAnyPieces() {
        client(UPGRADE);
        String answer = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 X\r\nUpgrade: websocket\r\n\r\n";
        for (int i = 0; i < answer.length(); i++) {
            assertEquals(Protocol.HTTP1, framer.protocol());
            server(answer.substring(i, i + 1));
        }

        assertOpaque(Protocol.WEBSOCKET);
    }

    @Test
    void framesOnWhenTheServerRefusesAnUpgrade() {
        client(UPGRADE);
        server(OK);

        client(GET + GET);
        assertEnded(3, Protocol.HTTP1);
        client("junk");
        client("\r\n");
        assertEquals(OpaqueReason.INVALID_REQUEST_LINE, framer.opaqueReason());
    }

    @Test
    void keepsHttp2AfterAnUpgradeToIt() {
        client("GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n\r\n");
        server("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
        assertOpaque(Protocol.HTTP2);
        client(PREFACE + get(3));

        assertOpaque(Protocol.HTTP2);
        assertEquals(1, ended);
        assertEquals(1, framer.http2Requests());
    }

    @Test
    void keepsHttp2WhoseClientWasAheadOfTheAnswer() {
        client("GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + PREFACE.substring(0, 5));
        server("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
        client(PREFACE.substring(5) + get(3));

        assertOpaque(Protocol.HTTP2);
        assertEquals(1, framer.http2Requests());
    }

    @Test
    void keepsAnyOtherUpgrade() {
        client("POST /attach HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 2\r\n\r\n{}");
        server("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
        client("GET / HTTP/1.1\r\n\r\n");

        assertOpaque(Protocol.UNKNOWN);
        assertEquals(1, ended);
    }

    @Test
    void keepsATunnel() {
        client(CONNECT);
        server("HTTP/1.1 200 Connection established\r\n\r\n");
        client(GET);

        assertOpaque(Protocol.UNKNOWN);
        assertEquals(1, ended);
        assertFalse(framer.wantsAnswers());
    }

    @Test
    void framesOnWhenTheServerRefusesATunnel() {
        client(CONNECT);
        server("HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nno\n");
        client(GET);
        assertEnded(2, Protocol.HTTP1);

        client(CONNECT);
        assertTrue(framer.wantsAnswers());
        server("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
        client(CONNECT);
        server("HTTP/1.1 200 OK\r\n\r\n");
        client(GET);
        assertOpaque(Protocol.UNKNOWN);
        assertEquals(4, ended);
    }

    @Test
    void framesWhatComesBeforeTheAnswerForAsLongAsItIsHttp1() {
        client(UPGRADE + GET);
        assertEnded(2, Protocol.HTTP1);
        server(OK + OK);
        client(GET);
        assertEnded(3, Protocol.HTTP1);

        framer = new ConnectionFramer(null, false);
        client(UPGRADE + "\u0081\u0082mask");
        assertTrue(framer.isOpaque());
        assertEquals(OpaqueReason.SWITCHED_PROTOCOL, framer.opaqueReason());
        assertFalse(framer.wantsAnswers());
    }

    @Test
    void tellsTheAnswersOfPipelinedRequestsApart() {
        client(UPGRADE + "HEAD / HTTP/1.1\r\n\r\n" + GET + CONNECT);
        server(OK + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
        assertTrue(framer.wantsAnswers());
        server(OK.substring(0, 9));
        server(OK.substring(9));
        assertTrue(framer.wantsAnswers());
        server("HTTP/1.1 200 OK\r\n\r\n");

        assertOpaque(Protocol.UNKNOWN);
    }

    @Test
    void readsTheAnswerToAHeadBehindAStrayLineEnd() {
        client(GET);
        server(OK + "\r\n");
        client("HEAD / HTTP/1.1\r\n\r\n");
        server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
        client(GET);
        server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");

        int[] statuses = {200, 200, 404};
        for (int request = 0; request < statuses.length; request++) {
            assertEquals(request, framer.takeAnswered());
            assertEquals(statuses[request], framer.answeredStatus());
        }
        assertEquals(-1, framer.takeAnswered());
    }

    @Test
    void findsTheAnswerToALaterRequestWhereAReadBegins() {
        client(GET);
        server("HTTP/1.1 200 OK\r\nContent-Length: 35\r\n\r\n");
        client(UPGRADE);
        server("the rest of the answer to the first");
        assertTrue(framer.wantsAnswers());
        server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");

        assertOpaque(Protocol.WEBSOCKET);
    }

    @Test
    void findsTheAnswerBehindMissingOnes() {
        client(UPGRADE);
        server("HTTP/1.1 100 Conti");
        framer.answerMissing(20);
        server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");

        assertOpaque(Protocol.WEBSOCKET);
    }

    @Test
    void leavesTheDecisionToTheClientWhereTheServersBytesAreNoAnswer() {
        client(UPGRADE);
        server("\u0000\u0001\u0002\u0003\u0004\u0005\n\n");
        assertFalse(framer.wantsAnswers());

        client(GET);
        assertEnded(2, Protocol.HTTP1);
    }

    @Test
    void staysInStepWhereTheHoleLiesInABody() {
        client(POST + "012");
        framer.missing(4);
        assertTrue(framer.isInRequest());
        client("789" + GET);
        assertEnded(2, Protocol.HTTP1);

        client(POST + "012");
        framer.missing(7);
        assertTrue(framer.isBetweenRequests());
        assertFalse(framer.isInRequest());
        client(GET);
        assertEnded(3, Protocol.HTTP1);

        client(CHUNKED + "a\r\n0123");
        framer.missing(6);
        client("\r\n0\r\n\r\n" + GET);
        assertEnded(5, Protocol.HTTP1);
    }

    @Test
    void awaitsTheAnswerToARequestWhoseEndIsMissing() {
        client(GET);
        server(OK);
        client(POST + "012");
        framer.missing(7);
        server(OK);
        client(UPGRADE);
        server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");

        assertOpaque(Protocol.WEBSOCKET);
    }

    @Test
    void looksForARequestBehindAnyOtherHole() {
        for (String before : new String[] {POST + "012", CHUNKED + "a\r\n0123456789\r\n", "GET /a HT", ""}) {
            framer = new ConnectionFramer(null, false);
            client(GET + before);
            int endedBefore = ended;
            framer.missing(1_000);
            assertFalse(framer.isInRequest());
            client("the rest of something\r\n" + GET);
            assertTrue(framer.isOpaque());
            assertTrue(framer.isBetweenRequests());
            client(GET + GET);
            assertFalse(framer.isOpaque());
            assertEnded(endedBefore + 2, Protocol.HTTP1);
        }
    }

    @Test
    void looksForARequestWhereTheHolesSizeIsNotKnown() {
        client(POST + "012");
        framer.missing(0);
        client("789");
        client(GET);

        assertEnded(1, Protocol.HTTP1);
    }

    @Test
    void recognisesAConnectionThatWasOpenAlready() {
        framer = new ConnectionFramer(null, true);
        client("the rest of a body that says GET / HTTP/1.1\r\n\r\n");
        assertTrue(framer.isOpaque());
        assertTrue(framer.isBetweenRequests());
        client(GET);
        assertFalse(framer.isOpaque());
        assertEnded(1, Protocol.HTTP1);

        framer = new ConnectionFramer(null, true);
        client("\u0017\u0003\u0003\u0000\u0020");
        assertOpaque(Protocol.TLS);
        framer = new ConnectionFramer(null, true);
        client(PREFACE + get(1));
        assertOpaque(Protocol.HTTP2);
        assertEquals(1, framer.http2Requests());
    }

    @Test
    void goesBackToLookingWhereWhatLookedLikeARequestIsNone() {
        framer = new ConnectionFramer(Protocol.HTTP1, true);
        client("GET / HTTP/1.1\r\nand so on\r\n");
        assertTrue(framer.isOpaque());
        client(POST + "0123456789");

        assertFalse(framer.isOpaque());
        assertEnded(1, Protocol.HTTP1);
    }

    @Test
    void takesALongRequestLineForABeginning() {
        framer = new ConnectionFramer(null, true);
        client("GET /" + "x".repeat(1_400));
        assertTrue(framer.isInRequest());
        client("y HTTP/1.1\r\n\r\n");

        assertEnded(1, Protocol.HTTP1);
    }

    @Test
    void followsNoHttp2BehindAHole() {
        client(PREFACE + get(1));
        framer.missing(10);
        client(get(3));

        assertOpaque(Protocol.HTTP2);
        assertEquals(1, framer.http2Requests());
    }

    private static String get(int stream) {
        // GET, http, path / and authority by the static table, the last one's value empty.
        return "\u0000\u0000\u0005\u0001\u0005\u0000\u0000\u0000" + (char) stream + "\u0082\u0086\u0084\u0001\u0000";
    }

    private void assertEnded(int requests, Protocol protocol) {
        assertEquals(requests, ended);
        assertEquals(protocol, framer.protocol());
        assertTrue(framer.isBetweenRequests());
        assertFalse(framer.isOpaque());
        assertNull(framer.opaqueReason());
    }

    private void assertOpaque(Protocol protocol) {
        assertTrue(framer.isOpaque());
        assertFalse(framer.isInRequest());
        assertEquals(protocol, framer.protocol());
    }

    private void client(String bytes) {
        ByteBuf buffer = Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1);
        for (int from = 0; from < bytes.length(); ) {
            from = framer.feed(buffer, from, bytes.length());
            if (framer.isBetweenRequests() && !framer.isOpaque()) {
                ended++;
            }
        }
    }

    private void server(String bytes) {
        framer.feedAnswer(Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1), 0, bytes.length());
    }
}
