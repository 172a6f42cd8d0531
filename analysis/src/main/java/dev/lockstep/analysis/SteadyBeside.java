package dev.lockstep.analysis;

import dev.lockstep.measurement.SelfReport;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Whether targets were steady of which no single launch tells, because it was too noisy. Immutable once made.
 *
 * <p>First by their launches together: what noise hides in one shrinks in the mean of all. Then by full load, which
 * comes in short turns: a change of one of two targets shows in the ratio of their turns, and one of both does not
 * matter to it. So it says nothing of a target alone. Their JITs must rest then, but for few launches: two that both
 * still compile keep their ratio. The mean of the later half of the turns is compared with that of the earlier half, as
 * logs of the ratio of neighbouring turns, those beyond three deviations counted as three.
 *
 * <p>Either way all launches together may not change by more than noise explains or than two halves of a warm-up may,
 * and a step of 5 % must have been visible. What none of this tells is from when on a target was steady
 * ({@link TargetResult#warmupToSteady()}).
 */
public final class SteadyBeside {
    /** Fewer pairs of turns know no noise. */
    private static final int LEAST_PAIRS = 8;

    /** For so many times as many launches nobody waits. */
    private static final int MOST_TIMES = 4;

    private final List<TargetResult> targets;
    private final List<String> notes = new ArrayList<>();
    private final int launches;
    private final LoadSeries series;
    private final List<SelfReport.Bottleneck> pacedByLockstep;
    /** How many launches would tell of a target of which these do not; 0 where no number is known. */
    private final Map<String, Integer> enough = new LinkedHashMap<>();

    private boolean isBaselineTold;
    /** Whether a ratio to the baseline changed in some launch, or in all together. */
    private boolean hasChanged;

    private SteadyBeside(
            List<TargetResult> targets, int launches, LoadSeries series, List<SelfReport.Bottleneck> pacedByLockstep) {
        this.pacedByLockstep = List.copyOf(pacedByLockstep);
        this.targets = new ArrayList<>(targets);
        this.launches = launches;
        this.series = series;
    }

    /**
     * Judges the targets of which single launches did not tell.
     *
     * @param launches how many launches count, the first ones
     * @param series knows them second by second, and turn by turn
     * @param pacedByLockstep in which launches full load was no faster than Lockstep, so that it shows little of the
     *     target's work
     */
    public static SteadyBeside of(
            List<TargetResult> targets,
            String baseline,
            int launches,
            LoadSeries series,
            List<SelfReport.Bottleneck> pacedByLockstep) {
        SteadyBeside judged = new SteadyBeside(targets, launches, series, pacedByLockstep);
        judged.targets.replaceAll(judged::together);
        judged.beside(baseline);
        return judged;
    }

    /** Returns a target as its launches show it together, where each is too noisy to show it. */
    private TargetResult together(TargetResult target) {
        if (!isUndecidable(target)) {
            return target;
        }
        double visible = visible(halves(target, series::halves));
        if (visible <= SteadyState.STEP) {
            return steady(target, Math.expm1(visible));
        }
        // Times of requests may be too noisy where what they cost is not.
        double ofCost = visible(halves(target, series::costHalves));
        return ofCost <= SteadyState.STEP
                ? target.withWarmup(Warmup.builder(Warmup.State.UNDECIDABLE)
                        .from(target.warmup().orElseThrow())
                        .visibleCostStep(Math.expm1(ofCost))
                        .build())
                : target;
    }

    /** Returns the halves of each launch that counts; none where one of them has none. */
    private List<SteadyState.Halves> halves(
            TargetResult target, BiFunction<String, Integer, Optional<SteadyState.Halves>> of) {
        List<SteadyState.Halves> all = new ArrayList<>();
        for (LaunchResult launch : target.launches()) {
            if (counts(launch)) {
                Optional<SteadyState.Halves> halves = of.apply(target.name(), launch.launch());
                if (halves.isEmpty()) {
                    return List.of();
                }
                all.add(halves.get());
            }
        }
        return all;
    }

    private void beside(String baseline) {
        Optional<TargetResult> base = targets.stream()
                .filter(target -> target.name().equals(baseline))
                .findFirst();
        if (base.isEmpty() || isNotSteady(base.get())) {
            return;
        }
        isBaselineTold = !isUndecidable(base.get());
        double least = 0;
        for (TargetResult target : List.copyOf(targets)) {
            if (target == base.get() || isNotSteady(target) || !isUndecidable(target) && !isUndecidable(base.get())) {
                continue;
            }
            List<Integer> pairs = pairs(target, base.get());
            List<Optional<SteadyState.Halves>> known = pairs.stream()
                    .map(launch -> halves(target, base.get(), launch))
                    .collect(Collectors.toList());
            List<SteadyState.Halves> level = resting(target, base.get(), pairs, known);
            boolean few = pairs.size() - level.size() <= LaunchRatios.mostUnsteady(pairs.size());
            double visible = few ? visible(level) : Double.POSITIVE_INFINITY;
            boolean shown = visible <= SteadyState.STEP;
            hasChanged |= known.stream().anyMatch(SteadyBeside::differCertainly)
                    || !level.isEmpty() && !SteadyState.Halves.mean(level).areLevel();
            if (!shown) {
                int counting = enough(pairs.size(), level);
                enough.put(target.name(), counting == 0 ? 0 : counting + launches - pairs.size());
            }
            if (shown) {
                double step = Math.expm1(visible);
                least = Math.max(least, step);
                targets.replaceAll(one -> one.name().equals(target.name()) ? steady(one, step) : one);
                notes.add(String.format(
                        Locale.ROOT,
                        "%s beside %s: their ratio at full load was level in %s together, and a change of %.1f %% would"
                                + " have been seen",
                        target.name(),
                        baseline,
                        which(level.size(), pairs.size()),
                        100 * step));
            }
        }
        // Beside one it is level, though others are too noisy to tell; not where it may be what changed beside another.
        if (!hasChanged && least > 0) {
            isBaselineTold = true;
            double step = least;
            targets.replaceAll(one -> one.name().equals(baseline) ? steady(one, step) : one);
        }
    }

    private static String which(int level, int pairs) {
        return level == pairs
                ? "all launches"
                : level + " of " + pairs + " launches (in the others a JIT compiled much)";
    }

    /** Returns the launches that count for both. */
    private List<Integer> pairs(TargetResult target, TargetResult baseline) {
        return target.launches().stream()
                .filter(launch -> counts(launch)
                        && baseline.launches().stream()
                                .anyMatch(other -> other.launch() == launch.launch() && counts(other)))
                .map(LaunchResult::launch)
                .collect(Collectors.toList());
    }

    /**
     * Returns how many launches that count would tell, if further ones were like those in which the JITs rested.
     *
     * @return 0 where no number is known
     */
    private static int enough(int pairs, List<SteadyState.Halves> resting) {
        if (resting.isEmpty()) {
            return 0;
        }
        SteadyState.Halves mean = SteadyState.Halves.mean(resting);
        int restless = pairs - resting.size();
        for (int all = pairs + 1; all <= MOST_TIMES * pairs; all++) {
            SteadyState.Halves more = mean.ofMore((double) (all - restless) / resting.size());
            if (restless <= LaunchRatios.mostUnsteady(all) && more.areLevel() && more.visible() <= SteadyState.STEP) {
                return all;
            }
        }
        return 0;
    }

    /**
     * Returns the halves of the launches in which both JITs rested: the others, in which one took up its work, are few
     * {@linkplain LaunchRatios#mostUnsteady accidents}; none where a launch says nothing, or changed.
     *
     * @param known those of each of these launches
     */
    private List<SteadyState.Halves> resting(
            TargetResult target, TargetResult baseline, List<Integer> pairs, List<Optional<SteadyState.Halves>> known) {
        List<SteadyState.Halves> all = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i++) {
            if (known.get(i).isEmpty() || differCertainly(known.get(i))) {
                return List.of();
            }
            if (series.restAtFullLoad(target.name(), baseline.name(), pairs.get(i))) {
                all.add(known.get(i).get());
            }
        }
        return all;
    }

    private static boolean differCertainly(Optional<SteadyState.Halves> halves) {
        return halves.filter(SteadyState.Halves::differCertainly).isPresent();
    }

    /** Returns the halves of a launch's turns; absent where they say nothing. */
    private Optional<SteadyState.Halves> halves(TargetResult target, TargetResult baseline, int launch) {
        boolean paced = pacedByLockstep.stream()
                .anyMatch(one -> one.launch() == launch
                        && (one.target().equals(target.name()) || one.target().equals(baseline.name())));
        double[] logs = series.logRatiosAtFullLoad(target.name(), baseline.name(), launch);
        if (paced || logs.length < LEAST_PAIRS) {
            return Optional.empty();
        }
        return Optional.of(SteadyState.Halves.of(logs));
    }

    /** Returns the smallest step in log that launches would have shown together; infinite where they changed. */
    private static double visible(List<SteadyState.Halves> launches) {
        if (launches.isEmpty()) {
            return Double.POSITIVE_INFINITY;
        }
        SteadyState.Halves mean = SteadyState.Halves.mean(launches);
        return mean.areLevel() ? mean.visible() : Double.POSITIVE_INFINITY;
    }

    /** Of others there is no pair. */
    private boolean counts(LaunchResult launch) {
        return launch.launch() <= launches
                && launch.exit().isEmpty()
                // One that was never ready has none, and says nothing.
                && launch.warmup().isPresent()
                && !LaunchRatios.isNotSteady(launch.warmup());
    }

    private static boolean isUndecidable(TargetResult target) {
        return target.warmup()
                .filter(warmup -> warmup.state() == Warmup.State.UNDECIDABLE)
                .isPresent();
    }

    private static boolean isNotSteady(TargetResult target) {
        return target.warmup().isEmpty() || LaunchRatios.isNotSteady(target.warmup());
    }

    private static TargetResult steady(TargetResult target, double step) {
        Warmup warmup = target.warmup().orElseThrow();
        return warmup.isSteady()
                ? target
                : target.withWarmup(Warmup.builder(Warmup.State.STEADY)
                        .durationNs(warmup.durationNs())
                        .requests(warmup.requests())
                        .cpuNs(warmup.cpuNs())
                        .jitShare(warmup.jitShare())
                        .visibleStep(step)
                        .visibleCostStep(warmup.visibleCostStep())
                        .build());
    }

    /**
     * Returns how many launches of a run it takes, in all, until full load can tell whether targets are steady of which
     * the launches so far do not tell, if further ones are like those of them in which the JITs rested.
     *
     * @param untold names of targets that are asked for
     * @param most how many launches there may be
     * @return 0 where so many would tell nothing, or nobody knows
     */
    public int needed(Set<String> untold, int most) {
        return !isBaselineTold && hasChanged
                ? 0
                : enough.entrySet().stream()
                        .filter(one -> untold.contains(one.getKey()) && one.getValue() <= most)
                        .mapToInt(Map.Entry::getValue)
                        .max()
                        .orElse(0);
    }

    /** Returns the targets in the same order, of which those are steady that this shows to be. */
    public List<TargetResult> targets() {
        return targets;
    }

    /** Returns a line for people for each target that this was asked of and shown for. */
    public List<String> notes() {
        return notes;
    }
}
