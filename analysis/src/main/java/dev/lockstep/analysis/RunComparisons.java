package dev.lockstep.analysis;

import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.comparison.ComparedRun;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.results.comparison.RunVerdict;
import dev.lockstep.results.comparison.TargetFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compares runs of different days with the first of them. Where a target is the same in both, it stands for the day:
 * the others are judged by their ratio to it within each run (a difference of differences), in which whatever made the
 * machine faster or slower for all alike is gone. Without such a control two runs say nothing of how much days differ;
 * of three and more, those that are not judged do, as far as a target was the same in them.
 *
 * <p>Source: differences of differences with a control are those of D. Card and A. Krueger, American Economic Review 84
 * (1994); that a machine's days are a source of variance of their own: T. Kalibera and R. Jones, ISMM 2013.
 */
public final class RunComparisons {
    private final List<NamedRun> runs;
    private final RunCriteria criteria;
    private final Metric primary;
    private final List<TargetFacts> targets;

    private RunComparisons(List<NamedRun> runs, RunCriteria criteria) {
        this.runs = runs;
        this.criteria = criteria;
        primary = criteria.primary().orElseGet(() -> primary(runs));
        targets = targets(runs);
        criteria.control().ifPresent(this::requireInAll);
    }

    /**
     * Compares runs.
     *
     * @param runs the baseline first; two at least
     * @throws AnalysisException where the criteria name what the runs do not have
     */
    public static RunComparison of(List<NamedRun> runs, RunCriteria criteria) {
        if (runs.size() < 2) {
            throw new IllegalArgumentException("a comparison must have two runs at least, has " + runs.size());
        }
        return new RunComparisons(List.copyOf(runs), criteria).compare();
    }

    /** Tells whether all runs had the same requests. */
    public static boolean isSameCapture(List<NamedRun> runs) {
        return RunFacts.of(runs).captures().isEmpty();
    }

    /** Tells whether two of the runs have a target of one name. */
    public static boolean haveATargetInCommon(List<NamedRun> runs) {
        return !targets(runs).isEmpty();
    }

    /**
     * Returns the metric that decides: that by which all runs were judged; where they differ, the CPU of a request at
     * full load, else without the JIT, else all of it, else p50: the first that all targets of all runs have.
     */
    static Metric primary(List<NamedRun> runs) {
        Set<Metric> planned =
                runs.stream().map(run -> LaunchVerdicts.primary(run.result())).collect(Collectors.toSet());
        if (planned.size() == 1) {
            return planned.iterator().next();
        }
        return List.of(Metric.FULL_LOAD_CPU_PER_REQUEST, Metric.STEADY_CPU_PER_REQUEST, Metric.CPU_PER_REQUEST).stream()
                .filter(metric -> runs.stream()
                        .flatMap(run -> run.result().targets().stream())
                        .filter(TargetResult::isMeasured)
                        .allMatch(target -> target.launches().stream()
                                .anyMatch(launch -> metric.of(launch).isPresent())))
                .findFirst()
                .orElse(Metric.P50);
    }

