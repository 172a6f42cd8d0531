package dev.lockstep.analysis;

import dev.lockstep.measurement.LaunchResult;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.measurement.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What the launches of a run say of every metric of every target against the baseline: the primary metric, which was named
 * before the run, by itself; the others of a target as a family. A pair is a launch in which both were measured to the end
 * and both values are more than 0, for a ratio has no meaning otherwise: who died early did less, and did it less warm.
 */
public final class LaunchVerdicts {
    /** Gives the values of a metric in parts of a launch, one after the other and of about the same length. */
    public interface Blocks {
        /** There are none: a launch counts as one block. */
        Blocks NONE = (metric, target, launch) -> new double[0];

        /** Returns the values, all more than 0; none where there are no such parts. */
        double[] of(Metric metric, String target, int launch);
    }

    private final RunResult result;
    private final int launches;
    private final Blocks blocks;
    private final Metric primary;

    private LaunchVerdicts(RunResult result, int launches, Blocks blocks) {
        this.result = result;
        this.launches = launches;
        this.blocks = blocks;
        primary = Metric.of(result.plan().primaryMetric()).orElseThrow();
    }

    /**
     * Returns the verdicts, those on the primary metric first; none without a target that was launched beside the baseline.
     *
     * @param launches how many launches count, the first ones
     */
    public static List<Verdict> of(RunResult result, int launches, Blocks blocks) {
        return new LaunchVerdicts(result, launches, blocks).all();
    }

    private List<Verdict> all() {
        List<Verdict> first = new ArrayList<>();
        List<Verdict> others = new ArrayList<>();
        TargetResult baseline = result.baseline();
        for (TargetResult target : result.targets()) {
            if (target != baseline
                    && !target.launches().isEmpty()
                    && !baseline.launches().isEmpty()) {
                first.add(primaryVerdict(target));
                others.addAll(otherVerdicts(target));
            }
        }
        first.addAll(others);
        return first;
    }

    private Verdict primaryVerdict(TargetResult target) {
        Optional<PairedRatio> ratio = ratio(primary, target);
        return ratio.isEmpty()
                ? Verdict.builder(primary.key(), target.name(), result.plan().baseline())
                        .primary(true)
                        .indicative(true)
                        .build()
                : verdict(
                        primary,
                        target,
                        Decision.of(
                                ratio.get(), primary.direction(), result.plan().margin()));
    }

    private List<Verdict> otherVerdicts(TargetResult target) {
        Map<Metric, PairedRatio> ratios = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            if (metric != primary && metric.comparesIn(result.plan())) {
                ratio(metric, target).ifPresent(ratio -> ratios.put(metric, ratio));
            }
        }
        List<Direction> directions = new ArrayList<>();
        ratios.keySet().forEach(metric -> directions.add(metric.direction()));
        List<Decision> decisions = Decision.family(
                new ArrayList<>(ratios.values()), directions, result.plan().margin());
        List<Verdict> verdicts = new ArrayList<>();
        int next = 0;
        for (Metric metric : ratios.keySet()) {
            verdicts.add(verdict(metric, target, decisions.get(next++)));
        }
        return verdicts;
    }

    private Verdict verdict(Metric metric, TargetResult target, Decision decision) {
        PairedRatio ratio = decision.ratio();
        Verdict.Builder verdict = Verdict.builder(
                        metric.key(), target.name(), result.plan().baseline())
                .primary(metric == primary)
                .launches(ratio.pairs())
                .ratio(ratio.ratio())
                .finding(decision.finding())
                .indicative(decision.indicative());
        // Two launches far apart can give one from 0 to infinity, which says nothing and which no JSON can hold.
        decision.interval()
                .filter(interval -> Double.isFinite(interval.high()))
                .map(LaunchVerdicts::interval)
                .ifPresent(verdict::interval);
        ratio.interval()
                .filter(interval -> Double.isFinite(interval.high()))
                .map(LaunchVerdicts::interval)
                .ifPresent(verdict::interval95);
        ratio.bootstrapInterval().map(LaunchVerdicts::interval).ifPresent(verdict::bootstrap);
        decision.pValue().ifPresent(verdict::pValue);
        decision.morePairs().ifPresent(verdict::moreLaunches);
        noiseFloor(metric, target, ratio.pairs())
                .filter(floor -> Double.isFinite(floor.interval().high()))
                .map(floor -> interval(floor.interval()))
                .ifPresent(verdict::noiseFloor);
        return verdict.build();
    }

    private static Verdict.Interval interval(ConfidenceInterval interval) {
        return new Verdict.Interval(interval.low(), interval.high());
    }

    /** Returns what another instance of the baseline shows, or where there is none what its launches do. */
    private Optional<NoiseFloor> noiseFloor(Metric metric, TargetResult target, int pairs) {
        Optional<NoiseFloor> floor =
                same(target).flatMap(same -> ratio(metric, same)).flatMap(same -> NoiseFloor.ofPairs(same, pairs));
        if (floor.isPresent()) {
            return floor;
        }
        double[] logs = result.baseline().launches().stream()
                .filter(this::counts)
                .map(metric::of)
                .filter(value -> value.orElse(0) > 0)
                .mapToDouble(value -> Math.log(value.getAsDouble()))
                .toArray();
        return NoiseFloor.ofLaunches(logs, pairs);
    }

    /** Returns the second instance of the baseline, for a target that is not itself it. */
    private Optional<TargetResult> same(TargetResult target) {
        return result.plan()
                .sameAsBaseline()
                .filter(name -> !name.equals(target.name()))
                .flatMap(name -> result.targets().stream()
                        .filter(other -> other.name().equals(name))
                        .findFirst());
    }

    private Optional<PairedRatio> ratio(Metric metric, TargetResult target) {
        List<double[]> pairs = new ArrayList<>();
        for (LaunchResult launch : target.launches()) {
            launchOf(result.baseline(), launch.launch())
                    .filter(base -> counts(base) && counts(launch))
                    .flatMap(base -> logRatios(metric, target.name(), launch, base))
                    .ifPresent(pairs::add);
        }
        return pairs.isEmpty() ? Optional.empty() : Optional.of(PairedRatio.of(pairs.toArray(new double[0][])));
    }

    private boolean counts(LaunchResult launch) {
        return launch.launch() <= launches && launch.exit().isEmpty();
    }

    private static Optional<LaunchResult> launchOf(TargetResult target, int launch) {
        return target.launches().stream()
                .filter(other -> other.launch() == launch)
                .findFirst();
    }

    private Optional<double[]> logRatios(Metric metric, String target, LaunchResult launch, LaunchResult base) {
        OptionalDouble mine = metric.of(launch);
        OptionalDouble theirs = metric.of(base);
        if (!(mine.orElse(0) > 0 && theirs.orElse(0) > 0)) {
            return Optional.empty();
        }
        double[] parts = blocks.of(metric, target, launch.launch());
        double[] baseParts = blocks.of(metric, result.plan().baseline(), launch.launch());
        if (parts.length < 2 || parts.length != baseParts.length) {
            return Optional.of(new double[] {Math.log(mine.getAsDouble() / theirs.getAsDouble())});
        }
        double[] logs = new double[parts.length];
        for (int i = 0; i < logs.length; i++) {
            logs[i] = Math.log(parts[i] / baseParts[i]);
        }
        return Optional.of(logs);
    }
}
