package dev.lockstep.protocol;

import static dev.lockstep.protocol.TestingThrift.CALL;
import static dev.lockstep.protocol.TestingThrift.EXCEPTION;
import static dev.lockstep.protocol.TestingThrift.REPLY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.TestingThrift.Form;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ThriftAnswerFramerTest {
    private static final String NAME = "function";

    /** How a message lies on the connection. */
    private enum Framing {
        NONE(UnaryOperator.identity()),
        FRAME(TestingThrift::frame),
        FRAME_IN_FRAME(message -> TestingThrift.frame(TestingThrift.frame(message))),
        HEADER(message -> TestingThrift.header(message, 77)),
        HEADER_IN_FRAME(message -> TestingThrift.frame(TestingThrift.header(message, 77)));

        private final UnaryOperator<byte[]> wrap;

        Framing(UnaryOperator<byte[]> wrap) {
            this.wrap = wrap;
        }
    }

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    @ParameterizedTest
    @EnumSource(Form.class)
    void findsTheSameAnswersHoweverTheyAreCut(Form form) {
        for (Framing framing : Framing.values()) {
            if (form == Form.OLD && framing == Framing.FRAME_IN_FRAME) {
                // Two lengths and a name's: not told from an old message whose name is the inner frame.
                continue;
            }
            List<byte[]> messages = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                boolean exception = random.nextInt(4) == 0;
                int type = random.nextInt(200);
                byte[] message = framing.wrap.apply(
                        exception ? exception(form, i, type) : TestingThrift.message(random, form, NAME, REPLY, i));
                messages.add(message);
                expected.add(i + (exception ? " exception " + type : " reply ") + message.length);
            }
            byte[] stream = TestingThrift.concat(messages.toArray(new byte[0][]));
            String what = form + " " + framing + ", seed " + seed;

            assertEquals(expected, read(stream, left -> left), what);
            assertEquals(expected, read(stream, left -> 1), what);
            for (int i = 0; i < 10; i++) {
                assertEquals(expected, read(stream, left -> 1 + random.nextInt(Math.min(left, 50))), what);
            }
        }
    }

    @Test
    void findsAnswersBehindTTwittersHeaders() {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            byte[] answer = i % 3 == 1
                    ? exception(Form.STRICT, i, i)
                    : TestingThrift.message(random, Form.STRICT, NAME, REPLY, i);
            byte[] frame =
                    TestingThrift.frame(i == 0 ? answer : TestingThrift.concat(TestingThrift.struct(random), answer));
            stream.writeBytes(frame);
            expected.add(i + (i % 3 == 1 ? " exception " + i : " reply ") + frame.length);
        }
        for (IntUnaryOperator cut : List.<IntUnaryOperator>of(left -> left, left -> 1)) {
            ThriftAnswerFramer framer = new ThriftAnswerFramer();
            List<String> found = new ArrayList<>();
            feed(framer, stream.toByteArray(), cut, found, framer::upgradeToTwitter);

            assertEquals(expected, found, "seed " + seed);
        }
    }

    @Test
    void answersACallByNameAndSequenceId() {
        assertTrue(answers("add", 7, "add", 7));
        assertTrue(answers("add", 7, "Calculator:add", 7));
        assertTrue(answers("add", 0, "add", 7));
        assertTrue(answers("add", 7, "add", 0));
        assertFalse(answers("add", 8, "add", 7));
        assertFalse(answers("sub", 7, "add", 7));
        assertFalse(answers("", 0, "add", 7));
        assertTrue(answersException("", 0, "add", 7));
        assertFalse(answersException("sub", 0, "add", 7));
    }

    @Test
    void checksACompressedAnswerByItsSequenceIdAlone() {
        ThriftAnswerFramer framer = new ThriftAnswerFramer();
        byte[] answer = TestingThrift.header(new byte[] {0x78, (byte) 0x9c, 1, 2, 3}, 7, 1);

        assertEquals(ThriftAnswerFramer.COMPLETE, framer.feed(Unpooled.wrappedBuffer(answer)));
        assertFalse(framer.isException());
        assertTrue(framer.answers(hash("add"), hash("add"), 7));
        assertFalse(framer.answers(hash("add"), hash("add"), 8));
    }

    @Test
    void aCallIsNoAnswer() {
        for (Form form : Form.values()) {
            byte[] reply = TestingThrift.frame(TestingThrift.message(random, form, NAME, REPLY, 1));
            byte[] call = TestingThrift.frame(TestingThrift.message(random, form, NAME, CALL, 1));
            ThriftAnswerFramer first = new ThriftAnswerFramer();
            ThriftAnswerFramer later = new ThriftAnswerFramer();

            assertEquals(ThriftAnswerFramer.MALFORMED, first.feed(Unpooled.wrappedBuffer(call)), form.toString());
            assertEquals(ThriftAnswerFramer.COMPLETE, later.feed(Unpooled.wrappedBuffer(reply)));
            assertEquals(ThriftAnswerFramer.MALFORMED, later.feed(Unpooled.wrappedBuffer(call)), form.toString());
        }
    }

    @Test
    void namesNoTypeOfAnExceptionThatHasNone() {
        byte[] empty = TestingThrift.message(new Random(), Form.STRICT, "", EXCEPTION, 0);
        byte[] cut = new byte[16];
        System.arraycopy(empty, 0, cut, 0, 12);
        for (byte[] payload : new byte[][] {cut, java.util.Arrays.copyOf(empty, 12)}) {
            ThriftAnswerFramer framer = new ThriftAnswerFramer();

            assertEquals(
                    ThriftAnswerFramer.COMPLETE, framer.feed(Unpooled.wrappedBuffer(TestingThrift.frame(payload))));
            assertTrue(framer.isException());
            assertEquals(0, framer.exceptionType());
        }
    }

    @Test
    void takesAnyBytesWithoutFailing() {
        for (int i = 0; i < 5_000; i++) {
            byte[] bytes = new byte[random.nextInt(80)];
            random.nextBytes(bytes);
            if (i % 2 == 0) {
                // Something that begins well.
                Form form = Form.values()[random.nextInt(4)];
                Framing framing = Framing.values()[random.nextInt(Framing.values().length)];
                byte[] good = framing.wrap.apply(exception(form, i, 6));
                good[random.nextInt(good.length)] = (byte) random.nextInt();
                bytes = TestingThrift.concat(good, good, bytes);
            }
            try {
                assertEquals(read(bytes, left -> left), read(bytes, left -> 1), "seed " + seed);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void allocatesNothingPerAnswer() {
        List<byte[]> messages = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            messages.add(TestingThrift.frame(
                    i % 10 == 0
                            ? exception(Form.COMPACT, i, 6)
                            : TestingThrift.message(random, Form.COMPACT, NAME, REPLY, i)));
        }
        ByteBuf stream = Unpooled.wrappedBuffer(TestingThrift.concat(messages.toArray(new byte[0][])));
        ThriftAnswerFramer framer = new ThriftAnswerFramer();
        ThriftCallHead call = new ThriftCallHead();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int pass = 0; pass < 3; pass++) {
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < 100; i++) {
                stream.readerIndex(0);
                while (framer.feed(stream) == ThriftAnswerFramer.COMPLETE) {
                    call.begin(Protocol.THRIFT_FRAMED_COMPACT);
                    call.feed(stream, 0, stream.writerIndex());
                }
            }
            allocated = Math.min(
                    allocated,
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before);
        }

        assertTrue(allocated < 10_000, allocated + " bytes for 10,000 answers");
    }

    @Test
    void readsTheHeadOfACallInPieces() {
        for (Form form : Form.values()) {
            for (boolean framed : new boolean[] {true, false}) {
                byte[] message = TestingThrift.message(random, form, "Calculator:add", TestingThrift.ONEWAY, 9);
                byte[] call = framed ? TestingThrift.frame(message) : message;
                String name = (framed ? "THRIFT_FRAMED_" : "THRIFT_UNFRAMED_")
                        + (form == Form.COMPACT || form == Form.JSON ? form.name() : "BINARY");
                ThriftCallHead head = new ThriftCallHead();
                for (int piece : new int[] {call.length, 1, 3}) {
                    head.begin(Protocol.valueOf(name));
                    for (int from = 0; from < call.length; from += piece) {
                        int to = Math.min(call.length, from + piece);
                        if (!head.feed(Unpooled.wrappedBuffer(call), from, to)) {
                            break;
                        }
                    }

                    assertTrue(head.isKnown(), name);
                    assertEquals(hash("Calculator:add"), head.nameHash());
                    assertEquals(hash("add"), head.methodHash());
                    assertEquals(9, head.sequenceId());
                    assertTrue(head.isOneway());
                    assertFalse(head.isUpgradeProbe());
                }
            }
        }
    }

    /** A TApplicationException with a message, and other fields that look like its type. */
    private byte[] exception(Form form, int sequenceId, int type) {
        if (form == Form.JSON) {
            String fields = "{\"1\":{\"str\":\"a \\\"2\\\":{\\\"i32\\\":4}\"},\"3\":{\"rec\":{\"2\":{\"i32\":5}}},"
                    + "\"2\":{\"i32\":" + type + "},\"4\":{\"i32\":3}}";
            return ("[1,\"" + NAME + "\",3," + sequenceId + "," + fields + "]")
                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        }
        byte[] message = TestingThrift.message(new NoFields(), form, NAME, EXCEPTION, sequenceId);
        ByteBuf out = Unpooled.buffer().writeBytes(message, 0, message.length - 1);
        byte[] text = new byte[random.nextInt(200)];
        if (form == Form.COMPACT) {
            out.writeByte(0x18);
            out.writeBytes(
                    text.length < 128 ? new byte[] {(byte) text.length} : new byte[] {(byte) (text.length | 0x80), 1});
            // A struct as field 5 with an i32 as its field 2, then field 2 by its own number, then another i32.
            out.writeBytes(text).writeByte(0x4c).writeByte(0x25).writeByte(9).writeByte(0);
            out.writeByte(5).writeByte(4);
            int zigzag = type << 1;
            if (zigzag < 128) {
                out.writeByte(zigzag);
            } else {
                out.writeByte(zigzag | 0x80).writeByte(zigzag >> 7);
            }
            out.writeByte(0x15).writeByte(7).writeByte(0);
        } else {
            out.writeByte(11).writeShort(1).writeInt(text.length).writeBytes(text);
            out.writeByte(12)
                    .writeShort(5)
                    .writeByte(8)
                    .writeShort(2)
                    .writeInt(9)
                    .writeByte(0);
            out.writeByte(8).writeShort(2).writeInt(type);
            out.writeByte(8).writeShort(3).writeInt(9).writeByte(0);
        }
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    private boolean answers(String name, int id, String call, int callId) {
        return answers(TestingThrift.message(random, Form.STRICT, name, REPLY, id), call, callId);
    }

    private boolean answersException(String name, int id, String call, int callId) {
        return answers(TestingThrift.message(random, Form.STRICT, name, EXCEPTION, id), call, callId);
    }

    private static boolean answers(byte[] answer, String call, int callId) {
        ThriftAnswerFramer framer = new ThriftAnswerFramer();
        assertEquals(ThriftAnswerFramer.COMPLETE, framer.feed(Unpooled.wrappedBuffer(TestingThrift.frame(answer))));
        return framer.answers(hash(call), hash(call.substring(call.indexOf(':') + 1)), callId);
    }

    private static long hash(String name) {
        return ThriftMessageReader.hash(name);
    }

    private static List<String> read(byte[] stream, IntUnaryOperator cut) {
        List<String> found = new ArrayList<>();
        feed(new ThriftAnswerFramer(), stream, cut, found, () -> {});
        return found;
    }

    private static void feed(
            ThriftAnswerFramer framer, byte[] stream, IntUnaryOperator cut, List<String> found, Runnable afterFirst) {
        ByteBuf bytes = Unpooled.wrappedBuffer(stream);
        for (int from = 0; from < stream.length; ) {
            int to = from + cut.applyAsInt(stream.length - from);
            ByteBuf piece = bytes.slice(from, to - from);
            while (piece.isReadable()) {
                int before = piece.readerIndex();
                int state = framer.feed(piece);
                if (state == ThriftAnswerFramer.MALFORMED) {
                    found.add("malformed");
                    assertEquals(ThriftAnswerFramer.MALFORMED, framer.feed(bytes.slice(0, 1)));
                    return;
                }
                assertTrue(piece.readerIndex() > before);
                if (state == ThriftAnswerFramer.COMPLETE) {
                    int id = 0;
                    while (!framer.answers(hash(NAME), hash(NAME), id == 0 ? -1 : id) && id < 100) {
                        id++;
                    }
                    found.add(id
                            + (framer.isException() ? " exception " + framer.exceptionType() : " reply ")
                            + framer.bytes());
                    if (found.size() == 1) {
                        afterFirst.run();
                    }
                }
            }
            from = to;
        }
    }

    /** Makes structs without fields. */
    private static final class NoFields extends Random {
        private static final long serialVersionUID = 1;

        @Override
        public int nextInt(int bound) {
            return 0;
        }
    }
}
