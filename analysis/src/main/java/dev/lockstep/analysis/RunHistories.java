package dev.lockstep.analysis;

import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.comparison.RunHistory;
import dev.lockstep.results.comparison.RunHistory.Change;
import dev.lockstep.results.comparison.RunHistory.Drift;
import dev.lockstep.results.comparison.RunHistory.Group;
import dev.lockstep.results.comparison.RunHistory.Point;
import dev.lockstep.results.comparison.RunHistory.Series;
import dev.lockstep.results.comparison.RunVerdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Puts runs into series: each metric of each target over the runs that had the same requests at the same load, where it
 * changed ({@link RunChanges}), and whether the newest run is worse than those since the last change before it. They
 * tell how much runs differ from day to day ({@link DayDeviation}).
 *
 * <p>A run that is INVALID for a metric, whose figures are spoiled, or in which the target was not steady stands in its
 * series and counts for nothing.
 */
public final class RunHistories {
    /** With fewer a drift is noise. */
    private static final int LEAST_DRIFTING = 8;

    private static final double MILLIS_PER_DAY = 86_400_000.0;
    private static final int DAYS = 30;
    /** Within fewer nothing is known of thirty. */
    private static final double LEAST_DAYS = 3;
    /** Runs that are nearer to each other tell nothing of it: a slope of minutes would go to infinity. */
    private static final double LEAST_DAYS_APART = 0.5;

    private final List<NamedRun> runs;
    private final RunCriteria criteria;
    private final Metric primary;

    private RunHistories(List<NamedRun> runs, RunCriteria criteria) {
        this.runs = runs;
        this.criteria = criteria;
        primary = criteria.primary().orElseGet(() -> primary(runs));
    }

    /**
     * Returns the metric that decides: that of the newest run; where no earlier one has it, as after an upgrade of
     * Lockstep, that by which all can be compared.
     */
    static Metric primary(List<NamedRun> runs) {
        Metric planned = LaunchVerdicts.primary(runs.get(runs.size() - 1).result());
        boolean known = runs.size() == 1
                || runs.subList(0, runs.size() - 1).stream()
                        .flatMap(run -> run.result().targets().stream())
                        .flatMap(target -> target.launches().stream())
                        .anyMatch(launch -> planned.of(launch).isPresent());
        return known ? planned : RunComparisons.primary(runs);
    }

    /**
     * Makes the history of runs in any order.
     *
     * @param folder where they were found, as the user named it
     * @param skipped what was found beside them
     */
    public static RunHistory of(
            String folder, List<NamedRun> runs, List<RunHistory.Skipped> skipped, RunCriteria criteria) {
        Map<List<String>, List<NamedRun>> groups = new LinkedHashMap<>();
        runs.stream()
                .sorted(Comparator.comparing(RunHistories::startedAt).reversed())
                .forEach(run -> groups.computeIfAbsent(key(run.result()), key -> new ArrayList<>())
                        .add(0, run));
        RunHistory.Builder history = RunHistory.builder()
                .folder(folder)
                .skipped(skipped)
                .margin(criteria.margin())
                .notes(notes(groups.values()));
        groups.values().forEach(group -> history.group(new RunHistories(group, criteria).group()));
        return history.build();
    }

    private static Instant startedAt(NamedRun run) {
        return run.result().startedAt().toInstant();
    }

    private static List<String> key(RunResult result) {
        return List.of(result.plan().capture().streamSha256(), RunFacts.load(result.plan()));
    }

    private static List<String> notes(Collection<List<NamedRun>> groups) {
        return groups.size() > 1
                ? List.of("the runs fall into " + groups.size()
                        + " groups of the same requests at the same load, which are not compared with each other")
                : List.of();
    }

    private NamedRun newest() {
        return runs.get(runs.size() - 1);
    }

    private Group group() {
        RunResult last = newest().result();
        List<Metric> metrics = RunJudge.metrics(primary, criteria, List.of(newest()));
        List<Series> series = new ArrayList<>();
        for (String target : targets()) {
            List<Track> tracks = metrics.stream()
                    .map(metric -> new Track(target, metric))
                    .filter(track -> !track.points.isEmpty())
                    .collect(Collectors.toList());
            Map<String, RunVerdict> verdicts = newest(target, metrics, tracks);
            tracks.forEach(track -> series.add(track.series(verdicts.get(track.metric.key()))));
        }
        return Group.of(
                last.plan().capture().path(),
                last.plan().capture().streamSha256(),
                RunFacts.load(last.plan()),
                runs.stream().map(RunComparisons::compared).collect(Collectors.toList()),
                series);
    }

    private List<String> targets() {
        List<String> names = new ArrayList<>();
        for (int i = runs.size() - 1; i >= 0; i--) {
            runs.get(i).result().plan().targets().stream()
                    .map(TargetPlan::name)
                    .filter(name -> !names.contains(name))
                    .forEach(names::add);
        }
        return names;
    }

    /** Returns what the newest run says of a target, by the names of metrics. */
    private Map<String, RunVerdict> newest(String target, List<Metric> metrics, List<Track> tracks) {
        Map<Metric, Track> byMetric = new EnumMap<>(Metric.class);
        Map<Metric, DayDeviation> days = new EnumMap<>(Metric.class);
        for (Track track : tracks) {
            byMetric.put(track.metric, track);
            track.days().ifPresent(found -> days.put(track.metric, found));
        }
        Function<Metric, List<NamedRun>> earlier =
                metric -> byMetric.containsKey(metric) ? byMetric.get(metric).sinceLastChange() : List.of();
        return newest().target(target).isEmpty()
                ? Map.of()
                : new RunJudge(target, null, primary, criteria, true)
                        .verdicts(metrics, newest(), earlier, days).stream()
                                .collect(Collectors.toMap(RunVerdict::metric, Function.identity()));
    }

