package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Walks the field lines of an HTTP/1 head or trailer section, from behind the request line to the empty line, and tells
 * a listener of names and values. Keeps no bytes: they may come cut anywhere, and names and values are told in pieces.
 * Runs per line on the event loop; used by one thread.
 *
 * <p>A strict reader breaks where the grammar is broken in a way on which servers disagree. Beyond the letter of RFC
 * 9112 it takes a line feed alone as a line's end and any visible character in a name. A lenient reader never breaks:
 * it is for those who look for values and must miss none. To it every line feed ends a line, and blanks may stand
 * before a colon.
 */
public final class HttpFieldReader {
    /** Is told of the fields, in order. Pieces are valid during the call and hold no line feed. */
    public interface Listener {
        /**
         * A piece of a name, which may be empty where the name ends.
         *
         * @param begins whether the piece begins a line
         * @param ends whether the colon follows
         * @return where the name ends, whether its value is of use; if not, nothing more is told of the field
         */
        boolean name(ByteBuf bytes, int from, int to, boolean begins, boolean ends);

        /** A piece of the value; false breaks the reading off. A lenient reader leaves the carriage return in it. */
        boolean value(ByteBuf bytes, int from, int to);

        /** A line of the value has ended; the next one may go on with it. */
        default void lineEnded() {}

        /** The next line goes on with the value (obs-fold), with the blank before it; returns whether it is of use. */
        default boolean continued() {
            return false;
        }

        /** The field has ended: the next line's first byte was read. False breaks the reading off. */
        default boolean fieldEnded() {
            return true;
        }

        /**
         * To a lenient reader: whether the first bytes of a line tell that it is of no use; it is then skipped at once.
         */
        default boolean declines(ByteBuf bytes, int from, int to) {
            return false;
        }

        /**
         * To a lenient reader: a blank stands behind the name. If a colon is next, {@link #name} tells so.
         *
         * @return whether a line that goes on with this one is of use
         */
        default boolean blankBehindName() {
            return false;
        }
    }

    private static final byte CR = '\r';
    private static final byte LF = '\n';
    private static final short CR_LF = CR << 8 | LF;

    // What the next byte belongs to.
    private static final int LINE_START = 0;
    private static final int NAME = 1;
    private static final int BEHIND_NAME = 2;
    private static final int VALUE = 3;
    private static final int SKIPPED_LINE = 4;
    private static final int LINE_LF = 5;
    private static final int SECTION_LF = 6;
    private static final int ENDED = 7;
    private static final int BROKEN = 8;

    private final boolean strict;
    private final Listener listener;

    private int state;
    /** Whether the section has a line that another one can continue. */
    private boolean hasLine;
    /** Whether the listener wants to know of the field that was read last. */
    private boolean inField;

    private HttpFieldReader(boolean strict, Listener listener) {
        this.strict = strict;
        this.listener = listener;
    }

    static HttpFieldReader strict(Listener listener) {
        return new HttpFieldReader(true, listener);
    }

    public static HttpFieldReader lenient(Listener listener) {
        return new HttpFieldReader(false, listener);
    }

    /** Begins at a section's first byte. */
    public void begin() {
        state = LINE_START;
        hasLine = false;
        inField = false;
    }

