package dev.lockstep.analysis;

import dev.lockstep.measurement.Cost;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * The ratios between two targets of a run: the same ones for verdicts, tables, conditions and money. A pair is a launch
 * that both survived, measured to the end: a target that died early did less, and did it less warm. Nor is one a pair
 * in which a target was not steady by {@linkplain #mostUnsteady accident}. Of errors every launch counts, for those
 * before a death are errors too. Immutable.
 *
 * <p>How a ratio is made depends on the metric and on whether all launches have something of it, never on the one
 * launch or the other: {@link PairedRatio} where all values are more than 0, {@link PairedTotals} where some are 0, and
 * {@link PairedCounts} of events that are few in some launch. Events that are many in every launch are values like
 * others, but no finer than one event.
 *
 * <p>Blocks of a server that runs already come from one process: where neighbours are alike, the interval is as much
 * wider ({@link Neighbours}), and where their ratio rises or falls there is no verdict ({@link BlockDrift}).
 */
public final class LaunchRatios {
    /** With so many events in each launch, logs of counts are nearly normal, whatever makes them vary. */
    private static final long MANY_EVENTS = 30;
    /** Of the kernel's clock, by which it counts the CPU time of processes, as of nearly all Linux. */
    private static final double TICK_NS = 10_000_000;

    /** A target that is not steady in more than one of so many launches is none that becomes steady. */
    private static final int UNSTEADY_ONE_OF = 4;

    private final int launches;
    /** The targets whose process goes through all launches, so that one is perhaps like the one before it. */
    private final Set<String> running;

    private LaunchRatios(int launches, Set<String> running) {
        this.launches = launches;
        this.running = running;
    }

    /** @param launches how many launches of a run of this plan count, the first ones */
    static LaunchRatios ofFirst(int launches, RunPlan plan) {
        return new LaunchRatios(
                launches,
                plan.targets().stream()
                        .filter(target -> target.address().isPresent())
                        .map(TargetPlan::name)
                        .collect(Collectors.toSet()));
    }

    /**
     * Returns in how many of a target's launches it may be not steady by accident, such as when its JIT threw code away
     * that was in use. Those launches are left out; where there are more, the target itself is not steady.
     */
    public static int mostUnsteady(int launches) {
        return launches / UNSTEADY_ONE_OF;
    }

    /** Returns those of the launches of a run that came to their end. */
    public static LaunchRatios of(RunResult result) {
        return ofFirst(result.launchesThatCount(), result.plan());
    }

    /**
     * Returns the ratio of a figure of two targets.
     *
     * @param figure of a launch
     * @return absent where no launch has both, or neither target has any of it; 0 or infinite where one has none
     */
    public OptionalDouble of(
            TargetResult target, TargetResult baseline, Function<LaunchResult, OptionalDouble> figure) {
        return ratio(ofFigures(target, baseline, figure));
    }

    /** As {@link #of(TargetResult, TargetResult, Function)}, of a metric. */
    public OptionalDouble of(TargetResult target, TargetResult baseline, Metric metric) {
        return ratio(estimate(metric, target, baseline, LaunchVerdicts.Blocks.NONE));
    }

    private static OptionalDouble ratio(Optional<RatioEstimate> estimate) {
        return estimate.isPresent() ? OptionalDouble.of(estimate.get().ratio()) : OptionalDouble.empty();
    }

    /**
     * As {@link #of(TargetResult, TargetResult, Function)}, with its interval and the number of pairs, of a figure that
     * is no metric.
     */
    public Optional<LaunchMean> mean(
            TargetResult target, TargetResult baseline, Function<LaunchResult, OptionalDouble> figure) {
        return ofFigures(target, baseline, figure).map(LaunchMean::of);
    }

    private Optional<RatioEstimate> ofFigures(
            TargetResult target, TargetResult baseline, Function<LaunchResult, OptionalDouble> figure) {
        return ofFigures(
                pairs(target, baseline),
                areNeighbours(target, baseline),
                0,
                figure,
                launch -> List.of(),
                launch -> List.of());
    }

    /** Whether a pair of launches is perhaps like the one before it; one of freshly started processes is not. */
    private boolean areNeighbours(TargetResult target, TargetResult baseline) {
        return running.contains(target.name()) || running.contains(baseline.name());
    }

    /** Returns by how much more of a figure a target has in each pair, as a mean; absent where no pair has both. */
    public Optional<LaunchMean> difference(
            TargetResult target, TargetResult baseline, Function<LaunchResult, OptionalDouble> figure) {
        double[] differences = pairs(target, baseline).stream()
                .filter(pair -> figure.apply(pair.target).isPresent()
                        && figure.apply(pair.baseline).isPresent())
                .mapToDouble(pair -> figure.apply(pair.target).getAsDouble()
                        - figure.apply(pair.baseline).getAsDouble())
                .toArray();
        return differences.length == 0 ? Optional.empty() : Optional.of(LaunchMean.arithmetic(differences));
    }

    /** Returns a ratio with all that its pairs tell; absent where there is none. */
    Optional<RatioEstimate> estimate(
            Metric metric, TargetResult target, TargetResult baseline, LaunchVerdicts.Blocks blocks) {
        if (isAtLeast(metric, target, baseline)) {
            return Optional.empty();
        }
        List<Pair> pairs = pairs(metric, target, baseline);
        if (metric == Metric.ERRORS) {
            return ofCounts(pairs.stream()
                    .map(pair -> PairedCounts.Pair.of(
                            pair.target.failed(), pair.target.due(), pair.baseline.failed(), pair.baseline.due()))
                    .collect(Collectors.toList()));
        }
        if (metric == Metric.GC_CYCLES) {
            return ofCounts(pairs.stream()
                    .map(pair -> PairedCounts.Pair.of(
                            cycles(pair.target).getAsLong(),
                            1,
                            cycles(pair.baseline).getAsLong(),
                            1))
                    .collect(Collectors.toList()));
        }
        return ofFigures(
                pairs,
                areNeighbours(target, baseline),
                pairs.stream()
                        .flatMap(pair -> Stream.of(pair.target, pair.baseline))
                        .mapToDouble(launch -> resolution(metric, launch))
                        .max()
                        .orElse(0),
                metric::of,
                launch -> blocks.of(metric, target.name(), launch),
                launch -> blocks.of(metric, baseline.name(), launch));
    }

    /**
     * Whether the metric has no ratio because requests without an answer reach it in some launch: to leave those
     * launches out would be to judge by the good ones.
     */
    public boolean isAtLeast(Metric metric, TargetResult target, TargetResult baseline) {
        return pairs(target, baseline).stream()
                .anyMatch(pair -> metric.isAtLeast(pair.target) || metric.isAtLeast(pair.baseline));
    }

    /** As {@link Metric#whyTooFew(RunPlan, List)}, of the launches that are pairs. */
    Optional<String> whyTooFew(Metric metric, RunPlan plan, TargetResult target, TargetResult baseline) {
        return metric.whyTooFew(
                plan,
                pairs(target, baseline).stream()
                        .flatMap(pair -> Stream.of(pair.target, pair.baseline))
                        .collect(Collectors.toList()));
    }

    /** Returns in how many pairs both have a metric, and be it 0; of those the ratio is made. */
    int count(Metric metric, TargetResult target, TargetResult baseline) {
        return isAtLeast(metric, target, baseline)
                ? 0
                : pairs(metric, target, baseline).size();
    }

    private List<Pair> pairs(Metric metric, TargetResult target, TargetResult baseline) {
        // Errors before a death are errors too.
        List<Pair> all = metric == Metric.ERRORS ? launchesOfBoth(target, baseline) : pairs(target, baseline);
        return all.stream()
                .filter(pair -> metric.of(pair.target).isPresent()
                        && metric.of(pair.baseline).isPresent())
                .collect(Collectors.toList());
    }

    private static OptionalLong cycles(LaunchResult launch) {
        return launch.costs().get(Cost.GC_CYCLES);
    }

    static Optional<RatioEstimate> ofCounts(List<PairedCounts.Pair> counts) {
        if (counts.stream().allMatch(PairedCounts.Pair::isNone)) {
            return Optional.empty();
        }
        long least = counts.stream().mapToLong(PairedCounts.Pair::least).min().getAsLong();
        return Optional.of(
                least < MANY_EVENTS
                        ? PairedCounts.of(counts)
                        : PairedRatio.ofPairs(
                                1.0 / least,
                                counts.stream()
                                        .mapToDouble(PairedCounts.Pair::logRatio)
                                        .toArray()));
    }

    private static Optional<RatioEstimate> ofFigures(
            List<Pair> pairs,
            boolean ofNeighbours,
            double resolution,
            Function<LaunchResult, OptionalDouble> figure,
            IntFunction<List<Block>> targetBlocks,
            IntFunction<List<Block>> baselineBlocks) {
        List<Pair> known = pairs.stream()
                .filter(pair -> figure.apply(pair.target).isPresent()
                        && figure.apply(pair.baseline).isPresent())
                .collect(Collectors.toList());
        double[] target = known.stream()
                .mapToDouble(pair -> figure.apply(pair.target).getAsDouble())
                .toArray();
        double[] baseline = known.stream()
                .mapToDouble(pair -> figure.apply(pair.baseline).getAsDouble())
                .toArray();
        if (DoubleStream.concat(Arrays.stream(target), Arrays.stream(baseline)).allMatch(value -> value == 0)) {
            return Optional.empty();
        }
        if (DoubleStream.concat(Arrays.stream(target), Arrays.stream(baseline)).anyMatch(value -> value == 0)) {
            return Optional.of(PairedTotals.of(target, baseline));
        }
        List<PairedRatio.Pair> ratios = new ArrayList<>();
        for (int i = 0; i < target.length; i++) {
            double logRatio = Math.log(target[i] / baseline[i]);
            List<Block> parts = targetBlocks.apply(known.get(i).target.launch());
            List<Block> baselineParts = baselineBlocks.apply(known.get(i).target.launch());
            ratios.add(
                    parts.size() == baselineParts.size()
                            ? PairedRatio.Pair.of(logRatio, parts, baselineParts)
                            : PairedRatio.Pair.of(logRatio));
        }
        return Optional.of(PairedRatio.of(ratios, resolution, ofNeighbours));
    }

    /**
     * Returns which share of a launch's figure one tick of its counter is: user and system time have ticks in any case,
     * the CPU of a process and of its threads where no control group counts it. Servers' own metrics are mostly of such
     * ticks. Of collections it is one of them.
     */
    static double resolution(Metric metric, LaunchResult launch) {
        if (metric == Metric.GC_CYCLES) {
            double cycles = metric.of(launch).orElse(0);
            return cycles > 0 ? 1 / cycles : 0;
        }
        boolean always = metric == Metric.USER_CPU_PER_REQUEST || metric == Metric.SYSTEM_CPU_PER_REQUEST;
        boolean ofProcess = metric == Metric.CPU_PER_REQUEST
                || metric == Metric.STEADY_CPU_PER_REQUEST
                || metric == Metric.APP_CPU_PER_REQUEST
                || metric == Metric.FULL_LOAD_CPU_PER_REQUEST;
        if (!always && !(ofProcess && !launch.costs().isCpuOfGroup())) {
            return 0;
        }
        long requests = metric == Metric.FULL_LOAD_CPU_PER_REQUEST
                ? launch.fullLoad().map(FullLoad::requests).orElse(0L)
                : launch.successful();
        double cpuNs = metric.of(launch).orElse(0) * requests;
        return cpuNs > 0 ? TICK_NS / cpuNs : 0;
    }

    // ---- which launches count -----------------------------------------------------------------------------------

    /** A launch of both. */
    private static final class Pair {
        final LaunchResult target;
        final LaunchResult baseline;

        Pair(LaunchResult target, LaunchResult baseline) {
            this.target = target;
            this.baseline = baseline;
        }
    }

    /** Returns the logs of a metric in the launches of one target, of values that are neither missing nor 0. */
    double[] logs(Metric metric, TargetResult target) {
        return whole(target).stream()
                .map(metric::of)
                .filter(value -> value.orElse(0) > 0)
                .mapToDouble(value -> Math.log(value.getAsDouble()))
                .toArray();
    }

    /** Returns the launches of a target that count: it survived them, and was not unsteady by accident. */
    List<LaunchResult> whole(TargetResult target) {
        return target.launches().stream()
                .filter(launch -> counts(launch) && launch.exit().isEmpty() && !isLeftOut(target, launch))
                .collect(Collectors.toList());
    }

    /** Returns in how many launches that count a target was begun. */
    int begun(TargetResult target) {
        return (int) target.launches().stream().filter(this::counts).count();
    }

    /**
     * Returns the numbers of such launches among those that count and that a target did not die in, steady or not: what
     * did no work is told of, whatever its warm-up was.
     */
    List<Integer> lived(TargetResult target, Predicate<LaunchResult> such) {
        return target.launches().stream()
                .filter(launch -> counts(launch) && launch.exit().isEmpty() && such.test(launch))
                .map(LaunchResult::launch)
                .collect(Collectors.toList());
    }

    /** Returns in how many launches that count a target died. */
    int died(TargetResult target) {
        return (int) target.launches().stream()
                .filter(launch -> counts(launch) && launch.exit().isPresent())
                .count();
    }

    private boolean counts(LaunchResult launch) {
        return launch.launch() <= launches;
    }

    private List<Pair> pairs(TargetResult target, TargetResult baseline) {
        return launchesOfBoth(target, baseline).stream()
                .filter(pair -> isPair(target, pair.target, baseline, pair.baseline))
                .collect(Collectors.toList());
    }

    /** Whether a launch of two targets counts: both survived it, and none was not steady by accident. */
    public boolean isPair(
            TargetResult target, LaunchResult launch, TargetResult baseline, LaunchResult baselineLaunch) {
        return counts(launch)
                && launch.exit().isEmpty()
                && baselineLaunch.exit().isEmpty()
                && !isLeftOut(target, launch)
                && !isLeftOut(baseline, baselineLaunch);
    }

    /** Returns in how many launches that it survived a target was not steady. */
    int unsteady(TargetResult target) {
        return (int) target.launches().stream()
                .filter(launch -> counts(launch) && wasUnsteady(launch))
                .count();
    }

    /**
     * Returns how many launches it takes for as many as were planned to be pairs, if those in which either was not
     * steady are accidents; they are if that is no more than a run makes.
     *
     * @param mostLaunches how many it makes at most
     */
    int needed(TargetResult target, TargetResult baseline, int planned, int mostLaunches) {
        int accidental = Math.max(neededForAccidents(target), neededForAccidents(baseline));
        if (accidental > mostLaunches) {
            return planned;
        }
        long leftOut = launchesOfBoth(target, baseline).stream()
                .filter(pair -> wasUnsteady(pair.target) || wasUnsteady(pair.baseline))
                .count();
        return Math.max(planned + (int) leftOut, accidental);
    }

    /**
     * Those without a warm-up, as of a death before it ended, are none of the launches that accidents are a part of.
     */
    int neededForAccidents(TargetResult target) {
        int unsteady = unsteady(target);
        int unknown = (int) target.launches().stream()
                .filter(launch -> counts(launch) && launch.warmup().isEmpty())
                .count();
        return unsteady == 0 ? 0 : UNSTEADY_ONE_OF * unsteady + unknown;
    }

    private static boolean wasUnsteady(LaunchResult launch) {
        return launch.exit().isEmpty() && isNotSteady(launch.warmup());
    }

    /** Whether a launch of a target that becomes steady was not. */
    private static boolean isLeftOut(TargetResult target, LaunchResult launch) {
        return isNotSteady(launch.warmup()) && !isNotSteady(target.warmup());
    }

    static boolean isNotSteady(Optional<Warmup> warmup) {
        return warmup.filter(found -> found.state() == Warmup.State.NOT_STEADY).isPresent();
    }

    private List<Pair> launchesOfBoth(TargetResult target, TargetResult baseline) {
        List<Pair> pairs = new ArrayList<>();
        for (LaunchResult launch : target.launches()) {
            baseline.launches().stream()
                    .filter(base -> base.launch() == launch.launch() && counts(launch))
                    .forEach(base -> pairs.add(new Pair(launch, base)));
        }
        return pairs;
    }
}
