package dev.lockstep.search;

import dev.lockstep.tuner.Condition;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Direction;
import dev.lockstep.tuner.Parameter;
import dev.lockstep.tuner.Space;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;

/**
 * Reads a space file, YAML or JSON; docs/tuning.md describes it. A parameter may also have a {@code range} and no type,
 * and the parameters may be all of the file, as Twitter's Autotune had them. Every complaint is a
 * {@link SpaceException}.
 */
public final class SpaceFile {
    private static final int LARGEST_BYTES = 1 << 20;
    private static final int MOST_EVALUATIONS = 10_000;
    /** The library's own limit, 50, is less than the parameters that may share a mapping. */
    private static final int MOST_ALIASES = 10_000;

    private static final Duration LONGEST = Duration.ofDays(366);

    private static final String ALL_OF_GRAAL = "graal-all";

    /** Of Lockstep's own spaces, in the order of the help. */
    private static final List<String> BUILT_IN =
            List.of("graal-inlining", ALL_OF_GRAAL, "c2-inlining", "gc", "heap", "memory-cap", "openj9");

    private static final String OBJECTIVE = "objective";
    private static final String STOP_EARLY = "stop-early";
    private static final Set<String> KEYS = keys(
            "direction",
            "evaluations",
            "time",
            "seed",
            "noisy",
            STOP_EARLY,
            "target",
            OBJECTIVE,
            "memory",
            "warmup",
            "duration",
            "parameters",
            "constraints",
            "assert",
            "configurations");
    private static final Set<String> PARAMETER_KEYS =
            keys("name", "type", "min", "max", "range", "step", "values", "default", "when", "flag", "auto");