    /** Reads on, at most to the section's end, and returns the index after the last byte read. */
    public int read(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && state < ENDED) {
            switch (state) {
                case LINE_START:
                    index = startLine(buffer, index, to);
                    break;
                case NAME:
                    index = readName(buffer, index, to, false);
                    break;
                case VALUE:
                    index = readValue(buffer, index, to);
                    break;
                case SKIPPED_LINE:
                    index = skipLine(buffer, index, to);
                    break;
                case BEHIND_NAME:
                    readBehindName(buffer, index);
                    index++;
                    break;
                default:
                    expectLf(buffer.getByte(index));
                    index++;
                    break;
            }
        }
        return index;
    }

    /** Whether the empty line was read. */
    public boolean hasEnded() {
        return state == ENDED;
    }

    /** Whether the next byte begins a line. */
    public boolean isAtLineStart() {
        return state == LINE_START;
    }

    /** Whether the bytes are no fields, or the listener broke the reading off. */
    boolean isBroken() {
        return state == BROKEN;
    }

    private int startLine(ByteBuf buffer, int from, int to) {
        byte b = buffer.getByte(from);
        if (b == ' ' || b == '\t') {
            if (strict && !hasLine) {
                state = BROKEN;
                return from + 1;
            }
            state = inField && listener.continued() ? VALUE : SKIPPED_LINE;
            return from;
        }
        if (inField) {
            inField = false;
            if (!listener.fieldEnded()) {
                state = BROKEN;
                return from + 1;
            }
        }
        if (b == CR) {
            state = strict ? SECTION_LF : LINE_START;
            return from + 1;
        }
        if (b == LF) {
            state = ENDED;
            return from + 1;
        }
        if (strict && (b == ':' || !ByteSearch.isVisible(b))) {
            state = BROKEN;
            return from + 1;
        }
        if (!strict && listener.declines(buffer, from, to)) {
            state = SKIPPED_LINE;
            return skipLine(buffer, from, to);
        }
        hasLine = true;
        return readName(buffer, from, to, true);
    }

    private int readName(ByteBuf buffer, int from, int to, boolean begins) {
        int end = ByteSearch.nameEnd(buffer, from, to);
        if (end == to) {
            state = NAME;
            listener.name(buffer, from, to, begins, false);
            return to;
        }
        if (buffer.getByte(end) == ':') {
            if (beginValue(buffer, from, end, begins)) {
                return end + 1;
            }
            return skipLine(buffer, end + 1, to);
        }
        if (strict) {
            state = BROKEN;
        } else {
            listener.name(buffer, from, end, begins, false);
            readOddByte(buffer, end);
        }
        return end + 1;
    }

    private boolean beginValue(ByteBuf buffer, int from, int colon, boolean begins) {
        inField = listener.name(buffer, from, colon, begins, true);
        state = inField ? VALUE : SKIPPED_LINE;
        return inField;
    }

    /** Reads a blank or control character in a name, leniently. */
    private void readOddByte(ByteBuf buffer, int index) {
        byte b = buffer.getByte(index);
        if (b == LF) {
            state = LINE_START;
        } else if (b == ' ' || b == '\t') {
            inField = listener.blankBehindName();
            state = BEHIND_NAME;
        } else {
            listener.name(buffer, index, index + 1, false, false);
            state = NAME;
        }
    }

    private void readBehindName(ByteBuf buffer, int index) {
        byte b = buffer.getByte(index);
        if (b == ':') {
            beginValue(buffer, index, index, false);
        } else if (b == LF) {
            state = LINE_START;
        } else if (b != CR && !HttpBytes.isBlank(b)) {
            inField = false;
            state = SKIPPED_LINE;
        }
    }

    private int readValue(ByteBuf buffer, int from, int to) {
        int end = strict ? ByteSearch.textEnd(buffer, from, to) : ByteSearch.lineFeed(buffer, from, to);
        if (end > from && !listener.value(buffer, from, end)) {
            state = BROKEN;
            return end;
        }
        int next = endLine(buffer, end, to);
        if (state == LINE_START) {
            listener.lineEnded();
        }
        return next;
    }

    private int skipLine(ByteBuf buffer, int from, int to) {
        if (strict) {
            return endLine(buffer, ByteSearch.textEnd(buffer, from, to), to);
        }
        int end = ByteSearch.lineFeed(buffer, from, to);
        if (end == to) {
            return to;
        }
        state = LINE_START;
        return end + 1;
    }

    /** Reads what ends a line's text; returns the index after it. */
    private int endLine(ByteBuf buffer, int end, int to) {
        if (to - end >= 2 && buffer.getShort(end) == CR_LF) {
            state = LINE_START;
            return end + 2;
        }
        if (end == to) {
            return to;
        }
        byte b = buffer.getByte(end);
        state = b == LF ? LINE_START : b == CR ? LINE_LF : BROKEN;
        return end + 1;
    }

    private void expectLf(byte b) {
        if (b != LF) {
            state = BROKEN;
        } else if (state == SECTION_LF) {
            state = ENDED;
        } else {
            state = LINE_START;
            if (inField) {
                listener.lineEnded();
            }
        }
    }
}
