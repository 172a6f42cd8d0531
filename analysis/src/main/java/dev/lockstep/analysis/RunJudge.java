package dev.lockstep.analysis;

import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Verdict.Interval;
import dev.lockstep.results.comparison.RunVerdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What a run says of one target against earlier ones, metric by metric. The primary metric stands alone, at 95 %; the
 * others that answer one question are a family, as in {@link LaunchVerdicts}.
 */
final class RunJudge {
    /** Beside the primary metric: what the first screen of a run has, and the other costs. */
    private static final List<Metric> USUAL = List.of(
            Metric.FULL_LOAD_CPU_PER_REQUEST,
            Metric.STEADY_CPU_PER_REQUEST,
            Metric.CPU_PER_REQUEST,
            Metric.P50,
            Metric.P99,
            Metric.THROUGHPUT,
            Metric.ALLOCATED_BYTES_PER_REQUEST,
            Metric.RSS,
            Metric.STARTUP,
            Metric.ERRORS);

    private final String target;
    /** The target that stands for the day; null where none does. */
    private final String control;

    private final Metric primary;
    private final RunCriteria criteria;
    private final boolean decides;

    /**
     * @param control null where none stands for the day
     * @param decides whether what is found of the primary metric and those of the criteria counts
     */
    RunJudge(String target, String control, Metric primary, RunCriteria criteria, boolean decides) {
        this.target = target;
        this.control = control;
        this.primary = primary;
        this.criteria = criteria;
        this.decides = decides;
    }

    /** Returns the metrics that runs are compared by, the primary one first. */
    static List<Metric> metrics(Metric primary, RunCriteria criteria, List<NamedRun> runs) {
        Set<Metric> all = new LinkedHashSet<>(List.of(primary));
        all.addAll(criteria.failOn());
        USUAL.stream()
                .filter(metric -> runs.stream()
                        .allMatch(run -> metric.comparesIn(run.result().plan())))
                .forEach(all::add);
        return new ArrayList<>(all);
    }

    /** Returns the logs of a metric in the launches of a run; absent where none has it, or one has nothing of it. */
    static Optional<RunSample> sample(NamedRun run, String target, Metric metric) {
        Map<Integer, Double> logs = logs(run, target, metric);
        return logs.isEmpty() || logs.containsValue(Double.NEGATIVE_INFINITY)
                ? Optional.empty()
                : Optional.of(RunSample.of(
                        logs.values().stream().mapToDouble(Double::doubleValue).toArray(),
                        resolution(run, target, metric)));
    }

    /** Returns that of the launch in which the figure is the coarsest. */
    private static double resolution(NamedRun run, String target, Metric metric) {
        return run.launches(target).stream()
                .mapToDouble(launch -> LaunchRatios.resolution(metric, launch))
                .max()
                .orElse(0);
    }

    /** As {@link #sample(NamedRun, String, Metric)}, of the ratio to the control in each launch of both. */
    Optional<RunSample> relative(NamedRun run, Metric metric) {
        if (control == null) {
            return sample(run, target, metric);
        }
        Map<Integer, Double> mine = logs(run, target, metric);
        Map<Integer, Double> theirs = logs(run, control, metric);
        double[] ratios = mine.keySet().stream()
                .filter(theirs::containsKey)
                .mapToDouble(launch -> mine.get(launch) - theirs.get(launch))
                .toArray();
        boolean finite = Arrays.stream(ratios).allMatch(Double::isFinite);
        return ratios.length == 0 || !finite
                ? Optional.empty()
                : Optional.of(RunSample.of(
                        ratios, Math.max(resolution(run, target, metric), resolution(run, control, metric))));
    }

    private static Map<Integer, Double> logs(NamedRun run, String target, Metric metric) {
        Map<Integer, Double> logs = new LinkedHashMap<>();
        if (isAtLeast(run, target, metric)) {
            return logs;
        }
        for (LaunchResult launch : run.launches(target)) {
            OptionalDouble value = metric.of(launch);
            if (value.isPresent()) {
                logs.put(launch.launch(), Math.log(value.getAsDouble()));
            }
        }
        return logs;
    }

