package dev.lockstep.tap;

import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.protocol.ConnectionFramer;
import dev.lockstep.redaction.ConnectionRedactor;
import dev.lockstep.redaction.RedactedSink;
import io.netty.buffer.ByteBuf;

/**
 * Writes what one client sends into the capture, cut at the boundaries of its requests, with its secrets replaced. Runs
 * per read, on the one thread that handles the connection.
 *
 * <p>The bytes are the truth and the boundaries a note beside them: each byte goes to the writer, whatever the framer
 * makes of the stream. The writer counts what it has no room for.
 */
public final class RecordedConnection {
    private final CaptureWriter writer;
    private final TrafficCounters counters;
    private final ConnectionFramer framer;
    /** Null where nothing is to be redacted. */
    private final ConnectionRedactor redactor;

    private final RedactedSink toWriter = new ToWriter();

    private final int connection;
    private Protocol protocol = Protocol.UNKNOWN;
    private boolean opaque;
    private boolean countedOpaque;
    private boolean hasHole;

    // What is written, as a reader of the file sees it. Later than what was framed, while the redactor waits for more.
    /** Whether a request has begun and not ended. */
    private boolean inMessage;
    /** Whether what comes may belong to a request that has a hole. */
    private boolean behindHole;

    private long http2Requests;
    private boolean requestEnded;
    private boolean givenUp;
    private boolean answered;
    /** How many requests have ended, without those that have a hole. */
    private long endedRequests;
    /** Whether the request that goes on, or comes next, is answered already. */
    private boolean answeredEarly;
    /** Whether requests were counted that have no end in the file, so that the numbers of later ones are not known. */
    private boolean miscounted;

    RecordedConnection(
            CaptureWriter writer,
            TrafficCounters counters,
            ConnectionFramer framer,
            ConnectionRedactor redactor,
            int connection) {
        this.writer = writer;
        this.counters = counters;
        this.framer = framer;
        this.redactor = redactor;
        this.connection = connection;
    }

    /** Records bytes of the client. The buffer stays the caller's; its indices are not moved. */
    public void clientBytes(long nowNs, ByteBuf bytes, int from, int to) {
        counters.clientBytes.add(to - from);
        if (givenUp) {
            writer.lost(0, 0, to - from);
            return;
        }
        try {
            record(nowNs, bytes, from, to);
        } catch (RuntimeException | StackOverflowError defect) {
            giveUp(nowNs, defect);
            writer.lost(0, 0, to - from);
        }
    }

    private void record(long nowNs, ByteBuf bytes, int from, int to) {
        int requests = 0;
        int index = from;
        while (index < to) {
            boolean begins = framer.isBetweenRequests();
            boolean ends = false;
            int next = framer.feed(bytes, index, to);
            if (framer.protocol() != protocol || framer.isOpaque() != opaque) {
                noteProtocol(nowNs);
            }
            if (opaque || framer.isAside()) {
                begins = false;
            } else {
                hasHole &= !begins;
                if (framer.isBetweenRequests() && !hasHole) {
                    ends = true;
                    requests++;
                    endedRequests++;
                    if (framer.isAmbiguous()) {
                        counters.ambiguousRequests.increment();
                    }
                }
            }
            if (redactor == null) {
                write(nowNs, begins, ends, false, bytes, index, next);
            } else {
                redactor.piece(nowNs, begins, ends, bytes, index, next, toWriter);
            }
            index = next;
        }
        if (requests != 0) {
            counters.requests.add(requests);
            noteUnanswered(nowNs);
        }
        if (protocol == Protocol.HTTP2) {
            counters.http2Requests.add(framer.http2Requests() - http2Requests);
            http2Requests = framer.http2Requests();
        }
        if (redactor != null) {
            countRedactions();
        }
    }

    /**
     * Reads bytes of the server, which are not recorded; of each answer the capture keeps the status. The buffer stays
     * the caller's; its indices are not moved.
     */
    public void serverBytes(long nowNs, ByteBuf bytes, int from, int to) {
        serverBytes(nowNs, bytes, from, to, true);
    }

    /** Reads bytes that stand for those of a server, whose status is not known, as {@link #serverBytes}. */
    public void assumedServerBytes(long nowNs, ByteBuf bytes, int from, int to) {
        serverBytes(nowNs, bytes, from, to, false);
    }

    private void serverBytes(long nowNs, ByteBuf bytes, int from, int to, boolean keepsStatus) {
        counters.upstreamBytes.add(to - from);
        answered = true;
        if (!givenUp && framer.wantsAnswers()) {
            try {
                readAnswer(nowNs, bytes, from, to, keepsStatus);
            } catch (RuntimeException | StackOverflowError defect) {
                giveUp(nowNs, defect);
            }
        }
    }

    private void readAnswer(long nowNs, ByteBuf bytes, int from, int to, boolean keepsStatus) {
        framer.feedAnswer(bytes, from, to);
        noteUnanswered(nowNs);
        noteAnswered(nowNs, keepsStatus);
        if (framer.protocol() != protocol || framer.isOpaque() != opaque) {
            noteProtocol(nowNs);
        }
    }

    /**
     * Stops recording this connection because of a defect of Lockstep. Its traffic goes on, and the capture says that
     * the rest of it is lost.
     */
    private void giveUp(long nowNs, Throwable defect) {
        givenUp = true;
        counters.defects.increment();
        counters.lastDefect = defect;
        if (redactor != null) {
            redactor.close();
        }
        writer.lost(1, 0, 0);
        writer.closeConnection(connection, nowNs, CloseReason.RECORDING_LOST);
    }

