package dev.lockstep.protocol;

import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordedStatus;
import io.netty.buffer.ByteBuf;

/**
 * Reads the server's answers on an HTTP/1 connection, to learn how each request was answered and whether one led to
 * another protocol. Runs per answer; used by the one thread that handles the connection; needs no close.
 *
 * <p>Servers answer in order. An answer may come before its request has ended. Where bytes of an answer are missing and
 * its end is not found, the client's next request tells that all before it were answered; where requests are pipelined
 * it does not, and no answer is ascribed to a request from there on.
 */
final class AwaitedAnswers {
    /** What the answers read so far have decided. */
    enum Outcome {
        /** Nothing yet. */
        OPEN,
        /** Another protocol follows. */
        SWITCHED,
        /** HTTP/1 goes on behind all requests that could have led elsewhere. */
        REFUSED,
        /** The server's bytes do not tell. */
        UNKNOWN
    }

    /** The most requests without an answer that are followed. */
    private static final int MAX_REQUESTS = 1_024;

    /** What servers send before they close a connection on which no request came (RFC 9110, 15.5.9). */
    private static final int REQUEST_TIMEOUT = 408;

    private static final byte[] VERSION = HttpBytes.ascii("HTTP/1.");

    // What there is to know of a request to read its answer.
    private static final byte IS_HEAD = 1;
    private static final byte IS_CONNECT = 2;
    private static final byte MAY_SWITCH = 4;

    private final HttpResponseFramer framer = new HttpResponseFramer();
    private final RecordedAnswers recorded;

    /** The requests that ended and were not answered, a ring whose length is a power of two. */
    private byte[] requests = new byte[4];

    private int first;
    private int waiting;
    /** How many of them may switch. */
    private int maySwitch;
    /** Answers that ended before their requests did. */
    private int early;
    /** The number, among the connection's requests, of the one whose answer is read now or comes next. */
    private long number;

    private boolean inStep;
    private boolean inAnswer;
    /** Whether bytes are missing since the last request that ended, and whether the rest of a body is among them. */
    private boolean torn;

    private boolean tornInside;
    /** Whether answers can be ascribed to requests. */
    private boolean ascribed;

    /**
     * Creates a reader.
     *
     * @param recorded takes how requests were answered
     * @param number of the first request that {@link #await} will add, or whose answer comes before
     * @param inStep whether the server's next byte is the first of an answer; otherwise the first answer is looked for
     *     at the beginning of a read, and taken for that to the first request
     * @param ascribed whether answers can be ascribed to requests
     */
    AwaitedAnswers(RecordedAnswers recorded, long number, boolean inStep, boolean ascribed) {
        this.ascribed = ascribed;
        this.recorded = recorded;
        this.number = number;
        this.inStep = inStep;
    }

    /** Adds a request that has ended. */
    void await(boolean isHead, boolean isConnect, boolean mightSwitch) {
        boolean answered = tornInside && waiting == 0;
        while (torn && waiting > 0) {
            next();
            number++;
        }
        torn = false;
        tornInside = false;
        if (answered) {
            number++;
            return;
        }
        if (early > 0) {
            early--;
            return;
        }
        if (waiting == MAX_REQUESTS) {
            ascribed = false;
            return;
        }
        if (waiting == requests.length) {
            byte[] more = new byte[2 * waiting];
            System.arraycopy(requests, first, more, 0, waiting - first);
            System.arraycopy(requests, 0, more, waiting - first, first);
            requests = more;
            first = 0;
        }
        int request = (isHead ? IS_HEAD : 0) | (isConnect ? IS_CONNECT : 0) | (mightSwitch ? MAY_SWITCH : 0);
        requests[first + waiting++ & requests.length - 1] = (byte) request;
        maySwitch += mightSwitch ? 1 : 0;
    }

    /**
     * Reads the server's bytes up to a decision; behind {@link Outcome#REFUSED} it may be called again.
     *
     * @param inRequest whether a request has begun and not ended
     */
    Outcome feed(ByteBuf buffer, int from, int to, boolean inRequest) {
        boolean refused = false;
        if (!inStep) {
            if (from == to || !ByteSearch.begins(buffer, from, to, VERSION)) {
                return Outcome.OPEN;
            }
            if (tornInside) {
                refused = next();
                number++;
            }
            inStep = true;
            torn = false;
            tornInside = false;
        }
        int reader = buffer.readerIndex();
        int writer = buffer.writerIndex();
        // A slice would be an object for each read.
        buffer.setIndex(from, to);
        try {
            return read(buffer, refused, inRequest);
        } finally {
            buffer.setIndex(reader, writer);
        }
    }

    private Outcome read(ByteBuf in, boolean refusedBefore, boolean inRequest) {
        boolean refused = refusedBefore;
        while (in.isReadable()) {
            if (!inAnswer) {
                byte b = in.getByte(in.readerIndex());
                if (b == '\r' || b == '\n') {
                    // Stray, as some servers send behind a body: it is not known yet which request is answered next.
                    in.skipBytes(1);
                    continue;
                }
                byte request = waiting == 0 ? 0 : requests[first];
                framer.expect((request & IS_HEAD) != 0, (request & IS_CONNECT) != 0);
                inAnswer = true;
            }
            int read = framer.feed(in);
            if (read == HttpResponseFramer.MALFORMED) {
                return Outcome.UNKNOWN;
            }
            if (read == HttpResponseFramer.MORE) {
                break;
            }
            if (!answered(inRequest)) {
                continue;
            }
            if (framer.switched()) {
                return waiting == 0 ? Outcome.UNKNOWN : Outcome.SWITCHED;
            }
            refused |= next();
        }
        return refused ? Outcome.REFUSED : Outcome.OPEN;
    }

    /** The server sends no more: ends an answer that ends with the connection. */
    void ended(boolean inRequest) {
        if (inAnswer && framer.endOfStream() == HttpResponseFramer.COMPLETE) {
            answered(inRequest);
        }
    }

    /** Takes an answer that has ended; returns whether it was one to a request. */
    private boolean answered(boolean inRequest) {
        inAnswer = false;
        if (waiting == 0 && !inRequest && framer.status() == REQUEST_TIMEOUT) {
            return false;
        }
        if (ascribed && framer.status() <= RecordedStatus.MAX) {
            recorded.add(number, framer.status());
        }
        number++;
        return true;
    }

    /** Goes on to the next request; returns whether the one before was the last that may switch. */
    private boolean next() {
        if (waiting == 0) {
            early++;
            return false;
        }
        boolean mightSwitch = (requests[first] & MAY_SWITCH) != 0;
        first = first + 1 & requests.length - 1;
        waiting--;
        maySwitch -= mightSwitch ? 1 : 0;
        return mightSwitch && maySwitch == 0;
    }

    /** Which protocol follows, as far as it is told apart. */
    Protocol protocol() {
        return framer.status() == 101 ? framer.upgrade() : Protocol.UNKNOWN;
    }

    /** Says that the server's next bytes are missing; {@code bytes} is 0 when it is not known how many. */
    void missing(long bytes) {
        if (inAnswer && framer.skipMissing(bytes)) {
            return;
        }
        if (inAnswer && framer.isInBody()) {
            tornInside = true;
            if (ascribed) {
                recorded.add(number, framer.status());
            }
        }
        ascribed &= waiting <= 1;
        torn = true;
        inStep = false;
        inAnswer = false;
    }
}
