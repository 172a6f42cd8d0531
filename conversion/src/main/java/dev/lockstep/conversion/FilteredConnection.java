package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionStart;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.protocol.RequestFacts;
import dev.lockstep.protocol.StreamProtocol;
import dev.lockstep.redaction.ConnectionRedactor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/** One connection on its way from one capture into another. Used by one thread. */
final class FilteredConnection {
    /** How much of a request is looked at for its names. */
    private static final int HEAD_BYTES = 64 << 10;

    /** How many requests back an answer may be known to be none. */
    private static final int REMEMBERED = 4096;

    /** Whether a request is kept. */
    private static final class Choice {
        final boolean inTime;
        boolean decided;
        boolean kept;
        /** What is known of it so far. */
        ByteBuf head = Unpooled.EMPTY_BUFFER;

        Choice(boolean inTime) {
            this.inTime = inTime;
        }
    }

    /** Something that is written when its turn comes. */
    final class Waiting {
        private final Choice choice;
        private final Runnable writing;
        private final int bytes;

        Waiting(Choice choice, int bytes, Runnable writing) {
            this.choice = choice;
            this.bytes = bytes + Entry.OVERHEAD_BYTES;
            this.writing = writing;
        }

        int bytes() {
            return bytes;
        }

        boolean isDecided() {
            return choice == null || choice.decided;
        }

        void decide() {
            FilteredConnection.this.decide(choice);
        }

        void write() {
            if (choice == null || choice.kept) {
                writing.run();
            }
        }
    }

    private final CaptureFilter filter;
    private final int number;
    private final ConnectionStart start;
    private final boolean choosesRequests;
    private final boolean choosesByName;

    /** As read, which may be ahead of what was written. */
    private Protocol protocol = Protocol.UNKNOWN;

    private Choice current;
    private long requestsRead;

    // As written.
    private int written = -1;
    private boolean begun;
    private boolean leftOut;
    private Protocol protocolWritten = Protocol.UNKNOWN;
    private long requestsWritten;
    private final Map<Long, Long> numbers = new LinkedHashMap<>();
    private ConnectionRedactor redactor;
    /** Whether the redactor knows that the bytes belong to no request. */
    private boolean opaque;

    private final ArrayDeque<Boolean> pipelined = new ArrayDeque<>();

    FilteredConnection(CaptureFilter filter, int number, ConnectionStart start) {
        this.filter = filter;
        this.number = number;
        this.start = start;
        this.choosesRequests = filter.config().choosesRequests();
        this.choosesByName = filter.config().choosesByName();
    }

    int number() {
        return number;
    }

    /** Writes its beginning, if it is not written. */
    void begin(long nowNs) {
        if (begun) {
            return;
        }
        begun = true;
        written = filter.writer(nowNs)
                .openConnection(nowNs, start.client(), start.server(), start.alreadyOpen() || leftOut, start.details());
        if (filter.config().redaction() != null) {
            redactor = filter.config().redaction().redactor(start.alreadyOpen() || leftOut);
        }
    }

    void protocol(long nowNs, Protocol now) {
        protocol = now;
        later(null, 0, () -> {
            if (begun) {
                writeProtocol(nowNs, now);
            } else {
                protocolWritten = now; // written when the connection begins
            }
        });
    }

    private void writeProtocol(long nowNs, Protocol now) {
        protocolWritten = now;
        writer(nowNs).protocol(written, nowNs, now);
        if (redactor != null) {
            redactor.protocol(StreamProtocol.valueOf(now.name()));
        }
    }

    void data(long nowNs, long epochNs, int flags, ByteBuffer payload) {
        boolean begins = (flags & RecordFlags.MESSAGE_START) != 0;
        boolean ends = (flags & RecordFlags.MESSAGE_END) != 0;
        boolean cut = (flags & RecordFlags.TRUNCATED) != 0;
        if (begins) {
            endCurrent();
            current = new Choice(filter.config().wantsTime(nowNs, epochNs));
            if (!choosesByName) {
                decide(current);
            }
        }
        Choice choice = current;
        if (choice == null) {
            // Bytes of no request.
            boolean kept =
                    filter.config().wantsOpaque(protocol) && filter.config().wantsTime(nowNs, epochNs);
            if (kept) {
                ByteBuffer copy = filter.nothingWaits() ? payload : CaptureFilter.copy(payload);
                later(null, payload.remaining(), () -> {
                    beginOnce(nowNs);
                    if (redactor != null && !opaque) {
                        opaque = true;
                        redactor.opaque();
                    }
                    write(nowNs, flags, copy, -1);
                });
            } else {
                leftOut = true;
            }
            return;
        }
        if (!choice.decided) {
            look(choice, payload, ends);
        }
        long request = requestsRead;
        if (!choice.decided || choice.kept) {
            boolean direct = choice.decided && filter.nothingWaits();
            ByteBuffer copy = direct ? payload : CaptureFilter.copy(payload);
            later(choice, payload.remaining(), () -> write(nowNs, flags, copy, ends && !cut ? request : -1));
        }
        if (ends || cut) {
            endCurrent();
            if (!cut) {
                requestsRead++;
            }
        }
    }

