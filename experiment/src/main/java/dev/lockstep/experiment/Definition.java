package dev.lockstep.experiment;

import dev.lockstep.measurement.MeasurementException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * An experiment as its folder has it: {@code experiment.yaml}, which docs/experiments.md describes, and perhaps
 * {@code targets.yaml}. Immutable.
 */
public final class Definition {
    /** The file in an experiment's folder that makes it one. */
    public static final String FILE = "experiment.yaml";

    private static final Pattern NAME = Pattern.compile("[a-z0-9@][a-zA-Z0-9@._+-]{0,60}");
    private static final Pattern AMOUNT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([a-zA-Z]*)");
    private static final Pattern DURATION = Pattern.compile("([0-9]+)(s|m|h)");
    private static final String FOREACH = "foreach";
    private static final String PUBLISHED = "published";
    private static final String CORRECTED = "corrected";
    private static final String JUDGED = "judged";
    private static final String TARGET = "target";
    private static final String CONNECTIONS = "connections";
    private static final String CONNECTIONS_TO = "connectionsTo";

    private final Path folder;
    private final String title;
    private final String asks;
    private final String source;
    private final String rig;
    private final String expected;
    private final List<String> traps;
    /** What is less here than the definition asks for, since this process can do no more. */
    private final Map<Size, String> lowered = new EnumMap<>(Size.class);

    private final List<Service> services;
    private final Map<Size, Map<String, List<String>>> variables = new EnumMap<>(Size.class);
    private final Map<String, Map<String, List<String>>> tables;
    private final Map<Size, List<Part>> parts = new EnumMap<>(Size.class);
    private final List<FigureTemplate> figures = new ArrayList<>();
    private final List<Chart> charts = new ArrayList<>();

    private Definition(Path folder, Fields fields, IntToLongFunction mostConnections) {
        this.folder = folder;
        title = fields.text("title");
        asks = fields.text("asks").strip();
        source = fields.text("source").strip();
        rig = fields.text("rig").strip();
        expected = fields.text("expected").strip();
        traps = fields.list("traps").stream()
                .map(trap -> String.valueOf(trap).strip())
                .collect(Collectors.toList());
        services = services(fields);
        Fields sizes = Fields.of(fields.place("sizes"), fields.value("sizes"), "smoke", "quick", "full");
        for (Size size : Size.values()) {
            variables.put(
                    size,
                    Fields.map(sizes.place(size.key()), sizes.value(size.key())).allWords());
        }
        if (fields.has(CONNECTIONS_TO)) {
            for (Size size : Size.values()) {
                lower(fields, sizes.place(size.key()), size, mostConnections);
            }
        }
        tables = new LinkedHashMap<>();
        if (fields.has("tables")) {
            Fields all = Fields.map(fields.place("tables"), fields.value("tables"));
            for (String table : all.keys()) {
                tables.put(table, Fields.map(all.place(table), all.value(table)).allWords());
            }
        }
        for (Size size : Size.values()) {
            parts.put(size, parts(fields, size));
        }
        int number = 0;
        Set<String> names = new HashSet<>();
        for (Object value : fields.list("figures")) {
            String place = fields.place("figures") + "[" + number++ + "]";
            FigureTemplate figure = figure(place, value, true);
            checkShown(place, figure, names);
            figures.add(figure);
        }
        number = 0;
        for (Object value : fields.list("charts")) {
            String place = fields.place("charts") + "[" + number++ + "]";
            Chart chart = chart(place, value);
            requireVariables(place + ".lines", chart.lines, Size.FULL);
            requireVariables(place + ".x", List.of(chart.x), Size.FULL);
            charts.add(chart);
        }
    }

