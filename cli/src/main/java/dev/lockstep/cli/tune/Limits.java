package dev.lockstep.cli.tune;

import dev.lockstep.analysis.AnalysisException;
import dev.lockstep.analysis.Conditions;
import dev.lockstep.analysis.Direction;
import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.Spoilers;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.measurement.Cost;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The constraints of a search with JVMs: what a candidate must keep beside its control. Immutable.
 *
 * <p>By name: {@code errors}, {@code answers}, {@code throttled}, or a metric; or a condition of {@code --assert}
 * without its target, {@code p99 <= 20ms}, in which the control may be named.
 */
final class Limits {
    static final String ERRORS = "errors";
    private static final String ANSWERS = "answers";
    private static final String THROTTLED = "throttled";

    /** By how much more of its requests a candidate may fail. */
    private static final double MORE_ERRORS = 0.001;
    /** By how much worse than the control's another metric may be. */
    private static final double MUCH_WORSE = 1.1;

    /** Of a candidate of which nobody knows by how much it breaks a limit, but that it does. */
    private static final double BROKEN = 1;

    private static final Pattern NAMED_CONTROL = Pattern.compile("\\b" + JvmSearch.CONTROL + "\\b");
    private static final Pattern CONDITION = Pattern.compile("\\s*([A-Za-z0-9]+)\\s*(<=|>=|==|!=|<|>).*");

    private final List<String> names;

    private Limits(List<String> names) {
        this.names = List.copyOf(names);
    }

    /** Returns these names, and that of {@code errors}: what fails is cheap, so nothing is compared without it. */
    static List<String> withErrors(List<String> names) {
        return names.contains(ERRORS)
                ? names
                : Stream.concat(Stream.of(ERRORS), names.stream()).collect(Collectors.toList());
    }

    /** @throws UsageException for a name that says nothing */
    static Limits of(List<String> names) {
        for (String name : names) {
            if (CONDITION.matcher(name).matches()) {
                conditions(List.of(name), List.of(JvmSearch.CANDIDATE), JvmSearch.CONTROL);
            } else if (!List.of(ERRORS, ANSWERS, THROTTLED).contains(name)
                    && Metric.of(name).isEmpty()) {
                throw new UsageException("constraints: expected " + ERRORS + ", " + ANSWERS + ", " + THROTTLED
                        + ", a metric (" + Metric.names() + "), or a condition on one such as 'p99 <= 20ms' or"
                        + " 'p99 <= 1.1 * control', found '" + name + "'");
            }
        }
        return new Limits(names);
    }

    /** Whether the answers of the two have to be compared. */
    boolean compareAnswers() {
        return names.contains(ANSWERS);
    }

    /**
     * Returns the conditions that a run has to check.
     *
     * @param candidates the names of the targets that have to keep them
     * @param control what the target is called in this run that the constraints call control
     */
    Conditions conditions(RunPlan plan, List<String> candidates, String control) {
        Conditions conditions = conditions(names, candidates, control);
        try {
            conditions.check(plan);
        } catch (AnalysisException e) {
            throw new UsageException("constraints: " + e.getMessage());
        }
        return conditions;
    }

    private static Conditions conditions(List<String> names, List<String> candidates, String control) {
        List<String> texts = new ArrayList<>();
        for (String candidate : candidates) {
            names.stream()
                    .filter(name -> CONDITION.matcher(name).matches())
                    .forEach(name -> texts.add(condition(name, candidate, control)));
        }
        List<String> targets = new ArrayList<>(candidates);
        targets.add(control);
        try {
            return Conditions.parse(texts, targets);
        } catch (AnalysisException e) {
            throw new UsageException("constraints: " + e.getMessage());
        }
    }

    /** Returns a constraint as the condition that it is on a target, with the blanks that the condition will have. */
    private static String condition(String name, String candidate, String control) {
        String text = name.strip().replaceAll("\\s+", " ");
        return candidate + "." + NAMED_CONTROL.matcher(text).replaceAll(control);
    }

    /**
     * Returns what was measured of each, at most 0 where it holds; those that were not measured lack.
     *
     * @param candidate the name of the target that has to keep them
     * @param control that of the one it is compared with
     */
    Map<String, Double> measured(RunResult result, String candidate, String control) {
        Map<String, Double> measured = new LinkedHashMap<>();
        for (String name : names) {
            OptionalDouble value = measure(
                    name,
                    result,
                    result.target(candidate).orElseThrow(),
                    result.target(control).orElseThrow());
            value.ifPresent(found -> measured.put(name, found));
        }
        return measured;
    }

    /**
     * Returns those of which nobody knows whether they hold: too few answers, or figures that are not the targets' own.
     * What no quota throttles is not throttled.
     */
    List<String> unmeasured(RunResult result, String candidate, String control) {
        Set<String> measured = measured(result, candidate, control).keySet();
        return names.stream()
                .filter(name -> !measured.contains(name) && !name.equals(THROTTLED))
                .collect(Collectors.toList());
    }

    /** Returns those that do not hold. */
    List<String> violated(RunResult result, String candidate, String control) {
        return measured(result, candidate, control).entrySet().stream()
                .filter(one -> one.getValue() > 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toList());
    }