    private static Set<String> names(NamedRun run) {
        return run.result().plan().targets().stream()
                .map(TargetPlan::name)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the targets that two runs have. */
    private static List<TargetFacts> targets(List<NamedRun> runs) {
        RunFacts facts = RunFacts.of(runs);
        return runs.stream()
                .flatMap(run -> names(run).stream())
                .distinct()
                .filter(name ->
                        runs.stream().filter(run -> names(run).contains(name)).count() > 1)
                .map(facts::target)
                .collect(Collectors.toList());
    }

    // ---- the control --------------------------------------------------------------------------------------------

    private void requireInAll(String named) {
        runs.stream().filter(run -> !names(run).contains(named)).findFirst().ifPresent(run -> {
            throw new AnalysisException("expected a target of all runs, found '" + named + "', which " + run
                    + " does not have; its targets are " + String.join(", ", names(run)));
        });
    }

    /** Returns the target that stands for the day between the baseline and a run, whatever others say; or null. */
    private String control(NamedRun run) {
        if (criteria.control().isPresent()) {
            return criteria.control().get();
        }
        List<NamedRun> pair = List.of(runs.get(0), run);
        List<TargetFacts> both = targets(pair);
        if (!criteria.usesControl() || both.size() < 2) {
            return null;
        }
        String baseline = runs.get(0).result().plan().baseline();
        List<String> same = both.stream()
                .filter(target -> target.same() && isKnown(pair, target.target()))
                .map(TargetFacts::target)
                .collect(Collectors.toList());
        // Where nothing is known to differ, what nobody knows of is all that can: a new build of the service, of all.
        if (same.size() == both.size()) {
            return null;
        }
        List<String> measured =
                same.stream().filter(target -> isMeasured(pair, target)).collect(Collectors.toList());
        return measured.contains(baseline)
                ? baseline
                : measured.stream().findFirst().orElse(null);
    }

    /** Whether both runs know its JVM: of a server that runs already nobody knows what it is. */
    private static boolean isKnown(List<NamedRun> pair, String target) {
        return pair.stream()
                .allMatch(run -> run.target(target).flatMap(TargetResult::jvm).isPresent());
    }

    private boolean isMeasured(List<NamedRun> pair, String target) {
        return pair.stream()
                .allMatch(run -> RunJudge.sample(run, target, primary).isPresent());
    }

    // ---- what is said -------------------------------------------------------------------------------------------

    private RunComparison compare() {
        RunFacts facts = RunFacts.of(runs);
        RunComparison.Builder comparison = RunComparison.builder()
                .captures(facts.captures())
                .plans(facts.plans())
                .machines(facts.machines())
                .targets(targets)
                .primaryMetric(primary.key())
                .margin(criteria.margin())
                .notes(notes());
        runs.forEach(run -> comparison.run(compared(run)));
        runs.stream().skip(1).forEach(run -> comparison.addAllVerdicts(verdicts(run)));
        return comparison.build();
    }

    static ComparedRun compared(NamedRun run) {
        RunResult result = run.result();
        return ComparedRun.builder()
                .directory(run.directory())
                .startedAt(result.startedAt())
                .status(result.status())
                .statusReasons(result.statusReasons())
                .onlyLate(result.status() == RunStatus.INVALID
                        && result.reasonsBesideLateness().isEmpty())
                .died(result.targets().stream()
                        .filter(target -> target.exit().isPresent())
                        .map(TargetResult::name)
                        .collect(Collectors.toList()))
                .capture(result.plan().capture().path())
                .launches(wholeLaunches(result))
                .machine(RunFacts.machine(result))
                .build();
    }

    private static int wholeLaunches(RunResult result) {
        return result.interrupted() ? result.launchesDone().orElse(0) : result.launchesThatCount();
    }

    /** Errors are counted, not compared with those of the control: it answers for its own. */
    private static boolean isOfErrors(RunVerdict verdict) {
        return verdict.metric().equals(Metric.ERRORS.key());
    }

    private List<RunVerdict> verdicts(NamedRun run) {
        NamedRun baseline = runs.get(0);
        List<Metric> metrics = RunJudge.metrics(primary, criteria, runs);
        String control = control(run);
        List<RunVerdict> verdicts = new ArrayList<>();
        for (TargetFacts facts : targets) {
            String target = facts.target();
            if (!names(run).contains(target) || !names(baseline).contains(target)) {
                continue;
            }
            boolean standsForDay = target.equals(control);
            RunJudge judge = new RunJudge(target, standsForDay ? null : control, primary, criteria, !standsForDay);
            verdicts.addAll(
                    judge
                            .verdicts(
                                    metrics,
                                    run,
                                    metric -> List.of(baseline),
                                    days(judge, metrics, run, target, control))
                            .stream()
                            .map(verdict -> standsForDay && !isOfErrors(verdict) ? verdict.asControl() : verdict)
                            .collect(Collectors.toList()));
        }
        return verdicts;
    }

    /** Returns by how much the runs that are not judged differ where the target, and its control, was the same. */
    private Map<Metric, DayDeviation> days(
            RunJudge judge, List<Metric> metrics, NamedRun judged, String target, String control) {
        Map<Metric, DayDeviation> days = new EnumMap<>(Metric.class);
        Collection<List<NamedRun>> alike = runs.stream()
                .filter(run -> run != judged)
                .collect(Collectors.groupingBy(
                        run -> identity(run, target, control), LinkedHashMap::new, Collectors.toList()))
                .values();
        List<String> names = control == null ? List.of(target) : List.of(target, control);
        for (Metric metric : metrics) {
            List<List<RunSample>> samples = alike.stream()
                    .map(group -> group.stream()
                            .flatMap(run -> sample(judge, run, metric, names).stream())
                            .collect(Collectors.toList()))
                    .collect(Collectors.toList());
            DayDeviation.of(samples).ifPresent(found -> days.put(metric, found));
        }
        return days;
    }

    /** Returns what a run tells of how days differ; absent where it is not the targets' own, or will not last. */
    private static Optional<RunSample> sample(RunJudge judge, NamedRun run, Metric metric, List<String> names) {
        boolean stands = names.stream()
                .allMatch(
                        name -> RunJudge.spoiled(run, name, metric).isEmpty() && RunJudge.isSteady(run, name, metric));
        return stands
                ? judge.relative(run, metric).filter(found -> !RunJudge.drifts(run, names, found))
                : Optional.empty();
    }

    private static List<String> identity(NamedRun run, String target, String control) {
        return List.of(RunFacts.identity(run, target), control == null ? "" : RunFacts.identity(run, control));
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        for (NamedRun run : runs) {
            List<String> alone = names(run).stream()
                    .filter(name ->
                            targets.stream().noneMatch(target -> target.target().equals(name)))
                    .collect(Collectors.toList());
            if (!alone.isEmpty()) {
                notes.add("only in " + run + ", and compared with nothing: " + String.join(", ", alone));
            }
        }
        targets.stream()
                .filter(target -> !runs.stream().allMatch(run -> names(run).contains(target.target())))
                .forEach(target -> notes.add(target.target() + " is not in "
                        + runs.stream()
                                .filter(run -> !names(run).contains(target.target()))
                                .map(NamedRun::directory)
                                .collect(Collectors.joining(", "))));
        criteria.control().ifPresent(control -> targets.stream()
                .filter(target -> target.target().equals(control) && !target.same())
                .forEach(target ->
                        notes.add(control + " stands for the day although it differs itself; see the fingerprints")));
        for (NamedRun run : runs) {
            if (run.result().interrupted()) {
                notes.add(run + ": INTERRUPTED, " + wholeLaunches(run.result()) + " of its launches came to the end");
            }
        }
        return notes;
    }
}