    private static boolean isAtLeast(NamedRun run, String target, Metric metric) {
        return run.launches(target).stream().anyMatch(metric::isAtLeast);
    }

    /** Returns the errors of a run's launches, those before a death too; absent without a request. */
    static Optional<RunCounts.Run> errors(NamedRun run, String target) {
        List<LaunchResult> launches = run.target(target).map(TargetResult::launches).orElse(List.of()).stream()
                .filter(launch ->
                        launch.due() > 0 && launch.launch() <= run.result().launchesThatCount())
                .collect(Collectors.toList());
        return launches.isEmpty()
                ? Optional.empty()
                : Optional.of(RunCounts.Run.of(
                        launches.stream().mapToLong(LaunchResult::failed).toArray(),
                        launches.stream().mapToLong(LaunchResult::due).toArray()));
    }

    /** Whether the run must not be trusted for a metric: those that only were late are right about costs. */
    static boolean isInvalid(NamedRun run, Metric metric) {
        RunResult result = run.result();
        return !(Spoilers.isOfTime(metric.key()) ? result.statusReasons() : result.reasonsBesideLateness()).isEmpty();
    }

    /** Returns why a run's figure is not the target's own, as a clause for people; absent where it is. */
    static Optional<String> spoiled(NamedRun run, String target, Metric metric) {
        if (isInvalid(run, metric)) {
            RunResult result = run.result();
            List<String> reasons =
                    Spoilers.isOfTime(metric.key()) ? result.statusReasons() : result.reasonsBesideLateness();
            return Optional.of("INVALID: " + reasons.get(0));
        }
        if (run.result().interrupted() && run.result().launchesDone().isEmpty()) {
            return Optional.of("the run was interrupted in its only launch");
        }
        Optional<String> spoiled = new Spoilers(run.result()).why(metric.key(), List.of(target));
        if (spoiled.isPresent()) {
            return spoiled;
        }
        return isAtLeast(run, target, metric)
                ? Optional.of("requests without an answer reach it, so that it has no value")
                : metric.whyTooFew(run.result().plan(), run.launches(target));
    }

    /** Whether a target was steady as far as the metric asks for it. */
    static boolean isSteady(NamedRun run, String target, Metric metric) {
        return run.target(target).map(metric::isSteady).orElse(true);
    }

    /**
     * Whether what a run gave of servers that ran already still rises or falls from block to block, by more than its
     * margin: then its mean will not last.
     *
     * @param names the targets that the sample is of
     */
    static boolean drifts(NamedRun run, List<String> names, RunSample sample) {
        OptionalDouble drift = sample.drift();
        return drift.isPresent()
                && Math.abs(drift.getAsDouble())
                        > Math.log1p(run.result().plan().margin())
                && run.result().plan().targets().stream()
                        .anyMatch(one -> one.address().isPresent() && names.contains(one.name()));
    }

    // ---- verdicts -----------------------------------------------------------------------------------------------

    /** What a metric rests on. */
    private final class Basis {
        final Metric metric;
        final NamedRun run;
        final List<NamedRun> earlier;
        final Optional<DayDeviation> days;
        /** Whether all of these runs have it. */
        final boolean judged;

        Basis(Metric metric, NamedRun run, List<NamedRun> earlier, Optional<DayDeviation> days) {
            this.metric = metric;
            this.run = run;
            this.earlier = earlier;
            this.days = days;
            judged = metric == Metric.ERRORS
                    ? counts().isPresent()
                    : relative(run, metric).isPresent()
                            && earlier.stream()
                                    .allMatch(other -> relative(other, metric).isPresent());
        }

