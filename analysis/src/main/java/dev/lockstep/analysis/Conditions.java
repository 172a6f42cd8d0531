package dev.lockstep.analysis;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The conditions that a run's figures are checked against. Immutable. */
public final class Conditions {
    public static final Conditions NONE = new Conditions(List.of());

    private final List<Assertion> all;

    private Conditions(List<Assertion> all) {
        this.all = List.copyOf(all);
    }

    /**
     * Reads conditions on the metrics of {@link Metric}.
     *
     * @param targets the names of the run's targets
     * @throws AnalysisException with the column, from 1, and what was expected there
     */
    public static Conditions parse(List<String> texts, List<String> targets) {
        return new Conditions(
                texts.stream().map(text -> Assertion.parse(text, targets)).collect(Collectors.toList()));
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /**
     * Refuses conditions on what the plan sets itself or leaves out or nobody knows, and those that compare targets by
     * what it makes unequal.
     *
     * @throws AnalysisException quoting the condition
     */
    public void check(RunPlan plan) {
        for (Assertion assertion : all) {
            for (Metric metric : assertion.metrics()) {
                plan.targets().stream()
                        .filter(target -> assertion.targets().contains(target.name()))
                        .map(metric::whyNotOf)
                        .flatMap(Optional::stream)
                        .findFirst()
                        .ifPresent(why -> {
                            throw new AnalysisException("'" + assertion + "': " + metric + ": " + why);
                        });
                if (metric == Metric.THROUGHPUT
                        || metric == Metric.FULL_LOAD_CPU_PER_REQUEST
                        || assertion.targets().size() > 1) {
                    metric.whyNotIn(plan).ifPresent(why -> {
                        throw new AnalysisException("'" + assertion + "': " + metric + ": " + why);
                    });
                }
            }
        }
    }

    /** Returns for each condition whether it holds; one fails whose figures are not those of the whole run. */
    public List<AssertionResult> outcomes(RunResult result) {
        List<AssertionResult> outcomes = new ArrayList<>();
        Assertion.Values values = new RunValues(result);
        for (Assertion assertion : all) {
            outcomes.add(outcome(assertion, result, values));
        }
        return outcomes;
    }

    private static AssertionResult outcome(Assertion assertion, RunResult result, Assertion.Values values) {
        Spoilers spoilers = new Spoilers(result);
        Optional<String> why = whyNot(assertion, result, spoilers);
        if (why.isPresent()) {
            return assertion.failed(values, why.get());
        }
        Optional<String> spoiled = assertion.metrics().stream()
                .map(metric -> spoilers.why(metric.key(), assertion.targets()))
                .flatMap(Optional::stream)
                .findFirst();
        if (spoiled.isEmpty()) {
            return assertion.check(values, remark(assertion, result));
        }
        AssertionResult allTheSame = assertion.check(values, spoiled.get() + "; without that it would be shorter");
        return allTheSame.holds() && isOnlyLengthened(assertion, result)
                ? allTheSame
                : assertion.failed(values, spoiled.get());
    }

    /** Whether what spoils the times can only have made them longer than the limit that a condition sets them. */
    private static boolean isOnlyLengthened(Assertion assertion, RunResult result) {
        // In a closed loop fewer requests are sent then, which may be answered sooner.
        return assertion.isLimit()
                && !result.plan().pace().closedLoop()
                && assertion.metrics().stream().map(Metric::key).allMatch(Spoilers::isResponseTime);
    }

    /** Returns what one must know of a comparison whose figures may not last, as clauses; empty of any other. */
    private static String remark(Assertion assertion, RunResult result) {
        if (assertion.targets().size() == 1) {
            return "";
        }
        List<String> unsteady = named(assertion, result)
                .filter(target -> assertion.metrics().stream().anyMatch(metric -> !metric.isSteady(target)))
                .map(TargetResult::name)
                .collect(Collectors.toList());
        List<String> remarks = new ArrayList<>();
        if (!unsteady.isEmpty()) {
            remarks.add("not known to be steady: " + String.join(", ", unsteady));
        }
        drift(assertion, result).ifPresent(remarks::add);
        return String.join("; ", remarks);
    }

    /** Returns that the ratio of two targets still changes from block to block. */
    private static Optional<String> drift(Assertion assertion, RunResult result) {
        List<TargetResult> both = assertion.targets().stream()
                .flatMap(name -> result.target(name).stream())
                .collect(Collectors.toList());
        return assertion.metrics().stream()
                .filter(metric -> both.size() == 2)
                .flatMap(metric -> LaunchRatios.of(result)
                        .estimate(metric, both.get(0), both.get(1), LaunchVerdicts.Blocks.NONE)
                        .flatMap(ratio -> LaunchVerdicts.drift(
                                result.plan(),
                                metric,
                                both.get(0).name(),
                                both.get(1).name(),
                                ratio))
                        .stream())
                .findFirst();
    }

    /** Returns why the figures of the condition are not those of the whole run, or of the targets; absent else. */
    private static Optional<String> whyNot(Assertion assertion, RunResult result, Spoilers spoilers) {
        if (result.interrupted()) {
            return Optional.of("the run was interrupted, so its figures are not those of the whole");
        }
        Optional<String> invalid = spoilers.invalid();
        if (invalid.isPresent()) {
            return invalid;
        }
        Optional<String> why = named(assertion, result)
                .map(target -> whyNot(target, result)
                        .or(() -> withoutWork(assertion, target, result))
                        .or(() -> atLeast(assertion, target, result))
                        .or(() -> tooFew(assertion, target)))
                .flatMap(Optional::stream)
                .reduce((one, other) -> one + "; " + other);
        return why.or(() -> noPair(assertion, result)).or(() -> cheapAnswers(assertion, result));
    }

    /** Returns the targets that a condition is about. */
    private static Stream<TargetResult> named(Assertion assertion, RunResult result) {
        return result.targets().stream().filter(target -> assertion.targets().contains(target.name()));
    }

    /** Returns what one of two targets did not do that are compared. */
    private static Optional<String> cheapAnswers(Assertion assertion, RunResult result) {
        List<TargetResult> compared = named(assertion, result).collect(Collectors.toList());
        return assertion.metrics().stream()
                .flatMap(metric -> compared.stream().flatMap(one -> compared.stream()
                        .flatMap(other -> CheapAnswers.of(metric, one, other).stream())))
                .findFirst()
                .map(cheap -> cheap + ", so that they did not do the same work");
    }

    /** Returns in which launches a target did not do the work that is judged, so that those that did are no measure. */
    private static Optional<String> withoutWork(Assertion assertion, TargetResult target, RunResult run) {
        LaunchRatios ratios = LaunchRatios.of(run);
        for (Metric metric : assertion.metrics()) {
            List<Integer> launches = ratios.lived(target, metric::isWithoutWork);
            if (!launches.isEmpty()) {
                boolean mute = !ratios.lived(target, metric::isMute).isEmpty();
                boolean refused = !ratios.lived(target, metric::isRefused).isEmpty();
                return Optional.of(target.name()
                        + (mute ? " answered no request well" : "")
                        + (mute && refused ? ", or" : "")
                        + (refused ? " refused some at full load" : "")
                        + " in "
                        + numbered(run, launches, target.launches().size())
                        + ", so its " + metric + " is not that of the whole run");
            }
        }
        return Optional.empty();
    }

    /**
     * Returns why a time of a target has no value: its requests without an answer are slower than any, of all or of one
     * of the launches that a verdict would rest on.
     */
    private static Optional<String> atLeast(Assertion assertion, TargetResult target, RunResult run) {
        LaunchRatios ratios = LaunchRatios.of(run);
        for (Metric metric : assertion.metrics()) {
            if (metric.isAtLeast(target)) {
                LoadCounts counts = target.counts().orElseThrow();
                return Optional.of(noAnswer(target, metric, "", counts.withoutAnswer(), counts.due()));
            }
            Optional<LaunchResult> reached =
                    ratios.whole(target).stream().filter(metric::isAtLeast).findFirst();
            if (reached.isPresent()) {
                LaunchResult launch = reached.get();
                String where = " in " + run.plan().numbered(List.of(launch.launch()));
                return Optional.of(noAnswer(target, metric, where, launch.due() - launch.completed(), launch.due()));
            }
        }
        return Optional.empty();
    }

    private static String noAnswer(TargetResult target, Metric metric, String where, long without, long due) {
        return target.name() + "." + metric + " has no value, because " + without + " of " + due
                + " requests got no answer" + where;
    }

    /** Returns why two targets cannot be compared that each have a value: no launch has those of both, or not all. */
    private static Optional<String> noPair(Assertion assertion, RunResult result) {
        if (assertion.targets().size() < 2 || assertion.metrics().size() > 1) {
            return Optional.empty();
        }
        Metric metric = assertion.metrics().iterator().next();
        List<TargetResult> targets = named(assertion, result)
                .filter(target -> !target.launches().isEmpty())
                .collect(Collectors.toList());
        if (targets.size() != 2
                || !targets.stream().allMatch(target -> metric.of(target).isPresent())) {
            return Optional.empty();
        }
        LaunchRatios ratios = LaunchRatios.of(result);
        return ratios.count(metric, targets.get(0), targets.get(1)) == 0
                ? Optional.of("no " + result.plan().unit() + " gave the " + metric
                        + " of both; have the run last longer or send more")
                : ratios.whyTooFew(metric, result.plan(), targets.get(0), targets.get(1));
    }

    private static Optional<String> tooFew(Assertion assertion, TargetResult target) {
        return assertion.metrics().stream()
                .map(metric -> metric.whyTooFew(target)
                        .map(why -> target.name() + "." + metric + " has no value, because " + why
                                + "; have the run last longer or send more"))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> whyNot(TargetResult target, RunResult run) {
        int launches = run.launchesThatCount();
        if (target.launches().isEmpty()) {
            return target.exit().map(exit -> target.name() + " died, so its figures are not those of the whole run");
        }
        List<Integer> died = new ArrayList<>();
        List<Integer> missing = new ArrayList<>();
        for (int number = 1; number <= launches; number++) {
            int launch = number;
            Optional<LaunchResult> result = target.launches().stream()
                    .filter(one -> one.launch() == launch)
                    .findFirst();
            if (result.flatMap(LaunchResult::exit).isPresent()) {
                died.add(launch);
            } else if (result.filter(LaunchResult::isMeasured).isEmpty()) {
                missing.add(launch);
            }
        }
        List<String> parts = new ArrayList<>();
        if (!died.isEmpty()) {
            parts.add("died in " + numbered(run, died, launches));
        }
        if (!missing.isEmpty()) {
            parts.add("has no figures of " + numbered(run, missing, launches));
        }
        return parts.isEmpty()
                ? Optional.empty()
                : Optional.of(target.name() + " " + String.join(" and ", parts)
                        + ", so its figures are not those of the whole run");
    }

    private static String numbered(RunResult run, List<Integer> launches, int all) {
        return run.plan().numbered(launches) + " of " + all;
    }

    /** The values of a run, of all launches together, and its ratios, which are those of its verdicts. */
    private static final class RunValues implements Assertion.Values {
        private final RunResult result;

        RunValues(RunResult result) {
            this.result = result;
        }

        @Override
        public OptionalDouble of(String target, Metric metric) {
            return result.target(target).map(metric::of).orElseGet(OptionalDouble::empty);
        }

        /** One that is 0 or infinite says less than the values, of which one is 0. */
        @Override
        public OptionalDouble ratio(String target, String other, Metric metric) {
            OptionalDouble ratio = LaunchRatios.of(result)
                    .of(
                            result.target(target).orElseThrow(),
                            result.target(other).orElseThrow(),
                            metric);
            return ratio.orElse(0) > 0 && Double.isFinite(ratio.getAsDouble()) ? ratio : OptionalDouble.empty();
        }
    }
}
