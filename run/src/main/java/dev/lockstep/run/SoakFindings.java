package dev.lockstep.run;

import dev.lockstep.analysis.SoakSeries;
import dev.lockstep.analysis.Starvation;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.results.Drift;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.directory.RunDirectoryReader;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * Finds what only the intervals of a whole run show: leaks and drifts of a soak run, and the last minute before an OOM
 * kill.
 */
public final class SoakFindings {
    /** What is said, and why behind it, where this fails. */
    static final String FAILED = "leaks were not looked for";

    private static final int LAST_INTERVALS = 60;

    /** What it takes to look for leaks, for people. */
    private static final String TAKES = "it takes 4 min under load after the JIT has settled, 10 min of --soak in all";

    private static final long ENOUGH_NS = TimeUnit.MINUTES.toNanos(10);

    private SoakFindings() {}

    /** Returns the result with what its interval files show. */
    public static RunResult add(RunResult result, Path directory) {
        try {
            return RunDirectoryReader.hasIntervals(directory) ? found(result, directory) : result;
        } catch (MeasurementException e) {
            // A disk that failed must not cost the figures of a long run.
            return result.withNote(FAILED + ": " + e.getMessage());
        }
    }

    /** Returns that a soak will be too short, before it begins; absent where it will not, and for other runs. */
    public static Optional<String> tooShort(RunPlan plan) {
        return plan.soak()
                        && plan.duration()
                                .filter(time -> time.toNanos() < ENOUGH_NS)
                                .isPresent()
                ? Optional.of("a soak of "
                        + Quantities.duration(plan.duration().get().toNanos())
                        + " is too short to look for leaks and drifts: " + TAKES)
                : Optional.empty();
    }

    private static RunResult found(RunResult result, Path directory) {
        RunResult found = result;
        List<Drift> drifts = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            if (target.counts().isPresent() && result.plan().soak()) {
                Soaked soaked = new Soaked(target.name());
                RunDirectoryReader.readFigures(directory, target.name(), figures -> add(soaked, figures));
                List<Drift> shown = soaked.drifts();
                Optional<String> whyNoP99 = whyNoP99(result, target, soaked);
                shown.forEach(drift -> drifts.add(
                        drift.metric().isMemory()
                                ? drift
                                : whyNoP99.map(why -> drift.notFoundSince(SoakSeries.NOT_KNOWN + why))
                                        .orElse(drift)));
                Optional<String> without = soaked.whyNoP99();
                boolean isShort = without.isEmpty() || target.measuredNs().orElse(0) < ENOUGH_NS;
                if (shown.isEmpty() && isShort) {
                    found = found.withNote(target.name() + ": too short to look for leaks and drifts: " + TAKES);
                } else if (without.isPresent()
                        && shown.stream().allMatch(drift -> drift.metric().isMemory())) {
                    found = found.withNote(target.name() + ": whether the p99 drifts is not known: " + without.get());
                }
            }
            OptionalInt killed = oomKilledLaunch(target);
            if (killed.isPresent()) {
                found = found.withLastMinute(target.name(), lastOf(directory, target.name(), killed.getAsInt()));
            }
        }
        return drifts.isEmpty() ? found : found.withTrends(drifts);
    }

    private static void add(Soaked soaked, IntervalFigures figures) {
        if (figures.phase() == Interval.Phase.MEASURED) {
            soaked.add(
                    figures.endNs() - figures.startNs(),
                    figures.costs(),
                    figures.completed(),
                    figures.errors(),
                    figures.p99Ns());
        }
    }

    /** Returns the first launch that the kernel killed for lack of memory. */
    private static OptionalInt oomKilledLaunch(TargetResult target) {
        if (target.exit().filter(TargetExit::oomKilled).isEmpty()) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(target.launches().stream()
                .filter(launch -> launch.exit().filter(TargetExit::oomKilled).isPresent())
                .mapToInt(LaunchResult::launch)
                .findFirst()
                .orElse(1));
    }

    /**
     * Returns why nobody can tell whether a target's p99 drifts: as for verdicts on latencies, or since requests
     * without an answer reach it.
     */
    private static Optional<String> whyNoP99(RunResult result, TargetResult target, Soaked soaked) {
        if (Starvation.of(result, target).isPresent()) {
            return Optional.of("others had its processors");
        }
        if (!result.latenessReasons().isEmpty()) {
            return Optional.of("Lockstep was late");
        }
        return soaked.whyNoP99();
    }

    private static List<IntervalFigures> lastOf(Path directory, String target, int launch) {
        Deque<IntervalFigures> last = new ArrayDeque<>();
        RunDirectoryReader.readFigures(directory, target, figures -> {
            if (figures.launch() == launch) {
                if (last.size() == LAST_INTERVALS) {
                    last.removeFirst();
                }
                last.addLast(figures);
            }
        });
        return List.copyOf(last);
    }
}
