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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThriftRedactionTest {
    private static final String SECRET = "s3cr3tV4lue-9f8e7d6c5b4a";

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    @TempDir
    private Path folder;

    private RedactionPolicy policy;

    @BeforeEach
    void readRules() throws IOException {
        Path file = folder.resolve("rules.yaml");
        Files.writeString(file, "thrift:\n  login: [1, 2.3]\n  get*: [7]\n");
        policy = RedactionPolicy.load(file, TestingStream.KEY).unsearchable(Unsearchable.KEEP);
    }

    private interface Writing {
        void to(ByteBuf out);
    }

    private static byte[] bytes(Writing... parts) {
        ByteBuf out = Unpooled.buffer();
        for (Writing part : parts) {
            part.to(out);
        }
        return ByteBufUtil.getBytes(out);
    }

    private static Writing raw(int... bytes) {
        return out -> {
            for (int b : bytes) {
                out.writeByte(b);
            }
        };
    }

    private static Writing string(String text) {
        return out -> out.writeInt(text.length()).writeBytes(TestingStream.latin(text));
    }

    private static Writing shortString(String text) {
        return out -> out.writeByte(text.length()).writeBytes(TestingStream.latin(text));
    }

    /**
     * Returns the arguments of the function in the binary protocol: 1 = secret, 2 = {1 = i32, 3 = [secret]}, 3 = plain.
     */
    private static byte[] binary(boolean strict, String function, String one, String two) {
        return bytes(
                strict ? out -> out.writeInt(0x80010001) : raw(),
                string(function),
                strict ? raw() : raw(1),
                raw(0, 0, 0, 9),
                raw(11, 0, 1),
                string(one),
                raw(12, 0, 2, 8, 0, 1, 0, 0, 0, 5, 15, 0, 3, 11, 0, 0, 0, 2),
                string(two),
                string("x"),
                raw(0),
                raw(13, 0, 4, 11, 10, 0, 0, 0, 1),
                string("key"),
                out -> out.writeLong(77),
                raw(11, 0, 3),
                string("plain " + SECRET.length()),
                raw(0));
    }

    private static byte[] compact(String function, String one, String two) {
        return bytes(
                raw(0x82, 0x21, 0x89, 0x01),
                shortString(function),
                raw(0x18),
                shortString(one),
                raw(0x1c, 0x15, 10, 0x29, 0x28),
                shortString(two),
                shortString("x"),
                raw(0),
                raw(0x2b, 1, 0x86),
                shortString("key"),
                raw(0x80, 1),
                raw(0x08, 6),
                shortString("plain"),
                raw(0));
    }

    private static byte[] framed(byte[] message) {
        return bytes(out -> out.writeInt(message.length).writeBytes(message));
    }

    private byte[] redact(Protocol forced, byte[] stream) {
        byte[] whole = TestingStream.redact(policy, forced, stream);
        assertEquals(stream.length, whole.length);
        for (int i = 0; i < 50; i++) {
            try (TestingStream cut = new TestingStream(policy, forced, false)) {
                int from = 0;
                while (from < stream.length) {
                    int to = Math.min(stream.length, from + 1 + random.nextInt(i % 2 == 0 ? 3 : 50));
                    cut.feed(stream, from, to);
                    from = to;
                }
                assertArrayEquals(whole, cut.end(), "seed " + seed);
                assertEquals(cut.marksIn, cut.marksOut, "seed " + seed);
            }
        }
        return whole;
    }

    /** Checks that only the secrets changed, to one token. */
    private void replaces(Protocol forced, byte[] stream) {
        String before = TestingStream.latin(stream);
        String out = TestingStream.latin(redact(forced, stream));
        int at = before.indexOf(SECRET);
        assertTrue(at >= 0);
        String token = out.substring(at, at + SECRET.length());
        assertTrue(token.matches("[A-Za-z0-9]+"));
        assertNotEquals(SECRET, token);
        assertFalse(out.contains(SECRET));
        int other = before.indexOf("x", at + SECRET.length());
        assertEquals(
                before.replace(SECRET, token), out.substring(0, other) + "x" + out.substring(other + 1), forced + "");
    }

    @Test
    void replacesFieldsOfBinaryMessages() {
        for (boolean strict : new boolean[] {true, false}) {
            byte[] message = binary(strict, "login", SECRET, SECRET);
            replaces(Protocol.THRIFT_UNFRAMED_BINARY, message);
            replaces(Protocol.THRIFT_FRAMED_BINARY, framed(message));
            byte[] twice = bytes(out -> out.writeBytes(framed(message)).writeBytes(framed(message)));
            String out = TestingStream.latin(redact(Protocol.THRIFT_FRAMED_BINARY, twice));
            assertEquals(out.substring(out.length() / 2), out.substring(0, out.length() / 2));
        }
        replaces(null, framed(binary(true, "login", SECRET, SECRET)));
        replaces(null, framed(binary(true, "Service:login", SECRET, SECRET)));
    }

    @Test
    void replacesFieldsOfCompactMessages() {
        byte[] message = compact("login", SECRET, SECRET);
        replaces(Protocol.THRIFT_UNFRAMED_COMPACT, message);
        replaces(Protocol.THRIFT_FRAMED_COMPACT, framed(message));
        replaces(null, framed(message));
    }

    @Test
    void replacesFieldsInsideEnvelopes() {
        byte[] message = binary(true, "login", SECRET, SECRET);
        byte[] header = bytes(raw(0x0f, 0xff, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0), out -> out.writeBytes(message));
        replaces(Protocol.THRIFT_HEADER, framed(header));
        replaces(Protocol.THRIFT_HEADER, framed(framed(header)));
        byte[] dispatch = bytes(
                raw(2, 0, 0, 1, 0, 1, 0, 3, 'k', 'e', 'y', 0, 2, 'v', 'v', 0, 1, 'd', 0, 1, 0, 1, 'a', 0, 1, 'b'),
                out -> out.writeBytes(message));
        replaces(Protocol.THRIFT_MUX, framed(dispatch));
        byte[] request = bytes(raw(1, 0, 0, 1, 1, 5, 2, 'x', 'y'), out -> out.writeBytes(message));
        replaces(Protocol.THRIFT_MUX, framed(request));
        byte[] twitter = bytes(raw(10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0), out -> out.writeBytes(message));
        replaces(Protocol.THRIFT_TTWITTER, framed(twitter));
        String http = "POST / HTTP/1.1\r\nContent-Type: application/x-thrift\r\nContent-Length: " + message.length
                + "\r\n\r\n" + TestingStream.latin(message);
        replaces(null, TestingStream.latin(http));
        assertEquals(0, policy.counts().unsearchedBodies());
    }

    @Test
    void givesTheTokenThatHttpGets() {
        byte[] out = redact(null, framed(binary(true, "login", SECRET, SECRET)));
        String token = TestingStream.latin(out).substring(28, 28 + SECRET.length());
        String http = TestingStream.redact(policy, "GET / HTTP/1.1\r\nX-Api-Key: " + SECRET + "\r\n\r\n");
        assertTrue(http.contains(token), token + " " + http);
    }

    @Test
    void leavesOtherFunctionsAndFieldsAlone() {
        for (byte[] message : new byte[][] {
            binary(true, "logout", SECRET, SECRET), binary(true, "getUser", SECRET, SECRET), compact("x", SECRET, "y")
        }) {
            assertArrayEquals(framed(message), redact(null, framed(message)));
        }
        assertEquals(0, policy.counts().total());
    }

    @Test
    void replacesEverythingInsideASecretField() {
        // 7 = { 1 = bool, 2 = i64, 3 = double, 4 = map<string, set<i16>>, 5 = uuid }
        byte[] binary = bytes(
                out -> out.writeInt(0x80010001),
                string("getAll"),
                raw(0, 0, 0, 9, 12, 0, 7, 2, 0, 1, 1, 10, 0, 2),
                out -> out.writeLong(1234567890123L),
                raw(4, 0, 3),
                out -> out.writeDouble(1234.5),
                raw(13, 0, 4, 11, 14, 0, 0, 0, 1),
                string(SECRET),
                raw(6, 0, 0, 0, 2, 1, 2, 3, 4, 0, 0));
        byte[] out = redact(null, framed(binary));
        assertEquals(5, policy.counts().of(RuleKind.THRIFT) / 51);
        assertFalse(TestingStream.latin(out).contains(SECRET));
        byte[] compact = bytes(
                raw(0x82, 0x21, 1),
                shortString("getAll"),
                raw(0x7c, 0x11, 0x16, 0x80, 0x80, 1, 0x17),
                out2 -> out2.writeDoubleLE(1234.5),
                raw(0x1b, 1, 0x8a),
                shortString(SECRET),
                raw(0x24, 2, 0x84, 2, 0, 0));
        byte[] after = redact(null, framed(compact));
        assertFalse(TestingStream.latin(after).contains(SECRET));
        assertArrayEquals(redact(null, framed(compact)), after);
        double mantissa = Unpooled.wrappedBuffer(after).getDoubleLE(4 + 3 + 7 + 7);
        assertNotEquals(1234.5, mantissa);
        assertTrue(mantissa >= 1024 && mantissa < 2048, "sign and exponent stay: " + mantissa);
    }

    @Test
    void countsWhatItCannotRead() {
        byte[] message = TestingStream.latin("[1,\"login\",1,0,{\"1\":{\"str\":\"x\"}}]");
        redact(Protocol.THRIFT_FRAMED_JSON, framed(message));
        assertEquals(51, policy.counts().unsearchedBodies());
        RedactionPolicy defaults = RedactionPolicy.defaults(RedactionKey.random());
        TestingStream.redact(defaults, null, framed(binary(true, "login", SECRET, SECRET)));
        assertEquals(0, defaults.counts().unsearchedConnections());
        assertEquals(1, defaults.counts().unruledConnections());
    }

    private static Writing varint(int value) {
        return out -> {
            int left = value;
            while (left >= 0x80) {
                out.writeByte(left & 0x7f | 0x80);
                left >>>= 7;
            }
            out.writeByte(left);
        };
    }

    private static Writing text(String text) {
        return out -> {
            varint(text.length()).to(out);
            out.writeBytes(TestingStream.latin(text));
        };
    }

    /** A THeader frame with this header section, padded to whole words. */
    private static byte[] header(byte[] section, byte[] payload) {
        int words = (section.length + 3) / 4;
        return framed(bytes(
                raw(0x0f, 0xff, 0, 0, 0, 0, 0, 1, 0, words),
                out -> out.writeBytes(section).writeZero(words * 4 - section.length),
                out -> out.writeBytes(payload)));
    }

    /** With rules for Thrift fields and without. */
    @Test
    void replacesInfoHeadersOfTheader() {
        byte[] message = binary(true, "logout", "one", "two");
        String token = null;
        for (RedactionPolicy rules : new RedactionPolicy[] {policy, RedactionPolicy.defaults(TestingStream.KEY)}) {
            policy = rules;
            for (int info : new int[] {1, 2}) {
                byte[] section = bytes(
                        raw(0, 0, info, 3),
                        text("client_id"),
                        text("shop"),
                        text("authorization"),
                        text("Bearer " + SECRET),
                        text("X-Api-Key"),
                        text(SECRET));
                byte[] stream = header(section, message);
                String before = TestingStream.latin(stream);
                String out = TestingStream.latin(redact(null, stream));
                int at = before.indexOf(SECRET);
                token = out.substring(at, at + SECRET.length());
                assertNotEquals(SECRET, token);
                assertEquals(before.replace(SECRET, token), out);
                replaces(Protocol.THRIFT_HEADER, framed(stream));
            }
            assertEquals(0, policy.counts().unsearchedBodies());
        }
        String http = TestingStream.redact(policy, "GET / HTTP/1.1\r\nX-Api-Key: " + SECRET + "\r\n\r\n");
        assertTrue(http.contains(token), "the token that HTTP gets");
    }

    @Test
    void replacesInfoHeadersBeforeATransformedPayload() {
        byte[] payload = new byte[100];
        random.nextBytes(payload);
        byte[] section = bytes(
                raw(2, 2, 1, 2, 16), // compact; zlib, HMAC of 16 bytes
                raw(1, 1),
                text("user-agent"),
                text("me"),
                raw(2, 2),
                text("cookie"),
                text("a=" + SECRET),
                text("x-token"),
                text("first\n" + SECRET + "\n"),
                raw(0));
        byte[] out = redact(null, header(section, payload));
        assertFalse(TestingStream.latin(out).contains(SECRET));
        assertArrayEquals(payload, Arrays.copyOfRange(out, out.length - 100, out.length));
        assertEquals(51, policy.counts().unsearchedBodies());
    }

    /** As a server of fbthrift reads it: frame by frame. */
    @Test
    void replacesInfoHeadersBehindAnotherMessage() {
        byte[] section = bytes(raw(0, 0, 1, 1), text("x-token"), text(SECRET));
        byte[] first = framed(binary(true, "logout", "one", "two"));
        byte[] second = header(section, binary(false, "login", SECRET, SECRET));
        replaces(Protocol.THRIFT_FRAMED_BINARY, bytes(out -> out.writeBytes(first)
                .writeBytes(second)));
        assertEquals(0, policy.counts().unsearchedBodies());
    }

    private static Writing shortSized(String text) {
        return out -> out.writeShort(text.length()).writeBytes(TestingStream.latin(text));
    }

    /** A context in TTwitter's header. */
    private static Writing context(String key, String value) {
        return out -> {
            raw(11, 0, 1).to(out);
            string(key).to(out);
            raw(11, 0, 2).to(out);
            string(value).to(out);
            raw(0).to(out);
        };
    }

    /** With rules for Thrift fields and without. */
    @Test
    void replacesContextsOfMuxAndTtwitter() {
        byte[] message = binary(true, "logout", "one", "two");
        byte[] dispatch = bytes(
                raw(2, 0, 0, 1, 0, 4),
                shortSized("com.twitter.finagle.Deadline"),
                shortSized("0123456789abcdef"),
                shortSized("authorization"),
                shortSized("Bearer " + SECRET),
                shortSized("x-token"),
                shortSized(""),
                shortSized("com.acme.XApiKey"),
                shortSized(SECRET),
                raw(0, 1, 'd', 0, 1),
                shortSized("x-token"),
                shortSized("b"),
                out -> out.writeBytes(message));
        // Cut, the ping counts as the beginning of the request.
        byte[] mux =
                bytes(out -> out.writeBytes(framed(bytes(raw(65, 0, 0, 1)))), out -> out.writeBytes(framed(dispatch)));
        byte[] twitter = bytes(
                raw(10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 12, 0, 6, 11, 0, 1),
                string("shop"),
                raw(0, 15, 0, 8, 12, 0, 0, 0, 3),
                context("com.twitter.finagle.Deadline", "0123456789abcdef"),
                context("authorization", "Bearer " + SECRET),
                context("com.acme.XApiKey", SECRET),
                raw(11, 0, 9),
                string("dest"),
                raw(0),
                out -> out.writeBytes(message));
        for (RedactionPolicy rules : new RedactionPolicy[] {policy, RedactionPolicy.defaults(TestingStream.KEY)}) {
            policy = rules;
            for (Protocol protocol : new Protocol[] {Protocol.THRIFT_MUX, Protocol.THRIFT_TTWITTER}) {
                byte[] stream = protocol == Protocol.THRIFT_MUX ? mux : framed(twitter);
                String before = TestingStream.latin(stream);
                String out = TestingStream.latin(redact(protocol, stream));
                int at = before.indexOf(SECRET);
                String token = out.substring(at, at + SECRET.length());
                assertNotEquals(SECRET, token);
                assertEquals(before.replace(SECRET, token), out, protocol + "");
            }
            byte[] probe = framed(binary(true, "__can__finagle__trace__v3__", "one", "two"));
            assertArrayEquals(probe, TestingStream.redact(policy, Protocol.THRIFT_TTWITTER, probe));
            assertEquals(0, policy.counts().unsearchedBodies());
        }
    }

    @Test
    void countsContextsThatItCannotRead() {
        RedactionPolicy defaults = RedactionPolicy.defaults(TestingStream.KEY);
        byte[] fragments = bytes(
                out -> out.writeBytes(framed(bytes(raw(2, 0x80, 0, 1, 0, 1), shortSized("x-token")))),
                out -> out.writeBytes(framed(bytes(raw(2, 0, 0, 1), shortSized(SECRET)))));
        TestingStream.redact(defaults, Protocol.THRIFT_MUX, fragments);
        assertEquals(1, defaults.counts().unsearchedBodies());
        // A field of type 17, which the binary protocol does not have.
        TestingStream.redact(defaults, Protocol.THRIFT_TTWITTER, framed(bytes(raw(17, 0, 1, 0, 0, 0, 0))));
        assertEquals(2, defaults.counts().unsearchedBodies());
    }

    @Test
    void countsHeaderSectionsThatItCannotRead() {
        byte[] message = binary(true, "logout", "one", "two");
        byte[][] sections = {
            bytes(raw(0, 0, 9, 1), text("x-token"), text(SECRET)), // no such info
            bytes(raw(0, 0, 1, 1), text("x-token"), varint(1000)), // longer than the section
            bytes(raw(0, 0, 0), text(SECRET)), // behind the end
            bytes(raw(0x80, 0x80, 0x80, 0x80, 0x80, 0x80)),
        };
        for (byte[] section : sections) {
            redact(null, header(section, message));
        }
        assertEquals(51 * sections.length, policy.counts().unsearchedBodies());
    }

    @Test
    void survivesContainersOfAnUnknownType() {
        // A list of a million elements of type 17, which the binary protocol does not have.
        byte[] message = bytes(
                out -> out.writeInt(0x80010001), string("login"), raw(0, 0, 0, 9, 15, 0, 5, 17, 0, 15, 66, 64, 0));
        assertArrayEquals(framed(message), redact(null, framed(message)));
        byte[] field = bytes(out -> out.writeInt(0x80010001), string("login"), raw(0, 0, 0, 9, 17, 0, 5, 0));
        assertArrayEquals(framed(field), redact(null, framed(field)));
        assertEquals(102, policy.counts().unsearchedBodies());
    }

    @Test
    void replacesTheKeysOfAMapWhoseValuesHaveNoType() {
        byte[] message = bytes(
                out -> out.writeInt(0x80010001),
                string("login"),
                raw(0, 0, 0, 9, 13, 0, 1, 11, 17, 0, 0, 0, 1),
                string(SECRET),
                raw(0, 0));
        assertFalse(TestingStream.latin(redact(null, framed(message))).contains(SECRET));
    }

    @Test
    void letsNoSecretThroughBehindMissingBytes() {
        byte[] message = framed(binary(true, "login", SECRET, SECRET));
        int missed = 40;
        for (long told : new long[] {4, 0}) {
            try (TestingStream stream = new TestingStream(policy, null, false)) {
                stream.feed(message, 0, missed);
                stream.missing(told);
                stream.feed(message, missed + 4, message.length);
                stream.feed(message, 0, message.length);
                String out = TestingStream.latin(stream.end());
                assertFalse(out.contains(SECRET.substring(20)), out);
                String plain = "plain " + SECRET.length();
                assertEquals(out.lastIndexOf(plain), out.indexOf(plain), "only the whole request is read: " + out);
            }
        }
        assertNotEquals(0, policy.counts().overwrittenBytes());
    }

    @Test
    void letsNoSecretThroughOfConnectionsThatWereOpenBefore() {
        byte[] message = framed(binary(true, "login", SECRET, SECRET));
        try (TestingStream stream = new TestingStream(policy, Protocol.THRIFT_FRAMED_BINARY, true)) {
            stream.feed(message, 30, message.length);
            stream.feed(message, 0, message.length);
            String out = TestingStream.latin(stream.end());
            assertFalse(out.contains(SECRET.substring(10)), out);
            assertEquals(stream.marksIn, stream.marksOut);
        }
    }

    @Test
    void neverThrowsAndKeepsTheLength() {
        Protocol[] protocols = {
            null,
            Protocol.THRIFT_FRAMED_BINARY,
            Protocol.THRIFT_UNFRAMED_BINARY,
            Protocol.THRIFT_FRAMED_COMPACT,
            Protocol.THRIFT_UNFRAMED_COMPACT,
            Protocol.THRIFT_HEADER,
            Protocol.THRIFT_MUX,
            Protocol.THRIFT_TTWITTER
        };
        for (int i = 0; i < 5000; i++) {
            byte[] message = random.nextBoolean()
                    ? binary(random.nextBoolean(), "login", SECRET, SECRET)
                    : compact("login", SECRET, SECRET);
            for (int flips = random.nextInt(4); flips > 0; flips--) {
                message[random.nextInt(message.length)] = (byte) random.nextInt();
            }
            byte[] stream = framed(message);
            Protocol forced = protocols[random.nextInt(protocols.length)];
            assertEquals(stream.length, TestingStream.redact(policy, forced, stream).length, "seed " + seed);
        }
    }
}
