package dev.lockstep.conversion.imports;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.conversion.HttpHead;
import dev.lockstep.conversion.UrlParts;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads mitmproxy's flows as versions 0.10 and later write them. An HTTP flow keeps parsed fields and not bytes, which
 * are written as HTTP/1.1 again, headers in their order. A TCP flow keeps the bytes.
 */
final class MitmReader implements EntryReader {
    private static final int MAX_FLOW_BYTES = 32 << 20;
    private static final double MAX_BUSY_S = 3600;

    private final ImportFile file;
    private final ByteSource source;
    private final ArrayDeque<Entry> ready = new ArrayDeque<>();
    private long number;
    private boolean ended;

    MitmReader(ImportFile file) throws IOException {
        this.file = file;
        this.source = new ByteSource(file.open());
    }

    @Override
    public Entry next() throws IOException {
        while (ready.isEmpty() && !ended) {
            number++;
            long from = source.position();
            try {
                Map<?, ?> flow = Tnetstring.readFlow(source, MAX_FLOW_BYTES, MitmReader::isWanted);
                if (flow == null) {
                    ended = true;
                } else {
                    flow(flow, "flow " + number);
                }
            } catch (Tnetstring.Damaged | EOFException e) {
                ended = true;
                file.damaged("the file is cut or damaged within a flow", "flow " + number + " at byte " + from);
            }
        }
        return ready.poll();
    }

    @Override
    public Entry held() {
        return ready.poll();
    }

    private static boolean isWanted(String field) {
        return !field.equals("response.content") && !field.endsWith(".certificate_list") && !field.startsWith("backup");
    }

    private void flow(Map<?, ?> flow, String place) {
        String type = Tnetstring.text(flow.get("type"));
        if (flow.isEmpty()) {
            file.skip("the flow is longer than " + MAX_FLOW_BYTES + " bytes", place);
        } else if (type == null || type.equals("http")) {
            http(flow, place);
        } else if (type.equals("tcp")) {
            tcp(flow, place);
        } else if (type.equals("websocket")) {
            webSocket(JsonText.list(flow.get("messages")).size(), place);
        } else {
            file.skip(
                    "the flow is " + (RequestText.isToken(type) ? type : "of another kind") + ", not HTTP or TCP",
                    place);
        }
    }

    private void webSocket(int messages, String place) {
        if (messages > 0) {
            file.skip("WebSocket messages, whose handshake alone is a request", place, messages);
        }
    }

    private void http(Map<?, ?> flow, String place) {
        Map<?, ?> request = JsonText.object(flow.get("request"));
        try {
            ready.add(request(flow, request, place));
        } catch (RequestText.Refused e) {
            file.skip(e.getMessage(), place);
        }
        webSocket(
                JsonText.list(JsonText.object(flow.get("websocket")).get("messages"))
                        .size(),
                place);
    }

    private Entry request(Map<?, ?> flow, Map<?, ?> request, String place) throws RequestText.Refused {
        String method = Tnetstring.text(request.get("method"));
        String path = Tnetstring.text(request.get("path"));
        if (method == null || path == null) {
            throw new RequestText.Refused("the flow has no request with method and path");
        }
        if (method.equals("CONNECT")) {
            throw new RequestText.Refused(RequestText.TUNNEL);
        }
        List<HttpHead.Header> headers = headers(request.get("headers"));
        String version = version(request);
        byte[] body = body(request, headers, method);
        String authority = Tnetstring.text(request.get("authority"));
        for (HttpHead.Header header : headers) {
            if (header.name.equals(":authority")) {
                authority = header.value;
            }
        }
        if (!UrlParts.isHost(authority)) {
            authority = authority(request);
        }
        RequestText text = new RequestText(method, path, version, headers, authority, body);
        text.headers(headers, file, place);
        if (!JsonText.list(request.get("trailers")).isEmpty()) {
            file.change("trailers are left out", place);
        }
        boolean multiplexed = Multiplexed.note(file, version, place);
        Map<?, ?> response = JsonText.object(flow.get("response"));
        double startS = seconds(request.get("timestamp_start"), flow.get("timestamp_created"));
        double endS = seconds(response.get("timestamp_end"), null);
        Map<?, ?> client = JsonText.object(flow.get("client_conn"));
        if (client.isEmpty()) {
            client = JsonText.object(request.get("client_conn"));
        }
        InetSocketAddress clientAddress = address(client, "peername", "address");
        String id = Tnetstring.text(client.get("id"));
        String connection = id != null ? id : clientAddress != null ? clientAddress.toString() : null;
        if (Double.isNaN(startS)) {
            file.change("the flow says no time: it follows the one before", place);
        }
        Object status = response.containsKey("status_code") ? response.get("status_code") : response.get("code");
        RebuiltRequest rebuilt = new RebuiltRequest(
                        Double.isNaN(startS) ? Entry.NO_TIME : ns(startS),
                        text.finish(),
                        connection == null ? "mitmproxy" : connection,
                        text.endsConnection())
                .on(multiplexed ? null : connection)
                .between(
                        clientAddress,
                        address(JsonText.object(flow.get("server_conn")), "peername", "ip_address", "address"))
                .answered(status instanceof Double ? ((Double) status).intValue() : 0);
        return endS >= startS ? rebuilt.busyFor((long) (Math.min(endS - startS, MAX_BUSY_S) * 1e9)) : rebuilt;
    }

