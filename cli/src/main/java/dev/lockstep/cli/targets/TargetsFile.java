package dev.lockstep.cli.targets;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.AddressConverter;
import dev.lockstep.launcher.Profile;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.monitor.metrics.MetricsSource;
import dev.lockstep.results.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
import org.yaml.snakeyaml.nodes.Tag;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a targets file, the YAML of {@code --targets-file}; docs/targets.md describes it. Every complaint is a
 * {@link UsageException} of the form "file:line:column: what is wrong", so that an editor can jump to it; a file that
 * cannot be read is a {@link CliException}.
 *
 * <p>Design note: it walks the parser's tree of nodes instead of binding it to a class, because only the nodes know
 * their line.
 */
final class TargetsFile {
    private static final int LARGEST_BYTES = 1 << 20;
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]*)}");

    private final Path path;
    private final Map<String, BiConsumer<TargetSpec.Builder, Node>> keys = new LinkedHashMap<>();

    private TargetsFile(Path path) {
        this.path = path;
        keys.put("name", (target, value) -> {});
        keys.put("profile", (target, value) -> target.profile(profile(value)));
        keys.put("jdk", (target, value) -> target.jdkVersion(number(value, 8, 99)));
        keys.put("command", (target, value) -> {});
        keys.put("port", (target, value) -> target.port(number(value, 1, 65_535)));
        keys.put("readiness", (target, value) -> target.readinessPath(text(value)));
        keys.put("environment", (target, value) -> target.environment(variables(value)));
        keys.put("jvmOptions", (target, value) -> target.jvmOptions(words(value)));
        keys.put("workingDirectory", (target, value) -> {});
        keys.put("address", (target, value) -> {
            InetSocketAddress address = address(value);
            target.attach(address.getHostString(), address.getPort());
        });
        keys.put("metrics", (target, value) -> target.metrics(metrics(value)));
        keys.put("tls", (target, value) -> target.tls(flag(value)));
    }

    /**
     * Returns the file's targets by name, in the file's order. Each is checked when it is asked for: a mistake in one
     * does not keep others from being compared.
     */
    static Map<String, Supplier<TargetSpec>> read(Path path) {
        return new TargetsFile(path).read();
    }

    private Map<String, Supplier<TargetSpec>> read() {
        Node root;
        try {
            root = new Yaml(new LoaderOptions()).compose(new StringReader(contents()));
        } catch (NoSuchFileException e) {
            throw new CliException(path + ": no such targets file");
        } catch (MalformedInputException e) {
            throw new UsageException(path + ": expected a targets file in UTF-8, found other bytes");
        } catch (IOException e) {
            throw new CliException(path + ": cannot be read: " + MeasurementException.reason(e));
        } catch (MarkedYAMLException e) {
            throw at(e.getProblemMark(), "not YAML: " + e.getProblem());
        } catch (YAMLException e) {
            throw new UsageException(path + ": not YAML: " + e.getMessage());
        }
        if (root == null) {
            throw new UsageException(path + ":1:1: expected the key 'targets', found an empty file");
        }
        Map<String, Supplier<TargetSpec>> targets = new LinkedHashMap<>();
        for (Map.Entry<Node, Node> entry : mapping(root, "the key 'targets'").entrySet()) {
            if (!text(entry.getKey()).equals("targets")) {
                throw at(entry.getKey(), "unknown key '" + text(entry.getKey()) + "'; known is targets");
            }
            for (Node target : sequence(entry.getValue(), "a list of targets")) {
                String name = name(target);
                if (targets.put(name, () -> target(target)) != null) {
                    throw at(target, "a second target named '" + name + "'; names must differ");
                }
            }
        }
        if (targets.isEmpty()) {
            throw at(root, "expected at least one target, found none");
        }
        return targets;
    }

    /** Reads a pipe too, as of a shell's {@code <(...)}, and no device to its end, which has none. */
    private String contents() throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(LARGEST_BYTES + 1);
            if (bytes.length > LARGEST_BYTES) {
                throw new UsageException(
                        path + ": expected a targets file of at most " + LARGEST_BYTES + " bytes, found more");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        }
    }

    private Map<Node, Node> entries(Node target) {
        return mapping(target, "a target, which is a mapping of keys such as name and command");
    }

    private String name(Node target) {
        for (Map.Entry<Node, Node> entry : entries(target).entrySet()) {
            if (text(entry.getKey()).equals("name")) {
                return text(entry.getValue());
            }
        }
        throw at(target, "a target without the key 'name'");
    }

    private TargetSpec target(Node node) {
        Map<Node, Node> entries = entries(node);
        Map<String, Node> values = new HashMap<>();
        for (Map.Entry<Node, Node> entry : entries.entrySet()) {
            String key = text(entry.getKey());
            if (!keys.containsKey(key)) {
                throw at(
                        entry.getKey(),
                        "unknown key '" + key + "'; known are " + String.join(", ", new TreeSet<>(keys.keySet())));
            }
            values.put(key, entry.getValue());
        }
        TargetSpec.Builder target = TargetSpec.builder(text(values.get("name")));
        if (values.containsKey("command")) {
            target.command(command(values.get("command"), values.get("workingDirectory")));
        } else if (values.containsKey("workingDirectory")) {
            throw at(values.get("workingDirectory"), "workingDirectory goes with command, which this target has not");
        }
        for (Map.Entry<Node, Node> entry : entries.entrySet()) {
            try {
                keys.get(text(entry.getKey())).accept(target, entry.getValue());
            } catch (IllegalArgumentException e) {
                throw at(entry.getValue(), e.getMessage());
            }
        }
        try {
            return target.build();
        } catch (IllegalArgumentException e) {
            throw at(node, e.getMessage());
        }
    }

    private Profile profile(Node node) {
        return Profile.of(text(node))
                .orElseThrow(() -> at(
                        node,
                        "unknown profile '" + text(node) + "'; known are "
                                + Arrays.stream(Profile.values())
                                        .map(Profile::id)
                                        .collect(Collectors.joining(", "))));
    }

    private int number(Node node, int lowest, int highest) {
        String text = text(node);
        int number = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
        if (number < lowest || number > highest) {
            throw at(node, "expected a number from " + lowest + " to " + highest + ", found '" + text + "'");
        }
        return number;
    }

    private boolean flag(Node node) {
        String text = text(node);
        if (!text.equals("true") && !text.equals("false")) {
            throw at(node, "expected true or false, found '" + text + "'");
        }
        return text.equals("true");
    }

    private List<String> words(Node node) {
        if (node instanceof ScalarNode && !node.getTag().equals(Tag.NULL)) {
            try {
                return ShellWords.split(text(node));
            } catch (IllegalArgumentException e) {
                throw at(node, e.getMessage());
            }
        }
        List<String> words = new ArrayList<>();
        for (Node word : sequence(node, "a text or a list of texts")) {
            words.add(text(word));
        }
        return words;
    }

    /** A target's folder is entered by env, which then becomes the command: the process stays the same. */
    private List<String> command(Node command, Node workingDirectory) {
        List<String> words = words(command);
        if (words.isEmpty()) {
            throw at(command, "expected a program and its arguments, found nothing");
        }
        if (workingDirectory != null) {
            List<String> inDirectory = new ArrayList<>(
                    List.of("env", "-C", directory(workingDirectory).toString()));
            inDirectory.addAll(words);
            return inDirectory;
        }
        return words;
    }

    private Map<String, String> variables(Node node) {
        Map<String, String> variables = new LinkedHashMap<>();
        mapping(node, "a mapping of names to values").forEach((name, value) -> variables.put(text(name), text(value)));
        return variables;
    }

    /** Relative folders are meant from the file, so that file and application can be moved together. */
    private Path directory(Node node) {
        Path directory = path.toAbsolutePath().resolveSibling(text(node)).normalize();
        if (!Files.isDirectory(directory)) {
            throw at(
                    node,
                    "expected a folder, found " + (Files.exists(directory) ? "a file" : "nothing") + " at "
                            + directory);
        }
        return directory;
    }

    private InetSocketAddress address(Node node) {
        InetSocketAddress address;
        try {
            address = AddressConverter.read(text(node));
        } catch (TypeConversionException e) {
            throw at(node, e.getMessage());
        }
        if (address.getPort() == 0) {
            throw at(node, "expected a port from 1 to 65535, found '" + text(node) + "'");
        }
        return address;
    }

    /** A URL, or a mapping with it. */
    private MetricsSource metrics(Node node) {
        if (node instanceof ScalarNode) {
            return metrics(node, null, Map.of());
        }
        Node url = null;
        MetricsSource.Format format = null;
        Node user = null;
        Node password = null;
        Map<String, String> headers = new LinkedHashMap<>();
        for (Map.Entry<Node, Node> entry : mapping(
                        node, "a URL, or a mapping with url, format and headers or user and password")
                .entrySet()) {
            Node value = entry.getValue();
            switch (text(entry.getKey())) {
                case "url":
                    url = value;
                    break;
                case "format":
                    format = Keys.find(MetricsSource.Format.values(), MetricsSource.Format::key, text(value))
                            .orElseThrow(() ->
                                    at(value, "expected prometheus, jolokia or jmx, found '" + text(value) + "'"));
                    break;
                case "headers":
                    mapping(value, "a mapping of names to values")
                            .forEach((name, content) -> headers.put(text(name), withVariables(content)));
                    break;
                case "user":
                    user = value;
                    break;
                case "password":
                    password = value;
                    break;
                default:
                    throw at(
                            entry.getKey(),
                            "unknown key '" + text(entry.getKey())
                                    + "'; known are format, headers, password, url, user");
            }
        }
        if (url == null) {
            throw at(node, "metrics without the key 'url'");
        }
        MetricsSource source = metrics(url, format, headers);
        if (user == null && password == null) {
            return source;
        }
        if (user == null || password == null) {
            throw at(node, "metrics: user and password go together");
        }
        try {
            return source.as(withVariables(user), withVariables(password));
        } catch (IllegalArgumentException e) {
            throw at(user, "metrics: " + e.getMessage());
        }
    }

    private MetricsSource metrics(Node url, MetricsSource.Format format, Map<String, String> headers) {
        try {
            return MetricsSource.of(text(url), format, headers);
        } catch (IllegalArgumentException e) {
            throw at(url, "metrics: " + e.getMessage());
        }
    }

    /** Returns a text with the values of environment variables in place of their names; no message has one. */
    private String withVariables(Node node) {
        return VARIABLE.matcher(text(node)).replaceAll(name -> {
            String value = System.getenv(name.group(1));
            if (value == null) {
                throw at(node, "the environment variable " + name.group(1) + " is not set");
            }
            return Matcher.quoteReplacement(value);
        });
    }

    private Map<Node, Node> mapping(Node node, String expected) {
        if (!(node instanceof MappingNode)) {
            throw at(node, "expected " + expected + ", found " + describe(node));
        }
        Map<Node, Node> entries = new LinkedHashMap<>();
        TreeSet<String> seen = new TreeSet<>();
        for (NodeTuple entry : ((MappingNode) node).getValue()) {
            if (!seen.add(text(entry.getKeyNode()))) {
                throw at(entry.getKeyNode(), "the key '" + text(entry.getKeyNode()) + "' stands here twice");
            }
            entries.put(entry.getKeyNode(), entry.getValueNode());
        }
        return entries;
    }

    private List<Node> sequence(Node node, String expected) {
        if (!(node instanceof SequenceNode)) {
            throw at(node, "expected " + expected + ", found " + describe(node));
        }
        return ((SequenceNode) node).getValue();
    }

    private String text(Node node) {
        if (!(node instanceof ScalarNode) || node.getTag().equals(Tag.NULL)) {
            throw at(node, "expected a text, found " + describe(node));
        }
        return ((ScalarNode) node).getValue();
    }

    private static String describe(Node node) {
        if (node instanceof MappingNode) {
            return "a mapping";
        }
        if (node instanceof SequenceNode) {
            return "a list";
        }
        return node.getTag().equals(Tag.NULL) ? "nothing" : "'" + ((ScalarNode) node).getValue() + "'";
    }

    private UsageException at(Node node, String problem) {
        return at(node.getStartMark(), problem);
    }

    private UsageException at(Mark mark, String problem) {
        return new UsageException(path + ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1) + ": " + problem);
    }
}
