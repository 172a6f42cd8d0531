package dev.lockstep.inspection;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.capture.RecordType;
import dev.lockstep.protocol.RequestFacts;
import dev.lockstep.protocol.StreamProtocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.HdrHistogram.Histogram;

/**
 * Finds out what is in a capture, in one pass over its records. Memory grows with the connections that are open at one
 * time and the different names, both bounded or small, and not with the length of the capture. For one thread.
 */
public final class Inspection {
    private static final int LARGEST = 5;
    private static final int SIZE_DIGITS = 3;

    private final InspectionOptions options;
    private final Map<Integer, ConnectionTrace> open = new HashMap<>();

    final Map<Protocol, Long> requestsOf = new EnumMap<>(Protocol.class);
    final Map<Protocol, Long> connectionsOf = new EnumMap<>(Protocol.class);
    final NameCounts methods = new NameCounts();
    final NameCounts paths = new NameCounts();
    final NameCounts hosts = new NameCounts();
    final NameCounts thriftMethods = new NameCounts();
    final Histogram sizes = new Histogram(SIZE_DIGITS);
    final RateTimeline rates = new RateTimeline();
    final List<RequestLine> head = new ArrayList<>();
    final PriorityQueue<ConnectionFacts> largest =
            new PriorityQueue<>(Comparator.comparingLong(ConnectionFacts::bytes));

    long firstNs = -1;
    long lastNs;
    long connections;
    long requests;
    long http2Requests;
    long bytes;
    long opaqueBytes;
    long opaqueConnections;
    long incompleteRequests;
    long notClosed;
    long alreadyOpen;
    long gaps;
    long gapBytes;
    long smallestBytes = Long.MAX_VALUE;
    long largestBytes;
    long unanswered;
    long pipelined;
    CaptureInfo info;
    String damage;

    private Inspection(InspectionOptions options) {
        this.options = options;
        sizes.setAutoResize(true);
    }

    /**
     * Inspects a capture. Damage ends the pass and is told in the report; all before it is in the report.
     *
     * @throws CaptureException when this is no capture, or it cannot be read without another key
     */
    public static InspectionReport run(Path path, InspectionOptions options) {
        Inspection inspection = new Inspection(options);
        OpenOptions opening = OpenOptions.defaults().allowTruncated(true).encryption(options.key());
        try (CaptureReader reader = CaptureReader.open(path, opening)) {
            inspection.read(reader);
        }
        return new InspectionReport(path, inspection, options.top());
    }

