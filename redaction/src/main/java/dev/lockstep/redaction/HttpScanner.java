package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Finds the secrets in HTTP/1 requests: in request line, headers, trailers, and bodies that it can read. Runs per
 * request; used by the thread of its connection.
 *
 * <p>Where a request begins and ends is told by the framer; where in it lines and chunks are, this reads itself. Where
 * there are no requests to be seen, each line is read as if it were a request line or a header. Behind missing bytes
 * nothing says what the bytes are; up to the next request their letters and digits are overwritten, which costs nothing,
 * as an incomplete request is never replayed.
 */
final class HttpScanner extends Scanner {
    private static final int EMPTY_LINES = 0;
    private static final int FIRST_WORD = 1;
    private static final int VALUE = 2;
    private static final int LINE_START = 3;
    private static final int NAME = 4;
    private static final int NAME_END = 5;
    private static final int LINE = 6;
    private static final int NOTED_VALUE = 7;
    private static final int BODY = 8;
    private static final int CHUNK_SIZE = 9;
    private static final int CHUNK_LINE = 10;
    private static final int CHUNK_DATA = 11;
    private static final int CHUNK_END = 12;
    private static final int OVERWRITE_LINE = 13;
    private static final int OVERWRITE = 14;

    private static final long LINE_FEEDS = Words.of('\n');

    private static final int LONGEST_NOTE = 256;

    private final RuleSet rules;
    private final Secret secret;
    private final Window window;
    private final RedactionCounts counts;
    private final HeaderValueScanner values;
    private final Bodies bodies;

    private int state;
    /** Whether lines are read without requests around them. */
    private boolean loose;

    /** While so: whether a request line was among them, so that there may be a body. */
    private boolean looseRequest;

    private int node;
    private long header;
    private boolean hasNote;
    private byte[] note;
    private int noteLength;

    // Of the request being read.
    private boolean chunked;
    private boolean encoded;
    private byte[] contentType;
    private BodyScanner body;
    private long chunkLeft;
    private boolean inTrailers;

    HttpScanner(RuleSet rules, Secret secret, Window window, RedactionCounts counts) {
        this.rules = rules;
        this.secret = secret;
        this.window = window;
        this.counts = counts;
        values = new HeaderValueScanner(secret, rules.query(), null);
        bodies = new Bodies(rules, secret, window, counts);
    }

    /** Begins in the middle of a stream: overwrites the rest of the first line, then reads lines. */
    void beginInside() {
        loose = true;
        looseRequest = false;
        state = OVERWRITE_LINE;
    }

    @Override
    void opaque() {
        boolean searched = body != null;
        endPart();
        loose = true;
        looseRequest = state != EMPTY_LINES;
        if (state == EMPTY_LINES || state >= BODY && state <= CHUNK_END && !searched) {
            header = 0;
            hasNote = false;
            contentType = null;
            state = LINE_START;
        } else if (state >= BODY && state <= CHUNK_END) {
            state = OVERWRITE;
        }
    }

    @Override
    void missing() {
        endPart();
        state = loose ? OVERWRITE_LINE : OVERWRITE;
    }

    @Override
    void end() {
        endPart();
    }

    @Override
    void scan(boolean begins, boolean ends, ByteBuf bytes, int from, int to, long offset) {
        if (begins) {
            beginRequest();
        }
        long base = offset - from;
        int i = from;
        while (i < to) {
            switch (state) {
                case LINE_START:
                    i = skipPlainLines(bytes, i, to);
                    if (i < to && state == LINE_START) {
                        i = startLine(bytes.getByte(i), i);
                    }
                    break;
                case NAME:
                    i = name(bytes, i, to);
                    break;
                case LINE:
                    i = skipLine(bytes, i, to);
                    break;
                case VALUE:
                    i = values.scan(bytes, i, to, base);
                    if (i < to) {
                        values.end();
                        state = LINE_START;
                        i++;
                    }
                    break;
                case BODY:
                    if (body != null) {
                        body.scan(bytes, i, to, base);
                    }
                    i = to;
                    break;
                case CHUNK_DATA:
                    int length = (int) Math.min(chunkLeft, to - i);
                    if (body != null) {
                        body.scan(bytes, i, i + length, base);
                    }
                    i += length;
                    chunkLeft -= length;
                    if (chunkLeft == 0) {
                        state = CHUNK_END;
                    }
                    break;
                case OVERWRITE_LINE:
                    i = overwrite(bytes, i, to, base, true);
                    break;
                case OVERWRITE:
                    i = overwrite(bytes, i, to, base, false);
                    break;
                default:
                    step(bytes.getByte(i++));
                    break;
            }
        }
        if (ends) {
            endPart();
            state = EMPTY_LINES;
        }
    }

    private void beginRequest() {
        endPart();
        loose = false;
        state = EMPTY_LINES;
    }

    private void endPart() {
        if (state == VALUE) {
            values.end();
        }
        if (body != null) {
            body.end();
            body = null;
        }
        secret.close();
    }

