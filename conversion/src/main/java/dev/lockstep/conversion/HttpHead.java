package dev.lockstep.conversion;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The first line and the headers of an HTTP/1 request in bytes, as far as exports and imports need them. Immutable. */
final class HttpHead {
    /** One header line. */
    static final class Header {
        final String name;
        final String value;

        Header(String name, String value) {
            this.name = name;
            this.value = value;
        }
    }

    private static final int MAX_LINES = 10_000;

    final String firstLine;
    final List<Header> headers;
    /** How many bytes there are before the body, the empty line among them. */
    final int bytes;

    private HttpHead(String firstLine, List<Header> headers, int bytes) {
        this.firstLine = firstLine;
        this.headers = headers;
        this.bytes = bytes;
    }

    /** Returns what of a head the bytes hold; text is ISO 8859-1. */
    static HttpHead of(byte[] request) {
        List<Header> headers = new ArrayList<>();
        String first = null;
        int at = 0;
        while (at < request.length && headers.size() < MAX_LINES) {
            int end = at;
            while (end < request.length && request[end] != '\n') {
                end++;
            }
            int lineEnd = end > at && request[end - 1] == '\r' ? end - 1 : end;
            String line = new String(request, at, lineEnd - at, StandardCharsets.ISO_8859_1);
            at = Math.min(request.length, end + 1);
            if (line.isEmpty()) {
                if (first == null) {
                    continue; // empty lines before a request belong to it
                }
                break;
            }
            if (first == null) {
                first = line;
            } else {
                int colon = line.indexOf(':');
                headers.add(
                        colon < 0
                                ? new Header("", line.trim())
                                : new Header(
                                        line.substring(0, colon),
                                        line.substring(colon + 1).trim()));
            }
        }
        return new HttpHead(first == null ? "" : first, headers, at);
    }

    /** Returns the value of a header, or null. */
    String value(String name) {
        for (Header header : headers) {
            if (header.name.equalsIgnoreCase(name)) {
                return header.value;
            }
        }
        return null;
    }

    /** Tells whether a request's connection carries nothing after it. */
    static boolean endsConnection(byte[] request) {
        HttpHead head = of(request);
        String options = head.value("Connection");
        options = options == null ? "" : options.toLowerCase(Locale.ROOT);
        return head.firstLine.startsWith("CONNECT ")
                || options.contains("close")
                || options.contains("upgrade")
                || head.firstLine.endsWith(" HTTP/1.0") && !options.contains("keep-alive");
    }
}
