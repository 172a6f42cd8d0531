package dev.lockstep.experiment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A mapping of a definition with its place, which messages begin with: {@code file: parts[2].command}. */
final class Fields {
    private final String place;
    private final Map<?, ?> values;

    private Fields(String place, Map<?, ?> values) {
        this.place = place;
        this.values = values;
    }

    /** @param known all keys that there may be */
    static Fields of(String place, Object value, String... known) {
        Fields fields = map(place, value);
        for (Object key : fields.values.keySet()) {
            if (!Arrays.asList(known).contains(String.valueOf(key))) {
                throw new ExperimentException(
                        place + ": unknown key '" + key + "'; known are " + String.join(", ", known));
            }
        }
        return fields;
    }

    /** As {@link #of}, with any keys. */
    static Fields map(String place, Object value) {
        if (!(value instanceof Map)) {
            throw wrong(place, "a mapping", value);
        }
        return new Fields(place, (Map<?, ?>) value);
    }

    List<String> keys() {
        List<String> keys = new ArrayList<>();
        values.keySet().forEach(key -> keys.add(String.valueOf(key)));
        return keys;
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    String place(String key) {
        return place + (place.endsWith(":") ? " " : ".") + key;
    }

    Object value(String key) {
        return values.get(key);
    }

    String text(String key) {
        if (!has(key)) {
            throw new ExperimentException(place(key) + ": expected a text, found none");
        }
        return text(place(key), values.get(key));
    }

    String text(String key, String otherwise) {
        return has(key) ? text(key) : otherwise;
    }

    double number(String key, double otherwise) {
        return has(key) ? number(place(key), values.get(key)) : otherwise;
    }

    /** Returns the entries of a list; none where it is missing. */
    List<Object> list(String key) {
        if (!has(key)) {
            return List.of();
        }
        if (!(values.get(key) instanceof List)) {
            throw wrong(place(key), "a list", values.get(key));
        }
        return new ArrayList<>((List<?>) values.get(key));
    }

    /** Returns words: a list of texts, or a text cut at blanks; none where they are missing. */
    List<String> words(String key) {
        return has(key) ? words(place(key), values.get(key)) : List.of();
    }

    /** Returns the words of each key. */
    Map<String, List<String>> allWords() {
        Map<String, List<String>> all = new LinkedHashMap<>();
        keys().forEach(key -> all.put(key, words(key)));
        return all;
    }

    static double number(String place, Object value) {
        if (!(value instanceof Number)) {
            throw wrong(place, "a number", value);
        }
        return ((Number) value).doubleValue();
    }

    private static List<String> words(String place, Object value) {
        if (value instanceof List) {
            List<String> words = new ArrayList<>();
            ((List<?>) value).forEach(word -> words.add(text(place, word)));
            return words;
        }
        return Arrays.asList(text(place, value).trim().split("\\s+"));
    }

    private static String text(String place, Object value) {
        if (value == null || value instanceof Map || value instanceof List) {
            throw wrong(place, "a text", value);
        }
        return String.valueOf(value);
    }

    private static ExperimentException wrong(String place, String expected, Object found) {
        return new ExperimentException(place + ": expected " + expected + ", found "
                + (found instanceof Map
                        ? "a mapping"
                        : found instanceof List ? "a list" : found == null ? "nothing" : "'" + found + "'"));
    }
}