    private void step(byte b) {
        switch (state) {
            case EMPTY_LINES:
                if (b != '\r' && b != '\n') {
                    chunked = false;
                    encoded = false;
                    contentType = null;
                    inTrailers = false;
                    header = 0;
                    state = FIRST_WORD;
                }
                break;
            case FIRST_WORD:
                if (b == ' ' || b == '\t') {
                    values.begin(HeaderRules.ADDRESS);
                    state = VALUE;
                } else if (b == '\n') {
                    state = LINE_START;
                }
                break;
            case NAME_END:
                if (b == ':') {
                    beginValue();
                } else if (b == '\n') {
                    state = LINE_START;
                } else if (b != ' ' && b != '\t' && b != '\r') {
                    header = 0;
                    looseRequest |= b == '/';
                    values.begin(HeaderRules.ADDRESS);
                    state = loose ? VALUE : LINE;
                }
                break;
            case NOTED_VALUE:
                if (b == '\n') {
                    state = LINE_START;
                } else if (noteLength < LONGEST_NOTE) {
                    note[noteLength++] = b;
                }
                break;
            case CHUNK_SIZE:
                int digit = Hex.digit(b);
                if (digit >= 0 && chunkLeft < Long.MAX_VALUE >> 4) {
                    chunkLeft = chunkLeft << 4 | digit;
                    break;
                }
                state = CHUNK_LINE;
                endChunkLine(b);
                break;
            case CHUNK_LINE:
                endChunkLine(b);
                break;
            case CHUNK_END:
                if (b == '\n') {
                    chunkLeft = 0;
                    state = CHUNK_SIZE;
                }
                break;
            default:
                throw new IllegalStateException("no state " + state);
        }
    }

    private int startLine(byte b, int i) {
        if (b == ' ' || b == '\t') {
            // The line continues the header before.
            if ((header & HeaderRules.SEARCHED) != 0) {
                values.begin(header);
                state = VALUE;
            } else {
                state = hasNote ? NOTED_VALUE : LINE;
            }
            return i;
        }
        endHeader();
        if (b == '\n') {
            endSection();
            return i + 1;
        }
        if (b == '\r') {
            return i + 1;
        }
        node = NameSet.START;
        state = NAME;
        return i;
    }

    private int name(ByteBuf bytes, int from, int to) {
        int i = from;
        NameSet names = rules.headers();
        while (i < to) {
            byte b = bytes.getByte(i++);
            if (b == ':') {
                header = names.bits(node);
                beginValue();
                return i;
            }
            if (b == '\n') {
                state = LINE_START;
                return i;
            }
            if (b == ' ' || b == '\t') {
                header = names.bits(node);
                state = NAME_END;
                return i;
            }
            node = names.next(node, b);
            if (node == NameSet.DEAD && !loose) {
                state = LINE;
                return i;
            }
        }
        return i;
    }

    private void beginValue() {
        if (header == 0) {
            state = LINE;
        } else if ((header & HeaderRules.SEARCHED) != 0) {
            values.begin(header);
            state = VALUE;
        } else {
            if (note == null) {
                note = new byte[LONGEST_NOTE];
            }
            hasNote = true;
            noteLength = 0;
            state = NOTED_VALUE;
        }
    }

    /** Takes note of a header that says how to read the body. */
    private void endHeader() {
        if (hasNote) {
            hasNote = false;
            int from = 0;
            int to = noteLength;
            while (to > from && note[to - 1] >= 0 && note[to - 1] <= ' ') {
                to--;
            }
            while (from < to && note[from] >= 0 && note[from] <= ' ') {
                from++;
            }
            if ((header & HeaderRules.TRANSFER_ENCODING) != 0) {
                // Only what ends with "chunked" is framed; what else stands before it is a compression.
                chunked = true;
                encoded |= !ContentType.is(note, from, to, "chunked");
            } else if ((header & HeaderRules.CONTENT_ENCODING) != 0) {
                encoded |= to > from && !ContentType.is(note, from, to, "identity");
            } else {
                contentType = Arrays.copyOfRange(note, from, to);
            }
        }
        header = 0;
    }

    private void endSection() {
        if (loose) {
            // Nobody knows where the body of an invalid request ends, so that it cannot be searched.
            boolean hasFields = looseRequest && contentType != null && Bodies.isSearched(contentType);
            state = hasFields ? OVERWRITE : LINE_START;
        } else if (inTrailers) {
            state = EMPTY_LINES;
        } else {
            body = bodies.scanner(contentType, encoded);
            chunkLeft = 0;
            state = chunked ? CHUNK_SIZE : BODY;
        }
    }

    private void endChunkLine(byte b) {
        if (b != '\n') {
            return;
        }
        if (chunkLeft != 0) {
            state = CHUNK_DATA;
            return;
        }
        if (body != null) {
            body.end();
            body = null;
        }
        inTrailers = true;
        state = LINE_START;
    }

    /** Skips headers of which no rule knows the name: most of them. */
    private int skipPlainLines(ByteBuf bytes, int from, int to) {
        NameSet names = rules.headers();
        int line = from;
        while (line < to && header == 0 && !loose) {
            int i = line;
            int read = NameSet.START;
            while (i < to && read != NameSet.DEAD) {
                byte b = bytes.getByte(i++);
                if (b <= ' ' && b >= 0 || b == ':') {
                    return line;
                }
                read = names.next(read, b);
            }
            if (read != NameSet.DEAD) {
                return line;
            }
            int end = Words.find(bytes, i, to, LINE_FEEDS);
            if (end == to) {
                state = LINE;
                return to;
            }
            line = end + 1;
        }
        return line;
    }

    private int skipLine(ByteBuf bytes, int from, int to) {
        int end = Words.find(bytes, from, to, LINE_FEEDS);
        if (end == to) {
            return to;
        }
        state = LINE_START;
        return end + 1;
    }

    private int overwrite(ByteBuf bytes, int from, int to, long base, boolean line) {
        int i = from;
        long overwritten = 0;
        while (i < to) {
            byte b = bytes.getByte(i++);
            if (b == '\n' && line) {
                header = 0;
                hasNote = false;
                state = LINE_START;
                break;
            }
            if (b >= '0' && b <= '9' || (b | 0x20) >= 'a' && (b | 0x20) <= 'z' || b < 0) {
                window.set(base + i - 1, (byte) 'x');
                overwritten++;
            }
        }
        counts.overwritten(overwritten);
        return i;
    }
}
