package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class HttpDeadlineTest {
    private static final String NAME = "Finagle-Ctx-com.twitter.finagle.Deadline";
    private static final String RECORDED = "1577836800000000000 1577836800250000000";
    private static final long NOW_NS = 1_800_000_000_123_456_789L;
    private static final String MOVED = "1800000000123456789 1800000000373456789";

    private final HttpDeadline deadline = new HttpDeadline();

    @Test
    void movesBothNumbersAndNoOtherByte() {
        assertMoved(NAME + ": ", RECORDED, MOVED);
        // As other servers and proxies spell it.
        assertMoved("Finagle-Ctx-Com.twitter.finagle.deadline:", RECORDED, MOVED);
        assertMoved("finagle-ctx-com.twitter.finagle.deadline:\t ", RECORDED + " \t", MOVED + " \t");
        assertMoved("Before: x\r\n" + NAME + ": ", RECORDED, MOVED);
    }

    @Test
    void keepsADeadlineThatHadExpiredExpired() {
        assertMoved(NAME + ": ", "1577836800000000000 1577836799999999995", "1800000000123456789 1800000000123456784");
    }

    @Test
    void keepsTheLengthOfLongNumbers() {
        assertMoved(
                NAME + ": ",
                "001577836800000000000 01577836800250000000",
                "001800000000123456789 01800000000373456789");
    }

    @Test
    void movesTheFirstOfSeveral() {
        String second = "\r\n" + NAME + ": " + RECORDED;
        assertMoved(NAME + ": ", RECORDED + second, MOVED + second);
        assertLeft(NAME + ": none" + second);
    }

    @Test
    void readsTheHeadAlone() {
        assertLeft("Host: a\r\n\r\n" + NAME + ": " + RECORDED);
        assertLeft("X" + NAME + ": " + RECORDED);
        assertLeft("Other: " + NAME + ": " + RECORDED);
        ByteBuf none = Unpooled.copiedBuffer(NAME + ": " + RECORDED + "\r\n\r\n", StandardCharsets.ISO_8859_1);
        assertFalse(deadline.move(none, 0, none.writerIndex(), NOW_NS), "a request line");
    }

    @Test
    void leavesWhatIsNoDeadlineOrAsGoodAsNever() {
        for (String value : new String[] {
            "",
            " ",
            "foo",
            "1577836800000000000",
            "1577836800000000000 ",
            " 1577836800000000000",
            "1577836800000000000  1577836800250000000",
            "1577836800000000000 1577836800250000000 1",
            "1577836800000000000 1577836800250000000x",
            "1577836800000000000,1577836800250000000",
            "-1577836800000000000 1577836800250000000",
            "1577836800000000000 9223372036854775807",
            "1577836800000000000 99999999999999999999999",
            "0000000000000000000 0000000000000000000",
            // Of the year 1970: there is no room for a later one.
            "86400000000000 86400250000000",
        }) {
            assertLeft(NAME + ": " + value);
        }
    }

    @Test
    void findsWhatIsThereOfARequestThatWasCut() {
        ByteBuf request = request(NAME + ": " + RECORDED);
        int end = request.toString(StandardCharsets.ISO_8859_1).indexOf(RECORDED) + RECORDED.length();
        for (int to = 0; to < end; to++) {
            ByteBuf cut = request.copy(0, to);
            ByteBuf before = cut.copy();
            if (!deadline.move(cut, 0, to, NOW_NS)) {
                assertEquals(before, cut);
            }
        }
        assertTrue(deadline.move(request, 0, end, NOW_NS));
    }

    @Test
    void isAFactOfTheRequest() {
        assertTrue(hasDeadline("\r\nGET / HTTP/1.1\r\n" + NAME + ": " + RECORDED + "\r\n\r\n"));
        assertFalse(hasDeadline("GET / HTTP/1.1\r\nHost: a\r\n\r\n" + NAME + ": " + RECORDED + "\r\n\r\n"));
        assertFalse(hasDeadline("GET / HTTP/1.1\r\n" + NAME + ": 1 2\r\n" + NAME + ": " + RECORDED + "\r\n\r\n"));
        assertFalse(hasDeadline("GET / HTTP/1.1\r\n" + NAME + ":\r\n\r\n"));
    }

    private static boolean hasDeadline(String request) {
        ByteBuf bytes = Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1);
        return RequestFacts.of(Protocol.HTTP1, bytes, 0, bytes.writerIndex()).hasDeadline();
    }

    private void assertMoved(String before, String value, String moved) {
        ByteBuf request = request(before + value);

        assertTrue(deadline.move(request, 3, request.writerIndex() - 4, NOW_NS), value);

        assertEquals(request(before + moved), request);
    }

    private void assertLeft(String lines) {
        ByteBuf request = request(lines);

        assertFalse(deadline.move(request, 3, request.writerIndex() - 4, NOW_NS), lines);

        assertEquals(request(lines), request);
    }

    /** A request between bytes of others. */
    private static ByteBuf request(String lines) {
        return Unpooled.copiedBuffer(
                "abc\r\nPOST / HTTP/1.1\r\n" + lines + "\r\nContent-Length: 2\r\n\r\n{}next",
                StandardCharsets.ISO_8859_1);
    }
}