    /** One metric of one target. */
    private final class Track {
        final String target;
        final Metric metric;
        final List<Point> points = new ArrayList<>();
        /** Those runs that count, and their places among all. */
        final List<Integer> places = new ArrayList<>();

        final List<RunSample> samples = new ArrayList<>();

        Track(String target, Metric metric) {
            this.target = target;
            this.metric = metric;
            for (int i = 0; i < runs.size(); i++) {
                add(i, runs.get(i));
            }
        }

        private void add(int place, NamedRun run) {
            if (metric == Metric.ERRORS) {
                RunJudge.errors(run, target).ifPresent(errors -> {
                    Point.Builder point = point(place, run, errors.rate(), errors.launches());
                    leftOut(run).ifPresent(point::leftOut);
                    points.add(point.build());
                });
                return;
            }
            Optional<RunSample> sample = RunJudge.sample(run, target, metric);
            if (sample.isEmpty()) {
                return;
            }
            RunSample found = sample.get();
            Point.Builder point = point(place, run, Math.exp(found.mean()), found.launches());
            found.interval().ifPresent(interval -> point.interval(RunJudge.interval(interval)));
            Optional<String> leftOut = leftOut(run);
            if (leftOut.isEmpty() && RunJudge.drifts(run, List.of(target), found)) {
                leftOut =
                        Optional.of("still changes from " + run.result().plan().unit() + " to "
                                + run.result().plan().unit());
            }
            leftOut.ifPresent(point::leftOut);
            points.add(point.build());
            if (leftOut.isEmpty()) {
                places.add(place);
                samples.add(found);
            }
        }

        private Point.Builder point(int place, NamedRun run, double value, int launches) {
            return Point.builder(place, value)
                    .launches(launches)
                    .fingerprint(run.target(target).map(RunFacts::fingerprint).orElseThrow());
        }

        private Optional<String> leftOut(NamedRun run) {
            Optional<String> spoiled = RunJudge.spoiled(run, target, metric);
            return spoiled.isPresent() || RunJudge.isSteady(run, target, metric) ? spoiled : Optional.of("not steady");
        }

        /** Returns how many of the runs that count are older than the newest run. */
        private int before() {
            boolean newestCounts = !places.isEmpty() && places.get(places.size() - 1) == runs.size() - 1;
            return places.size() - (newestCounts ? 1 : 0);
        }

        private List<RunChanges.Change> changesBefore() {
            return RunChanges.find(samples.subList(0, before()), criteria.margin());
        }

        List<NamedRun> sinceLastChange() {
            if (metric == Metric.ERRORS) {
                return points.stream()
                        .filter(point ->
                                point.run() < runs.size() - 1 && point.leftOut().isEmpty())
                        .map(point -> runs.get(point.run()))
                        .collect(Collectors.toList());
            }
            List<RunChanges.Change> changes = changesBefore();
            int from = changes.isEmpty() ? 0 : changes.get(changes.size() - 1).at();
            return places.subList(from, before()).stream().map(runs::get).collect(Collectors.toList());
        }

        /** Returns by how much runs between changes differ. */
        Optional<DayDeviation> days() {
            List<List<RunSample>> alike = new ArrayList<>();
            int from = 0;
            for (RunChanges.Change change : changesBefore()) {
                alike.add(samples.subList(from, change.at()));
                from = change.at();
            }
            alike.add(samples.subList(from, before()));
            return DayDeviation.of(alike);
        }

        Series series(RunVerdict newest) {
            List<RunChanges.Change> found =
                    metric == Metric.ERRORS ? List.of() : RunChanges.find(samples, criteria.margin());
            Series.Builder series = Series.builder(target, metric.key())
                    .primary(metric == primary)
                    .points(points);
            found.forEach(change -> series.change(change(change)));
            drift(found.isEmpty() ? 0 : found.get(found.size() - 1).at()).ifPresent(series::drift);
            if (newest != null) {
                series.newest(newest);
            }
            return series.build();
        }

        private Change change(RunChanges.Change found) {
            int after = places.get(found.at() - 1);
            int run = places.get(found.at());
            return Change.builder()
                    .after(after)
                    .run(run)
                    .ratio(found.ratio())
                    .interval(RunJudge.interval(found.interval()))
                    .pValue(found.pValue())
                    .better(found.ratio() < 1 == (metric.direction() == Direction.LOWER_IS_BETTER))
                    .with(RunFacts.differences(runs.get(after), runs.get(run), target))
                    .build();
        }

        private Optional<Drift> drift(int from) {
            int count = samples.size() - from;
            if (count < LEAST_DRIFTING) {
                return Optional.empty();
            }
            double[] days = new double[count];
            double[] values = new double[count];
            for (int i = 0; i < count; i++) {
                days[i] = startedAt(runs.get(places.get(from + i))).toEpochMilli() / MILLIS_PER_DAY;
                values[i] = samples.get(from + i).mean();
            }
            if (days[count - 1] - days[0] < LEAST_DAYS) {
                return Optional.empty();
            }
            MannKendall trend = MannKendall.of(days, values, LEAST_DAYS_APART);
            double high = Math.exp(DAYS * trend.high());
            // JSON has no infinite numbers.
            return Double.isInfinite(high)
                    ? Optional.empty()
                    : Optional.of(Drift.of(
                            Math.exp(DAYS * trend.slope()),
                            RunJudge.interval(ConfidenceInterval.of(
                                    Math.exp(DAYS * trend.low()), high, ConfidenceInterval.USUAL_LEVEL)),
                            trend.pValue()));
        }
    }
}