        Optional<RunCounts> counts() {
            List<RunCounts.Run> before = earlier.stream()
                    .flatMap(other -> errors(other, target).stream())
                    .collect(Collectors.toList());
            return errors(run, target)
                    .filter(mine -> !before.isEmpty() && before.size() == earlier.size())
                    .map(mine -> RunCounts.of(before, mine))
                    .filter(counts -> counts.events() + counts.earlierEvents() > 0);
        }

        List<NamedRun> all() {
            List<NamedRun> all = new ArrayList<>(earlier);
            all.add(run);
            return all;
        }

        /** Returns the targets whose figures it rests on. */
        private List<String> names() {
            return control == null ? List.of(target) : List.of(target, control);
        }

        Optional<String> whyNot() {
            for (NamedRun one : all()) {
                for (String name : names()) {
                    Optional<String> why = spoiled(one, name, metric);
                    if (why.isPresent()) {
                        return Optional.of(one + ": " + (name.equals(target) ? "" : name + ": ") + why.get());
                    }
                }
            }
            return judged || newlyDied() && !withoutRequests() ? Optional.empty() : Optional.of(missing());
        }

        /** Whether the target died in one of these runs; the others' figures are to be seen all the same. */
        boolean died() {
            return all().stream().anyMatch(one -> died(one) > 0);
        }

        boolean hasFigure() {
            return metric != Metric.ERRORS
                    && all().stream()
                            .anyMatch(one -> sample(one, target, metric).isPresent());
        }

        /** Whether it got no request though those before did: as bad as errors can be, but no share of anything. */
        boolean withoutRequests() {
            return metric == Metric.ERRORS
                    && errors(run, target).isEmpty()
                    && earlier.stream().anyMatch(other -> errors(other, target).isPresent());
        }

        /** Whether it is of errors, and the target died in this run and in none of the earlier. */
        boolean newlyDied() {
            return metric == Metric.ERRORS
                    && died(run) > 0
                    && earlier.stream().allMatch(other -> other.target(target).isPresent() && died(other) == 0);
        }

        private String missing() {
            if (withoutRequests()) {
                return run + ": no request was sent to it, in any launch";
            }
            List<NamedRun> without = all().stream()
                    .filter(one -> relative(one, metric).isEmpty())
                    .collect(Collectors.toList());
            return without.stream().allMatch(one -> died(one) > 0)
                    ? target + " died in " + directories(without)
                    : directories(without) + ": no launch gave it, or one had nothing of it";
        }

        private String directories(List<NamedRun> some) {
            return some.stream().map(NamedRun::directory).collect(Collectors.joining(", "));
        }

        private Optional<String> unsteady() {
            return all().stream()
                    .flatMap(one -> names().stream()
                            .filter(name -> !isSteady(one, name, metric))
                            .map(name -> name + " in " + one))
                    .findFirst()
                    .map(first -> "not steady: " + first)
                    .or(() -> all().stream()
                            .filter(this::drifts)
                            .findFirst()
                            .map(one -> target + " still changes from "
                                    + one.result().plan().unit() + " to "
                                    + one.result().plan().unit() + " in " + one));
        }

        private boolean drifts(NamedRun one) {
            return metric != Metric.ERRORS
                    && relative(one, metric)
                            .filter(sample -> RunJudge.drifts(one, names(), sample))
                            .isPresent();
        }

        private int died(NamedRun one) {
            return one.target(target).map(LaunchRatios.of(one.result())::died).orElse(0);
        }

        private boolean isWithoutWork(NamedRun one) {
            // A run that refused in all launches is judged by another metric than its plan's.
            Optional<Metric> planned = metric == primary && criteria.primary().isEmpty()
                    ? Metric.of(one.result().plan().primaryMetric())
                    : Optional.empty();
            return one.target(target)
                    .map(found -> LaunchRatios.of(one.result())
                            .lived(
                                    found,
                                    launch -> metric.isWithoutWork(launch)
                                            || planned.filter(other -> other.isRefused(launch))
                                                    .isPresent()))
                    .filter(launches -> !launches.isEmpty())
                    .isPresent();
        }