    private static OptionalDouble measure(String name, RunResult result, TargetResult candidate, TargetResult control) {
        Matcher condition = CONDITION.matcher(name);
        if (condition.matches()) {
            String text = condition(name, candidate.name(), control.name());
            return result.assertions().stream()
                    .filter(outcome -> outcome.text().equals(text))
                    .map(outcome -> violation(condition, outcome, result, candidate, control))
                    .findFirst()
                    .orElse(OptionalDouble.empty());
        }
        switch (name) {
            case ERRORS:
                return share(candidate, control);
            case ANSWERS:
                return candidate
                        .comparison()
                        .filter(found -> found.compared() > 0)
                        .map(found -> OptionalDouble.of((double) found.different() / found.compared()))
                        .orElse(OptionalDouble.empty());
            case THROTTLED:
                return candidate.costs().get(Cost.THROTTLED_PERIODS).stream()
                        .mapToDouble(periods -> periods)
                        .findFirst();
            default:
                return worse(Metric.of(name).orElseThrow(), result, candidate, control);
        }
    }

    private static OptionalDouble share(TargetResult candidate, TargetResult control) {
        OptionalDouble mine = Metric.ERRORS.of(candidate);
        OptionalDouble its = Metric.ERRORS.of(control);
        return mine.isPresent() && its.isPresent()
                ? OptionalDouble.of(mine.getAsDouble() - its.getAsDouble() - MORE_ERRORS)
                : OptionalDouble.empty();
    }

    /** Whether a figure is not the targets' own, as where Lockstep was late or others had their processors. */
    private static boolean isSpoiled(Metric metric, RunResult result, TargetResult... targets) {
        return new Spoilers(result)
                .why(metric.key(), Stream.of(targets).map(TargetResult::name).collect(Collectors.toList()))
                .isPresent();
    }

    private static OptionalDouble worse(Metric metric, RunResult result, TargetResult candidate, TargetResult control) {
        double mine = metric.of(candidate).orElse(Double.NaN);
        double its = metric.of(control).orElse(Double.NaN);
        if (metric.isAtLeast(candidate) && Double.isFinite(its)) {
            // So slow, by requests without an answer, that it has no figure.
            return OptionalDouble.of(BROKEN);
        }
        if (isSpoiled(metric, result, candidate, control)) {
            return OptionalDouble.empty();
        }
        double sign = metric.direction() == Direction.LOWER_IS_BETTER ? 1 : -1;
        if (metric == Metric.GC_CYCLES) {
            // Events: whether one more falls into an evaluation is chance, of which two standard deviations are
            // allowed.
            double chance = 2 * Math.sqrt(1 / (mine + 1) + 1 / (its + 1));
            double more = sign * Math.log((mine + 1) / (its + 1)) - Math.log(MUCH_WORSE) - chance;
            return Double.isFinite(more) ? OptionalDouble.of(more) : OptionalDouble.empty();
        }
        if (mine == 0 || its == 0) {
            // Such as the CPU of collections, of which a run may have none.
            double difference = sign * (mine - its);
            return Double.isFinite(difference)
                    ? OptionalDouble.of(difference > 0 ? BROKEN : -Math.log(MUCH_WORSE))
                    : OptionalDouble.empty();
        }
        double worse = sign * Math.log(mine / its) - Math.log(MUCH_WORSE);
        return Double.isFinite(worse) ? OptionalDouble.of(worse) : OptionalDouble.empty();
    }

    /**
     * Returns by which share of its limit a value is beyond it; how far it is inside matters to a model too. Absent
     * where there are no values, or where the run knows why they are not the target's own.
     */
    private static OptionalDouble violation(
            Matcher condition,
            AssertionResult outcome,
            RunResult result,
            TargetResult candidate,
            TargetResult control) {
        String operator = condition.group(2);
        Metric metric = Metric.of(condition.group(1)).orElseThrow();
        boolean isLimit = operator.startsWith("<") && outcome.right().isPresent();
        if (isLimit && metric.isAtLeast(candidate)) {
            return OptionalDouble.of(BROKEN);
        }
        boolean compares = NAMED_CONTROL.matcher(condition.group()).find();
        if (compares ? isSpoiled(metric, result, candidate, control) : isSpoiled(metric, result, candidate)) {
            return OptionalDouble.empty();
        }
        if (outcome.left().isEmpty() || outcome.right().isEmpty()) {
            return OptionalDouble.empty();
        }
        double left = outcome.left().getAsDouble();
        double right = outcome.right().getAsDouble();
        if (holds(left, operator, right) != outcome.holds()) {
            return OptionalDouble.empty();
        }
        double share = Math.min(Math.abs(left - right) / Math.max(Math.abs(right), Double.MIN_NORMAL), 1);
        // One that holds is never above 0, and one that does not never at it.
        return OptionalDouble.of(outcome.holds() ? -share : Math.max(share, Double.MIN_NORMAL));
    }

    private static boolean holds(double left, String operator, double right) {
        switch (operator) {
            case "<=":
                return left <= right;
            case ">=":
                return left >= right;
            case "==":
                return left == right;
            case "!=":
                return left != right;
            case "<":
                return left < right;
            default:
                return left > right;
        }
    }
}
