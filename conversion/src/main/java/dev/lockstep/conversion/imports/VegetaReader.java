package dev.lockstep.conversion.imports;

import com.fasterxml.jackson.core.JsonParser;
import dev.lockstep.conversion.Limits;
import dev.lockstep.conversion.UrlParts;
import dev.lockstep.packets.DamagedGzipException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * Reads vegeta's targets in both of its forms:
 *
 * <pre>{@code
 * POST http://host/path                 {"method": "POST", "url": "http://host/path",
 * X-Name: value                          "header": {"X-Name": ["value"]}, "body": "<base64>"}
 * @body.json
 * }</pre>
 *
 * <p>A body file that is not absolute stands beside the targets file; it is read when its request is due.
 */
final class VegetaReader implements EntryReader {
    private final ImportFile file;
    private final LineReader lines;
    private String ahead;

    VegetaReader(ImportFile file) throws IOException {
        this.file = file;
        this.lines = new LineReader(file);
    }

    /** A request without a time, which may share connections with all of its host. */
    static Entry entry(RequestText request, UrlParts url, ImportFile file, String place) {
        if (url.namedUser) {
            file.change("user and password of its URL are left out: the request has no Authorization of them", place);
        }
        return new RebuiltRequest(
                Entry.NO_TIME, request.finish(), url.scheme + url.authority, request.endsConnection());
    }

    @Override
    public Entry next() throws IOException {
        for (String line = nextLine(); line != null; line = nextLine()) {
            String text = line.trim();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            Entry entry = text.startsWith("{") ? json(text) : target(text);
            if (entry != null) {
                return entry;
            }
        }
        return null;
    }

    private String nextLine() throws IOException {
        String line = ahead != null ? ahead : lines.next();
        ahead = null;
        return line;
    }

    /** The line behind one of a target; null at the end, and at damage, which the next call tells again. */
    private String followingLine() throws IOException {
        try {
            return nextLine();
        } catch (DamagedGzipException e) {
            if (lines.isInLine()) {
                throw e; // it may have been of this target
            }
            return null;
        }
    }

    /** Whether a line begins a target. */
    static boolean isTarget(String line) {
        int blank = line.indexOf(' ');
        return blank > 0
                && line.substring(0, blank).matches("[A-Z]{1,20}")
                && UrlParts.of(line.substring(blank + 1).trim()) != null;
    }

    private Entry target(String first) throws IOException {
        String place = lines.place();
        String noTarget = lines.wrong("the line is no target, expected such as GET http://host/path");
        List<String> headers = new ArrayList<>();
        String bodyFile = null;
        for (String line = followingLine(); line != null; line = followingLine()) {
            String text = line.trim();
            if (text.isEmpty() || isTarget(text)) {
                ahead = line;
                break;
            }
            if (text.startsWith("@")) {
                bodyFile = text.substring(1);
            } else if (!text.startsWith("#")) {
                headers.add(text);
            }
        }
        if (!isTarget(first)) {
            file.skip(noTarget, place);
            return null;
        }
        int blank = first.indexOf(' ');
        byte[] body = null;
        if (bodyFile != null) {
            body = body(bodyFile, place);
            if (body == null) {
                return null;
            }
        }
        UrlParts url = UrlParts.of(first.substring(blank + 1).trim());
        try {
            String method = first.substring(0, blank);
            RequestText request = new RequestText(
                    method,
                    url.target,
                    "HTTP/1.1",
                    named(headers, "host") ? null : url.authority,
                    bodyOf(method, body),
                    true);
            for (String header : headers) {
                int colon = header.indexOf(':');
                if (colon <= 0
                        || request.header(
                                        header.substring(0, colon),
                                        header.substring(colon + 1).trim())
                                != null) {
                    file.change("a header line has no name or control characters: left out", place);
                }
            }
            return entry(request, url, file, place);
        } catch (RequestText.Refused e) {
            file.skip(e.getMessage(), place);
            return null;
        }
    }

    private static boolean named(List<String> headers, String name) {
        return headers.stream().anyMatch(header -> header.regionMatches(true, 0, name + ":", 0, name.length() + 1));
    }

    /** Methods that take a body say that theirs is empty. */
    private static byte[] bodyOf(String method, byte[] body) {
        return body == null && RequestText.takesBody(method) ? new byte[0] : body;
    }

    /** The bytes of a body file, or null, which is counted, when it cannot be read. */
    private byte[] body(String name, String place) {
        try {
            Path path = file.path.toAbsolutePath().resolveSibling(name);
            if (Files.size(path) > Limits.REQUEST_BYTES) {
                file.skip("its body file is larger than " + Limits.REQUEST_BYTES + " bytes", place);
                return null;
            }
            return Files.readAllBytes(path);
        } catch (IOException | InvalidPathException e) {
            file.skip("its body file cannot be read", place);
            return null;
        }
    }

    private Entry json(String text) {
        String place = lines.place();
        Object value;
        try (JsonParser parser = JsonText.factory().createParser(text.getBytes(StandardCharsets.ISO_8859_1))) {
            parser.nextToken();
            value = JsonText.read(parser);
        } catch (IOException e) {
            file.skip(lines.wrong("the line is not JSON"), place);
            return null;
        }
        Map<?, ?> target = JsonText.object(value);
        String method = JsonText.text(target.get("method"));
        String address = JsonText.text(target.get("url"));
        UrlParts url = address == null ? null : UrlParts.of(RequestText.utf8(address));
        if (method == null || url == null) {
            file.skip("the line has no method and http or https URL", place);
            return null;
        }
        try {
            String body = JsonText.text(target.get("body"));
            byte[] bytes =
                    body == null || body.isEmpty() ? null : Base64.getDecoder().decode(body);
            Map<?, ?> headers = JsonText.object(target.get("header"));
            boolean hasHost = headers.keySet().stream().anyMatch(name -> "host".equalsIgnoreCase((String) name));
            RequestText request = new RequestText(
                    method, url.target, "HTTP/1.1", hasHost ? null : url.authority, bodyOf(method, bytes), true);
            headers.forEach((name, values) -> {
                for (Object one : JsonText.list(values)) {
                    String header = JsonText.text(one);
                    if (header == null || request.header((String) name, RequestText.utf8(header)) != null) {
                        file.change("a header has no name or control characters: left out", place);
                    }
                }
            });
            return entry(request, url, file, place);
        } catch (RequestText.Refused e) {
            file.skip(e.getMessage(), place);
        } catch (IllegalArgumentException e) {
            file.skip("its body is not Base64", place);
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
