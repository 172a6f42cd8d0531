package dev.lockstep.cli.tune;

import dev.lockstep.analysis.AnalysisException;
import dev.lockstep.analysis.Conditions;
import dev.lockstep.analysis.Direction;
import dev.lockstep.analysis.Metric;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.Cost;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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

    private static final Pattern CONDITION = Pattern.compile("[A-Za-z0-9]+\\s*(<=|>=|==|!=|<|>).*");

    private final List<String> names;

    private Limits(List<String> names) {
        this.names = List.copyOf(names);
    }

    /** @throws UsageException for a name that says nothing */
    static Limits of(List<String> names) {
        for (String name : names) {
            if (CONDITION.matcher(name).matches()) {
                conditions(List.of(name));
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

    /** Returns the conditions that a run has to check. */
    Conditions conditions(RunPlan plan) {
        Conditions conditions = conditions(names);
        try {
            conditions.check(plan);
        } catch (AnalysisException e) {
            throw new UsageException("constraints: " + e.getMessage());
        }
        return conditions;
    }

    private static Conditions conditions(List<String> names) {
        try {
            return Conditions.parse(
                    names.stream()
                            .filter(name -> CONDITION.matcher(name).matches())
                            .map(Limits::condition)
                            .collect(Collectors.toList()),
                    List.of(JvmSearch.CONTROL, JvmSearch.CANDIDATE));
        } catch (AnalysisException e) {
            throw new UsageException("constraints: " + e.getMessage());
        }
    }

    private static String condition(String name) {
        return JvmSearch.CANDIDATE + "." + name;
    }

    /** Returns what was measured of each, at most 0 where it holds; those that were not measured lack. */
    Map<String, Double> measured(RunResult result, TargetResult candidate, TargetResult control) {
        Map<String, Double> measured = new LinkedHashMap<>();
        for (String name : names) {
            OptionalDouble value = measure(name, result, candidate, control);
            value.ifPresent(found -> measured.put(name, found));
        }
        return measured;
    }

    private static OptionalDouble measure(String name, RunResult result, TargetResult candidate, TargetResult control) {
        if (CONDITION.matcher(name).matches()) {
            return result.assertions().stream()
                    .filter(outcome -> outcome.text().equals(condition(name)))
                    .map(outcome -> violation(name, outcome))
                    .findFirst()
                    .orElse(OptionalDouble.empty());
        }
        switch (name) {
            case ERRORS:
                return share(candidate, control);
            case ANSWERS:
                return candidate
                        .comparison()
                        .map(found -> OptionalDouble.of(different(found)))
                        .orElse(OptionalDouble.empty());
            case THROTTLED:
                return candidate.costs().get(Cost.THROTTLED_PERIODS).stream()
                        .mapToDouble(periods -> periods)
                        .findFirst();
            default:
                return worse(Metric.of(name).orElseThrow(), candidate, control);
        }
    }

    private static double different(AnswerComparison found) {
        return found.compared() == 0 ? 0 : (double) found.different() / found.compared();
    }

    private static OptionalDouble share(TargetResult candidate, TargetResult control) {
        OptionalDouble mine = Metric.ERRORS.of(candidate);
        OptionalDouble its = Metric.ERRORS.of(control);
        return mine.isPresent() && its.isPresent()
                ? OptionalDouble.of(mine.getAsDouble() - its.getAsDouble() - MORE_ERRORS)
                : OptionalDouble.empty();
    }

    private static OptionalDouble worse(Metric metric, TargetResult candidate, TargetResult control) {
        double mine = metric.of(candidate).orElse(Double.NaN);
        double its = metric.of(control).orElse(Double.NaN);
        double sign = metric.direction() == Direction.LOWER_IS_BETTER ? 1 : -1;
        double worse = sign * Math.log(mine / its) - Math.log(MUCH_WORSE);
        return Double.isFinite(worse) ? OptionalDouble.of(worse) : OptionalDouble.empty();
    }

    /**
     * Returns by which share of its limit a value is beyond it; how far it is inside matters to a model too. Absent
     * where there are no values, or where the run knows why they are not the target's own.
     */
    private static OptionalDouble violation(String name, AssertionResult outcome) {
        Matcher operator = CONDITION.matcher(name);
        if (!operator.matches() || outcome.left().isEmpty() || outcome.right().isEmpty()) {
            return OptionalDouble.empty();
        }
        double left = outcome.left().getAsDouble();
        double right = outcome.right().getAsDouble();
        if (holds(left, operator.group(1), right) != outcome.holds()) {
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
