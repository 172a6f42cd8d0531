package dev.lockstep.conversion;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.lockstep.capture.CloseReason;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what Envoy's tap of a transport socket writes ({@code envoy.data.tap.v3}): wrappers of streamed segments or of
 * whole buffered traces, as protobuf with or without lengths between them, or as JSON. The bytes of each socket are
 * exact, but for what the tap cut: that is recorded as missing.
 *
 * <p>Field numbers, of Envoy's {@code api/envoy/data/tap/v3} and {@code config/core/v3/address.proto}:
 *
 * <pre>{@code
 * TraceWrapper    1 http_buffered_trace  2 http_streamed_trace_segment  3 socket_buffered_trace
 *                 4 socket_streamed_trace_segment
 * segment         1 trace_id  2 connection  3 event  4 events {1 event}
 * buffered trace  1 trace_id  2 connection  3 event...  4 read_truncated  5 write_truncated
 * connection      2 local_address  3 remote_address, or 1 and 2       Timestamp  1 seconds  2 nanos
 * event           1 timestamp  2 read {1 data}  3 write {1 data, 2 end_stream}  4 closed  5 connection
 * data            1 as_bytes  2 as_string  3 truncated
 * address         1 socket_address {2 address, 3 port_value}
 * }</pre>
 *
 * <p>Which side the client is on is not in the file. A tap on a listener reads from the client, one on a cluster writes
 * what the client sent. Where the user does not say which it was, whoever speaks first on a connection is its client.
 */
final class EnvoyTapReader implements EntryReader {
    private static final int HTTP_BUFFERED = 1;
    private static final int HTTP_STREAMED = 2;
    private static final int SOCKET_BUFFERED = 3;
    private static final int SOCKET_STREAMED = 4;
    private static final int RECOGNISED_BYTES = 16;
    private static final int MAX_OPEN = 1_000_000;

    /** One event of a socket, from either form. */
    private static final class SocketEvent {
        long timeNs;
        boolean read;
        boolean write;
        boolean closed;
        boolean endStream;
        boolean truncated;
        byte[] data = {};
        InetSocketAddress local;
        InetSocketAddress remote;
    }

    /** One socket's trace so far. */
    private static final class Trace {
        InetSocketAddress local;
        InetSocketAddress remote;
        /** Null until it is known which side the client is on. */
        ImportedConnection connection;

        boolean clientReads;
        long lastNs;
        boolean readTruncated;
        boolean writeTruncated;
    }

    /** Reads one field's value; false leaves it to be skipped. */
    @FunctionalInterface
    private interface Field {
        boolean read(int number, CodedInputStream in) throws IOException;
    }

    private final ImportFile file;
    private final InputStream stream;
    private final CodedInputStream binary;
    private final boolean delimited;
    private final JsonParser json;
    private final Map<String, Trace> open = new LinkedHashMap<>();
    private final ArrayDeque<Entry> ready = new ArrayDeque<>();
    private long number;
    private boolean ended;

    EnvoyTapReader(ImportFile file) throws IOException {
        this.file = file;
        this.stream = new BufferedInputStream(file.open());
        stream.mark(RECOGNISED_BYTES);
        byte[] head = stream.readNBytes(RECOGNISED_BYTES);
        stream.reset();
        boolean text = head.length > 0
                && (head[0] == '{' || head[0] == '\n' || head[0] == '\r' || head[0] == ' ')
                && !isDelimited(head)
                && !isPlain(head);
        delimited = isDelimited(head);
        json = text ? JsonText.factory().createParser(stream) : null;
        binary = text ? null : CodedInputStream.newInstance(stream);
        if (binary != null) {
            binary.setSizeLimit(Integer.MAX_VALUE);
        }
    }

    /** Tells whether a file begins like a length and a wrapper that fills it. */
    static boolean isDelimited(byte[] head) {
        long[] outer = varint(head, 0);
        return outer != null && wrapperBytes(head, (int) outer[1]) == outer[0];
    }

    /** Tells whether a file begins like a wrapper without a length before it. */
    static boolean isPlain(byte[] head) {
        long bytes = wrapperBytes(head, 0);
        if (bytes < 4) {
            return false;
        }
        // Inside comes the trace's id or its connection.
        int inner = (int) varint(head, 1)[1];
        return inner < head.length && (head[inner] == 0x08 || head[inner] == 0x12 || head[inner] == 0x1A);
    }

    /** Returns the length of the wrapper that begins at an index, or -1 when none does. */
    private static long wrapperBytes(byte[] head, int at) {
        if (at >= head.length || head[at] != 0x0A && head[at] != 0x12 && head[at] != 0x1A && head[at] != 0x22) {
            return -1;
        }
        long[] length = varint(head, at + 1);
        return length == null ? -1 : length[1] - at + length[0];
    }

