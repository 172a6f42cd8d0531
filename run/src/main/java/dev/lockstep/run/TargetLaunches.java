package dev.lockstep.run;

import dev.lockstep.analysis.LaunchRatios;
import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.launcher.Jvm;
import dev.lockstep.launcher.Profile;
import dev.lockstep.launcher.TargetProcess;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.RewriteCount;
import dev.lockstep.results.FirstMinute;
import dev.lockstep.results.FullLoad;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * All launches of one target in a run, and what they come to together. Immutable; of a launch only its figures are
 * kept, and nothing of its replay.
 */
final class TargetLaunches {
    /** How long a server is waited for that did not answer in the launch before. */
    private static final Duration GONE_READY_TIMEOUT = Duration.ofSeconds(5);

    /** What all launches gave that were measured. */
    private static final class Measured {
        final LoadResult load;
        final Costs costs;
        final int rounds;
        final AnswerComparison comparison;
        final List<RewriteCount> rewrites;

        private Measured(
                LoadResult load, Costs costs, int rounds, AnswerComparison comparison, List<RewriteCount> rewrites) {
            this.load = load;
            this.costs = costs;
            this.rounds = rounds;
            this.comparison = comparison;
            this.rewrites = rewrites;
        }

        /** Returns what a launch gave, and those before it. */
        static Measured of(Measured before, TargetRun launch) {
            List<RewriteCount> rewrites = launch.replay().rewrites();
            return before == null
                    ? new Measured(launch.load(), launch.costs(), launch.rounds(), launch.comparison(), rewrites)
                    : new Measured(
                            before.load.then(launch.load()),
                            before.costs.plus(launch.costs()),
                            before.rounds + launch.rounds(),
                            // Of the first launch only: later ones are not compared.
                            before.comparison == null ? launch.comparison() : before.comparison,
                            RewriteCount.sum(before.rewrites, rewrites));
        }
    }

    private final TargetSpec spec;
    private final List<LaunchResult> results;
    private final Set<String> notes;
    private final TargetProcess process;
    private final OptionalInt processors;
    private final OptionalLong memoryPeakBytes;
    private final TargetExit exit;
    private final Measured measured;
    /** Whether it was ready in the last launch; true before the first. */
    private final boolean answered;

    /** Before the first launch. */
    TargetLaunches(TargetSpec spec) {
        this.spec = spec;
        results = List.of();
        notes = Set.of();
        process = null;
        processors = OptionalInt.empty();
        memoryPeakBytes = OptionalLong.empty();
        exit = null;
        measured = null;
        answered = true;
    }

    private TargetLaunches(TargetLaunches before, TargetRun launch, LoadSeries series, boolean warmsUp) {
        spec = before.spec;
        LaunchResult.Builder result = launch.launchResult();
        // Of a server that runs already, nobody knows what its JIT does.
        if (series != null && spec.attachAddress().isEmpty()) {
            if (launch.exit().isPresent()) {
                series.died(name(), launch.launch());
            }
            result.warmup(series.warmup(name(), launch.launch(), launch.startCpuNs(), !warmsUp))
                    .firstMinute(series.firstMinute(
                            name(),
                            launch.launch(),
                            launch.startup().map(Startup::firstAnswerNs).orElse(OptionalLong.empty()),
                            launch.startCpuNs()))
                    .fullLoad(series.fullLoad(name(), launch.launch()));
        }
        results = new ArrayList<>(before.results);
        results.add(result.build());
        notes = new LinkedHashSet<>(before.notes);
        process = before.process == null ? launch.process() : before.process;
        processors = before.processors.isEmpty() ? launch.processors() : before.processors;
        memoryPeakBytes = launch.process() == null
                ? before.memoryPeakBytes
                : LongStream.concat(before.memoryPeakBytes.stream(), launch.process().memoryPeakBytes().stream())
                        .max();
        exit = before.exit == null ? launch.exit().orElse(null) : before.exit;
        if (launch.startFailure() != null) {
            notes.add(launch.startFailure().getMessage());
        }
        if (launch.process() != null) {
            launch.process().cutOutput().ifPresent(notes::add);
        }
        if (launch.isMeasured()) {
            notes.addAll(launch.replay().notes());
            notes.addAll(launch.unknownCosts());
        }
        measured = launch.isMeasured() ? Measured.of(before.measured, launch) : before.measured;
        answered = launch.process() != null;
    }

    String name() {
        return spec.name();
    }

    /**
     * Returns these and a launch whose process was stopped and whose replay was finished.
     *
     * @param series knows what it did second by second
     * @param warmsUp whether it got load before it was measured
     */
    TargetLaunches with(TargetRun launch, LoadSeries series, boolean warmsUp) {
        return new TargetLaunches(this, launch, series, warmsUp);
    }

    /**
     * Returns how long the next launch waits for it: where a server that runs already is gone for good, each block that
     * is left would take the whole time.
     */
    Duration readyTimeout(Duration whole) {
        return answered || spec.attachAddress().isEmpty() || whole.compareTo(GONE_READY_TIMEOUT) < 0
                ? whole
                : GONE_READY_TIMEOUT;
    }

