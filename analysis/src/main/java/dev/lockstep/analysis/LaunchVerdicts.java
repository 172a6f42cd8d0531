package dev.lockstep.analysis;

import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * What the launches of a run say of every metric of every target against the baseline: the primary metric, which was
 * named before the run, by itself; the CPU at the other load beside it; the others of a target as a family.
 * {@link LaunchRatios} says which launches are pairs.
 */
public final class LaunchVerdicts {
    /** Gives what a metric comes to in parts of a launch, one after the other and of about the same length. */
    public interface Blocks {
        /** There are none: a launch is drawn as a whole. */
        Blocks NONE = (metric, target, launch) -> List.of();

        /** Returns the parts; none where they are not known or the metric is no cost per request. */
        List<Block> of(Metric metric, String target, int launch);
    }

    /** One launch without a pair may be an accident. */
    private static final int LEAST_WITHOUT_PAIR = 2;

    private final RunResult result;
    private final TargetResult baseline;
    private final int launches;
    private final LaunchRatios ratios;
    private final Blocks blocks;
    private final Looks looks;
    private final Metric primary;
    /** Of so many metrics together: all metrics of all targets ask for one of a few, each an integral for each look. */
    private final Map<Long, Double> levels = new HashMap<>();

    private LaunchVerdicts(RunResult result, TargetResult baseline, int launches, Blocks blocks) {
        this.result = result;
        this.baseline = baseline;
        this.launches = launches;
        this.ratios = LaunchRatios.ofFirst(launches, result.plan());
        this.blocks = blocks;
        this.looks = Looks.of(result.plan());
        primary = primary(result);
    }

    /**
     * Returns the verdicts, those on the primary metric first; none without a target that was launched beside the
     * baseline. Where the plan has several {@link RunPlan#looks looks}, they are as sure as all of these together
     * allow.
     *
     * @param launches how many launches count, the first ones
     */
    public static List<Verdict> of(RunResult result, int launches, Blocks blocks) {
        return new Spoilers(result, launches).of(new LaunchVerdicts(result, result.baseline(), launches, blocks).all());
    }

    /**
     * Returns the verdict on one metric between any two targets, which the run itself makes of its baseline only: as if
     * this were the one question. Absent where a run of its plan says nothing of targets by it, or no pair has both.
     *
     * @param over the name of the target that takes the baseline's place
     */
    public static Optional<Verdict> between(RunResult result, Metric metric, String target, String over) {
        Optional<TargetResult> upper = result.target(target);
        Optional<TargetResult> lower = result.target(over);
        if (upper.isEmpty() || lower.isEmpty() || !metric.comparesIn(result.plan())) {
            return Optional.empty();
        }
        LaunchVerdicts verdicts = new LaunchVerdicts(result, lower.get(), result.launchesThatCount(), Blocks.NONE);
        return verdicts.estimate(metric, upper.get())
                .map(ratio -> verdicts.verdict(metric, upper.get(), ratio, verdicts.level(1)))
                .flatMap(verdict ->
                        new Spoilers(result).of(List.of(verdict)).stream().findFirst());
    }

    /** Says whether more launches could decide what they left open. */
    public static boolean isOpen(RunPlan plan, List<Verdict> verdicts) {
        return verdicts.stream()
                .anyMatch(verdict -> verdict.primary()
                        && verdict.finding() == Verdict.Finding.INCONCLUSIVE
                        && verdict.moreLaunches().isPresent()
                        && !plan.isSameAsBaseline(verdict.target()));
    }

