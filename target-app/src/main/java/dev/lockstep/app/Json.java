package dev.lockstep.app;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Writes JSON in one form: fields in the order written, no white space, UTF-8. Equal content therefore gives equal
 * bytes on every JVM. Stateless; any thread.
 */
final class Json {
    /** Does not intern, which would keep the field names of foreign bodies, and bounds the nesting that it skips. */
    static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(64).build())
            .build();

    private Json() {}

    interface Content {
        void writeTo(JsonGenerator json) throws IOException;
    }

    /** {@code fields} writes what is between the braces. */
    static byte[] object(int expectedBytes, Content fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(expectedBytes);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            fields.writeTo(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    /** {@code {"error":message}} */
    static byte[] error(String message) {
        return object(128, json -> json.writeStringField("error", message));
    }
}