    private void read(CaptureReader reader) {
        try {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                take(record);
            }
        } catch (CaptureException e) {
            damage = e.getMessage();
        }
        info = reader.info();
        notClosed = open.size();
        List<ConnectionTrace> left = new ArrayList<>(open.values());
        left.sort(Comparator.comparingInt(trace -> trace.id));
        for (ConnectionTrace trace : left) {
            finish(trace);
        }
    }

    private void take(CaptureRecord record) {
        lastNs = record.timeNs();
        if (firstNs < 0) {
            firstNs = lastNs;
        }
        RecordType type = record.type();
        if (type == RecordType.CONN_OPEN) {
            if (!record.connectionStart().goesOn() || !open.containsKey(record.connection())) {
                open(record);
            }
            return;
        }
        ConnectionTrace trace = type == null ? null : open.get(record.connection());
        if (trace == null) {
            return;
        }
        trace.lastNs = lastNs;
        switch (type) {
            case PROTOCOL:
                trace.protocol(record.protocol());
                break;
            case DATA_C2S:
                data(trace, record);
                break;
            case GAP:
                gaps++;
                gapBytes += record.missingBytes();
                trace.missing(record.missingBytes());
                break;
            case NO_ANSWER:
                unanswered++;
                break;
            case CONN_CLOSE:
                trace.closeReason = record.closeReason();
                open.remove(trace.id);
                finish(trace);
                break;
            default:
        }
    }

    private void open(CaptureRecord record) {
        connections++;
        ConnectionTrace trace = new ConnectionTrace(
                record.connection(),
                record.connectionStart(),
                record.timeNs(),
                options.connections() == null ? null : sha256());
        if (trace.start.alreadyOpen()) {
            alreadyOpen++;
        }
        open.put(trace.id, trace);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private void data(ConnectionTrace trace, CaptureRecord record) {
        ByteBuf payload = Unpooled.wrappedBuffer(record.payload());
        int length = payload.readableBytes();
        int flags = record.flags();
        bytes += length;
        trace.bytes += length;
        if (trace.digest != null) {
            trace.digest.update(record.payload().duplicate());
        }
        if (trace.protocol == Protocol.HTTP2) {
            trace.http2(facts -> http2Request(trace, facts))
                    .feed(payload, 0, length, facts -> http2Request(trace, facts));
        } else if (trace.protocol == Protocol.UNKNOWN) {
            trace.keepFirst(payload);
        }
        if ((flags & RecordFlags.MESSAGE_START) != 0) {
            trace.endIncomplete();
            trace.inRequest = true;
            trace.requestNs = record.timeNs();
            trace.requestBytes = 0;
            if ((flags & RecordFlags.PIPELINED) != 0) {
                pipelined++;
            }
        }
        if (!trace.inRequest) {
            trace.opaqueBytes += length;
            opaqueBytes += length;
            return;
        }
        trace.requestBytes += length;
        if ((flags & RecordFlags.TRUNCATED) != 0) {
            trace.endIncomplete();
        } else if ((flags & RecordFlags.MESSAGE_END) != 0) {
            endRequest(trace, payload);
        } else {
            keepHead(trace, payload);
        }
    }

    private static void keepHead(ConnectionTrace trace, ByteBuf payload) {
        if (trace.head == null) {
            trace.head = Unpooled.buffer(Math.min(ConnectionTrace.HEAD_BYTES, payload.readableBytes()));
        }
        int room = ConnectionTrace.HEAD_BYTES - trace.head.readableBytes();
        trace.head.writeBytes(payload, 0, Math.min(room, payload.readableBytes()));
    }

    private void endRequest(ConnectionTrace trace, ByteBuf payload) {
        ByteBuf message = payload;
        if (trace.head != null) {
            keepHead(trace, payload);
            message = trace.head;
        }
        RequestFacts facts =
                RequestFacts.of(StreamProtocol.valueOf(trace.protocol.name()), message, 0, message.readableBytes());
        trace.inRequest = false;
        trace.head = null;
        trace.requests++;
        requests++;
        smallestBytes = Math.min(smallestBytes, trace.requestBytes);
        largestBytes = Math.max(largestBytes, trace.requestBytes);
        sizes.recordValue(trace.requestBytes);
        count(trace, facts, trace.requestNs, trace.requestBytes);
    }

    private void http2Request(ConnectionTrace trace, RequestFacts facts) {
        http2Requests++;
        count(trace, facts, lastNs, 0);
    }

    private void count(ConnectionTrace trace, RequestFacts facts, long timeNs, long length) {
        requestsOf.merge(trace.protocol, 1L, Long::sum);
        rates.add(timeNs - firstNs);
        String method = facts.method();
        if (method != null) {
            methods.add(method);
        }
        if (facts.thrift() != null && facts.thrift().name() != null) {
            thriftMethods.add(facts.thrift().name());
        }
        if (facts.path() != null) {
            paths.add(facts.path());
        }
        if (facts.host() != null) {
            hosts.add(facts.host());
        }
        if (head.size() < options.head()) {
            head.add(new RequestLine(
                    timeNs, trace.id, trace.protocol.label(), method, facts.target(), facts.host(), length));
        }
    }

    private void finish(ConnectionTrace trace) {
        trace.endIncomplete();
        incompleteRequests += trace.incompleteRequests;
        connectionsOf.merge(trace.protocol, 1L, Long::sum);
        if (trace.opaqueBytes > 0 && trace.protocol != Protocol.HTTP2 && trace.protocol != Protocol.THRIFT_MUX) {
            opaqueConnections++;
        }
        ConnectionFacts facts = new ConnectionFacts(trace, trace.digest == null ? null : hex(trace.digest.digest()));
        if (options.connections() != null) {
            options.connections().accept(facts);
        }
        largest.add(facts);
        if (largest.size() > LARGEST) {
            largest.remove();
        }
    }

    private static String hex(byte[] bytes) {
        StringBuilder hex = new StringBuilder(2 * bytes.length);
        for (byte b : bytes) {
            hex.append(Character.forDigit(b >> 4 & 0xF, 16)).append(Character.forDigit(b & 0xF, 16));
        }
        return hex.toString();
    }
}
