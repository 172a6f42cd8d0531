package dev.lockstep.redaction;

import dev.lockstep.protocol.HttpChunkLine;
import io.netty.buffer.ByteBuf;

/**
 * Finds the secrets in HTTP/1 requests: in request line, headers, trailers, and bodies that it can read. Runs per
 * request; used by the thread of its connection.
 *
 * <p>The framer says where a request begins and ends. Where there are no requests to be seen, the bytes are searched
 * for headers and parameters wherever they stand. Behind missing bytes nothing says what the bytes are: their letters
 * and digits are overwritten up to the next request, which costs nothing, as an incomplete request is never replayed.
 */
final class HttpScanner extends Scanner {
    private static final int EMPTY_LINES = 0;
    private static final int METHOD = 1;
    private static final int TARGET = 2;
    private static final int FIELDS = 3;
    private static final int BODY = 4;
    private static final int CHUNK_LINE = 5;
    private static final int CHUNK_DATA = 6;
    private static final int OVERWRITE_LINE = 7;
    private static final int OVERWRITE = 8;
    private static final int LINES = 9;

    private final Secret secret;
    private final Window window;
    private final RedactionCounts counts;
    private final HeaderValueScanner values;
    private final FieldScanner fields;
    private final LineSearch lines;
    private final Bodies bodies;
    private final HttpChunkLine chunkLine = HttpChunkLine.lenient();

    private int state;
    /** Whether lines are read without requests around them. */
    private boolean loose;

    // Of the request being read.
    private BodyScanner body;
    private long chunkLeft;
    private boolean inTrailers;

    HttpScanner(RuleSet rules, Secret secret, Window window, RedactionCounts counts) {
        this.secret = secret;
        this.window = window;
        this.counts = counts;
        values = new HeaderValueScanner(rules, secret, null);
        fields = new FieldScanner(rules.headers, values);
        lines = new LineSearch(rules, secret, values);
        bodies = new Bodies(rules, secret, window, counts);
    }

    /** Begins in the middle of a stream: overwrites the rest of the first line, then reads lines. */
    void beginInside() {
        loose = true;
        state = OVERWRITE_LINE;
    }

    /** Says that from here on there are no requests to be seen. */
    void opaque() {
        loose = true;
        boolean searched = body != null;
        if (searched) {
            secret.cut();
        }
        endBody();
        switch (state) {
            case METHOD:
                readLines(fields.contentType());
                break;
            case TARGET:
                // A value that is open goes on: the rest of it is as secret as its beginning.
                readLines(fields.contentType());
                lines.goOn(HeaderRules.ADDRESS, true);
                break;
            case FIELDS:
                if (fields.isInValue() || fields.isAtLineStart()) {
                    readLines(fields.contentType());
                    lines.goOn(fields.header(), fields.isInValue());
                } else {
                    state = OVERWRITE_LINE;
                }
                break;
            case BODY:
            case CHUNK_LINE:
            case CHUNK_DATA:
                if (searched) {
                    state = OVERWRITE;
                } else {
                    readLines(null);
                }
                break;
            case EMPTY_LINES:
                readLines(null);
                break;
            default:
                break;
        }
    }

    private void readLines(byte[] contentType) {
        lines.begin(contentType);
        state = LINES;
    }

    @Override
    void missing() {
        end();
        state = loose ? OVERWRITE_LINE : OVERWRITE;
    }

    @Override
    void scan(boolean begins, boolean ends, ByteBuf bytes, int from, int to, long offset) {
        if (begins) {
            end();
            loose = false;
            state = EMPTY_LINES;
        }
        long base = offset - from;
        int i = from;
        while (i < to) {
            switch (state) {
                case EMPTY_LINES:
                    byte first = bytes.getByte(i++);
                    if (first != '\r' && first != '\n') {
                        fields.beginRequest();
                        inTrailers = false;
                        state = METHOD;
                    }
                    break;
                case METHOD:
                    readMethod(bytes.getByte(i++));
                    break;
                case TARGET:
                    i = values.scan(bytes, i, to, base);
                    if (i < to) {
                        values.end();
                        beginFields();
                        i++;
                    }
                    break;
                case FIELDS:
                    i = fields.scan(bytes, i, to, base);
                    if (fields.hasEnded()) {
                        endSection();
                    }
                    break;
                case LINES:
                    i = lines.scan(bytes, i, to, base);
                    if (lines.bodyFollows()) {
                        // Where the body of an invalid request ends is not known, so it cannot be searched.
                        state = OVERWRITE;
                    }
                    break;
                case BODY:
                    scanBody(bytes, i, to, base);
                    i = to;
                    break;
                case CHUNK_LINE:
                    i = chunkLine.read(bytes, i, to);
                    endChunkLine();
                    break;
                case CHUNK_DATA:
                    int length = (int) Math.min(chunkLeft, to - i);
                    scanBody(bytes, i, i + length, base);
                    i += length;
                    chunkLeft -= length;
                    if (chunkLeft == 0) {
                        chunkLine.beginBehindData();
                        state = CHUNK_LINE;
                    }
                    break;
                default:
                    i = overwrite(bytes, i, to, base);
                    break;
            }
        }
        if (ends) {
            end();
            state = EMPTY_LINES;
        }
    }

    private void scanBody(ByteBuf bytes, int from, int to, long base) {
        if (body != null) {
            body.scan(bytes, from, to, base);
        }
    }

    @Override
    void end() {
        if (state == TARGET) {
            values.end();
        } else if (state == FIELDS) {
            fields.end();
        } else if (state == LINES) {
            lines.end();
        }
        endBody();
        secret.close();
    }

    private void endBody() {
        if (body != null) {
            body.end();
            body = null;
        }
    }

    private void readMethod(byte b) {
        if (b == ' ' || b == '\t') {
            values.begin(HeaderRules.ADDRESS);
            state = TARGET;
        } else if (b == '\n') {
            beginFields();
        }
    }

    private void beginFields() {
        fields.beginSection();
        state = FIELDS;
    }

    private void endSection() {
        if (inTrailers) {
            state = EMPTY_LINES;
        } else {
            body = bodies.scanner(fields.contentType(), fields.isEncoded());
            chunkLine.begin();
            state = fields.isChunked() ? CHUNK_LINE : BODY;
        }
    }

    private void endChunkLine() {
        if (chunkLine.hasEnded() && chunkLine.size() > 0) {
            chunkLeft = chunkLine.size();
            state = CHUNK_DATA;
        } else if (chunkLine.hasEnded()) {
            endBody();
            inTrailers = true;
            beginFields();
        }
    }

    private int overwrite(ByteBuf bytes, int from, int to, long base) {
        int i = from;
        long overwritten = 0;
        while (i < to) {
            byte b = bytes.getByte(i++);
            if (b == '\n' && state == OVERWRITE_LINE) {
                readLines(null);
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
