package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Finds where a Thrift server's messages end on one connection and reads their heads, in whichever form the server
 * answers: that is told by its first bytes, and need not be the client's. Runs per request on the event loop; one
 * framer serves one connection, one thread uses it. Allocates nothing per message.
 *
 * <p>The owner calls {@link #feed} with whatever arrives, in any split, until it returns {@link #COMPLETE}; bytes
 * behind the message stay in the buffer, and the next call begins the next message.
 */
public final class ThriftAnswerFramer {
    /** The message goes on; feed more bytes. */
    public static final int MORE = 0;
    /** The message ended; the buffer's reader index stands behind its last byte. */
    public static final int COMPLETE = 1;
    /** The bytes are no answer of Thrift's. The connection cannot be used further. */
    public static final int MALFORMED = 2;

    /** Null until the form is recognised. */
    private ThriftStreamReader reader;
    /** The first bytes while they are too few to recognise the form; null before. */
    private ByteBuf first;

    private boolean upgraded;
    private boolean ended = true;
    private boolean malformed;
    private long bytes;

    /** Reads on, at most to the end of one message. */
    public int feed(ByteBuf in) {
        if (ended) {
            ended = false;
            bytes = 0;
        }
        while (in.isReadable() && !malformed) {
            if (reader == null) {
                recognise(in);
            } else {
                int index = reader.feed(in, in.readerIndex(), in.writerIndex());
                bytes += index - in.readerIndex();
                in.readerIndex(index);
            }
            if (reader == null) {
                continue;
            }
            if (reader.isLost()) {
                malformed = true;
            } else if (reader.hasEnded()) {
                return end();
            }
        }
        return malformed ? MALFORMED : MORE;
    }

    private int end() {
        ended = true;
        boolean isAnswer = !reader.hasHead()
                || reader.head().type() == ThriftMessageReader.REPLY
                || reader.head().type() == ThriftMessageReader.EXCEPTION;
        malformed = !isAnswer;
        return isAnswer ? COMPLETE : MALFORMED;
    }

    /** Says that the server accepted the upgrade: from here on TTwitter's header stands before each message. */
    public void upgradeToTwitter() {
        upgraded = true;
        if (reader != null) {
            reader.upgradeToTwitter();
        }
    }

    /** Whether the message that ended last is a TApplicationException. */
    public boolean isException() {
        return reader.hasHead() && reader.head().type() == ThriftMessageReader.EXCEPTION;
    }

    /** The type that the exception names, 0 (unknown) where it names none. */
    public int exceptionType() {
        return isException() ? reader.head().exceptionType() : 0;
    }

    /** How many bytes the message has by now, its framing included. */
    public long bytes() {
        return bytes;
    }

    /**
     * Whether the message that ended last can be the answer to a call, as {@link ThriftCallHead} told of it. Where one
     * of the two names is not known, because the payload is compressed, the sequence id alone says; an id of 0 fits
     * any. An exception without a name fits every call: some servers send it when they could not read the call.
     */
    public boolean answers(long nameHash, long methodHash, int sequenceId) {
        return ThriftCalls.fits(reader.answeredName(), reader.sequenceId(), nameHash, methodHash, sequenceId);
    }

    /**
     * Takes the first bytes until they tell the form: one by one, so that what is recognised does not depend on how the
     * bytes are cut.
     */
    private void recognise(ByteBuf in) {
        if (first == null) {
            first = Unpooled.buffer(ThriftRecognition.MAX_BYTES, ThriftRecognition.MAX_BYTES);
        }
        Protocol found = null;
        while (found == null && in.isReadable()) {
            if (!first.isWritable()) {
                malformed = true;
                return;
            }
            first.writeByte(in.readByte());
            found = ThriftRecognition.ANSWERS.recognise(first, 0, first.writerIndex());
        }
        if (found == null) {
            return;
        }
        begin(found);
        if (reader != null) {
            // A form is recognised at the latest with its first message's last byte.
            bytes = reader.feed(first, 0, first.writerIndex());
        }
        first = null;
    }

    private void begin(Protocol found) {
        malformed = !ThriftCallHead.reads(found);
        if (!malformed) {
            reader = new ThriftStreamReader(found, true, false);
            if (upgraded) {
                reader.upgradeToTwitter();
            }
        }
    }
}
