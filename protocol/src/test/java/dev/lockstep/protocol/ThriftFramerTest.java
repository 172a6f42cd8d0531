package dev.lockstep.protocol;

import static dev.lockstep.capture.Protocol.THRIFT_FRAMED_BINARY;
import static dev.lockstep.capture.Protocol.THRIFT_FRAMED_COMPACT;
import static dev.lockstep.capture.Protocol.THRIFT_FRAMED_JSON;
import static dev.lockstep.capture.Protocol.THRIFT_HEADER;
import static dev.lockstep.capture.Protocol.THRIFT_MUX;
import static dev.lockstep.capture.Protocol.THRIFT_TTWITTER;
import static dev.lockstep.capture.Protocol.THRIFT_UNFRAMED_BINARY;
import static dev.lockstep.capture.Protocol.THRIFT_UNFRAMED_COMPACT;
import static dev.lockstep.capture.Protocol.THRIFT_UNFRAMED_JSON;
import static dev.lockstep.protocol.TestingThrift.CALL;
import static dev.lockstep.protocol.TestingThrift.EXCEPTION;
import static dev.lockstep.protocol.TestingThrift.ONEWAY;
import static dev.lockstep.protocol.TestingThrift.REPLY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordedStatus;
import dev.lockstep.protocol.TestingThrift.Form;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ThriftFramerTest {
    private static final String PROBE = "__can__finagle__trace__v3__";

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    @ParameterizedTest
    @EnumSource(Form.class)
    void splitsUnframedMessages(Form form) {
        Protocol protocol = form == Form.JSON
                ? THRIFT_UNFRAMED_JSON
                : form == Form.COMPACT ? THRIFT_UNFRAMED_COMPACT : THRIFT_UNFRAMED_BINARY;

        assertFraming(protocol, (name, type) -> TestingThrift.message(random, form, name, type, name.length()));
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void splitsFramedMessages(Form form) {
        assertFraming(framed(form), (name, type) -> TestingThrift.frame(call(form, name, type)));
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void findsTheMessageInAFrameInAFrame(Form form) {
        if (form == Form.OLD) {
            // Two lengths and a name's: not told from an old message whose name is the inner frame.
            return;
        }
        assertFraming(framed(form), (name, type) -> TestingThrift.frame(TestingThrift.frame(call(form, name, type))));
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void readsTheMessageBehindHeadersOfTHeader(Form form) {
        assertFraming(THRIFT_HEADER, (name, type) -> TestingThrift.header(call(form, name, type), name.length()));
        assertFraming(
                THRIFT_HEADER,
                (name, type) -> TestingThrift.frame(TestingThrift.header(call(form, name, type), name.length())));
    }

    @Test
    void namesTheFunctionInABodyWithHeadersOfTHeader() {
        byte[] body = TestingThrift.header(call(Form.COMPACT, "ping", CALL), 4);
        ThriftFacts facts = ThriftFacts.ofBody(Unpooled.wrappedBuffer(body), 0, body.length);

        assertEquals("ping", facts.name());
        assertEquals(4, facts.sequenceId());
        assertNull(ThriftFacts.ofBody(Unpooled.wrappedBuffer(new byte[20]), 0, 20));
    }

    @Test
    void countsTransformedMessagesOfTHeaderWithoutTheirNames() {
        byte[] message = TestingThrift.header(new byte[] {0x78, (byte) 0x9c, 1, 2, 3}, 7, 1);
        Session session = new Session(THRIFT_HEADER, false);
        session.client(message);
        session.client(message);

        assertEquals(Arrays.asList(null, null), session.facts);
    }

    @Test
    void splitsFramesThatHoldNoKnownMessage() {
        Session session = new Session(null, false);
        session.client(TestingThrift.frame(call(Form.STRICT, "ping", CALL)));
        session.client(TestingThrift.frame("what is this?".getBytes(StandardCharsets.US_ASCII)));
        session.client(TestingThrift.frame(new byte[] {1}));
        session.client(TestingThrift.frame(call(Form.COMPACT, "pong", CALL)));

        assertEquals("[ping, ?, ?, pong]", session.names());
    }

    @Test
    void countsNoRequestForAFrameWithoutBytes() {
        byte[] stream = TestingThrift.concat(
                TestingThrift.frame(call(Form.STRICT, "ping", CALL)),
                TestingThrift.frame(new byte[0]),
                TestingThrift.frame(new byte[0]),
                TestingThrift.frame(call(Form.STRICT, "pong", CALL)));
        for (int pieces : new int[] {1, 4, stream.length}) {
            Session session = new Session(null, false);
            session.client(cutInto(pieces, stream));

            assertEquals("[ping, pong]", session.names());
            assertFalse(session.framer.isInRequest());
        }
    }

    @Test
    void keepsTheNameOfAMultiplexedService() {
        Session session = new Session(null, false);
        for (String name : new String[] {"Calculator:add", "Calculator:zip", "Calculator:add"}) {
            session.client(TestingThrift.message(random, Form.STRICT, name, CALL, 0));
        }
        session.server(TestingThrift.message(random, Form.STRICT, "add", REPLY, 0));
        session.server(TestingThrift.message(random, Form.STRICT, "add", REPLY, 0));

        assertEquals("[Calculator:add, Calculator:zip, Calculator:add]", session.names());
        assertEquals(List.of(1L), session.unanswered);
    }

    @Test
    void tellsThatOnewayMessagesGetNoAnswer() {
        Session session = new Session(null, false);
        session.client(TestingThrift.frame(call(Form.COMPACT, "ping", CALL)));
        session.client(TestingThrift.frame(call(Form.COMPACT, "log", ONEWAY)));
        session.client(TestingThrift.frame(call(Form.COMPACT, "log", ONEWAY)));

        assertEquals(List.of(1L, 2L), session.unanswered);
    }

    @Test
    void readsAnswersInAnotherFormThanTheCalls() {
        Session session = new Session(null, false);
        session.client(TestingThrift.frame(call(Form.STRICT, "log", CALL)));
        session.client(TestingThrift.frame(call(Form.STRICT, "ping", CALL)));
        session.server(cutInto(3, call(Form.JSON, "ping", REPLY)));

        assertEquals(List.of(0L), session.unanswered);
    }

    @Test
    void concludesNothingOnceTheAnswersCannotBeRead() {
        Session session = new Session(null, false);
        session.client(call(Form.STRICT, "log", CALL));
        session.client(call(Form.STRICT, "ping", CALL));
        session.server("What do you want? Speak English!".getBytes(StandardCharsets.US_ASCII));

        assertFalse(session.framer.wantsAnswers());
        assertEquals(List.of(), session.unanswered);
        assertEquals("[log, ping]", session.names());
    }

    @Test
    void takesAnExceptionWithoutANameForTheAnswerToTheFirstCallThatWaits() {
        Session session = new Session(null, false);
        session.client(frame("get", CALL, 1));
        session.client(frame("put", CALL, 2));
        session.server(frame("", EXCEPTION, 0));
        session.server(frame("put", REPLY, 2));

        assertEquals(List.of(), session.unanswered);
        assertEquals(
                List.of("0 " + RecordedStatus.THRIFT_EXCEPTION, "1 " + RecordedStatus.THRIFT_REPLY),
                session.answered(),
                "seed " + seed);
    }

    @Test
    void knowsWhichCallIsAnsweredWhereBytesInsideTheAnswerAreMissing() {
        byte[] answer = longFrame(REPLY);
        for (int missing : new int[] {2000, answer.length - 1000}) {
            Session session = new Session(null, false);
            for (int i = 0; i < 3; i++) {
                session.client(frame("ping", CALL, 0));
                session.server(Arrays.copyOf(answer, 1000));
                session.framer.answerMissing(missing);
                session.server(Arrays.copyOfRange(answer, 1000 + missing, answer.length));
            }

            assertEquals(List.of("0 1", "1 1", "2 1"), session.answered(), missing + " bytes, seed " + seed);
        }
    }

    @Test
    void knowsTheAnswersBehindOneThatDoesNotSayWhatItAnswers() {
        byte[] answer = longFrame(REPLY);
        for (int missing : new int[] {0, 10, answer.length - 6}) {
            Session session = new Session(null, false);
            session.client(frame("ping", CALL, 0));
            session.server(answer);
            session.client(frame("ping", CALL, 0));
            session.server(Arrays.copyOf(answer, 6));
            session.framer.answerMissing(missing);
            session.server(Arrays.copyOfRange(answer, missing == 0 ? 16 : 6 + missing, answer.length));
            for (int i = 0; i < 2; i++) {
                session.client(frame("ping", CALL, 0));
                session.server(answer);
            }

            assertEquals(List.of("0 1", "2 1", "3 1"), session.answered(), missing + " bytes, seed " + seed);
        }
    }

    @Test
    void awaitsTheAnswerToACallWhoseEndIsMissing() {
        byte[] call = longFrame(CALL);
        Session session = new Session(null, false);
        session.client(Arrays.copyOf(call, 1000));
        session.framer.missing(call.length - 1000);
        session.server(frame("ping", REPLY, 0));
        session.client(frame("ping", CALL, 0));
        session.server(frame("ping", REPLY, 0));

        assertEquals(List.of("0 1", "1 1"), session.answered(), "seed " + seed);
    }

    @Test
    void followsTheUpgradeThatTheServerAcceptsToTTwitter() {
        Session session = new Session(null, false);
        session.client(TestingThrift.frame(call(Form.STRICT, PROBE, CALL)));
        assertEquals(THRIFT_FRAMED_BINARY, session.framer.protocol());
        session.server(TestingThrift.frame(call(Form.STRICT, PROBE, REPLY)));
        assertEquals(THRIFT_TTWITTER, session.framer.protocol());
        for (int i = 0; i < 50; i++) {
            byte[] header = TestingThrift.struct(random);
            session.client(cutInto(
                    random.nextInt(30),
                    TestingThrift.frame(TestingThrift.concat(header, call(Form.STRICT, "log", CALL)))));
            session.client(TestingThrift.frame(
                    TestingThrift.concat(header, call(Form.STRICT, "ping", i == 7 ? ONEWAY : CALL))));
            if (i != 7) {
                session.server(
                        TestingThrift.frame(TestingThrift.concat(new byte[] {0}, call(Form.STRICT, "ping", REPLY))));
            }
        }

        assertEquals(101, session.facts.size(), "seed " + seed);
        assertEquals("ping", session.facts.get(100).name());
        assertEquals(51, session.unanswered.size());
    }

    @Test
    void staysWithPlainThriftWhenTheServerRefusesTheUpgrade() {
        Session session = new Session(null, false);
        session.client(TestingThrift.frame(call(Form.STRICT, PROBE, CALL)));
        session.server(TestingThrift.frame(call(Form.STRICT, PROBE, EXCEPTION)));
        session.client(TestingThrift.frame(call(Form.STRICT, "ping", CALL)));

        assertEquals(THRIFT_FRAMED_BINARY, session.framer.protocol());
        assertEquals("[" + PROBE + ", ping]", session.names());
    }

    @Test
    void knowsTheUpgradeByTheNextCallWhereTheAnswerIsNotSeen() {
        Session session = new Session(null, false);
        session.client(TestingThrift.frame(call(Form.STRICT, PROBE, CALL)));
        session.client(TestingThrift.frame(
                TestingThrift.concat(TestingThrift.struct(random), call(Form.STRICT, "ping", CALL))));

        assertEquals(THRIFT_TTWITTER, session.framer.protocol());
        assertEquals("[" + PROBE + ", ping]", session.names());
    }

    @Test
    void staysInStepWhereBytesInsideAFrameAreMissing() {
        byte[] message = TestingThrift.frame(TestingThrift.concat(call(Form.STRICT, "ping", CALL), new byte[5000]));
        Session session = new Session(null, false);
        session.client(Arrays.copyOf(message, 1000));
        session.framer.missing(2000);
        session.client(Arrays.copyOfRange(message, 3000, message.length));
        session.client(TestingThrift.frame(call(Form.STRICT, "pong", CALL)));

        assertEquals(2, session.facts.size());
        assertEquals("pong", session.facts.get(1).name());
    }

    @Test
    void staysInStepWhereBytesInsideAValueAreMissing() {
        byte[] head = new byte[] {(byte) 0x80, 1, 0, 1, 0, 0, 0, 1, 'a', 0, 0, 0, 0, 11, 0, 1, 0, 0, 4, 0};
        Session session = new Session(null, false);
        session.client(TestingThrift.concat(head, new byte[24]));
        session.framer.missing(900);
        session.client(new byte[101]);
        session.client(call(Form.STRICT, "pong", CALL));

        assertEquals(2, session.facts.size());
        assertEquals("pong", session.facts.get(1).name());
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void findsAMessageAgainAfterAGap(Form form) {
        Session session = new Session(null, false);
        session.client(TestingThrift.frame(call(form, "function", CALL)));
        session.framer.missing(0);
        session.client(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17});
        assertTrue(session.framer.isOpaque());
        assertEquals(framed(form), session.framer.protocol());
        session.client(TestingThrift.frame(call(form, "otherFunction", CALL)));

        assertFalse(session.framer.isOpaque());
        assertEquals("[function, otherFunction]", session.names());
    }

    @Test
    void findsAMessageOnAConnectionThatWasAlreadyOpen() {
        byte[] twitter = TestingThrift.frame(TestingThrift.concat(
                new byte[] {10, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0}, call(Form.STRICT, "ping", CALL)));
        byte[] mux = TestingThrift.mux(2, 9, false, TestingThrift.dispatch(call(Form.STRICT, "ping", CALL)));

        assertFoundInside(THRIFT_TTWITTER, twitter);
        assertFoundInside(THRIFT_MUX, mux);
        assertFoundInside(THRIFT_UNFRAMED_COMPACT, call(Form.COMPACT, "ping", CALL));
        assertFoundInside(THRIFT_FRAMED_BINARY, TestingThrift.frame(call(Form.OLD, "ping", CALL)));
    }

    @Test
    void countsADispatchOfMuxPerRequest() {
        byte[] ping = TestingThrift.mux(65, 1, false, new byte[0]);
        byte[] discarded = TestingThrift.mux(66, 0, false, new byte[] {0, 0, 2, 'l', 'a', 't', 'e'});
        byte[] stream = TestingThrift.concat(
                TestingThrift.mux(68, 1, false, new byte[] {0, 1}),
                dispatch(5, "one"),
                ping,
                discarded,
                dispatch(6, "two"),
                ping);
        assertEquals("[one 5, two 6]", mux(stream.length, stream));
        for (int cut = 1; cut < stream.length; cut++) {
            assertEquals("[one 5, two 6]", mux(cut, stream), "cut into " + cut);
        }
    }

    @Test
    void takesNothingForControlOfMuxThatAClientDoesNotSay() {
        byte[] dispatch = dispatch(5, "one");
        for (byte[] control : List.of(
                TestingThrift.mux(-67, 2, false, new byte[8]),
                TestingThrift.mux(65, 2, false, new byte[8]),
                TestingThrift.mux(-2, 2, false, new byte[8]),
                TestingThrift.mux(-128, 2, false, new byte[1 << 16]))) {
            Session session = new Session(null, false);
            session.client(dispatch, control);
            assertTrue(session.framer.isOpaque(), Arrays.toString(Arrays.copyOf(control, 8)));
        }
    }

    @Test
    void joinsTheFragmentsOfADispatch() {
        byte[] body = TestingThrift.dispatch(call(Form.STRICT, "one", CALL));
        byte[] first = Arrays.copyOf(body, 20);
        byte[] rest = Arrays.copyOfRange(body, 20, body.length);
        byte[] joined = TestingThrift.concat(
                TestingThrift.mux(2, 5, true, first), TestingThrift.mux(2, 5, false, rest), dispatch(6, "two"));
        byte[] mixed = TestingThrift.concat(
                TestingThrift.mux(2, 5, true, first),
                TestingThrift.mux(2, 7, true, first),
                TestingThrift.mux(65, 1, false, new byte[0]),
                TestingThrift.mux(2, 5, false, rest),
                TestingThrift.mux(2, 7, false, rest));

        assertEquals("[one 5, two 6]", mux(joined.length, joined));
        assertEquals("[one 5, two 6]", mux(7, joined));
        assertEquals("[one 5, ?]", mux(mixed.length, mixed));
    }

    @Test
    void turnsOpaqueWhereAMessageCannotBeFollowed() {
        byte[] head = {(byte) 0x80, 1, 0, 1, 0, 0, 0, 1, 'a', 0, 0, 0, 0};
        byte[] good = call(Form.STRICT, "ping", CALL);
        byte[][] bad = {
            TestingThrift.concat(head, new byte[] {11, 0, 1, -1, -1, -1, -1}),
            TestingThrift.concat(head, new byte[] {11, 0, 1, 127, 0, 0, 0}),
            TestingThrift.concat(head, new byte[] {5, 0, 1, 0}),
            TestingThrift.concat(head, new byte[] {15, 0, 1, 10, 100, 0, 0, 0}),
            TestingThrift.concat(head, TestingThrift.nested(65)),
            new byte[] {(byte) 0x80, 2, 0, 1, 0},
            "GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII),
        };
        for (byte[] bytes : bad) {
            Session session = new Session(null, false);
            session.client(good);
            session.client(TestingThrift.concat(good, bytes, good));
            session.client(good);

            assertEquals("[ping, ping]", session.names(), () -> Arrays.toString(bytes));
            assertTrue(session.framer.isOpaque());
            assertFalse(session.framer.isInRequest());
            assertEquals(THRIFT_UNFRAMED_BINARY, session.framer.protocol());
        }
    }

    @Test
    void followsStructsToTheDepthThatThriftAllows() {
        byte[] head = {(byte) 0x80, 1, 0, 1, 0, 0, 0, 1, 'a', 0, 0, 0, 0};
        Session session = new Session(null, false);
        session.client(TestingThrift.concat(head, TestingThrift.nested(64)));

        assertEquals("[a]", session.names());
    }

    @Test
    void turnsOpaqueWhereAFrameIsTooLong() {
        Session session = new Session(null, false);
        session.client(TestingThrift.frame(call(Form.STRICT, "ping", CALL)));
        session.client(new byte[] {6, 64, 0, 1, (byte) 0x80, 1, 0, 1});

        assertEquals("[ping]", session.names());
        assertTrue(session.framer.isOpaque());
    }

    @Test
    void recognisesNothingElse() {
        assertEquals(Protocol.UNKNOWN, recognise("GET / HTTP/1.1\r\n\r\n"));
        assertEquals(Protocol.UNKNOWN, recognise("\u0016\u0003\u0001\u0002\u0000\u0001\u0000"));
        assertEquals(Protocol.UNKNOWN, recognise("[1, 2]"));
        assertEquals(Protocol.UNKNOWN, recognise("\u0000\u0000\u0000\u0000abcd"));
        assertEquals(Protocol.UNKNOWN, recognise("\u0000\u0000\u0000\u0010{\"json\": true, 1"));
        assertEquals(Protocol.UNKNOWN, recognise("\u0000\u0000\u0000\u0003abc\u0009\u0000\u0000\u0000"));
        assertEquals(Protocol.UNKNOWN, recognise("x is a word"));
        assertNull(ThriftRecognition.CALLS.recognise(Unpooled.wrappedBuffer(new byte[] {0, 0, 0, 20}), 0, 4));
    }

    @Test
    void neverFailsWhateverTheBytesAre() {
        Protocol[] protocols = Protocol.values();
        for (int i = 0; i < 20_000; i++) {
            Protocol protocol = protocols[random.nextInt(protocols.length)];
            boolean isThrift = protocol.isThrift();
            Session session = new Session(isThrift && random.nextBoolean() ? protocol : null, random.nextInt(4) == 0);
            for (int pieces = random.nextInt(6); pieces >= 0; pieces--) {
                byte[] bytes = damaged();
                if (random.nextInt(3) > 0) {
                    session.client(bytes);
                } else {
                    session.server(bytes);
                }
                if (random.nextInt(10) == 0) {
                    session.framer.missing(random.nextInt(50));
                    session.framer.answerMissing(random.nextInt(50));
                }
            }
        }
    }

    private byte[] damaged() {
        Form form = Form.values()[random.nextInt(4)];
        byte[] message = TestingThrift.message(random, form, "name", 1 + random.nextInt(4), random.nextInt());
        switch (random.nextInt(5)) {
            case 0:
                message = TestingThrift.frame(message);
                break;
            case 1:
                message = TestingThrift.header(message, 1, random.nextInt(2));
                break;
            case 2:
                message = TestingThrift.mux(
                        2, 1 + random.nextInt(3), random.nextBoolean(), TestingThrift.dispatch(message));
                break;
            case 3:
                message = TestingThrift.frame(TestingThrift.concat(TestingThrift.struct(random), message));
                break;
            default:
                break;
        }
        byte[] bytes = TestingThrift.concat(message, message);
        for (int flips = random.nextInt(4); flips > 0; flips--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return Arrays.copyOf(bytes, random.nextInt(bytes.length) + 1);
    }

    private void assertFraming(Protocol protocol, BiFunction<String, Integer, byte[]> messages) {
        List<String> names = new ArrayList<>();
        List<byte[]> parts = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String name = "function".substring(random.nextInt(7)) + i;
            int type = i % 5 == 4 ? ONEWAY : CALL;
            names.add(name + " " + (type == CALL ? "CALL" : "ONEWAY") + " " + name.length());
            parts.add(messages.apply(name, type));
        }
        byte[] stream = TestingThrift.concat(parts.toArray(new byte[0][]));
        List<Integer> ends = new ArrayList<>();
        int end = 0;
        for (byte[] part : parts) {
            end += part.length;
            ends.add(end);
        }
        IntUnaryOperator[] cuts = {left -> left, left -> 1, left -> 1 + random.nextInt(30)};
        for (IntUnaryOperator cut : cuts) {
            Session session = new Session(null, false);
            for (int from = 0; from < stream.length; ) {
                int to = Math.min(stream.length, from + cut.applyAsInt(stream.length - from));
                session.client(Arrays.copyOfRange(stream, from, to));
                from = to;
            }
            List<String> found = new ArrayList<>();
            for (ThriftFacts facts : session.facts) {
                found.add(facts.name() + " " + facts.type() + " " + facts.sequenceId());
            }
            assertEquals(names, found, "seed " + seed);
            assertEquals(ends, session.ends, "seed " + seed);
            assertEquals(protocol, session.framer.protocol());
            assertTrue(session.framer.isBetweenRequests());
        }
    }

    private void assertFoundInside(Protocol protocol, byte[] message) {
        Session session = new Session(null, true);
        session.client(new byte[100]);
        assertTrue(session.framer.isOpaque());
        session.client(message);
        session.client(message);
        session.server(new byte[10]);

        assertEquals(protocol, session.framer.protocol());
        assertEquals("[ping, ping]", session.names());
    }

    private String mux(int pieces, byte[] stream) {
        Session session = new Session(null, false);
        session.client(cutInto(pieces, stream));
        assertEquals(THRIFT_MUX, session.framer.protocol());
        assertFalse(session.framer.isInRequest());
        List<String> requests = new ArrayList<>();
        for (ThriftFacts facts : session.facts) {
            requests.add(facts == null ? "?" : facts.name() + " " + facts.sequenceId());
        }
        return requests.toString();
    }

    private byte[] dispatch(int tag, String name) {
        return TestingThrift.mux(2, tag, false, TestingThrift.dispatch(call(Form.STRICT, name, CALL)));
    }

    private byte[] call(Form form, String name, int type) {
        return TestingThrift.message(random, form, name, type, name.length());
    }

    private byte[] frame(String name, int type, int sequenceId) {
        return TestingThrift.frame(TestingThrift.message(random, Form.STRICT, name, type, sequenceId));
    }

    /** A frame whose head says {@code ping} and no sequence id, with much behind it. */
    private byte[] longFrame(int type) {
        return TestingThrift.frame(
                TestingThrift.concat(TestingThrift.message(random, Form.STRICT, "ping", type, 0), new byte[5000]));
    }

    private static Protocol framed(Form form) {
        return form == Form.JSON
                ? THRIFT_FRAMED_JSON
                : form == Form.COMPACT ? THRIFT_FRAMED_COMPACT : THRIFT_FRAMED_BINARY;
    }

    private static Protocol recognise(String bytes) {
        ByteBuf buffer = Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1);
        Protocol found = null;
        for (int i = 0; i <= buffer.writerIndex() && found == null; i++) {
            found = ThriftRecognition.CALLS.recognise(buffer, 0, i);
        }
        return found;
    }

    /** Returns about so many pieces, of about the same length. */
    private static byte[][] cutInto(int pieces, byte[] bytes) {
        int length = Math.max(1, bytes.length / Math.max(1, pieces));
        List<byte[]> cut = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += length) {
            cut.add(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + length)));
        }
        return cut.toArray(new byte[0][]);
    }

    /** Plays a connection to a framer, and notes what it says. */
    private static final class Session {
        final ConnectionFramer framer;
        final List<ThriftFacts> facts = new ArrayList<>();
        final List<Integer> ends = new ArrayList<>();
        final List<Long> unanswered = new ArrayList<>();
        private byte[] request = new byte[0];
        private int read;

        Session(Protocol forced, boolean alreadyOpen) {
            framer = new ConnectionFramer(forced, alreadyOpen);
        }

        void client(byte[]... pieces) {
            for (byte[] piece : pieces) {
                ByteBuf bytes = Unpooled.wrappedBuffer(piece);
                for (int from = 0; from < piece.length; ) {
                    int to = framer.feed(bytes, from, piece.length);
                    assertTrue(to > from && to <= piece.length);
                    if (!framer.isOpaque() && !framer.isAside()) {
                        request = TestingThrift.concat(request, Arrays.copyOfRange(piece, from, to));
                        if (framer.isBetweenRequests()) {
                            ByteBuf whole = Unpooled.wrappedBuffer(request);
                            facts.add(ThriftFacts.of(framer.protocol(), whole, 0, request.length));
                            ends.add(read + to);
                            request = new byte[0];
                        }
                    }
                    from = to;
                }
                read += piece.length;
                takeUnanswered();
            }
        }

        void server(byte[]... pieces) {
            for (byte[] piece : pieces) {
                framer.feedAnswer(Unpooled.wrappedBuffer(piece), 0, piece.length);
                takeUnanswered();
            }
        }

        /** Returns the numbers of the requests that were answered since this was asked last, each with its status. */
        List<String> answered() {
            List<String> answered = new ArrayList<>();
            for (long number = framer.takeAnswered(); number >= 0; number = framer.takeAnswered()) {
                answered.add(number + " " + framer.answeredStatus());
            }
            return answered;
        }

        String names() {
            List<String> names = new ArrayList<>();
            for (ThriftFacts each : facts) {
                names.add(each == null ? "?" : each.name());
            }
            return names.toString();
        }

        private void takeUnanswered() {
            for (long number = framer.takeUnanswered(); number >= 0; number = framer.takeUnanswered()) {
                unanswered.add(number);
            }
        }
    }
}
