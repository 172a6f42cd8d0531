package dev.lockstep.cli.replay;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import dev.lockstep.results.RunPlan;
import dev.lockstep.run.RequestCensus;
import dev.lockstep.run.WriteGuard;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;

/** Says as JSON what a run would send where and when: its plan, and which requests there are. */
final class DryRunJson {
    private static final JsonFactory FACTORY = new JsonFactory();

    private DryRunJson() {}

    /** Returns one object, with the end of its last line; docs/results.md describes it. */
    static String of(RunPlan plan, RequestCensus census, WriteGuard guard) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter(
                            Separators.createDefaultInstance().withObjectFieldValueSpacing(Spacing.AFTER))
                    .withObjectIndenter(new DefaultIndenter("  ", "\n"))
                    .withArrayIndenter(new DefaultIndenter("  ", "\n")));
            json.writeStartObject();
            json.writeFieldName("plan");
            try (JsonParser document = FACTORY.createParser(plan.toJson())) {
                document.nextToken();
                json.copyCurrentStructure(document);
            }
            census(json, census);
            guard(json, guard.refusal(census), plan.allowWrites());
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes all that is written to it", e);
        }
        return text.append('\n').toString();
    }

    private static void census(JsonGenerator json, RequestCensus census) throws IOException {
        json.writeObjectFieldStart("census");
        json.writeNumberField("requests", census.requests());
        map(json, "protocols", census.protocols());
        map(json, "methods", census.methods());
        map(json, "hosts", census.hosts());
        map(json, "changing", census.changing());
        json.writeNumberField("opaqueBytes", census.opaqueBytes());
        json.writeEndObject();
    }

    private static void map(JsonGenerator json, String name, Map<String, Long> counts) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, Long> entry : counts.entrySet()) {
            json.writeNumberField(entry.getKey(), entry.getValue());
        }
        json.writeEndObject();
    }

    private static void guard(JsonGenerator json, Optional<String> refusal, boolean allowed) throws IOException {
        json.writeObjectFieldStart("guard");
        json.writeBooleanField("refused", refusal.isPresent() && !allowed);
        if (refusal.isPresent()) {
            json.writeStringField("reason", refusal.get());
        }
        json.writeEndObject();
    }
}
