package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class HttpResponseFramerTest {
    private static final String GET = "";
    private static final String HEAD = "HEAD";
    private static final String CONNECT = "CONNECT";

    @Test
    void endsAtTheContentLength() {
        Framed framed = frame(GET, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");

        framed.assertComplete(200, 5, true);
    }

    @Test
    void leavesBytesBehindTheResponse() {
        ByteBuf in = bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 Not Found\r\n");
        HttpResponseFramer framer = expecting(GET);

        assertEquals(HttpResponseFramer.COMPLETE, framer.feed(in));

        assertEquals("HTTP/1.1 404 Not Found\r\n", in.toString(StandardCharsets.US_ASCII));
    }

    @Test
    void readsChunksWithExtensionsAndTrailers() {
        Framed framed = frame(
                GET,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"
                        + "5;name=value\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nTrailer: yes\r\n\r\n");

        framed.assertComplete(200, 31, true);
    }

    @Test
    void prefersChunkedOverContentLength() {
        frame(GET, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")
                .assertComplete(200, 1, true);
    }

    @Test
    void answersWithoutBodyEndAtTheirHead() {
        frame(HEAD, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").assertComplete(200, 0, true);
        frame(HEAD, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").assertComplete(200, 0, true);
        frame(GET, "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n").assertComplete(204, 0, true);
        frame(GET, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n").assertComplete(304, 0, true);
        frame(GET, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").assertComplete(200, 0, true);
    }

    @Test
    void joinsFoldedHeaderLines() {
        frame(GET, "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")
                .assertComplete(200, 1, true);
        frame(GET, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip,\r\n\tchunked\r\n \r\n\r\n1\r\nx\r\n0\r\n\r\n")
                .assertComplete(200, 1, true);
        frame(GET, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection:\r\n close\r\nX: y\r\n close\r\n\r\nx")
                .assertComplete(200, 1, false);
        HttpResponseFramer notChunked = expecting(GET);
        assertEquals(
                HttpResponseFramer.MORE,
                notChunked.feed(bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n gzip\r\n\r\n0\r\n\r\n")));
        assertFalse(notChunked.persistent());
        HttpResponseFramer length = expecting(GET);
        assertEquals(
                HttpResponseFramer.MALFORMED, length.feed(bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n\r\n")));
    }

    @Test
    void passesOverInterimResponses() {
        Framed framed = frame(
                GET,
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 7\r\n\r\n"
                        + "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx");

        framed.assertComplete(201, 1, true);
    }

    @Test
    void switchesProtocolsOn101AndOn2xxToConnect() {
        Framed upgraded = frame(GET, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
        upgraded.assertComplete(101, 0, false);
        assertTrue(upgraded.framer.switched());

        Framed tunnel = frame(CONNECT, "HTTP/1.1 200 Connection established\r\n\r\n");
        tunnel.assertComplete(200, 0, false);
        assertTrue(tunnel.framer.switched());

        assertFalse(frame(CONNECT, "HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno")
                .framer
                .switched());
    }

    @Test
    void endsWithTheConnectionWithoutLength() {
        for (String head :
                new String[] {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"}) {
            Framed framed = frame(GET, head + "all there is");
            assertEquals(HttpResponseFramer.MORE, framed.outcome);

            assertEquals(HttpResponseFramer.COMPLETE, framed.framer.endOfStream());

            assertEquals(12, framed.framer.bodyBytes());
            assertFalse(framed.framer.persistent());
        }
    }

    @Test
    void aCloseBeforeTheEndIsNoEnd() {
        for (String cut : new String[] {
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
            "HTTP/1.1 200 OK\r\nContent-Le",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        }) {
            Framed framed = frame(GET, cut);

            assertEquals(HttpResponseFramer.MORE, framed.outcome, cut);
            assertEquals(HttpResponseFramer.MORE, framed.framer.endOfStream(), cut);
        }
    }

    @Test
    void tellsWhetherTheConnectionPersists() {
        frame(GET, "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n")
                .assertComplete(200, 0, false);
        frame(GET, "HTTP/1.1 200 OK\r\nConnection: foo, close\r\nContent-Length: 0\r\n\r\n")
                .assertComplete(200, 0, false);
        frame(GET, "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n").assertComplete(200, 0, false);
        frame(GET, "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n")
                .assertComplete(200, 0, true);
    }

    @Test
    void closesTheConnectionWhereTheServerSaysCloseAndKeepAlive() {
        for (String lines : new String[] {
            "Connection: close, keep-alive",
            "Connection: keep-alive, close",
            "Connection: close\r\nConnection: keep-alive",
            "Connection: close\r\nConnection: foo, Keep-Alive",
            "Connection: close,\r\n keep-alive"
        }) {
            frame(GET, "HTTP/1.1 200 OK\r\n" + lines + "\r\nContent-Length: 0\r\n\r\n")
                    .assertComplete(200, 0, false);
        }
    }

    @Test
    void readsBareLineFeedsBlanksBeforeColonsAndRepeatedLengths() {
        frame(GET, "HTTP/1.1 200\nContent-Length : 2\nContent-Length: 2, 2\n\nok")
                .assertComplete(200, 2, true);
    }

    @Test
    void tellsHeaderNamesApartInAnyCase() {
        for (String name : new String[] {"Content-Length", "content-length", "CONTENT-LENGTH", "cOnTeNt-lEnGtH"}) {
            frame(GET, "HTTP/1.1 200 OK\r\n" + name + ": 2\r\n\r\nok").assertComplete(200, 2, true);
        }
        for (String line :
                new String[] {"Connection: keep-alive", "CONNECTION: KEEP-ALIVE", "connection:\tkeep-alive "}) {
            frame(GET, "HTTP/1.0 200 OK\r\n" + line + "\r\nContent-Length: 2\r\n\r\nok")
                    .assertComplete(200, 2, true);
        }
        // Names that differ from these in a bit, in a letter or behind their end.
        for (String line : new String[] {
            "Content-Lengthy: 3",
            "Content-Location: 3",
            "Gontent-Length: 3",
            "Connectiom: close",
            "Connection-X: close",
            "Cache-Control: close",
            "Content-Type: close"
        }) {
            frame(GET, "HTTP/1.1 200 OK\r\n" + line + "\r\nContent-Length: 2\r\n\r\nok")
                    .assertComplete(200, 2, true);
        }
    }

    @Test
    void readsAHeadThatEqualsTheLastOneAsItWouldAnyOther() {
        String date = "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 13:47:0";
        String[] responses = {
            date + "0 GMT\r\nContent-Length: 3\r\n\r\nabc",
            date + "1 GMT\r\nContent-Length: 3\r\n\r\nabc",
            date + "1 GMT\r\nContent-Length: 2\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\n1",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: " + "x".repeat(600) + "\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        };
        long seed = System.nanoTime();
        Random random = new Random(seed);
        LastHead last = new LastHead();
        HttpResponseFramer[] sharing = {new HttpResponseFramer(last), new HttpResponseFramer(last)};
        int response = 0;
        for (int round = 0; round < 20_000; round++) {
            // Mostly the same as before, as targets answer.
            response = random.nextInt(3) > 0 ? response : random.nextInt(responses.length);
            String method = new String[] {GET, GET, GET, HEAD, CONNECT}[random.nextInt(5)];
            String text = responses[response];
            Framed alone = frame(method, text);
            HttpResponseFramer framer = sharing[random.nextInt(2)];
            framer.expect(method.equals(HEAD), method.equals(CONNECT));
            int cut = random.nextInt(4) == 0 ? random.nextInt(text.length()) : text.length();
            ByteBuf piece = bytes(text.substring(0, cut));
            int outcome = framer.feed(piece);
            if (outcome == HttpResponseFramer.MORE) {
                outcome = framer.feed(bytes(text.substring(cut)));
            }

            String where = "seed " + seed + ", round " + round + ": " + method + ", cut at " + cut + ": " + text;
            assertEquals(alone.outcome, outcome, where);
            assertEquals(alone.framer.status(), framer.status(), where);
            assertEquals(alone.framer.bodyBytes(), framer.bodyBytes(), where);
            assertEquals(alone.framer.persistent(), framer.persistent(), where);
        }
    }

    @Test
    void refusesWhatLeavesTheEndInDoubt() {
        String[] malformed = {
            "HTTP/1.1 200 \u0001\u0090\u00ff\u0002\r\nContent-Length: 0\r\n\r\n",
            // In a bit from Content-Length.
            "HTTP/1.1 200 OK\r\nContent\rLength: 3\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Lengt\b: 3\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 404 No\u0000\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nneither a name nor a value\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: a\u0000b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: a\r\n b\u0007\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\u009c\u0013\u00e1\u00d0\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n",
            "\u0016\u0003\u0001\u0002",
            "HTTP/2 200\r\n\r\n",
            "HTTP/1.1 20\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/1.1 099 No\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n"
        };
        for (String response : malformed) {
            Framed framed = frame(GET, response);

            assertEquals(HttpResponseFramer.MALFORMED, framed.outcome, response);
            assertNotNull(framed.framer.problem(), response);
        }
    }

    @Test
    void refusesEndlessLinesAndHeads() {
        HttpResponseFramer line = expecting(GET);
        ByteBuf endless = bytes("HTTP/1.1 200 " + "a".repeat(HttpResponseFramer.MAX_LINE_BYTES));
        assertEquals(HttpResponseFramer.MALFORMED, line.feed(endless));

        HttpResponseFramer head = expecting(GET);
        assertEquals(HttpResponseFramer.MORE, head.feed(bytes("HTTP/1.1 200 OK\r\n")));
        ByteBuf header = bytes("X-Filler: " + "a".repeat(1000) + "\r\n");
        int outcome = HttpResponseFramer.MORE;
        for (int i = 0; i < 2000 && outcome == HttpResponseFramer.MORE; i++) {
            outcome = head.feed(header.readerIndex(0));
        }
        assertEquals(HttpResponseFramer.MALFORMED, outcome);
    }

    @Test
    void findsTheSameEndHoweverTheBytesAreSplit() {
        String[] responses = {
            "HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 Not Found\r\nContent-Length: 3\r\n\r\nno!",
            "HTTP/1.1 204 No Content\r\n\r\n"
        };
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (String response : responses) {
            Framed whole = frame(GET, response);
            for (int round = 0; round < 200; round++) {
                HttpResponseFramer framer = expecting(GET);
                int at = 0;
                int outcome = HttpResponseFramer.MORE;
                while (outcome == HttpResponseFramer.MORE) {
                    int length = round == 0 ? 1 : 1 + random.nextInt(response.length() - at);
                    ByteBuf piece = bytes(response.substring(at, at + length));
                    outcome = framer.feed(piece);
                    at += length - piece.readableBytes();
                }

                String where = "seed " + seed + ", round " + round + ": " + response;
                assertEquals(HttpResponseFramer.COMPLETE, outcome, where);
                assertEquals(response.length(), at, where);
                assertEquals(whole.framer.status(), framer.status(), where);
                assertEquals(whole.framer.bodyBytes(), framer.bodyBytes(), where);
                assertEquals(whole.framer.persistent(), framer.persistent(), where);
            }
        }
    }

    @Test
    void survivesRandomBytes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String alphabet = "HTTP/1.1 200 OK\r\n\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n0;\u0000\u00ff";
        for (int round = 0; round < 20_000; round++) {
            HttpResponseFramer framer = expecting(round % 3 == 0 ? HEAD : GET);
            ByteBuf in = Unpooled.buffer();
            if (random.nextBoolean()) {
                in.writeCharSequence("HTTP/1.1 200 OK\r\n", StandardCharsets.ISO_8859_1);
            }
            for (int i = random.nextInt(60); i >= 0; i--) {
                in.writeByte(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            int before = in.readableBytes();
            int outcome = framer.feed(in);

            assertTrue(outcome != HttpResponseFramer.MORE || !in.isReadable(), "seed " + seed + ", round " + round);
            assertTrue(framer.bodyBytes() <= before, "seed " + seed + ", round " + round);
        }
    }

    @Test
    void servesOneResponseAfterAnother() {
        HttpResponseFramer framer = expecting(GET);
        ByteBuf in = bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
                + "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        assertEquals(HttpResponseFramer.COMPLETE, framer.feed(in));

        framer.expect(false, false);

        assertEquals(HttpResponseFramer.COMPLETE, framer.feed(in));
        assertEquals(404, framer.status());
        assertEquals(0, framer.bodyBytes());
        assertTrue(framer.persistent());
    }

    private static Framed frame(String method, String response) {
        HttpResponseFramer framer = expecting(method);
        return new Framed(framer, framer.feed(bytes(response)));
    }

    private static HttpResponseFramer expecting(String method) {
        HttpResponseFramer framer = new HttpResponseFramer();
        framer.expect(method.equals(HEAD), method.equals(CONNECT));
        return framer;
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    private static final class Framed {
        final HttpResponseFramer framer;
        final int outcome;

        Framed(HttpResponseFramer framer, int outcome) {
            this.framer = framer;
            this.outcome = outcome;
        }

        void assertComplete(int status, long bodyBytes, boolean persistent) {
            assertEquals(HttpResponseFramer.COMPLETE, outcome, framer.problem());
            assertEquals(status, framer.status());
            assertEquals(bodyBytes, framer.bodyBytes());
            assertEquals(persistent, framer.persistent());
        }
    }
}
