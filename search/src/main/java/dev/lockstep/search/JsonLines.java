package dev.lockstep.search;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Space;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * JSON objects of a line each, as journals have them and programs speak them. What is wrong in one is an
 * IllegalArgumentException of one line with the field, what was expected and what was found.
 */
final class JsonLines {
    private static final int MOST_SHOWN = 200;
    private static final String NO_REASON = "it does not say why";

    /** Numbers that JSON does not have, which libraries of Java and .NET write as texts. */
    private static final Map<String, Double> NOT_FINITE =
            Map.of("NaN", Double.NaN, "Infinity", Double.POSITIVE_INFINITY, "-Infinity", Double.NEGATIVE_INFINITY);

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            // As Python writes it; told for what it is.
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private JsonLines() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Returns an object of this one field. */
    static ObjectNode object(String field, ObjectNode value) {
        return object().set(field, value);
    }

    /** Returns the line of an object, without its end. */
    static String print(ObjectNode object) {
        return object.toString();
    }

    /** Returns an object as people read it, indented, with its end. */
    static String printIndented(ObjectNode object) {
        return object.toPrettyString() + "\n";
    }

    /** Whether a text is a whole object. */
    static boolean isObject(String text) {
        try {
            return MAPPER.readTree(text).isObject();
        } catch (JsonProcessingException e) {
            return false;
        }
    }

    /** Whether a text is an object up to where it ends, and goes on. */
    static boolean isCut(String text) {
        try {
            MAPPER.readTree(text);
            return false;
        } catch (JsonEOFException e) {
            return text.strip().startsWith("{");
        } catch (JsonProcessingException e) {
            return false;
        }
    }

    static ObjectNode parse(String line) {
        JsonNode node;
        try {
            node = MAPPER.readTree(line);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("expected a JSON object, found " + shown(line) + mistake(line, e));
        }
        if (!node.isObject()) {
            throw new IllegalArgumentException("expected a JSON object, found " + shown(line));
        }
        return (ObjectNode) node;
    }

    /** Returns what keeps a text that begins as an object from being one, as a clause. */
    private static String mistake(String line, JsonProcessingException e) {
        return !line.startsWith("{") || e.getLocation() == null
                ? ""
                : e instanceof JsonEOFException
                        ? ", which does not end on this line"
                        : ", with a mistake at column " + e.getLocation().getColumnNr();
    }

    static String shown(String line) {
        return line.isBlank() ? "an empty line" : "'" + beginning(line) + "'";
    }

    /** Returns a text, or of a long one where it begins. */
    static String beginning(String text) {
        return text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "..." : text;
    }

    // ---- values -------------------------------------------------------------------------------------------------

    static JsonNode node(Object value) {
        return MAPPER.valueToTree(value);
    }

    static void put(ObjectNode object, String field, Object value) {
        object.set(field, node(value));
    }

    static ObjectNode values(Map<String, ?> values) {
        ObjectNode object = object();
        values.forEach((name, value) -> put(object, name, value));
        return object;
    }

    /** Returns the numbers, booleans and texts of an object. */
    static Map<String, Object> values(ObjectNode object, String field) {
        JsonNode node = object.path(field);
        if (!node.isObject()) {
            throw new IllegalArgumentException(field + ": expected an object, found " + describe(node));
        }
        Map<String, Object> values = new LinkedHashMap<>();
        node.properties().forEach(entry -> {
            JsonNode value = entry.getValue();
            if (!value.isNumber() && !value.isBoolean() && !value.isTextual()) {
                throw new IllegalArgumentException(field + ": " + entry.getKey()
                        + ": expected a number, a boolean or a text, found " + describe(value));
            }
            values.put(
                    entry.getKey(),
                    value.isNumber()
                            ? value.numberValue()
                            : value.isBoolean() ? value.booleanValue() : value.textValue());
        });
        return values;
    }

    static Configuration configuration(Space space, ObjectNode object) {
        try {
            return space.configuration(values(object, "parameters"));
        } catch (IllegalArgumentException e) {
            String message = e.getMessage();
            throw new IllegalArgumentException(message.startsWith("parameters: ") ? message : "parameters: " + message);
        }
    }

