package dev.lockstep.experiment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What placeholders stand for: {@code {name}} is a variable, {@code {table[name]}} what a table has for a variable's
 * value. A word that is nothing but a placeholder becomes as many words as its value has. Immutable.
 */
final class Scope {
    private static final Pattern PLACEHOLDER =
            Pattern.compile("\\{([A-Za-z][A-Za-z0-9]*)(?:\\[([A-Za-z][A-Za-z0-9]*)])?}");

    private final String place;
    private final Map<String, List<String>> variables;
    private final Map<String, Map<String, List<String>>> tables;

    /** @param place what to call the definition in messages */
    Scope(String place, Map<String, List<String>> variables, Map<String, Map<String, List<String>>> tables) {
        this.place = place;
        this.variables = variables;
        this.tables = tables;
    }

    /** Returns this scope with one more variable. */
    Scope with(String name, String value) {
        Map<String, List<String>> more = new HashMap<>(variables);
        more.put(name, List.of(value));
        return new Scope(place, more, tables);
    }

    /** Returns this scope with the values that variables have in another one. */
    Scope with(List<String> names, Scope other) {
        Map<String, List<String>> more = new HashMap<>(variables);
        names.forEach(name -> more.put(name, other.values(name)));
        return new Scope(place, more, tables);
    }

    /** Returns the values of a variable; none where there is none. */
    List<String> values(String name) {
        return variables.getOrDefault(name, List.of());
    }

    /** Returns all combinations of the values of variables, each as a scope in which they have one value. */
    List<Scope> each(List<String> names) {
        List<Scope> all = List.of(this);
        for (String name : names) {
            List<Scope> more = new ArrayList<>();
            for (Scope one : all) {
                values(name).forEach(value -> more.add(one.with(name, value)));
            }
            all = more;
        }
        return all;
    }

    /** Returns the words that templates stand for. */
    List<String> words(List<String> templates) {
        List<String> words = new ArrayList<>();
        for (String template : templates) {
            Matcher whole = PLACEHOLDER.matcher(template);
            if (whole.matches()) {
                words.addAll(value(whole));
            } else {
                words.add(text(template));
            }
        }
        return words;
    }

    /** Returns the text that a template stands for. */
    String text(String template) {
        return PLACEHOLDER.matcher(template).replaceAll(found -> {
            List<String> value = value((Matcher) found);
            return Matcher.quoteReplacement(String.join(",", value));
        });
    }

    /** What nothing is known of stays as it is: it is known when the part begins. */
    private List<String> value(Matcher placeholder) {
        String name = placeholder.group(1);
        String of = placeholder.group(2);
        if (of == null) {
            return variables.getOrDefault(name, List.of(placeholder.group()));
        }
        Map<String, List<String>> table = tables.get(name);
        List<String> key = variables.get(of);
        if (table == null || key == null || key.size() != 1) {
            throw new ExperimentException(
                    place + ": expected a table and a variable with one value, found " + placeholder.group());
        }
        List<String> value = table.get(key.get(0));
        if (value == null) {
            throw new ExperimentException(
                    place + ": table " + name + ": expected a value for " + key.get(0) + ", found none");
        }
        return value;
    }

    /** Returns the first placeholder that is left in a text, or null. */
    static String leftIn(String text) {
        Matcher left = PLACEHOLDER.matcher(text);
        return left.find() ? left.group() : null;
    }
}
