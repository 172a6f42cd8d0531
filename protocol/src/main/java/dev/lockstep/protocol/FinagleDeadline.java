package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;

/**
 * Finds the deadline that a request of Finagle's carries, and moves it to another time: the context
 * {@code com.twitter.finagle.Deadline} (finagle-core, {@code context/Deadline.scala}) of a mux dispatch, or of the
 * header struct before a message of TTwitter (finagle-thrift, {@code tracing.thrift}: {@code RequestHeader}, field 8).
 * That of HTTP is {@link HttpDeadline}'s. Its value, in ns since 1970, big endian:
 *
 * <pre>
 *   0                8                16
 *  +----------------+----------------+
 *  | timestamp      | deadline       |
 *  +----------------+----------------+
 * </pre>
 *
 * <p>Runs per request; one thread; allocates nothing after its first requests. For each request {@link #beginDispatch}
 * or {@link #beginTwitter}, then {@link #feed} with its pieces in order until that returns false.
 */
public final class FinagleDeadline {
    private static final byte[] KEY = HttpBytes.ascii("com.twitter.finagle.Deadline");
    private static final int BYTES = 16;
    private static final int FRAME_LENGTH_BYTES = 4;

    // Fields of RequestHeader and RequestContext.
    private static final int CONTEXTS = 8;
    private static final int CONTEXT_KEY = 1;
    private static final int CONTEXT_VALUE = 2;

    /** A budget that is longer stands for none. */
    private static final long LONGEST_BUDGET_NS = TimeUnit.DAYS.toNanos(10_000);

    /** In place of the number of strings left: the number of contexts follows. */
    private static final int NUMBER = -1;

    /** Reads TTwitter's header; null before the first. */
    private ThriftStructReader header;

    private boolean isDispatch;
    /** Bytes before the header struct that are still to come. */
    private int before;

    // Of a dispatch: how many strings of its contexts are left, and of the string or number that is read.
    private int strings;
    private int number;
    private int numberBytes;
    private int stringBytes;

    /** Of the present key, how many bytes are those of the deadline's; -1 where one is not. */
    private int keyBytes;
    /** Whether the key before the present value is the deadline's. */
    private boolean isDeadline;

    private int valueBytes;
    private long timestampNs;
    private long deadlineNs;
    private boolean found;
    private final int[] places = new int[BYTES];
    /** What an index into the present piece and its place in the request differ by. */
    private int shift;

    /** Begins at the first byte behind the header of a mux dispatch's first frame. */
    public void beginDispatch() {
        begin(true);
        strings = NUMBER;
        numberBytes = Short.BYTES;
    }

    /** Begins at the first byte of a TTwitter request, its frame's length. */
    public void beginTwitter() {
        begin(false);
        before = FRAME_LENGTH_BYTES;
        if (header == null) {
            header = new ThriftStructReader(true);
        }
        header.begin(false, contexts);
    }

    private void begin(boolean dispatch) {
        isDispatch = dispatch;
        found = false;
        isDeadline = false;
        number = 0;
    }

    /**
     * Reads a piece.
     *
     * @param place where the byte at {@code from} is, for {@link #move}
     * @return whether more is of use
     */
    public boolean feed(ByteBuf bytes, int from, int to, int place) {
        shift = place - from;
        if (isDispatch) {
            return readDispatch(bytes, from, to);
        }
        int skipped = Math.min(before, to - from);
        before -= skipped;
        header.read(bytes, from + skipped, to);
        return !found && !header.isDone() && !header.hasFailed();
    }

    /** Whether there is a deadline that can be moved; one that is as good as never cannot. */
    public boolean isFound() {
        return found;
    }

    /** The place behind the deadline's last byte. */
    public int end() {
        return places[BYTES - 1] + 1;
    }

    /**
     * Writes the deadline that was found as one of another time.
     *
     * @param out has the request at the places that {@link #feed} was told
     * @param epochNs of its timestamp; the budget, from there to the deadline, stays
     */
    public void move(ByteBuf out, long epochNs) {
        long movedNs = epochNs + (deadlineNs - timestampNs);
        for (int i = 0; i < Long.BYTES; i++) {
            int bits = Long.SIZE - Byte.SIZE * (i + 1);
            out.setByte(places[i], (int) (epochNs >>> bits));
            out.setByte(places[i + Long.BYTES], (int) (movedNs >>> bits));
        }
    }

