package dev.lockstep.measurement;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The fields of one JSON object while it is read. A wrong field is refused with the file, the field's place in it, what
 * was expected and what was found. JSON null and a missing field mean the same: absent.
 *
 * <p>Design note: documents are mapped by hand and not by annotations. The order of the fields, the refusal of unknown
 * ones and the messages are then ours, and the start of the command line does not pay for class introspection.
 */
final class JsonFields {
    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final DefaultPrettyPrinter PRINTER = new DefaultPrettyPrinter(Separators.createDefaultInstance()
                    .withObjectFieldValueSpacing(Spacing.AFTER)
                    .withObjectEmptySeparator("")
                    .withArrayEmptySeparator(""))
            .withObjectIndenter(new DefaultIndenter("  ", "\n"))
            .withArrayIndenter(new DefaultIndenter("  ", "\n"));

    private final String document;
    private final String path;
    private final JsonNode node;
    private final Set<String> known = new HashSet<>();

    private JsonFields(String document, String path, JsonNode node) {
        this.document = document;
        this.path = path;
        this.node = node;
    }

    /**
     * Parses a document that is one JSON object.
     *
     * @param document what to call it in messages: a path, or "plan"
     */
    static JsonFields parse(String document, String json) {
        JsonNode root;
        try {
            root = MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            String place = e.getLocation() == null
                    ? ""
                    : " at line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr();
            throw new MeasurementException(
                    document + ": expected JSON, found a mistake" + place + ": " + oneLine(e.getOriginalMessage()), e);
        }
        if (!root.isObject()) {
            throw new MeasurementException(document + ": expected a JSON object, found " + describe(root));
        }
        return new JsonFields(document, "", root);
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Returns the document as indented text that ends with a line feed. */
    static String print(ObjectNode root) {
        try {
            return MAPPER.writer(PRINTER).writeValueAsString(root) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values is always printable", e);
        }
    }

    static void put(ObjectNode object, String field, OptionalLong value) {
        value.ifPresent(number -> object.put(field, number));
    }

    static void put(ObjectNode object, String field, OptionalInt value) {
        value.ifPresent(number -> object.put(field, number));
    }

    static void put(ObjectNode object, String field, OptionalDouble value) {
        value.ifPresent(number -> object.put(field, number));
    }

    /** Puts a text unless it is null. */
    static void put(ObjectNode object, String field, String value) {
        if (value != null) {
            object.put(field, value);
        }
    }

    /** Puts an object unless the value is null. */
    static <T> void put(ObjectNode object, String field, T value, Function<T, ObjectNode> writer) {
        if (value != null) {
            object.set(field, writer.apply(value));
        }
    }

    /** Puts a list of objects unless there are none. */
    static <T> void putEach(ObjectNode object, String field, List<T> values, Function<T, ObjectNode> writer) {
        if (!values.isEmpty()) {
            ArrayNode array = object.putArray(field);
            values.forEach(value -> array.add(writer.apply(value)));
        }
    }

    static void put(ObjectNode object, String field, Collection<String> values) {
        values.forEach(object.putArray(field)::add);
    }

    static void putNumbers(ObjectNode object, String field, Collection<Integer> values) {
        values.forEach(object.putArray(field)::add);
    }

    /** Returns what the action returns; what it finds against a value is told with the document's name and place. */
    <T> T check(Supplier<T> action) {
        try {
            return action.get();
        } catch (IllegalArgumentException e) {
            throw new MeasurementException(document + ": " + (path.isEmpty() ? "" : path + ": ") + e.getMessage(), e);
        }
    }

    /** Refuses the object when it has a field that was not asked for. */
    void refuseUnknown() {
        Iterator<String> names = node.fieldNames();
        while (names.hasNext()) {
            String name = names.next();
            if (!known.contains(name)) {
                throw new MeasurementException(document + ": unknown field " + at(name)
                        + "; misspelt, or written by a newer version of Lockstep");
            }
        }
    }

    boolean has(String field) {
        return find(field) != null;
    }

    String text(String field) {
        String text = textOrNull(field);
        return text != null ? text : missing(field, "a text");
    }

    String textOrNull(String field) {
        JsonNode value = find(field);
        if (value == null) {
            return null;
        }
        return value.isTextual() ? value.textValue() : wrong(field, "a text", value);
    }

    /** Returns the text turned into a value by a function that refuses bad text with IllegalArgumentException. */
    <T> T parsed(String field, Function<String, T> parser) {
        String text = text(field);
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new MeasurementException(document + ": " + at(field) + ": " + e.getMessage(), e);
        }
    }

