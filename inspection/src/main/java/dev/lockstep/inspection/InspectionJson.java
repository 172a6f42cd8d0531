package dev.lockstep.inspection;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.lockstep.capture.CaptureInfo;
import java.io.IOException;
import java.io.Writer;
import java.util.Map;

/** Writes what is in captures as JSON, in ASCII: text of recorded bytes has a character per byte. */
public final class InspectionJson {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .build();

    private InspectionJson() {}

    /** Writes a report as one object with a line for each field. */
    public static void write(InspectionReport report, Writer out) throws IOException {
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
            DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
            printer.indentObjectsWith(indenter);
            json.setPrettyPrinter(printer);
            json.writeStartObject();
            counts(report, json);
            names(report, json);
            sizes(report, json);
            losses(report, json);
            file(report, json);
            json.writeEndObject();
        }
        out.write('\n');
        out.flush();
    }

    private static void counts(InspectionReport report, JsonGenerator json) throws IOException {
        json.writeStringField("file", report.path.toString());
        json.writeNumberField("requests", report.requests);
        json.writeNumberField("http2Requests", report.http2Requests);
        json.writeNumberField("connections", report.connections);
        json.writeNumberField("bytes", report.bytes);
        json.writeNumberField("durationNs", report.durationNs());
    }

    private static void names(InspectionReport report, JsonGenerator json) throws IOException {
        map(json, "protocols", report.protocols());
        map(json, "protocolConnections", report.protocolConnections());
        int top = report.options.top;
        names(json, "httpVersions", report.httpVersions, Integer.MAX_VALUE);
        names(json, "methods", report.methods, Integer.MAX_VALUE);
        names(json, "thriftMethods", report.thriftMethods, Integer.MAX_VALUE);
        names(json, "pathTemplates", report.pathTemplates, top);
        names(json, "paths", report.paths, top);
        json.writeNumberField("differentPaths", report.paths.size());
        names(json, "hosts", report.hosts, top);
        names(json, "clients", report.clients, top);
        names(json, "servers", report.servers, top);
        names(json, "clientConnections", report.clientConnections, top);
        names(json, "serverConnections", report.serverConnections, top);
        json.writeObjectFieldStart("tooLowBy");
        tooLowBy(json, "methods", report.methods);
        tooLowBy(json, "thriftMethods", report.thriftMethods);
        tooLowBy(json, "pathTemplates", report.pathTemplates);
        tooLowBy(json, "paths", report.paths);
        tooLowBy(json, "hosts", report.hosts);
        tooLowBy(json, "clients", report.clients);
        tooLowBy(json, "servers", report.servers);
        tooLowBy(json, "clientConnections", report.clientConnections);
        tooLowBy(json, "serverConnections", report.serverConnections);
        json.writeEndObject();
    }

    private static void names(JsonGenerator json, String name, NameCounts counts, int top) throws IOException {
        map(json, name, counts.top(top));
    }

    private static void tooLowBy(JsonGenerator json, String name, NameCounts counts) throws IOException {
        if (counts.tooLowBy() > 0) {
            json.writeNumberField(name, counts.tooLowBy());
        }
    }

    private static void sizes(InspectionReport report, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("requestBytes");
        json.writeNumberField("min", report.smallestSize());
        json.writeNumberField("mean", report.meanSize());
        json.writeNumberField("p50", report.sizeAtPercentile(50));
        json.writeNumberField("p90", report.sizeAtPercentile(90));
        json.writeNumberField("p99", report.sizeAtPercentile(99));
        json.writeNumberField("max", report.largestSize());
        json.writeEndObject();
        rate(report.times, json);
        json.writeArrayFieldStart("head");
        for (RequestLine line : report.head) {
            json.writeStartObject();
            json.writeNumberField("timeNs", line.timeNs);
            json.writeNumberField("connection", line.connection.id);
            json.writeStringField("protocol", line.protocol.label());
            json.writeStringField("method", line.facts.method());
            json.writeStringField("target", line.facts.target());
            json.writeStringField("host", line.facts.host());
            json.writeNumberField("bytes", line.bytes);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("largestConnections");
        for (ConnectionFacts connection : report.largestConnections()) {
            write(connection, json);
        }
        json.writeEndArray();
    }

    private static void rate(RequestTimes times, JsonGenerator json) throws IOException {
        RequestTimes.Rates rates = times.rates();
        json.writeObjectFieldStart("rate");
        json.writeNumberField("columnNs", rates.columnNs);
        json.writeArrayFieldStart("requestsPerSec");
        for (double rate : rates.perSec) {
            json.writeNumber(rate);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("cutOut");
        for (RequestTimes.Pause pause : rates.pauses) {
            json.writeStartObject();
            json.writeNumberField("beforeColumn", pause.beforeColumn);
            json.writeNumberField("fromNs", pause.fromNs);
            json.writeNumberField("toNs", pause.toNs);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeObjectFieldStart("busiestSecond");
        json.writeNumberField("requests", times.busiestCount);
        json.writeNumberField("fromNs", times.busiestNs);
        json.writeEndObject();
        json.writeObjectFieldStart("longestPause");
        json.writeNumberField("ns", times.longestPauseNs);
        json.writeNumberField("fromNs", times.longestPauseFromNs);
        json.writeEndObject();
    }

    private static void losses(InspectionReport report, JsonGenerator json) throws IOException {
        CaptureInfo info = report.info;
        json.writeObjectFieldStart("lost");
        json.writeBooleanField("known", info.lossesKnown());
        json.writeNumberField("connections", info.lostConnections());
        json.writeNumberField("requests", info.lostRequests());
        json.writeNumberField("bytes", info.lostBytes());
        json.writeNumberField("packets", info.missedPackets());
        json.writeEndObject();
        json.writeObjectFieldStart("gaps");
        json.writeNumberField("count", report.gaps);
        json.writeNumberField("bytes", report.gapBytes);
        json.writeEndObject();
        json.writeObjectFieldStart("opaque");
        json.writeNumberField("connections", report.opaqueConnections);
        json.writeNumberField("bytes", report.opaqueBytes);
        json.writeEndObject();
        json.writeNumberField("incompleteRequests", report.incompleteRequests);
        json.writeNumberField("unansweredRequests", report.unansweredRequests);
        json.writeObjectFieldStart("answers");
        json.writeNumberField("known", report.answers.known());
        map(json, "byStatus", report.answers.byStatus());
        json.writeEndObject();
        json.writeNumberField("pipelinedRequests", report.pipelinedRequests);
        json.writeNumberField("alreadyOpenConnections", report.alreadyOpenConnections);
        json.writeNumberField("openConnections", report.openConnections);
        json.writeObjectFieldStart("openAtOnce");
        json.writeNumberField("connections", report.mostOpenConnections);
        json.writeNumberField("atNs", report.mostOpenNs);
        json.writeEndObject();
    }

    private static void file(InspectionReport report, JsonGenerator json) throws IOException {
        CaptureInfo info = report.info;
        json.writeObjectFieldStart("redacted");
        json.writeNumberField("values", info.redactedValues());
        json.writeNumberField("records", info.redactedRecords());
        json.writeStringField("policy", info.redaction());
        json.writeObjectFieldStart("unsearched");
        json.writeNumberField("connections", info.unsearchedConnections());
        json.writeNumberField("keptBytes", info.unsearchedKeptBytes());
        json.writeNumberField("leftOutBytes", info.unsearchedLeftOutBytes());
        json.writeNumberField("bodies", info.unsearchedBodies());
        json.writeEndObject();
        json.writeEndObject();
        json.writeObjectFieldStart("capture");
        json.writeStringField("id", info.id().toString());
        json.writeStringField("format", info.formatVersion());
        json.writeStringField("startedAt", info.startedAt().toString());
        json.writeStringField("endedAt", report.endedAt().toString());
        json.writeStringField("tool", info.toolVersion());
        json.writeStringField("host", info.host());
        json.writeStringField("listen", info.listen());
        json.writeStringField("upstream", info.upstream());
        json.writeStringField("filters", info.filters());
        json.writeStringField("sampling", info.sampling());
        json.writeStringField("comment", info.comment());
        json.writeStringField("keyId", info.keyId());
        json.writeBooleanField("compressed", info.compressed());
        json.writeNumberField("segments", info.segments());
        json.writeNumberField("fileBytes", info.fileBytes());
        json.writeNumberField("records", info.records());
        json.writeNumberField("dataBytes", info.dataBytes());
        json.writeBooleanField("closedProperly", info.closedProperly());
        json.writeStringField("endedEarly", info.endedEarly());
        json.writeNumberField("appends", info.appends());
        json.writeNumberField("repairedBytes", info.repairedBytes());
        json.writeNumberField("cutBytes", info.cutBytes());
        json.writeStringField("damage", report.damage());
        json.writeEndObject();
    }

    private static void map(JsonGenerator json, String name, Map<String, Long> counts) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, Long> entry : counts.entrySet()) {
            json.writeNumberField(entry.getKey(), entry.getValue());
        }
        json.writeEndObject();
    }

    /** Writes a connection as an object on one line, without a line end. */
    public static void write(ConnectionFacts connection, Writer out) throws IOException {
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            json.setPrettyPrinter(new MinimalPrettyPrinter());
            write(connection, json);
        }
    }

    static void write(ConnectionFacts connection, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("id", connection.id);
        json.writeStringField("client", connection.client());
        json.writeStringField("server", connection.server());
        json.writeStringField("protocol", connection.protocol.label());
        json.writeNumberField("requests", connection.requests);
        json.writeNumberField("bytes", connection.bytes);
        json.writeStringField("sha256", connection.sha256);
        json.writeNumberField("gaps", connection.gaps);
        json.writeNumberField("gapBytes", connection.gapBytes);
        json.writeNumberField("openedNs", connection.openedNs);
        json.writeNumberField("closedNs", connection.lastNs);
        json.writeStringField("closeReason", connection.printedCloseReason());
        json.writeBooleanField("alreadyOpen", connection.alreadyOpen());
        json.writeNumberField("incompleteRequests", connection.incompleteRequests);
        json.writeNumberField("opaqueBytes", connection.opaqueBytes);
        json.writeStringField("tlsServerName", connection.tlsServerName());
        json.writeStringField("alpn", connection.alpn());
        json.writeEndObject();
    }
}
