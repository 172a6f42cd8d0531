package dev.lockstep.replayer.rewriting;

import java.util.ArrayList;
import java.util.List;

/**
 * The head of an HTTP/1 request that can be changed and printed again; what is not changed is printed as it was, byte
 * for byte. A character stands for a byte (ISO 8859-1). For one thread.
 */
final class HttpText {
    /** Empty lines before the request line, which belong to it (RFC 9112, 2.2). */
    private final String before;

    private String requestLine;
    /** A field each, with its line ends and the lines that go on with it (obs-fold). */
    private final List<String> fields;
    /** The empty line. */
    private final String end;

    private HttpText(String before, String requestLine, List<String> fields, String end) {
        this.before = before;
        this.requestLine = requestLine;
        this.fields = fields;
        this.end = end;
    }

    /** Reads the head at the start of a text; null where there is none, or it goes on behind the text. */
    static HttpText head(String text) {
        int at = 0;
        while (at < text.length() && (text.charAt(at) == '\r' || text.charAt(at) == '\n')) {
            at++;
        }
        String before = text.substring(0, at);
        String requestLine = null;
        List<String> fields = new ArrayList<>();
        while (at < text.length()) {
            int lineFeed = text.indexOf('\n', at);
            if (lineFeed < 0) {
                return null;
            }
            String line = text.substring(at, lineFeed + 1);
            at = lineFeed + 1;
            if (requestLine == null) {
                requestLine = line;
            } else if (line.equals("\r\n") || line.equals("\n")) {
                return new HttpText(before, requestLine, fields, line);
            } else if ((line.charAt(0) == ' ' || line.charAt(0) == '\t') && !fields.isEmpty()) {
                int last = fields.size() - 1;
                fields.set(last, fields.get(last) + line);
            } else {
                fields.add(line);
            }
        }
        return null;
    }

    /** Returns where the query of the request target begins in a head; where it ends if there is none. */
    static int queryStart(String head) {
        int end = queryEnd(head);
        int mark = head.indexOf('?');
        return mark < 0 || mark >= end ? end : mark + 1;
    }

    /** Returns where the request target ends in a head: at the last blank of its request line. */
    static int queryEnd(String head) {
        int from = 0;
        while (from < head.length() && (head.charAt(from) == '\r' || head.charAt(from) == '\n')) {
            from++;
        }
        int lineFeed = head.indexOf('\n', from);
        return Math.max(0, head.lastIndexOf(' ', lineFeed < 0 ? head.length() : lineFeed));
    }

    int length() {
        int length = before.length() + requestLine.length() + end.length();
        for (String field : fields) {
            length += field.length();
        }
        return length;
    }

    long blanksInRequestLine() {
        return requestLine.chars().filter(c -> c == ' ').count();
    }

    /**
     * What decides where the request ends and how its answer is framed: method, version, and the fields of the length.
     */
    String framing() {
        int first = requestLine.indexOf(' ');
        StringBuilder framing = new StringBuilder();
        if (first >= 0) {
            framing.append(requestLine, 0, first)
                    .append(requestLine, requestLine.lastIndexOf(' '), requestLine.length());
        }
        for (String field : fields) {
            if (isNamed(field, "Content-Length") || isNamed(field, "Transfer-Encoding")) {
                framing.append(field);
            }
        }
        return framing.toString();
    }

    /** The request target, or null where the request line does not have the usual three parts. */
    String target() {
        int first = requestLine.indexOf(' ');
        int last = requestLine.lastIndexOf(' ');
        return first <= 0 || last <= first + 1 ? null : requestLine.substring(first + 1, last);
    }

    void target(String target) {
        requestLine = requestLine.substring(0, requestLine.indexOf(' ') + 1)
                + target
                + requestLine.substring(requestLine.lastIndexOf(' '));
    }

    /**
     * Replaces all fields of a name by one, in the place of the first or behind all others; or removes them.
     *
     * @param value empty for none
     * @return whether anything changed
     */
    boolean set(String name, String value) {
        boolean changed = false;
        boolean placed = value.isEmpty();
        for (int i = 0; i < fields.size(); i++) {
            String field = fields.get(i);
            if (!isNamed(field, name)) {
                continue;
            }
            if (placed) {
                fields.remove(i--);
                changed = true;
                continue;
            }
            String set = name + ": " + value + lineEnd(field);
            fields.set(i, set);
            changed |= !set.equals(field);
            placed = true;
        }
        if (!placed) {
            fields.add(name + ": " + value + lineEnd(requestLine));
            changed = true;
        }
        return changed;
    }

    /**
     * Sets the Host field, and the authority of a target in absolute form (RFC 9112, 3.2.2), which is what counts
     * there.
     */
    boolean setHost(String host) {
        boolean changed = set("Host", host);
        String target = target();
        int scheme = target == null ? -1 : target.indexOf("://");
        if (scheme > 0 && target.substring(0, scheme).matches("[A-Za-z][A-Za-z0-9+.-]*")) {
            int from = scheme + 3;
            int to = from;
            while (to < target.length() && "/?#".indexOf(target.charAt(to)) < 0) {
                to++;
            }
            if (!target.substring(from, to).equals(host)) {
                target(target.substring(0, from) + host + target.substring(to));
                changed = true;
            }
        }
        return changed;
    }

    /** Tells whether the body is chunked, after the last Transfer-Encoding. */
    boolean isChunked() {
        boolean chunked = false;
        for (String field : fields) {
            if (isNamed(field, "Transfer-Encoding")) {
                String value = field.substring(field.indexOf(':') + 1);
                chunked = value.substring(value.lastIndexOf(',') + 1).trim().equalsIgnoreCase("chunked");
            }
        }
        return chunked;
    }

    /** Tells whether the body is a form, in which values are encoded as in a query. */
    boolean isForm() {
        for (String field : fields) {
            if (isNamed(field, "Content-Type")) {
                String type = field.substring(field.indexOf(':') + 1);
                return type.split(";", 2)[0].trim().equalsIgnoreCase("application/x-www-form-urlencoded");
            }
        }
        return false;
    }

    /** Corrects Content-Length, where present and the body is not chunked. */
    void setContentLength(int bytes) {
        if (isChunked()) {
            return;
        }
        for (int i = 0; i < fields.size(); i++) {
            String field = fields.get(i);
            if (isNamed(field, "Content-Length")) {
                int value = field.indexOf(':') + 1;
                fields.set(i, field.substring(0, value) + field.substring(value).replaceAll("[0-9]+", "" + bytes));
            }
        }
    }

    private static boolean isNamed(String field, String name) {
        int colon = field.indexOf(':');
        return colon > 0 && field.substring(0, colon).trim().equalsIgnoreCase(name);
    }

    private static String lineEnd(String line) {
        return line.endsWith("\r\n") ? "\r\n" : "\n";
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(before).append(requestLine);
        fields.forEach(text::append);
        return text.append(end).toString();
    }
}