        /** Returns why none of these runs is called better: their figures lack a launch. */
        private Optional<String> whyNotBetter(List<NamedRun> runs, List<NamedRun> others) {
            // Of errors those before a death count.
            if (metric != Metric.ERRORS && runs.stream().anyMatch(one -> died(one) > 0)) {
                return Optional.of("what died in a launch is not called better");
            }
            if (runs.stream().anyMatch(this::isWithoutWork)) {
                return Optional.of("what answers nothing or refuses in a launch is not called better");
            }
            // What the control does cheaply makes the target look worse.
            boolean cheaper = runs.stream().anyMatch(one -> others.stream()
                    .anyMatch(other ->
                            isCheaper(target, one, other) || control != null && isCheaper(control, other, one)));
            return cheaper ? Optional.of("what fails or refuses more requests is not called better") : Optional.empty();
        }

        private boolean isCheaper(String name, NamedRun one, NamedRun other) {
            return one.target(name)
                    .flatMap(mine -> other.target(name).flatMap(its -> CheapAnswers.of(metric, mine, its)))
                    .isPresent();
        }
    }

    /**
     * Returns the verdicts on a run against earlier ones; those without any figure are left out unless they decide.
     *
     * @param earlier what it is judged against by each metric; by none where there is nothing
     * @param days by how much runs differ from day to day, by metric
     */
    List<RunVerdict> verdicts(
            List<Metric> metrics,
            NamedRun run,
            Function<Metric, List<NamedRun>> earlier,
            Map<Metric, DayDeviation> days) {
        List<Basis> bases = metrics.stream()
                .map(metric -> new Basis(metric, run, earlier.apply(metric), Optional.ofNullable(days.get(metric))))
                .filter(basis -> !basis.earlier.isEmpty())
                .filter(basis -> basis.judged
                        || basis.died() && basis.hasFigure()
                        || isDeciding(basis.metric)
                                && (basis.metric != Metric.ERRORS || basis.withoutRequests() || basis.newlyDied()))
                .collect(Collectors.toList());
        return bases.stream().map(basis -> verdict(basis, level(basis, bases))).collect(Collectors.toList());
    }

    private boolean isDeciding(Metric metric) {
        return (decides || metric == Metric.ERRORS)
                && (metric == primary || criteria.failOn().contains(metric));
    }

    private double level(Basis basis, List<Basis> all) {
        double error = 1 - ConfidenceInterval.USUAL_LEVEL;
        if (basis.metric == primary) {
            return 1 - error;
        }
        long family = all.stream()
                .filter(other ->
                        other.metric != primary && other.judged && other.metric.question() == basis.metric.question())
                .count();
        return 1 - error / Math.max(1, family);
    }

