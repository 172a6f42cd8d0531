package dev.lockstep.conversion.imports;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.lockstep.conversion.Limits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads small values of JSON files as maps, lists, strings, numbers as strings, and booleans. */
final class JsonText {
    /** What is not read may be nested so deeply. */
    private static final int MOST_PASSED_OVER = 10_000;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MOST_PASSED_OVER)
                    .maxStringLength(2 * Limits.REQUEST_BYTES)
                    .build())
            .build();

    private static final long MAX_VALUE_BYTES = 2L * Limits.REQUEST_BYTES;

    private JsonText() {}

    static JsonFactory factory() {
        return FACTORY;
    }

    /**
     * Reads the value at the token of the parser, which is left at the value's end; what is nested deeper than
     * {@link Limits#DEPTH} in it is null.
     *
     * @throws JsonParseException when the text is no JSON, or the value is longer than an entry may be
     */
    static Object read(JsonParser parser) throws IOException {
        return read(parser, parser.currentLocation().getByteOffset(), 0);
    }

    private static Object read(JsonParser parser, long from, int depth) throws IOException {
        JsonToken token = parser.currentToken();
        if (depth == Limits.DEPTH) {
            parser.skipChildren();
            return token != null && token.isScalarValue() ? parser.getText() : null;
        }
        if (token == JsonToken.START_OBJECT) {
            Map<String, Object> object = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                object.put(name, read(parser, from, depth + 1));
            }
            return object;
        }
        if (token == JsonToken.START_ARRAY) {
            List<Object> list = new ArrayList<>();
            while (parser.nextToken() != null && parser.currentToken() != JsonToken.END_ARRAY) {
                list.add(read(parser, from, depth + 1));
            }
            return list;
        }
        if (parser.currentLocation().getByteOffset() - from > MAX_VALUE_BYTES) {
            throw new JsonParseException(parser, "the value is longer than " + MAX_VALUE_BYTES + " bytes");
        }
        if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
            return token == JsonToken.VALUE_TRUE;
        }
        return token == null || token == JsonToken.VALUE_NULL ? null : parser.getText();
    }

    /** An object's fields, none when it is no object. */
    static Map<?, ?> object(Object value) {
        return value instanceof Map ? (Map<?, ?>) value : Map.of();
    }

    /** A list's elements, none when it is no list. */
    static List<?> list(Object value) {
        return value instanceof List ? (List<?>) value : List.of();
    }

    /** A string or number as text, or null when it is something else. */
    static String text(Object value) {
        return value instanceof String ? (String) value : null;
    }
}