    /**
     * Returns why more launches could decide nothing by the primary metric, for people; absent where they could. A run
     * that Lockstep gives as many launches as it takes ends by this; one whose launches were asked for, only where it
     * is INVALID already for what decides.
     *
     * @param launches how many launches count, the first ones
     */
    public static Optional<String> whyHopeless(RunResult result, int launches) {
        LaunchVerdicts verdicts = new LaunchVerdicts(result, result.baseline(), launches, Blocks.NONE);
        Optional<String> invalid = new Spoilers(result).invalid();
        if (invalid.isPresent()) {
            return invalid;
        }
        if (!result.latenessReasons().isEmpty() && Spoilers.isOfTime(verdicts.primary.key())) {
            return Optional.of(verdicts.primary.key() + " is not the targets' own, since Lockstep was late");
        }
        List<TargetResult> compared = others(result);
        if (result.plan().maxLaunches().isEmpty() || compared.isEmpty()) {
            return Optional.empty();
        }
        Spoilers spoilers = new Spoilers(result, launches);
        boolean isOfTime = Spoilers.isOfTime(verdicts.primary.key());
        Optional<String> shared = isOfTime ? spoilers.sharedProcessors() : Optional.empty();
        if (shared.isPresent()) {
            return shared;
        }
        List<String> paced = compared.stream()
                .flatMap(target -> spoilers.paced(verdicts.primary, List.of(target, result.baseline())).stream())
                .collect(Collectors.toList());
        if (paced.size() == compared.size()) {
            return Optional.of(paced.get(0));
        }
        List<TargetResult> starved = isOfTime
                ? result.targets().stream().filter(verdicts::isStarved).collect(Collectors.toList())
                : List.of();
        if (starved.contains(result.baseline()) || starved.containsAll(compared)) {
            return Optional.of(verdicts.primary.key()
                    + " is not the targets' own, since others had the processors of "
                    + starved.stream().map(TargetResult::name).collect(Collectors.joining(", "))
                    + " launch after launch");
        }
        List<TargetResult> steady = compared.stream()
                .filter(target -> verdicts.canBeSteady(target) && verdicts.canBeSteady(result.baseline()))
                .collect(Collectors.toList());
        if (steady.isEmpty()) {
            return Optional.of("not steady launch after launch: "
                    + result.targets().stream()
                            .filter(target -> !verdicts.canBeSteady(target))
                            .map(TargetResult::name)
                            .collect(Collectors.joining(", ")));
        }
        return launches >= LEAST_WITHOUT_PAIR ? verdicts.whyNoPair(steady) : Optional.empty();
    }

    /** Returns the targets that are compared with the baseline, but for a second instance of that. */
    private static List<TargetResult> others(RunResult result) {
        return result.targets().stream()
                .filter(target -> target != result.baseline() && !result.plan().isSameAsBaseline(target.name()))
                .collect(Collectors.toList());
    }

    private Optional<String> whyNoPair(List<TargetResult> targets) {
        if (targets.stream().anyMatch(target -> ratios.count(primary, target, baseline) > 0)) {
            return Optional.empty();
        }
        String names = targets.stream().map(TargetResult::name).collect(Collectors.joining(" or "));
        return Optional.of(
                targets.stream().anyMatch(target -> ratios.isAtLeast(primary, target, baseline))
                        ? primary.key() + " of " + names + ", or of " + baseline.name()
                                + ", has no value, since requests without an answer reach it"
                        : "none of them gave figures both of " + names + " and of " + baseline.name());
    }

    /**
     * What noise hides in one launch, several may show. One launch that was not steady may be an accident; two of the
     * first ones tell. Later, as many may be as are accidents among all that the run may make.
     */
    private boolean canBeSteady(TargetResult target) {
        if (primary.isSteady(target)) {
            return true;
        }
        return ratios.unsteady(target) <= accidents(target)
                && (ratios.begun(target) < result.plan().launches()
                        || ratios.neededForAccidents(target) <= result.plan().mostLaunches());
    }

    /** Whether others had a target's processors in more launches than may be accidents, likewise. */
    private boolean isStarved(TargetResult target) {
        return Starvation.launches(result, target, launches) > accidents(target);
    }

    /** Returns in how many launches what happened to a target may be an accident, as far as the run has come. */
    private int accidents(TargetResult target) {
        int begun = ratios.begun(target);
        return begun < result.plan().launches()
                ? Math.max(1, LaunchRatios.mostUnsteady(begun))
                : LaunchRatios.mostUnsteady(result.plan().mostLaunches());
    }

