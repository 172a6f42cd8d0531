package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Reads the lines between the chunks of an HTTP/1 body (RFC 9112, section 7.1): the end of the chunk before, then the
 * next one's size and extensions. The bytes may come cut anywhere. Runs per chunk; used by one thread.
 *
 * <p>A strict reader takes blanks behind the size and LF alone as a line's end, and breaks at all else that the grammar
 * does not have. A lenient reader never breaks: to it each line ends with its line feed, and one without a size is the
 * last chunk's.
 */
public final class HttpChunkLine {
    private static final byte CR = '\r';
    private static final byte LF = '\n';

    // Where the next byte stands.
    private static final int DATA_END = 0;
    private static final int DATA_LF = 1;
    private static final int SIZE = 2;
    private static final int BEHIND_SIZE = 3;
    private static final int EXTENSION_START = 4;
    private static final int EXTENSION = 5;
    private static final int SIZE_LF = 6;
    private static final int ENDED = 7;
    private static final int BROKEN = 8;

    private final boolean strict;
    private int state;
    /** -1 before the first digit. */
    private long size;

    private HttpChunkLine(boolean strict) {
        this.strict = strict;
    }

    static HttpChunkLine strict() {
        return new HttpChunkLine(true);
    }

    public static HttpChunkLine lenient() {
        return new HttpChunkLine(false);
    }

    /** Begins at the first chunk's size. */
    public void begin() {
        state = SIZE;
        size = -1;
    }

    /** Begins behind the last byte of a chunk's data. */
    public void beginBehindData() {
        state = DATA_END;
        size = -1;
    }

    /** Reads on, at most to the end of the size's line, and returns the index after the last byte read. */
    public int read(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && state < ENDED) {
            byte b = buffer.getByte(index++);
            if (strict) {
                read(b);
            } else {
                readLeniently(b);
            }
        }
        return index;
    }

    public boolean hasEnded() {
        return state == ENDED;
    }

    boolean isBroken() {
        return state == BROKEN;
    }

    /** The size in bytes of the chunk that follows; 0 for the last one. */
    public long size() {
        return Math.max(size, 0);
    }

    private void readLeniently(byte b) {
        int digit = state == SIZE ? Character.digit(b, 16) : -1;
        if (digit >= 0 && size <= Long.MAX_VALUE >> 4) {
            size = Math.max(size, 0) << 4 | digit;
        } else if (b == LF) {
            state = state == DATA_END ? SIZE : ENDED;
        } else if (state == SIZE) {
            state = EXTENSION;
        }
    }

    private void read(byte b) {
        switch (state) {
            case DATA_END:
                state = b == CR ? DATA_LF : b == LF ? SIZE : BROKEN;
                break;
            case DATA_LF:
                state = b == LF ? SIZE : BROKEN;
                break;
            case SIZE:
                readSize(b);
                break;
            case BEHIND_SIZE:
                if (b == ';') {
                    state = EXTENSION_START;
                } else if (!HttpBytes.isBlank(b)) {
                    endLine(b);
                }
                break;
            case EXTENSION_START:
                if (ByteSearch.isVisible(b)) {
                    state = EXTENSION;
                } else if (!HttpBytes.isBlank(b)) {
                    state = BROKEN;
                }
                break;
            case EXTENSION:
                if (!ByteSearch.isText(b)) {
                    endLine(b);
                }
                break;
            default:
                state = b == LF ? ENDED : BROKEN;
                break;
        }
    }

    private void readSize(byte b) {
        int digit = Character.digit(b, 16);
        if (digit >= 0 && size <= Long.MAX_VALUE >> 4) {
            size = Math.max(size, 0) << 4 | digit;
        } else if (digit >= 0 || size < 0) {
            state = BROKEN;
        } else if (HttpBytes.isBlank(b)) {
            state = BEHIND_SIZE;
        } else if (b == ';') {
            state = EXTENSION_START;
        } else {
            endLine(b);
        }
    }

    private void endLine(byte b) {
        state = b == CR ? SIZE_LF : b == LF ? ENDED : BROKEN;
    }
}
