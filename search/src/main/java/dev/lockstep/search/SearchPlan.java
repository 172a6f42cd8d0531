package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Condition;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Direction;
import dev.lockstep.tuner.Parameter;
import dev.lockstep.tuner.Rule;
import dev.lockstep.tuner.Space;
import dev.lockstep.tuner.StudyOptions;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/** What is searched, for how long, and for which target: a space file with what was left out. Immutable. */
@Value.Immutable
public abstract class SearchPlan {
    static final int DEFAULT_EVALUATIONS = 40;

    private static final MathContext SIX_DIGITS = new MathContext(6);
    /** A number that is longer is printed with an exponent. */
    private static final int LONGEST_NUMBER = 20;

    public static Builder builder(Space space) {
        return new Builder().space(space);
    }

    public abstract Space space();

    /** The file that it was read from, for messages. */
    @Value.Auxiliary
    abstract Optional<String> file();

    /** How many trials there are to be in all, without those that were added later. */
    @Value.Default
    public int evaluations() {
        return DEFAULT_EVALUATIONS;
    }

    /** How long it goes on at most, with the evaluation that is in progress then; as long as it takes where absent. */
    public abstract Optional<Duration> timeBudget();

    @Value.Default
    public long seed() {
        return 1;
    }

    /** Whether two evaluations of one configuration may differ. */
    @Value.Default
    public boolean noisy() {
        return true;
    }

    /** Whether an evaluation may be ended as soon as it is surely worse than the best known. */
    @Value.Default
    public boolean stopEarly() {
        return true;
    }

    /** The user's own configurations, which are evaluated first. */
    public abstract List<Configuration> configurations();

    /** How often the default is evaluated at the beginning; by the tuner's rule where absent. */
    public abstract OptionalInt defaultTrials();

    /** How parameters become options of a JVM, by their names; those that are not here have a flag of their name. */
    public abstract Map<String, FlagTemplate> flags();

    /** The values of parameters that stand for no flag at all. */
    public abstract Map<String, Object> automatic();

    /** The target that the space is made for, as on the command line: {@code graal}. */
    public abstract Optional<String> target();

    /** The metric that decides. */
    public abstract Optional<String> objective();

    /** A second metric: which of both is given up for how much of the other is left to the user. */
    public abstract Optional<String> secondObjective();

    /** The memory cap that the space is made for. */
    public abstract OptionalLong memoryBytes();

    /** The fixed time for which targets are warmed up; until they are steady where absent. */
    public abstract Optional<Duration> warmup();

    /** How long each evaluation sends; what the capture says where absent. */
    public abstract Optional<Duration> duration();

    /** Returns this plan that goes on so long at most. */
    public SearchPlan withTimeBudget(Duration budget) {
        return new Builder().from(this).timeBudget(budget).build();
    }

    /** Returns this plan of so many evaluations. */
    public SearchPlan withEvaluations(int evaluations) {
        return new Builder().from(this).evaluations(evaluations).build();
    }

    public SearchPlan withSeed(long seed) {
        return new Builder().from(this).seed(seed).build();
    }

    /** Returns this plan with every evaluation measured to its end. */
    public SearchPlan withoutEarlyStop() {
        return new Builder().from(this).stopEarly(false).build();
    }

    /** Returns this plan with one more configuration that is evaluated at the beginning. */
    public SearchPlan withConfiguration(Configuration own) {
        return new Builder().from(this).configuration(own).build();
    }

    /** Returns this plan with the default evaluated so often at the beginning. */
    public SearchPlan withDefaultTrials(int trials) {
        return new Builder().from(this).defaultTrials(trials).build();
    }

    /** Returns this plan with two objectives, each with its direction. */
    public SearchPlan withObjectives(String first, Direction ofFirst, String second, Direction ofSecond) {
        Space both = Space.builder()
                .from(space())
                .direction(ofFirst)
                .secondDirection(ofSecond)
                .build();
        return new Builder()
                .from(this)
                .space(both)
                .objective(first)
                .secondObjective(second)
                .build();
    }

    /** Returns this plan with one objective, whatever it was before, and the direction of it. */
    public SearchPlan withOneObjective(Direction direction) {
        Space one = Space.builder()
                .from(space())
                .direction(direction)
                .secondDirection(Optional.empty())
                .build();
        return new Builder()
                .from(this)
                .space(one)
                .secondObjective(Optional.empty())
                .build();
    }

    /** Whether there are two objectives, and the result is a front. */
    public boolean hasTwoObjectives() {
        return space().secondDirection().isPresent();
    }

    /** Returns this plan with other constraints. */
    public SearchPlan withConstraints(List<String> names) {
        return withSpace(Space.builder().from(space()).constraints(names).build());
    }

    private SearchPlan withSpace(Space space) {
        return new Builder().from(this).space(space).build();
    }

    /** Returns how the tuner searches so. */
    StudyOptions options(int evaluations) {
        StudyOptions.Builder options = StudyOptions.builder()
                .evaluations(evaluations)
                .seed(seed())
                .noisy(noisy())
                .addAllConfigurations(configurations());
        defaultTrials().ifPresent(options::defaultTrials);
        return options.build();
    }