    static int trial(ObjectNode object) {
        JsonNode node = object.path("trial");
        boolean isWhole = node.isNumber() && node.doubleValue() == node.intValue();
        if (!isWhole || node.intValue() < 1) {
            throw new IllegalArgumentException("trial: expected a whole number from 1, found " + describe(node));
        }
        return node.intValue();
    }

    static String text(ObjectNode object, String field) {
        JsonNode node = object.path(field);
        if (!node.isTextual()) {
            throw new IllegalArgumentException(field + ": expected a text, found " + describe(node));
        }
        return node.textValue();
    }

    /** Returns a text; absent where it is null. */
    static Optional<String> optionalText(ObjectNode object, String field) {
        return object.hasNonNull(field) ? Optional.of(text(object, field)) : Optional.empty();
    }

    /** Returns a number; absent where it is null, or none as 0 / 0 is none. */
    static OptionalDouble number(ObjectNode object, String field) {
        JsonNode node = unquoted(object.path(field));
        if (node.isMissingNode() || node.isNull()) {
            return OptionalDouble.empty();
        }
        if (!node.isNumber()) {
            throw new IllegalArgumentException(field + ": expected a number, found " + describe(node));
        }
        double number = node.doubleValue();
        if (field.startsWith("variance") && number == Double.POSITIVE_INFINITY) {
            // A value of which nothing is known, not one that is exact.
            return OptionalDouble.of(Double.MAX_VALUE);
        }
        return Double.isFinite(number) ? OptionalDouble.of(number) : OptionalDouble.empty();
    }

    private static JsonNode unquoted(JsonNode node) {
        return node.isTextual() && NOT_FINITE.containsKey(node.textValue())
                ? DoubleNode.valueOf(NOT_FINITE.get(node.textValue()))
                : node;
    }

    static String describe(JsonNode node) {
        return node.isMissingNode() || node.isNull()
                ? "nothing"
                : node.isObject() ? "an object" : node.isArray() ? "a list" : shown(node.toString());
    }

    // ---- observations -------------------------------------------------------------------------------------------

    static void put(ObjectNode object, Observation observation) {
        if (observation.secondValue().isPresent()) {
            putBoth(object, "values", observation.value(), observation.secondValue());
            putBoth(object, "variances", observation.variance(), observation.secondVariance());
        } else {
            observation.value().ifPresent(value -> object.put("value", value));
            observation.variance().ifPresent(variance -> object.put("variance", variance));
        }
        if (!observation.constraints().isEmpty()) {
            object.set("constraints", values(observation.constraints()));
        }
        observation.failed().ifPresent(why -> object.put("failed", why));
        observation.skipped().ifPresent(why -> object.put("skipped", why));
    }

    /** Puts a list of two numbers, null for one that is not known; nothing where neither is. */
    static void putBoth(ObjectNode object, String field, OptionalDouble first, OptionalDouble second) {
        if (first.isPresent() || second.isPresent()) {
            ArrayNode both = object.putArray(field);
            List.of(first, second).forEach(one -> one.ifPresentOrElse(both::add, both::addNull));
        }
    }

    /** Returns a list of so many numbers or nulls; empty where the field is not there. */
    private static List<OptionalDouble> numbers(ObjectNode object, String field, int count) {
        if (!object.hasNonNull(field)) {
            return List.of();
        }
        JsonNode node = object.get(field);
        if (!node.isArray() || node.size() != count) {
            throw new IllegalArgumentException(field + ": expected a list of " + count
                    + (count == 1 ? " number" : " numbers") + ", one for each objective, found "
                    + (node.isArray() ? "one of " + node.size() : describe(node)));
        }
        List<OptionalDouble> numbers = new ArrayList<>();
        for (JsonNode one : node) {
            numbers.add(number(object().set(field, one), field));
        }
        return numbers;
    }

