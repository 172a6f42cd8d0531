package dev.lockstep.analysis;

import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * What full load tells of targets of which their warm-up could not: whether the ratio of two of them stayed level in
 * each launch, and whether a step of 5 % would have been seen. What a warm-up leaves undecided is a change that noise
 * hides, of a JVM whose JIT has done its work. Full load comes in short turns, many to a second; a change of one of the
 * two shows in their ratio, and one of both does not matter to it. Their JITs must rest then too. Immutable.
 *
 * <p>In each launch the mean of the later half of the turns is compared with that of the earlier half, as logs of the
 * ratio of neighbouring turns, those beyond three deviations counted as three. All launches together may not differ by
 * more than noise explains or than two halves of a warm-up may; a single one may differ by more by accident.
 */
public final class SteadyBeside {
    /** Fewer pairs of turns know no noise. */
    private static final int LEAST_PAIRS = 8;

    private static final double MOST_DEVIATIONS = 3;
    /** The standard normal quantile of 99.9 %: of some launches, none differs by more by chance. */
    private static final double CERTAIN = 3.090232306167813;

    private final List<TargetResult> targets;
    private final List<String> notes;

    private SteadyBeside(List<TargetResult> targets, List<String> notes) {
        this.targets = targets;
        this.notes = notes;
    }

    /**
     * Judges the targets beside the baseline.
     *
     * @param series knows the turns
     */
    public static SteadyBeside of(List<TargetResult> targets, String baseline, LoadSeries series) {
        Optional<TargetResult> base = targets.stream()
                .filter(target -> target.name().equals(baseline))
                .findFirst();
        List<TargetResult> judged = new ArrayList<>(targets);
        List<String> notes = new ArrayList<>();
        for (int i = 0; base.isPresent() && i < targets.size(); i++) {
            TargetResult target = targets.get(i);
            if (target == base.get() || !isOpen(target, base.get())) {
                continue;
            }
            double visible = visible(target, base.get(), series);
            if (visible <= SteadyState.STEP) {
                double step = Math.expm1(visible);
                judged.replaceAll(one ->
                        one.name().equals(target.name()) || one.name().equals(baseline) ? steady(one, step) : one);
                notes.add(String.format(
                        Locale.ROOT,
                        "%s beside %s: their ratio at full load was level in each launch, and a change of %.1f %% would"
                                + " have been seen",
                        target.name(),
                        baseline,
                        100 * step));
            }
        }
        return new SteadyBeside(judged, notes);
    }

    /** Whether neither is known not to be steady, and of one it is not known whether it is. */
    private static boolean isOpen(TargetResult target, TargetResult baseline) {
        List<Warmup.State> states = List.of(target, baseline).stream()
                .flatMap(one -> one.warmup().stream())
                .map(Warmup::state)
                .collect(Collectors.toList());
        return states.size() == 2
                && !states.contains(Warmup.State.NOT_STEADY)
                && states.contains(Warmup.State.UNDECIDABLE);
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
                        .build());
    }

    /** Returns the smallest step in log that all launches together would have shown; infinite where they changed. */
    private static double visible(TargetResult target, TargetResult baseline, LoadSeries series) {
        double changes = 0;
        double variances = 0;
        int launches = 0;
        for (LaunchResult launch : target.launches()) {
            if (isLeftOut(launch)
                    || baseline.launches().stream()
                            .anyMatch(one -> one.launch() == launch.launch() && isLeftOut(one))) {
                continue;
            }
            double[] logs = logRatios(
                    series.fullLoadTurns(target.name(), launch.launch()),
                    series.fullLoadTurns(baseline.name(), launch.launch()));
            // Two that both still compile keep their ratio.
            if (logs.length < LEAST_PAIRS
                    || !series.jitRestsAtFullLoad(target.name(), launch.launch())
                    || !series.jitRestsAtFullLoad(baseline.name(), launch.launch())) {
                return Double.POSITIVE_INFINITY;
            }
            double noise = ChangePoints.noise(logs);
            double deviation = 2 * noise / Math.sqrt(logs.length);
            double change = change(logs, noise);
            if (Math.abs(change) > Math.max(CERTAIN * deviation, SteadyState.STEP)) {
                return Double.POSITIVE_INFINITY;
            }
            changes += change;
            variances += deviation * deviation;
            launches++;
        }
        if (launches == 0) {
            return Double.POSITIVE_INFINITY;
        }
        double deviation = Math.sqrt(variances) / launches;
        double largest = Math.max(SteadyState.SIGNIFICANT * deviation, SteadyState.TOLERANCE);
        return Math.abs(changes / launches) <= largest
                ? largest + SteadyState.POWER * deviation
                : Double.POSITIVE_INFINITY;
    }

    /** Of such a launch there is no pair. */
    private static boolean isLeftOut(LaunchResult launch) {
        return launch.exit().isPresent() || LaunchRatios.isNotSteady(launch.warmup());
    }

    /** Returns the log of the ratio of each two turns; none where one of them is missing or tells nothing. */
    private static double[] logRatios(List<OptionalDouble> target, List<OptionalDouble> baseline) {
        if (target.size() != baseline.size()
                || target.stream().anyMatch(OptionalDouble::isEmpty)
                || baseline.stream().anyMatch(OptionalDouble::isEmpty)) {
            return new double[0];
        }
        double[] logs = new double[target.size()];
        Arrays.setAll(
                logs,
                i -> Math.log(target.get(i).getAsDouble() / baseline.get(i).getAsDouble()));
        return logs;
    }

    private static double change(double[] logs, double noise) {
        double middle = Sample.median(logs);
        double[] near = Arrays.stream(logs)
                .map(log ->
                        middle + Math.max(-MOST_DEVIATIONS * noise, Math.min(MOST_DEVIATIONS * noise, log - middle)))
                .toArray();
        int half = near.length / 2;
        return Sample.mean(Arrays.copyOfRange(near, half, near.length))
                - Sample.mean(Arrays.copyOfRange(near, 0, half));
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
