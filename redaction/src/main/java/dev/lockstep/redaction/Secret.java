package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The value that is being read: its bytes, and where in the stream they stand, which need not be in one row. Runs per
 * byte of a secret; used by the thread of its connection.
 *
 * <p>While it is open, nothing from its first byte on may be handed on. It closes by itself, to open again right
 * behind, when it has become long, so that the memory of a connection has a bound and what is long is replaced
 * nevertheless: the places where it does depend on the value only, not on how the stream was cut.
 */
final class Secret {
    /** The most bytes of one value; what follows counts as another one. */
    static final int LONGEST = 1 << 16;

    /** The most bytes of the stream, from a value's first to its last, whatever stands in between. */
    static final int LONGEST_SPAN = 1 << 18;

    private static final int KEPT_BYTES = 1 << 10;
    private static final int FEW_RANGES = 4;

    /** Takes values that were read to their end. */
    private final Consumer<Secret> sink;

    private byte[] raw = new byte[128];
    private int length;
    private long[] starts = new long[FEW_RANGES];
    private int[] lengths = new int[FEW_RANGES];
    private int ranges;
    private int dropped;
    private boolean open;
    private boolean continued;
    private RuleKind kind;
    private Spelling spelling;

    Secret(Consumer<Secret> sink) {
        this.sink = sink;
    }

    void open(RuleKind rule, Spelling written) {
        kind = rule;
        spelling = written;
        open = true;
        continued = false;
        clear();
    }

    boolean isOpen() {
        return open;
    }

    void add(long offset, byte b) {
        if (length == LONGEST || ranges != 0 && offset - starts[0] >= LONGEST_SPAN) {
            pause();
        }
        if (length == raw.length) {
            raw = Arrays.copyOf(raw, length * 2);
        }
        raw[length++] = b;
        if (ranges != 0 && starts[ranges - 1] + lengths[ranges - 1] == offset) {
            lengths[ranges - 1]++;
            return;
        }
        if (ranges == starts.length) {
            starts = Arrays.copyOf(starts, ranges * 2);
            lengths = Arrays.copyOf(lengths, ranges * 2);
        }
        starts[ranges] = offset;
        lengths[ranges++] = 1;
    }

    /** Takes bytes that stand in one row. */
    void add(long offset, ByteBuf bytes, int from, int to) {
        int count = to - from;
        if (count > 1 && length > 0 && length + count <= raw.length && offset - starts[0] + count <= LONGEST_SPAN
                || count > 1 && length == 0 && count <= raw.length) {
            add(offset, bytes.getByte(from));
            bytes.getBytes(from + 1, raw, length, count - 1);
            length += count - 1;
            lengths[ranges - 1] += count - 1;
            return;
        }
        for (int i = from; i < to; i++) {
            add(offset + i - from, bytes.getByte(i));
        }
    }

    /** Ends the value here, and goes on with the bytes that follow as if they were another one. */
    void pause() {
        if (length > dropped) {
            sink.accept(this);
            continued = true;
        }
        clear();
    }

    /** Takes bytes off the end of the value. */
    void trimEnd(int count) {
        int left = Math.min(count, length - dropped);
        length -= left;
        while (left > 0) {
            int taken = Math.min(left, lengths[ranges - 1]);
            lengths[ranges - 1] -= taken;
            left -= taken;
            if (lengths[ranges - 1] == 0) {
                ranges--;
            }
        }
    }

    /** Takes bytes off the beginning of the value. */
    void trimStart(int count) {
        dropped += Math.min(count, length - dropped);
    }

    /** Changes how the value is written. */
    void spelling(Spelling written) {
        spelling = written;
    }

    /** Ends the value, which is then replaced. */
    void close() {
        if (!open) {
            return;
        }
        open = false;
        if (length > dropped) {
            sink.accept(this);
        }
        clear();
    }

    /** Says that the rest does not come: what may be the password of an address is replaced as if it were one. */
    void cut() {
        if (kind == RuleKind.ADDRESS) {
            close();
        }
    }

    /** Says that what was read is no secret. */
    void abandon() {
        open = false;
        clear();
    }

    /** The offset of the first byte that may not be handed on, or {@code Long.MAX_VALUE}. */
    long heldFrom() {
        return open && ranges != 0 ? starts[0] : Long.MAX_VALUE;
    }

    /** Whether this is the rest of a value that was counted already. */
    boolean isContinued() {
        return continued;
    }

    RuleKind kind() {
        return kind;
    }

    Spelling spelling() {
        return spelling;
    }

    /** The bytes as they were read, those taken off the beginning among them; valid until the next call. */
    byte[] raw() {
        return raw;
    }

    /** Where in {@link #raw()} the value begins. */
    int from() {
        return dropped;
    }

    /** Where in {@link #raw()} the value ends. */
    int to() {
        return length;
    }

    /** The offset of the first byte that was read. */
    long start() {
        return starts[0];
    }

    /** Replaces the value in the stream by what stands in {@link #raw()} now. */
    void write(Window window) {
        int index = 0;
        for (int range = 0; range < ranges; range++) {
            int skipped = Math.min(lengths[range], Math.max(0, dropped - index));
            window.set(starts[range] + skipped, raw, index + skipped, lengths[range] - skipped);
            index += lengths[range];
        }
    }

    private void clear() {
        length = 0;
        ranges = 0;
        dropped = 0;
        if (raw.length > KEPT_BYTES) {
            raw = new byte[KEPT_BYTES];
        }
        if (starts.length > KEPT_BYTES) {
            starts = new long[FEW_RANGES];
            lengths = new int[FEW_RANGES];
        }
    }
}
