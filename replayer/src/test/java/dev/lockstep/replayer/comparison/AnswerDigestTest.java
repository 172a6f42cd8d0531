package dev.lockstep.replayer.comparison;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.protocol.HttpResponseFramer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

final class AnswerDigestTest {
    private static final String BODY = "{\"name\":\"Ada\",\"id\":17}";

    /** Without the leak detector, which would take most of the time. */
    private static final ByteBufAllocator UNTRACKED = new UnpooledByteBufAllocator(true, true);

    private final AnswerLog log = new AnswerLog(1, 1 << 16, List.of("x-mine"));

    /** What is kept of an answer, fed in pieces that end at these places. */
    private String digest(String response, int... cuts) {
        HttpResponseFramer framer = new HttpResponseFramer();
        AnswerDigest digest = new AnswerDigest();
        digest.begin(log, 0);
        framer.listener(digest);
        framer.expect(false, false);
        byte[] bytes = response.getBytes(StandardCharsets.ISO_8859_1);
        int from = 0;
        int result = HttpResponseFramer.MORE;
        for (int i = 0; i <= cuts.length; i++) {
            int to = i < cuts.length ? cuts[i] : bytes.length;
            ByteBuf piece = i % 2 == 0
                    ? UNTRACKED.directBuffer().writeBytes(bytes, from, to - from)
                    : Unpooled.wrappedBuffer(bytes, from, to - from);
            result = framer.feed(piece);
            piece.release();
            from = to;
        }
        assertEquals(HttpResponseFramer.COMPLETE, result, framer.problem());
        return framer.status() + " " + framer.bodyBytes() + " " + digest.body() + " " + digest.headerSet();
    }

    private static String response(String headers) {
        return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY;
    }

    /** Names go into reports and into lines of CSV. */
    @Test
    void namesHeadersInWhatATerminalDoesNotObey() {
        HeaderNames names = new HeaderNames(List.of());
        ByteBuf name = Unpooled.copiedBuffer("X-A\r\u001b[2J\u009b\u00e9 b", StandardCharsets.ISO_8859_1);

        assertEquals("x-a??[2j???b", names.name(names.number(name, 0, name.readableBytes())));
        assertEquals("x-a", names.name(names.number(name, 0, 3)));
    }

    @Test
    void doesNotDependOnHowTheBytesWereCut() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            StringBuilder headers = new StringBuilder("Transfer-Encoding: chunked\r\n");
            for (int i = random.nextInt(25); i > 0; i--) {
                headers.append("X-H").append(random.nextInt(30)).append(": ");
                headers.append(Long.toString(random.nextLong(), 36)).append("\r\n");
            }
            StringBuilder body = new StringBuilder();
            for (int i = random.nextInt(6); i > 0; i--) {
                String chunk = "x".repeat(1 + random.nextInt(200)) + random.nextLong();
                body.append(Integer.toHexString(chunk.length()))
                        .append("\r\n")
                        .append(chunk)
                        .append("\r\n");
            }
            String response = "HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body + "0\r\n\r\n";
            int[] cuts = random.ints(random.nextInt(12), 0, response.length())
                    .sorted()
                    .toArray();
            int[] all = new int[response.length()];
            for (int i = 0; i < all.length; i++) {
                all[i] = i;
            }

