package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MuxAnswerFramerTest {
    private static final int FRAGMENT = 1 << 23;

    private final ByteBuf stream = Unpooled.buffer();
    private final MuxAnswerFramer framer = new MuxAnswerFramer();

    @Test
    void tellsWhatEachMessageIs() {
        frame(MuxFrame.OLD_R_ERR, 1, text("tinit check"));
        frame(
                MuxFrame.R_INIT,
                1,
                Unpooled.buffer()
                        .writeShort(1)
                        .writeBytes(header("mux-framer", "1234"))
                        .writeBytes(header("tls", "off")));
        frame(MuxFrame.T_LEASE, 0, Unpooled.buffer().writeByte(0).writeLong(30_000));
        frame(MuxFrame.T_PING, 1, Unpooled.EMPTY_BUFFER);
        frame(MuxFrame.R_DISPATCH, 7, dispatch(0, 2, strictReply(2)));
        frame(MuxFrame.R_DISPATCH, 8, dispatch(1, 0, text("boom")));
        frame(MuxFrame.R_DISPATCH, 9, dispatch(2, 0, Unpooled.EMPTY_BUFFER));
        frame(MuxFrame.R_REQUEST, 10, Unpooled.wrappedBuffer(Unpooled.buffer().writeByte(0), strictReply(3)));
        frame(MuxFrame.R_ERR, 11, text("no"));
        frame(MuxFrame.T_DISCARDED, 0, Unpooled.buffer().writeMedium(12).writeBytes(text("why")));
        frame(MuxFrame.R_DISCARDED, 13, Unpooled.EMPTY_BUFFER);
        frame(MuxFrame.T_DRAIN, 5, Unpooled.EMPTY_BUFFER);
        frame(MuxFrame.R_PING, 1, Unpooled.EMPTY_BUFFER);

        assertEquals(
                List.of(
                        "ERROR 1 tinit check",
                        "INIT 1 version 1 framer 1234 tls off",
                        "LEASE 0 30000",
                        "PING 1",
                        "ANSWER 7 OK 12",
                        "ANSWER 8 ERROR 4",
                        "ANSWER 9 NACK 0",
                        "ANSWER 10 OK 12 exception",
                        "ERROR 11 no",
                        "DISCARDED 12",
                        "DISCARDED 13",
                        "DRAIN 5",
                        "OTHER 1"),
                read(stream.duplicate(), stream.readableBytes()));
    }

    @Test
    void joinsFragmentsThatAreMixedWithOtherMessages() {
        ByteBuf first = dispatch(0, 1, strictReply(3));
        ByteBuf second = dispatch(0, 0, text("z".repeat(500)));
        frame(MuxFrame.R_DISPATCH, 2 | FRAGMENT, first.readSlice(2));
        frame(MuxFrame.R_DISPATCH, 3 | FRAGMENT, second.readSlice(100));
        frame(MuxFrame.T_PING, 2, Unpooled.EMPTY_BUFFER);
        frame(MuxFrame.R_DISPATCH, 2 | FRAGMENT, first.readSlice(14));
        frame(MuxFrame.R_DISPATCH, 4, dispatch(0, 0, Unpooled.EMPTY_BUFFER));
        frame(MuxFrame.R_DISPATCH, 3, second);
        frame(MuxFrame.R_DISPATCH, 2, first);

        assertEquals(
                List.of("PING 2", "ANSWER 4 OK 0", "ANSWER 3 OK 500", "ANSWER 2 OK 12 exception"),
                read(stream.duplicate(), 1));
    }

    @Test
    void takesAnErrorInPlaceOfTheRestOfAnAnswer() {
        frame(MuxFrame.R_DISPATCH, 2 | FRAGMENT, dispatch(0, 0, text("half")));
        frame(MuxFrame.R_ERR, 2, text("cut"));
        frame(MuxFrame.R_DISPATCH, 2, dispatch(0, 0, text("new")));

        assertEquals(List.of("ERROR 2 cut", "ANSWER 2 OK 3"), read(stream.duplicate(), 3));
    }

    @Test
    void seesAFailedCallInEveryProtocolOfThrift() {
        assertTrue(isException(strictReply(3)));
        assertTrue(isException(Unpooled.buffer().writeByte(0x82).writeByte(0x61).writeByte(0)));
        assertTrue(isException(Unpooled.buffer()
                .writeInt(4)
                .writeBytes(text("name"))
                .writeByte(3)
                .writeInt(0)));
        assertTrue(isException(text("[1,\"na,me\",3,0,{}]")));
        for (ByteBuf reply : List.of(
                strictReply(2),
                Unpooled.buffer().writeByte(0x82).writeByte(0x41).writeByte(0),
                Unpooled.buffer()
                        .writeInt(4)
                        .writeBytes(text("name"))
                        .writeByte(2)
                        .writeInt(3),
                text("[1,\"name\",2,3,{}]"),
                Unpooled.buffer().writeInt(Integer.MAX_VALUE).writeByte(3),
                text("3"))) {
            assertEquals(false, isException(reply));
        }
    }

    @Test
    void refusesWhatIsNoMuxOfAServer() {
        assertMalformed("a frame of 3 bytes", Unpooled.buffer().writeInt(3).writeInt(0));
        assertMalformed("a message of the unknown type 47", text("HTTP/1.1 400 Bad Request\r\n"));
        assertMalformed(
                "a request by the server",
                Unpooled.buffer().writeInt(4).writeByte(2).writeMedium(2));
        assertMalformed(
                "an answer that ends within its contexts",
                Unpooled.buffer().writeInt(6).writeByte(-2).writeMedium(2).writeShort(0));
        assertMalformed(
                "an answer with the unknown status 3",
                Unpooled.buffer().writeInt(5).writeByte(-1).writeMedium(2).writeByte(3));
        assertMalformed(
                "a lease without its length",
                Unpooled.buffer().writeInt(5).writeByte(67).writeMedium(0).writeByte(0));
    }

    @Test
    void boundsWhatIsUnderWay() {
        for (int tag = 0; tag <= MuxAnswerFramer.MAX_OPEN_MESSAGES; tag++) {
            frame(MuxFrame.R_DISPATCH, tag | FRAGMENT, Unpooled.EMPTY_BUFFER);
        }
        assertMalformed("more than 16384 messages in fragments at a time", stream);
    }

    @Test
    void readsTheSameHoweverTheBytesAreCut() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<ByteBuf> open = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            int tag = 2 + i;
            ByteBuf body = dispatch(
                    random.nextInt(3), random.nextInt(3), random.nextBoolean() ? strictReply(2 + i % 2) : text("x"));
            if (random.nextInt(3) > 0) {
                frame(MuxFrame.R_DISPATCH, tag, body);
            } else {
                frame(MuxFrame.R_DISPATCH, tag | FRAGMENT, body.readSlice(random.nextInt(body.readableBytes())));
                open.add(Unpooled.buffer().writeInt(tag).writeBytes(body));
            }
            if (open.size() > 3) {
                ByteBuf rest = open.remove(random.nextInt(open.size()));
                frame(MuxFrame.R_DISPATCH, rest.readInt(), rest);
            }
        }
        List<String> whole = read(stream.duplicate(), stream.readableBytes());
        assertTrue(whole.size() >= 290, () -> "seed " + seed);
        for (int round = 0; round < 100; round++) {
            framer.reset();
            assertEquals(whole, read(stream.duplicate(), -1 - random.nextInt(round < 50 ? 10 : 200)), "seed " + seed);
        }
        framer.reset();
        assertEquals(whole, read(stream.duplicate(), 1), () -> "seed " + seed);
    }

    /** Whatever the bytes are, nothing is thrown. */
    @Test
    void survivesDamage() {
        for (int i = 0; i < 10; i++) {
            frame(MuxFrame.R_DISPATCH, 2 + i, dispatch(0, 2, strictReply(2)));
            frame(MuxFrame.R_DISPATCH, 2 + i | FRAGMENT, dispatch(0, 1, text("x")));
            frame(MuxFrame.R_INIT, i, Unpooled.buffer().writeShort(1).writeBytes(header("tls", "off")));
        }
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 4_000; round++) {
            ByteBuf damaged = stream.copy();
            for (int change = 1 + random.nextInt(6); change > 0; change--) {
                damaged.setByte(random.nextInt(damaged.writerIndex()), random.nextInt());
            }
            framer.reset();
            try {
                read(damaged, -1 - random.nextInt(300));
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void writesWhatAClientHasToSay() {
        ByteBuf out = Unpooled.buffer();
        MuxFrame.writeCanInit(out);
        MuxFrame.writeInit(out);
        MuxFrame.writePong(out, 9);
        MuxFrame.writeDrained(out, 10);

        assertEquals("0000000f7f000001" + hex("tinit check"), hex(out.readSlice(19)));
        assertEquals(
                "0000001c44000001" + "0001" + "0000000a" + hex("mux-framer") + "000000047fffffff",
                hex(out.readSlice(32)));
        assertEquals("00000004bf000009" + "00000004c000000a", hex(out));
    }

    @Test
    void changesTheTagOfAFrameAndNothingElse() {
        ByteBuf frame = Unpooled.buffer().writeInt(4).writeByte(2).writeMedium(FRAGMENT | 5);

        MuxFrame.tag(frame, 0, MuxFrame.MAX_TAG);

        assertEquals("0000000402ffffff", hex(frame));
        assertEquals(MuxFrame.MAX_TAG, MuxFrame.tag(frame, 0));
        assertTrue(MuxFrame.isFragment(frame, 0));
        assertTrue(MuxFrame.isRequest(frame, 0));
    }

    private boolean isException(ByteBuf payload) {
        ThriftOutcome whole = new ThriftOutcome();
        whole.begin();
        whole.read(payload, 0, payload.writerIndex());
        ThriftOutcome single = new ThriftOutcome();
        single.begin();
        for (int i = 0; i < payload.writerIndex(); i++) {
            single.read(payload, i, i + 1);
        }
        assertEquals(whole.isException(), single.isException());
        return whole.isException();
    }

    private void assertMalformed(String problem, ByteBuf bytes) {
        framer.reset();
        assertEquals(MuxAnswerFramer.MALFORMED, framer.feed(bytes));
        assertEquals(problem, framer.problem());
        assertEquals(MuxAnswerFramer.MALFORMED, framer.feed(bytes));
    }

    /** @param step bytes at a time; negative for a step that varies up to that */
    private List<String> read(ByteBuf bytes, int step) {
        List<String> messages = new ArrayList<>();
        Random random = new Random(step);
        while (bytes.isReadable()) {
            int length = step > 0 ? step : 1 + random.nextInt(-step);
            ByteBuf piece = bytes.readSlice(Math.min(length, bytes.readableBytes()));
            int outcome;
            while ((outcome = framer.feed(piece)) == MuxAnswerFramer.MESSAGE) {
                messages.add(describe());
            }
            if (outcome == MuxAnswerFramer.MALFORMED) {
                assertNotNull(framer.problem());
                return messages;
            }
            assertNull(framer.problem());
        }
        return messages;
    }

    private String describe() {
        String tag = framer.kind() + " " + framer.tag();
        switch (framer.kind()) {
            case ANSWER:
                return tag + " " + framer.status() + " " + framer.payloadBytes()
                        + (framer.isThriftException() ? " exception" : "");
            case ERROR:
                return tag + " " + framer.text();
            case LEASE:
                return tag + " " + framer.leaseMs();
            case INIT:
                return tag + " version " + framer.initVersion() + " framer " + framer.initHeader("mux-framer") + " tls "
                        + framer.initHeader("tls");
            default:
                return tag;
        }
    }

    private void frame(int type, int tag, ByteBuf body) {
        stream.writeInt(4 + body.readableBytes()).writeByte(type).writeMedium(tag);
        stream.writeBytes(body.duplicate());
    }

    private static ByteBuf dispatch(int status, int contexts, ByteBuf payload) {
        ByteBuf body = Unpooled.buffer().writeByte(status).writeShort(contexts);
        for (int i = 0; i < contexts; i++) {
            body.writeShort(3).writeBytes(text("key")).writeShort(300 * i).writeZero(300 * i);
        }
        return body.writeBytes(payload);
    }

    private static ByteBuf strictReply(int type) {
        return Unpooled.buffer().writeShort(0x8001).writeShort(type).writeInt(0).writeInt(0);
    }

    private static ByteBuf header(String key, String value) {
        return Unpooled.buffer()
                .writeInt(key.length())
                .writeBytes(text(key))
                .writeInt(value.length())
                .writeBytes(text(value));
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static String hex(ByteBuf bytes) {
        return io.netty.buffer.ByteBufUtil.hexDump(bytes);
    }

    private static String hex(String text) {
        return hex(text(text));
    }
}
