package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * The bytes of one connection that were read and not handed on: what is held back of earlier pieces, then the current
 * piece. Bytes are named by their offset in the client's stream. Runs per piece; used by the thread of its connection.
 *
 * <p>The current piece is copied only when a byte of it is replaced or must wait; otherwise it is handed on as it came.
 */
final class Window {
    private static final byte[] NOTHING = new byte[0];
    private static final int KEPT_BYTES = 1 << 11;
    private static final int FEW_SEGMENTS = 4;

    private static final int BEGINS = 1;
    private static final int ENDS = 2;
    private static final int REDACTED = 4;

    // The current piece, unless it was copied behind the bytes held.
    private ByteBuf piece;
    private int pieceFrom;
    private int pieceTo;
    private long pieceNs;
    private int pieceFlags;
    private long pieceStart;

    // The bytes held, and the pieces that they came in.
    private byte[] held = NOTHING;
    private ByteBuf heldBuffer = Unpooled.EMPTY_BUFFER;
    private int heldLength;
    private long heldStart;
    private int[] segmentEnds = new int[FEW_SEGMENTS];
    private long[] segmentNs = new long[FEW_SEGMENTS];
    private byte[] segmentFlags = new byte[FEW_SEGMENTS];
    private int segments;
    /** The piece of the byte that was replaced last. */
    private int replaced;

    /** Takes the next piece; the one before was emitted or is held. Returns the offset of its first byte. */
    long take(long nowNs, boolean begins, boolean ends, ByteBuf bytes, int from, int to) {
        piece = bytes;
        pieceFrom = from;
        pieceTo = to;
        pieceNs = nowNs;
        pieceFlags = (begins ? BEGINS : 0) | (ends ? ENDS : 0);
        return pieceStart;
    }

    /** Replaces a byte that was not handed on. */
    void set(long offset, byte b) {
        int index = toReplace(offset);
        held[index] = b;
    }

    /** Replaces bytes that were not handed on. */
    void set(long offset, byte[] bytes, int from, int length) {
        int done = 0;
        while (done < length) {
            int index = toReplace(offset + done);
            int end = segmentEnds[replaced];
            int part = Math.min(length - done, end - index);
            System.arraycopy(bytes, from + done, held, index, part);
            done += part;
        }
    }

    /** Replaces bytes that were not handed on, each by an x. */
    void overwrite(long offset, int length) {
        for (int i = 0; i < length; i++) {
            set(offset + i, (byte) 'x');
        }
    }

    /** Returns the index, among those held, of a byte that is to be replaced. */
    private int toReplace(long offset) {
        if (piece != null && offset >= pieceStart) {
            hold();
        }
        int index = (int) (offset - heldStart);
        replaced = segment(index);
        segmentFlags[replaced] |= REDACTED;
        return index;
    }

    private int segment(int index) {
        int found = Arrays.binarySearch(segmentEnds, 0, segments, index + 1);
        return found < 0 ? ~found : found;
    }

    /** Returns for how long, up to the current piece, a byte has been held; 0 where it is none of those held. */
    long heldNs(long offset) {
        long index = offset - heldStart;
        return index < 0 || index >= heldLength ? 0 : pieceNs - segmentNs[segment((int) index)];
    }

    /** Returns one of the bytes held, by its number from 0. */
    byte held(int index) {
        return held[index];
    }

    /** When the first byte held came. */
    long heldSinceNs() {
        return segmentNs[0];
    }