    /** Returns what is known so far, with a launch that is about to be measured. */
    TargetResult begun(TargetRun ready, MonitoredIntervals intervals) {
        return new TargetLaunches(this, ready, null, false).result(0, intervals, 0);
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
     * @param whole how many launches came to their end, the first ones
     */
    TargetResult result(long intervalsLost, MonitoredIntervals intervals, int whole) {
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
        if (measured != null) {
            result.load(measured.load)
                    .rounds(measured.rounds)
                    .comparison(measured.comparison)
                    .rewrites(measured.rewrites)
                    .costs(measured.costs);
            if (intervals != null) {
                intervals.overlap(name(), measured.load, measured.costs).ifPresent(result::gcOverlap);
            }
            if (intervalsLost > 0) {
                result.intervalsLost(intervalsLost);
            }
        }
        startup().ifPresent(startup -> {
            result.startup(startup);
            startup.firstAnswerNs().ifPresent(result::startupNs);
        });
        together(warmups(whole)).ifPresent(result::warmup);
        firstMinute().ifPresent(result::firstMinute);
        fullLoad().ifPresent(result::fullLoad);
        results.forEach(result::launch);
        return result.build();
    }

    /** Those of a launch that was cut tell of the second in which it was; they count only where there is no other. */
    private List<Warmup> warmups(int whole) {
        return results.stream()
                .filter(launch -> whole == 0 || launch.launch() <= whole)
                .flatMap(launch -> launch.warmup().stream())
                .collect(Collectors.toList());
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
        process.collector().ifPresent(result::collector);
        process.maxHeapBytes().ifPresent(result::maxHeapBytes);
        processors.ifPresent(result::processors);
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
                : Optional.of(Startup.of(
                        median(all, Startup::jvmNs),
                        median(all, Startup::portNs),
                        median(all, Startup::firstAnswerNs)));
    }

    /**
     * Returns the median warm-up, which is as little steady as the least steady launch, but for launches that were not
     * steady by {@linkplain LaunchRatios#mostUnsteady accident}.
     */
    static Optional<Warmup> together(List<Warmup> every) {
        if (every.isEmpty()) {
            return Optional.empty();
        }
        List<Warmup> others = every.stream()
                .filter(warmup -> warmup.state() != Warmup.State.NOT_STEADY)
                .collect(Collectors.toList());
        boolean accident = every.size() - others.size() <= LaunchRatios.mostUnsteady(every.size());
        List<Warmup> all = accident ? others : every;
        // In one of these a change of any size may be hidden.
        boolean unknown = all.stream()
                .anyMatch(warmup -> warmup.state() == Warmup.State.UNDECIDABLE
                        && warmup.visibleStep().isEmpty());
        Warmup.State state = Stream.of(Warmup.State.NOT_STEADY, Warmup.State.UNDECIDABLE)
                .filter(worst -> all.stream().anyMatch(warmup -> warmup.state() == worst))
                .findFirst()
                .orElse(Warmup.State.STEADY);
        return Optional.of(Warmup.builder(state)
                .durationNs(median(all, Warmup::durationNs))
                .requests(median(all, Warmup::requests))
                .cpuNs(median(all, Warmup::cpuNs))
                .jitShare(greatest(all, Warmup::jitShare))
                .visibleStep(unknown ? OptionalDouble.empty() : greatest(all, Warmup::visibleStep))
                .visibleCostStep(
                        all.stream().allMatch(warmup -> warmup.visibleCostStep().isPresent())
                                ? greatest(all, Warmup::visibleCostStep)
                                : OptionalDouble.empty())
                .build());
    }

    private Optional<FirstMinute> firstMinute() {
        List<FirstMinute> all = each(LaunchResult::firstMinute);
        return all.isEmpty()
                ? Optional.empty()
                : Optional.of(FirstMinute.of(
                        median(all, minute -> OptionalLong.of(minute.cpuNs())).orElseThrow(),
                        median(all, minute -> OptionalLong.of(minute.requests()))
                                .orElseThrow()));
    }

    private Optional<FullLoad> fullLoad() {
        List<FullLoad> all = each(LaunchResult::fullLoad);
        return all.isEmpty()
                ? Optional.empty()
                : Optional.of(fullLoad(
                        all,
                        median(all, load -> OptionalLong.of(load.durationNs())).orElseThrow(),
                        median(all, load -> OptionalLong.of(load.requests())).orElseThrow()));
    }

    /** Where all refused requests, it says so; the cost is that of those that did not. */
    private static FullLoad fullLoad(List<FullLoad> all, long durationNs, long requests) {
        boolean refused = all.stream().allMatch(load -> load.refusedShare().isPresent());
        return refused
                ? FullLoad.refusing(
                        durationNs,
                        requests,
                        greatest(all, FullLoad::refusedShare).getAsDouble())
                : FullLoad.of(durationNs, requests, median(all)).withJit(greatest(all, FullLoad::jitShare), false);
    }

    /** Returns the median CPU of a request under full load, to a nanosecond. */
    private static OptionalDouble median(List<FullLoad> all) {
        return median(all, load -> load.steadyCpuNsPerRequest().stream()
                        .mapToLong(Math::round)
                        .findFirst())
                .stream()
                .asDoubleStream()
                .findFirst();
    }

    private static <T> OptionalDouble greatest(List<T> all, Function<T, OptionalDouble> figure) {
        return all.stream().map(figure).flatMapToDouble(OptionalDouble::stream).max();
    }

    private <T> List<T> each(Function<LaunchResult, Optional<T>> figure) {
        return results.stream().map(figure).flatMap(Optional::stream).collect(Collectors.toList());
    }

    /** Returns the median of those that are known, of an even number the mean of the middle two. */
    static <T> OptionalLong median(List<T> all, Function<T, OptionalLong> figure) {
        long[] known = all.stream()
                .map(figure)
                .flatMapToLong(OptionalLong::stream)
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