    /** Such as {@code HTTP/1.1}; old versions have a list of two numbers. */
    private static String version(Map<?, ?> request) {
        String version = Tnetstring.text(request.get("http_version"));
        List<?> numbers = JsonText.list(request.get("httpversion"));
        if (version == null
                && numbers.size() == 2
                && numbers.get(0) instanceof Double
                && numbers.get(1) instanceof Double) {
            version = "HTTP/" + ((Double) numbers.get(0)).intValue() + "." + ((Double) numbers.get(1)).intValue();
        }
        return version == null ? "HTTP/1.1" : version;
    }

    private static List<HttpHead.Header> headers(Object value) {
        List<HttpHead.Header> headers = new ArrayList<>();
        for (Object one : JsonText.list(value)) {
            List<?> pair = JsonText.list(one);
            String name = pair.size() == 2 ? Tnetstring.text(pair.get(0)) : null;
            String text = pair.size() == 2 ? Tnetstring.text(pair.get(1)) : null;
            if (name != null && !name.isEmpty() && text != null) {
                headers.add(new HttpHead.Header(name, text));
            }
        }
        return headers;
    }

    private static byte[] body(Map<?, ?> request, List<HttpHead.Header> headers, String method)
            throws RequestText.Refused {
        Object content = request.get("content");
        boolean said = false;
        boolean framed = false;
        for (HttpHead.Header header : headers) {
            boolean length = header.name.equalsIgnoreCase("content-length");
            said |= length;
            framed |= length && !header.value.equals("0") || header.name.equalsIgnoreCase("transfer-encoding");
        }
        if (!(content instanceof byte[])) {
            if (framed) {
                throw new RequestText.Refused("its body is not in the file");
            }
            return said ? new byte[0] : null;
        }
        byte[] body = (byte[]) content;
        return body.length > 0 || said || RequestText.takesBody(method) ? body : null;
    }

    private static String authority(Map<?, ?> request) {
        String host = Tnetstring.text(request.get("host"));
        Object port = request.get("port");
        String scheme = Tnetstring.text(request.get("scheme"));
        if (!UrlParts.isHost(host)) {
            return null;
        }
        String bracketed = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
        int number = port instanceof Double ? ((Double) port).intValue() : 0;
        return number <= 0 || number == ("https".equals(scheme) ? 443 : 80) ? bracketed : bracketed + ":" + number;
    }

    private void tcp(Map<?, ?> flow, String place) {
        Map<?, ?> client = JsonText.object(flow.get("client_conn"));
        ImportedConnection connection = new ImportedConnection(
                address(client, "peername", "address"),
                address(JsonText.object(flow.get("server_conn")), "peername", "ip_address", "address"));
        List<?> messages = JsonText.list(flow.get("messages"));
        double openS = seconds(client.get("timestamp_start"), flow.get("timestamp_created"));
        double lastS = openS;
        for (Object one : messages) {
            List<?> message = JsonText.list(one);
            if (message.size() < 3 || !(message.get(1) instanceof byte[])) {
                file.skip("a message of a TCP flow has no bytes", place);
                continue;
            }
            double atS = seconds(message.get(2), null);
            if (Double.isNaN(openS)) {
                openS = atS;
                lastS = atS;
            }
            lastS = Double.isNaN(atS) ? lastS : Math.max(lastS, atS);
            if (ready.isEmpty()) {
                ready.add(connection.open(ns(openS)));
            }
            byte[] bytes = (byte[]) message.get(1);
            ready.add(
                    Boolean.TRUE.equals(message.get(0))
                            ? connection.clientBytes(ns(lastS), bytes)
                            : connection.serverBytes(ns(lastS), bytes));
        }
        if (ready.isEmpty()) {
            file.skip("the TCP flow has no bytes", place);
            return;
        }
        double endS = seconds(client.get("timestamp_end"), null);
        ready.add(connection.close(ns(endS > lastS ? endS : lastS), CloseReason.UNKNOWN));
    }

    /** The first of two times in s since 1970, or NaN. */
    private static double seconds(Object first, Object second) {
        Object value = first instanceof Double ? first : second;
        double seconds = value instanceof Double ? (Double) value : Double.NaN;
        return seconds >= 0 && seconds < 4e9 ? seconds : Double.NaN;
    }

    /** A time in ns; a float has the microseconds. */
    private static long ns(double seconds) {
        return Double.isNaN(seconds) ? 0 : Math.round(seconds * 1e6) * 1_000;
    }

    /** The first of several fields that is an address: a list of host and port, in old versions in a dictionary. */
    private static InetSocketAddress address(Map<?, ?> connection, String... names) {
        for (String name : names) {
            Object value = connection.get(name);
            List<?> parts = JsonText.list(value instanceof Map ? ((Map<?, ?>) value).get("address") : value);
            if (parts.size() >= 2 && parts.get(1) instanceof Double) {
                String host = Tnetstring.text(parts.get(0));
                InetSocketAddress address =
                        host == null ? null : UrlParts.address(host, ((Double) parts.get(1)).intValue());
                if (address != null) {
                    return address;
                }
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