    /** Records that bytes of the client are missing here; {@code bytes} is 0 when their number is not known. */
    public void clientBytesMissing(long nowNs, long bytes) {
        if (givenUp) {
            return;
        }
        try {
            if (redactor != null) {
                redactor.missing(nowNs, toWriter);
            }
            // The rest of a request is recorded, but nobody can replay it.
            hasHole |= framer.isInRequest();
            behindHole |= inMessage;
            miscounted = true;
            answeredEarly = false;
            endUnfinished();
            framer.missing(bytes);
            counters.missedBytes.add(bytes);
            counters.gaps.increment();
            writer.gap(connection, nowNs, bytes);
        } catch (RuntimeException | StackOverflowError defect) {
            giveUp(nowNs, defect);
        }
    }

    /** Notes that bytes of the server are missing here; {@code bytes} is 0 when their number is not known. */
    public void serverBytesMissing(long nowNs, long bytes) {
        counters.upstreamBytes.add(bytes);
        answered = true;
        if (!givenUp) {
            try {
                framer.answerMissing(bytes);
            } catch (RuntimeException | StackOverflowError defect) {
                giveUp(nowNs, defect);
            }
        }
    }

    /** Records that the client will send no more. */
    public void clientEnded(long nowNs) {
        if (givenUp) {
            return;
        }
        flush(nowNs);
        if (!givenUp) {
            writer.halfClose(connection, nowNs);
        }
    }

    /** Records the end of the connection, which must not be used afterwards. */
    public void close(long nowNs, CloseReason reason) {
        counters.closedConnections.increment();
        if (givenUp) {
            return;
        }
        flush(nowNs);
        if (givenUp) {
            return;
        }
        try {
            endUnfinished();
            framer.answersEnded();
            noteAnswered(nowNs, true);
        } catch (RuntimeException | StackOverflowError defect) {
            giveUp(nowNs, defect);
            return;
        }
        if (redactor != null) {
            redactor.close();
        }
        writer.closeConnection(connection, nowNs, reason);
    }

    private void flush(long nowNs) {
        if (redactor != null) {
            try {
                redactor.end(nowNs, toWriter);
                countRedactions();
            } catch (RuntimeException | StackOverflowError defect) {
                giveUp(nowNs, defect);
            }
        }
    }

    private void countRedactions() {
        long redactions = redactor.takeRedactions();
        if (redactions != 0) {
            counters.redactions.add(redactions);
            writer.redacted(redactions);
        }
    }

    private void write(long nowNs, boolean begins, boolean ends, boolean redacted, ByteBuf bytes, int from, int to) {
        int flags = redacted ? RecordFlags.REDACTED : 0;
        if (begins) {
            flags |= RecordFlags.MESSAGE_START;
            if (requestEnded && !answered) {
                flags |= RecordFlags.PIPELINED;
            }
            if (inMessage) {
                counters.incompleteRequests.increment();
            }
            inMessage = protocol != Protocol.HTTP2;
            behindHole = false;
        }
        if (!inMessage && !behindHole && from < to) {
            noteBytesOfNoRequest();
        }
        if (ends) {
            flags |= RecordFlags.MESSAGE_END;
            requestEnded = true;
            answered = answeredEarly;
            answeredEarly = false;
            inMessage = false;
        }
        writer.data(connection, nowNs, flags, bytes.internalNioBuffer(from, to - from));
    }

    /** Counts the request that has begun and gets no end in the file, unless it is only empty lines so far. */
    private void endUnfinished() {
        if (inMessage && (opaque || framer.isInRequest())) {
            counters.incompleteRequests.increment();
        }
        inMessage = false;
    }

    /** Counts the connection once it has bytes of no request. HTTP/2 and Mux are kept whole, but followed. */
    private void noteBytesOfNoRequest() {
        if (!countedOpaque && protocol != Protocol.HTTP2 && protocol != Protocol.THRIFT_MUX) {
            countedOpaque = true;
            counters.opaqueConnections.increment();
        }
    }

    private void noteUnanswered(long nowNs) {
        for (long request = framer.takeUnanswered(); request >= 0; request = framer.takeUnanswered()) {
            if (!miscounted) {
                writer.noAnswer(connection, nowNs, request);
            }
        }
    }

    /** @param keepsStatus whether the answers are those of the recorded server */
    private void noteAnswered(long nowNs, boolean keepsStatus) {
        for (long request = framer.takeAnswered(); request >= 0; request = framer.takeAnswered()) {
            answeredEarly |= !miscounted && request == endedRequests;
            if (keepsStatus && !miscounted) {
                writer.answer(connection, nowNs, request, framer.answeredStatus());
            }
        }
    }

    private void noteProtocol(long nowNs) {
        if (!opaque && framer.isOpaque() && redactor != null) {
            redactor.opaque();
        }
        opaque = framer.isOpaque();
        Protocol now = framer.protocol();
        if (now != protocol) {
            protocol = now;
            inMessage &= now != Protocol.HTTP2; // what seemed to begin a request was the preface
            writer.protocol(connection, nowNs, now);
            if (redactor != null) {
                redactor.protocol(now);
            }
        }
    }

    /** Takes what the redactor hands on. */
    private final class ToWriter implements RedactedSink {
        @Override
        public void accept(
                long nowNs, boolean begins, boolean ends, boolean redacted, ByteBuf bytes, int from, int to) {
            write(nowNs, begins, ends, redacted, bytes, from, to);
        }

        @Override
        public void leftOut(long nowNs, long bytes) {
            miscounted = true;
            answeredEarly = false;
            writer.gap(connection, nowNs, bytes);
        }
    }
}
