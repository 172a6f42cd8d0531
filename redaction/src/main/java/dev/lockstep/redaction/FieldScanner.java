package dev.lockstep.redaction;

import dev.lockstep.protocol.HttpFieldReader;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Finds the secrets in the fields of an HTTP/1 head or trailer section, and notes the fields that say how to read the
 * body. Runs per line; used by the thread of its connection.
 */
final class FieldScanner implements HttpFieldReader.Listener {
    private static final int LONGEST_NOTE = 256;

    private final NameSet names;
    private final HeaderValueScanner values;
    private final HttpFieldReader reader = HttpFieldReader.lenient(this);

    /** What an index of the buffer being read lacks to be an offset in the stream. */
    private long base;

    private int node;
    private long header;
    private boolean inValue;
    private boolean hasNote;
    private byte[] note;
    private int noteLength;

    // Of the request.
    private boolean chunked;
    private boolean encoded;
    private byte[] contentType;

    FieldScanner(NameSet names, HeaderValueScanner values) {
        this.names = names;
        this.values = values;
    }

    /** Begins a request whose framing is known. */
    void beginRequest() {
        chunked = false;
        encoded = false;
        contentType = null;
        beginSection();
    }

    /** Begins behind a request line, a body or another section. */
    void beginSection() {
        header = 0;
        hasNote = false;
        inValue = false;
        reader.begin();
    }

    /** Reads on, at most to the section's end, and returns the index after the last byte read. */
    int scan(ByteBuf bytes, int from, int to, long offsetBase) {
        base = offsetBase;
        return reader.read(bytes, from, to);
    }

    boolean hasEnded() {
        return reader.hasEnded();
    }

    /** Replaces what is open of a value. */
    void end() {
        if (inValue) {
            values.end();
        }
    }

    /** Whether the next byte is of a value that is searched. */
    boolean isInValue() {
        return inValue;
    }

    /** Whether the next byte begins a line. */
    boolean isAtLineStart() {
        return reader.isAtLineStart();
    }

    /** What the last name says of its value, with which the next line may go on; 0 for nothing. */
    long header() {
        return header;
    }

    boolean isChunked() {
        return chunked;
    }

    /** Whether the body is compressed. */
    boolean isEncoded() {
        return encoded;
    }

    /** The Content-Type's value, or null. */
    byte[] contentType() {
        return contentType;
    }

    /** Most lines: headers of which no rule knows the name. */
    @Override
    public boolean declines(ByteBuf bytes, int from, int to) {
        int at = NameSet.START;
        for (int i = from; i < to; i++) {
            byte b = bytes.getByte(i);
            if (b == ':' || b <= ' ' && b >= 0) {
                return false;
            }
            at = names.next(at, b);
            if (at == NameSet.DEAD) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean name(ByteBuf bytes, int from, int to, boolean begins, boolean ends) {
        int at = begins ? NameSet.START : node;
        for (int i = from; i < to && at != NameSet.DEAD; i++) {
            at = names.next(at, bytes.getByte(i));
        }
        node = at;
        if (!ends) {
            return false;
        }
        header = names.bits(at);
        return header != 0 && beginValue();
    }

    private boolean beginValue() {
        if ((header & HeaderRules.SEARCHED) != 0) {
            values.begin(header);
            inValue = true;
        } else {
            if (note == null) {
                note = new byte[LONGEST_NOTE];
            }
            hasNote = true;
            noteLength = 0;
        }
        return true;
    }

    @Override
    public boolean value(ByteBuf bytes, int from, int to) {
        if (inValue) {
            values.scan(bytes, from, to, base);
        } else {
            int length = Math.min(to - from, LONGEST_NOTE - noteLength);
            bytes.getBytes(from, note, noteLength, length);
            noteLength += length;
        }
        return true;
    }

    @Override
    public void lineEnded() {
        end();
        inValue = false;
    }

    @Override
    public boolean continued() {
        if ((header & HeaderRules.SEARCHED) != 0) {
            values.beginContinuation(header);
            inValue = true;
        }
        return inValue || hasNote;
    }

    /** Takes note of a header that says how to read the body. */
    @Override
    public boolean fieldEnded() {
        if (hasNote) {
            hasNote = false;
            readNote();
        }
        header = 0;
        return true;
    }

    @Override
    public boolean blankBehindName() {
        header = names.bits(node);
        return header != 0;
    }

    private void readNote() {
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
}
