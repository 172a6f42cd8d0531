package dev.lockstep.conversion;

import dev.lockstep.protocol.HttpFieldReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The first line and the headers of an HTTP/1 request, as text of ISO 8859-1. Immutable. */
public final class HttpHead {
    /** One header. */
    public static final class Header {
        public final String name;
        public final String value;

        public Header(String name, String value) {
            this.name = name;
            this.value = value;
        }
    }

    public final String firstLine;
    public final List<Header> headers;
    /** The bytes before the body, with the empty line. */
    public final int bytes;

    private HttpHead(String firstLine, List<Header> headers, int bytes) {
        this.firstLine = firstLine;
        this.headers = headers;
        this.bytes = bytes;
    }

    /** Reads the head of a request; empty lines before it belong to it. */
    public static HttpHead of(byte[] request) {
        int from = 0;
        while (from < request.length && (request[from] == '\r' || request[from] == '\n')) {
            from++;
        }
        int to = from;
        while (to < request.length && request[to] != '\n') {
            to++;
        }
        String first = new String(request, from, to - from, StandardCharsets.ISO_8859_1);
        Fields fields = new Fields();
        HttpFieldReader reader = HttpFieldReader.lenient(fields);
        reader.begin();
        int end = reader.read(Unpooled.wrappedBuffer(request), Math.min(request.length, to + 1), request.length);
        return new HttpHead(first.endsWith("\r") ? first.substring(0, first.length() - 1) : first, fields.headers, end);
    }

    /** Keeps the fields as text. */
    private static final class Fields implements HttpFieldReader.Listener {
        private final List<Header> headers = new ArrayList<>();
        private final StringBuilder name = new StringBuilder();
        private final StringBuilder value = new StringBuilder();

        @Override
        public boolean name(ByteBuf bytes, int from, int to, boolean begins, boolean ends) {
            if (begins) {
                name.setLength(0);
                value.setLength(0);
            }
            name.append(bytes.toString(from, to - from, StandardCharsets.ISO_8859_1));
            return true;
        }

        @Override
        public boolean value(ByteBuf bytes, int from, int to) {
            value.append(bytes.toString(from, to - from, StandardCharsets.ISO_8859_1));
            return true;
        }

        @Override
        public void lineEnded() {
            int last = value.length() - 1;
            if (last >= 0 && value.charAt(last) == '\r') {
                value.setLength(last);
            }
        }

        @Override
        public boolean continued() {
            return true;
        }

        @Override
        public boolean fieldEnded() {
            headers.add(new Header(name.toString(), value.toString().trim()));
            return true;
        }
    }

    /** The value of the first header with a name, or null. */
    public String value(String name) {
        for (Header header : headers) {
            if (header.name.equalsIgnoreCase(name)) {
                return header.value;
            }
        }
        return null;
    }

    /**
     * Whether the connection of a request carries nothing after it.
     *
     * @param http10Ends whether HTTP/1.0 without keep-alive says so too; some servers answer what follows
     */
    public static boolean endsConnection(byte[] request, boolean http10Ends) {
        HttpHead head = of(request);
        String options = head.value("Connection");
        options = options == null ? "" : options.toLowerCase(Locale.ROOT);
        return head.firstLine.startsWith("CONNECT ")
                || options.contains("close")
                || options.contains("upgrade")
                || http10Ends && head.firstLine.endsWith(" HTTP/1.0") && !options.contains("keep-alive");
    }
}