    /**
     * Returns how many launches it takes for as many as were planned to count, where targets were not steady in some by
     * accident. One in which a target died, or gave no figure, is a result, and is not made again.
     *
     * @param launches how many launches count, the first ones
     */
    public static int needed(RunResult result, int launches) {
        RunPlan plan = result.plan();
        LaunchRatios ratios = LaunchRatios.ofFirst(launches, plan);
        return others(result).stream()
                .mapToInt(target -> ratios.needed(target, result.baseline(), plan.launches(), plan.mostLaunches()))
                .max()
                .orElse(plan.launches());
    }

    /**
     * Returns the metric that decides: the planned one; the CPU at the measured pace where no launch of some target got
     * the full load that was planned; and all CPU where the JIT's cannot be told apart.
     *
     * @throws AnalysisException where this version knows no metric of its name
     */
    static Metric primary(RunResult result) {
        String named = result.plan().primaryMetric();
        Metric planned = Metric.of(named)
                .orElseThrow(() -> new AnalysisException("primaryMetric: expected one of " + Metric.names()
                        + ", found '" + named + "', as of another version of Lockstep"));
        if (planned == Metric.FULL_LOAD_CPU_PER_REQUEST
                && result.targets().stream().anyMatch(target -> gotNone(target, planned))) {
            return steady(result, Metric.STEADY_CPU_PER_REQUEST);
        }
        return steady(result, planned);
    }

    /** Whether a target lived and has none of a metric; one that died in each launch decides nothing for the others. */
    private static boolean gotNone(TargetResult target, Metric metric) {
        return target.launches().stream()
                        .anyMatch(launch -> launch.isMeasured() && launch.exit().isEmpty())
                && target.launches().stream()
                        .allMatch(launch -> metric.of(launch).isEmpty());
    }

    private static Metric steady(RunResult result, Metric planned) {
        boolean cannotTell = planned == Metric.STEADY_CPU_PER_REQUEST
                && result.targets().stream()
                        .flatMap(target -> target.launches().stream())
                        .anyMatch(launch -> planned.of(launch).isEmpty()
                                && Metric.CPU_PER_REQUEST.of(launch).isPresent());
        return cannotTell ? Metric.CPU_PER_REQUEST : planned;
    }

    private List<Verdict> all() {
        List<Verdict> first = new ArrayList<>();
        List<Verdict> others = new ArrayList<>();
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
        return estimate(primary, target)
                .map(ratio -> verdict(primary, target, ratio, level(1)))
                .orElseGet(() -> withoutRatio(target));
    }

    /** Returns the verdict where no pair has the primary metric, or neither target has any of it. */
    private Verdict withoutRatio(TargetResult target) {
        int pairs = ratios.count(primary, target, baseline);
        Verdict.Builder verdict = begin(primary, target).launches(pairs).indicative(pairs < Decision.FULL_PAIRS);
        ratios.whyTooFew(primary, result.plan(), target, baseline).ifPresent(verdict::whyNot);
        return pairs == 0 ? verdict.build() : verdict.count(0).baselineCount(0).build();
    }

