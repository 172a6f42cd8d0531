package dev.lockstep.results.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import dev.lockstep.measurement.MeasurementException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** Says what is wrong in a JSON document: the document, the place in it, what was expected and what was found. */
public final class JsonFault {
    private static final int MOST_CHARACTERS = 40;
    private static final String WHOLE_NUMBER = "a whole number";
    private static final String TEXT = "a text";
    private static final String OBJECT = "an object";

    private static final Set<Class<?>> WHOLE_NUMBERS =
            Set.of(long.class, Long.class, OptionalLong.class, Duration.class);
    private static final Set<Class<?>> SMALL_NUMBERS = Set.of(int.class, Integer.class, OptionalInt.class);
    private static final Set<Class<?>> NUMBERS = Set.of(double.class, Double.class, OptionalDouble.class);
    private static final Set<Class<?>> FLAGS = Set.of(boolean.class, Boolean.class);

    private final String document;
    private final JsonNode root;

    JsonFault(String document, JsonNode root) {
        this.document = document;
        this.root = root;
    }

    static MeasurementException noJson(String document, JsonProcessingException e) {
        String place = e.getLocation() == null
                ? ""
                : " at line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr();
        return new MeasurementException(
                document + ": expected JSON, found a mistake" + place + ": " + oneLine(e.getOriginalMessage()), e);
    }

    MeasurementException of(JacksonException e) {
        List<Reference> path = e instanceof JsonMappingException ? ((JsonMappingException) e).getPath() : List.of();
        if (e instanceof UnrecognizedPropertyException) {
            return fault("unknown field " + place(path) + "; misspelt, or written by a newer version of Lockstep", e);
        }
        JsonNode found = found(path);
        Class<?> type = type(e);
        // What the value itself said, if it did; else what Jackson met.
        Throwable cause = e;
        while (cause.getCause() != null && !(cause instanceof IllegalArgumentException)) {
            cause = cause.getCause();
        }
        if (cause instanceof IllegalArgumentException) {
            return fault((path.isEmpty() ? "" : place(path) + ": ") + cause.getMessage(), e);
        }
        if (cause instanceof NullPointerException && found.isArray()) {
            return fault(place(path) + ": expected a list of values, found null", e);
        }
        String expected =
                cause instanceof InputCoercionException ? WHOLE_NUMBER : type == null ? "another value" : kind(type);
        boolean element = !path.isEmpty() && path.get(path.size() - 1).getFieldName() == null;
        if (element && (expected.equals(TEXT) || expected.equals(OBJECT))) {
            return fault(
                    place(path.subList(0, path.size() - 1)) + ": expected a list of "
                            + (expected.equals(TEXT) ? "texts" : "objects") + ", found " + describe(found),
                    e);
        }
        return fault(
                (path.isEmpty() ? "" : place(path) + ": ") + "expected " + expected + ", found "
                        + (found.isNull() ? "nothing" : describe(found)),
                e);
    }

    private MeasurementException fault(String message, JacksonException e) {
        return new MeasurementException(document + ": " + message, e);
    }

    private static Class<?> type(JacksonException e) {
        return e instanceof ValueInstantiationException
                ? ((ValueInstantiationException) e).getType().getRawClass()
                : e instanceof MismatchedInputException ? ((MismatchedInputException) e).getTargetType() : null;
    }

    private JsonNode found(List<Reference> path) {
        JsonNode found = root;
        for (Reference step : path) {
            found = step.getFieldName() == null ? found.path(step.getIndex()) : found.path(step.getFieldName());
        }
        return found;
    }

    private static String place(List<Reference> path) {
        StringBuilder place = new StringBuilder();
        for (Reference step : path) {
            if (step.getFieldName() == null) {
                place.append('[').append(step.getIndex()).append(']');
            } else {
                place.append(place.length() == 0 ? "" : ".").append(step.getFieldName());
            }
        }
        return place.toString();
    }

    private static String kind(Class<?> raw) {
        if (WHOLE_NUMBERS.contains(raw)) {
            return WHOLE_NUMBER;
        } else if (SMALL_NUMBERS.contains(raw)) {
            return "a whole number up to " + Integer.MAX_VALUE;
        } else if (NUMBERS.contains(raw)) {
            return "a number";
        } else if (FLAGS.contains(raw)) {
            return "true or false";
        } else if (Iterable.class.isAssignableFrom(raw)) {
            return "a list";
        }
        return MeasurementModule.isText(raw) ? TEXT : OBJECT;
    }

    /** Returns a value as it stands in the document, cut where it is long. */
    public static String describe(JsonNode node) {
        String text = oneLine(node.toString());
        return node.isMissingNode()
                ? "nothing"
                : text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS - 3) + "...";
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
