package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.results.json.Json;
import dev.lockstep.results.json.TestingJson;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/fields.md is made from the types of results as Jackson writes them, and from the Javadoc of their members.
 * {@code -Ddocs.write} writes it anew.
 */
final class ResultsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "fields.md");
    private static final String PACKAGES = "src/main/java/dev/lockstep/";
    private static final String INTERVALS = "intervals.jsonl";

    private final JsonTypes types = new JsonTypes();
    private final SourceComments comments = comments();
    private final Map<Class<?>, String> sections = new HashMap<>();
    private final Deque<Class<?>> waiting = new ArrayDeque<>();
    private final Set<String> ofTargets = new HashSet<>();
    private final List<String> undescribed = new ArrayList<>();
    private boolean inTargets;
    private final StringBuilder page = new StringBuilder();

    ResultsPageTest() throws IOException {}

    /** Returns the Javadoc of the types of which results are made. */
    static SourceComments comments() throws IOException {
        return new SourceComments(
                List.of(Path.of(PACKAGES, "results"), Path.of("..", "measurement", PACKAGES, "measurement")));
    }

    @Test
    void pageIsWhatTheTypesSay() throws IOException {
        page.append("# Fields of results\n\nMade by `ResultsPageTest` from the types of the module `results` and their"
                + " Javadoc. What a run writes, and how to read\nit: [results.md](results.md).\n");
        sections.put(IntervalFigures.class, INTERVALS);
        add(RunResult.class, "run.json");
        while (!waiting.isEmpty()) {
            section(waiting.remove());
        }
        heading("costs");
        for (Cost cost : Cost.values()) {
            row(cost.key(), words(cost.key(), long.class), describe(Cost.class, cost.name()));
        }
        row("collectors", "objects by name, optional", describe(Costs.class, "collectors"));
        page.append("\n## errors\n\n| Kind | What happened |\n|---|---|\n");
        for (ErrorKind kind : ErrorKind.values()) {
            page.append("| `")
                    .append(kind.key())
                    .append("` | ")
                    .append(describe(ErrorKind.class, kind.name()))
                    .append(" |\n");
        }
        add(IntervalRow.class, INTERVALS);
        while (!waiting.isEmpty()) {
            section(waiting.remove());
        }

        if (System.getProperty("docs.write") != null) {
            Files.writeString(PAGE, page);
        }
        assertEquals(List.of(), undescribed, "no Javadoc");
        assertEquals(
                page.toString(),
                Files.readString(PAGE),
                PAGE + " is old; write it anew: mvn -o -q -pl results -am -Dtest=ResultsPageTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write test");
    }

    /** Makes a section wait for a type that has none yet, and returns its name. */
    private String add(Class<?> type, String name) {
        if (sections.putIfAbsent(type, name) == null) {
            waiting.add(type);
        }
        return sections.get(type);
    }

    private void section(Class<?> type) {
        heading(sections.get(type));
        inTargets = type == TargetResult.class;
        rows(type, sections.get(type).endsWith(".json") ? "" : sections.get(type) + ".");
    }

    private void heading(String name) {
        page.append("\n## ").append(name).append("\n\n| Field | Value | Meaning |\n|---|---|---|\n");
    }

    /** @param place of the fields, with a dot behind it */
    private void rows(Class<?> type, String place) {
        for (BeanPropertyDefinition field : types.fields(type)) {
            AnnotatedMember member = field.getPrimaryMember();
            JavaType value = field.getPrimaryType();
            if (!types.isGroup(field)) {
                row(
                        field.getName(),
                        value(field, value, place) + (JsonTypes.isOptional(field) ? ", optional" : ""),
                        describe(type, member.getName(), field.getName()));
            } else if (value.hasRawClass(Costs.class)) {
                page.append("| | | the [costs](#costs) |\n");
            } else if (value.hasRawClass(LoadCounts.class)) {
                counts();
            } else {
                rows(value.getRawClass(), place);
            }
        }
    }

    /** {@link LoadCounts} are written by hand, each field by its name. */
    private void counts() {
        for (Field field : LoadCounts.class.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers())
                    && !types.fields(LoadFigures.class).stream()
                            .anyMatch(other -> other.getName().equals(field.getName()))) {
                row(field.getName(), words(field.getName(), long.class), describe(LoadCounts.class, field.getName()));
            }
        }
        row("errors", "whole numbers by [kind](#errors)", describe(LoadCounts.class, "errorsByKind"));
        row("thriftExceptions", "whole numbers by type, optional", describe(LoadCounts.class, "thriftExceptions"));
        row("statusCodes", "whole numbers by status", describe(LoadCounts.class, "statusCodes"));
    }

    private String value(BeanPropertyDefinition field, JavaType type, String place) {
        Class<?> raw = type.getRawClass();
        String name = field.getName();
        if (type.isReferenceType() || type.isCollectionLikeType()) {
            String content = value(field, type.getContentType(), place);
            return type.isReferenceType() ? content : "list of " + content;
        } else if (type.isMapLikeType()) {
            return value(field, type.getContentType(), place) + " by name";
        } else if (raw == Percentiles.class) {
            return "[distribution](results.md#distributions)";
        } else if (raw.isEnum()) {
            return Arrays.stream(raw.getEnumConstants())
                    .map(constant -> "`" + Json.tree(constant).asText() + "`")
                    .collect(Collectors.joining(", "));
        } else if (raw.getName().startsWith("dev.lockstep.") && !TestingJson.isText(raw)) {
            boolean many = field.getPrimaryType().isCollectionLikeType();
            String section = add(raw, place + name + (many ? "[]" : ""));
            return "[" + (many ? "objects" : "object") + "](#" + anchor(section) + ")";
        }
        return words(name, raw);
    }

    private static String words(String name, Class<?> type) {
        if (type == boolean.class) {
            return "true or false";
        } else if (TestingJson.isText(type)) {
            return "text";
        } else if (name.matches(".*Ns(PerRequest)?")) {
            return "ns";
        } else if (name.endsWith("Ms")) {
            return "ms";
        } else if (name.matches("(?i).*bytes(PerRequest|Received|Sent|Unsent)?")) {
            return "bytes";
        } else if (type == double.class || type == Double.class) {
            return "number";
        }
        return type.isPrimitive() || Number.class.isAssignableFrom(type) ? "whole number" : "object";
    }

    private String describe(Class<?> type, String member) {
        return describe(type, member, member);
    }

    /** A launch and an interval have many fields of their target. */
    private String describe(Class<?> type, String member, String field) {
        boolean again = type == PerRequest.class && ofTargets.contains(field);
        Optional<String> text = again ? Optional.empty() : comments.of(type, member);
        if (text.isEmpty() && ofTargets.contains(field)) {
            return "As in [targets[]](#targets).";
        }
        if (text.isEmpty()) {
            undescribed.add(type.getSimpleName() + "." + member);
        }
        return text.orElse("");
    }

    private void row(String name, String value, String text) {
        if (inTargets) {
            ofTargets.add(name);
        }
        page.append("| `").append(name).append("` | ").append(value).append(" | ");
        page.append(text.replace("|", "\\|").replace("<", "\\<")).append(" |\n");
    }

    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }
}
