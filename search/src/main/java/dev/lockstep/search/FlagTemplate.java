package dev.lockstep.search;

import dev.lockstep.tuner.Parameter;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/**
 * How a parameter's value becomes options of a JVM: {@code -XX:MaxInlineSize={}}. {@code {}} is the value, of a boolean
 * its sign as in {@code -XX:{}UseStringDeduplication}; a boolean's flag without it is given where it is true. Blanks
 * separate options. {@code {graal}} is what Graal's options begin with. Immutable.
 */
@Value.Immutable
public abstract class FlagTemplate {
    static final String GRAAL = "{graal}";
    private static final String VALUE = "{}";
    /** From this JDK on Graal reads its options with another prefix. */
    private static final int NEW_PREFIX = 22;

    /** @throws IllegalArgumentException in one line, where it is no option or ignores its parameter */
    static FlagTemplate of(Parameter parameter, String text) {
        if (!text.startsWith("-") && !text.startsWith(GRAAL)) {
            throw new IllegalArgumentException(
                    "expected a JVM option such as -XX:" + parameter.name() + "=" + VALUE + ", found '" + text + "'");
        }
        if (!text.contains(VALUE) && parameter.type() != Parameter.Type.BOOLEAN) {
            throw new IllegalArgumentException(
                    "expected {} where the value goes, as in -XX:" + parameter.name() + "={}, found '" + text + "'");
        }
        return ImmutableFlagTemplate.builder().text(text).build();
    }

    /** Returns the option of a parameter that has none in its space: the one of HotSpot's flag of its name. */
    static FlagTemplate byName(Parameter parameter) {
        String text = parameter.type() == Parameter.Type.BOOLEAN
                ? "-XX:" + VALUE + parameter.name()
                : "-XX:" + parameter.name() + "=" + VALUE;
        return ImmutableFlagTemplate.builder().text(text).build();
    }

    static FlagTemplate byValue(Map<String, String> texts) {
        return ImmutableFlagTemplate.builder().text("").texts(texts).build();
    }

    abstract String text();

    /** The options by the value, in place of one text for all. */
    abstract Map<String, String> texts();

    /** Whether it sets an option of Graal's, which no other JIT reads. */
    public boolean isOfGraal() {
        return text().contains(GRAAL) || texts().values().stream().anyMatch(text -> text.contains(GRAAL));
    }

    /** @param jdk the feature version of the JDK that gets them */
    List<String> options(Object value, int jdk) {
        String text = texts().isEmpty() ? filled(value) : texts().get(print(value));
        String[] words = text.replace(GRAAL, jdk >= NEW_PREFIX ? "-Djdk.graal." : "-Dgraal.")
                .trim()
                .split(" +");
        return Arrays.stream(words).filter(word -> !word.isEmpty()).collect(Collectors.toList());
    }

    private String filled(Object value) {
        if (!(value instanceof Boolean)) {
            return text().replace(VALUE, print(value));
        }
        boolean on = (Boolean) value;
        if (!text().contains(VALUE)) {
            return on ? text() : "";
        }
        // -Dname={} takes the word, -XX:{}Name the sign.
        return text().contains("=" + VALUE)
                ? text().replace(VALUE, String.valueOf(on))
                : text().replace(VALUE, on ? "+" : "-");
    }

    /** Returns a value as options and people have it: no exponents, no trailing zeros. */
    static String print(Object value) {
        return value instanceof Double
                ? BigDecimal.valueOf((Double) value).stripTrailingZeros().toPlainString()
                : String.valueOf(value);
    }
}
