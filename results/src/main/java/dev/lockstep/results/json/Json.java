package dev.lockstep.results.json;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.databind.util.NameTransformer;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.lockstep.measurement.MeasurementException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Turns values into JSON and back. What is wrong in a document is refused with one line: the document, the place in it,
 * what was expected and what was found ({@link JsonFault}). JSON null and a missing field mean the same.
 */
public final class Json {
    /**
     * Marks the builder of a value in which an unknown field is an error. A field that a reader does not know would
     * change a run and only adds to a result, and results are read by older versions too.
     */
    public interface Strict {}

    private static final JsonMapper MAPPER = mapper();

    private static final DefaultPrettyPrinter PRINTER = new DefaultPrettyPrinter(Separators.createDefaultInstance()
                    .withObjectFieldValueSpacing(Spacing.AFTER)
                    .withObjectEmptySeparator("")
                    .withArrayEmptySeparator(""))
            .withObjectIndenter(new DefaultIndenter("  ", "\n"))
            .withArrayIndenter(new DefaultIndenter("  ", "\n"));

    private Json() {}

    static JsonMapper mapper() {
        JsonMapper mapper = JsonMapper.builder(JsonFactory.builder()
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .build())
                .addModule(new Jdk8Module())
                .addModule(new MeasurementModule())
                .annotationIntrospector(new InOrder())
                .visibility(PropertyAccessor.ALL, Visibility.NONE)
                .defaultPropertyInclusion(com.fasterxml.jackson.annotation.JsonInclude.Value.construct(
                        Include.NON_ABSENT, Include.ALWAYS))
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .disable(MapperFeature.SORT_CREATOR_PROPERTIES_FIRST)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .addHandler(new UnknownFields())
                .withCoercionConfig(LogicalType.Textual, text -> {
                    text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
                    text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
                    text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
                })
                .build();
        mapper.setDefaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.SKIP));
        return mapper;
    }

    /** Returns a value as a document: indented text that ends with a line feed. */
    public static String print(Object value) {
        try {
            return MAPPER.writer(PRINTER).writeValueAsString(tree(value)) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values is always printable", e);
        }
    }

    /** Returns a value as a tree of its fields, in the order of its document. */
    public static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** Returns the figures and texts of a value, each by its name, with a dot for one within another. */
    public static Map<String, String> flat(Object value) {
        Map<String, String> cells = new LinkedHashMap<>();
        flatten("", tree(value), cells);
        return cells;
    }

    private static void flatten(String owner, JsonNode object, Map<String, String> cells) {
        object.properties().forEach(field -> {
            String name = owner + field.getKey();
            JsonNode value = field.getValue();
            if (value.isObject()) {
                flatten(name + ".", value, cells);
            } else {
                cells.put(name, value.isNumber() ? value.decimalValue().toPlainString() : value.asText());
            }
        });
    }

    /**
     * Parses a text that is one JSON object.
     *
     * @param document what to call it in messages: a path, or "plan"
     */
    public static ObjectNode parse(String document, String text) {
        JsonNode root;
        try {
            root = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw JsonFault.noJson(document, e);
        }
        if (!root.isObject()) {
            throw new MeasurementException(document + ": expected a JSON object, found " + JsonFault.describe(root));
        }
        return (ObjectNode) root;
    }

    /**
     * Returns the value that an object of a document stands for.
     *
     * @throws MeasurementException where it stands for none
     */
    public static <T> T read(String document, JsonNode object, Class<T> type) {
        try {
            return MAPPER.treeToValue(object, type);
        } catch (JacksonException e) {
            throw new JsonFault(document, object).of(e);
        }
    }

    /**
     * Refuses a document of another version of its format, and takes the field away.
     *
     * @param place of the object in the document, with a dot behind it; empty for the document itself
     */
    public static void checkVersion(String document, String place, ObjectNode object, int expected) {
        JsonNode version = object.remove("version");
        if (version == null || version.isNull() || !version.isIntegralNumber()) {
            throw new MeasurementException(document + ": " + place + "version: expected a whole number, found "
                    + (version == null || version.isNull() ? "nothing" : JsonFault.describe(version)));
        }
        if (!version.canConvertToInt() || version.intValue() != expected) {
            throw new MeasurementException(document + ": " + place + "version: expected " + expected + ", found "
                    + version + "; read it with the Lockstep that wrote it");
        }
    }

    /**
     * Reads a group of fields that stand among those of their owner: null where the first of them is missing.
     *
     * @param <T> the group, a value of its own
     */
    public static class Group<T> extends JsonDeserializer<T> {
        private final Class<T> type;
        private final String first;

        /** @param first the field that is there wherever the group is */
        protected Group(Class<T> type, String first) {
            this.type = type;
            this.first = first;
        }

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            JsonNode owner = context.readTree(parser);
            return owner.hasNonNull(first) ? context.readTreeAsValue(owner, type) : null;
        }

        /** Another instance than this one is how Jackson is told of a group. */
        @Override
        public final JsonDeserializer<T> unwrappingDeserializer(NameTransformer names) {
            return new Group<>(type, first);
        }
    }

    /** Puts the fields of an object into the order in which its class declares them. */
    private static final class InOrder extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public String[] findSerializationPropertyOrder(AnnotatedClass type) {
            return Arrays.stream(type.getRawType().getDeclaredFields())
                    .map(Field::getName)
                    .toArray(String[]::new);
        }
    }

    private static final class UnknownFields extends DeserializationProblemHandler {
        @Override
        public boolean handleUnknownProperty(
                DeserializationContext context,
                JsonParser parser,
                JsonDeserializer<?> deserializer,
                Object builder,
                String field)
                throws IOException {
            if (builder instanceof Strict) {
                return false;
            }
            parser.skipChildren();
            return true;
        }
    }
}
