package dev.lockstep.conversion.imports;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.lockstep.conversion.UrlParts;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * An Envoy tap as protobuf, with or without lengths between its wrappers. For one thread.
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
 */
final class EnvoyTapBinary {
    private static final int HTTP_BUFFERED = 1;
    private static final int HTTP_STREAMED = 2;
    private static final int SOCKET_BUFFERED = 3;
    private static final int SOCKET_STREAMED = 4;

    /** Reads one field's value; false leaves it to be skipped. */
    @FunctionalInterface
    private interface Field {
        boolean read(int number, CodedInputStream in) throws IOException;
    }

    private final CodedInputStream in;
    private final boolean delimited;
    private final EnvoySegment.Taker taker;

    /** @param delimited whether each wrapper has its length before it */
    EnvoyTapBinary(InputStream stream, boolean delimited, EnvoySegment.Taker taker) {
        this.in = CodedInputStream.newInstance(stream);
        in.setSizeLimit(Integer.MAX_VALUE);
        this.delimited = delimited;
        this.taker = taker;
    }

    /** Whether a file begins like a length and a wrapper that fills it. */
    static boolean isDelimited(byte[] head) {
        long[] outer = varint(head, 0);
        return outer != null && wrapperBytes(head, (int) outer[1]) == outer[0];
    }

    /** Whether a file begins like a wrapper without a length before it. */
    static boolean isPlain(byte[] head) {
        long bytes = wrapperBytes(head, 0);
        if (bytes < 4) {
            return false;
        }
        // It begins with the trace's id or its connection.
        int inner = (int) varint(head, 1)[1];
        return inner < head.length && (head[inner] == 0x08 || head[inner] == 0x12 || head[inner] == 0x1A);
    }

    /** The length of the wrapper that begins at an index, or -1 when none does. */
    private static long wrapperBytes(byte[] head, int at) {
        if (at >= head.length || head[at] != 0x0A && head[at] != 0x12 && head[at] != 0x1A && head[at] != 0x22) {
            return -1;
        }
        long[] length = varint(head, at + 1);
        return length == null ? -1 : length[1] - at + length[0];
    }

    /** The number at an index and the index behind it, or null. */
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

    /** Reads the next wrapper, or returns false at the end. */
    boolean read() throws IOException {
        in.resetSizeCounter();
        if (in.isAtEnd()) {
            return false;
        }
        if (delimited) {
            message(in, this::wrapped);
            return true;
        }
        int tag = in.readTag();
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED
                || !wrapped(WireFormat.getTagFieldNumber(tag), in)) {
            in.skipField(tag);
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
            taker.http();
            return false;
        }
        if (field != SOCKET_BUFFERED && field != SOCKET_STREAMED) {
            return false;
        }
        EnvoySegment segment = new EnvoySegment(field == SOCKET_BUFFERED);
        message(in, (number, at) -> {
            switch (number) {
                case 1:
                    segment.id = Long.toUnsignedString(at.readUInt64());
                    return true;
                case 2:
                    segment.ends = new EnvoySegment.Ends();
                    connection(segment.ends, at);
                    return true;
                case 3:
                    segment.events.add(event(at));
                    return true;
                case 4:
                    if (segment.buffered) {
                        segment.readTruncated = at.readBool();
                    } else {
                        message(at, (part, in2) -> part == 1 && segment.events.add(event(in2)));
                    }
                    return true;
                case 5:
                    if (segment.buffered) {
                        segment.writeTruncated = at.readBool();
                        return true;
                    }
                    return false;
                default:
                    return false;
            }
        });
        taker.socket(segment);
        return true;
    }

    private static EnvoySegment.Event event(CodedInputStream in) throws IOException {
        EnvoySegment.Event event = new EnvoySegment.Event();
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
                    connection(event.ends, at);
                    return true;
                default:
                    return false;
            }
        });
        event.timeNs = EnvoySegment.timeNs(time[0], time[1]);
        return event;
    }

    private static boolean body(EnvoySegment.Event event, int field, CodedInputStream in) throws IOException {
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
    private static void connection(EnvoySegment.Ends ends, CodedInputStream in) throws IOException {
        InetSocketAddress[] fields = new InetSocketAddress[4];
        message(in, (number, at) -> {
            if (number < 1 || number > 3) {
                return false;
            }
            fields[number] = address(at);
            return true;
        });
        boolean old = fields[3] != null;
        ends.local = old ? fields[2] : fields[1];
        ends.remote = old ? fields[3] : fields[2];
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
}