    /** Copies the current piece behind the bytes held. */
    void hold() {
        if (piece == null) {
            return;
        }
        int length = pieceTo - pieceFrom;
        if (heldLength == 0) {
            heldStart = pieceStart;
        }
        if (held.length - heldLength < length) {
            held = Arrays.copyOf(
                    held, Math.max(heldLength + length, Math.min(held.length * 2, heldLength + (1 << 20))));
            heldBuffer = Unpooled.wrappedBuffer(held);
        }
        piece.getBytes(pieceFrom, held, heldLength, length);
        heldLength += length;
        if (segments == segmentEnds.length) {
            segmentEnds = Arrays.copyOf(segmentEnds, segments * 2);
            segmentNs = Arrays.copyOf(segmentNs, segments * 2);
            segmentFlags = Arrays.copyOf(segmentFlags, segments * 2);
        }
        segmentEnds[segments] = heldLength;
        segmentNs[segments] = pieceNs;
        segmentFlags[segments++] = (byte) pieceFlags;
        pieceStart += length;
        piece = null;
    }

    /** Hands on what lies before an offset and holds the rest. */
    void emit(long before, RedactedSink sink) {
        if (piece != null) {
            int length = pieceTo - pieceFrom;
            if (heldLength == 0 && before >= pieceStart + length) {
                ByteBuf bytes = piece;
                piece = null;
                pieceStart += length;
                sink.accept(
                        pieceNs,
                        (pieceFlags & BEGINS) != 0,
                        (pieceFlags & ENDS) != 0,
                        false,
                        bytes,
                        pieceFrom,
                        pieceTo);
                return;
            }
            if (heldLength == 0 && before > pieceStart) {
                int part = (int) (before - pieceStart);
                sink.accept(pieceNs, (pieceFlags & BEGINS) != 0, false, false, piece, pieceFrom, pieceFrom + part);
                pieceFrom += part;
                pieceStart = before;
                pieceFlags &= ~BEGINS;
            }
            hold();
        }
        emitHeld(before, sink);
    }

    private void emitHeld(long before, RedactedSink sink) {
        int limit = (int) Math.min(before - heldStart, heldLength);
        if (limit <= 0) {
            return;
        }
        int index = 0;
        int segment = 0;
        while (index < limit) {
            int end = Math.min(segmentEnds[segment], limit);
            boolean whole = end == segmentEnds[segment];
            int flags = segmentFlags[segment];
            sink.accept(
                    segmentNs[segment],
                    (flags & BEGINS) != 0,
                    whole && (flags & ENDS) != 0,
                    (flags & REDACTED) != 0,
                    heldBuffer,
                    index,
                    end);
            if (whole) {
                segment++;
            } else {
                segmentFlags[segment] = (byte) (flags & ENDS);
            }
            index = end;
        }
        heldLength -= limit;
        heldStart += limit;
        segments -= segment;
        System.arraycopy(held, limit, held, 0, heldLength);
        for (int i = 0; i < segments; i++) {
            segmentEnds[i] = segmentEnds[segment + i] - limit;
            segmentNs[i] = segmentNs[segment + i];
            segmentFlags[i] = segmentFlags[segment + i];
        }
        if (heldLength == 0 && held.length > KEPT_BYTES) {
            free();
        }
    }

    /** Has a scanner read what is held, piece by piece, with the boundaries of requests or without. */
    void rescan(Scanner scanner, boolean framed) {
        hold();
        int from = 0;
        for (int i = 0; i < segments; i++) {
            int flags = segmentFlags[i];
            scanner.scan(
                    framed && (flags & BEGINS) != 0,
                    framed && (flags & ENDS) != 0,
                    heldBuffer,
                    from,
                    segmentEnds[i],
                    heldStart + from);
            from = segmentEnds[i];
        }
    }

    int heldBytes() {
        return heldLength;
    }

    /** The bytes held, from index 0 on; valid until more are. */
    ByteBuf held() {
        return heldBuffer;
    }

    /** Whether the first byte held begins a request. */
    boolean heldBegins() {
        return (segmentFlags[0] & BEGINS) != 0;
    }

    /** Forgets what is held. */
    void free() {
        held = NOTHING;
        heldBuffer = Unpooled.EMPTY_BUFFER;
        heldLength = 0;
        segments = 0;
        segmentEnds = new int[FEW_SEGMENTS];
        segmentNs = new long[FEW_SEGMENTS];
        segmentFlags = new byte[FEW_SEGMENTS];
    }
}
