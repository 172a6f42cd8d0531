package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.handler.codec.http2.ReadOnlyHttp2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class Http2RequestsTest {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PUSH_PROMISE = 5;
    private static final int PING = 6;
    private static final int WINDOW_UPDATE = 8;
    private static final int CONTINUATION = 9;

    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int PRIORITY = 0x20;

    private final DefaultHttp2HeadersEncoder encoder =
            new DefaultHttp2HeadersEncoder(Http2HeadersEncoder.NEVER_SENSITIVE, false);
    private final ByteBuf stream = Unpooled.buffer().writeBytes(PREFACE);
    private final List<String> seen = new ArrayList<>();
    private Http2Requests requests = new Http2Requests();

    @Test
    void namesTheRequestsOfAConnection() throws Http2Exception {
        frame(SETTINGS, 0, 0, new byte[12]);
        frame(HEADERS, END_HEADERS | END_STREAM, 1, block("GET", "/a?b=1", "h:80"));
        frame(WINDOW_UPDATE, 0, 1, new byte[4]);
        frame(
                HEADERS,
                END_HEADERS,
                3,
                block("POST", "/a?b=2", "h:80", "content-type", "text/x", "content-length", "5"));
        frame(DATA, END_STREAM, 3, new byte[5]);
        frame(PING, 0, 0, new byte[8]);
        frame(HEADERS, END_HEADERS | END_STREAM, 5, block("GET", "/a?b=1", "h:80"));

        read();

        assertEquals(List.of("GET h:80 /a", "POST h:80 /a", "GET h:80 /a"), seen);
        assertEquals(3, requests.requests());
        assertTrue(requests.isFollowed());
        assertNull(requests.problem());
    }

    @Test
    void joinsContinuationsAndLeavesOutPaddingAndPriority() throws Http2Exception {
        byte[] block = block("PUT", "/long", "h", "x", "y".repeat(300));
        byte[] first = new byte[1 + 5 + 7 + 4];
        first[0] = 4;
        System.arraycopy(block, 0, first, 6, 7);
        frame(HEADERS, PADDED | PRIORITY | END_STREAM, 1, first);
        frame(CONTINUATION, 0, 1, new byte[0]);
        frame(CONTINUATION, 0, 1, Arrays.copyOfRange(block, 7, 100));
        frame(CONTINUATION, END_HEADERS, 1, Arrays.copyOfRange(block, 100, block.length));

        read();

        assertEquals(List.of("PUT h /long"), seen);
        assertTrue(requests.isFollowed());
    }

    @Test
    void takesTrailersForNoRequestButKeepsTheirTable() throws Http2Exception {
        frame(HEADERS, END_HEADERS, 1, block("POST", "/rpc", "h"));
        ByteBuf trailers = Unpooled.buffer();
        encoder.encodeHeaders(
                1, ReadOnlyHttp2Headers.trailers(false, new AsciiString("checksum"), new AsciiString("1")), trailers);
        frame(HEADERS, END_HEADERS | END_STREAM, 1, ByteBufUtil.getBytes(trailers));
        frame(HEADERS, END_HEADERS | END_STREAM, 3, block("POST", "/rpc", "h", "checksum", "1"));

        read();

        assertEquals(List.of("POST h /rpc", "POST h /rpc"), seen);
        assertTrue(requests.isFollowed());
    }

    @Test
    void takesALargerTableWhenTheClientUsesOne() throws Http2Exception {
        encoder.maxHeaderTableSize(Http2Requests.MAX_TABLE_BYTES);
        String value = "v".repeat(10_000);
        frame(HEADERS, END_HEADERS | END_STREAM, 1, block("GET", "/1", "h", "x", value));
        byte[] second = block("GET", "/1", "h", "x", value);
        assertTrue(second.length < 100, "the table is in use");
        frame(HEADERS, END_HEADERS | END_STREAM, 3, second);

        read();

        assertEquals(List.of("GET h /1", "GET h /1"), seen);
    }

    @Test
    void countsARequestWhoseHeadersAreTooLongToName() throws Http2Exception {
        String value = "v".repeat(3_000);
        for (int i = 0; i < 2; i++) {
            String[] more = new String[2 * (100 - 99 * i)];
            for (int j = 0; j < more.length; j += 2) {
                more[j] = "x";
                more[j + 1] = value;
            }
            frame(HEADERS, END_HEADERS | END_STREAM, 1 + 2 * i, block("GET", "/", "h", more));
        }

        read();

        assertEquals(List.of("null null null", "GET h /"), seen);
        assertEquals(2, requests.requests());
        assertTrue(requests.isFollowed());
    }

    @Test
    void followsNoConnectionThatBreaksTheRules() throws Http2Exception {
        byte[] block = block("GET", "/", "h");
        assertNotFollowed(HEADERS, END_HEADERS, 0, block);
        assertNotFollowed(HEADERS, END_HEADERS, 2, block);
        assertNotFollowed(CONTINUATION, END_HEADERS, 1, block);
        assertNotFollowed(PUSH_PROMISE, END_HEADERS, 1, block);
        assertNotFollowed(HEADERS, END_HEADERS | PADDED, 1, new byte[0]);
        assertNotFollowed(HEADERS, END_HEADERS | PADDED, 1, new byte[] {2, 0});
        assertNotFollowed(HEADERS, END_HEADERS | PRIORITY, 1, new byte[4]);
        assertNotFollowed(HEADERS, END_HEADERS, 1, new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff});
        assertNotFollowed(HEADERS, 0, 1, new byte[Http2Requests.MAX_BLOCK_BYTES + 1]);
    }

    @Test
    void followsNoHeadersThatOtherFramesInterrupt() throws Http2Exception {
        frame(HEADERS, 0, 1, block("GET", "/", "h"));
        frame(DATA, 0, 1, new byte[1]);

        read();

        assertFalse(requests.isFollowed());
        assertEquals(0, requests.requests());
        assertEquals("headers that do not go on in the next frame", requests.problem());
    }

    @Test
    void followsNoStreamWithoutThePreface() {
        stream.clear().writeCharSequence("GET / HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII);

        read();

        assertFalse(requests.isFollowed());
    }

    @Test
    void readsTheSameHoweverTheBytesAreCut() throws Http2Exception {
        for (int i = 0; i < 20; i++) {
            frame(HEADERS, END_HEADERS, 1 + 2 * i, block("GET", "/" + i % 7, "h" + i % 3));
            frame(DATA, END_STREAM, 1 + 2 * i, new byte[i]);
        }
        long seed = System.nanoTime();
        Random random = new Random(seed);
        read();
        List<String> whole = List.copyOf(seen);
        assertEquals(20, whole.size());
        for (int round = 0; round < 200; round++) {
            requests = new Http2Requests();
            seen.clear();
            for (int from = 0; from < stream.writerIndex(); ) {
                int to = Math.min(stream.writerIndex(), from + 1 + random.nextInt(1 + random.nextInt(60)));
                requests.feed(stream, from, to, this::see);
                from = to;
            }
            assertEquals(whole, seen, () -> "seed " + seed);
        }
    }

    /** Whatever the bytes are, nothing is thrown. */
    @Test
    void survivesDamage() throws Http2Exception {
        for (int i = 0; i < 5; i++) {
            frame(HEADERS, END_HEADERS, 1 + 2 * i, block("GET", "/" + i % 7, "h" + i % 3, "cookie", "c".repeat(40)));
        }
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            ByteBuf damaged = stream.copy();
            for (int change = 1 + random.nextInt(4); change > 0; change--) {
                damaged.setByte(
                        PREFACE.length + random.nextInt(damaged.writerIndex() - PREFACE.length), random.nextInt());
            }
            requests = new Http2Requests();
            requests.feed(damaged, 0, damaged.writerIndex(), this::see);
            assertTrue(requests.requests() <= 30, () -> "seed " + seed);
        }
    }

    private void assertNotFollowed(int type, int flags, int streamId, byte[] payload) {
        stream.clear().writeBytes(PREFACE);
        requests = new Http2Requests();
        frame(type, flags, streamId, payload);
        frame(HEADERS, END_HEADERS, 101, new byte[] {(byte) 0x82, (byte) 0x84});
        read();
        assertFalse(requests.isFollowed());
        assertTrue(requests.requests() <= 1);
    }

    private byte[] block(String method, String path, String authority, String... more) throws Http2Exception {
        Http2Headers headers = ReadOnlyHttp2Headers.clientHeaders(
                false,
                new AsciiString(method),
                new AsciiString(path),
                new AsciiString("http"),
                new AsciiString(authority),
                Arrays.stream(more).map(AsciiString::new).toArray(AsciiString[]::new));
        ByteBuf block = Unpooled.buffer();
        encoder.encodeHeaders(1, headers, block);
        return ByteBufUtil.getBytes(block);
    }

    private void frame(int type, int flags, int streamId, byte[] payload) {
        stream.writeMedium(payload.length);
        stream.writeByte(type).writeByte(flags).writeInt(streamId).writeBytes(payload);
    }

    private void read() {
        requests.feed(stream, 0, stream.writerIndex(), this::see);
    }

    private void see(RequestFacts facts) {
        seen.add(facts.method() + " " + facts.host() + " " + facts.path());
    }
}
