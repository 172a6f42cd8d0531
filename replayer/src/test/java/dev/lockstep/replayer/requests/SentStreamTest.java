package dev.lockstep.replayer.requests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.StreamDigest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class SentStreamTest {
    /** SHA-256 of "abc", from FIPS 180-2, appendix B.1. */
    private static final String SHA256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @Test
    void digestsInCaptureOrderWhateverTheOrderOfSending() {
        SentStream stream = new SentStream(3);
        ByteBuf a = bytes("a");
        ByteBuf b = bytes("b");
        ByteBuf c = bytes("c");
        stream.handed(2, c, true);
        stream.handed(0, a, true);
        stream.digestArrived();
        stream.handed(1, b, true);

        assertEquals(SHA256_OF_ABC, stream.finish().sha256());
        for (ByteBuf buffer : new ByteBuf[] {a, b, c}) {
            assertEquals(1, buffer.refCnt());
            buffer.release();
        }
    }

    @Test
    void joinsThePiecesOfARequest() {
        SentStream stream = new SentStream(2);
        hand(stream, 1, "c", true);
        hand(stream, 0, "a", false);
        hand(stream, 0, "", false);
        stream.digestArrived();
        hand(stream, 0, "b", true);

        assertEquals(SHA256_OF_ABC, stream.finish().sha256());
    }

    @Test
    void saysWhyThereIsNoDigest() {
        SentStream incomplete = new SentStream(3);
        hand(incomplete, 0, "a", true);
        hand(incomplete, 2, "c", true);
        StreamDigest none = incomplete.finish();
        assertNull(none.sha256());
        assertEquals("no complete pass: 1 of 3 requests of the capture were sent in order", none.absentReason());

        SentStream flawed = new SentStream(1);
        hand(flawed, 0, "a", true);
        flawed.missed("request 0 got no connection: connect-refused");
        assertEquals(
                "request 0 got no connection: connect-refused", flawed.finish().absentReason());
    }

    @Test
    void givesUpWhereTheDigestingThreadFallsFarBehind() {
        SentStream stream = new SentStream(Long.MAX_VALUE);
        ByteBuf empty = Unpooled.buffer(1);
        for (int request = 0; request < SentStream.MAX_ARRIVING; request++) {
            stream.handed(request, empty, true);
        }
        assertTrue(stream.covers(SentStream.MAX_ARRIVING));
        stream.digestArrived();
        for (int request = 0; request < SentStream.MAX_ARRIVING; request++) {
            stream.handed(SentStream.MAX_ARRIVING + request, empty, true);
        }
        assertTrue(stream.covers(2L * SentStream.MAX_ARRIVING));

        stream.handed(2L * SentStream.MAX_ARRIVING, empty, true);

        assertFalse(stream.covers(2L * SentStream.MAX_ARRIVING + 1));
        assertEquals(
                "they were sent faster than they could be digested beside the load: more than 200000 waited",
                stream.finish().absentReason());
        assertEquals(1, empty.refCnt());
        empty.release();
    }

    @Test
    void givesUpWhereCopiesWouldTakeTooMuchMemory() {
        SentStream stream = new SentStream(Long.MAX_VALUE);
        ByteBuf megabyte = Unpooled.directBuffer(1 << 20).writeZero(1 << 20);
        long most = SentStream.MAX_COPIED_BYTES >> 20;
        // The capture's own memory is there anyway.
        stream.handed(0, megabyte, true);
        for (int request = 1; request <= most; request++) {
            stream.handedCopy(request, megabyte, true);
        }
        assertTrue(stream.covers(most + 1));
        stream.digestArrived();
        for (int request = 1; request <= most; request++) {
            stream.handedCopy(most + request, megabyte, true);
        }
        assertTrue(stream.covers(2 * most + 1));

        stream.handedCopy(2 * most + 1, megabyte, true);

        assertFalse(stream.covers(2 * most + 2));
        assertEquals(
                "they were sent faster than they could be digested beside the load: more than 64 MiB waited",
                stream.finish().absentReason());
        assertEquals(1, megabyte.refCnt());
        megabyte.release();
    }

    @Test
    void givesUpWhereTooMuchWaits() {
        SentStream stream = new SentStream(1000);
        ByteBuf megabyte = Unpooled.directBuffer(1 << 20).writeZero(1 << 20);
        for (int request = 1; request < 100; request++) {
            stream.handed(request, megabyte, true);
            stream.digestArrived();
        }

        assertEquals(1, megabyte.refCnt());
        assertFalse(stream.covers(100));
        assertEquals(
                "request 0 was so late that more than 64 MiB of requests overtook it",
                stream.finish().absentReason());
        megabyte.release();
    }

    private static void hand(SentStream stream, long request, String text, boolean last) {
        ByteBuf buffer = bytes(text);
        stream.handed(request, buffer, last);
        buffer.release();
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }
}
