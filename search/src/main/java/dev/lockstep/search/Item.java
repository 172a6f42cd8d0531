package dev.lockstep.search;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A part of a YAML or JSON file with its place. What is wrong with it is a {@link SpaceException} of the form
 * "file:line:column: what is wrong", so that an editor can jump to it.
 *
 * <p>Design note: words are typed as in JSON, not as in YAML 1.1, where {@code on} is a boolean, {@code 010} is eight
 * and {@code 1e-3} is a text.
 */
final class Item {
    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,19}");
    private static final Pattern DECIMAL =
            Pattern.compile("[+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?");

    private final String file;
    private final Node node;

    Item(String file, Node node) {
        this.file = file;
        this.node = node;
    }

    boolean isMapping() {
        return node instanceof MappingNode;
    }

    boolean isList() {
        return node instanceof SequenceNode;
    }

    /** @param expected what it is to be, for people */
    Map<String, Item> fields(String expected) {
        if (!isMapping()) {
            throw wrong("expected " + expected + ", found " + describe());
        }
        Map<String, Item> fields = new LinkedHashMap<>();
        for (NodeTuple entry : ((MappingNode) node).getValue()) {
            Item key = new Item(file, entry.getKeyNode());
            if (fields.put(key.text(), new Item(file, entry.getValueNode())) != null) {
                throw key.wrong("the key '" + key.text() + "' stands here twice");
            }
        }
        return fields;
    }

    /** As {@link #fields(String)}, refusing keys that are not known. */
    Map<String, Item> fields(String expected, Collection<String> known) {
        Map<String, Item> fields = fields(expected);
        for (NodeTuple entry : ((MappingNode) node).getValue()) {
            Item key = new Item(file, entry.getKeyNode());
            if (!known.contains(key.text())) {
                throw key.wrong("unknown key '" + key.text() + "'; known are " + String.join(", ", known));
            }
        }
        return fields;
    }

    /** @param expected what it is to be, for people */
    List<Item> list(String expected) {
        if (!isList()) {
            throw wrong("expected " + expected + ", found " + describe());
        }
        List<Item> items = new ArrayList<>();
        ((SequenceNode) node).getValue().forEach(one -> items.add(new Item(file, one)));
        return items;
    }

    String text() {
        if (!(node instanceof ScalarNode) || node.getTag().equals(Tag.NULL)) {
            throw wrong("expected a text, found " + describe());
        }
        return ((ScalarNode) node).getValue();
    }

    /** Returns a Long, Double, Boolean or String. */
    Object scalar() {
        String text = text();
        return ((ScalarNode) node).getScalarStyle() == ScalarStyle.PLAIN ? scalar(text) : text;
    }

    /** Returns what a word without quotes stands for. */
    static Object scalar(String text) {
        if (WHOLE.matcher(text).matches()) {
            try {
                return Long.valueOf(text);
            } catch (NumberFormatException e) {
                // Beyond the largest: a number all the same.
                return Double.valueOf(text);
            }
        }
        if (DECIMAL.matcher(text).matches()) {
            return Double.valueOf(text);
        }
        return text.equals("true") || text.equals("false") ? (Object) Boolean.valueOf(text) : text;
    }

    /** Whether one of the numbers in it is written with a point. */
    boolean hasDecimals() {
        return isList()
                ? list("numbers").stream().anyMatch(Item::hasDecimals)
                : isMapping()
                        ? fields("numbers").values().stream().anyMatch(Item::hasDecimals)
                        : text().matches(".*[0-9]\\.[0-9].*");
    }

    double number() {
        Object scalar = node instanceof ScalarNode ? scalar() : null;
        if (!(scalar instanceof Number) || !Double.isFinite(((Number) scalar).doubleValue())) {
            throw wrong("expected a number, found " + describe());
        }
        return ((Number) scalar).doubleValue();
    }

    long whole(long least, long most) {
        Object scalar = node instanceof ScalarNode ? scalar() : null;
        if (!(scalar instanceof Long) || (Long) scalar < least || (Long) scalar > most) {
            throw wrong("expected a whole number from " + least + " to " + most + ", found " + describe());
        }
        return (Long) scalar;
    }

    boolean flag() {
        Object scalar = node instanceof ScalarNode ? scalar() : null;
        if (!(scalar instanceof Boolean)) {
            throw wrong("expected true or false, found " + describe());
        }
        return (Boolean) scalar;
    }

    String describe() {
        if (isMapping()) {
            return "a mapping";
        }
        if (isList()) {
            return "a list";
        }
        return node.getTag().equals(Tag.NULL) ? "nothing" : "'" + ((ScalarNode) node).getValue() + "'";
    }

    SpaceException wrong(String problem) {
        return at(file, node.getStartMark(), problem);
    }

    static SpaceException at(String file, Mark mark, String problem) {
        return new SpaceException(file + ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1) + ": " + problem);
    }
}
