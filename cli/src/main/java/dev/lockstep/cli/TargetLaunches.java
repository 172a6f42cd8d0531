package dev.lockstep.cli;

import dev.lockstep.launcher.Jvm;
import dev.lockstep.launcher.Profile;
import dev.lockstep.launcher.TargetProcess;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.LaunchResult;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.RewriteCount;
import dev.lockstep.measurement.Startup;
import dev.lockstep.measurement.TargetExit;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.measurement.Warmup;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All launches of one target in a run, and what they come to together. A launch is taken over when it has ended; nothing
 * of its replay is kept. Used by the run's thread.
 */
final class TargetLaunches {
    private final TargetSpec spec;
    private final List<LaunchResult> results = new ArrayList<>();
    private final Set<String> notes = new LinkedHashSet<>();
    private List<RewriteCount> rewrites = List.of();
    private TargetProcess process;
    private OptionalLong memoryPeakBytes = OptionalLong.empty();
    private TargetExit exit;
    private LoadResult load;
    private Costs costs;
    private int rounds;
    private AnswerComparison comparison;

    TargetLaunches(TargetSpec spec) {
        this.spec = spec;
    }

    String name() {
        return spec.name();
    }

    /** Returns the same launches, to which others can be added. */
    TargetLaunches copy() {
        TargetLaunches copy = new TargetLaunches(spec);
        copy.results.addAll(results);
        copy.notes.addAll(notes);
        copy.rewrites = rewrites;
        copy.process = process;
        copy.memoryPeakBytes = memoryPeakBytes;
        copy.exit = exit;
        copy.load = load;
        copy.costs = costs;
        copy.rounds = rounds;
        copy.comparison = comparison;
        return copy;
    }

    /** Takes over a launch whose process was stopped and whose replay was finished. */
    void add(TargetRun launch, Optional<Warmup> warmup) {
        LaunchResult.Builder result = launch.launchResult();
        warmup.ifPresent(result::warmup);
        results.add(result.build());
        if (launch.startFailure() != null) {
            notes.add(launch.startFailure().getMessage());
        }
        if (launch.process() != null) {
            process = process == null ? launch.process() : process;
            launch.process()
                    .memoryPeakBytes()
                    .ifPresent(bytes -> memoryPeakBytes = OptionalLong.of(Math.max(bytes, memoryPeakBytes.orElse(0))));
        }
        exit = exit == null ? launch.exit().orElse(null) : exit;
        if (launch.isMeasured()) {
            load = load == null ? launch.load() : load.then(launch.load());
            costs = costs == null ? launch.costs() : costs.plus(launch.costs());
            rounds += launch.rounds();
            comparison = comparison == null ? launch.comparison() : comparison;
            notes.addAll(launch.replay().notes());
            notes.addAll(launch.unknownCosts());
            rewrites = RewriteCount.sum(rewrites, launch.replay().rewrites());
        }
    }

    /** Returns what is known so far, with a launch that is about to be measured. */
    TargetResult begun(TargetRun ready, MonitoredIntervals intervals) {
        TargetLaunches known = copy();
        known.add(ready, Optional.empty());
        return known.result(0, intervals);
    }

    /** Returns the launches so far, in order. */
    List<LaunchResult> results() {
        return results;
    }

    /** Returns the process of the first launch that came to be ready, or null. */
    TargetProcess process() {
        return process;
    }

    /**
     * Returns what came of all of them.
     *
     * @param intervalsLost how many of its intervals the run directory lacks
     * @param intervals knows which of its requests met a garbage collection; null where it knows of others too
     */
    TargetResult result(long intervalsLost, MonitoredIntervals intervals) {
        TargetResult.Builder result = TargetResult.builder(spec.name());
        spec.profile().map(Profile::id).ifPresent(result::profile);
        spec.attachAddress().map(Addresses::print).ifPresent(result::address);
        if (process != null && process.pid().isPresent()) {
            describeProcess(result);
        }
        if (exit != null) {
            result.exit(exit);
        }
        notes.forEach(result::note);
        if (load != null) {
            result.load(load)
                    .rounds(rounds)
                    .comparison(comparison)
                    .rewrites(rewrites)
                    .costs(costs);
            if (intervals != null) {
                intervals.overlap(name(), load).ifPresent(result::gcOverlap);
            }
            if (intervalsLost > 0) {
                result.intervalsLost(intervalsLost);
            }
        }
        if (spec.attachAddress().isEmpty()) {
            startup().ifPresent(startup -> {
                result.startup(startup);
                startup.firstAnswerNs().ifPresent(result::startupNs);
            });
            warmup().ifPresent(result::warmup);
            results.forEach(result::launch);
        }
        return result.build();
    }

    private void describeProcess(TargetResult.Builder result) {
        result.jit(process.jit())
                .jitProof(String.join("; ", process.jitProof()))
                .command(process.commandLine())
                .jvmOptions(process.effectiveFlags())
                .isolation(process.isolation());
        process.jvm().map(TargetLaunches::describe).ifPresent(result::jvm);
        Set<String> cpus = results.stream()
                .map(launch -> launch.cpus().orElse(null))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        if (cpus.size() == 1) {
            // Where they went from launch to launch, each launch has its own.
            result.cpus(cpus.iterator().next());
        }
        process.memoryLimitBytes().ifPresent(result::memoryLimitBytes);
        memoryPeakBytes.ifPresent(result::memoryPeakBytes);
    }

    private static String describe(Jvm jvm) {
        String name = jvm.vmName().isEmpty() ? jvm.kind().toString() : jvm.vmName();
        return name + " " + jvm.version() + (jvm.vendor().isEmpty() ? "" : " (" + jvm.vendor() + ")");
    }

    private Optional<Startup> startup() {
        List<Startup> all = each(LaunchResult::startup);
        return all.isEmpty()
                ? Optional.empty()
                : Optional.of(new Startup(
                        median(all, Startup::jvmNs),
                        median(all, Startup::portNs),
                        median(all, Startup::firstAnswerNs)));
    }

    /** Returns the median warm-up; not steady where one launch was not. */
    private Optional<Warmup> warmup() {
        List<Warmup> all = each(LaunchResult::warmup);
        if (all.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                all.stream().allMatch(Warmup::isSteady)
                        ? Warmup.steady(
                                median(all, Warmup::durationNs).orElse(0),
                                median(all, Warmup::requests).orElse(0))
                        : Warmup.notSteady());
    }

    private <T> List<T> each(Function<LaunchResult, Optional<T>> figure) {
        return results.stream().map(figure).flatMap(Optional::stream).collect(Collectors.toList());
    }

    /** Returns the median of those that are known, of an even number the mean of the middle two. */
    static <T> OptionalLong median(List<T> all, Function<T, OptionalLong> figure) {
        long[] known = all.stream()
                .map(figure)
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .sorted()
                .toArray();
        int middle = known.length / 2;
        if (known.length == 0) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(
                known.length % 2 == 1 ? known[middle] : known[middle - 1] + (known[middle] - known[middle - 1]) / 2);
    }
}
