package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads what a mux server sends, message by message; the bytes may arrive cut anywhere, and a message's fragments mixed
 * with other messages. Runs per answer; used by the one thread that handles the connection.
 *
 * <p>Of an answer only what tells its outcome is kept, so that memory does not depend on its length. Use: {@link #feed}
 * until it returns {@link #MESSAGE}, ask about the message, feed on.
 */
public final class MuxAnswerFramer {
    /** What {@link #feed} says: the buffer was read to its end within a message. */
    public static final int MORE = 0;

    /** What {@link #feed} says: a message has ended. */
    public static final int MESSAGE = 1;

    /** What {@link #feed} says: this is no mux, see {@link #problem()}; nothing more is read. */
    public static final int MALFORMED = 2;

    /** How many answers may be under way in fragments at a time. */
    public static final int MAX_OPEN_MESSAGES = 1 << 14;

    /** How much is kept of a message that is text, or a handshake. */
    public static final int MAX_TEXT_BYTES = 1024;

    /** What a message is. */
    public enum Kind {
        /** An answer to a request, with a {@link #status()}. */
        ANSWER,
        /** Says that the message with the tag could not be understood or served, with a {@link #text()}. */
        ERROR,
        /** Says that the request with the tag was given up. */
        DISCARDED,
        /** The server's side of the handshake. */
        INIT,
        /** Asks for a sign of life. */
        PING,
        /** Asks for no more requests on this connection. */
        DRAIN,
        /** Says for how long requests are welcome, see {@link #leaseMs()}. */
        LEASE,
        /** Asks for nothing. */
        OTHER
    }

    /** What a request came to, as mux sees it. */
    public enum Status {
        OK,
        ERROR,
        /** Not taken on; the client may ask again elsewhere. */
        NACK
    }

    private static final Status[] STATUSES = Status.values();

    // Where the next byte of an answer's body stands.
    private static final int AT_STATUS = 0;
    private static final int AT_PAIRS = 1;
    private static final int AT_LENGTH = 2;
    private static final int IN_STRING = 3;
    private static final int IN_PAYLOAD = 4;
    private static final int IN_TEXT = 5;
    private static final int IN_NOTHING = 6;

    /** A message under way. */
    private static final class Message {
        int type;
        int tag;
        int step;
        int status;
        /** Of a number of two bytes, the first, or -1 before it. */
        int high;
        /** Keys and values of an answer's contexts that are to come, or bytes of the one under way. */
        int strings;

        int stringLeft;
        long payloadBytes;
        final ThriftOutcome thrift = new ThriftOutcome();
        byte[] text = new byte[0];
        int textBytes;

        void begin(int type, int tag) {
            this.type = type;
            this.tag = tag;
            step = type == MuxFrame.R_DISPATCH || type == MuxFrame.R_REQUEST
                    ? AT_STATUS
                    : keepsText(type) ? IN_TEXT : IN_NOTHING;
            high = -1;
            payloadBytes = 0;
            thrift.begin();
            textBytes = 0;
        }

        private static boolean keepsText(int type) {
            return type == MuxFrame.R_ERR
                    || type == MuxFrame.OLD_R_ERR
                    || type == MuxFrame.R_INIT
                    || type == MuxFrame.T_LEASE
                    || type == MuxFrame.T_DISCARDED
                    || type == MuxFrame.OLD_T_DISCARDED;
        }

        /** Whether the message may end here. */
        boolean mayEnd() {
            return step >= IN_PAYLOAD;
        }

        void read(ByteBuf buffer, int from, int to) {
            int index = from;
            while (index < to) {
                switch (step) {
                    case AT_STATUS:
                        status = buffer.getByte(index++);
                        step = type == MuxFrame.R_DISPATCH ? AT_PAIRS : IN_PAYLOAD;
                        break;
                    case AT_PAIRS:
                    case AT_LENGTH:
                        number(buffer.getUnsignedByte(index++));
                        break;
                    case IN_STRING:
                        int skipped = Math.min(stringLeft, to - index);
                        index += skipped;
                        stringLeft -= skipped;
                        if (stringLeft == 0) {
                            endString();
                        }
                        break;
                    case IN_PAYLOAD:
                        thrift.read(buffer, index, to);
                        payloadBytes += to - index;
                        return;
                    case IN_TEXT:
                        keep(buffer, index, to);
                        return;
                    default:
                        return;
                }
            }
        }

        private void number(int b) {
            if (high < 0) {
                high = b;
                return;
            }
            int number = high << 8 | b;
            high = -1;
            if (step == AT_PAIRS) {
                strings = 2 * number;
                step = strings == 0 ? IN_PAYLOAD : AT_LENGTH;
            } else if (number == 0) {
                endString();
            } else {
                stringLeft = number;
                step = IN_STRING;
            }
        }

        private void endString() {
            strings--;
            step = strings == 0 ? IN_PAYLOAD : AT_LENGTH;
        }

        private void keep(ByteBuf buffer, int from, int to) {
            int bytes = Math.min(to - from, MAX_TEXT_BYTES - textBytes);
            if (textBytes + bytes > text.length) {
                text = Arrays.copyOf(text, Math.max(textBytes + bytes, 64));
            }
            buffer.getBytes(from, text, textBytes, bytes);
            textBytes += bytes;
        }
    }

    /** The message of a frame that is no fragment; used over and over. */
    private final Message whole = new Message();

    private final Map<Integer, Message> inFragments = new HashMap<>();

    // Of the frame being read: its first eight bytes, and how many more follow.
    private long header;
    private int headerBytes;
    private int left;
    private boolean isFragment;
    private Message message = whole;
    private String problem;

    /** Forgets everything, for a new connection. */
    public void reset() {
        inFragments.clear();
        headerBytes = 0;
        message = whole;
        problem = null;
    }

    /**
     * Reads from the buffer until a message ends or the buffer is empty. Does not release the buffer.
     *
     * @return {@link #MORE}, {@link #MESSAGE} or {@link #MALFORMED}
     */
    public int feed(ByteBuf in) {
        while (problem == null) {
            if (headerBytes < MuxFrame.HEADER_BYTES) {
                if (!in.isReadable()) {
                    return MORE;
                }
                header = header << 8 | in.readByte() & 0xff;
                if (++headerBytes < MuxFrame.HEADER_BYTES) {
                    continue;
                }
                beginFrame();
            } else {
                int bytes = Math.min(left, in.readableBytes());
                message.read(in, in.readerIndex(), in.readerIndex() + bytes);
                in.skipBytes(bytes);
                left -= bytes;
                if (left > 0) {
                    return MORE;
                }
            }
            if (left == 0 && problem == null) {
                headerBytes = 0;
                if (!isFragment) {
                    if (message != whole) {
                        inFragments.remove(message.tag);
                    }
                    if (isWhole()) {
                        return MESSAGE;
                    }
                }
            }
        }
        return MALFORMED;
    }

    private boolean isWhole() {
        if (!message.mayEnd()) {
            problem = "an answer that ends within its contexts";
        } else if (kind() == Kind.ANSWER && (message.status < 0 || message.status >= STATUSES.length)) {
            problem = "an answer with the unknown status " + message.status;
        } else if (kind() == Kind.LEASE && message.textBytes < 9) {
            problem = "a lease without its length";
        }
        return problem == null;
    }

    private void beginFrame() {
        int length = (int) (header >>> 32);
        int type = (byte) (header >>> 24);
        int tag = (int) header & MuxFrame.MAX_TAG;
        isFragment = ((int) header & MuxFrame.FRAGMENT) != 0;
        left = length - MuxFrame.TAG_BYTES;
        if (left < 0) {
            problem = "a frame of " + length + " bytes";
        } else if (!MuxFrame.isKnown(type)) {
            problem = "a message of the unknown type " + type;
        } else if (MuxFrame.isRequest(type) || type == MuxFrame.T_INIT) {
            problem = "a request by the server";
        } else {
            message = inFragments.isEmpty() ? null : inFragments.get(tag);
            if (message == null) {
                message = isFragment ? open(tag) : whole;
                message.begin(type, tag);
            } else if (message.type != type) {
                if (!isFragment && !isAnswer(type)) {
                    // Control goes between an answer's fragments, and may have its tag.
                    message = whole;
                }
                // Else it is an error in place of the rest of an answer.
                message.begin(type, tag);
            }
        }
    }

    private static boolean isAnswer(int type) {
        return type == MuxFrame.R_DISPATCH
                || type == MuxFrame.R_REQUEST
                || type == MuxFrame.R_ERR
                || type == MuxFrame.OLD_R_ERR
                || type == MuxFrame.R_DISCARDED;
    }

    private Message open(int tag) {
        if (inFragments.size() == MAX_OPEN_MESSAGES) {
            problem = "more than " + MAX_OPEN_MESSAGES + " messages in fragments at a time";
            return whole;
        }
        Message opened = new Message();
        inFragments.put(tag, opened);
        return opened;
    }

    public Kind kind() {
        switch (message.type) {
            case MuxFrame.R_DISPATCH:
            case MuxFrame.R_REQUEST:
                return Kind.ANSWER;
            case MuxFrame.R_ERR:
            case MuxFrame.OLD_R_ERR:
                return Kind.ERROR;
            case MuxFrame.R_DISCARDED:
            case MuxFrame.T_DISCARDED:
            case MuxFrame.OLD_T_DISCARDED:
                return Kind.DISCARDED;
            case MuxFrame.R_INIT:
                return Kind.INIT;
            case MuxFrame.T_PING:
                return Kind.PING;
            case MuxFrame.T_DRAIN:
                return Kind.DRAIN;
            case MuxFrame.T_LEASE:
                return Kind.LEASE;
            default:
                return Kind.OTHER;
        }
    }

    /** The tag of the message, or of the request that it is about. */
    public int tag() {
        boolean names = message.type == MuxFrame.T_DISCARDED || message.type == MuxFrame.OLD_T_DISCARDED;
        return names && message.textBytes >= 3 ? number(0, 3) & MuxFrame.MAX_TAG : message.tag;
    }

    public Status status() {
        return STATUSES[message.status];
    }

    /** How long an answer's payload is, its contexts left out. */
    public long payloadBytes() {
        return message.payloadBytes;
    }

    /** Whether an answer's payload is a Thrift message that says that the call failed (TApplicationException). */
    public boolean isThriftException() {
        return message.thrift.isException();
    }

    /** For how long requests are welcome, in ms; {@link Long#MAX_VALUE} where a lease is not in ms. */
    public long leaseMs() {
        if (message.text[0] != 0) {
            return Long.MAX_VALUE;
        }
        long ms = (long) number(1, 4) << 32 | number(5, 4) & 0xffffffffL;
        return ms < 0 ? Long.MAX_VALUE : ms;
    }

    /** What an error says, its beginning where it is long. */
    public String text() {
        return new String(message.text, 0, message.textBytes, StandardCharsets.UTF_8);
    }

    /** The version of a handshake, or -1 where it has none. */
    public int initVersion() {
        return message.textBytes < 2 ? -1 : number(0, 2);
    }

    /** Returns what a handshake says under this key, or null. */
    public String initHeader(String key) {
        int index = 2;
        String found = null;
        for (boolean isKey = true; index + 4 <= message.textBytes; isKey = !isKey) {
            int length = number(index, 4);
            if (length < 0 || length > message.textBytes - index - 4) {
                return null;
            }
            String word = new String(message.text, index + 4, length, StandardCharsets.UTF_8);
            if (!isKey && key.equals(found)) {
                return word;
            }
            found = isKey ? word : null;
            index += 4 + length;
        }
        return null;
    }

    private int number(int from, int bytes) {
        int number = 0;
        for (int i = from; i < from + bytes; i++) {
            number = number << 8 | message.text[i] & 0xff;
        }
        return number;
    }

    /** Why this is no mux, in a few words for people, or null. */
    public String problem() {
        return problem;
    }
}