    long number(String field) {
        OptionalLong number = numberOrAbsent(field);
        return number.isPresent() ? number.getAsLong() : missing(field, "a whole number");
    }

    OptionalLong numberOrAbsent(String field) {
        JsonNode value = find(field);
        return value == null ? OptionalLong.empty() : OptionalLong.of(whole(field, value));
    }

    OptionalInt smallNumberOrAbsent(String field) {
        JsonNode value = find(field);
        return value == null ? OptionalInt.empty() : OptionalInt.of(small(field, value));
    }

    OptionalDouble decimalOrAbsent(String field) {
        return has(field) ? OptionalDouble.of(decimal(field)) : OptionalDouble.empty();
    }

    double decimal(String field) {
        JsonNode value = find(field);
        if (value == null) {
            return missing(field, "a number");
        }
        return value.isNumber() ? value.doubleValue() : wrong(field, "a number", value);
    }

    /** Returns a flag, false where it is absent. */
    boolean flag(String field) {
        JsonNode value = find(field);
        if (value == null) {
            return false;
        }
        return value.isBoolean() ? value.booleanValue() : wrong(field, "true or false", value);
    }

    /** Returns a list of texts, empty where it is absent. */
    List<String> texts(String field) {
        List<String> texts = new ArrayList<>();
        for (JsonNode value : array(field)) {
            texts.add(value.isTextual() ? value.textValue() : wrong(field, "a list of texts", value));
        }
        return texts;
    }

    List<Integer> numbers(String field) {
        List<Integer> numbers = new ArrayList<>();
        for (JsonNode value : array(field)) {
            numbers.add(small(field, value));
        }
        return numbers;
    }

    /** Returns the fields of an object of whole numbers, empty where it is absent. */
    Map<String, Long> counts(String field) {
        Map<String, Long> counts = new LinkedHashMap<>();
        JsonFields object = objectOrNull(field);
        if (object != null) {
            object.node.fieldNames().forEachRemaining(name -> counts.put(name, object.number(name)));
        }
        return counts;
    }

    /** Returns the names of all fields, in their order. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    JsonFields object(String field) {
        JsonFields object = objectOrNull(field);
        return object != null ? object : missing(field, "an object");
    }

    JsonFields objectOrNull(String field) {
        JsonNode value = find(field);
        if (value == null) {
            return null;
        }
        return value.isObject() ? new JsonFields(document, at(field), value) : wrong(field, "an object", value);
    }

    /** Returns what the reader makes of an object, null where it is absent. */
    <T> T objectOrNull(String field, Function<JsonFields, T> reader) {
        JsonFields object = objectOrNull(field);
        return object == null ? null : reader.apply(object);
    }

    /** Returns what the reader makes of each of a list of objects, empty where it is absent. */
    <T> List<T> objects(String field, Function<JsonFields, T> reader) {
        List<T> values = new ArrayList<>();
        objects(field).forEach(object -> values.add(reader.apply(object)));
        return values;
    }

    /** Returns a list of objects, empty where it is absent. */
    List<JsonFields> objects(String field) {
        List<JsonFields> objects = new ArrayList<>();
        for (JsonNode value : array(field)) {
            if (!value.isObject()) {
                wrong(field, "a list of objects", value);
            }
            objects.add(new JsonFields(document, at(field) + "[" + objects.size() + "]", value));
        }
        return objects;
    }

    private Iterable<JsonNode> array(String field) {
        JsonNode value = find(field);
        if (value == null) {
            return List.of();
        }
        return value.isArray() ? value : wrong(field, "a list", value);
    }

    private long whole(String field, JsonNode value) {
        return value.isIntegralNumber() && value.canConvertToLong()
                ? value.longValue()
                : wrong(field, "a whole number", value);
    }

    private int small(String field, JsonNode value) {
        return value.isIntegralNumber() && value.canConvertToInt()
                ? value.intValue()
                : wrong(field, "a whole number up to " + Integer.MAX_VALUE, value);
    }

    private JsonNode find(String field) {
        known.add(field);
        JsonNode value = node.get(field);
        return value == null || value.isNull() ? null : value;
    }

    private String at(String field) {
        return path.isEmpty() ? field : path + "." + field;
    }

    private <T> T missing(String field, String expected) {
        throw new MeasurementException(document + ": " + at(field) + ": expected " + expected + ", found nothing");
    }

    private <T> T wrong(String field, String expected, JsonNode found) {
        throw new MeasurementException(
                document + ": " + at(field) + ": expected " + expected + ", found " + describe(found));
    }

    private static String describe(JsonNode node) {
        String text = oneLine(node.toString());
        return node.isMissingNode() ? "nothing" : text.length() <= 40 ? text : text.substring(0, 37) + "...";
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
