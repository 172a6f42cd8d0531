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
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.handler.codec.http2.ReadOnlyHttp2Headers;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class Http2ResponsesTest implements Http2Responses.Listener {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PUSH_PROMISE = 5;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int CONTINUATION = 9;

    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;

    private final DefaultHttp2HeadersEncoder encoder =
            new DefaultHttp2HeadersEncoder(Http2HeadersEncoder.NEVER_SENSITIVE, false);
    private final ByteBuf stream = Unpooled.buffer();
    private final List<String> seen = new ArrayList<>();
    private Http2Responses responses = new Http2Responses(this);

    @Test
    void saysWhatBecomesOfEachStream() throws Http2Exception {
        frame(SETTINGS, 0, 0, new byte[18]);
        frame(SETTINGS, 1, 0, new byte[0]);
        frame(HEADERS, END_HEADERS, 1, block("100"));
        frame(HEADERS, END_HEADERS, 1, block("200", "server", "x"));
        frame(HEADERS, END_HEADERS | END_STREAM, 3, block("404", "server", "x"));
        frame(DATA, 0, 1, new byte[100]);
        frame(PING, 0, 0, new byte[8]);
        byte[] padded = new byte[60];
        padded[0] = 9;
        frame(DATA, PADDED, 1, padded);
        frame(DATA, END_STREAM, 1, new byte[0]);
        frame(RST_STREAM, 0, 5, new byte[] {0, 0, 0, 8});
        frame(WINDOW_UPDATE, 0, 0, new byte[] {0, 0, 0, 8});
        frame(GOAWAY, 0, 0, new byte[] {0, 0, 0, 5, 0, 0, 0, 2, 'b', 'y', 'e'});

        read();

        assertEquals(
                List.of(
                        "status 1 200",
                        "status 3 404",
                        "ended 3",
                        "body 1 100 100",
                        "body 1 50 60",
                        "body 1 0 0",
                        "ended 1",
                        "reset 5 8",
                        "goAway 5 2"),
                seen);
        assertTrue(responses.isFollowed());
        assertTrue(responses.hasBegun());
        assertNull(responses.problem());
    }

    @Test
    void passesOverWhatIsPushedButKeepsItsTable() throws Http2Exception {
        frame(SETTINGS, 0, 0, new byte[0]);
        byte[] promise = block("200", "pushed", "header");
        byte[] payload = new byte[4 + promise.length];
        payload[3] = 2;
        System.arraycopy(promise, 0, payload, 4, promise.length);
        frame(PUSH_PROMISE, END_HEADERS, 1, payload);
        frame(HEADERS, END_HEADERS, 2, block("200", "pushed", "header"));
        frame(DATA, END_STREAM, 2, new byte[5]);
        frame(HEADERS, 0, 1, new byte[0]);
        frame(CONTINUATION, END_HEADERS, 1, block("200", "pushed", "header"));
        frame(HEADERS, END_HEADERS | END_STREAM, 1, trailers());

        read();

        assertEquals(List.of("body 2 5 5", "status 1 200", "ended 1"), seen);
        assertTrue(responses.isFollowed());
    }

    @Test
    void followsNoServerThatBreaksTheRules() throws Http2Exception {
        assertNotFollowed("no settings at the beginning", HEADERS, END_HEADERS, 1, block("200"));
        frame(SETTINGS, 0, 0, new byte[0]);
        assertNotFollowed("a frame without a stream", DATA, 0, 0, new byte[1]);
        frame(SETTINGS, 0, 0, new byte[0]);
        assertNotFollowed("a status that is no number of three digits", HEADERS, END_HEADERS, 1, block("2000"));
        frame(SETTINGS, 0, 0, new byte[0]);
        assertNotFollowed("a frame shorter than its padding", DATA, PADDED, 1, new byte[] {4, 0, 0});
        frame(SETTINGS, 0, 0, new byte[0]);
        assertNotFollowed("headers that cannot be decompressed", HEADERS, END_HEADERS, 1, new byte[] {
            (byte) 0xff, (byte) 0xff, (byte) 0xff
        });
        stream.writeBytes("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        assertNotFollowed("no settings at the beginning", SETTINGS, 0, 0, new byte[0]);
        assertFalse(responses.hasBegun());
    }

    @Test
    void readsTheSameHoweverTheBytesAreCut() throws Http2Exception {
        frame(SETTINGS, 0, 0, new byte[12]);
        for (int i = 0; i < 20; i++) {
            frame(HEADERS, END_HEADERS, 1 + 2 * i, block("20" + i % 7, "server", "h" + i % 3));
            frame(DATA, END_STREAM, 1 + 2 * i, new byte[i]);
            frame(RST_STREAM, 0, 1 + 2 * i, new byte[] {0, 0, 1, 0});
        }
        frame(GOAWAY, 0, 0, new byte[] {0, 0, 0, 5, 0, 0, 0, 2});
        long seed = System.nanoTime();
        Random random = new Random(seed);
        read();
        List<String> whole = List.copyOf(seen);
        assertEquals(81, whole.size());
        for (int round = 0; round < 201; round++) {
            responses = new Http2Responses(this);
            seen.clear();
            ByteBuf bytes = stream.duplicate();
            while (bytes.isReadable()) {
                int length = round == 0 ? 1 : 1 + random.nextInt(1 + random.nextInt(60));
                responses.feed(bytes.readSlice(Math.min(length, bytes.readableBytes())));
            }
            assertEquals(whole, seen, () -> "seed " + seed);
        }
    }

    /** Whatever the bytes are, nothing is thrown. */
    @Test
    void survivesDamage() throws Http2Exception {
        frame(SETTINGS, 0, 0, new byte[12]);
        for (int i = 0; i < 5; i++) {
            frame(HEADERS, END_HEADERS, 1 + 2 * i, block("200", "set-cookie", "c".repeat(40)));
            frame(DATA, END_STREAM, 1 + 2 * i, new byte[10]);
            frame(WINDOW_UPDATE, 0, 0, new byte[4]);
        }
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 4_000; round++) {
            ByteBuf damaged = stream.copy();
            for (int change = 1 + random.nextInt(4); change > 0; change--) {
                damaged.setByte(random.nextInt(damaged.writerIndex()), random.nextInt());
            }
            responses = new Http2Responses(this);
            seen.clear();
            try {
                responses.feed(damaged);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            assertTrue(seen.size() <= damaged.writerIndex() / 9, () -> "seed " + seed);
        }
    }

    @Override
    public void status(int stream, int status) {
        seen.add("status " + stream + " " + status);
    }

    @Override
    public void body(int stream, int bodyBytes, int windowBytes) {
        seen.add("body " + stream + " " + bodyBytes + " " + windowBytes);
    }

    @Override
    public void ended(int stream) {
        seen.add("ended " + stream);
    }

    @Override
    public void reset(int stream, long error) {
        seen.add("reset " + stream + " " + error);
    }

    @Override
    public void goAway(int lastStream, long error) {
        seen.add("goAway " + lastStream + " " + error);
    }

    private void assertNotFollowed(String problem, int type, int flags, int streamId, byte[] payload) {
        frame(type, flags, streamId, payload);
        responses = new Http2Responses(this);
        read();
        assertFalse(responses.isFollowed());
        assertEquals(problem, responses.problem());
        stream.clear();
    }

    private byte[] block(String status, String... more) throws Http2Exception {
        ByteBuf block = Unpooled.buffer();
        encoder.encodeHeaders(
                1,
                ReadOnlyHttp2Headers.serverHeaders(
                        false,
                        new AsciiString(status),
                        Arrays.stream(more).map(AsciiString::new).toArray(AsciiString[]::new)),
                block);
        return ByteBufUtil.getBytes(block);
    }

    private byte[] trailers() throws Http2Exception {
        ByteBuf block = Unpooled.buffer();
        encoder.encodeHeaders(
                1, ReadOnlyHttp2Headers.trailers(false, new AsciiString("grpc-status"), new AsciiString("0")), block);
        return ByteBufUtil.getBytes(block);
    }

    private void frame(int type, int flags, int streamId, byte[] payload) {
        stream.writeMedium(payload.length);
        stream.writeByte(type).writeByte(flags).writeInt(streamId).writeBytes(payload);
    }

    private void read() {
        responses.feed(stream.duplicate());
    }
}
