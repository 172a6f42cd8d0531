package dev.lockstep.conversion.filter;

import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionStart;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.capture.RecordedStatus;
import dev.lockstep.redaction.ConnectionRedactor;
import dev.lockstep.redaction.RedactedSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A connection as it stands in the new capture, where it begins with its first bytes that are kept. Used by one thread.
 */
final class WrittenConnection implements RedactedSink {
    /** For how many requests back it is remembered which number they got. */
    private static final int REMEMBERED = 4096;

    private final CaptureFilter filter;
    private final ConnectionStart start;
    private int id = -1;
    private boolean begun;
    private Protocol protocol = Protocol.UNKNOWN;
    private long requests;
    /** Whether bytes were left out, or it began in a segment that is not read: numbers of requests are not known. */
    private boolean miscounted;
    /** The numbers of requests of which it is not known yet how they were answered, by those that they had before. */
    private final Map<Long, Long> numbers = new LinkedHashMap<>();

    /** Null where nothing is to be redacted. */
    private ConnectionRedactor redactor;
    /** The redactor knows that the bytes belong to no request. */
    private boolean opaque;
    /** The piece being written was redacted already. */
    private boolean wasRedacted;
    /** Of the requests that the redactor holds, in their order. */
    private final ArrayDeque<Boolean> pipelined = new ArrayDeque<>();

    WrittenConnection(CaptureFilter filter, ConnectionStart start) {
        this.filter = filter;
        this.start = start;
        miscounted = start.goesOn();
    }

    /** Writes the beginning, unless it is written; {@code cut} says that bytes before it were left out. */
    void begin(long nowNs, boolean cut) {
        if (begun) {
            return;
        }
        begun = true;
        boolean alreadyOpen = start.alreadyOpen() || cut;
        id = writer(nowNs).openConnection(nowNs, start.client(), start.server(), alreadyOpen, start.details());
        if (filter.config().redaction() != null) {
            redactor = filter.config().redaction().redactor(alreadyOpen);
        }
        if (protocol != Protocol.UNKNOWN) {
            protocol(nowNs, protocol);
        }
    }

    /** Takes the protocol, which is written when the connection begins. */
    void protocol(long nowNs, Protocol now) {
        protocol = now;
        if (begun) {
            writer(nowNs).protocol(id, nowNs, now);
            if (redactor != null) {
                redactor.protocol(now);
            }
        }
    }

    /** Writes bytes outside requests. */
    void opaque(long nowNs, int flags, ByteBuffer payload) {
        // Of mux, what is outside requests is control frames, unless the stream could not be followed.
        if (redactor != null && !opaque && protocol != Protocol.THRIFT_MUX) {
            opaque = true;
            redactor.opaque();
        }
        write(nowNs, flags, payload);
    }

    /** Remembers that the request with this number in the capture that is read has its end here. */
    void requestEnds(long request) {
        numbers.put(request, requests++);
        if (numbers.size() > REMEMBERED) {
            numbers.remove(numbers.keySet().iterator().next());
        }
    }

    void write(long nowNs, int flags, ByteBuffer payload) {
        if (redactor == null) {
            writer(nowNs).data(id, nowNs, flags, payload.duplicate());
            return;
        }
        boolean begins = (flags & RecordFlags.MESSAGE_START) != 0;
        if (begins) {
            opaque = false;
            pipelined.add((flags & RecordFlags.PIPELINED) != 0);
        }
        wasRedacted = (flags & RecordFlags.REDACTED) != 0;
        ByteBuf bytes = Unpooled.wrappedBuffer(payload);
        redactor.piece(nowNs, begins, (flags & RecordFlags.MESSAGE_END) != 0, bytes, 0, bytes.readableBytes(), this);
        wasRedacted = false;
        if (!redactor.holdsBack()) {
            // A request whose beginning was left out was not handed on.
            pipelined.clear();
        }
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            missing(nowNs);
            writer(nowNs).gap(id, nowNs, 0);
        }
        countRedactions();
    }

    /** Writes what the redactor hands on. */
    @Override
    public void accept(long nowNs, boolean begins, boolean ends, boolean redacted, ByteBuf piece, int from, int to) {
        int flags = redacted || wasRedacted ? RecordFlags.REDACTED : 0;
        if (begins) {
            flags |= RecordFlags.MESSAGE_START;
            if (Boolean.TRUE.equals(pipelined.poll())) {
                flags |= RecordFlags.PIPELINED;
            }
        }
        if (ends) {
            flags |= RecordFlags.MESSAGE_END;
        }
        writer(nowNs).data(id, nowNs, flags, piece.nioBuffer(from, to - from));
    }

    @Override
    public void leftOut(long nowNs, long bytes) {
        miscounted = true;
        writer(nowNs).gap(id, nowNs, bytes);
    }

    /** Bytes are missing: what was held of a beginning is written now, or left out with its flag. */
    private void missing(long nowNs) {
        redactor.missing(nowNs, this);
        pipelined.clear();
    }

    private void countRedactions() {
        long values = redactor.takeRedactions();
        if (values != 0) {
            filter.redacted(values);
        }
    }

    void gap(long nowNs, long missingBytes) {
        if (begun) {
            if (redactor != null) {
                missing(nowNs);
                countRedactions();
            }
            writer(nowNs).gap(id, nowNs, missingBytes);
        }
    }

    /** Writes that a request gets no answer; {@code renumbered} where requests may have been left out. */
    void noAnswer(long nowNs, long request, boolean renumbered) {
        Long kept = renumbered ? numbers.remove(request) : Long.valueOf(request);
        if (begun && kept != null && !start.goesOn()) {
            writer(nowNs).noAnswer(id, nowNs, kept);
        }
    }

    /** Writes how a request was answered; {@code renumbered} where requests may have been left out. */
    void answer(long nowNs, long request, int status, boolean renumbered) {
        Long kept = renumbered ? numbers.remove(request) : Long.valueOf(request);
        if (begun && kept != null && !miscounted && status != RecordedStatus.UNKNOWN) {
            writer(nowNs).answer(id, nowNs, kept, status);
        }
    }

    /** Whether how a request was answered may still come. */
    boolean awaitsAnswer() {
        return !numbers.isEmpty() && !miscounted && protocol != Protocol.HTTP2 && protocol != Protocol.THRIFT_MUX;
    }

    void halfClose(long nowNs) {
        if (begun) {
            flushRedactor(nowNs);
            writer(nowNs).halfClose(id, nowNs);
        }
    }

    void close(long nowNs, CloseReason reason) {
        if (begun) {
            flushRedactor(nowNs);
            if (redactor != null) {
                redactor.close();
            }
            writer(nowNs).closeConnection(id, nowNs, reason);
        }
    }

    private void flushRedactor(long nowNs) {
        if (redactor != null) {
            redactor.end(nowNs, this);
            countRedactions();
        }
    }

    private CaptureWriter writer(long nowNs) {
        return filter.writer(nowNs);
    }
}
