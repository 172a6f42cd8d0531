package dev.lockstep.redaction;

import dev.lockstep.capture.CaptureException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads a file of rules, the YAML of {@code --redact}; docs/redaction.md describes it. Every complaint has the form
 * "file:line:column: expected, found", so that an editor can jump to it.
 *
 * <p>Design note: it walks the parser's tree of nodes instead of binding it to a class, because only the nodes know
 * their line, and because a field path such as 2.10 is no number.
 */
final class PolicyFile {
    private static final int LARGEST_BYTES = 1 << 20;
    private static final int LONGEST_MESSAGE = 300;
    private static final List<String> KEYS = List.of("defaults", "headers", "query", "form", "json", "thrift");

    private final Path path;
    private final RuleBuilder rules = new RuleBuilder();

    private PolicyFile(Path path) {
        this.path = path;
    }

    static RuleSet read(Path path) {
        return new PolicyFile(path).read();
    }

    private RuleSet read() {
        Map<String, Node> values = new HashMap<>();
        Node root = compose();
        if (root != null) {
            for (NodeTuple entry : mapping(root, "a mapping of rules").getValue()) {
                String key = text(entry.getKeyNode(), "a key");
                if (!KEYS.contains(key)) {
                    throw at(
                            entry.getKeyNode(), "expected one of " + String.join(", ", KEYS) + ", found '" + key + "'");
                }
                if (values.put(key, entry.getValueNode()) != null) {
                    throw at(entry.getKeyNode(), "expected each key once, found a second '" + key + "'");
                }
            }
        }
        if (values.isEmpty()) {
            throw new RedactionException(path + ": expected rules under one or more of " + String.join(", ", KEYS)
                    + ", found nothing; leave the file out for the built-in rules");
        }
        if (!values.containsKey("defaults") || flag(values.get("defaults"))) {
            rules.defaults();
        }
        names(values, "headers", rules::header);
        names(values, "query", rules::query);
        names(values, "form", rules::form);
        names(values, "json", rules::json);
        thrift(values.get("thrift"));
        rules.described("rules of " + path.getFileName());
        try {
            return rules.build();
        } catch (IllegalArgumentException e) {
            throw new RedactionException(path + ": " + e.getMessage(), e);
        }
    }

    private Node compose() {
        try {
            return new Yaml(new LoaderOptions()).compose(new StringReader(contents()));
        } catch (NoSuchFileException e) {
            throw new RedactionException(path + ": no such file of redaction rules", e);
        } catch (MalformedInputException e) {
            throw new RedactionException(path + ": expected redaction rules in UTF-8, found other bytes", e);
        } catch (IOException e) {
            throw new RedactionException(path + ": cannot be read: " + CaptureException.reason(e), e);
        } catch (MarkedYAMLException e) {
            throw at(e.getProblemMark(), "not YAML: " + e.getProblem());
        } catch (YAMLException e) {
            throw new RedactionException(path + ": not YAML: " + oneLine(e.getMessage()), e);
        }
    }

    private String contents() throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(LARGEST_BYTES + 1);
            if (bytes.length > LARGEST_BYTES) {
                throw new RedactionException(
                        path + ": expected a file of rules of at most " + LARGEST_BYTES + " bytes, found more");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        }
    }

    private void names(Map<String, Node> values, String key, Consumer<String> rule) {
        Node list = values.get(key);
        if (list != null) {
            for (Node node : sequence(list, "a list of names").getValue()) {
                accept(node, text(node, "a name"), rule);
            }
        }
    }

    private void thrift(Node node) {
        if (node == null) {
            return;
        }
        for (NodeTuple entry :
                mapping(node, "a mapping of functions to lists of field ids").getValue()) {
            String function = text(entry.getKeyNode(), "a function's name");
            for (Node field : sequence(entry.getValueNode(), "a list of field ids such as [1, 2.3]")
                    .getValue()) {
                accept(field, text(field, "a field id such as 1 or 2.3"), ids -> rules.thrift(function, ids));
            }
        }
    }

    private void accept(Node node, String value, Consumer<String> rule) {
        try {
            rule.accept(value);
        } catch (IllegalArgumentException e) {
            throw at(node, e.getMessage());
        }
    }

    private boolean flag(Node node) {
        String value = text(node, "true or false");
        if (!value.equals("true") && !value.equals("false")) {
            throw at(node, "expected true or false, found '" + value + "'");
        }
        return value.equals("true");
    }

    private MappingNode mapping(Node node, String expected) {
        if (node instanceof MappingNode) {
            return (MappingNode) node;
        }
        throw at(node, "expected " + expected + ", found " + found(node));
    }

    private SequenceNode sequence(Node node, String expected) {
        if (node instanceof SequenceNode) {
            return (SequenceNode) node;
        }
        throw at(node, "expected " + expected + ", found " + found(node));
    }

    private String text(Node node, String expected) {
        if (node instanceof ScalarNode && !((ScalarNode) node).getValue().isEmpty()) {
            return ((ScalarNode) node).getValue();
        }
        throw at(node, "expected " + expected + ", found " + found(node));
    }

    private static String found(Node node) {
        if (node instanceof MappingNode) {
            return "a mapping";
        }
        if (node instanceof SequenceNode) {
            return "a list";
        }
        String value = ((ScalarNode) node).getValue();
        return value.isEmpty() ? "nothing" : "'" + value + "'";
    }

    private RedactionException at(Node node, String message) {
        return at(node.getStartMark(), message);
    }

    private RedactionException at(Mark mark, String message) {
        return new RedactionException(
                path + ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1) + ": " + oneLine(message));
    }

    /** What was found may be anything. */
    private static String oneLine(String message) {
        String line = message.replaceAll("[\\s\\p{Cntrl}]+", " ");
        return line.length() <= LONGEST_MESSAGE ? line : line.substring(0, LONGEST_MESSAGE) + "...";
    }
}
