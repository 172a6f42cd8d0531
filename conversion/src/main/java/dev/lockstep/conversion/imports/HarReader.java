package dev.lockstep.conversion.imports;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.HttpHead;
import dev.lockstep.conversion.UrlParts;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads an HTTP Archive (HAR 1.1 and 1.2), entry by entry. It keeps parsed fields and not bytes, which are written as
 * HTTP/1.1 again, headers in their order.
 */
final class HarReader implements EntryReader {
    private static final int MAX_BUSY_MS = 3_600_000;
    /** Some write an offset without a colon, or none. */
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
            .appendPattern("[XXX][XX][X]")
            .toFormatter(Locale.ROOT);

    private final ImportFile file;
    private final JsonParser parser;
    /** What says that it wrote the file; empty where nothing says so before the entries. */
    private String creator = "";

    private long number;
    private boolean inEntries;
    private boolean ended;
    /** Whether an entry so far had Chrome's own name of a connection. */
    private boolean hasConnectionIds;

    HarReader(ImportFile file) throws IOException {
        this.file = file;
        InputStream in = withoutMark(file.open());
        this.parser = JsonText.factory().createParser(in);
    }

    /** Passes over a UTF-8 byte order mark. */
    private static InputStream withoutMark(InputStream in) throws IOException {
        PushbackInputStream raw = new PushbackInputStream(in, 3);
        byte[] mark = raw.readNBytes(3);
        if (mark.length < 3 || (mark[0] & 0xFF) != 0xEF || (mark[1] & 0xFF) != 0xBB || (mark[2] & 0xFF) != 0xBF) {
            raw.unread(mark);
        }
        return raw;
    }

    @Override
    public Entry next() throws IOException {
        try {
            while (!ended) {
                if (!inEntries) {
                    ended = !findEntries();
                    continue;
                }
                if (parser.nextToken() != JsonToken.START_OBJECT) {
                    if (parser.currentToken() == null || parser.currentToken() == JsonToken.END_ARRAY) {
                        ended = true;
                        tellOfAnother();
                    } else {
                        parser.skipChildren();
                    }
                    continue;
                }
                number++;
                Entry entry = entry();
                if (entry != null) {
                    return entry;
                }
            }
        } catch (JsonProcessingException e) {
            ended = true;
            file.damaged(
                    "the file is cut or damaged: it is no JSON",
                    "line " + parser.currentLocation().getLineNr() + ", entry " + (number + (inEntries ? 0 : 1)));
        }
        return null;
    }

