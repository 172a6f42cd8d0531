package dev.lockstep.analysis;

import dev.lockstep.measurement.Cost;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * How long a target waited for a processor that others had: other processes, or other machines. Its threads wait for
 * each other too, which is its own doing. How much of a wait was for others is not known, but it is no longer than all
 * of the wait, and no longer than others ran on the target's processors. Immutable.
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

    private Starvation(long delayNs, long othersNs, long stolenNs, long measuredNs) {
        this.delayNs = delayNs;
        this.othersNs = othersNs;
        this.stolenNs = stolenNs;
        this.measuredNs = measuredNs;
    }

    /**
     * Returns how a target was starved; absent where it was not, or where that cannot be told, as where its processors
     * are the replayer's too.
     */
    public static Optional<Starvation> of(RunResult result, TargetResult target) {
        return measured(target)
                .filter(starved -> starved.share() > MOST_SHARE
                        && target.cpus().or(() -> cpusOfLaunches(target)).isPresent()
                        && !sharesProcessors(result, target));
    }

    /** Returns what is known of its wait; absent where nothing is. */
    public static Optional<Starvation> measured(TargetResult target) {
        OptionalLong delay = target.costs().get(Cost.RUN_DELAY);
        OptionalLong busy = target.costs().get(Cost.PROCESSORS_BUSY);
        OptionalLong user = target.costs().get(Cost.USER_CPU);
        OptionalLong system = target.costs().get(Cost.SYSTEM_CPU);
        if (delay.isEmpty() || busy.isEmpty() || user.isEmpty() || system.isEmpty()) {
            return Optional.empty();
        }
        long others = Math.max(0, busy.getAsLong() - user.getAsLong() - system.getAsLong());
        return Optional.of(new Starvation(
                delay.getAsLong(),
                others,
                target.costs().get(Cost.PROCESSORS_STOLEN).orElse(0),
                target.measuredNs().orElse(0)));
    }

    private static Optional<String> cpusOfLaunches(TargetResult target) {
        return target.launches().stream()
                .map(LaunchResult::cpus)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static boolean sharesProcessors(RunResult result, TargetResult target) {
        Set<Integer> own = new HashSet<>();
        target.cpus().ifPresent(cpus -> own.addAll(numbers(cpus)));
        target.launches().forEach(launch -> launch.cpus().ifPresent(cpus -> own.addAll(numbers(cpus))));
        own.retainAll(result.plan().replayerCores());
        return !own.isEmpty();
    }

    /** Returns the numbers of a kernel list such as {@code 0-1,3}. */
    static List<Integer> numbers(String cpus) {
        List<Integer> numbers = new ArrayList<>();
        for (String range : cpus.strip().split(",")) {
            String[] ends = range.split("-");
            for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
                numbers.add(cpu);
            }
        }
        return numbers;
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
        return String.format(
                Locale.ROOT,
                "its threads waited %.1f s for a processor in %.1f s, while others ran there for %.1f s%s: latencies"
                        + " are not its own",
                delayNs / 1e9,
                measuredNs / 1e9,
                othersNs / 1e9,
                stolenNs < SHOWN_NS
                        ? ""
                        : String.format(Locale.ROOT, " and other machines for %.1f s", stolenNs / 1e9));
    }
}