    /** Looks at more bytes of a request, and decides when they say enough. */
    private void look(Choice choice, ByteBuffer payload, boolean ends) {
        ByteBuf head;
        if (choice.head == Unpooled.EMPTY_BUFFER && ends) {
            head = Unpooled.wrappedBuffer(payload);
        } else {
            if (choice.head == Unpooled.EMPTY_BUFFER) {
                choice.head = Unpooled.buffer(Math.min(HEAD_BYTES, payload.remaining()), HEAD_BYTES);
            }
            ByteBuffer some = payload.duplicate();
            some.limit(some.position() + Math.min(some.remaining(), HEAD_BYTES - choice.head.readableBytes()));
            choice.head.writeBytes(some);
            head = choice.head;
        }
        RequestFacts facts = facts(head);
        boolean enough = ends
                || head.readableBytes() >= HEAD_BYTES
                || facts.method() != null
                        && (facts.path() != null || protocol.isThrift())
                        && (!filter.config().needsThriftName() || facts.thrift() != null);
        if (enough) {
            decide(choice, facts);
        }
    }

    private RequestFacts facts(ByteBuf head) {
        return RequestFacts.of(StreamProtocol.valueOf(protocol.name()), head, 0, head.readableBytes());
    }

    /** Decides about the request being read, of which nothing more comes. */
    private void endCurrent() {
        if (current != null) {
            decide(current);
            if (current.kept) {
                filter.keptOneEnded();
            }
            current = null;
        }
    }

    private void decide(Choice choice) {
        if (!choice.decided) {
            decide(choice, choosesByName ? facts(choice.head) : null);
        }
    }

    private void decide(Choice choice, RequestFacts facts) {
        choice.decided = true;
        boolean named = facts == null
                || filter.config()
                        .wantsName(
                                protocol,
                                protocol.isThrift() ? null : facts.method(),
                                facts.path(),
                                facts.thrift() == null ? null : facts.thrift().name());
        choice.kept = choice.inTime && named && filter.keepOneMore();
        choice.head = Unpooled.EMPTY_BUFFER;
        leftOut |= !choice.kept;
    }

    /** Writes now or, when others wait, after them. */
    private void later(Choice choice, int bytes, Runnable writing) {
        Waiting one = new Waiting(choice, bytes, writing);
        if (filter.nothingWaits() && one.isDecided()) {
            one.write();
        } else {
            filter.await(one);
        }
    }

    private CaptureWriter writer(long nowNs) {
        return filter.writer(nowNs);
    }

    /** Writes its beginning with its first bytes that are kept. */
    private void beginOnce(long nowNs) {
        if (!begun) {
            begin(nowNs);
            if (protocolWritten != Protocol.UNKNOWN) {
                writeProtocol(nowNs, protocolWritten);
            }
        }
    }

    /** Writes data; {@code request} is the number of the request that it ends, or -1. */
    private void write(long nowNs, int flags, ByteBuffer payload, long request) {
        beginOnce(nowNs);
        if (request >= 0) {
            numbers.put(request, requestsWritten++);
            if (numbers.size() > REMEMBERED) {
                numbers.remove(numbers.keySet().iterator().next());
            }
        }
        if (redactor == null) {
            writer(nowNs).data(written, nowNs, flags, payload.duplicate());
            return;
        }
        boolean begins = (flags & RecordFlags.MESSAGE_START) != 0;
        if (begins) {
            opaque = false;
            pipelined.add((flags & RecordFlags.PIPELINED) != 0);
        }
        boolean redacted = (flags & RecordFlags.REDACTED) != 0;
        ByteBuf bytes = Unpooled.wrappedBuffer(payload);
        redactor.piece(
                nowNs,
                begins,
                (flags & RecordFlags.MESSAGE_END) != 0,
                bytes,
                0,
                bytes.readableBytes(),
                (atNs, starts, ends, now, piece, from, to) ->
                        writePiece(atNs, starts, ends, now || redacted, piece, from, to));
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            redactor.missing(nowNs, this::writePiece);
            writer(nowNs).gap(written, nowNs, 0);
        }
        countRedactions();
    }

    private void writePiece(
            long nowNs, boolean begins, boolean ends, boolean redacted, ByteBuf piece, int from, int to) {
        int flags = redacted ? RecordFlags.REDACTED : 0;
        if (begins) {
            flags |= RecordFlags.MESSAGE_START;
            if (Boolean.TRUE.equals(pipelined.poll())) {
                flags |= RecordFlags.PIPELINED;
            }
        }
        if (ends) {
            flags |= RecordFlags.MESSAGE_END;
        }
        writer(nowNs).data(written, nowNs, flags, piece.nioBuffer(from, to - from));
    }

    private void countRedactions() {
        long values = redactor.takeRedactions();
        if (values != 0) {
            filter.redacted(values);
        }
    }

    private void flushRedactor(long nowNs) {
        if (redactor != null) {
            redactor.end(nowNs, this::writePiece);
            countRedactions();
        }
    }

    void gap(long nowNs, long missingBytes) {
        endCurrent();
        later(null, 0, () -> {
            if (begun) {
                if (redactor != null) {
                    redactor.missing(nowNs, this::writePiece);
                    countRedactions();
                }
                writer(nowNs).gap(written, nowNs, missingBytes);
            }
        });
    }

    void noAnswer(long nowNs, long request) {
        later(null, 0, () -> {
            Long kept = choosesRequests ? numbers.get(request) : Long.valueOf(request);
            if (begun && kept != null) {
                writer(nowNs).noAnswer(written, nowNs, kept);
            }
        });
    }

    void halfClose(long nowNs) {
        later(null, 0, () -> {
            if (begun) {
                flushRedactor(nowNs);
                writer(nowNs).halfClose(written, nowNs);
            }
        });
    }

    void close(long nowNs, CloseReason reason) {
        endCurrent();
        later(null, 0, () -> {
            if (begun) {
                flushRedactor(nowNs);
                if (redactor != null) {
                    redactor.close();
                }
                writer(nowNs).closeConnection(written, nowNs, reason);
            }
        });
    }
}