    /**
     * Returns the JVM options of a configuration, in the order of the space.
     *
     * @param jdk the feature version of the JDK that gets them
     */
    public List<String> options(Configuration configuration, int jdk) {
        List<String> options = new ArrayList<>();
        configuration.values().forEach((name, value) -> options.addAll(options(name, value, jdk)));
        return options;
    }

    /** Returns the JVM options of one parameter's value; none where it is automatic. */
    public List<String> options(String name, Object value, int jdk) {
        if (value.equals(automatic().get(name))) {
            return List.of();
        }
        FlagTemplate flag = flags().get(name);
        return (flag == null ? FlagTemplate.byName(space().parameter(name)) : flag).options(value, jdk);
    }

    /** Returns a configuration as people read it, of its numbers six digits. */
    public static String print(Configuration configuration) {
        return print(configuration, SIX_DIGITS);
    }

    /** Returns a configuration with all digits of its numbers, to be copied. */
    public static String printWhole(Configuration configuration) {
        return print(configuration, MathContext.UNLIMITED);
    }

    private static String print(Configuration configuration, MathContext precision) {
        return configuration.values().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + print(entry.getValue(), precision))
                .collect(Collectors.joining(" "));
    }

    /** Returns a duration as options have it: {@code 1h30m}. */
    public static String print(Duration duration) {
        // PT1H30M
        return duration.toString().substring(2).toLowerCase(Locale.ROOT);
    }

    /** Returns a value as people read it. */
    public static String print(Object value) {
        return print(value, SIX_DIGITS);
    }

    private static String print(Object value, MathContext precision) {
        if (!(value instanceof Double)) {
            return FlagTemplate.print(value);
        }
        BigDecimal rounded = BigDecimal.valueOf((Double) value).round(precision).stripTrailingZeros();
        String plain = rounded.toPlainString();
        return plain.length() > LONGEST_NUMBER ? rounded.toString() : plain;
    }

    /** Returns what is searched, without how long: what two searches must have in common to be the same. */
    ObjectNode document() {
        ObjectNode document = JsonLines.object();
        if (hasTwoObjectives()) {
            document.putArray("direction")
                    .add(space().direction().label())
                    .add(space().secondDirection().get().label());
        } else {
            document.put("direction", space().direction().label());
        }
        document.put("seed", seed());
        document.put("noisy", noisy());
        if (!stopEarly()) {
            document.put("stopEarly", false);
        }
        target().ifPresent(target -> document.put("target", target));
        if (secondObjective().isPresent()) {
            document.putArray("objective")
                    .add(objective().orElseThrow())
                    .add(secondObjective().get());
        } else {
            objective().ifPresent(objective -> document.put("objective", objective));
        }
        memoryBytes().ifPresent(bytes -> document.put("memoryBytes", bytes));
        warmup().ifPresent(time -> document.put("warmup", print(time)));
        duration().ifPresent(time -> document.put("duration", print(time)));
        ArrayNode parameters = document.putArray("parameters");
        space().parameters().forEach(one -> parameters.add(document(one)));
        ArrayNode constraints = document.putArray("constraints");
        space().constraints().forEach(constraints::add);
        ArrayNode rules = document.putArray("assert");
        space().rules().stream().map(Rule::toString).forEach(rules::add);
        ArrayNode own = document.putArray("configurations");
        configurations().forEach(one -> own.add(JsonLines.values(one.values())));
        return document;
    }

    private ObjectNode document(Parameter parameter) {
        ObjectNode document = JsonLines.object();
        document.put("name", parameter.name());
        document.put("type", parameter.type().label());
        put(document, "min", parameter.min());
        put(document, "max", parameter.max());
        put(document, "step", parameter.step());
        putAll(document, "values", parameter.values());
        putAll(document, "special", parameter.special());
        parameter.defaultValue().ifPresent(value -> JsonLines.put(document, "default", value));
        Optional<Condition> when = parameter.when();
        when.ifPresent(condition -> putAll(document.putObject("when"), condition.parameter(), condition.values()));
        FlagTemplate flag = flags().get(parameter.name());
        if (flag != null && flag.texts().isEmpty()) {
            document.put("flag", flag.text());
        } else if (flag != null) {
            document.set("flag", JsonLines.values(flag.texts()));
        }
        Object automatic = automatic().get(parameter.name());
        if (automatic != null) {
            JsonLines.put(document, "auto", automatic);
        }
        return document;
    }

    private static void put(ObjectNode document, String field, OptionalDouble value) {
        value.ifPresent(number -> document.put(field, number));
    }

    private static void putAll(ObjectNode document, String field, List<Object> values) {
        if (!values.isEmpty()) {
            ArrayNode array = document.putArray(field);
            values.forEach(value -> array.add(JsonLines.node(value)));
        }
    }

    /** All but the space may be left out. */
    public static final class Builder extends ImmutableSearchPlan.Builder {
        Builder() {}
    }
}