    /** Returns the names of the experiments in a folder, in alphabetical order. */
    public static List<String> names(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(one -> Files.isRegularFile(one.resolve(FILE)))
                    .map(one -> one.getFileName().toString())
                    .sorted()
                    .collect(Collectors.toList());
        } catch (IOException e) {
            throw new ExperimentException(folder + ": expected the folder of the experiments, found none");
        }
    }

    /** @param folder with the file; its name is the experiment's */
    public static Definition read(Path folder) {
        return read(folder, targets -> Long.MAX_VALUE);
    }

    /** @param mostConnections how many connections this process can hold to each of so many targets */
    public static Definition read(Path folder, IntToLongFunction mostConnections) {
        Path file = folder.resolve(FILE);
        Object document;
        try {
            document = new Yaml(new SafeConstructor(new LoaderOptions()))
                    .load(Files.readString(file, StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            throw new ExperimentException(file + ": no such file");
        } catch (IOException e) {
            throw new ExperimentException(file + ": cannot be read: " + MeasurementException.reason(e));
        } catch (YAMLException e) {
            throw new ExperimentException(file + ": " + e.getMessage().replaceAll("\\s*\\R\\s*", " "));
        }
        return new Definition(
                folder,
                Fields.of(
                        file + ":",
                        document,
                        "title",
                        "asks",
                        "source",
                        "rig",
                        "expected",
                        "traps",
                        "services",
                        "sizes",
                        CONNECTIONS_TO,
                        "tables",
                        "parts",
                        "figures",
                        "charts"),
                mostConnections);
    }

    /** Has the variable {@code connections} be no more than can be held to each of the targets. */
    private void lower(Fields fields, String place, Size size, IntToLongFunction mostConnections) {
        String targets = fields.text(CONNECTIONS_TO);
        List<String> asked = variables.get(size).getOrDefault(CONNECTIONS, List.of());
        if (asked.size() != 1 || !asked.get(0).matches("[0-9]{1,9}")) {
            throw new ExperimentException(place + "." + CONNECTIONS + ": expected a whole number, since there is "
                    + CONNECTIONS_TO + ", found " + String.join(" ", asked));
        }
        if (!variables.get(size).containsKey(targets)) {
            throw new ExperimentException(fields.place(CONNECTIONS_TO)
                    + ": expected a variable of all sizes with the targets, found '" + targets + "'");
        }
        int each = String.join(",", variables.get(size).get(targets)).split(",").length;
        long most = Math.max(1, mostConnections.applyAsLong(each));
        long wanted = Long.parseLong(asked.get(0));
        if (wanted > most) {
            variables.get(size).put(CONNECTIONS, List.of(String.valueOf(most)));
            lowered.put(
                    size,
                    String.format(
                            Locale.ROOT,
                            "%,d connections to each of %d targets in place of %,d: this process can hold no more"
                                    + " (ulimit -n, and local ports).",
                            most,
                            each,
                            wanted));
        }
    }

    /** Refuses a variable that a size does not have: what is made for each of its values would be missing unsaid. */
    private void requireVariables(String place, List<String> names, Size size) {
        for (String name : names) {
            if (!variables.get(size).containsKey(name)) {
                throw new ExperimentException(
                        place + ": expected a variable of sizes." + size.key() + ", found '" + name + "'");
            }
        }
    }

    /**
     * Refuses what would be missing in the table unsaid: a figure of no part, two of one name, a published one of no
     * combination.
     *
     * @param names of the figures before, to which those of this one are added
     */
    private void checkShown(String place, FigureTemplate figure, Set<String> names) {
        requireVariables(place + "." + FOREACH, figure.foreach, Size.FULL);
        Set<String> keys = new HashSet<>();
        for (Scope scope : scope(place, Size.FULL).each(figure.foreach)) {
            String name = scope.text(figure.name);
            if (!names.add(name)) {
                throw new ExperimentException(place + ".name: '" + name + "' stands here twice");
            }
            String part = scope.text(figure.part).split("/")[0];
            boolean isPart = parts.values().stream().flatMap(List::stream).anyMatch(one -> one.name()
                    .equals(part));
            if (!isPart) {
                throw new ExperimentException(place + ".part: expected a part of some size, found '" + part + "'");
            }
            keys.add(scope.text(figure.publishedKey));
        }
        for (String key : figure.published.keySet()) {
            if (!keys.contains(key)) {
                throw new ExperimentException(place + "." + PUBLISHED + ": expected values of the variables in "
                        + FOREACH + ", found '" + key + "'");
            }
        }
    }

    private static List<Service> services(Fields fields) {
        List<Service> services = new ArrayList<>();
        if (fields.has("services")) {
            Fields all = Fields.map(fields.place("services"), fields.value("services"));
            for (String name : all.keys()) {
                services.add(new Service(name, all.words(name)));
            }
        }
        return services;
    }

    private Scope scope(String place, Size size) {
        return new Scope(place, variables.get(size), tables);
    }

    // ---- parts --------------------------------------------------------------------------------------------------

    private List<Part> parts(Fields fields, Size size) {
        List<Part> all = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        int number = 0;
        for (Object value : fields.list("parts")) {
            String place = fields.place("parts") + "[" + number++ + "]";
            Fields part = Fields.of(
                    place,
                    value,
                    "name",
                    FOREACH,
                    "sizes",
                    "targets",
                    "services",
                    "needs",
                    "command",
                    "tries",
                    "about");
            List<String> sizes = part.words("sizes");
            for (String word : sizes) {
                if (Arrays.stream(Size.values()).noneMatch(known -> known.key().equals(word))) {
                    throw new ExperimentException(
                            place + ".sizes: expected smoke, quick or full, found '" + word + "'");
                }
            }
            if (!sizes.isEmpty() && !sizes.contains(size.key())) {
                continue;
            }
            Optional<String> note = Optional.ofNullable(lowered.get(size))
                    .filter(why -> part.words("command").contains("{" + CONNECTIONS + "}"));
            requireVariables(place + "." + FOREACH, part.words(FOREACH), size);
            for (Scope scope : scope(place, size).each(part.words(FOREACH))) {
                Part one = part(part, scope, note);
                if (!names.add(one.name())) {
                    throw new ExperimentException(place + ": the name '" + one.name() + "' stands here twice");
                }
                all.add(one);
            }
        }
        if (all.isEmpty()) {
            throw new ExperimentException(
                    fields.place("parts") + ": expected a part of size " + size.key() + ", found none");
        }
        return all;
    }

    private Part part(Fields part, Scope scope, Optional<String> note) {
        String name = scope.text(part.text("name"));
        if (!NAME.matcher(name).matches()) {
            throw new ExperimentException(
                    part.place("name") + ": expected a name of letters, digits and -._@+, found '" + name + "'");
        }
        List<String> words = scope.words(part.words("command"));
        if (words.isEmpty()) {
            throw new ExperimentException(part.place("command") + ": expected the words of a command, found none");
        }
        Set<String> used = part.words("services").stream().collect(Collectors.toCollection(LinkedHashSet::new));
        for (String service : used) {
            if (services.stream().noneMatch(one -> one.name().equals(service))) {
                throw new ExperimentException(part.place("services") + ": unknown service '" + service + "'");
            }
        }
        Set<String> late = new LinkedHashSet<>(Set.of(
                "{root}", "{targetApp}", "{targetsFile}", "{processors}", "{folder}", "{directory}", "{thisJava}"));
        used.forEach(service -> late.add("{" + service + "}"));
        if (part.has("tries")) {
            late.add("{try}");
            if (!words.contains("--assert")) {
                throw new ExperimentException(part.place("command")
                        + ": expected --assert with what must hold, which decides on each of the tries, found none");
            }
        }
        for (String word : words) {
            String rest = word;
            for (String known : late) {
                rest = rest.replace(known, "");
            }
            String left = Scope.leftIn(rest);
            if (left != null) {
                throw new ExperimentException(part.place("command") + ": unknown placeholder " + left);
            }
        }
        return new Part(
                name,
                words,
                scope.words(part.words("targets")),
                new ArrayList<>(used),
                scope.words(part.words("needs")),
                rising(part.place("tries"), scope.words(part.words("tries"))),
                part.has("about") ? Optional.of(duration(part, scope)) : Optional.empty(),
                false,
                note);
    }

    /**
     * Refuses values that are no amounts of one unit in rising order: of those the least that holds is found by
     * halving.
     */
    private static List<String> rising(String place, List<String> tries) {
        for (int i = 0; i < tries.size(); i++) {
            Matcher amount = AMOUNT.matcher(tries.get(i));
            Matcher before = AMOUNT.matcher(tries.get(Math.max(0, i - 1)));
            boolean isRising = amount.matches()
                    && before.matches()
                    && amount.group(2).equals(before.group(2))
                    && (i == 0 || new BigDecimal(amount.group(1)).compareTo(new BigDecimal(before.group(1))) > 0);
            if (!isRising) {
                throw new ExperimentException(
                        place + ": expected amounts of one unit in rising order, such as 64m, 128m, found '"
                                + String.join(", ", tries) + "'");
            }
        }
        return tries;
    }

    private static Duration duration(Fields part, Scope scope) {
        String text = scope.text(part.text("about"));
        Matcher amount = DURATION.matcher(text);
        if (!amount.matches()) {
            throw new ExperimentException(
                    part.place("about") + ": expected a time such as 90s or 12m, found '" + text + "'");
        }
        long value = Long.parseLong(amount.group(1));
        return amount.group(2).equals("s")
                ? Duration.ofSeconds(value)
                : amount.group(2).equals("m") ? Duration.ofMinutes(value) : Duration.ofHours(value);
    }

    // ---- figures and charts -------------------------------------------------------------------------------------

    private static FigureTemplate figure(String place, Object value, boolean named) {
        Fields fields = Fields.of(
                place,
                value,
                "name",
                FOREACH,
                "unit",
                "part",
                "ratio",
                "difference",
                "value",
                "least",
                "money",
                "number",
                "jmh",
                "file",
                TARGET,
                "over",
                "as",
                "scale",
                PUBLISHED,
                CORRECTED,
                JUDGED,
                "comment",
                "differs");
        FigureTemplate figure = new FigureTemplate();
        figure.name = named ? fields.text("name") : "";
        figure.foreach = fields.words(FOREACH);
        figure.unit = fields.text("unit");
        for (FigureTemplate.Kind kind : FigureTemplate.Kind.values()) {
            if (fields.has(kind.key())) {
                if (figure.kind != null) {
                    throw new ExperimentException(place + ": expected one of " + kinds() + ", found "
                            + figure.kind.key() + " and " + kind.key());
                }
                figure.kind = kind;
                figure.what = fields.text(kind.key());
            }
        }
        if (figure.kind == null) {
            throw new ExperimentException(place + ": expected one of " + kinds() + ", found none");
        }
        RunFigures.check(place, figure.kind, figure.what);
        figure.part = fields.text("part");
        boolean isOfFile = figure.kind == FigureTemplate.Kind.NUMBER || figure.kind == FigureTemplate.Kind.JMH;
        figure.file = isOfFile ? fields.text("file") : "";
        figure.target = figure.kind == FigureTemplate.Kind.LEAST || isOfFile ? "" : fields.text(TARGET);
        figure.over = figure.kind.compares() ? fields.text("over") : "";
        String form = fields.text("as", "ratio");
        if (!List.of("ratio", "change", "inverse").contains(form)) {
            throw new ExperimentException(
                    fields.place("as") + ": expected ratio, change or inverse, found '" + form + "'");
        }
        figure.form = FigureTemplate.Form.valueOf(form.toUpperCase(Locale.ROOT));
        figure.scale = fields.number("scale", 1);
        figure.published = published(fields, PUBLISHED);
        figure.corrected = published(fields, CORRECTED);
        if (!figure.published.keySet().containsAll(figure.corrected.keySet())) {
            throw new ExperimentException(fields.place(CORRECTED) + ": expected figures that " + PUBLISHED
                    + " has, found " + String.join(", ", figure.corrected.keySet()));
        }
        figure.judged = isTrue(fields, JUDGED, "true");
        figure.publishedKey = fields.value(PUBLISHED) instanceof Map
                ? figure.foreach.stream().map(variable -> "{" + variable + "}").collect(Collectors.joining("/"))
                : "";
        figure.comment = fields.text("comment", "").strip();
        figure.differs = fields.text("differs", "").strip();
        return figure;
    }

    private static String kinds() {
        return Arrays.stream(FigureTemplate.Kind.values())
                .map(FigureTemplate.Kind::key)
                .collect(Collectors.joining(", "));
    }

    /** Returns a published figure, by the empty text, or several by the values of variables. */
    private static Map<String, Published> published(Fields fields, String key) {
        Map<String, Published> published = new TreeMap<>();
        if (fields.value(key) instanceof Map) {
            Fields all = Fields.map(fields.place(key), fields.value(key));
            all.keys().forEach(one -> published.put(one, Published.of(all.place(one), all.value(one))));
        } else if (fields.has(key)) {
            published.put("", Published.of(fields.place(key), fields.value(key)));
        }
        return published;
    }

    private static boolean isTrue(Fields fields, String key, String usual) {
        String text = fields.text(key, usual);
        if (!List.of("true", "false").contains(text)) {
            throw new ExperimentException(fields.place(key) + ": expected true or false, found '" + text + "'");
        }
        return text.equals("true");
    }

    private static Chart chart(String place, Object value) {
        Fields fields = Fields.of(place, value, "title", "caption", "x", "xLabel", "lines", "log", "figure");
        Chart chart = new Chart();
        chart.title = fields.text("title");
        chart.caption = fields.text("caption").strip();
        chart.x = fields.text("x");
        chart.xLabel = fields.text("xLabel");
        chart.lines = fields.words("lines");
        chart.log = isTrue(fields, "log", "false");
        chart.figure = figure(fields.place("figure"), fields.value("figure"), false);
        return chart;
    }

    // ---- what others read ---------------------------------------------------------------------------------------

    /** Its name: that of its folder. */
    public String name() {
        return folder.toAbsolutePath().normalize().getFileName().toString();
    }

    public Path folder() {
        return folder;
    }

    /** What it is called where there is room. */
    public String title() {
        return title;
    }

    /** The question, a sentence or two. */
    public String asks() {
        return asks;
    }

    /** Who published it, where and when. */
    public String source() {
        return source;
    }

    /** What it was measured on there. */
    public String rig() {
        return rig;
    }

    /** Which result is expected. */
    public String expected() {
        return expected;
    }

    /** What is easily misread in what was published, or in what is found here. */
    List<String> traps(Size size) {
        List<String> all = new ArrayList<>(traps);
        Optional.ofNullable(lowered.get(size)).ifPresent(all::add);
        return all;
    }

    /** Returns the parts of this size in the order in which they are carried out. */
    public List<Part> parts(Size size) {
        return List.copyOf(parts.get(size));
    }

    /**
     * Returns the names of the parts of a size that match patterns, in which {@code *} stands for any characters; all
     * where there is no pattern.
     *
     * @throws ExperimentException where a pattern matches none
     */
    public Set<String> partsLike(Size size, List<String> patterns) {
        List<String> names = parts(size).stream().map(Part::name).collect(Collectors.toList());
        Set<String> asked = new LinkedHashSet<>(patterns.isEmpty() ? names : List.of());
        for (String pattern : patterns) {
            String regex =
                    Arrays.stream(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
            List<String> matching =
                    names.stream().filter(name -> name.matches(regex)).collect(Collectors.toList());
            if (matching.isEmpty()) {
                throw new ExperimentException(
                        "expected parts of " + name() + ", " + String.join(", ", names) + ", found '" + pattern + "'");
            }
            asked.addAll(matching);
        }
        return asked;
    }

    /** Returns the services of a part. */
    List<Service> services(Part part) {
        return services.stream()
                .filter(service -> part.services().contains(service.name()))
                .collect(Collectors.toList());
    }

    /** Returns about how long the parts of this size take, in ns; a part of which nobody knows counts nothing. */
    public long aboutNs(Size size, PartRunner runner) {
        Map<String, List<String>> places = new HashMap<>();
        runner.places().forEach((name, value) -> places.put(name, List.of(value)));
        places.put("folder", List.of(folder.toString()));
        places.put("directory", List.of(folder.toString()));
        places.put("targetsFile", List.of(folder.resolve("targets.yaml").toString()));
        services.forEach(service -> places.put(service.name(), List.of("127.0.0.1:1")));
        Scope scope = new Scope(name(), places, tables);
        long all = 0;
        for (Part part : parts(size)) {
            int runs = part.tried().isEmpty()
                    ? 1
                    : 32 - Integer.numberOfLeadingZeros(part.tried().size());
            Part one = part.tried().isEmpty() ? part : part.of(part.tried().get(0));
            if (part.isProgram() && part.about().isEmpty()) {
                continue;
            }
            all += part.about()
                    .map(Duration::toNanos)
                    .orElseGet(() ->
                            runs * runner.plannedNs(scope.words(one.words())).orElse(0));
        }
        return all;
    }

    /** The figures of this experiment, each with a scope in which its placeholders are known. */
    Map<String, Map.Entry<FigureTemplate, Scope>> figures(Size size) {
        Map<String, Map.Entry<FigureTemplate, Scope>> all = new LinkedHashMap<>();
        for (FigureTemplate figure : figures) {
            // Those of the full design: what this size leaves out is missing in the table, and the comment says so.
            for (Scope combination : scope(figure.name, Size.FULL).each(figure.foreach)) {
                Scope scope = scope(figure.name, size).with(figure.foreach, combination);
                boolean isPublished =
                        figure.published(scope.text(figure.publishedKey)).isPresent();
                boolean isMeasured = figure.foreach.stream().allMatch(variable -> variables
                                .get(size)
                                .getOrDefault(variable, List.of())
                                .containsAll(scope.values(variable)))
                        && parts(size).stream().anyMatch(part -> part.name()
                                .equals(scope.text(figure.part).split("/")[0]));
                if (isPublished || isMeasured) {
                    all.put(scope.text(figure.name), Map.entry(figure, scope));
                }
            }
        }
        return all;
    }

    List<Chart> charts() {
        return charts;
    }

    /** Returns a scope of this size, for charts. */
    Scope scope(Size size) {
        return new Scope(name(), new HashMap<>(variables.get(size)), tables);
    }
}