    // ---- mux --------------------------------------------------------------------------------------------------------

    /** Reads the contexts, a number of pairs of strings; the number and each string's length have two bytes. */
    private boolean readDispatch(ByteBuf bytes, int from, int to) {
        int index = from;
        while (index < to && strings != 0 && !found) {
            if (numberBytes > 0) {
                number = number << 8 | bytes.getUnsignedByte(index++);
                if (--numberBytes == 0) {
                    numberRead();
                }
            } else {
                int end = Math.min(to, index + stringBytes);
                if (isKey()) {
                    readKey(bytes, index, end);
                } else {
                    readValue(bytes, index, end);
                }
                stringBytes -= end - index;
                index = end;
                if (stringBytes == 0) {
                    stringRead();
                }
            }
        }
        return strings != 0 && !found;
    }

    private boolean isKey() {
        return strings % 2 == 0;
    }

    private void numberRead() {
        if (strings == NUMBER) {
            strings = 2 * number;
            expectString();
            return;
        }
        stringBytes = number;
        if (isKey()) {
            keyBytes = 0;
        } else {
            valueBytes = 0;
        }
        if (stringBytes == 0) {
            stringRead();
        }
    }

    private void stringRead() {
        if (isKey()) {
            keyRead();
        } else {
            valueRead();
        }
        strings--;
        expectString();
    }

    private void expectString() {
        number = 0;
        numberBytes = Short.BYTES;
    }

    // ---- TTwitter ---------------------------------------------------------------------------------------------------

    private final ThriftStructReader.Listener contexts = new ThriftStructReader.Listener() {
        private boolean inKey;

        @Override
        public boolean field(int level, int id, int type) {
            inKey = id == CONTEXT_KEY;
            return level == 0
                    ? id == CONTEXTS
                    : level == 1 && type == ThriftStructReader.BINARY && (inKey || id == CONTEXT_VALUE);
        }

        @Override
        public boolean value(int level, int type) {
            if (level == 1 && inKey) {
                keyBytes = 0;
            } else {
                valueBytes = 0;
            }
            return level == 1 && !found;
        }

        @Override
        public void bytes(ByteBuf bytes, int from, int to) {
            if (inKey) {
                readKey(bytes, from, to);
            } else {
                readValue(bytes, from, to);
            }
        }

        @Override
        public void valueEnded() {
            if (inKey) {
                keyRead();
            } else {
                valueRead();
            }
        }
    };

    // ---- both -------------------------------------------------------------------------------------------------------

    private void readKey(ByteBuf bytes, int from, int to) {
        for (int i = from; i < to && keyBytes >= 0; i++) {
            keyBytes = keyBytes < KEY.length && bytes.getByte(i) == KEY[keyBytes] ? keyBytes + 1 : -1;
        }
    }

    private void keyRead() {
        isDeadline = keyBytes == KEY.length;
    }

    private void readValue(ByteBuf bytes, int from, int to) {
        if (!isDeadline || to - from > BYTES - valueBytes) {
            isDeadline = false;
            return;
        }
        for (int i = from; i < to; i++) {
            places[valueBytes] = i + shift;
            if (valueBytes++ < Long.BYTES) {
                timestampNs = timestampNs << 8 | bytes.getUnsignedByte(i);
            } else {
                deadlineNs = deadlineNs << 8 | bytes.getUnsignedByte(i);
            }
        }
    }

    private void valueRead() {
        found = isDeadline && valueBytes == BYTES && isMovable(timestampNs, deadlineNs);
        isDeadline = false;
    }

    /** Tells whether numbers are a deadline of some time, and not as good as never. */
    static boolean isMovable(long timestampNs, long deadlineNs) {
        return timestampNs > 0 && deadlineNs > 0 && Math.abs(deadlineNs - timestampNs) <= LONGEST_BUDGET_NS;
    }
}
