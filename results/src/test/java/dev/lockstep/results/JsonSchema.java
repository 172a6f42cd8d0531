package dev.lockstep.results;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.results.json.Json;
import dev.lockstep.results.json.TestingJson;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The JSON Schema (2020-12) of a type of results: its fields as Jackson writes them, described by their Javadoc.
 *
 * <p>A field is required if it is in every document of the format's version, so that those of earlier versions of
 * Lockstep are valid too. Fields that the schema does not know are allowed in a result, which newer versions add to,
 * and not in a plan, whose readers refuse them.
 *
 * <p>Design note: general generators read fields and getters. Here Jackson's mapper decides what is written: generated
 * classes, groups of fields, values written by hand. So the mapper is asked.
 */
final class JsonSchema {
    private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Of the groups that are there as a whole or not at all, the field that says which. */
    private static final Map<Class<?>, String> FIRST =
            Map.of(LoadFigures.class, "sent", LaunchResult.Figures.class, "completed");

    /** Those that earlier versions did not write. */
    private static final Set<String> LATER = Set.of("Verdict.question", "FleetCost.metric", "FullLoad.codeReplaced");

    private final JsonTypes types = new JsonTypes();
    private final SourceComments comments;
    private final boolean closed;
    private final ObjectNode definitions = NODES.objectNode();
    private final Deque<Class<?>> waiting = new ArrayDeque<>();
    private final Set<Class<?>> known = new HashSet<>();
    private final Map<String, String> ofTargets = new HashMap<>();

    private JsonSchema(SourceComments comments, boolean closed) {
        this.comments = comments;
        this.closed = closed;
    }

    /**
     * Returns the schema of a document.
     *
     * @param closed whether a field that the schema does not know is refused everywhere
     */
    static ObjectNode of(Class<?> type, String document, SourceComments comments, boolean closed) {
        JsonSchema schema = new JsonSchema(comments, closed);
        ObjectNode root = NODES.objectNode();
        root.put("$schema", DIALECT)
                .put("$id", "urn:lockstep:" + document + ":1")
                .put("title", document)
                .put("description", "Made by JsonSchemaTest from the types of the module results and their Javadoc.");
        // For what launches and intervals have as their targets do.
        schema.object(TargetResult.class);
        schema.definitions.removeAll();
        schema.waiting.clear();
        schema.known.clear();
        root.setAll(schema.object(type));
        while (!schema.waiting.isEmpty()) {
            Class<?> next = schema.waiting.remove();
            schema.definitions.set(name(next), next == Percentiles.class ? schema.percentiles() : schema.object(next));
        }
        root.set("$defs", schema.definitions);
        return root;
    }

    private ObjectNode object(Class<?> type) {
        ObjectNode object = NODES.objectNode().put("type", "object");
        ObjectNode properties = NODES.objectNode();
        List<String> required = new ArrayList<>();
        ObjectNode together = NODES.objectNode();
        fields(type, properties, required, together);
        object.set("properties", properties);
        object.set("required", texts(required));
        if (!together.isEmpty()) {
            object.set("dependentRequired", together);
        }
        if (closed || isStrict(type)) {
            object.put("additionalProperties", false);
        }
        if (type == TargetResult.class) {
            properties
                    .properties()
                    .forEach(field -> ofTargets.putIfAbsent(
                            field.getKey(), field.getValue().path("description").asText()));
        }
        return object;
    }

    private void fields(Class<?> type, ObjectNode properties, List<String> required, ObjectNode together) {
        for (BeanPropertyDefinition field : types.fields(type)) {
            JavaType value = field.getPrimaryType();
            Class<?> raw = value.getRawClass();
            String name = field.getName();
            if (!types.isGroup(field)) {
                properties.set(
                        name,
                        described(
                                value(name, value),
                                type,
                                field.getPrimaryMember().getName(),
                                name));
                if (!JsonTypes.isOptional(field) && !LATER.contains(type.getSimpleName() + "." + name)) {
                    required.add(name);
                }
            } else if (raw == Costs.class) {
                costs(properties);
            } else if (raw == LoadCounts.class) {
                counts(properties, required);
            } else if (FIRST.containsKey(raw)) {
                List<String> all = new ArrayList<>();
                fields(raw, properties, all, together);
                all.remove(FIRST.get(raw));
                together.set(FIRST.get(raw), texts(all));
            } else {
                fields(raw, properties, required, together);
            }
        }
    }

    /** {@link Costs} are written by hand, each by its name. */
    private void costs(ObjectNode properties) {
        for (Cost cost : Cost.values()) {
            properties.set(cost.key(), described(whole(), Cost.class, cost.name(), cost.key()));
        }
        ObjectNode collector = NODES.objectNode().put("type", "object");
        collector.putObject("properties").<ObjectNode>set("cycles", whole()).set("pauseNs", whole());
        collector.putArray("required").add("pauseNs");
        collector.put("additionalProperties", false);
        properties.set("collectors", described(byName(collector), Costs.class, "collectors", "collectors"));
    }

