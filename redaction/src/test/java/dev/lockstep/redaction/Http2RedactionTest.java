package dev.lockstep.redaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Http2RedactionTest {
    private static final String SECRET = "s3cr3tV4lue-9f8e7d6c5b4a";
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int NEVER_HUFFMAN = Integer.MAX_VALUE;

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final RedactionPolicy policy =
            RedactionPolicy.defaults(TestingStream.KEY).unsearchable(Unsearchable.KEEP);
    private final ByteBuf stream = Unpooled.buffer();

    private void frame(int type, int flags, int id, byte[] payload) {
        stream.writeMedium(payload.length)
                .writeByte(type)
                .writeByte(flags)
                .writeInt(id)
                .writeBytes(payload);
    }

    private void begin() {
        stream.writeBytes(TestingStream.latin(PREFACE));
        frame(4, 0, 0, new byte[0]);
    }

    /** Writes a header block, cut at random into frames with random padding and priority. */
    private void headers(Http2HeadersEncoder encoder, int id, Http2Headers headers, boolean endStream)
            throws Http2Exception {
        ByteBuf block = Unpooled.buffer();
        encoder.encodeHeaders(id, headers, block);
        byte[] bytes = ByteBufUtil.getBytes(block);
        int cut = random.nextBoolean() ? bytes.length : random.nextInt(bytes.length + 1);
        int flags = (endStream ? 1 : 0) | (cut == bytes.length ? 4 : 0);
        ByteBuf first = Unpooled.buffer();
        int padding = 0;
        if (random.nextBoolean()) {
            flags |= 8;
            padding = random.nextInt(5);
            first.writeByte(padding);
        }
        if (random.nextBoolean()) {
            flags |= 32;
            first.writeInt(0).writeByte(1);
        }
        first.writeBytes(bytes, 0, cut).writeZero(padding);
        frame(1, flags, id, ByteBufUtil.getBytes(first));
        while (cut < bytes.length) {
            int next = cut + 1 + random.nextInt(bytes.length - cut);
            frame(9, next == bytes.length ? 4 : 0, id, Arrays.copyOfRange(bytes, cut, next));
            cut = next;
        }
    }

    /** Reads the header blocks of a stream of frames. */
    private static List<Http2Headers> decode(byte[] bytes) throws Http2Exception {
        DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(true);
        List<Http2Headers> found = new ArrayList<>();
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        in.skipBytes(PREFACE.length());
        ByteBuf block = Unpooled.buffer();
        while (in.isReadable()) {
            int length = in.readMedium();
            int type = in.readByte();
            int flags = in.readByte();
            int id = in.readInt();
            ByteBuf payload = in.readSlice(length);
            if (type != 1 && type != 9) {
                continue;
            }
            int padding = (flags & 8) != 0 ? payload.readByte() : 0;
            payload.skipBytes(type == 1 && (flags & 32) != 0 ? 5 : 0);
            block.writeBytes(payload, payload.readableBytes() - padding);
            if ((flags & 4) != 0) {
                found.add(decoder.decodeHeaders(id, block));
                block.clear();
            }
        }
        return found;
    }

    private byte[] redact() {
        byte[] bytes = ByteBufUtil.getBytes(stream);
        byte[] whole = TestingStream.redact(policy, null, bytes);
        assertEquals(bytes.length, whole.length);
        for (int i = 0; i < 50; i++) {
            try (TestingStream cut = new TestingStream(policy, null, false)) {
                int from = 0;
                while (from < bytes.length) {
                    int to = Math.min(bytes.length, from + 1 + random.nextInt(i % 2 == 0 ? 3 : 100));
                    cut.feed(bytes, from, to);
                    from = to;
                }
                assertArrayEquals(whole, cut.end(), "seed " + seed);
            }
        }
        return whole;
    }

    private void replacesHeaders(int huffmanFrom) throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder(
                (name, value) -> name.toString().equals("x-auth-token"), true, 64, huffmanFrom);
        begin();
        List<Http2Headers> sent = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Http2Headers headers = new DefaultHttp2Headers()
                    .method("GET")
                    .path("/a/b?page=" + i + "&api_key=" + SECRET + "&x=y")
                    .scheme("http")
                    .authority("shop")
                    .add("authorization", "Bearer " + SECRET)
                    .add("cookie", "lang=" + SECRET + "; sid=\"" + SECRET + "\"")
                    .add("x-api-key", SECRET)
                    .add("x-auth-token", SECRET)
                    .add("referer", "https://u:" + SECRET + "@shop/?a=b&f=%7B%22token%22%3A%22" + SECRET + "%22%7D")
                    .add("origin", "http://[::1]:8080")
                    .add("x-request-id", "id-" + random.nextInt(5))
                    .add("accept", "*/*");
            headers(encoder, 2 * i + 1, headers, true);
            sent.add(headers);
        }
        List<Http2Headers> found = decode(redact());
        assertEquals(sent.size(), found.size());
        String token = found.get(0).get("x-api-key").toString();
        assertNotEquals(SECRET, token);
        for (int i = 0; i < sent.size(); i++) {
            Http2Headers headers = found.get(i);
            assertFalse(headers.toString().contains(SECRET), headers.toString());
            assertEquals(
                    sent.get(i).toString().replace(SECRET, token),
                    headers.toString(),
                    "the same token everywhere, and all else as it was; seed " + seed);
        }
        assertNotEquals(0, policy.counts().of(RuleKind.HTTP2));
        assertEquals(0, policy.counts().overwrittenBytes());
        assertEquals(0, policy.counts().unsearchedConnections());
    }

    @Test
    void replacesHuffmanCodedHeadersAndKeepsTheTables() throws Http2Exception {
        replacesHeaders(0);
    }

    @Test
    void replacesPlainHeadersAndKeepsTheTables() throws Http2Exception {
        replacesHeaders(NEVER_HUFFMAN);
    }

    @Test
    void givesPlainHeadersTheTokenOfHttp1() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, NEVER_HUFFMAN);
        begin();
        headers(encoder, 1, new DefaultHttp2Headers().path("/").add("x-api-key", SECRET), true);
        String token = decode(redact()).get(0).get("x-api-key").toString();
        String http1 = TestingStream.redact(policy, "GET / HTTP/1.1\r\nX-Api-Key: " + SECRET + "\r\n\r\n");
        assertTrue(http1.contains(token));
    }

    @Test
    void replacesFieldsOfBodiesWhoseFramesMix() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, 0);
        begin();
        for (int id = 1; id <= 5; id += 2) {
            headers(encoder, id, new DefaultHttp2Headers().path("/").add("content-type", "application/json"), false);
        }
        String body = "{\"a\":\"b\",\"token\":\"" + SECRET + "\"}";
        int[] at = new int[3];
        while (at[0] < body.length() || at[1] < body.length() || at[2] < body.length()) {
            int which = random.nextInt(3);
            if (at[which] < body.length()) {
                int next = Math.min(body.length(), at[which] + 1 + random.nextInt(10));
                byte[] data = TestingStream.latin(body.substring(at[which], next));
                boolean padded = random.nextBoolean();
                byte[] payload = new byte[data.length + (padded ? 4 : 0)];
                System.arraycopy(data, 0, payload, padded ? 1 : 0, data.length);
                payload[0] = padded ? 3 : payload[0];
                frame(0, (padded ? 8 : 0) | (next == body.length() ? 1 : 0), 2 * which + 1, payload);
                at[which] = next;
            }
        }
        byte[] out = redact();
        StringBuilder[] bodies = {new StringBuilder(), new StringBuilder(), new StringBuilder()};
        ByteBuf in = Unpooled.wrappedBuffer(out);
        in.skipBytes(PREFACE.length());
        while (in.isReadable()) {
            int length = in.readMedium();
            int type = in.readByte();
            int flags = in.readByte();
            int id = in.readInt();
            ByteBuf payload = in.readSlice(length);
            if (type == 0) {
                int padding = (flags & 8) != 0 ? payload.readByte() : 0;
                bodies[id / 2].append(TestingStream.latin(
                        ByteBufUtil.getBytes(payload.slice(payload.readerIndex(), payload.readableBytes() - padding))));
            }
        }
        for (StringBuilder found : bodies) {
            assertTrue(found.toString().matches("\\{\"a\":\"b\",\"token\":\"\\w{24}\"}"), found.toString());
            assertEquals(bodies[0].toString(), found.toString());
            assertFalse(found.toString().contains(SECRET));
        }
        assertEquals(0, policy.counts().overwrittenBytes(), "seed " + seed);
    }

    @Test
    void readsBodiesByTheHeadersThatServersKnow() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, 0);
        begin();
        Http2Headers headers = new DefaultHttp2Headers()
                .path("/")
                .add("content-type", "application/x-www-form-urlencoded")
                .add("content_type", "application/json")
                .add("contentencoding", "gzip");
        headers(encoder, 1, headers, false);
        frame(0, 1, 1, TestingStream.latin("user=u&password=" + SECRET));
        assertFalse(TestingStream.latin(redact()).contains(SECRET));
        assertEquals(0, policy.counts().unsearchedBodies());
    }

    @Test
    void countsDataOfAStreamThatWasNeverOpenedAsNotSearched() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, 0);
        begin();
        headers(encoder, 3, new DefaultHttp2Headers().path("/"), true);
        frame(0, 0, 1, TestingStream.latin("token=" + SECRET));
        frame(0, 0, 1, TestingStream.latin("and more"));
        frame(0, 1, 1, new byte[0]);
        TestingStream.redact(policy, null, ByteBufUtil.getBytes(stream));
        assertEquals(1, policy.counts().unsearchedBodies());
    }

    /** Streams that the server ended are not seen to end; it is no loss where nothing more comes on them. */
    @Test
    void countsEachStreamThatWasGivenUpWhenMoreOfItsBodyComes() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, 0);
        begin();
        for (int i = 0; i <= 257; i++) {
            headers(encoder, 2 * i + 1, new DefaultHttp2Headers().path("/"), false);
        }
        TestingStream.redact(policy, null, ByteBufUtil.getBytes(stream));
        assertEquals(0, policy.counts().unsearchedBodies());
        frame(0, 0, 1, TestingStream.latin("token=" + SECRET));
        frame(0, 0, 3, TestingStream.latin("token=" + SECRET));
        frame(0, 1, 1, TestingStream.latin("and more"));
        TestingStream.redact(policy, null, ByteBufUtil.getBytes(stream));
        assertEquals(2, policy.counts().unsearchedBodies());
    }

    @Test
    void overwritesDataOfNoKnownStreamOnceATunnelWasGivenUp() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, 0);
        begin();
        headers(encoder, 1, new DefaultHttp2Headers().method("CONNECT").authority("shop"), false);
        for (int i = 1; i <= 256; i++) {
            headers(encoder, 2 * i + 1, new DefaultHttp2Headers().path("/"), false);
        }
        frame(0, 0, 1, TestingStream.latin(SECRET));
        RedactionPolicy dropping = policy.unsearchable(Unsearchable.DROP);
        byte[] out = TestingStream.redact(dropping, null, ByteBufUtil.getBytes(stream));
        assertFalse(TestingStream.latin(out).contains(SECRET));
        assertEquals(SECRET.length(), dropping.counts().unsearchedLeftOutBytes());
    }

    @Test
    void overwritesWhatFollowsMissingBytes() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, NEVER_HUFFMAN);
        begin();
        headers(encoder, 1, new DefaultHttp2Headers().path("/").add("x-api-key", SECRET), true);
        byte[] bytes = ByteBufUtil.getBytes(stream);
        try (TestingStream connection = new TestingStream(policy, null, false)) {
            connection.feed(bytes, 0, bytes.length - 10);
            connection.missing(1);
            connection.feed(bytes, bytes.length - 9, bytes.length);
            connection.feed(bytes, PREFACE.length(), bytes.length);
            String out = TestingStream.latin(connection.end());
            assertFalse(out.contains(SECRET.substring(0, 10)) || out.contains(SECRET.substring(14)), out);
        }
    }

    @Test
    void replacesValuesThatAreTooLongToHold() throws Http2Exception {
        String text = (SECRET + ";").repeat(6000);
        for (int huffmanFrom : new int[] {0, NEVER_HUFFMAN}) {
            stream.clear();
            Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, huffmanFrom);
            begin();
            headers(encoder, 1, new DefaultHttp2Headers().path("/").add("x-api-key", text), true);
            headers(encoder, 3, new DefaultHttp2Headers().path("/b").add("x-api-key", SECRET), true);
            byte[] out = TestingStream.redact(policy, null, ByteBufUtil.getBytes(stream));
            assertFalse(TestingStream.latin(out).contains(SECRET));
            DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, 1 << 20);
            assertTrue(decoder.configuration().maxHeaderListSize() >= text.length());
            assertEquals(0, policy.counts().overwrittenBytes());
        }
    }

    @Test
    void replacesHeadersBehindAnUpgrade() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, NEVER_HUFFMAN);
        begin();
        headers(encoder, 3, new DefaultHttp2Headers().path("/").add("x-api-key", SECRET), true);
        byte[] bytes = ByteBufUtil.getBytes(stream);
        String upgrade = "GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n";
        byte[] answer = TestingStream.latin("HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
        for (int before = 0; before <= bytes.length; before++) {
            try (TestingStream connection = new TestingStream(policy, null, false)) {
                connection.feed(upgrade);
                connection.feed(bytes, 0, before);
                connection.answer(answer);
                connection.feed(bytes, before, bytes.length);
                String out = TestingStream.latin(connection.end());
                assertEquals(upgrade.length() + bytes.length, out.length());
                assertTrue(out.startsWith(upgrade + PREFACE), "" + before);
                assertFalse(out.contains(SECRET), "answered behind " + before + " bytes");
            }
        }
        assertEquals(0, policy.counts().overwrittenBytes());
    }

    @Test
    void overwritesConnectionsThatWereOpenBefore() {
        begin();
        frame(1, 4, 1, TestingStream.latin("\u0082\u0086\u0084\17\20\11image/png"));
        frame(0, 1, 1, TestingStream.latin("token=" + SECRET));
        byte[] bytes = ByteBufUtil.getBytes(stream);
        try (TestingStream connection = new TestingStream(policy, Protocol.HTTP2, true)) {
            connection.feed(bytes, PREFACE.length() + 3, bytes.length);
            assertFalse(TestingStream.latin(connection.end()).contains(SECRET));
        }
        for (Protocol forced : new Protocol[] {null, Protocol.HTTP2}) {
            try (TestingStream fromItsFirstByte = new TestingStream(policy, forced, true)) {
                long overwritten = policy.counts().overwrittenBytes();
                fromItsFirstByte.feed(bytes, 0, bytes.length);
                assertEquals(TestingStream.latin(bytes), TestingStream.latin(fromItsFirstByte.end()));
                assertEquals(overwritten, policy.counts().overwrittenBytes());
            }
        }
    }

    @Test
    void overwritesWhatIsNoFrameAndWhatNoServerReads() {
        String[] kept = {
            "\0\0\10\6\0\0\0\0\00012345678", "\0\0\4\20\0\0\0\0\0\0\0\0\1", "\0\0\10\7\0\0\0\0\0\0\0\0\1\0\0\0\2"
        };
        for (String frame : kept) {
            assertEquals(PREFACE + frame, TestingStream.redact(policy, PREFACE + frame));
        }
        assertEquals(0, policy.counts().overwrittenBytes());
        String text = "\r\nX-Api-Key: " + SECRET + "\r\n";
        for (String head : new String[] {
            "\0\1\0\0\0\0\0\0\1", // DATA of a stream that was never opened
            "\0\1\0\1\4\0\0\0\2", // HEADERS of a server's stream
            "\0\1\0\4\0\0\0\0\0", // SETTINGS that are none
            "\0\1\0\6\0\0\0\0\0", // PING
            "\0\1\0\5\4\0\0\0\1", // PUSH_PROMISE
            "\0\1\0\7\0\0\0\0\0\0\0\0\1\0\0\0\2", // GOAWAY with words
            "\0\1\0\13\0\0\0\0\0" // a type that nobody knows
        }) {
            assertFalse(TestingStream.redact(policy, PREFACE + head + text).contains(SECRET), head);
        }
    }

    @Test
    void holdsNoMoreThanAValueMaySpanWhileAnotherStreamSendsALongFrame() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, NEVER_HUFFMAN);
        begin();
        headers(encoder, 1, new DefaultHttp2Headers().path("/").add("content-type", "application/json"), false);
        frame(0, 0, 1, TestingStream.latin("{\"token\":\"" + SECRET));
        headers(encoder, 3, new DefaultHttp2Headers().path("/").add("content-type", "image/png"), false);
        frame(0, 1, 3, new byte[2_000_000]);
        frame(0, 1, 1, TestingStream.latin(SECRET + "\"}"));
        byte[] bytes = ByteBufUtil.getBytes(stream);
        try (TestingStream connection = new TestingStream(policy, null, false)) {
            int piece = 8192;
            for (int from = 0; from < bytes.length; from += piece) {
                int to = Math.min(bytes.length, from + piece);
                connection.feed(bytes, from, to);
                int held = to - connection.out.size();
                assertTrue(held <= Secret.LONGEST_SPAN + piece, held + " bytes held behind " + to);
            }
            String out = TestingStream.latin(connection.end());
            assertFalse(out.contains(SECRET), "the secret is replaced in both parts");
        }
    }

    @Test
    void holdsOtherStreamsForASecondWhileASecretStandsOpen() throws Http2Exception {
        Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, NEVER_HUFFMAN);
        begin();
        headers(encoder, 1, new DefaultHttp2Headers().path("/").add("content-type", "application/json"), false);
        frame(0, 0, 1, TestingStream.latin("{\"token\":\"" + SECRET));
        try (TestingStream connection = new TestingStream(policy, null, false)) {
            int open = feedRest(connection, 0);
            int handedOn = connection.out.size();
            assertTrue(handedOn < open);
            headers(encoder, 3, new DefaultHttp2Headers().path("/3"), true);
            int held = feedRest(connection, open);
            assertEquals(handedOn, connection.out.size());
            connection.pass(1_000_000_000);
            headers(encoder, 5, new DefaultHttp2Headers().path("/5"), true);
            int all = feedRest(connection, held);
            assertEquals(all, connection.out.size());
            frame(0, 1, 1, TestingStream.latin(SECRET + "\"}"));
            feedRest(connection, all);
            String out = TestingStream.latin(connection.end());
            assertFalse(out.contains(SECRET), "the secret is replaced in both parts");
            assertTrue(out.endsWith("\"}"), out);
        }
    }

    @Test
    void keepsADelimiterWithinWhichItsStreamStandsStill() throws Http2Exception {
        String delimiter = "\r\n--edge";
        for (int cut = 0; cut < delimiter.length(); cut++) {
            Http2HeadersEncoder encoder =
                    new DefaultHttp2HeadersEncoder((name, value) -> false, true, 64, NEVER_HUFFMAN);
            stream.clear();
            begin();
            headers(
                    encoder,
                    1,
                    new DefaultHttp2Headers().path("/").add("content-type", "multipart/form-data; boundary=edge"),
                    false);
            String part = "--edge\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + SECRET;
            frame(0, 0, 1, TestingStream.latin(part + delimiter.substring(0, cut)));
            try (TestingStream connection = new TestingStream(policy, null, false)) {
                int open = feedRest(connection, 0);
                connection.pass(2_000_000_000);
                headers(encoder, 3, new DefaultHttp2Headers().path("/3"), true);
                int all = feedRest(connection, open);
                assertEquals(all, connection.out.size());
                frame(0, 1, 1, TestingStream.latin(delimiter.substring(cut) + "--\r\n"));
                feedRest(connection, all);
                String in = TestingStream.latin(ByteBufUtil.getBytes(stream));
                String out = TestingStream.latin(connection.end());
                int end = in.indexOf(SECRET) + SECRET.length();
                assertFalse(out.contains(SECRET));
                assertEquals(in.substring(end), out.substring(end), "cut at " + cut + ", seed " + seed);
            }
        }
    }

    /** Feeds what was written behind an offset; returns where that ends. */
    private int feedRest(TestingStream connection, int from) {
        byte[] bytes = ByteBufUtil.getBytes(stream);
        connection.feed(bytes, from, bytes.length);
        return bytes.length;
    }

    @Test
    void neverThrowsAndKeepsTheLength() {
        for (int i = 0; i < 3000; i++) {
            stream.clear();
            begin();
            for (int frames = random.nextInt(6); frames >= 0; frames--) {
                byte[] payload = new byte[random.nextInt(40)];
                random.nextBytes(payload);
                frame(random.nextInt(11), random.nextInt(64), random.nextInt(3), payload);
            }
            byte[] bytes = ByteBufUtil.getBytes(stream);
            assertEquals(bytes.length, TestingStream.redact(policy, Protocol.HTTP2, bytes).length, "seed " + seed);
        }
    }
}