    private static final String NUMBER = "(-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)";
    private static final Pattern RANGE =
            Pattern.compile("\\[?\\s*" + NUMBER + "\\s*(?:\\.\\.+|,|-|to)\\s*" + NUMBER + "\\s*]?");
    private static final Pattern CONDITION = Pattern.compile("(\\S+?)\\s*(==|=|\\bin\\b)\\s*(.+)");
    private static final Pattern BYTES = Pattern.compile("([0-9]{1,9})([kmg])");
    private static final String BYTE_ORDER_MARK = "\uFEFF";
    /** Behind an even number of backslashes, which stand for themselves. */
    private static final Pattern ESCAPED_SLASH = Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*+)\\\\/");
    /** What a message of the tuner begins with that concerns one field of a parameter. */
    private static final Pattern OF_FIELD = Pattern.compile("parameter (.*?): ([a-z ]+): .*");

    private final String file;

    private SpaceFile(String file) {
        this.file = file;
    }

    private static Set<String> keys(String... keys) {
        return new LinkedHashSet<>(List.of(keys));
    }

    /** @throws SearchException where the file cannot be read */
    public static SearchPlan read(Path path) {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(LARGEST_BYTES + 1);
            if (bytes.length > LARGEST_BYTES) {
                throw new SpaceException(
                        path + ": expected a space of at most " + LARGEST_BYTES + " bytes, found more");
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return read(path.toString(), text);
        } catch (NoSuchFileException e) {
            throw new SearchException(path + ": no such space file");
        } catch (CharacterCodingException e) {
            throw new SpaceException(path + ": expected a space in UTF-8, found other bytes");
        } catch (IOException e) {
            throw new SearchException(path + ": cannot be read: " + SearchException.reason(e));
        }
    }

    /** @param file what to call the text in messages */
    public static SearchPlan read(String file, String text) {
        return new SpaceFile(file).read(text);
    }

    /** Returns the names of Lockstep's own spaces. */
    public static List<String> builtIn() {
        return BUILT_IN;
    }

    /** Returns one of Lockstep's own spaces; absent where there is none of this name. */
    public static Optional<SearchPlan> builtIn(String name) {
        return BUILT_IN.contains(name) ? Optional.of(read(name, text(name))) : Optional.empty();
    }

    /** Returns the file of one of Lockstep's own spaces. */
    static String text(String name) {
        try (InputStream in = SpaceFile.class.getResourceAsStream("spaces/" + name + ".yaml")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SearchPlan read(String text) {
        Node root;
        try {
            LoaderOptions options = new LoaderOptions();
            options.setMaxAliasesForCollections(MOST_ALIASES);
            root = new Yaml(options).compose(new StringReader(asYaml(text)));
        } catch (MarkedYAMLException e) {
            throw Item.at(file, e.getProblemMark(), "neither YAML nor JSON: " + oneLine(problem(e)));
        } catch (YAMLException e) {
            throw new SpaceException(file + ": neither YAML nor JSON: " + oneLine(e.getMessage()));
        }
        if (root == null) {
            throw new SpaceException(file + ":1:1: expected the key 'parameters', found an empty file");
        }
        Item item = new Item(file, root);
        try {
            return item.isList() ? plan(item, Map.of("parameters", item)) : plan(item, fields(item));
        } catch (IllegalArgumentException e) {
            // Of what has no place of its own above.
            throw item.wrong(oneLine(e.getMessage()));
        }
    }

    private static Map<String, Item> fields(Item root) {
        return given(root.fields("a space, which is a mapping with the key 'parameters'", KEYS));
    }

    /** Takes keys that nothing stands behind for left out, but that of the parameters, which must be there. */
    private static Map<String, Item> given(Map<String, Item> fields) {
        fields.entrySet()
                .removeIf(one -> one.getValue().isNothing() && !one.getKey().equals("parameters"));
        return fields;
    }

    /** Some problems are the second half of a sentence. */
    private static String problem(MarkedYAMLException e) {
        return e.getProblem().startsWith("but ") && e.getContext() != null
                ? e.getContext() + ", " + e.getProblem()
                : e.getProblem();
    }

    private static String oneLine(String message) {
        return message.replaceAll("\\s*\\R\\s*", " ");
    }

    /** JSON may be indented by tabs, of which its texts have none, and escape slashes: YAML allows neither. */
    private static String asYaml(String file) {
        String text = file.startsWith(BYTE_ORDER_MARK) ? file.substring(1) : file;
        String begin = text.stripLeading();
        return begin.startsWith("{") || begin.startsWith("[")
                ? ESCAPED_SLASH.matcher(text.replace('\t', ' ')).replaceAll("$1/")
                : text;
    }

    // ---- the parts ----------------------------------------------------------------------------------------------

    private SearchPlan plan(Item root, Map<String, Item> fields) {
        Item listed = fields.get("parameters");
        if (listed == null) {
            throw root.wrong("expected the key 'parameters', found "
                    + (fields.isEmpty() ? "an empty mapping" : String.join(", ", fields.keySet())));
        }
        Space.Builder builder = Space.builder();
        Map<String, FlagTemplate> flags = new LinkedHashMap<>();
        Map<String, Object> automatic = new LinkedHashMap<>();
        List<Parameter> parameters = new ArrayList<>();
        Map<String, Item> places = new LinkedHashMap<>();
        for (Map.Entry<String, Item> one : parameterItems(listed)) {
            ReadParameter read = parameter(one.getKey(), one.getValue());
            String name = read.parameter.name();
            if (places.put(name, one.getValue()) != null) {
                throw one.getValue().wrong("a second parameter named '" + name + "'; names must differ");
            }
            parameters.add(read.parameter);
            read.flag.ifPresent(flag -> flags.put(name, flag));
            read.automatic.ifPresent(value -> automatic.put(name, value));
        }
        if (parameters.isEmpty()) {
            throw listed.wrong("expected at least one parameter, found none");
        }
        builder.addAllParameters(parameters);
        directions(fields, builder);
        if (fields.containsKey("constraints")) {
            builder.addAllConstraints(constraints(fields.get("constraints")));
        }
        if (fields.containsKey("assert")) {
            for (Item rule : fields.get("assert").list("a list of rules between parameters")) {
                try {
                    builder.addRules(RuleText.parse(rule.text(), parameters));
                } catch (IllegalArgumentException e) {
                    throw rule.wrong(e.getMessage());
                }
            }
        }
        Space space;
        try {
            space = builder.build();
        } catch (IllegalArgumentException e) {
            throw place(e, places, listed);
        }
        graalFlags(parameters, flags);
        SearchPlan.Builder plan =
                SearchPlan.builder(space).file(file).putAllFlags(flags).putAllAutomatic(automatic);
        rest(fields, space, plan);
        return plan.build();
    }

    /** Adds one direction for all objectives, or one for each. */
    private static void directions(Map<String, Item> fields, Space.Builder builder) {
        boolean two = fields.containsKey(OBJECTIVE)
                && objectives(fields.get(OBJECTIVE)).size() == 2;
        Item item = fields.get("direction");
        if (item != null && item.isList() && two) {
            List<Item> each = item.list("a list of directions");
            if (each.size() != 2) {
                throw item.wrong("expected a direction for each of the two objectives, found " + each.size());
            }
            builder.direction(direction(each.get(0))).secondDirection(direction(each.get(1)));
        } else {
            Direction both = item == null ? Direction.MINIMIZE : direction(item);
            builder.direction(both);
            if (two) {
                builder.secondDirection(both);
            }
        }
    }

    /** Returns the names of one objective or two. */
    private static List<String> objectives(Item item) {
        if (!item.isList()) {
            return List.of(item.text());
        }
        List<String> names = new ArrayList<>();
        for (Item one : item.list("an objective, or a list of two")) {
            if (one.text().isBlank()) {
                throw one.wrong("expected the name of an objective, found an empty text");
            }
            if (names.contains(one.text())) {
                throw one.wrong("the objective '" + one.text() + "' stands here twice");
            }
            names.add(one.text());
        }
        if (names.isEmpty() || names.size() > 2) {
            throw item.wrong("expected one objective or two, found " + names.size());
        }
        return names;
    }

    /** Adds the options of Graal's parameters, which are no flags of HotSpot's, where the file gives none. */
    private void graalFlags(List<Parameter> parameters, Map<String, FlagTemplate> flags) {
        if (BUILT_IN.contains(file)) {
            return;
        }
        Map<String, FlagTemplate> known = builtIn(ALL_OF_GRAAL).orElseThrow().flags();
        for (Parameter one : parameters) {
            if (known.containsKey(one.name())) {
                flags.putIfAbsent(one.name(), known.get(one.name()));
            }
        }
    }

    private void rest(Map<String, Item> fields, Space space, SearchPlan.Builder plan) {
        fields.forEach((key, item) -> {
            switch (key) {
                case "evaluations":
                    plan.evaluations((int) item.whole(1, MOST_EVALUATIONS));
                    break;
                case "time":
                    plan.timeBudget(positive(duration(item, "a duration"), item));
                    break;
                case "warmup":
                    if (!item.text().equals("auto")) {
                        plan.warmup(duration(item, "auto or a duration"));
                    }
                    break;
                case "duration":
                    plan.duration(positive(duration(item, "a duration"), item));
                    break;
                case "seed":
                    plan.seed(item.whole(Long.MIN_VALUE, Long.MAX_VALUE));
                    break;
                case "noisy":
                    plan.noisy(item.flag());
                    break;
                case STOP_EARLY:
                    plan.stopEarly(item.flag());
                    break;
                case "target":
                    plan.target(item.text());
                    break;
                case OBJECTIVE:
                    List<String> names = objectives(item);
                    plan.objective(names.get(0));
                    if (names.size() > 1) {
                        plan.secondObjective(names.get(1));
                    }
                    break;
                case "memory":
                    plan.memoryBytes(bytes(item));
                    break;
                case "configurations":
                    for (Item one : item.list("a list of configurations, which are mappings of parameters to values")) {
                        plan.configuration(configuration(one, space));
                    }
                    break;
                default:
                // The space's own.
            }
        });
    }

    private static Configuration configuration(Item item, Space space) {
        Map<String, Object> values = new LinkedHashMap<>();
        item.fields("a configuration, which is a mapping of parameters to values")
                .forEach((name, value) -> values.put(name, value.scalar()));
        try {
            return space.configuration(values);
        } catch (IllegalArgumentException e) {
            throw item.wrong(e.getMessage());
        }
    }

    private static long bytes(Item item) {
        Matcher bytes = BYTES.matcher(item.text());
        if (!bytes.matches()) {
            throw item.wrong("expected an amount of memory with its unit such as 128m or 1g, found " + item.describe());
        }
        return Long.parseLong(bytes.group(1)) << (10 * (" kmg".indexOf(bytes.group(2))));
    }

    /**
     * Returns a duration as options have it, of which a bare number is one of seconds.
     *
     * @param expected what it is to be, for people
     */
    private static Duration duration(Item item, String expected) {
        String text = item.text();
        try {
            // ISO 8601 has PT1H30M for 1h30m.
            Duration found = Duration.parse("PT" + (text.matches("[0-9.]+") ? text + "s" : text));
            if (!found.isNegative() && found.compareTo(LONGEST) <= 0) {
                return found;
            }
        } catch (DateTimeParseException e) {
            // As one that is too long.
        }
        throw item.wrong(
                "expected " + expected + " such as 90s, 2m or 1h30m, of at most a year, found " + item.describe());
    }

    private static Duration positive(Duration duration, Item item) {
        if (duration.isZero()) {
            throw item.wrong("expected a duration above 0, found " + item.describe());
        }
        return duration;
    }

    private static Direction direction(Item item) {
        for (Direction direction : item.isList() ? new Direction[0] : Direction.values()) {
            if (direction.label().equals(item.text())) {
                return direction;
            }
        }
        throw item.wrong("expected minimize or maximize, found " + item.describe()
                + (item.isList() ? "; where there are two, name both, as in objective: [a, b]" : ""));
    }

    private static List<String> constraints(Item item) {
        Set<String> names = new LinkedHashSet<>();
        for (Item one : item.list("a list of names of constraints")) {
            if (one.text().isBlank()) {
                throw one.wrong("expected the name of a constraint, found an empty text");
            }
            if (!names.add(one.text())) {
                throw one.wrong("the constraint '" + one.text() + "' stands here twice");
            }
        }
        return new ArrayList<>(names);
    }

    /** Finds the parameter that a message of the space is about. */
    private static SpaceException place(IllegalArgumentException e, Map<String, Item> places, Item otherwise) {
        Matcher message = OF_FIELD.matcher(e.getMessage());
        Item place = message.matches() ? places.getOrDefault(message.group(1), otherwise) : otherwise;
        return place.wrong(e.getMessage());
    }

    // ---- a parameter --------------------------------------------------------------------------------------------

    /** What stands of a parameter in the file. */
    private static final class ReadParameter {
        final Parameter parameter;
        final Optional<FlagTemplate> flag;
        final Optional<Object> automatic;

        ReadParameter(Parameter parameter, Optional<FlagTemplate> flag, Optional<Object> automatic) {
            this.parameter = parameter;
            this.flag = flag;
            this.automatic = automatic;
        }
    }

    /** Returns the parameters, each with its name where that is its key; null where it is among its fields. */
    private static List<Map.Entry<String, Item>> parameterItems(Item listed) {
        List<Map.Entry<String, Item>> items = new ArrayList<>();
        if (listed.isMapping()) {
            listed.fields("a list of parameters").forEach((name, item) -> items.add(entry(name, item)));
        } else {
            listed.list("a list of parameters").forEach(item -> items.add(entry(null, item)));
        }
        return items;
    }

    private static Map.Entry<String, Item> entry(String name, Item item) {
        return new SimpleImmutableEntry<>(name, item);
    }

    private ReadParameter parameter(String key, Item item) {
        if (key != null && !item.isMapping()) {
            // NAME: RANGE
            return parameter(key, item, Map.of("range", item));
        }
        return parameter(
                key,
                item,
                given(item.fields("a parameter, which is a mapping with name, type and range", PARAMETER_KEYS)));
    }

    private ReadParameter parameter(String key, Item item, Map<String, Item> fields) {
        if (key == null && !fields.containsKey("name")) {
            throw item.wrong("a parameter without the key 'name'");
        }
        if (key != null && fields.containsKey("name")) {
            throw fields.get("name").wrong("expected no name beside the key '" + key + "', found one");
        }
        String name = key != null ? key : fields.get("name").text();
        if (name.isBlank()) {
            throw (key != null ? item : fields.get("name"))
                    .wrong("expected the name of a parameter, found an empty text");
        }
        if (fields.containsKey("range") && (fields.containsKey("min") || fields.containsKey("max"))) {
            throw fields.get("range").wrong("expected a range, or min and max, found both");
        }
        Parameter.Type type = type(item, fields);
        Parameter.Builder builder = Parameter.builder(name, type);
        fields.forEach((field, value) -> add(builder, type, field, value));
        Optional<Object> automatic = Optional.ofNullable(fields.get("auto")).map(Item::scalar);
        automatic.ifPresent(value -> {
            builder.addSpecial(value);
            if (!fields.containsKey("default")) {
                builder.defaultValue(value);
            }
        });
        try {
            Parameter parameter = builder.build();
            return new ReadParameter(
                    parameter,
                    Optional.ofNullable(fields.get("flag")).map(flag -> flag(parameter, flag)),
                    automatic.map(parameter::value));
        } catch (IllegalArgumentException e) {
            Matcher message = OF_FIELD.matcher(e.getMessage());
            String field = message.matches() ? message.group(2) : "";
            Item place = fields.get(field.equals("special values") ? "auto" : field);
            throw (place == null ? item : place).wrong(e.getMessage());
        }
    }

    private static Parameter.Type type(Item item, Map<String, Item> fields) {
        Item type = fields.get("type");
        if (type != null) {
            try {
                return Parameter.Type.of(type.text());
            } catch (IllegalArgumentException e) {
                throw type.wrong(e.getMessage());
            }
        }
        if (!fields.containsKey("range")) {
            throw item.wrong("a parameter without the key 'type'");
        }
        double[] range = range(fields.get("range"));
        Object usual = fields.containsKey("default") ? fields.get("default").scalar() : null;
        double step = fields.containsKey("step") ? fields.get("step").number() : 1;
        boolean whole = range[0] == Math.rint(range[0])
                && range[1] == Math.rint(range[1])
                && step == Math.rint(step)
                && !(usual instanceof Double)
                && !fields.get("range").hasDecimals();
        return whole ? Parameter.Type.INT : Parameter.Type.FLOAT;
    }

    private static void add(Parameter.Builder builder, Parameter.Type type, String field, Item value) {
        switch (field) {
            case "min":
                builder.min(value.number());
                break;
            case "max":
                builder.max(value.number());
                break;
            case "range":
                double[] range = range(value);
                builder.min(range[0]).max(range[1]);
                break;
            case "step":
                builder.step(value.number());
                break;
            case "values":
                List<Object> values = value.list("a list of values").stream()
                        .map(Item::scalar)
                        .collect(Collectors.toList());
                if (type != Parameter.Type.BOOLEAN || !isBoth(values)) {
                    builder.addAllValues(values);
                }
                break;
            case "default":
                builder.defaultValue(value.scalar());
                break;
            case "when":
                builder.when(condition(value));
                break;
            default:
            // Read elsewhere.
        }
    }

    /** Whether these are the values that a boolean has anyway. */
    private static boolean isBoth(List<Object> values) {
        return values.size() == 2 && values.contains(true) && values.contains(false);
    }

    /** Returns the ends of {@code [10, 25]}, {@code 10..25} or {@code {min: 10, max: 25}}. */
    private static double[] range(Item item) {
        if (item.isList()) {
            List<Item> ends = item.list("a range");
            if (ends.size() == 2) {
                return new double[] {ends.get(0).number(), ends.get(1).number()};
            }
        } else if (item.isMapping()) {
            Map<String, Item> ends = item.fields("a range", List.of("min", "max"));
            if (ends.size() == 2) {
                return new double[] {ends.get("min").number(), ends.get("max").number()};
            }
        } else if (!item.isNothing()) {
            Matcher range = RANGE.matcher(item.text().trim());
            if (range.matches()) {
                return new double[] {Double.parseDouble(range.group(1)), Double.parseDouble(range.group(2))};
            }
        }
        throw item.wrong("expected a range such as [10, 25] or 10..25, found " + item.describe());
    }

    /**
     * Returns the condition of {@code {other: value}}, {@code {other: [a, b]}}, {@code other == value} or
     * {@code {parameter: other, equals: value}}.
     */
    private static Condition condition(Item item) {
        try {
            return checkedCondition(item);
        } catch (IllegalArgumentException e) {
            throw item.wrong(e.getMessage());
        }
    }

    private static Condition checkedCondition(Item item) {
        if (!item.isMapping()) {
            Matcher text = CONDITION.matcher(item.text());
            if (!text.matches()) {
                throw item.wrong(
                        "expected when another parameter has which value, as in {gc: G1}, found " + item.describe());
            }
            List<Object> values = new ArrayList<>();
            for (String word : text.group(3).replaceAll("[\\[\\]]", "").split(",")) {
                values.add(Item.scalar(word.trim().replaceAll("^['\"]|['\"]$", "")));
            }
            return Condition.of(text.group(1), values);
        }
        Map<String, Item> fields = item.fields("a condition");
        Item named = fields.getOrDefault("parameter", fields.get("name"));
        Optional<Item> values = Stream.of("values", "value", "equals", "in")
                .map(fields::get)
                .filter(Objects::nonNull)
                .findFirst();
        if (fields.size() == 2 && named != null && values.isPresent()) {
            return Condition.of(named.text(), values(values.get()));
        }
        if (fields.size() != 1) {
            throw item.wrong("expected one other parameter and its value, as in {gc: G1}, found "
                    + (fields.isEmpty() ? "none" : String.join(", ", fields.keySet())));
        }
        Map.Entry<String, Item> only = fields.entrySet().iterator().next();
        return Condition.of(only.getKey(), values(only.getValue()));
    }

    private static List<Object> values(Item item) {
        if (!item.isList()) {
            return List.of(item.scalar());
        }
        List<Item> values = item.list("values");
        if (values.isEmpty()) {
            throw item.wrong("expected a value or more, found none");
        }
        return values.stream().map(Item::scalar).collect(Collectors.toList());
    }

    private static FlagTemplate flag(Parameter parameter, Item item) {
        try {
            if (!item.isMapping()) {
                return FlagTemplate.of(parameter, item.text());
            }
        } catch (IllegalArgumentException e) {
            throw item.wrong(e.getMessage());
        }
        Map<String, String> texts = new LinkedHashMap<>();
        item.fields("options by value").forEach((value, options) -> texts.put(value, options.text()));
        List<Object> all =
                new ArrayList<>(parameter.type() == Parameter.Type.BOOLEAN ? List.of(false, true) : parameter.values());
        all.addAll(parameter.special());
        Set<String> expected =
                all.stream().map(FlagTemplate::print).collect(Collectors.toCollection(LinkedHashSet::new));
        if (parameter.count().orElse(-1) != expected.size() || !expected.equals(texts.keySet())) {
            throw item.wrong("expected options for each value, " + String.join(", ", expected) + ", found "
                    + String.join(", ", texts.keySet()));
        }
        return FlagTemplate.byValue(texts);
    }
}
