package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FinagleDeadlineTest {
    private static final String KEY = "com.twitter.finagle.Deadline";
    private static final long TIMESTAMP_NS = 1_577_836_800_000_000_000L;
    private static final long BUDGET_NS = 250_000_000;

    private final FinagleDeadline deadline = new FinagleDeadline();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void findsAndMovesADeadlineHoweverTheRequestIsCut(boolean mux) {
        ByteBuf request = request(mux, KEY, TIMESTAMP_NS, TIMESTAMP_NS + BUDGET_NS);
        int at = request.toString(StandardCharsets.ISO_8859_1).indexOf(KEY) + KEY.length() + (mux ? 2 : 7);
        for (int step = 1; step <= request.writerIndex(); step++) {
            ByteBuf out = request.copy();

            find(mux, out, step);

            assertTrue(deadline.isFound(), "in pieces of " + step);
            assertEquals(at + 16, deadline.end());
            deadline.move(out, TIMESTAMP_NS + 7);
            assertEquals(TIMESTAMP_NS + 7, out.getLong(at));
            assertEquals(TIMESTAMP_NS + 7 + BUDGET_NS, out.getLong(at + 8));
            out.setLong(at, TIMESTAMP_NS).setLong(at + 8, TIMESTAMP_NS + BUDGET_NS);
            assertEquals(request, out, "every other byte stays");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void findsNoneWhereThereIsNone(boolean mux) {
        assertNone(mux, request(mux, "com.twitter.finagle.Deadlin", TIMESTAMP_NS, TIMESTAMP_NS));
        assertNone(mux, request(mux, "com.twitter.finagle.Deadlines", TIMESTAMP_NS, TIMESTAMP_NS));
        assertNone(mux, request(mux, "com.twitter.finagle.deadline", TIMESTAMP_NS, TIMESTAMP_NS));
        // As good as never.
        assertNone(mux, request(mux, KEY, TIMESTAMP_NS, Long.MAX_VALUE));
        assertNone(mux, request(mux, KEY, -1, TIMESTAMP_NS));
        ByteBuf whole = request(mux, KEY, TIMESTAMP_NS, TIMESTAMP_NS);
        int lastByte = whole.toString(StandardCharsets.ISO_8859_1).indexOf(KEY) + KEY.length() + (mux ? 2 : 7) + 15;
        for (int end = 1; end <= lastByte; end++) {
            assertNone(mux, whole.slice(0, end));
        }
    }

    @Test
    void keepsADeadlineThatHadExpiredExpired() {
        ByteBuf request = request(true, KEY, TIMESTAMP_NS, TIMESTAMP_NS - 5);

        find(true, request, 10);
        deadline.move(request, 2 * TIMESTAMP_NS);

        int at = deadline.end() - 8;
        assertEquals(2 * TIMESTAMP_NS - 5, request.getLong(at));
    }

    private void assertNone(boolean mux, ByteBuf request) {
        find(mux, request, 1 + request.writerIndex() / 3);
        assertFalse(deadline.isFound());
    }

    private void find(boolean mux, ByteBuf request, int step) {
        if (mux) {
            deadline.beginDispatch();
        } else {
            deadline.beginTwitter();
        }
        for (int from = 0; from < request.writerIndex(); from += step) {
            int length = Math.min(step, request.writerIndex() - from);
            // Each piece in a buffer of its own.
            if (!deadline.feed(request.copy(from, length), 0, length, from)) {
                return;
            }
        }
    }

    private static ByteBuf request(boolean mux, String key, long timestampNs, long deadlineNs) {
        ByteBuf value = Unpooled.buffer().writeLong(timestampNs).writeLong(deadlineNs);
        ByteBuf out = Unpooled.buffer();
        if (mux) {
            out.writeShort(3);
            string(out.writeShort(5), "empty").writeShort(0);
            string(out.writeShort(key.length()), key).writeShort(16).writeBytes(value);
            string(out.writeShort(4), "more").writeShort(16).writeZero(16);
            return out.writeShort(0).writeShort(0).writeLong(1);
        }
        out.writeInt(1000);
        out.writeByte(10).writeShort(1).writeLong(77);
        out.writeByte(15).writeShort(8).writeByte(12).writeInt(2);
        string(out.writeByte(11).writeShort(1).writeInt(key.length()), key);
        out.writeByte(11).writeShort(2).writeInt(16).writeBytes(value).writeByte(0);
        string(out.writeByte(11).writeShort(1).writeInt(4), "more");
        out.writeByte(11).writeShort(2).writeInt(16).writeZero(16).writeByte(0);
        return out.writeByte(0).writeLong(0x80010001_00000000L);
    }

    private static ByteBuf string(ByteBuf out, String text) {
        out.writeCharSequence(text, StandardCharsets.US_ASCII);
        return out;
    }
}
