package dev.lockstep.conversion.imports;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.lockstep.conversion.UrlParts;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Map;

/** An Envoy tap as JSON, its fields in either spelling of protobuf. For one thread. */
final class EnvoyTapJson {
    private final JsonParser json;
    private final EnvoySegment.Taker taker;

    EnvoyTapJson(InputStream stream, EnvoySegment.Taker taker) throws IOException {
        this.json = JsonText.factory().createParser(stream);
        this.taker = taker;
    }

    /** Reads the next wrapper, or returns false at the end. */
    boolean read() throws IOException {
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
                taker.http();
            } else {
                taker.skipped("the JSON is no socket trace");
            }
            return true;
        }
        Map<?, ?> trace = JsonText.object(streamed != null ? streamed : buffered);
        EnvoySegment segment = new EnvoySegment(streamed == null);
        String id = JsonText.text(field(trace, "trace_id", "traceId"));
        segment.id = id == null ? "0" : id;
        if (trace.get("connection") != null) {
            segment.ends = new EnvoySegment.Ends();
            ends(segment.ends, trace.get("connection"));
        }
        if (trace.get("event") != null) {
            segment.events.add(event(trace.get("event")));
        }
        Object events = trace.get("events");
        for (Object event : JsonText.list(events instanceof Map ? ((Map<?, ?>) events).get("events") : events)) {
            segment.events.add(event(event));
        }
        segment.readTruncated = Boolean.TRUE.equals(field(trace, "read_truncated", "readTruncated"));
        segment.writeTruncated = Boolean.TRUE.equals(field(trace, "write_truncated", "writeTruncated"));
        taker.socket(segment);
        return true;
    }

    private static Object field(Map<?, ?> object, String snake, String camel) {
        Object value = object.get(snake);
        return value != null ? value : object.get(camel);
    }

    private static void ends(EnvoySegment.Ends ends, Object connection) {
        ends.local = address(field(JsonText.object(connection), "local_address", "localAddress"));
        ends.remote = address(field(JsonText.object(connection), "remote_address", "remoteAddress"));
    }

    private static InetSocketAddress address(Object address) {
        Map<?, ?> socket = JsonText.object(field(JsonText.object(address), "socket_address", "socketAddress"));
        String host = JsonText.text(socket.get("address"));
        String port = JsonText.text(field(socket, "port_value", "portValue"));
        return host == null
                ? null
                : UrlParts.address(host, port != null && port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : 0);
    }

    private EnvoySegment.Event event(Object value) {
        Map<?, ?> map = JsonText.object(value);
        EnvoySegment.Event event = new EnvoySegment.Event();
        String time = JsonText.text(map.get("timestamp"));
        if (time != null) {
            try {
                Instant instant = OffsetDateTime.parse(time).toInstant();
                event.timeNs = EnvoySegment.timeNs(instant.getEpochSecond(), instant.getNano());
            } catch (DateTimeException e) {
                taker.changed("an event says no time: it follows the one before");
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
                taker.changed("an event's bytes are not Base64: recorded as missing");
            }
        } else if (text != null) {
            event.data = text.getBytes(StandardCharsets.UTF_8);
        }
        if (map.get("connection") != null) {
            ends(event.ends, map.get("connection"));
        }
        return event;
    }
}