    /**
     * {@link LoadCounts} are written by hand too; a count that is written where nothing was counted is always there.
     */
    private void counts(ObjectNode properties, List<String> required) {
        JsonNode none = Json.tree(new LoadCounts());
        for (Field field : LoadCounts.class.getDeclaredFields()) {
            String name = field.getName();
            if (Modifier.isPublic(field.getModifiers()) && !properties.has(name)) {
                properties.set(name, described(whole(), LoadCounts.class, name, name));
                if (none.has(name)) {
                    required.add(name);
                }
            }
        }
        ObjectNode errors = byName(whole());
        errors.set("propertyNames", oneOf(Arrays.stream(ErrorKind.values()).map(ErrorKind::key)));
        properties.set("errors", described(errors, LoadCounts.class, "errorsByKind", "errors"));
        properties.set("thriftExceptions", described(numbered("^([0-9]|1[01])$"), "thriftExceptions"));
        properties.set("statusCodes", described(numbered("^[0-9]{1,3}$"), "statusCodes"));
        required.addAll(List.of("errors", "statusCodes"));
    }

    private ObjectNode described(ObjectNode value, String countsOf) {
        return described(value, LoadCounts.class, countsOf, countsOf);
    }

    private static ObjectNode numbered(String pattern) {
        ObjectNode numbers = byName(whole());
        numbers.putObject("propertyNames").put("pattern", pattern);
        return numbers;
    }

    /** {@link Percentiles} are written by hand. */
    private ObjectNode percentiles() {
        ObjectNode times = NODES.objectNode()
                .put("type", "object")
                .put("description", "A distribution of times in ns; without any, only count. See docs/results.md.");
        ObjectNode properties = times.putObject("properties");
        List<String> all = new ArrayList<>();
        for (Level level : Level.values()) {
            properties.set(level.key(), whole());
            all.add(level.key());
        }
        for (String name : List.of("max", "mean", "min", "stddev")) {
            properties.set(name, whole());
            all.add(name);
        }
        properties.set("count", whole().put("description", "How many there are."));
        properties.set(
                "unsupported",
                list(oneOf(Arrays.stream(Level.values()).map(Level::key)))
                        .put("description", "Those with fewer than ten values above them."));
        properties.set(
                "withoutAnswer",
                whole().put("description", "Requests without an answer that count in it; missing for none."));
        properties.set(
                "atLeast",
                list(NODES.objectNode().put("type", "string"))
                        .put("description", "Those that requests without an answer reach: the least they can be."));
        times.set("required", texts(List.of("count", "unsupported")));
        ObjectNode together = times.putObject("dependentRequired");
        together.set("p50", texts(all.subList(1, all.size())));
        together.set("withoutAnswer", texts(List.of("atLeast")));
        times.put("additionalProperties", false);
        return times;
    }

    private ObjectNode value(String name, JavaType type) {
        Class<?> raw = type.getRawClass();
        if (type.isReferenceType()) {
            return value(name, type.getContentType());
        } else if (type.isCollectionLikeType()) {
            return list(value(name, type.getContentType()));
        } else if (type.isMapLikeType()) {
            return byName(value(name, type.getContentType()));
        } else if (raw.isEnum()) {
            return oneOf(Arrays.stream(raw.getEnumConstants())
                    .map(constant -> Json.tree(constant).asText()));
        } else if (raw == OffsetDateTime.class) {
            return NODES.objectNode().put("type", "string").put("format", "date-time");
        } else if (TestingJson.isText(raw)) {
            return NODES.objectNode().put("type", "string");
        } else if (raw == boolean.class || raw == Boolean.class) {
            return NODES.objectNode().put("type", "boolean");
        } else if (raw == double.class || raw == Double.class) {
            return NODES.objectNode().put("type", "number");
        } else if (raw.isPrimitive() || Number.class.isAssignableFrom(raw) || raw == Duration.class) {
            return name.equals("version") ? NODES.objectNode().put("const", 1) : whole();
        } else if (raw.getName().startsWith("dev.lockstep.")) {
            if (known.add(raw)) {
                waiting.add(raw);
            }
            return NODES.objectNode().put("$ref", "#/$defs/" + name(raw));
        }
        return NODES.objectNode().put("type", "object");
    }

    private ObjectNode described(ObjectNode value, Class<?> type, String member, String field) {
        Optional<String> text = comments.of(type, member).or(() -> Optional.ofNullable(ofTargets.get(field)));
        // A link within docs/ is one to a file of docs/.
        text.filter(words -> !words.isEmpty())
                .ifPresent(words ->
                        value.put("description", words.replaceAll("\\[([a-z-]+\\.md)]\\([^)]*\\)", "docs/$1")));
        return value;
    }

    /** Says whether its reader refuses a field that it does not know. */
    private static boolean isStrict(Class<?> type) {
        return Arrays.stream(type.getDeclaredClasses()).anyMatch(Json.Strict.class::isAssignableFrom);
    }

    private static String name(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1).replace("$", "");
    }

    private static ObjectNode whole() {
        return NODES.objectNode().put("type", "integer");
    }

    private static ObjectNode list(ObjectNode items) {
        ObjectNode list = NODES.objectNode().put("type", "array");
        list.set("items", items);
        return list;
    }

    private static ObjectNode byName(ObjectNode values) {
        ObjectNode map = NODES.objectNode().put("type", "object");
        map.set("additionalProperties", values);
        return map;
    }

    private static ObjectNode oneOf(Stream<String> words) {
        ObjectNode choice = NODES.objectNode().put("type", "string");
        ArrayNode all = choice.putArray("enum");
        words.forEach(all::add);
        return choice;
    }

    private static ArrayNode texts(List<String> texts) {
        ArrayNode nodes = NODES.arrayNode();
        texts.forEach(nodes::add);
        return nodes;
    }
}
