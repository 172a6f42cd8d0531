package dev.lockstep.inspection;

import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.protocol.Http2Requests;
import dev.lockstep.protocol.RequestFacts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;

/** Reads the records of one connection, and counts its requests. Used by one thread. */
final class ConnectionTrace {
    /** How much of a request to look at for its names. */
    private static final int HEAD_BYTES = 64 << 10;

    /** How much to keep of what comes before a protocol is known: more than any recognition waits for. */
    private static final int FIRST_BYTES = 64;

    final ConnectionFacts facts;
    private final InspectionReport report;
    /** Null where no digest was asked for. */
    private final MessageDigest digest;

    // Of the current request.
    private boolean inRequest;
    /** Whether what comes may belong to a request that has a hole. */
    private boolean behindHole;

    private long requestNs;
    private long requestBytes;
    /** The beginning of a request that is in several records; null while there is none. */
    private ByteBuf head;

    /** Null until the connection is known to carry HTTP/2. */
    private Http2Requests http2;

    private ByteBuf first = Unpooled.EMPTY_BUFFER;

    ConnectionTrace(ConnectionFacts facts, InspectionReport report, MessageDigest digest) {
        this.facts = facts;
        this.report = report;
        this.digest = digest;
    }

    void protocol(Protocol now) {
        facts.protocol = now;
        inRequest &= now != Protocol.HTTP2; // what seemed to begin a request was the preface
        if (now != Protocol.HTTP2) {
            first = Unpooled.EMPTY_BUFFER;
        }
    }

    void data(CaptureRecord record) {
        ByteBuf payload = Unpooled.wrappedBuffer(record.payload());
        int length = payload.readableBytes();
        int flags = record.flags();
        report.bytes += length;
        facts.bytes += length;
        if (digest != null) {
            digest.update(record.payload().duplicate());
        }
        if (facts.protocol == Protocol.HTTP2 && length > 0) {
            http2(record.timeNs(), payload).feed(payload, 0, length, request -> http2Request(record.timeNs(), request));
        } else if (facts.protocol == Protocol.UNKNOWN) {
            keepFirst(payload);
        }
        if ((flags & RecordFlags.MESSAGE_START) != 0 && facts.protocol != Protocol.HTTP2) {
            endIncomplete();
            behindHole = false;
            inRequest = true;
            requestNs = record.timeNs();
            requestBytes = 0;
            if ((flags & RecordFlags.PIPELINED) != 0) {
                report.pipelinedRequests++;
            }
        }
        if (!inRequest) {
            if (!behindHole) {
                opaque(length);
            }
            return;
        }
        requestBytes += length;
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            endIncomplete();
        } else if ((flags & RecordFlags.MESSAGE_END) != 0) {
            endRequest(record.timeNs(), payload);
        } else {
            keepHead(payload);
        }
    }

    /** Counts bytes of no request. HTTP/2 and Mux have their own, and are followed. */
    private void opaque(int length) {
        facts.opaqueBytes += length;
        if (length > 0 && facts.protocol != Protocol.HTTP2 && facts.protocol != Protocol.THRIFT_MUX) {
            facts.isOpaque = true;
            report.opaqueBytes += length;
        }
    }

    private void keepHead(ByteBuf payload) {
        if (head == null) {
            head = Unpooled.buffer(Math.min(HEAD_BYTES, payload.readableBytes()));
        }
        int room = HEAD_BYTES - head.readableBytes();
        head.writeBytes(payload, 0, Math.min(room, payload.readableBytes()));
    }

    private void endRequest(long nowNs, ByteBuf payload) {
        ByteBuf message = payload;
        if (head != null) {
            keepHead(payload);
            message = head;
        }
        RequestFacts request = RequestFacts.of(facts.protocol, message, 0, message.readableBytes());
        inRequest = false;
        head = null;
        facts.requests++;
        report.times.add(nowNs);
        report.timeline.requests.add(nowNs);
        report.request(facts, request, requestNs, requestBytes);
    }

    /** Keeps the first bytes of a connection whose protocol is not known yet. */
    private void keepFirst(ByteBuf data) {
        int count = Math.min(FIRST_BYTES - first.readableBytes(), data.readableBytes());
        if (count > 0) {
            if (first == Unpooled.EMPTY_BUFFER) {
                first = Unpooled.buffer(FIRST_BYTES);
            }
            first.writeBytes(data, data.readerIndex(), count);
        }
    }

    /** The reader of HTTP/2, made when the connection turns out to carry it, and given what came before. */
    private Http2Requests http2(long nowNs, ByteBuf payload) {
        if (http2 == null) {
            boolean beginsHere = Http2Requests.beginsWithPreface(payload, 0, payload.readableBytes());
            boolean began = !beginsHere && Http2Requests.beginsWithPreface(first, 0, first.readableBytes());
            // The recorder recognises frames without it only where they begin a record.
            http2 = beginsHere || began ? new Http2Requests() : Http2Requests.inTheMiddle();
            if (began) {
                http2.feed(first, 0, first.readableBytes(), request -> http2Request(nowNs, request));
            }
            first = Unpooled.EMPTY_BUFFER;
        }
        return http2;
    }

    private void http2Request(long nowNs, RequestFacts request) {
        facts.requests++;
        report.times.add(nowNs);
        report.timeline.requests.add(nowNs);
        report.http2Request(facts, request, nowNs);
    }

    void missing(long missingBytes) {
        facts.gaps++;
        facts.gapBytes += missingBytes;
        report.gaps++;
        report.gapBytes += missingBytes;
        behindHole |= inRequest;
        endIncomplete();
        if (http2 != null) {
            http2.missing();
        }
    }

    private void endIncomplete() {
        if (inRequest && !isEmptyLines()) {
            facts.incompleteRequests++;
        }
        inRequest = false;
        head = null;
    }

    /** Whether the current request is no more than empty lines, which some clients send after a body. */
    private boolean isEmptyLines() {
        if (facts.protocol != Protocol.HTTP1 && facts.protocol != Protocol.UNKNOWN) {
            return false;
        }
        return head != null && head.forEachByte(b -> b == '\r' || b == '\n') < 0;
    }

    /** Ends the connection, with or without its end on record. */
    void end() {
        endIncomplete();
        if (digest != null) {
            facts.sha256 = ByteBufUtil.hexDump(digest.digest());
        }
    }
}
