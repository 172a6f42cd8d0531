package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.HttpHead;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes an HTTP/1.1 request from the parts that another tool kept of it. For one thread, one request.
 *
 * <p>Headers stay in their order and spelling. Those of HTTP/2's framing and those that say how the body was framed on
 * the wire are left out, because the body is whole here; its length is put where it was, or at the end. Text is written
 * in ISO 8859-1, a byte per character; callers that have bytes decode them so.
 */
final class RequestText {
    /** Why a request cannot be written. The message is the reason by which it is counted. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String reason) {
            super(reason, null, false, false);
        }
    }

    /** Why a CONNECT that was granted is refused. */
    static final String TUNNEL = "a CONNECT opens a tunnel, whose bytes the file does not keep";

    /** Headers that say how the body was framed on the wire. */
    private static final Set<String> FRAMING = Set.of("content-length", "transfer-encoding");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    private final byte[] body;
    private final boolean saysLength;
    /** A newer HTTP may have sent each cookie in a header of its own. */
    private final boolean joinsCookies;

    private boolean hostWritten;
    private boolean lengthWritten;
    private boolean close;
    private boolean upgrade;
    private boolean chunked;

    /**
     * @param version {@code HTTP/1.0} or {@code HTTP/1.1}; anything else becomes HTTP/1.1
     * @param host the value of Host, or null to leave it to {@link #header}
     * @param body the body, or null when the request has none and says no length
     * @param saysLength whether an empty body says its length
     */
    RequestText(String method, String target, String version, String host, byte[] body, boolean saysLength)
            throws Refused {
        if (!isToken(method)) {
            throw new Refused("its method is no word that HTTP allows");
        }
        if (!isTarget(target)) {
            throw new Refused("its target holds blanks, control characters or nothing");
        }
        this.body = body;
        this.saysLength = saysLength;
        this.joinsCookies = !version.startsWith("HTTP/1");
        boolean old = "HTTP/1.0".equals(version);
        close = old;
        upgrade = method.equals("CONNECT");
        put(method).put(" ").put(target).put(old ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
        if (host != null) {
            hostWritten = true;
            line("Host", host);
        }
    }

    /** Begins a request that a file keeps as fields; {@code authority} is the Host where no header names it. */
    RequestText(
            String method, String target, String version, List<HttpHead.Header> headers, String authority, byte[] body)
            throws Refused {
        this(
                method,
                target,
                version,
                headers.stream().anyMatch(header -> header.name.equalsIgnoreCase("host")) ? null : authority,
                body,
                takesBody(method));
    }

    /** Whether a method is made for a body, so that an empty one says its length. */
    static boolean takesBody(String method) {
        return method.equals("POST") || method.equals("PUT") || method.equals("PATCH");
    }

    /** Adds headers as they were sent, and counts what cannot stay as it was. */
    void headers(List<HttpHead.Header> headers, ImportFile file, String place) {
        for (HttpHead.Header header : joinsCookies ? withOneCookie(headers) : headers) {
            String problem = header(header.name, header.value);
            if (problem != null) {
                file.change(problem + ": left out", place);
            }
        }
        if (chunked && body != null) {
            file.change("its body was sent in chunks: written with its length", place);
        }
    }

    /** Returns headers as HTTP/1.1 has them: all cookies in one, where the first was (RFC 9113, section 8.2.3). */
    private static List<HttpHead.Header> withOneCookie(List<HttpHead.Header> headers) {
        String cookies = headers.stream()
                .filter(header -> header.name.equalsIgnoreCase("cookie"))
                .map(header -> header.value)
                .collect(Collectors.joining("; "));
        List<HttpHead.Header> joined = new ArrayList<>();
        boolean done = false;
        for (HttpHead.Header header : headers) {
            if (!header.name.equalsIgnoreCase("cookie")) {
                joined.add(header);
            } else if (!done) {
                joined.add(new HttpHead.Header(header.name, cookies));
                done = true;
            }
        }
        return joined;
    }

    /** Adds a header as it was sent; returns why it is left out, or null where it is not. */
    String header(String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (name.startsWith(":")) {
            return null; // HTTP/2's own, which are in the first line
        }
        if (FRAMING.contains(lower)) {
            if (lower.equals("content-length") && !lengthWritten && body != null) {
                lengthWritten = true;
                line(name, Integer.toString(body.length));
            }
            chunked |= lower.equals("transfer-encoding");
            return null;
        }
        if (!isToken(name)) {
            return "a header's name is no word that HTTP allows";
        }
        if (!isValue(value)) {
            return "a header's value holds control characters";
        }
        if (lower.equals("host")) {
            if (hostWritten) {
                return null;
            }
            hostWritten = true;
        } else if (lower.equals("connection")) {
            String options = value.toLowerCase(Locale.ROOT);
            close = options.contains("close") || close && !options.contains("keep-alive");
            upgrade |= options.contains("upgrade");
        }
        line(name, value);
        return null;
    }

    /**
     * Ends the request.
     *
     * @return its bytes
     */
    byte[] finish() {
        if (body != null && !lengthWritten && (body.length > 0 || saysLength)) {
            line("Content-Length", Integer.toString(body.length));
        }
        put("\r\n");
        if (body != null) {
            out.write(body, 0, body.length);
        }
        return out.toByteArray();
    }

    /** Whether the connection carries no other request after this one. */
    boolean endsConnection() {
        return close || upgrade;
    }

    private void line(String name, String value) {
        put(name).put(": ").put(value).put("\r\n");
    }

    private RequestText put(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        out.write(bytes, 0, bytes.length);
        return this;
    }

    /** Text whose characters stand for the bytes of the given text's UTF-8. */
    static String utf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    static boolean isToken(String text) {
        return !text.isEmpty()
                && text.chars().allMatch(c -> c > ' ' && c < 0x7F && "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0);
    }

    private static boolean isTarget(String text) {
        return !text.isEmpty() && text.chars().noneMatch(c -> c <= ' ' || c == 0x7F);
    }

    private static boolean isValue(String text) {
        return text.chars().noneMatch(c -> c < ' ' && c != '\t' || c == 0x7F);
    }
}
