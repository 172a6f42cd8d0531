package dev.lockstep.results.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.util.NameTransformer;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.GcCosts;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.measurement.Rules;
import java.io.IOException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.function.Function;

/**
 * How values of {@code measurement} and of the JDK stand in JSON. {@link Costs} and {@link LoadCounts} are groups:
 * their fields stand among those of their owner.
 */
final class MeasurementModule extends SimpleModule {
    private static final long serialVersionUID = 1L;

    /** What stands as a text in JSON, beside texts and enums. */
    private static final Set<Class<?>> TEXTS = Set.of(Pace.class, OffsetDateTime.class);

    MeasurementModule() {
        add(
                OffsetDateTime.class,
                (time, json) -> json.writeString(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time)));
        addDeserializer(OffsetDateTime.class, new OfText<>(OffsetDateTime.class, MeasurementModule::parseTime));
        add(Duration.class, (duration, json) -> json.writeNumber(duration.toNanos()));
        addDeserializer(Duration.class, new OfNanos());
        add(Pace.class, (pace, json) -> json.writeString(pace.toString()));
        addDeserializer(Pace.class, new OfText<>(Pace.class, Pace::parse));
        add(Percentiles.class, MeasurementModule::write);
        addDeserializer(Percentiles.class, new OfPercentiles());
        addSerializer(Costs.class, new Group<>(Costs.class, MeasurementModule::write));
        addDeserializer(Costs.class, new OfCosts());
        addSerializer(LoadCounts.class, new Group<>(LoadCounts.class, MeasurementModule::write));
        addDeserializer(LoadCounts.class, new OfCounts());
        addDeserializer(double.class, new OfNumber<>(number -> number));
        addDeserializer(Double.class, new OfNumber<>(number -> number));
        addDeserializer(OptionalDouble.class, new OfNumber<>(OptionalDouble::of));
        setDeserializerModifier(new RequiredFields());
    }

    static boolean isText(Class<?> type) {
        return CharSequence.class.isAssignableFrom(type) || type.isEnum() || TEXTS.contains(type);
    }

    private interface Writer<T> {
        void write(T value, JsonGenerator json) throws IOException;
    }

    private <T> void add(Class<T> type, Writer<T> writer) {
        addSerializer(type, new JsonSerializer<T>() {
            @Override
            public void serialize(T value, JsonGenerator json, SerializerProvider provider) throws IOException {
                writer.write(value, json);
            }
        });
    }

    /** Writes fields into the object of their owner. */
    private static final class Group<T> extends JsonSerializer<T> {
        private final Class<T> type;
        private final Writer<T> fields;

        Group(Class<T> type, Writer<T> fields) {
            this.type = type;
            this.fields = fields;
        }

        @Override
        public void serialize(T value, JsonGenerator json, SerializerProvider provider) throws IOException {
            fields.write(value, json);
        }

        @Override
        public boolean isUnwrappingSerializer() {
            return true;
        }

        @Override
        public JsonSerializer<T> unwrappingSerializer(NameTransformer names) {
            return this;
        }

        @Override
        public Class<T> handledType() {
            return type;
        }
    }

    /** Reads what is made of the fields of an object, which may be those of a group's owner. */
    private abstract static class OfFields<T> extends JsonDeserializer<T> {
        @Override
        public final T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            JsonNode object = context.readTree(parser);
            if (!object.isObject()) {
                throw MismatchedInputException.from(parser, handledType(), "not an object");
            }
            return read(new Fields(parser, object));
        }

        abstract T read(Fields fields) throws JsonMappingException;
    }

    /** The fields of an object, whose faults are told with their place. */
    private static final class Fields {
        private final JsonParser parser;
        private final JsonNode object;
        private final Fields owner;
        private final String name;

        Fields(JsonParser parser, JsonNode object) {
            this(parser, object, null, null);
        }

        private Fields(JsonParser parser, JsonNode object, Fields owner, String name) {
            this.parser = parser;
            this.object = object;
            this.owner = owner;
            this.name = name;
        }

        long number(String field) throws JsonMappingException {
            JsonNode value = object.path(field);
            if (!value.isIntegralNumber() || !value.canConvertToLong()) {
                throw wrong(field, Long.class);
            }
            return value.longValue();
        }

        OptionalLong optional(String field) throws JsonMappingException {
            return object.hasNonNull(field) ? OptionalLong.of(number(field)) : OptionalLong.empty();
        }

        /** Empty where the field is absent. */
        Fields object(String field) throws JsonMappingException {
            if (object.hasNonNull(field) && !object.path(field).isObject()) {
                throw wrong(field, Map.class);
            }
            return new Fields(parser, object.path(field), this, field);
        }

        Iterator<String> names() {
            return object.fieldNames();
        }

        private JsonMappingException wrong(String field, Class<?> expected) {
            JsonMappingException wrong = MismatchedInputException.from(parser, expected, "wrong field");
            wrong.prependPath(object, field);
            for (Fields inner = this; inner.owner != null; inner = inner.owner) {
                wrong.prependPath(inner.owner.object, inner.name);
            }
            return wrong;
        }

        /** Reads {@code {name: count}}. */
        void counts(String field, Counting counting) throws JsonMappingException {
            Fields counts = object(field);
            for (Iterator<String> names = counts.names(); names.hasNext(); ) {
                String key = names.next();
                counting.count(key, counts.number(key));
            }
        }
    }

    private interface Counting {
        void count(String name, long count);
    }

    /** Reads a text with a function that refuses a bad one with IllegalArgumentException. */
    private static final class OfText<T> extends JsonDeserializer<T> {
        private final Class<T> type;
        private final Function<String, T> parser;

        OfText(Class<T> type, Function<String, T> parser) {
            this.type = type;
            this.parser = parser;
        }

        @Override
        public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
            JsonNode value = context.readTree(json);
            if (!value.isTextual()) {
                throw MismatchedInputException.from(json, type, "not a text");
            }
            return parser.apply(value.textValue());
        }
    }

    private static OffsetDateTime parseTime(String text) {
        try {
            return OffsetDateTime.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "expected a time like 2026-11-21T07:42:00+01:00, found " + Rules.quote(text), e);
        }
    }

    /** Reads a number, and no text such as NaN. */
    private static final class OfNumber<T> extends JsonDeserializer<T> {
        private final DoubleFunction<T> maker;

        OfNumber(DoubleFunction<T> maker) {
            this.maker = maker;
        }

        @Override
        public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
            JsonNode value = context.readTree(json);
            if (!value.isNumber()) {
                throw MismatchedInputException.from(json, Double.class, "not a number");
            }
            return maker.apply(value.doubleValue());
        }
    }

    private static final class OfNanos extends JsonDeserializer<Duration> {
        @Override
        public Duration deserialize(JsonParser json, DeserializationContext context) throws IOException {
            JsonNode value = context.readTree(json);
            if (!value.isIntegralNumber() || !value.canConvertToLong()) {
                throw MismatchedInputException.from(json, Duration.class, "not a whole number");
            }
            return Duration.ofNanos(value.longValue());
        }
    }

    private static void write(Percentiles times, JsonGenerator json) throws IOException {
        json.writeStartObject();
        if (times.count() > 0) {
            for (Level level : Level.values()) {
                json.writeNumberField(level.key(), times.at(level));
            }
            json.writeNumberField("max", times.max());
            json.writeNumberField("mean", times.mean());
            json.writeNumberField("min", times.min());
            json.writeNumberField("stddev", times.standardDeviation());
        }
        json.writeNumberField("count", times.count());
        json.writeArrayFieldStart("unsupported");
        for (Level level : Level.values()) {
            if (times.count() > 0 && !times.supports(level)) {
                json.writeString(level.key());
            }
        }
        json.writeEndArray();
        if (times.count() > 0 && times.withoutAnswer() > 0) {
            json.writeNumberField("withoutAnswer", times.withoutAnswer());
            json.writeArrayFieldStart("atLeast");
            for (Level level : Level.values()) {
                if (!times.stands(level)) {
                    json.writeString(level.key());
                }
            }
            json.writeString("max");
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private static final class OfPercentiles extends OfFields<Percentiles> {
        @Override
        public Class<Percentiles> handledType() {
            return Percentiles.class;
        }

        @Override
        Percentiles read(Fields fields) throws JsonMappingException {
            long count = fields.number("count");
            if (count == 0) {
                return Percentiles.NONE;
            }
            long[] levels = new long[Level.values().length];
            for (Level level : Level.values()) {
                levels[level.ordinal()] = fields.number(level.key());
            }
            return Percentiles.of(
                    count,
                    fields.optional("withoutAnswer").orElse(0),
                    levels,
                    fields.number("max"),
                    fields.number("min"),
                    fields.number("mean"),
                    fields.number("stddev"));
        }
    }

    private static void write(Costs costs, JsonGenerator json) throws IOException {
        for (Cost cost : Cost.values()) {
            OptionalLong value = costs.get(cost);
            if (value.isPresent()) {
                json.writeNumberField(cost.key(), value.getAsLong());
            }
        }
        if (!costs.collectors().isEmpty()) {
            json.writeObjectFieldStart("collectors");
            for (Map.Entry<String, GcCosts> collector : costs.collectors().entrySet()) {
                json.writeObjectFieldStart(collector.getKey());
                OptionalLong cycles = collector.getValue().cycles();
                if (cycles.isPresent()) {
                    json.writeNumberField("cycles", cycles.getAsLong());
                }
                json.writeNumberField("pauseNs", collector.getValue().pauseNs());
                json.writeEndObject();
            }
            json.writeEndObject();
        }
    }

    private static final class OfCosts extends OfFields<Costs> {
        @Override
        public Class<Costs> handledType() {
            return Costs.class;
        }

        @Override
        public JsonDeserializer<Costs> unwrappingDeserializer(NameTransformer names) {
            // Another instance than this one is how Jackson is told of a group.
            return new OfCosts();
        }

        @Override
        Costs read(Fields fields) throws JsonMappingException {
            Costs.Builder costs = Costs.builder();
            for (Cost cost : Cost.values()) {
                fields.optional(cost.key()).ifPresent(value -> costs.set(cost, value));
            }
            Fields collectors = fields.object("collectors");
            for (Iterator<String> names = collectors.names(); names.hasNext(); ) {
                String name = names.next();
                Fields collector = collectors.object(name);
                long pauseNs = collector.number("pauseNs");
                OptionalLong cycles = collector.optional("cycles");
                costs.collector(
                        name, cycles.isPresent() ? GcCosts.of(cycles.getAsLong(), pauseNs) : GcCosts.ofPauses(pauseNs));
            }
            return costs.build();
        }
    }

    private static void write(LoadCounts counts, JsonGenerator json) throws IOException {
        json.writeNumberField("sent", counts.sent);
        json.writeNumberField("completed", counts.completed);
        json.writeNumberField("unanswered", counts.unanswered);
        writeSome(json, "oneway", counts.oneway);
        writeSome(json, "opaqueBytesSent", counts.opaqueBytesSent);
        writeSome(json, "opaqueBytesUnsent", counts.opaqueBytesUnsent);
        writeSome(json, "hopelessBytesUnsent", counts.hopelessBytesUnsent);
        if (counts.opaqueBursts > 0) {
            json.writeNumberField("opaqueBursts", counts.opaqueBursts);
            json.writeNumberField("opaqueBurstsUnanswered", counts.opaqueBurstsUnanswered);
        }
        if (counts.semanticRequests > 0) {
            json.writeNumberField("semanticRequests", counts.semanticRequests);
            json.writeNumberField("tagsChanged", counts.tagsChanged);
        }
        writeSome(json, "deadlinesMoved", counts.deadlinesMoved);
        writeSome(json, "exceptionsAsRecorded", counts.exceptionsAsRecorded);
        json.writeNumberField("unsent", counts.unsent);
        json.writeNumberField("deferred", counts.deferred);
        json.writeNumberField("connections", counts.connections);
        writeSome(json, "strayAnswers", counts.strayAnswers);
        json.writeObjectFieldStart("errors");
        for (Map.Entry<ErrorKind, Long> error : counts.errorsByKind().entrySet()) {
            json.writeNumberField(error.getKey().key(), error.getValue());
        }
        json.writeEndObject();
        if (!counts.thriftExceptions().isEmpty()) {
            writeByNumber(json, "thriftExceptions", counts.thriftExceptions());
        }
        writeByNumber(json, "statusCodes", counts.statusCodes());
    }

    private static void writeSome(JsonGenerator json, String field, long count) throws IOException {
        if (count > 0) {
            json.writeNumberField(field, count);
        }
    }

    private static void writeByNumber(JsonGenerator json, String field, Map<Integer, Long> counts) throws IOException {
        json.writeObjectFieldStart(field);
        for (Map.Entry<Integer, Long> count : counts.entrySet()) {
            json.writeNumberField(count.getKey().toString(), count.getValue());
        }
        json.writeEndObject();
    }

    private static final class OfCounts extends OfFields<LoadCounts> {
        @Override
        public Class<LoadCounts> handledType() {
            return LoadCounts.class;
        }

        @Override
        public JsonDeserializer<LoadCounts> unwrappingDeserializer(NameTransformer names) {
            // As in OfCosts.
            return new OfCounts();
        }

        @Override
        LoadCounts read(Fields fields) throws JsonMappingException {
            LoadCounts counts = new LoadCounts();
            counts.sent = fields.number("sent");
            counts.completed = fields.number("completed");
            counts.unanswered = fields.number("unanswered");
            counts.oneway = fields.optional("oneway").orElse(0);
            counts.opaqueBytesSent = fields.optional("opaqueBytesSent").orElse(0);
            counts.opaqueBytesUnsent = fields.optional("opaqueBytesUnsent").orElse(0);
            counts.hopelessBytesUnsent = fields.optional("hopelessBytesUnsent").orElse(0);
            counts.opaqueBursts = fields.optional("opaqueBursts").orElse(0);
            counts.opaqueBurstsUnanswered =
                    fields.optional("opaqueBurstsUnanswered").orElse(0);
            counts.semanticRequests = fields.optional("semanticRequests").orElse(0);
            counts.tagsChanged = fields.optional("tagsChanged").orElse(0);
            counts.deadlinesMoved = fields.optional("deadlinesMoved").orElse(0);
            counts.exceptionsAsRecorded =
                    fields.optional("exceptionsAsRecorded").orElse(0);
            counts.unsent = fields.number("unsent");
            counts.deferred = fields.number("deferred");
            counts.connections = fields.number("connections");
            counts.strayAnswers = fields.optional("strayAnswers").orElse(0);
            counts.bytesSent = fields.number("bytesSent");
            counts.bytesReceived = fields.number("bytesReceived");
            counts.bodyBytesReceived = fields.number("bodyBytesReceived");
            fields.counts("errors", (kind, count) -> counts.error(ErrorKind.parse(kind), count));
            fields.counts("thriftExceptions", (type, count) -> counts.thriftException(exceptionType(type), count));
            fields.counts("statusCodes", (code, count) -> counts.status(statusCode(code), count));
            return counts;
        }

        private static int exceptionType(String text) {
            if (!text.matches("[0-9]|1[01]")) {
                throw new IllegalArgumentException(
                        "thriftExceptions: expected a type from 0 to 11, found " + Rules.quote(text));
            }
            return Integer.parseInt(text);
        }

        private static int statusCode(String text) {
            if (!text.matches("[0-9]{1,3}")) {
                throw new IllegalArgumentException(
                        "statusCodes: expected a code from 0 to 999, found " + Rules.quote(text));
            }
            return Integer.parseInt(text);
        }
    }
}
