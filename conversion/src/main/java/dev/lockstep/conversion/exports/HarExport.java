package dev.lockstep.conversion.exports;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.Protocol;
import dev.lockstep.conversion.ByteText;
import dev.lockstep.conversion.HttpHead;
import dev.lockstep.conversion.UrlParts;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;

/**
 * Writes the HTTP/1 requests of a capture as an HTTP Archive 1.2. The format demands the parts about answers, which are
 * empty because answers are not recorded. A body that is no text is written in Base64, which {@code _encoding} says.
 * For one thread.
 */
final class HarExport {
    private static final String EMPTY_RESPONSE =
            "{\"status\":0,\"statusText\":\"\",\"httpVersion\":\"\",\"cookies\":[],\"headers\":[],"
                    + "\"content\":{\"size\":0,\"mimeType\":\"\"},\"redirectURL\":\"\","
                    + "\"headersSize\":-1,\"bodySize\":-1}";

    private final OutputStream out;
    private final String toolVersion;
    private JsonGenerator json;

    HarExport(OutputStream out, String toolVersion) {
        this.out = out;
        this.toolVersion = toolVersion;
    }

    ExportReport write(CaptureReader reader, Runnable check) throws IOException {
        WholeRequests requests = new WholeRequests(check);
        try (JsonGenerator generator = new JsonFactory()
                .createGenerator(out)
                .disable(StreamWriteFeature.AUTO_CLOSE_TARGET.mappedFeature())
                .enable(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature())) {
            json = generator;
            json.writeStartObject();
            json.writeObjectFieldStart("log");
            json.writeStringField("version", "1.2");
            json.writeObjectFieldStart("creator");
            json.writeStringField("name", "Lockstep");
            json.writeStringField("version", toolVersion);
            json.writeEndObject();
            json.writeArrayFieldStart("entries");
            requests.read(reader, this::entry);
            json.writeEndArray();
            json.writeEndObject();
            json.writeEndObject();
        }
        out.write('\n');
        return requests.report(ExportFormat.HAR);
    }

    private String entry(WholeRequests.Connection connection, long epochNs, byte[] request) throws IOException {
        if (connection.protocol != Protocol.HTTP1) {
            return "requests that are not HTTP/1, which HAR cannot hold";
        }
        HttpHead head = HttpHead.of(request);
        String[] line = head.firstLine.trim().split(" +");
        String version = line.length == 3 ? line[2] : "";
        String url = line.length == 3 ? url(connection, line[1], head) : null;
        if (url == null) {
            return "requests without a URL, such as CONNECT and OPTIONS *";
        }
        byte[] body = Arrays.copyOfRange(request, head.bytes, request.length);
        String coding = head.value("Transfer-Encoding");
        if (coding != null) {
            body = ChunkedBody.decode(body);
            if (body == null) {
                return "requests whose chunks cannot be read";
            }
        }
        json.writeStartObject();
        json.writeStringField(
                "startedDateTime", Instant.ofEpochSecond(0, epochNs).toString());
        json.writeNumberField("time", 0);
        json.writeObjectFieldStart("request");
        json.writeStringField("method", line[0]);
        json.writeStringField("url", ByteText.of(url));
        json.writeStringField("httpVersion", version);
        json.writeArrayFieldStart("cookies");
        json.writeEndArray();
        json.writeArrayFieldStart("headers");
        for (HttpHead.Header header : head.headers) {
            pair(header.name, header.value);
        }
        json.writeEndArray();
        query(url);
        postData(head, body);
        json.writeNumberField("headersSize", head.bytes);
        json.writeNumberField("bodySize", body.length);
        json.writeEndObject();
        json.writeFieldName("response");
        json.writeRawValue(EMPTY_RESPONSE);
        json.writeObjectFieldStart("cache");
        json.writeEndObject();
        json.writeFieldName("timings");
        json.writeRawValue("{\"send\":0,\"wait\":0,\"receive\":0}");
        InetSocketAddress server = connection.start.server();
        if (server != null) {
            json.writeStringField("serverIPAddress", server.getAddress().getHostAddress());
        }
        json.writeStringField("connection", "c" + connection.number);
        json.writeEndObject();
        return null;
    }

    private static String url(WholeRequests.Connection connection, String target, HttpHead head) {
        if (UrlParts.of(target) != null) {
            return target;
        }
        if (!target.startsWith("/")) {
            return null;
        }
        String scheme = connection.start.details().tlsVersion() == null ? "http://" : "https://";
        String host = head.value("Host");
        InetSocketAddress server = connection.start.server();
        if (!UrlParts.isHost(host)) {
            if (server == null) {
                return scheme + "localhost" + target;
            }
            String address = server.getAddress().getHostAddress();
            host = (address.indexOf(':') >= 0 ? "[" + address + "]" : address) + ":" + server.getPort();
        }
        return scheme + host + target;
    }

    private void query(String url) throws IOException {
        json.writeArrayFieldStart("queryString");
        int from = url.indexOf('?');
        if (from >= 0) {
            for (String part : url.substring(from + 1).split("&")) {
                int equals = part.indexOf('=');
                pair(equals < 0 ? part : part.substring(0, equals), equals < 0 ? "" : part.substring(equals + 1));
            }
        }
        json.writeEndArray();
    }

    private void pair(String name, String value) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", ByteText.of(name));
        json.writeStringField("value", ByteText.of(value));
        json.writeEndObject();
    }

    private void postData(HttpHead head, byte[] body) throws IOException {
        if (body.length == 0) {
            return;
        }
        String type = head.value("Content-Type");
        json.writeObjectFieldStart("postData");
        json.writeStringField("mimeType", type == null ? "" : ByteText.of(type));
        String text = ByteText.utf8(body);
        json.writeStringField("text", text != null ? text : Base64.getEncoder().encodeToString(body));
        if (text == null) {
            json.writeStringField("_encoding", "base64");
        }
        json.writeEndObject();
    }
}
