package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Reads an HTTP/1 request line (RFC 9112, section 3) byte by byte, without keeping it. Several spaces may separate its
 * parts, and LF alone may end it. Runs per request on the event loop; used by the one thread that reads the connection.
 */
final class HttpRequestLine {
    private static final byte CR = '\r';
    private static final byte LF = '\n';
    private static final byte SPACE = ' ';

    // Where the next byte stands.
    private static final int METHOD = 0;
    private static final int TARGET_START = 1;
    private static final int TARGET = 2;
    private static final int VERSION = 3;
    private static final int END = 4;
    private static final int END_LF = 5;
    private static final int SIMPLE_END_LF = 6;
    private static final int ENDED = 7;
    private static final int BROKEN = 8;

    private static final int MAJOR_VERSION = 5;
    private static final byte[] VERSION_START = HttpBytes.ascii("HTTP/1.");

    private int state;
    /** The method's node among the framing words while it is read. */
    private int node;
    /** The method if it is one of the framing words, else 0. */
    private int method;

    private boolean hasPath;
    private boolean maybeSimple;
    private boolean simple;
    private boolean http2;
    /** How many bytes of the version were read. */
    private int position;

    private int minorVersion;

    /**
     * Begins with the first byte of the method.
     *
     * @param maybeSimple whether a GET with a path and no version may be HTTP/0.9's (RFC 1945, section 4.1)
     */
    void begin(byte first, boolean maybeSimple) {
        this.maybeSimple = maybeSimple;
        simple = false;
        http2 = false;
        node = FramingWords.next(FramingWords.METHODS, first);
        state = isTokenByte(first) ? METHOD : BROKEN;
    }

    /** Reads on, at most to the end of the line, and returns the index after the last byte read. */
    int read(ByteBuf buffer, int from, int to) {
        int index = from;
        while (index < to && state < ENDED) {
            byte b = buffer.getByte(index++);
            switch (state) {
                case METHOD:
                    if (b == SPACE) {
                        method = FramingWords.word(node);
                        state = TARGET_START;
                    } else if (isTokenByte(b)) {
                        node = FramingWords.next(node, b);
                    } else {
                        state = BROKEN;
                    }
                    break;
                case TARGET_START:
                    if (ByteSearch.isVisible(b)) {
                        state = TARGET;
                        hasPath = b == '/';
                        index = ByteSearch.visibleEnd(buffer, index, to);
                    } else if (b != SPACE) {
                        state = BROKEN;
                    }
                    break;
                case TARGET:
                    if (b == SPACE) {
                        state = VERSION;
                        position = 0;
                    } else if (ByteSearch.isVisible(b)) {
                        index = ByteSearch.visibleEnd(buffer, index, to);
                    } else {
                        endWithoutVersion(b);
                    }
                    break;
                case VERSION:
                    readVersion(b);
                    break;
                case END:
                    state = b == CR ? END_LF : b == LF ? ENDED : b == SPACE ? END : BROKEN;
                    break;
                case END_LF:
                    state = b == LF ? ENDED : BROKEN;
                    break;
                default:
                    state = BROKEN;
                    if (b == LF) {
                        endSimple();
                    }
                    break;
            }
        }
        return index;
    }

    boolean hasEnded() {
        return state == ENDED;
    }

    boolean isBroken() {
        return state == BROKEN;
    }

    /** Whether the line that has ended is a whole request of HTTP/0.9. */
    boolean isSimple() {
        return simple;
    }

    /** Whether the line broke at the version of HTTP/2's preface. */
    boolean isHttp2() {
        return http2;
    }

    /** The method if it is one of {@link FramingWords}, else 0. */
    int method() {
        return method;
    }

    int minorVersion() {
        return minorVersion;
    }

    private void readVersion(byte b) {
        if (position == VERSION_START.length) {
            minorVersion = b - '0';
            state = b >= '0' && b <= '9' ? END : BROKEN;
        } else if (b == VERSION_START[position]) {
            position++;
        } else if (b != SPACE || position != 0) {
            http2 = method == FramingWords.PRI && position == MAJOR_VERSION && b == '2';
            state = BROKEN;
        }
    }

    private void endWithoutVersion(byte b) {
        state = BROKEN;
        if (maybeSimple && method == FramingWords.GET && hasPath) {
            if (b == CR) {
                state = SIMPLE_END_LF;
            } else if (b == LF) {
                endSimple();
            }
        }
    }

    private void endSimple() {
        simple = true;
        minorVersion = 0;
        state = ENDED;
    }

    /** Whether a byte may stand in a method: RFC 9110's token without the marks that no method has. */
    static boolean isTokenByte(byte b) {
        return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '.';
    }
}
