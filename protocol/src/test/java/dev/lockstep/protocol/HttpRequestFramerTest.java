package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class HttpRequestFramerTest {
    private static final String GET = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

    @Test
    void splitsPipelinedRequests() {
        String post = "POST /b HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";

        assertFraming("|" + GET + "|" + post + "|" + GET + "|");
    }

    @Test
    void knowsNothingOfAConnectionBeforeItsFirstByte() {
        HttpRequestFramer framer = new HttpRequestFramer();

        assertTrue(framer.isBetweenRequests());
        assertFalse(framer.isInRequest());
        assertFalse(framer.isRecognised());
        assertFalse(framer.isOpaque());
        assertNull(framer.opaqueReason());
    }

    @Test
    void recognisesTheProtocolAtTheEndOfTheRequestLine() {
        HttpRequestFramer framer = new HttpRequestFramer();

        feed(framer, "GET / HTTP/1.0\r");
        assertFalse(framer.isRecognised());
        assertTrue(framer.isInRequest());
        feed(framer, "\n");
        assertTrue(framer.isRecognised());
    }

    @Test
    void leavesTheRequestOpenUntilItsLastByte() {
        assertFraming("|POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhell");
        assertFraming("|GET / HTTP/1.1\r\nHost: h\r\n\r");
        assertFraming("|POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r");
    }

    @Test
    void countsEmptyLinesToTheRequestThatFollows() {
        assertFraming("|\r\n\n\r\n" + GET + "|\r\n" + GET + "|");
    }

    @Test
    void doesNotCallEmptyLinesARequest() {
        HttpRequestFramer framer = new HttpRequestFramer();

        feed(framer, GET + "\r\n\r");

        assertFalse(framer.isInRequest());
        assertFalse(framer.isOpaque());
    }

    @Test
    void takesLinesThatEndWithLineFeedAlone() {
        assertFraming("|GET / HTTP/1.1\nHost: h\n\n|POST / HTTP/1.1\nContent-Length: 1\n\nx|");
        assertFraming("|PUT / HTTP/1.1\nTransfer-Encoding: chunked\n\n2\nab\n0\nTrailer: x\n\n|" + GET + "|");
    }

    @Test
    void takesSeveralSpacesInTheRequestLine() {
        assertFraming("|GET   /   HTTP/1.1  \r\n\r\n|");
    }

    @Test
    void takesAnyMethodAndTarget() {
        assertFraming("|M-SEARCH * HTTP/1.1\r\n\r\n|brew http://u:p@h:1/a?b=\u00e4#c HTTP/1.1\r\n\r\n|");
    }

    @Test
    void readsHeaderNamesWithoutCase() {
        assertFraming("|POST / HTTP/1.1\r\ncONTENT-lENGTH:3\r\n\r\nabc|");
        assertFraming("|POST / HTTP/1.1\r\nTRANSFER-ENCODING: CHUNKED\r\n\r\n1\r\na\r\n0\r\n\r\n|");
    }

    @Test
    void takesNoOtherNameForAFramingHeader() {
        assertFraming("|POST / HTTP/1.1\r\nContent-Length-X: 3\r\nX-Content-Length: 3\r\nContent-Lengt: 3\r\n\r\n|");
    }

    @Test
    void takesRepeatedEqualLengths() {
        assertFraming("|POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 003\r\n\r\nabc|");
        assertFraming("|POST / HTTP/1.1\r\nContent-Length: 3 ,\t3\r\n\r\nabc|");
    }

    @Test
    void turnsOpaqueOnLengthsThatDiffer() {
        assertOpaque(OpaqueReason.INVALID_CONTENT_LENGTH, "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd");
        assertOpaque(OpaqueReason.INVALID_CONTENT_LENGTH, "Content-Length: 3, 4\r\n\r\nabcd");
    }

    @Test
    void turnsOpaqueOnLengthsThatAreNoNumber() {
        for (String length : new String[] {"", " ", "-1", "+1", "0x1", "1 2", "1,", ",1", "1.0", "1\r\n 2"}) {
            assertOpaque(OpaqueReason.INVALID_CONTENT_LENGTH, "Content-Length:" + length + "\r\n\r\n");
        }
        assertOpaque(OpaqueReason.INVALID_CONTENT_LENGTH, "Content-Length: 9223372036854775808\r\n\r\n");
        assertOpaque(OpaqueReason.INVALID_CONTENT_LENGTH, "Content-Length: 18446744073709551617\r\n\r\n");
    }

    @Test
    void waitsForBodiesLongerThanAnInt() {
        HttpRequestFramer framer = new HttpRequestFramer();
        feed(framer, "PUT / HTTP/1.1\r\nContent-Length: 5000000000\r\n\r\n");

        ByteBuf buffer = Unpooled.wrappedBuffer(new byte[1_000_000]);
        for (int i = 0; i < 4_999; i++) {
            assertEquals(1_000_000, framer.feed(buffer, 0, 1_000_000));
        }
        assertTrue(framer.isInRequest());
        framer.feed(buffer, 0, 1_000_000);
        assertTrue(framer.isBetweenRequests());
    }

    @Test
    void readsChunksWithExtensionsAndTrailers() {
        assertFraming("|POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5;a=b; c=\"d;e\" \r\nhello\r\n1 \t\r\nx\r\n00A \t;x\r\n0123456789\r\n000;last\r\n"
                + "Checksum: 1\r\nContent-Length: 9\r\n  folded\r\nTransfer-Encoding: gzip\r\n\r\n|"
                + GET
                + "|");
    }

    @Test
    void turnsOpaqueOnBrokenChunks() {
        for (String chunks : new String[] {
            "\r\n",
            "x\r\n",
            "-1\r\n",
            "5;\r\nhello\r\n",
            "5 x\r\n",
            "5\rhello",
            "2\r\nabc",
            "2\r\nab\rc",
            "5;a\u0001\r\n",
            "8000000000000000\r\n",
            "10000000000000000\r\n"
        }) {
            assertOpaque(OpaqueReason.INVALID_CHUNK, "Transfer-Encoding: chunked\r\n\r\n" + chunks);
        }
        assertOpaque(OpaqueReason.INVALID_HEADER, "Transfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n");
        assertOpaque(OpaqueReason.INVALID_HEADER, "Transfer-Encoding: chunked\r\n\r\n0\r\n folded\r\n\r\n");
    }

    @Test
    void prefersChunkedToALengthAndSaysThatServersMayNot() {
        String chunked =
                "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
        assertFraming("|" + chunked + "|" + GET + "|");

        HttpRequestFramer framer = new HttpRequestFramer();
        feed(framer, chunked);
        assertTrue(framer.isAmbiguous());
        feed(framer, GET);
        assertFalse(framer.isAmbiguous());
    }

    @Test
    void saysThatServersMayReadAnOldChunkedRequestOtherwise() {
        HttpRequestFramer framer = new HttpRequestFramer();

        feed(framer, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");

        assertTrue(framer.isBetweenRequests());
        assertTrue(framer.isAmbiguous());
    }

    @Test
    void readsListsOfTransferCodings() {
        String chunks = "\r\n\r\n1\r\na\r\n0\r\n\r\n|";
        assertFraming("|POST / HTTP/1.1\r\nTransfer-Encoding: gzip , ,\tchunked ," + chunks);
        assertFraming("|POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked" + chunks);
        assertFraming("|POST / HTTP/1.1\r\nTransfer-Encoding:\r\n\t chunked" + chunks);
    }

    @Test
    void turnsOpaqueWhereChunkedIsNotTheLastCoding() {
        for (String codings : new String[] {
            "", "identity", "gzip", "chunked, gzip", "chunked, chunked", "xchunked", "chunkedx", "chun ked"
        }) {
            assertOpaque(OpaqueReason.INVALID_TRANSFER_ENCODING, "Transfer-Encoding: " + codings + "\r\n\r\n0\r\n\r\n");
        }
        assertOpaque(
                OpaqueReason.INVALID_TRANSFER_ENCODING,
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n");
    }

    @Test
    void joinsFoldedHeaderLines() {
        assertFraming("|GET / HTTP/1.1\r\nA: b\r\n c\r\n\td\r\nContent-Length:\r\n 2 \r\n \r\n\r\nxy|");
    }

    @Test
    void turnsOpaqueOnHeadersThatServersReadDifferently() {
        for (String header : new String[] {
            " Folded: first\r\n",
            "Space : x\r\n",
            "No colon\r\n",
            "NoColon\r\n",
            ": x\r\n",
            "A: b\rC: d\r\n",
            "A: \u0000\r\n",
            "A\u0001: b\r\n",
            "Content-Length\r: 1\r\n"
        }) {
            assertOpaque(OpaqueReason.INVALID_HEADER, header + "\r\n");
        }
    }

    @Test
    void takesAnyTextInAHeaderValue() {
        assertFraming(
                "|GET / HTTP/1.1\r\nA: \t:\"\u00e4\u00ff, tab\there and text over eight bytes\r\nB:\r\nX[1]: y\r\n\r\n|");
    }

    @Test
    void turnsOpaqueOnAConnectionThatIsNotHttp1() {
        for (String bytes : new String[] {
            "\u0016\u0003\u0001\u0002",
            "\u0080\u0001\u0000\u0001",
            "\u0000",
            "EHLO example.org\r\n",
            "GET x\r\n",
            "POST /\r\n",
            "GET /\rX",
            "GET / HTTP/2.0\r\n",
            "GET / http/1.1\r\n",
            "GET / HTTP/1.\r\n",
            "GET / HTTP/1.10\r\n",
            "GET / HTTP/1.1\rX",
            "GET /a b HTTP/1.1\r\n",
            "GET\t/ HTTP/1.1\r\n",
            "GET \u0001 HTTP/1.1\r\n",
            "\rGET / HTTP/1.1\r\n",
            " GET / HTTP/1.1\r\n"
        }) {
            assertFraming("!" + bytes + GET, OpaqueReason.NOT_HTTP1);
        }
    }

    @Test
    void takesAFirstLineWithoutAVersionForTheOnlyRequestOfHttp09() {
        assertFraming("|GET /\r\n|");
        assertFraming("|GET /a?b\n|\r\n");
        assertFraming("|GET /\r\n|!" + GET, OpaqueReason.AFTER_CLOSE);
        assertFraming("|" + GET + "|!GET /\r\n" + GET, OpaqueReason.INVALID_REQUEST_LINE);
    }

    @Test
    void turnsOpaqueOnTheHttp2Preface() {
        assertFraming("!PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", OpaqueReason.HTTP2);
        assertFraming(
                "|GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n|!PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                OpaqueReason.HTTP2);
    }

    @Test
    void turnsOpaqueOnALaterRequestThatIsNone() {
        assertFraming("|" + GET + "|!junk\r\n" + GET, OpaqueReason.INVALID_REQUEST_LINE);
    }

    @Test
    void turnsOpaqueAfterAnUpgrade() {
        String upgrade = "GET /chat HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

        assertFraming("|" + upgrade + "|!\u0081\u0085mask" + GET, OpaqueReason.SWITCHED_PROTOCOL);
        assertFraming("|" + upgrade + "|!ls -l\n", OpaqueReason.SWITCHED_PROTOCOL);
        HttpRequestFramer framer = new HttpRequestFramer();
        feed(framer, upgrade);
        assertTrue(framer.maySwitchProtocol());
    }

    @Test
    void framesOnWhenTheServerRefusedTheUpgrade() {
        String upgrade = "POST / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhi";

        assertFraming("|" + upgrade + "|" + GET + "|" + GET + "|!junk\r\n", OpaqueReason.INVALID_REQUEST_LINE);
    }

    @Test
    void turnsOpaqueInATunnel() {
        String connect = "CONNECT example.org:443 HTTP/1.0\r\nContent-Length: 4\r\n\r\n";

        assertFraming("|" + connect + "|!\u0016\u0003\u0001", OpaqueReason.SWITCHED_PROTOCOL);
        assertFraming("|" + connect + "|" + GET + "|");
    }

    @Test
    void takesNoRequestAfterTheOneThatCloses() {
        assertFraming("|GET / HTTP/1.1\r\nConnection: te , Close\r\n\r\n|!" + GET, OpaqueReason.AFTER_CLOSE);
        assertFraming("|GET / HTTP/1.0\r\nConnection: close\r\n\r\n|!" + GET, OpaqueReason.AFTER_CLOSE);
        assertFraming("|GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n|" + GET + "|");
        assertFraming("|GET / HTTP/1.1\r\nConnection: closer\r\n\r\n|" + GET + "|");
        assertFraming("|GET / HTTP/1.1\r\nConnection: close\r\n\r\n|\r\n");
    }

    @Test
    void takesARequestAfterOneOfHttp10ThatDidNotAskToKeepTheConnection() {
        String old = "GET / HTTP/1.0\r\n\r\n";

        assertFraming("|" + old + "|" + old + "|\r\n" + GET + "|" + GET + "|");
        assertFraming("|POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi|" + GET + "|");
        assertFraming("|" + old + "|!GET /\r\n" + GET, OpaqueReason.AFTER_CLOSE);
        assertFraming("|" + old + "|!junk\r\n" + GET, OpaqueReason.AFTER_CLOSE);
        assertFraming("|" + old + "|" + GET + "|!junk\r\n", OpaqueReason.INVALID_REQUEST_LINE);
    }

    @Test
    void boundsTheHeaders() {
        String start = "GET / HTTP/1.1\r\nA: ";
        int room = HttpRequestFramer.MAX_SECTION_BYTES - start.length();

        HttpRequestFramer fits = new HttpRequestFramer();
        feed(fits, start + "x".repeat(room - 4) + "\r\n\r\n");
        assertTrue(fits.isBetweenRequests());
        assertFalse(fits.isOpaque());
        feed(fits, start);
        assertFalse(fits.isOpaque());

        HttpRequestFramer tooLong = new HttpRequestFramer();
        feed(tooLong, start + "x".repeat(room - 3));
        assertFalse(tooLong.isOpaque());
        feed(tooLong, "\r\n\r\n");
        assertEquals(OpaqueReason.SECTION_TOO_LONG, tooLong.opaqueReason());

        HttpRequestFramer extension = new HttpRequestFramer();
        feed(extension, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + "x".repeat(room + 1_000));
        assertEquals(OpaqueReason.SECTION_TOO_LONG, extension.opaqueReason());
    }

    @Test
    void countsEachRequestsHeadersAnew() {
        assertFramedForever(GET);
        assertFramedForever("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab");
        assertFramedForever("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n");
    }

    private static void assertFramedForever(String text) {
        HttpRequestFramer framer = new HttpRequestFramer();
        ByteBuf request = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
        for (int bytes = 0; bytes < 2 * HttpRequestFramer.MAX_SECTION_BYTES; bytes += request.readableBytes()) {
            assertEquals(request.readableBytes(), framer.feed(request, 0, request.readableBytes()));
            assertTrue(framer.isBetweenRequests(), text);
        }
    }

    @Test
    void leavesTheIndicesOfTheBufferAlone() {
        ByteBuf buffer = Unpooled.copiedBuffer("xx" + GET + GET, StandardCharsets.ISO_8859_1);
        HttpRequestFramer framer = new HttpRequestFramer();

        assertEquals(2 + GET.length(), framer.feed(buffer, 2, buffer.writerIndex()));

        assertEquals(0, buffer.readerIndex());
        assertEquals(2 + 2 * GET.length(), buffer.writerIndex());
    }

    /** Requests built from random parts have the boundaries that they were built with, wherever the bytes are cut. */
    @Test
    void findsTheBoundariesOfRandomRequests() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            StringBuilder marked = new StringBuilder("|");
            for (int request = random.nextInt(5); request >= 0; request--) {
                marked.append(randomRequest(random)).append('|');
            }
            String plain = marked.toString().replace("|", "");
            String seen = frameInRandomCuts(plain, random).marked;
            assertEquals(marked.toString(), seen, () -> "seed " + seed);
        }
    }

    /** Whatever the bytes are, the outcome is the same wherever they are cut, and nothing is thrown. */
    @Test
    void doesNotDependOnTheCutsOfRandomBytes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 5_000; round++) {
            String bytes = randomBytes(random);
            Framed whole = frame(bytes, bytes.length());
            assertEquals(whole, frameInRandomCuts(bytes, random), () -> "seed " + seed + ": " + bytes);
            assertEquals(whole, frame(bytes, 1), () -> "seed " + seed + ": " + bytes);
        }
    }

    private static String randomRequest(Random random) {
        StringBuilder request = new StringBuilder();
        String end = random.nextInt(4) == 0 ? "\n" : "\r\n";
        if (random.nextInt(6) == 0) {
            request.append(end);
        }
        request.append(random.nextBoolean() ? "GET /" : "POST /")
                .append("p".repeat(random.nextInt(40)))
                .append(" HTTP/1.1")
                .append(end);
        for (int header = random.nextInt(4); header > 0; header--) {
            request.append("X-").append(header).append(": ").append("v".repeat(random.nextInt(30)));
            request.append(random.nextInt(5) == 0 ? end + "\tmore" : "").append(end);
        }
        int kind = random.nextInt(3);
        if (kind == 0) {
            String body = body(random, random.nextInt(100));
            request.append("content-length:")
                    .append(body.length())
                    .append(end)
                    .append(end)
                    .append(body);
        } else if (kind == 1) {
            request.append("Transfer-Encoding: Chunked").append(end).append(end);
            for (int chunk = random.nextInt(4); chunk > 0; chunk--) {
                String body = body(random, 1 + random.nextInt(40));
                request.append(Integer.toHexString(body.length()))
                        .append(random.nextInt(3) == 0 ? ";e=\"x\"" : "")
                        .append(end)
                        .append(body)
                        .append(end);
            }
            request.append('0')
                    .append(end)
                    .append(random.nextBoolean() ? "T: x" + end : "")
                    .append(end);
        } else {
            request.append(end);
        }
        return request.toString();
    }

    private static String body(Random random, int length) {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < length; i++) {
            body.append("\r\n0a ;:GET".charAt(random.nextInt(10)));
        }
        return body.toString();
    }

    /** Mostly valid requests with a few bytes changed, so that the errors lie deep; sometimes pure noise. */
    private static String randomBytes(Random random) {
        StringBuilder bytes = new StringBuilder();
        if (random.nextInt(10) == 0) {
            for (int i = random.nextInt(60); i > 0; i--) {
                bytes.append((char) random.nextInt(256));
            }
            return bytes.toString();
        }
        for (int request = random.nextInt(3); request >= 0; request--) {
            bytes.append(randomRequest(random));
        }
        String special = "\r\n\t :,;0a\u0000\u0080\u00ff";
        for (int change = random.nextInt(4); change > 0 && bytes.length() > 0; change--) {
            int at = random.nextInt(bytes.length());
            switch (random.nextInt(3)) {
                case 0:
                    bytes.setCharAt(at, special.charAt(random.nextInt(special.length())));
                    break;
                case 1:
                    bytes.deleteCharAt(at);
                    break;
                default:
                    bytes.insert(at, special.charAt(random.nextInt(special.length())));
                    break;
            }
        }
        return bytes.toString();
    }

    /** Checks the boundaries: '|' stands between requests, '!' before the request that turns the stream opaque. */
    private static void assertFraming(String marked) {
        assertFraming(marked, null);
    }

    private static void assertFraming(String marked, OpaqueReason reason) {
        String plain = marked.replace("|", "").replace("!", "");
        Framed expected = new Framed(marked.replace("!", ""), reason);
        if (!marked.startsWith("|")) {
            expected = new Framed("|" + expected.marked, reason);
        }
        for (int cut = 1; cut <= plain.length(); cut++) {
            assertEquals(expected, frame(plain, cut), "in pieces of " + cut);
        }
    }

    private static void assertOpaque(OpaqueReason reason, String afterRequestLine) {
        assertFraming("|" + GET + "|!POST / HTTP/1.1\r\n" + afterRequestLine + GET, reason);
    }

    private static Framed frame(String bytes, int cut) {
        HttpRequestFramer framer = new HttpRequestFramer();
        StringBuilder marked = new StringBuilder("|");
        for (int from = 0; from < bytes.length(); from += cut) {
            walk(framer, bytes.substring(from, Math.min(bytes.length(), from + cut)), marked);
        }
        return new Framed(marked.toString(), framer.opaqueReason());
    }

    private static Framed frameInRandomCuts(String bytes, Random random) {
        HttpRequestFramer framer = new HttpRequestFramer();
        StringBuilder marked = new StringBuilder("|");
        int to;
        for (int from = 0; from < bytes.length(); from = to) {
            to = Math.min(bytes.length(), from + 1 + random.nextInt(1 + random.nextInt(60)));
            walk(framer, bytes.substring(from, to), marked);
        }
        return new Framed(marked.toString(), framer.opaqueReason());
    }

    private static void feed(HttpRequestFramer framer, String bytes) {
        walk(framer, bytes, new StringBuilder());
    }

    private static void walk(HttpRequestFramer framer, String bytes, StringBuilder marked) {
        ByteBuf buffer = Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1);
        int from = 0;
        while (from < bytes.length()) {
            int next = framer.feed(buffer, from, bytes.length());
            assertTrue(next > from && next <= bytes.length(), "reads on, and not too far");
            marked.append(bytes, from, next);
            if (framer.isBetweenRequests()) {
                marked.append('|');
            }
            from = next;
        }
        buffer.release();
    }

    private static final class Framed {
        final String marked;
        final OpaqueReason reason;

        Framed(String marked, OpaqueReason reason) {
            this.marked = marked;
            this.reason = reason;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Framed
                    && marked.equals(((Framed) other).marked)
                    && reason == ((Framed) other).reason;
        }

        @Override
        public int hashCode() {
            return marked.hashCode();
        }

        @Override
        public String toString() {
            return marked + " " + reason;
        }
    }
}
