package dev.lockstep.search;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** Beyond this a double does not hold every whole number. */
    private static final double LARGEST_DECIMAL = 1L << 53;

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
        entries(new HashSet<>()).forEach((key, entry) -> fields.put(key, new Item(file, entry.getValueNode())));
        return fields;
    }

    /**
     * Returns the entries of a mapping by their keys, and behind them those of mappings that it merges with {@code <<},
     * of which its own and the first of several count.
     *
     * @param within those that merge it
     */
    private Map<String, NodeTuple> entries(Set<Node> within) {
        if (!isMapping() || !within.add(node)) {
            throw wrong("expected a mapping to merge, found " + (isMapping() ? "one that merges itself" : describe()));
        }
        Map<String, NodeTuple> entries = new LinkedHashMap<>();
        List<Item> merged = new ArrayList<>();
        for (NodeTuple entry : ((MappingNode) node).getValue()) {
            Item key = new Item(file, entry.getKeyNode());
            if (entry.getKeyNode().getTag().equals(Tag.MERGE)) {
                Item value = new Item(file, entry.getValueNode());
                merged.addAll(value.isList() ? value.list("mappings to merge") : List.of(value));
            } else if (entries.put(key.text(), entry) != null) {
                throw key.wrong("the key '" + key.text() + "' stands here twice");
            }
        }
        merged.forEach(one -> one.entries(within).forEach(entries::putIfAbsent));
        within.remove(node);
        return entries;
    }

    /** As {@link #fields(String)}, refusing keys that are not known. */
    Map<String, Item> fields(String expected, Collection<String> known) {
        Map<String, Item> fields = fields(expected);
        entries(new HashSet<>()).forEach((key, entry) -> {
            if (!known.contains(key)) {
                throw new Item(file, entry.getKeyNode())
                        .wrong("unknown key '" + key + "'; known are " + String.join(", ", known));
            }
        });
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

    /** Whether it is null, which in YAML is also what has nothing behind its key. */
    boolean isNothing() {
        return node.getTag().equals(Tag.NULL);
    }

    String text() {
        if (!(node instanceof ScalarNode) || isNothing()) {
            throw wrong("expected a text, found " + describe());
        }
        return ((ScalarNode) node).getValue();
    }

    /** Returns a Long, Double, Boolean or String. */
    Object scalar() {
        Object value = value();
        if (value == null) {
            throw wrong("expected a number, a boolean or a text, found " + describe()
                    + (isNothing() ? "; quote \"null\" where it is a text" : ""));
        }
        return value;
    }

    /** As {@link #scalar()}; null where it is none. */
    private Object value() {
        if (!(node instanceof ScalarNode) || isNothing()) {
            return null;
        }
        String text = ((ScalarNode) node).getValue();
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
        Object scalar = value();
        if (!(scalar instanceof Number) || !Double.isFinite(((Number) scalar).doubleValue())) {
            throw wrong("expected a number, found " + describe());
        }
        return ((Number) scalar).doubleValue();
    }

    long whole(long least, long most) {
        Object scalar = value();
        if (scalar instanceof Double && (Double) scalar == Math.rint((Double) scalar)) {
            double number = (Double) scalar;
            scalar = Math.abs(number) <= LARGEST_DECIMAL ? (Object) (long) number : scalar;
        }
        if (!(scalar instanceof Long) || (Long) scalar < least || (Long) scalar > most) {
            throw wrong("expected a whole number from " + least + " to " + most + ", found " + describe());
        }
        return (Long) scalar;
    }

    boolean flag() {
        Object scalar = value();
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
        if (isNothing()) {
            return "nothing";
        }
        String text = ((ScalarNode) node).getValue();
        boolean needsQuotes = value() instanceof String && !(scalar(text) instanceof String);
        return "'" + JsonLines.beginning(needsQuotes ? "\"" + text + "\"" : text) + "'";
    }

    SpaceException wrong(String problem) {
        return at(file, node.getStartMark(), problem);
    }

    static SpaceException at(String file, Mark mark, String problem) {
        return new SpaceException(file + ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1) + ": " + problem);
    }
}