    private static void addValues(ObjectNode object, Space space, Observation.Builder observation) {
        int objectives = space.secondDirection().isPresent() ? 2 : 1;
        List<OptionalDouble> values = numbers(object, "values", objectives);
        List<OptionalDouble> variances = numbers(object, "variances", objectives);
        OptionalDouble value = number(object, "value");
        OptionalDouble variance = number(object, "variance");
        if (objectives == 2 && (value.isPresent() || variance.isPresent())) {
            throw new IllegalArgumentException("value: expected values and variances, which are lists of two, for there"
                    + " are two objectives, found one number");
        }
        if (value.isPresent() && !values.isEmpty() || variance.isPresent() && !variances.isEmpty()) {
            throw new IllegalArgumentException("values: expected value or values, found both");
        }
        if (value.isEmpty() && values.isEmpty()) {
            List<String> found = new ArrayList<>();
            object.fieldNames().forEachRemaining(found::add);
            throw new IllegalArgumentException("expected " + (objectives == 2 ? "values" : "value")
                    + ", failed or skipped, found " + String.join(", ", found));
        }
        value.ifPresent(observation::value);
        variance.ifPresent(observation::variance);
        if (!values.isEmpty()) {
            observation.value(values.get(0));
        }
        if (!variances.isEmpty()) {
            observation.variance(variances.get(0));
        }
        if (values.size() > 1) {
            observation.secondValue(values.get(1));
        }
        if (variances.size() > 1) {
            observation.secondVariance(variances.get(1));
        }
    }

    /** Returns what an object tells of a trial; what it has besides is no concern of the search. */
    static Observation observation(ObjectNode object, Space space) {
        Optional<String> failed = reason(object, "failed");
        Optional<String> skipped = reason(object, "skipped");
        if (failed.isPresent() || skipped.isPresent()) {
            // Whatever stands beside it was not measured to its end.
            return failed.map(Observation::failed).orElseGet(() -> Observation.skipped(skipped.get()));
        }
        if (object.path("failed").isTextual() && !object.hasNonNull("value") && !object.hasNonNull("values")) {
            // As of an exception without a message.
            return Observation.failed(NO_REASON);
        }
        Optional<String> unusable = unusable(object);
        if (unusable.isPresent()) {
            return Observation.failed(unusable.get());
        }
        Observation.Builder observation = Observation.builder();
        addValues(object, space, observation);
        addConstraints(object, space, observation);
        return observation.build();
    }

    /** Returns why something failed or was skipped; absent where it did not. */
    private static Optional<String> reason(ObjectNode object, String field) {
        JsonNode node = object.path(field);
        if (node.isBoolean()) {
            return node.booleanValue() ? Optional.of(NO_REASON) : Optional.empty();
        }
        boolean isBlank = node.isTextual() && node.textValue().isBlank();
        return isBlank ? Optional.empty() : optionalText(object, field);
    }

    /** Returns why a value is none: it is NaN or infinite, or null, which JavaScript writes for these. */
    private static Optional<String> unusable(ObjectNode object) {
        JsonNode value = object.path("value");
        JsonNode values = object.path("values");
        List<JsonNode> all = new ArrayList<>();
        values.forEach(all::add);
        if (!value.isMissingNode() && (values.isMissingNode() || !value.isNull())) {
            all.add(value);
        }
        return all.stream()
                .map(JsonLines::unquoted)
                .filter(one -> one.isNull() || one.isNumber() && !Double.isFinite(one.doubleValue()))
                .findFirst()
                .map(one -> "its value is " + (one.isNull() ? "null" : String.valueOf(one.doubleValue())));
    }

    /** Adds what was measured of constraints, but not what is null or NaN, and none where the space names none. */
    private static void addConstraints(ObjectNode object, Space space, Observation.Builder observation) {
        if (space.constraints().isEmpty() || !object.hasNonNull("constraints")) {
            return;
        }
        JsonNode node = object.get("constraints");
        if (!node.isObject()) {
            throw new IllegalArgumentException("constraints: expected an object, found " + describe(node));
        }
        node.properties().forEach(entry -> {
            String name = entry.getKey();
            JsonNode value = unquoted(entry.getValue());
            if (!space.constraints().contains(name)) {
                throw new IllegalArgumentException("constraints: unknown constraint '" + name + "'; known are "
                        + String.join(", ", space.constraints()));
            }
            if (!value.isNull() && !value.isNumber()) {
                throw new IllegalArgumentException(
                        "constraints: " + name + ": expected a number, found " + describe(value));
            }
            double measured = value.isNull() ? Double.NaN : value.doubleValue();
            if (!Double.isNaN(measured)) {
                // An infinite one is violated, or kept, by as much as can be said.
                observation.putConstraints(name, Math.max(-Double.MAX_VALUE, Math.min(Double.MAX_VALUE, measured)));
            }
        });
    }
}