    /** Returns the number at an index and the index behind it, or null. */
    private static long[] varint(byte[] bytes, int from) {
        long value = 0;
        for (int i = from; i < bytes.length && i < from + 5; i++) {
            value |= (bytes[i] & 0x7FL) << 7 * (i - from);
            if (bytes[i] >= 0) {
                return new long[] {value, i + 1};
            }
        }
        return null;
    }

    @Override
    public Entry next() throws IOException {
        while (ready.isEmpty() && !ended) {
            number++;
            try {
                if (!(json != null ? readJson() : readBinary())) {
                    end();
                }
            } catch (InvalidProtocolBufferException | JsonProcessingException | EOFException e) {
                file.change("the file is cut or damaged: imported as far as its segments are whole", place());
                end();
            }
        }
        return ready.poll();
    }

    private String place() {
        return "segment " + number;
    }

    private void end() {
        ended = true;
        for (Trace trace : open.values()) {
            close(trace, trace.lastNs, CloseReason.RECORDING_ENDED);
        }
        open.clear();
    }

    // ---- Protobuf.

    private boolean readBinary() throws IOException {
        binary.resetSizeCounter();
        if (binary.isAtEnd()) {
            return false;
        }
        if (delimited) {
            message(binary, this::wrapped);
            return true;
        }
        int tag = binary.readTag();
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED
                || !wrapped(WireFormat.getTagFieldNumber(tag), binary)) {
            binary.skipField(tag);
        }
        return true;
    }

    /** Reads a message behind its length. */
    private static void message(CodedInputStream in, Field field) throws IOException {
        int limit = in.pushLimit(in.readRawVarint32());
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (!field.read(WireFormat.getTagFieldNumber(tag), in)) {
                in.skipField(tag);
            }
        }
        in.checkLastTagWas(0);
        in.popLimit(limit);
    }

    private boolean wrapped(int field, CodedInputStream in) throws IOException {
        if (field == HTTP_BUFFERED || field == HTTP_STREAMED) {
            skipHttp();
            return false;
        }
        if (field != SOCKET_BUFFERED && field != SOCKET_STREAMED) {
            return false;
        }
        Piece piece = new Piece(field == SOCKET_BUFFERED);
        message(in, (number, at) -> {
            switch (number) {
                case 1:
                    piece.id = Long.toUnsignedString(at.readUInt64());
                    return true;
                case 2:
                    SocketEvent addresses = new SocketEvent();
                    connection(addresses, at);
                    piece.addresses = addresses;
                    return true;
                case 3:
                    piece.events.add(event(at));
                    return true;
                case 4:
                    if (piece.buffered) {
                        piece.readTruncated = at.readBool();
                    } else {
                        message(at, (part, in2) -> part == 1 && piece.events.add(event(in2)));
                    }
                    return true;
                case 5:
                    if (piece.buffered) {
                        piece.writeTruncated = at.readBool();
                        return true;
                    }
                    return false;
                default:
                    return false;
            }
        });
        take(piece);
        return true;
    }

    private void skipHttp() {
        file.skip("an HTTP tap has parsed fields, not bytes: tap the transport socket instead", place());
    }

    private static SocketEvent event(CodedInputStream in) throws IOException {
        SocketEvent event = new SocketEvent();
        long[] time = new long[2];
        message(in, (number, at) -> {
            switch (number) {
                case 1:
                    message(at, (part, in2) -> {
                        if (part == 1 || part == 2) {
                            time[part - 1] = in2.readInt64();
                        }
                        return part == 1 || part == 2;
                    });
                    return true;
                case 2:
                case 3:
                    event.read = number == 2;
                    event.write = number == 3;
                    message(at, (part, in2) -> {
                        if (part == 1) {
                            message(in2, (piece, in3) -> body(event, piece, in3));
                        } else if (part == 2 && event.write) {
                            event.endStream = in2.readBool();
                        }
                        return part == 1 || part == 2 && event.write;
                    });
                    return true;
                case 4:
                    event.closed = true;
                    return false;
                case 5:
                    connection(event, at);
                    return true;
                default:
                    return false;
            }
        });
        event.timeNs = timeNs(time[0], time[1]);
        return event;
    }

    private static boolean body(SocketEvent event, int field, CodedInputStream in) throws IOException {
        if (field == 1 || field == 2) {
            event.data = in.readByteArray();
        } else if (field == 3) {
            event.truncated = in.readBool();
        }
        return field >= 1 && field <= 3;
    }

    /**
     * Reads a connection's addresses. Up to Envoy 1.33 they are fields 2 and 3, from 1.34 on 1 and 2; the remote one is
     * always known, the local one of a connection that Envoy still opens is not.
     */
    private static void connection(SocketEvent event, CodedInputStream in) throws IOException {
        InetSocketAddress[] fields = new InetSocketAddress[4];
        message(in, (number, at) -> {
            if (number < 1 || number > 3) {
                return false;
            }
            fields[number] = address(at);
            return true;
        });
        boolean old = fields[3] != null;
        event.local = old ? fields[2] : fields[1];
        event.remote = old ? fields[3] : fields[2];
    }

    private static InetSocketAddress address(CodedInputStream in) throws IOException {
        String[] host = {null};
        int[] port = {0};
        message(in, (number, at) -> {
            if (number != 1) {
                return false;
            }
            message(at, (part, in2) -> {
                if (part == 2) {
                    host[0] = new String(in2.readByteArray(), StandardCharsets.UTF_8);
                } else if (part == 3) {
                    port[0] = in2.readUInt32();
                }
                return part == 2 || part == 3;
            });
            return true;
        });
        return host[0] == null ? null : UrlParts.address(host[0], port[0]);
    }

    private static long timeNs(long seconds, long nanos) {
        return seconds < 0 || seconds > 9_000_000_000L ? 0 : seconds * 1_000_000_000L + nanos % 1_000_000_000L;
    }

    // ---- JSON.

    private boolean readJson() throws IOException {
        JsonToken token = json.nextToken();
        if (token == null) {
            return false;
        }
        Map<?, ?> wrapper = JsonText.object(JsonText.read(json));
        Object streamed = field(wrapper, "socket_streamed_trace_segment", "socketStreamedTraceSegment");
        Object buffered = field(wrapper, "socket_buffered_trace", "socketBufferedTrace");
        if (streamed == null && buffered == null) {
            if (field(wrapper, "http_buffered_trace", "httpBufferedTrace") != null
                    || field(wrapper, "http_streamed_trace_segment", "httpStreamedTraceSegment") != null) {
                skipHttp();
            } else {
                file.skip("the JSON is no socket trace", place());
            }
            return true;
        }
        Map<?, ?> trace = JsonText.object(streamed != null ? streamed : buffered);
        Piece piece = new Piece(streamed == null);
        String id = JsonText.text(field(trace, "trace_id", "traceId"));
        piece.id = id == null ? "0" : id;
        if (trace.get("connection") != null) {
            piece.addresses = new SocketEvent();
            addresses(piece.addresses, trace.get("connection"));
        }
        if (trace.get("event") != null) {
            piece.events.add(jsonEvent(trace.get("event")));
        }
        Object events = trace.get("events");
        for (Object event : JsonText.list(events instanceof Map ? ((Map<?, ?>) events).get("events") : events)) {
            piece.events.add(jsonEvent(event));
        }
        piece.readTruncated = Boolean.TRUE.equals(field(trace, "read_truncated", "readTruncated"));
        piece.writeTruncated = Boolean.TRUE.equals(field(trace, "write_truncated", "writeTruncated"));
        take(piece);
        return true;
    }

    private static Object field(Map<?, ?> object, String snake, String camel) {
        Object value = object.get(snake);
        return value != null ? value : object.get(camel);
    }

    private static void addresses(SocketEvent event, Object connection) {
        event.local = jsonAddress(field(JsonText.object(connection), "local_address", "localAddress"));
        event.remote = jsonAddress(field(JsonText.object(connection), "remote_address", "remoteAddress"));
    }

    private static InetSocketAddress jsonAddress(Object address) {
        Map<?, ?> socket = JsonText.object(field(JsonText.object(address), "socket_address", "socketAddress"));
        String host = JsonText.text(socket.get("address"));
        String port = JsonText.text(field(socket, "port_value", "portValue"));
        return host == null
                ? null
                : UrlParts.address(host, port != null && port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : 0);
    }

    private SocketEvent jsonEvent(Object value) {
        Map<?, ?> map = JsonText.object(value);
        SocketEvent event = new SocketEvent();
        String time = JsonText.text(map.get("timestamp"));
        if (time != null) {
            try {
                Instant instant = OffsetDateTime.parse(time).toInstant();
                event.timeNs = timeNs(instant.getEpochSecond(), instant.getNano());
            } catch (DateTimeException e) {
                file.change("an event says no time: it follows the one before", place());
            }
        }
        event.read = map.get("read") != null;
        event.write = map.get("write") != null;
        event.closed = map.get("closed") != null;
        Map<?, ?> way = JsonText.object(map.get(event.read ? "read" : "write"));
        event.endStream = event.write && Boolean.TRUE.equals(field(way, "end_stream", "endStream"));
        Map<?, ?> data = JsonText.object(way.get("data"));
        event.truncated = Boolean.TRUE.equals(data.get("truncated"));
        String bytes = JsonText.text(field(data, "as_bytes", "asBytes"));
        String text = JsonText.text(field(data, "as_string", "asString"));
        if (bytes != null) {
            try {
                event.data = Base64.getDecoder().decode(bytes);
            } catch (IllegalArgumentException e) {
                event.truncated = true;
                file.change("an event's bytes are not Base64: recorded as missing", place());
            }
        } else if (text != null) {
            event.data = text.getBytes(StandardCharsets.UTF_8);
        }
        if (map.get("connection") != null) {
            addresses(event, map.get("connection"));
        }
        return event;
    }

    // ---- What both forms say.

    /** One wrapper's content. */
    private static final class Piece {
        final boolean buffered;
        final List<SocketEvent> events = new ArrayList<>();
        String id = "0";
        SocketEvent addresses;
        boolean readTruncated;
        boolean writeTruncated;

        Piece(boolean buffered) {
            this.buffered = buffered;
        }
    }

    private void take(Piece piece) {
        Trace trace = open.get(piece.id);
        if (trace == null) {
            trace = new Trace();
            open.put(piece.id, trace);
            if (open.size() > MAX_OPEN) {
                String eldest = open.keySet().iterator().next();
                Trace given = open.remove(eldest);
                close(given, given.lastNs, CloseReason.UNKNOWN);
            }
        }
        if (piece.addresses != null) {
            trace.local = piece.addresses.local;
            trace.remote = piece.addresses.remote;
        }
        boolean closed = false;
        for (SocketEvent event : piece.events) {
            if (!closed) {
                closed = event(trace, event);
            }
        }
        if (piece.buffered) {
            trace.readTruncated = piece.readTruncated;
            trace.writeTruncated = piece.writeTruncated;
        }
        if (closed || piece.buffered) {
            open.remove(piece.id);
            close(trace, trace.lastNs, closed ? CloseReason.UNKNOWN : CloseReason.RECORDING_ENDED);
        }
    }

    /** Makes entries of an event; true when it closes the connection. */
    private boolean event(Trace trace, SocketEvent event) {
        trace.lastNs = Math.max(trace.lastNs, event.timeNs);
        if (trace.local == null && trace.remote == null) {
            trace.local = event.local;
            trace.remote = event.remote;
        }
        if (event.closed) {
            return true;
        }
        if (!event.read && !event.write || event.data.length == 0 && !event.truncated && !event.endStream) {
            return false;
        }
        if (trace.connection == null) {
            begin(trace, event.read);
        }
        boolean ofClient = event.read == trace.clientReads;
        if (event.data.length > 0) {
            ready.add(
                    ofClient
                            ? trace.connection.clientBytes(trace.lastNs, event.data)
                            : trace.connection.serverBytes(trace.lastNs, event.data));
        }
        if (event.truncated) {
            missing(trace, ofClient);
        }
        if (event.endStream && ofClient) {
            ready.add(trace.connection.clientEnded(trace.lastNs));
        }
        return false;
    }

    private void missing(Trace trace, boolean ofClient) {
        file.change(
                (ofClient ? "bytes of a client" : "bytes of a server")
                        + " were cut by the tap (max_buffered_rx_bytes, max_buffered_tx_bytes): recorded as missing",
                place());
        ready.add(
                ofClient
                        ? trace.connection.clientBytesMissing(trace.lastNs)
                        : trace.connection.serverBytesMissing(trace.lastNs));
    }

    private void begin(Trace trace, boolean firstRead) {
        ImportConfig.TapSide side = file.config().tapSide();
        trace.clientReads = side == ImportConfig.TapSide.LISTENER || side != ImportConfig.TapSide.CLUSTER && firstRead;
        trace.connection = trace.clientReads
                ? new ImportedConnection(trace.remote, trace.local)
                : new ImportedConnection(trace.local, trace.remote);
        ready.add(trace.connection.open(trace.lastNs));
    }

    private void close(Trace trace, long atNs, CloseReason reason) {
        if (trace.connection == null) {
            file.skip("a connection without bytes", place());
            return;
        }
        if (trace.readTruncated) {
            missing(trace, trace.clientReads);
        }
        if (trace.writeTruncated) {
            missing(trace, !trace.clientReads);
        }
        ready.add(trace.connection.close(atNs, reason));
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
