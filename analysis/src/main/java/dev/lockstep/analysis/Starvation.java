package dev.lockstep.analysis;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.results.Environment;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How long a target waited for a processor that others had: other processes, or other machines. Its threads wait for
 * each other too, which is its own doing. How much of a wait was for others is not known, but it is no longer than all
 * of the wait, and no longer than others ran on the target's processors. Immutable.
 *
 * <p>What others do in one launch of several is noise like any other, which makes an interval wider; what they do in
 * more launches than may be {@linkplain LaunchRatios#mostUnsteady accidents}, or on average, is no target's own.
 */
public final class Starvation {
    /** Of the measured time; from it on the target's latencies are not its own. */
    static final double MOST_SHARE = 0.05;

    /** Less is 0.0 s. */
    private static final long SHOWN_NS = 50_000_000;

    private final long delayNs;
    private final long othersNs;
    private final long stolenNs;
    private final long measuredNs;
    /** In which launches it was so at least; empty where it is of all launches together. */
    private final List<Integer> launches;

    private Starvation(long delayNs, long othersNs, long stolenNs, long measuredNs, List<Integer> launches) {
        this.delayNs = delayNs;
        this.othersNs = othersNs;
        this.stolenNs = stolenNs;
        this.measuredNs = measuredNs;
        this.launches = launches;
    }

    /**
     * Returns how a target was starved, so that its times and rates are not its own; absent where it was not, or where
     * that cannot be told, as where its processors are the replayer's too.
     */
    public static Optional<Starvation> of(RunResult result, TargetResult target) {
        Optional<Starvation> all = measured(target).filter(found -> found.share() > MOST_SHARE);
        List<LaunchResult> counted = counted(result, target);
        Optional<Starvation> some =
                inLaunches(counted).filter(found -> found.launches.size() > LaunchRatios.mostUnsteady(counted.size()));
        return all.or(() -> some).filter(found -> isKnown(result, target));
    }

    /** Returns how a target was starved in so few of its launches that its figures stand; absent where it was not. */
    public static Optional<Starvation> byAccident(RunResult result, TargetResult target) {
        return of(result, target).isPresent()
                ? Optional.empty()
                : inLaunches(counted(result, target)).filter(found -> isKnown(result, target));
    }

    /** Returns in how many of its first launches a target was starved; 0 where that cannot be told. */
    static int launches(RunResult result, TargetResult target, int first) {
        return inLaunches(counted(target, first))
                .filter(found -> isKnown(result, target))
                .map(found -> found.launches.size())
                .orElse(0);
    }

    /** Returns what is known of its wait in all launches; absent where nothing is. */
    public static Optional<Starvation> measured(TargetResult target) {
        return measured(target.costs(), target.measuredNs().orElse(0), List.of());
    }

    /** Returns the launches that verdicts may rest on: none that was cut, or that the target died in. */
    private static List<LaunchResult> counted(RunResult result, TargetResult target) {
        return counted(target, Math.max(1, result.launchesThatCount()));
    }

    private static List<LaunchResult> counted(TargetResult target, int first) {
        return target.launches().stream()
                .filter(launch -> launch.launch() <= first && launch.exit().isEmpty())
                .collect(Collectors.toList());
    }

    /** Returns the worst of the launches in which it was starved, with the numbers of all of these. */
    private static Optional<Starvation> inLaunches(List<LaunchResult> launches) {
        List<Starvation> starved = launches.stream()
                .flatMap(launch -> measured(launch.costs(), launch.measuredNs(), List.of(launch.launch())).stream())
                .filter(found -> found.share() > MOST_SHARE)
                .collect(Collectors.toList());
        List<Integer> numbers =
                starved.stream().flatMap(found -> found.launches.stream()).collect(Collectors.toList());
        return starved.stream()
                .max(Comparator.comparingDouble(Starvation::share))
                .map(worst -> new Starvation(worst.delayNs, worst.othersNs, worst.stolenNs, worst.measuredNs, numbers));
    }

    private static Optional<Starvation> measured(Costs costs, long measuredNs, List<Integer> launches) {
        OptionalLong delay = costs.get(Cost.RUN_DELAY);
        OptionalLong busy = costs.get(Cost.PROCESSORS_BUSY);
        OptionalLong user = costs.get(Cost.USER_CPU);
        OptionalLong system = costs.get(Cost.SYSTEM_CPU);
        if (delay.isEmpty() || busy.isEmpty() || user.isEmpty() || system.isEmpty()) {
            return Optional.empty();
        }
        long others = Math.max(0, busy.getAsLong() - user.getAsLong() - system.getAsLong());
        return Optional.of(new Starvation(
                delay.getAsLong(), others, costs.get(Cost.PROCESSORS_STOLEN).orElse(0), measuredNs, launches));
    }

    /** Whether it is known which processors it had, and that none of them was the replayer's. */
    private static boolean isKnown(RunResult result, TargetResult target) {
        return target.cpus().or(() -> cpusOfLaunches(target)).isPresent() && !sharesProcessors(result, target);
    }

    private static Optional<String> cpusOfLaunches(TargetResult target) {
        return target.launches().stream()
                .map(LaunchResult::cpus)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static boolean sharesProcessors(RunResult result, TargetResult target) {
        Set<Integer> own = cpus(target);
        own.retainAll(result.plan().replayerCores());
        return !own.isEmpty();
    }

    /** Whether the replayer has no processor that is not a target's too, so that its event loops run among these. */
    static boolean isReplayerAmongTargets(RunResult result) {
        Set<Integer> own = new HashSet<>(result.plan().replayerCores());
        boolean known = !own.isEmpty();
        result.targets().forEach(target -> own.removeAll(cpus(target)));
        return known && own.isEmpty();
    }

    private static Set<Integer> cpus(TargetResult target) {
        Set<Integer> cpus = new HashSet<>();
        target.cpus().ifPresent(list -> cpus.addAll(Environment.processors(list)));
        target.launches().forEach(launch -> launch.cpus().ifPresent(list -> cpus.addAll(Environment.processors(list))));
        return cpus;
    }

    /** Returns how long its threads were ready to run without a processor, in ns summed over them. */
    public long delayNs() {
        return delayNs;
    }

    /** Returns for how long others ran on its processors, in ns. */
    public long othersNs() {
        return othersNs;
    }

    /** Returns for how long other machines had its processors, in ns. */
    public long stolenNs() {
        return stolenNs;
    }

    /** Returns the wait for others at most, as a share of the measured time. */
    double share() {
        return measuredNs == 0 ? 0 : (double) Math.min(delayNs, othersNs + stolenNs) / measuredNs;
    }

    /** Returns a clause for people. */
    @Override
    public String toString() {
        String numbers = launches.stream().map(String::valueOf).collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "%slatencies and rates are not its own: %sits threads waited %.1f s for a processor in %.1f s, while"
                        + " others ran there for %.1f s%s",
                launches.isEmpty() ? "" : (launches.size() == 1 ? "in launch " : "in launches ") + numbers + " ",
                launches.size() > 1 ? "in the worst " : "",
                delayNs / 1e9,
                measuredNs / 1e9,
                othersNs / 1e9,
                stolenNs < SHOWN_NS
                        ? ""
                        : String.format(Locale.ROOT, " and other machines for %.1f s", stolenNs / 1e9));
    }
}