    private List<Verdict> otherVerdicts(TargetResult target) {
        Map<Metric, RatioEstimate> estimates = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            if (metric != primary
                    && !metric.isOnRequest()
                    && metric.comparesIn(result.plan())
                    && (metric.question() != Verdict.Question.WARMING || isSteadySince(target))) {
                estimate(metric, target).ifPresent(ratio -> estimates.put(metric, ratio));
            }
        }
        return estimates.entrySet().stream()
                .map(entry -> verdict(entry.getKey(), target, entry.getValue(), level(entry.getKey(), estimates)))
                .collect(Collectors.toList());
    }

    /** Whether it is known of both since when they were steady: no launch that is left out was noisier by chance. */
    private boolean isSteadySince(TargetResult target) {
        return target.warmupToSteady().isPresent() && baseline.warmupToSteady().isPresent();
    }

    /**
     * Returns the level of the metrics that answer one question: each question is a family of its own. So is the CPU at
     * the load that is not the primary metric's, full or measured, which stands beside that: it has half its error.
     */
    private double level(Metric metric, Map<Metric, RatioEstimate> estimates) {
        if (metric == beside()) {
            return level(2);
        }
        // What has one pair cannot be wrong, for nothing is said of it.
        long judged = estimates.entrySet().stream()
                .filter(entry -> entry.getKey().question() == metric.question()
                        && entry.getKey() != beside()
                        && entry.getValue().pairs() > 1)
                .count();
        return level(Math.max(1, judged));
    }

    private Metric beside() {
        return beside(primary);
    }

    /** Returns the metric that stands beside the primary one. */
    public static Metric beside(Metric primary) {
        return primary == Metric.FULL_LOAD_CPU_PER_REQUEST
                ? Metric.STEADY_CPU_PER_REQUEST
                : Metric.FULL_LOAD_CPU_PER_REQUEST;
    }

    /** Returns the level of the interval of one of several metrics that are judged together, after Bonferroni. */
    private double level(long metrics) {
        return levels.computeIfAbsent(
                metrics, count -> looks.levelAt(launches, (1 - ConfidenceInterval.USUAL_LEVEL) / count));
    }

    private Optional<RatioEstimate> estimate(Metric metric, TargetResult target) {
        return ratios.estimate(metric, target, baseline, blocks);
    }

    private Verdict.Builder begin(Metric metric, TargetResult target) {
        return Verdict.builder(metric.key(), target.name(), baseline.name())
                .question(metric.question())
                .primary(metric == primary)
                .ofLaunches(ratios.begun(target))
                .died(ratios.died(target))
                .baselineDied(ratios.died(baseline));
    }

    private Verdict verdict(Metric metric, TargetResult target, RatioEstimate ratio, double level) {
        Optional<NoiseFloor> floor = noiseFloor(metric, target, ratio);
        Decision decision = Decision.of(ratio, metric.direction(), result.plan().margin(), level)
                .above(floor.filter(measured -> measured.source() == NoiseFloor.Source.A_A)
                        .orElse(null))
                .survived(ratios.died(target) == 0, ratios.died(baseline) == 0);
        // Each look would be one more chance to end the run for a line in chance: where it goes on, its end is asked.
        boolean goesOn = metric == primary
                && launches < result.plan().mostLaunches()
                && decision.morePairs().isPresent();
        Optional<String> drift =
                goesOn ? Optional.empty() : drift(result.plan(), metric, target.name(), baseline.name(), ratio);
        boolean steady = metric.isSteady(target) && metric.isSteady(baseline) && drift.isEmpty();
        Verdict.Builder verdict = begin(metric, target)
                .launches(ratio.pairs())
                .whyNot(drift)
                .finding(steady ? decision.finding() : Verdict.Finding.NOT_STEADY)
                .indicative(decision.indicative());
        if (Double.isFinite(ratio.ratio())) {
            verdict.ratio(ratio.ratio());
        }
        if (ratio instanceof PairedCounts) {
            verdict.count(((PairedCounts) ratio).target()).baselineCount(((PairedCounts) ratio).baseline());
        }
        // Without any of the baseline's nothing bounds a ratio above; two launches far apart bound it nowhere.
        decision.interval()
                .filter(interval -> Double.isFinite(interval.high()) || ratio.ratio() > 1 && interval.low() > 0)
                .ifPresent(interval ->
                        verdict.interval(RunJudge.interval(interval)).level(level));
        double ownLevel = level(1);
        ratio.interval(ownLevel)
                .filter(interval -> Double.isFinite(interval.high()))
                .ifPresent(interval ->
                        verdict.interval95(RunJudge.interval(interval)).interval95Level(ownLevel));
        ratio.bootstrapInterval().map(RunJudge::interval).ifPresent(verdict::bootstrap);
        decision.pValue().ifPresent(verdict::pValue);
        if (steady) {
            decision.morePairs().ifPresent(verdict::moreLaunches);
        }
        floor.filter(found -> Double.isFinite(found.interval().high()))
                .map(found -> RunJudge.interval(found.interval()))
                .ifPresent(verdict::noiseFloor);
        Verdict found = verdict.build();
        return ratios.whyTooFew(metric, result.plan(), target, baseline)
                .or(() -> whyNotBetter(metric, target, found))
                .map(found::without)
                .orElse(found);
    }

    /**
     * Returns that the ratio of processes still rises or falls by more than the margin, so that its mean will not last,
     * for people; absent where that may be chance.
     */
    static Optional<String> drift(RunPlan plan, Metric metric, String target, String baseline, RatioEstimate ratio) {
        OptionalDouble change = ratio.drift();
        return change.isPresent() && Math.abs(change.getAsDouble()) > Math.log1p(plan.margin())
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "%s / %s in %s still changes from %s to %s, by %+.1f %% from the first to the last; a longer"
                                + " --warmup may end that",
                        target,
                        baseline,
                        metric.label(),
                        plan.unit(),
                        plan.unit(),
                        100 * Math.expm1(change.getAsDouble())))
                : Optional.empty();
    }

    /** Returns why a difference is not claimed, as of a death: the pairs lack launches in which one did no work. */
    private Optional<String> whyNotBetter(Metric metric, TargetResult target, Verdict found) {
        // A look claims nothing, but says by how much they differ.
        boolean isLook = result.plan().launches() == 1 && found.ratio().isPresent();
        boolean isWorse = isLook
                ? found.ratio().getAsDouble() > 1 == (metric.direction() == Direction.LOWER_IS_BETTER)
                : found.finding() == Verdict.Finding.WORSE;
        boolean claimed = isLook || isWorse || found.finding() == Verdict.Finding.BETTER;
        TargetResult better = isWorse ? baseline : target;
        List<Integer> mute = claimed ? ratios.lived(better, metric::isMute) : List.of();
        List<Integer> refused = claimed ? ratios.lived(better, launch -> isRefused(metric, launch)) : List.of();
        if (mute.isEmpty() && refused.isEmpty()) {
            return claimed
                    ? CheapAnswers.of(metric, better, better == baseline ? target : baseline)
                            .map(cheap -> cheap + ", and what fails or refuses is not called better")
                    : Optional.empty();
        }
        return Optional.of(better.name()
                + (mute.isEmpty()
                        ? " refused requests at full load in " + result.plan().numbered(refused) + ", and what refuses"
                        : " answered no request well in " + result.plan().numbered(mute) + ", and what answers nothing")
                + " is not called better");
    }

    /**
     * Whether a launch refused requests at full load; one that refused them in all of its launches is judged without.
     */
    private boolean isRefused(Metric metric, LaunchResult launch) {
        return metric.isRefused(launch)
                || metric == primary
                        && Metric.of(result.plan().primaryMetric())
                                .filter(planned -> planned.isRefused(launch))
                                .isPresent();
    }

    /**
     * Returns what another instance of the baseline shows, or where there is none what its launches do; nothing of
     * events that are few, of which equal numbers are no certainty, nor of launches of which some have nothing, since
     * the others bound nothing.
     */
    private Optional<NoiseFloor> noiseFloor(Metric metric, TargetResult target, RatioEstimate ratio) {
        if (ratio instanceof PairedCounts) {
            return Optional.empty();
        }
        Optional<NoiseFloor> floor = same(target)
                .flatMap(same -> estimate(metric, same))
                .flatMap(same -> NoiseFloor.ofPairs(same, ratio.pairs()));
        if (floor.isPresent()) {
            return floor;
        }
        return ratio instanceof PairedTotals
                ? Optional.empty()
                : NoiseFloor.ofLaunches(ratios.logs(metric, baseline), ratio.pairs());
    }

    /** Returns the second instance of the baseline, for a target that is not itself it. */
    private Optional<TargetResult> same(TargetResult target) {
        return result.plan()
                .sameAsBaseline()
                .filter(name -> baseline == result.baseline() && !name.equals(target.name()))
                .flatMap(result::target);
    }
}