            String whole = digest(response);
            assertEquals(whole, digest(response, cuts), "seed " + seed);
            assertEquals(whole, digest(response, all), "seed " + seed);
        }
    }

    @Test
    void isTheSameForTheSameContentInChunksOrWithALength() {
        String chunked = "HTTP/1.1 200 OK\r\nServer: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n"
                + BODY.substring(0, 5) + "\r\n" + Integer.toHexString(BODY.length() - 5) + "\r\n" + BODY.substring(5)
                + "\r\n0\r\n\r\n";

        assertEquals(digest(response("Server: a\r\n")), digest(chunked));
    }

    @Test
    void doesNotDependOnTheOrderOfHeadersNorOnTheirSpelling() {
        List<String> headers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            headers.add("X-H" + i + ": " + i * i + "\r\n");
        }
        String inOrder = digest(response(String.join("", headers)));
        Collections.reverse(headers);

        assertEquals(inOrder, digest(response(String.join("", headers))));
        assertEquals(
                inOrder,
                digest(response(String.join("", headers).replace("X-H", "x-h").replace(": ", ":  "))));
    }

    @Test
    void dependsOnTheOrderOfTheValuesOfOneHeader() {
        String inOrder = digest(response("Vary: a\r\nServer: x\r\nVary: b\r\n"));

        assertEquals(inOrder, digest(response("Vary: a\r\nVary: b\r\nServer: x\r\n")));
        assertNotEquals(inOrder, digest(response("Vary: b\r\nVary: a\r\nServer: x\r\n")));
        assertNotEquals(inOrder, digest(response("Vary: a\r\nServer: x\r\n")));
    }

    @Test
    void leavesOutWhatBelongsToTheConnectionOrTheMomentAndWhatTheUserNames() {
        String plain = digest(response("Server: a\r\n"));

        assertEquals(
                plain,
                digest(
                        response(
                                "Server: a\r\nDate: Sat, 21 Nov 2026 13:00:00 GMT\r\nConnection: keep-alive\r\nAge: 7\r\n"
                                        + "Via: 1.1 x\r\nX-Request-ID: 5f\r\nServer-Timing: db;dur=53\r\nX-Mine: z\r\n y\r\n")));
        assertNotEquals(plain, digest(response("Server: a\r\nX-Other: 1\r\n")));
        assertNotEquals(plain, digest(response("Server: b\r\n")));
    }

    @Test
    void leavesOutEveryHeaderOfTracers() {
        String plain = digest(response("Server: a\r\n"));

        assertEquals(
                plain,
                digest(response("Server: a\r\nb3: 80f1-e457-1\r\nX-B3-Flags: 1\r\nx-b3-traceid: 5f\r\n"
                        + "X-Amzn-Trace-Id: Root=1-5f\r\nX-Amzn-Remapped-Date: Sat\r\n")));
        assertNotEquals(plain, digest(response("Server: a\r\nX-B3: 1\r\n")));
    }

    @Test
    void comparesCookiesByTheirNames() {
        String one = digest(response("Set-Cookie: session=abc; Path=/\r\n"));

        assertEquals(one, digest(response("Set-Cookie: session=xyz; Path=/\r\n")));
        assertNotEquals(one, digest(response("Set-Cookie: other=abc; Path=/\r\n")));
    }

    @Test
    void takesAFoldedLineForPartOfTheValueBefore() {
        assertNotEquals(digest(response("X-A: 1\r\n 2\r\n")), digest(response("X-A: 1\r\n 3\r\n")));
        assertNotEquals(digest(response("X-A: 1\r\n 2\r\n")), digest(response("X-A: 1\r\n")));
    }

    /** The JDK writes 0 for the system up to 15, and 255 from 16 on; others' gzip packs otherwise, too. */
    @Test
    void digestsWhatABodyInGzipHolds() {
        byte[] text = BODY.repeat(3000).getBytes(StandardCharsets.US_ASCII);
        byte[] quick = gzip(text, Deflater.BEST_SPEED, 0, 0);
        byte[] small = gzip(text, Deflater.BEST_COMPRESSION, 255, 0x1e);
        assertNotEquals(quick.length, small.length);

        String held = noted("gzip", quick, quick.length);
        assertTrue(held.startsWith(text.length + " "), held);
        for (int piece : new int[] {1, 7, 1000}) {
            assertEquals(held, noted("GZip", quick, piece));
            assertEquals(held, noted("gzip", small, piece));
        }
        assertNotEquals(held, noted("gzip", gzip(new byte[text.length], Deflater.BEST_SPEED, 0, 0), 1000));
        byte[] members = Arrays.copyOf(quick, quick.length + small.length);
        System.arraycopy(small, 0, members, quick.length, small.length);
        assertTrue(noted("gzip", members, 1000).startsWith(2 * text.length + " "));
        assertEquals(text.length + " " + held.split(" ")[1], noted("identity", text, 1000));
    }

    @Test
    void digestsABodyThatIsNoWholeGzipAsItCame() {
        byte[] text = BODY.repeat(3000).getBytes(StandardCharsets.US_ASCII);
        byte[] packed = gzip(text, Deflater.BEST_SPEED, 0, 0);
        byte[] damaged = packed.clone();
        Arrays.fill(damaged, 20, packed.length, (byte) 0xff);
        byte[] more = Arrays.copyOf(packed, packed.length + 1);
        byte[] otherCrc = packed.clone();
        otherCrc[packed.length - 8] ^= 1;
        byte[] otherLength = packed.clone();
        otherLength[packed.length - 1] ^= 1;

        for (byte[] body :
                List.of(Arrays.copyOf(packed, packed.length - 9), damaged, more, otherCrc, otherLength, text)) {
            assertEquals(noted("identity", body, 1000), noted("gzip", body, 1000));
        }
        assertTrue(noted("br", packed, 1000).startsWith(packed.length + " "));
        assertTrue(noted("gzip", packed, 1000).startsWith(text.length + " "), "after those that failed");
    }

    @Test
    void unpacksNoMoreThanTheEventLoopHasTimeFor() {
        byte[] bomb = gzip(new byte[(int) GzipDigest.MOST_BYTES + 1], Deflater.BEST_SPEED, 0, 0);

        assertTrue(noted("gzip", bomb, 10_000).startsWith(bomb.length + " "));
    }

    /** Returns length and digest of a body that comes in pieces of this size, as they are noted. */
    private String noted(String coding, byte[] body, int piece) {
        AnswerDigest digest = new AnswerDigest();
        ByteBuf line = Unpooled.copiedBuffer("Content-Encoding: " + coding, StandardCharsets.US_ASCII);
        ByteBuf bytes = UNTRACKED.directBuffer().writeBytes(body);
        // The first time it is cut off.
        for (int end : new int[] {body.length / 2, body.length}) {
            digest.begin(log, 0);
            digest.headerLine(line, 0, line.writerIndex());
            for (int at = 0; at < end; at += piece) {
                digest.body(bytes, at, Math.min(end, at + piece));
            }
        }
        digest.end(0);
        log.answered(0, 200, body.length);
        bytes.release();
        return log.bodyBytes(0) + " " + log.body(0);
    }

    /** @param flags of what the head has: 2 a digest, 4 more fields, 8 a name, 16 a comment */
    private static byte[] gzip(byte[] text, int level, int system, int flags) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0x1f, (byte) 0x8b, 8, (byte) flags, 0, 0, 0, 0, 0, (byte) system});
        if (flags != 0) {
            out.writeBytes("\3\0abcname\0comment\0\1\2".getBytes(StandardCharsets.ISO_8859_1));
        }
        Deflater deflater = new Deflater(level, true);
        deflater.setInput(text);
        deflater.finish();
        byte[] data = new byte[text.length + 100];
        out.write(data, 0, deflater.deflate(data));
        deflater.end();
        CRC32 crc = new CRC32();
        crc.update(text);
        out.writeBytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) crc.getValue())
                .putInt(text.length)
                .array());
        return out.toByteArray();
    }

    @Test
    void digestsOnlyTheRequestsThatTheLogCovers() {
        assertFalse(new AnswerDigest().begin(log, 1));
        assertFalse(new AnswerDigest().begin(null, 0));
    }
}
