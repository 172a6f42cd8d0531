package dev.lockstep.protocol;

import static dev.lockstep.protocol.FramingWords.CHUNKED;
import static dev.lockstep.protocol.FramingWords.CONTENT_LENGTH;
import static dev.lockstep.protocol.FramingWords.TRANSFER_ENCODING;
import static dev.lockstep.protocol.FramingWords.UPGRADE;

import io.netty.buffer.ByteBuf;

/**
 * What the fields of a request's head say of its body and of the connection: Content-Length, Transfer-Encoding,
 * Connection and whether there is an Upgrade. Runs per field on the event loop; used by the one thread that reads the
 * connection.
 */
final class FramingFields implements HttpFieldReader.Listener {
    private boolean inTrailers;

    // Of the field being read, and of the element of its list.
    private int node;
    private int field;
    private boolean hasElement;
    private boolean elementEnded;
    private long number;

    // Of the head.
    private int fieldsSeen;
    private int optionsSeen;
    private long contentLength;
    private OpaqueReason problem;

    /** Forgets the head before. */
    void beginHead() {
        inTrailers = false;
        fieldsSeen = 0;
        optionsSeen = 0;
        contentLength = -1;
        problem = null;
    }

    /** From here on fields are trailers, which say nothing of the body. */
    void beginTrailers() {
        inTrailers = true;
    }

    boolean hasField(int word) {
        return (fieldsSeen & word) != 0;
    }

    boolean hasOption(int word) {
        return (optionsSeen & word) != 0;
    }

    /** The body's length in bytes, or -1 where none is given. */
    long contentLength() {
        return contentLength;
    }

    /** Why the reading was broken off, or null. */
    OpaqueReason problem() {
        return problem;
    }

    @Override
    public boolean name(ByteBuf bytes, int from, int to, boolean begins, boolean ends) {
        int at = !begins ? node : inTrailers ? FramingWords.NONE : FramingWords.HEADERS;
        for (int i = from; i < to && at != FramingWords.NONE; i++) {
            at = FramingWords.next(at, bytes.getByte(i));
        }
        node = at;
        if (!ends || at == FramingWords.NONE) {
            return false;
        }
        field = FramingWords.word(at);
        fieldsSeen |= field;
        beginElement();
        return field != 0 && field != UPGRADE;
    }

    @Override
    public boolean value(ByteBuf bytes, int from, int to) {
        for (int i = from; i < to && problem == null; i++) {
            byte b = bytes.getByte(i);
            if (field == CONTENT_LENGTH) {
                readLength(b);
            } else {
                readList(b);
            }
        }
        return problem == null;
    }

    @Override
    public void lineEnded() {}

    @Override
    public boolean continued() {
        return true;
    }

    @Override
    public boolean fieldEnded() {
        if (field == CONTENT_LENGTH) {
            endLength();
        } else {
            endElement();
        }
        return problem == null;
    }

    private void beginElement() {
        hasElement = false;
        elementEnded = false;
        number = 0;
        node = field == TRANSFER_ENCODING ? FramingWords.CODINGS : FramingWords.OPTIONS;
    }

    private void readLength(byte b) {
        if (HttpBytes.isBlank(b)) {
            elementEnded = hasElement;
        } else if (b == ',') {
            endLength();
            beginElement();
        } else if (b < '0' || b > '9' || elementEnded || number > (Long.MAX_VALUE - 9) / 10) {
            problem = OpaqueReason.INVALID_CONTENT_LENGTH;
        } else {
            hasElement = true;
            number = number * 10 + b - '0';
        }
    }

    private void endLength() {
        if (!hasElement || contentLength >= 0 && contentLength != number) {
            problem = OpaqueReason.INVALID_CONTENT_LENGTH;
        } else {
            contentLength = number;
        }
    }

    private void readList(byte b) {
        if (b == ',') {
            endElement();
            beginElement();
        } else if (HttpBytes.isBlank(b)) {
            elementEnded = hasElement;
        } else {
            hasElement = true;
            node = elementEnded ? FramingWords.NONE : FramingWords.next(node, b);
        }
    }

    private void endElement() {
        if (!hasElement) {
            return;
        }
        if (field == TRANSFER_ENCODING && hasOption(CHUNKED)) {
            problem = OpaqueReason.INVALID_TRANSFER_ENCODING;
        }
        optionsSeen |= FramingWords.word(node);
    }
}