    private RunVerdict verdict(Basis basis, double level) {
        Metric metric = basis.metric;
        RunVerdict.Builder verdict = RunVerdict.builder(metric.key(), target, basis.run.directory())
                .baselineRuns(basis.earlier.size())
                .primary(metric == primary)
                .decides(isDeciding(metric))
                .withoutRequests(basis.withoutRequests())
                .died(basis.newlyDied())
                .launches(0)
                .baselineLaunches(0)
                .invalid(basis.all().stream().anyMatch(run -> isInvalid(run, metric)));
        if (basis.earlier.size() == 1) {
            verdict.baseline(basis.earlier.get(0).directory());
        }
        values(basis, verdict);
        Optional<String> whyNot = basis.whyNot();
        Finding finding = basis.judged
                ? metric == Metric.ERRORS
                        ? counted(basis, basis.counts().orElseThrow(), level, verdict)
                        : measured(basis, level, verdict)
                : Finding.INCONCLUSIVE;
        Optional<String> unsteady = basis.unsteady();
        if (whyNot.isPresent()) {
            return verdict.finding(Finding.INCONCLUSIVE).whyNot(whyNot.get()).build();
        }
        if (basis.newlyDied()) {
            return verdict.finding(Finding.WORSE).build();
        }
        if (unsteady.isPresent()) {
            return verdict.finding(Finding.NOT_STEADY).whyNot(unsteady.get()).build();
        }
        Optional<String> whyNotBetter = finding == Finding.BETTER
                ? basis.whyNotBetter(List.of(basis.run), basis.earlier)
                : finding == Finding.WORSE ? basis.whyNotBetter(basis.earlier, List.of(basis.run)) : Optional.empty();
        if (whyNotBetter.isPresent() && finding == Finding.WORSE) {
            // One night in which it died would hide whatever comes after, so the others alone are asked.
            List<NamedRun> others = basis.earlier.stream()
                    .filter(one ->
                            basis.whyNotBetter(List.of(one), List.of(basis.run)).isEmpty())
                    .collect(Collectors.toList());
            if (!others.isEmpty()) {
                return verdict(new Basis(metric, basis.run, others, basis.days), level);
            }
        }
        return whyNotBetter.isPresent()
                ? verdict.finding(Finding.INCONCLUSIVE)
                        .whyNot(whyNotBetter.get())
                        .build()
                : verdict.finding(finding).build();
    }

    /** Says what each run had, also where they cannot be compared. */
    private void values(Basis basis, RunVerdict.Builder verdict) {
        if (basis.metric == Metric.ERRORS) {
            return;
        }
        sample(basis.run, target, basis.metric).ifPresent(sample -> verdict.value(Math.exp(sample.mean())));
        basis.earlier.stream()
                .flatMap(run -> sample(run, target, basis.metric).stream())
                .mapToDouble(RunSample::mean)
                .average()
                .ifPresent(mean -> verdict.baselineValue(Math.exp(mean)));
    }

    private Finding measured(Basis basis, double level, RunVerdict.Builder verdict) {
        RunSample mine = relative(basis.run, basis.metric).orElseThrow();
        List<RunSample> before = basis.earlier.stream()
                .map(run -> relative(run, basis.metric).orElseThrow())
                .collect(Collectors.toList());
        RunRatio ratio = RunRatio.of(before, mine, basis.days.orElse(null));
        verdict.ratio(ratio.ratio())
                .launches(mine.launches())
                .baselineLaunches(before.stream().mapToInt(RunSample::launches).sum())
                .indicative(ratio.indicative());
        if (control != null) {
            verdict.control(control);
        }
        // JSON has no infinite numbers.
        ratio.interval(level)
                .filter(interval -> Double.isFinite(interval.high()))
                .ifPresent(interval -> verdict.interval(interval(interval)).level(level));
        ratio.pValue().ifPresent(verdict::pValue);
        basis.days.ifPresent(days -> verdict.dayRuns(days.runs()).dayDeviation(Math.sqrt(days.variance())));
        return ratio.finding(basis.metric.direction(), criteria.margin(), level);
    }

    private Finding counted(Basis basis, RunCounts counts, double level, RunVerdict.Builder verdict) {
        verdict.count(counts.events())
                .baselineCount(counts.earlierEvents())
                .launches(errors(basis.run, target).orElseThrow().launches())
                .baselineLaunches(basis.earlier.stream()
                        .flatMap(run -> errors(run, target).stream())
                        .mapToInt(RunCounts.Run::launches)
                        .sum())
                .indicative(counts.indicative());
        if (Double.isFinite(counts.ratio())) {
            verdict.ratio(counts.ratio());
        }
        counts.interval(level)
                .filter(interval -> Double.isFinite(interval.high()))
                .ifPresent(interval -> verdict.interval(interval(interval)).level(level));
        counts.pValue().ifPresent(verdict::pValue);
        return counts.finding(criteria.margin(), level);
    }

    static Interval interval(ConfidenceInterval interval) {
        return Interval.of(interval.low(), interval.high());
    }
}
