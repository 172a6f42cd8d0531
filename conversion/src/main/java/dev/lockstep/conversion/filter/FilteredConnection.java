package dev.lockstep.conversion.filter;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.ConnectionStart;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.protocol.RequestFacts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * One connection as it is read: decides which of its requests are kept, and hands them in their order to the
 * {@link WrittenConnection}. Used by one thread.
 */
final class FilteredConnection {
    /** How much of a request to look at for its names. */
    private static final int HEAD_BYTES = 64 << 10;

    /** What a waiting record takes in memory beside its bytes, about. */
    private static final int OVERHEAD_BYTES = 200;

    /** The decision whether a request is kept. */
    private static final class Choice {
        final boolean inTime;
        boolean decided;
        boolean kept;
        /** The first bytes of the request, as far as they were read. */
        ByteBuf head = Unpooled.EMPTY_BUFFER;

        Choice(boolean inTime) {
            this.inTime = inTime;
        }
    }

    /** Something to be written when its turn comes. */
    final class Waiting {
        private final Choice choice;
        private final Runnable writing;
        private final int bytes;

        Waiting(Choice choice, int bytes, Runnable writing) {
            this.choice = choice;
            this.bytes = bytes + OVERHEAD_BYTES;
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
    final int number;
    private final WrittenConnection written;
    private final boolean choosesRequests;
    private final boolean choosesByName;

    /** As read; what was written may be behind. */
    private Protocol protocol = Protocol.UNKNOWN;

    private Choice current;
    private long requestsRead;

    /** Something before was left out, so the connection begins as one that was open already. */
    private boolean leftOut;

    FilteredConnection(CaptureFilter filter, int number, ConnectionStart start) {
        this.filter = filter;
        this.number = number;
        this.written = new WrittenConnection(filter, start);
        this.choosesRequests = filter.config().choosesRequests();
        this.choosesByName = filter.config().choosesByName();
    }

    void begin(long nowNs) {
        written.begin(nowNs, leftOut);
    }

    void protocol(long nowNs, Protocol now) {
        protocol = now;
        later(null, 0, () -> written.protocol(nowNs, now));
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
            outsideRequests(nowNs, epochNs, flags, payload);
            return;
        }
        if (!choice.decided) {
            look(choice, payload, ends);
        }
        long request = requestsRead;
        if (!choice.decided || choice.kept) {
            boolean direct = choice.decided && filter.nothingWaits();
            ByteBuffer copy = direct ? payload : CaptureFilter.copy(payload);
            later(choice, payload.remaining(), () -> {
                begin(nowNs);
                if (ends && !cut) {
                    written.requestEnds(request);
                }
                written.write(nowNs, flags, copy);
            });
        }
        if (ends || cut) {
            endCurrent();
            if (!cut) {
                requestsRead++;
            }
        }
    }

    private void outsideRequests(long nowNs, long epochNs, int flags, ByteBuffer payload) {
        if (filter.config().wantsOpaque(protocol) && filter.config().wantsTime(nowNs, epochNs)) {
            ByteBuffer copy = filter.nothingWaits() ? payload : CaptureFilter.copy(payload);
            later(null, payload.remaining(), () -> {
                begin(nowNs);
                written.opaque(nowNs, flags, copy);
            });
        } else {
            leftOut = true;
        }
    }

    /** Looks at more bytes of a request, and decides once they say enough. */
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
                        // The end of its head, for the line may go on in the next record.
                        && (protocol.isThrift() || facts.headBytes() >= 0)
                        && (!filter.config().needsThriftName() || facts.thrift() != null);
        if (enough) {
            decide(choice, facts);
        }
    }

    private RequestFacts facts(ByteBuf head) {
        return RequestFacts.of(protocol, head, 0, head.readableBytes());
    }

    /** Decides about the current request, of which nothing more comes. */
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
        if (choice.inTime && facts != null && !filter.config().wantsPath(facts.path())) {
            filter.leftOutByPath();
        }
        choice.kept = choice.inTime && named && filter.keepOneMore();
        choice.head = Unpooled.EMPTY_BUFFER;
        leftOut |= !choice.kept;
    }

    /** Writes now, or after others that wait. */
    private void later(Choice choice, int bytes, Runnable writing) {
        Waiting one = new Waiting(choice, bytes, writing);
        if (filter.nothingWaits() && one.isDecided()) {
            one.write();
        } else {
            filter.await(one);
        }
    }

    void gap(long nowNs, long missingBytes) {
        endCurrent();
        later(null, 0, () -> written.gap(nowNs, missingBytes));
    }

    void noAnswer(long nowNs, long request) {
        later(null, 0, () -> written.noAnswer(nowNs, request, choosesRequests));
    }

    void answer(long nowNs, long request, int status) {
        later(null, 0, () -> written.answer(nowNs, request, status, choosesRequests));
    }

    /** Whether how a request was answered may still come; nothing may wait to be written. */
    boolean awaitsAnswer() {
        return written.awaitsAnswer();
    }

    void halfClose(long nowNs) {
        later(null, 0, () -> written.halfClose(nowNs));
    }

    void close(long nowNs, CloseReason reason) {
        endCurrent();
        later(null, 0, () -> written.close(nowNs, reason));
    }
}
