package dev.lockstep.inspection;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Writes what a page about a capture is drawn of as JSON, in ASCII: what there is for programs, in words, and over
 * time.
 */
public final class InspectionView {
    private static final double NS_PER_SEC = 1e9;
    /** Of the axis of sizes: so many steps each time the distance to 100 % halves. */
    private static final int STEPS = 5;

    private static final JsonFactory FACTORY =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private InspectionView() {}

    /** Returns one object. Recorded text in it has a character per byte. */
    public static String of(InspectionReport report) {
        StringWriter text = new StringWriter();
        StringWriter document = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            InspectionJson.write(report, document);
            json.writeStartObject();
            json.writeFieldName("report");
            json.writeRawValue(document.toString());
            json.writeStringField("size", InspectionText.size(report));
            json.writeStringField("span", InspectionText.span(report));
            json.writeStringField("file", InspectionText.file(report));
            lines(json, "missing", InspectionText.missing(report));
            json.writeObjectFieldStart("facts");
            for (Map.Entry<String, String> fact : InspectionText.facts(report).entrySet()) {
                json.writeStringField(fact.getKey(), fact.getValue());
            }
            json.writeEndObject();
            timeline(report, json);
            sizes(report, json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("a string takes all text", e);
        }
        return text.toString();
    }

    private static void lines(JsonGenerator json, String name, List<String> lines) throws IOException {
        json.writeArrayFieldStart(name);
        for (String line : lines) {
            json.writeString(line);
        }
        json.writeEndArray();
    }

    private static void timeline(InspectionReport report, JsonGenerator json) throws IOException {
        CaptureTimeline timeline = report.timeline;
        long widthNs = timeline.columnNs(report.durationNs());
        long fromNs = report.firstNs() / widthNs * widthNs;
        int columns = (int) ((report.firstNs() + report.durationNs() - fromNs) / widthNs) + 1;
        double seconds = widthNs / NS_PER_SEC;
        json.writeObjectFieldStart("timeline");
        json.writeNumberField("columnNs", widthNs);
        columns(json, "t", columns, i -> (fromNs + (i + 0.5) * widthNs) / NS_PER_SEC);
        columns(json, "requestsPerSec", columns, i -> in(timeline.requests, fromNs, widthNs, i) / seconds);
        columns(json, "openedPerSec", columns, i -> in(timeline.opened, fromNs, widthNs, i) / seconds);
        columns(
                json,
                "open",
                columns,
                i -> timeline.opened.before(fromNs + (i + 1) * widthNs)
                        - timeline.closed.before(fromNs + (i + 1) * widthNs));
        json.writeNumberField("every", timeline.every());
        json.writeArrayFieldStart("connections");
        for (ConnectionFacts connection : timeline.connections()) {
            InspectionJson.write(connection, json);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static long in(TimeBins bins, long fromNs, long widthNs, long column) {
        return bins.before(fromNs + (column + 1) * widthNs) - bins.before(fromNs + column * widthNs);
    }

    private static void columns(JsonGenerator json, String name, int columns, ToDoubleFunction<Long> value)
            throws IOException {
        json.writeArrayFieldStart(name);
        for (long i = 0; i < columns; i++) {
            json.writeNumber(Math.round(1e6 * value.applyAsDouble(i)) / 1e6);
        }
        json.writeEndArray();
    }

    /** Writes the sizes below which shares of the requests are; x is 1 / (1 - share). */
    private static void sizes(InspectionReport report, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("sizes");
        if (report.requests > 0) {
            for (HistogramIterationValue size : report.sizes().percentiles(STEPS)) {
                double above = 1 - size.getPercentileLevelIteratedTo() / 100;
                json.writeStartArray();
                // The last one is the largest, at 100 %: drawn where one more request would be.
                json.writeNumber(above > 0 ? 1 / above : Math.max(2, report.requests));
                json.writeNumber(Math.min(size.getValueIteratedTo(), report.largestSize()));
                json.writeEndArray();
            }
        }
        json.writeEndArray();
    }
}