    /** Goes to the entries of the log; false when there are none. */
    private boolean findEntries() throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new ConversionException(file.path, "expected a HAR, an object with a log, found other JSON");
        }
        if (!findField("log", JsonToken.START_OBJECT) || !findList()) {
            throw new ConversionException(
                    file.path, "expected a HAR, an object with log.entries, found JSON without them");
        }
        inEntries = true;
        return true;
    }

    /** Goes to the entries, and reads before them what wrote them. */
    private boolean findList() throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken token = parser.nextToken();
            if (token == JsonToken.START_ARRAY && name.equals("entries")) {
                return true;
            }
            if (name.equals("creator")) {
                String text =
                        JsonText.text(JsonText.object(JsonText.read(parser)).get("name"));
                creator = text == null ? "" : text;
            } else {
                parser.skipChildren();
            }
        }
        return false;
    }

    /** Passes over what stands behind the entries. Where cat has joined files, another begins there. */
    private void tellOfAnother() throws IOException {
        while (parser.nextToken() != null) {
            if (parser.currentToken() == JsonToken.START_OBJECT
                    && parser.getParsingContext().getParent().inRoot()) {
                file.damaged(
                        "another HAR begins in it (give files one by one, not joined by cat)",
                        "line " + parser.currentLocation().getLineNr() + ", behind entry " + number);
                return;
            }
        }
    }

    private boolean isOfFirefox() {
        return creator.startsWith("Firefox");
    }

    private boolean findField(String name, JsonToken value) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean found = parser.currentName().equals(name);
            if (parser.nextToken() == value && found) {
                return true;
            }
            parser.skipChildren();
        }
        return false;
    }

    /** The parts of an entry that are read. */
    private static final class Parts {
        String started;
        double timeMs = -1;
        String connection;
        /** Chrome's own. */
        String connectionId;

        String serverAddress;
        boolean fromCache;
        /** Where Chrome's service worker has the answer from. */
        String workersSource;
        /** Why Chrome has no answer. */
        String error;
        /** Chrome made the answer itself, a redirect: of HSTS, of an extension. */
        boolean redirectedByBrowser;

        int status;
        long webSocketMessages;
        Map<?, ?> request = Map.of();
    }

    private Entry entry() throws IOException {
        String place = "entry " + number;
        Parts parts = new Parts();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken token = parser.nextToken();
            switch (name) {
                case "startedDateTime":
                    parts.started = JsonText.text(JsonText.read(parser));
                    break;
                case "time":
                    parts.timeMs = token != null && token.isNumeric() ? parser.getDoubleValue() : -1;
                    parser.skipChildren();
                    break;
                case "connection":
                    parts.connection = JsonText.text(JsonText.read(parser));
                    break;
                case "_connectionId":
                    parts.connectionId = JsonText.text(JsonText.read(parser));
                    hasConnectionIds |= parts.connectionId != null;
                    break;
                case "_fromCache":
                    parts.fromCache |= JsonText.text(JsonText.read(parser)) != null;
                    break;
                case "serverIPAddress":
                    parts.serverAddress = JsonText.text(JsonText.read(parser));
                    break;
                case "request":
                    parts.request = JsonText.object(JsonText.read(parser));
                    break;
                case "response":
                    response(parts, token);
                    break;
                case "_webSocketMessages":
                    parts.webSocketMessages = elements(token);
                    break;
                default:
                    parser.skipChildren();
            }
        }
        try {
            return request(parts, place);
        } catch (RequestText.Refused e) {
            file.skip(e.getMessage(), place);
            return null;
        }
    }

    private void response(Parts parts, JsonToken token) throws IOException {
        if (token != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (value == JsonToken.VALUE_NUMBER_INT && name.equals("status")) {
                double number = parser.getDoubleValue();
                parts.status = number >= 0 && number <= 999 ? (int) number : 0;
            } else if (value == JsonToken.VALUE_STRING && name.equals("_serviceWorkerResponseSource")) {
                parts.workersSource = parser.getText();
            } else if (value == JsonToken.VALUE_STRING && name.equals("_error")) {
                parts.error = parser.getText();
            } else if (value == JsonToken.VALUE_STRING && name.equals("statusText")) {
                parts.redirectedByBrowser = parser.getText().equals("Internal Redirect");
            }
            parser.skipChildren();
        }
    }

    private long elements(JsonToken token) throws IOException {
        long count = 0;
        if (token == JsonToken.START_ARRAY) {
            while (parser.nextToken() != null && parser.currentToken() != JsonToken.END_ARRAY) {
                parser.skipChildren();
                count++;
            }
        }
        return count;
    }

    private Entry request(Parts parts, String place) throws RequestText.Refused {
        boolean fromWorkersCache =
                "cache-storage".equals(parts.workersSource) || "http-cache".equals(parts.workersSource);
        if (parts.fromCache || fromWorkersCache) {
            throw new RequestText.Refused("was answered from the browser's cache");
        }
        if ("net::ERR_BLOCKED_BY_CLIENT".equals(parts.error)) {
            throw new RequestText.Refused("was blocked by the browser");
        }
        if (parts.redirectedByBrowser) {
            throw new RequestText.Refused("was redirected by the browser itself");
        }
        Map<?, ?> request = parts.request;
        String method = JsonText.text(request.get("method"));
        String address = JsonText.text(request.get("url"));
        if (method == null || address == null) {
            throw new RequestText.Refused("the entry has no request with method and url");
        }
        UrlParts url = UrlParts.of(RequestText.utf8(address));
        if (url == null) {
            throw new RequestText.Refused("the url is not http or https");
        }
        if (method.equals("CONNECT")) {
            throw new RequestText.Refused(RequestText.TUNNEL);
        }
        List<HttpHead.Header> headers = headers(request.get("headers"));
        byte[] body = body(request, headers, place);
        String version = JsonText.text(request.get("httpVersion"));
        version = version == null ? "" : version.toUpperCase(Locale.ROOT);
        String authority = url.authority;
        for (HttpHead.Header header : headers) {
            if (header.name.equals(":authority") && UrlParts.isHost(header.value)) {
                authority = header.value;
            }
        }
        RequestText text = new RequestText(method, url.target, version, headers, authority, body);
        text.headers(headers, file, place);
        boolean multiplexed = Multiplexed.note(file, version, place);
        if (parts.webSocketMessages > 0) {
            file.skip("WebSocket messages, whose handshake alone is a request", place, parts.webSocketMessages);
        }
        int port = port(url);
        RebuiltRequest rebuilt = new RebuiltRequest(
                        timeNs(parts.started, place),
                        text.finish(),
                        url.scheme + "://" + url.authority,
                        text.endsConnection())
                .on(multiplexed ? null : connection(parts, port, url))
                .between(null, parts.serverAddress == null ? null : UrlParts.address(parts.serverAddress, port))
                .answered(parts.status);
        return parts.timeMs < 0 ? rebuilt : rebuilt.busyFor((long) (Math.min(parts.timeMs, MAX_BUSY_MS) * 1e6));
    }

    private static List<HttpHead.Header> headers(Object value) {
        List<HttpHead.Header> headers = new ArrayList<>();
        for (Object one : JsonText.list(value)) {
            Map<?, ?> header = JsonText.object(one);
            String name = JsonText.text(header.get("name"));
            String text = JsonText.text(header.get("value"));
            if (name != null && !name.isEmpty() && text != null) {
                headers.add(new HttpHead.Header(name, RequestText.utf8(text)));
            }
        }
        return headers;
    }

    /** The body, or null when there is none and none is expected. */
    private byte[] body(Map<?, ?> request, List<HttpHead.Header> headers, String place) throws RequestText.Refused {
        Map<?, ?> post = JsonText.object(request.get("postData"));
        String text = JsonText.text(post.get("text"));
        long said = number(request.get("bodySize"));
        long length = -1;
        boolean chunked = false;
        for (HttpHead.Header header : headers) {
            if (header.name.equalsIgnoreCase("content-length")) {
                length = number(header.value);
            }
            chunked |= header.name.equalsIgnoreCase("transfer-encoding");
        }
        if (text == null || text.isEmpty()) {
            byte[] form = form(post);
            if (form != null) {
                return form;
            }
            if (said > 0 || length > 0 || chunked && said != 0) {
                throw new RequestText.Refused("its body is not in the file");
            }
            return said == 0 || length == 0 || RequestText.takesBody(JsonText.text(request.get("method")))
                    ? new byte[0]
                    : null;
        }
        if ("base64".equals(JsonText.text(post.get("encoding")))
                || "base64".equals(JsonText.text(post.get("_encoding")))) {
            try {
                return Base64.getMimeDecoder().decode(text);
            } catch (IllegalArgumentException e) {
                throw new RequestText.Refused("its body is not Base64, as it says");
            }
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        // What cuts a body counts in bodySize what it kept of it; Firefox counts characters there.
        long sent = length > 0 ? length : isOfFirefox() ? -1 : said;
        if (sent > 0 && sent != utf8.length) {
            if (sent == text.length() && text.chars().allMatch(c -> c <= 0xFF)) {
                return text.getBytes(StandardCharsets.ISO_8859_1); // Chrome writes bytes that are no text like this
            }
            if (length > utf8.length) {
                throw new RequestText.Refused("its body in the file is shorter than its Content-Length");
            }
            file.change("its body in the file is not as long as it says: it may not be what was sent", place);
        }
        return utf8;
    }

    private static long number(Object value) {
        String text = JsonText.text(value);
        return text != null && text.matches("[0-9]{1,18}") ? Long.parseLong(text) : -1;
    }

    private static byte[] form(Map<?, ?> post) throws RequestText.Refused {
        List<?> params = JsonText.list(post.get("params"));
        if (params.isEmpty()) {
            return null;
        }
        String type = JsonText.text(post.get("mimeType"));
        if (type == null || !type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded")) {
            throw new RequestText.Refused("its body is in the file as fields, not as the text that was sent");
        }
        StringBuilder form = new StringBuilder();
        for (Object one : params) {
            Map<?, ?> param = JsonText.object(one);
            String name = JsonText.text(param.get("name"));
            String value = JsonText.text(param.get("value"));
            form.append(form.length() == 0 ? "" : "&")
                    .append(encoded(name))
                    .append('=')
                    .append(encoded(value));
        }
        return form.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** The text as a form has it. Some browsers have encoded it already; it is left alone then. */
    private static String encoded(String text) {
        if (text == null) {
            return "";
        }
        return text.matches("[a-zA-Z0-9*._+%-]*") ? text : URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static int port(UrlParts url) {
        int colon = url.authority.lastIndexOf(':');
        String port = colon < 0 ? "" : url.authority.substring(colon + 1);
        return port.matches("[0-9]{1,5}")
                ? Math.min(0xFFFF, Integer.parseInt(port))
                : url.scheme.equals("https") || url.scheme.equals("wss") ? 443 : 80;
    }

    /**
     * The connection's name, or null where the file has none. What Firefox writes as {@code connection} is a port,
     * which may be a proxy's. So it is with Chrome since it has {@code _connectionId}; before, it was that id.
     */
    private String connection(Parts parts, int port, UrlParts url) {
        String id = parts.connectionId;
        if (id == null) {
            boolean isPort =
                    isOfFirefox() || hasConnectionIds || Integer.toString(port).equals(parts.connection);
            id = isPort ? null : parts.connection;
        }
        return id == null || id.isEmpty() || id.equals("0") ? null : id + " " + url.scheme + "://" + url.authority;
    }

    private long timeNs(String text, String place) {
        if (text != null) {
            try {
                TemporalAccessor time = TIME.parseBest(text, OffsetDateTime::from, LocalDateTime::from);
                if (time instanceof LocalDateTime) {
                    file.change("the entry's time has no zone: it is taken for UTC", place);
                    time = ((LocalDateTime) time).atOffset(ZoneOffset.UTC);
                }
                return ChronoUnit.NANOS.between(Instant.EPOCH, Instant.from(time));
            } catch (DateTimeException | ArithmeticException e) {
                // The entry has no time.
            }
        }
        file.change("the entry says no time: it follows the one before", place);
        return Entry.NO_TIME;
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
