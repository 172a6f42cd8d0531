package dev.lockstep.run;

import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.ProcessExit;
import dev.lockstep.launcher.TargetFailedException;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetProcess;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.monitor.TargetMonitor;
import dev.lockstep.monitor.metrics.MetricsException;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetExit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * One launch of a target within a run: its process, its replay, and what it used while it was measured. Used by the
 * run's thread; only the end of the process is noticed on another. {@link TargetLaunches} puts the launches of a target
 * together.
 */
final class TargetRun {
    private static final String START = "start";
    private static final String SERVED_ELSEWHERE =
            "another process than the one that was started listens at its port, as of a container that a client starts:"
                    + " what it costs is not known, and that process alone is pinned, capped, frozen and stopped; start the"
                    + " server itself, or give the address of one that runs already, with metrics";

    private final TargetSpec spec;
    private final int launch;
    private final int position;
    private TargetProcess process;
    private TargetFailedException startFailure;
    private TargetReplay replay;
    /** Null for a server that ran already, and where another process serves. */
    private CostMeter meter;
    /** What such a server tells of its cost; null where it does not. */
    private final ServerMetrics metrics;

    private int rounds;
    private boolean frozen;
    private AnswerComparison comparison;
    private volatile String phase = START;
    /** The phase in which the process ended; complete once it has. */
    private CompletableFuture<String> endPhase;
    /** When it did, epoch milliseconds; written before {@link #endPhase} is complete. */
    private volatile long endedAtMs;

    /**
     * @param launch counted from 1
     * @param position as which of the targets it is started in this launch, counted from 1
     * @param metrics what a server that runs already tells of its cost; null where it does not
     */
    TargetRun(TargetSpec spec, int launch, int position, ServerMetrics metrics) {
        this.spec = spec;
        this.launch = launch;
        this.position = position;
        this.metrics = metrics;
    }

    String name() {
        return spec.name();
    }

    int launch() {
        return launch;
    }

    TargetSpec spec() {
        return spec;
    }

    /**
     * Starts the target and waits until it answers. One that ends before that is kept as a result.
     *
     * @throws TargetFailedException in the first launch, when it does not get ready and its exit is not known: not
     *     ready in time, another JIT than was asked for, or not started at all; in a later launch that is a result too
     */
    void launch(TargetLauncher launcher, LaunchSettings settings) throws InterruptedException {
        try {
            process = launcher.launch(spec, settings);
        } catch (TargetFailedException e) {
            if (e.exit().isEmpty() && launch == 1) {
                throw e;
            }
            startFailure = e;
            return;
        }
        if (metrics != null && launch == 1) {
            try {
                metrics.check();
            } catch (MetricsException e) {
                process.close();
                throw new RunException("target " + name() + ": " + e.getMessage());
            }
        }
        endPhase = process.onExit().thenApply(exit -> {
            endedAtMs = System.currentTimeMillis();
            return phase;
        });
        if (process.pid().isPresent() && !process.isServedElsewhere()) {
            meter = new CostMeter(
                    TargetMonitor.open(process.pid().getAsLong(), process.controlGroups(), process.openGcLog()));
        }
    }

    /** Returns what there is to say of one that answered; absent where it never did. */
    Optional<ReadyTarget> ready(String prefix) {
        if (process == null) {
            return Optional.empty();
        }
        StringBuilder sentence = new StringBuilder(prefix).append(name()).append(": ready");
        process.firstAnswerNs().ifPresent(ns -> sentence.append(" in ").append(Quantities.duration(ns)));
        sentence.append(" at ").append(Addresses.print(process.address()));
        if (process.pid().isPresent()) {
            sentence.append(", JIT ").append(process.jit());
        }
        process.jvm().ifPresent(jvm -> sentence.append(", JDK ").append(jvm.version()));
        return Optional.of(ImmutableReadyTarget.of(name(), launch, process.address(), sentence.toString()));
    }

    /** Returns why it did not start, or null. */
    TargetFailedException startFailure() {
        return startFailure;
    }

    /** Returns the process, or null where it was not launched or never ready. This closes it. */
    TargetProcess process() {
        return process;
    }

    /** Whether requests can be sent to it. */
    boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Connects it with its replay, which ends when the process does. */
    void attach(TargetReplay replay) {
        this.replay = replay;
        process.onExit().thenRun(replay::abort);
    }

    /** Returns its replay, or null before {@link #attach}. */
    TargetReplay replay() {
        return replay;
    }

    /** Says what goes on, for the case that the target dies in it. */
    void enter(String phase) {
        this.phase = phase;
    }

    /** Stops it where it stands; does nothing to one that is frozen, or that ran already. */
    void freeze() {
        if (process != null && process.canFreeze() && !frozen) {
            process.freeze();
            frozen = true;
            if (meter != null) {
                meter.frozen();
            }
        }
    }

    /** Returns in which phase its process ended, once it has. */
    String endPhase() {
        return endPhase.getNow(phase);
    }

    /** Lets it go on, if it is frozen. */
    void thaw() {
        if (frozen) {
            process.thaw();
            frozen = false;
        }
    }

    /** Returns what measures its costs, null for a server that ran already, and where another process serves. */
    CostMeter meter() {
        return meter;
    }

    /** Begins a window of warm-up, whose intervals say what they cost. */
    void startWarmUp() {
        if (meter != null) {
            meter.start();
        }
    }

    /** Begins a window in which what the target uses counts. */
    void startWindow() {
        rounds++;
        if (meter != null) {
            meter.start();
        }
    }

    /** Reads what a server that runs already has cost, before its measured load; may take seconds. */
    void startMetrics() throws InterruptedException {
        if (metrics != null) {
            metrics.begin(launch);
        }
    }

    /** Reads it again behind that load. */
    void endMetrics() throws InterruptedException {
        if (metrics != null) {
            metrics.end(launch);
        }
    }

    /** Returns how many processors its JVM said it may use; absent where it does not tell. */
    OptionalInt processors() {
        return meter == null ? OptionalInt.empty() : meter.processors();
    }

    /** Returns the CPU time that it used from its start to its first load; absent where that is not known. */
    OptionalLong startCpuNs() {
        return meter == null ? OptionalLong.empty() : meter.startCpuNs();
    }

    /** Ends a window, with the interval that was handed on last. */
    void endWindow() {
        if (meter != null) {
            meter.end();
        }
    }

    /** Stops the process; its exit and its peak memory are final then. */
    void stop() {
        if (process != null) {
            process.close();
        }
        if (meter != null) {
            meter.close();
        }
    }

    /** Whether it was measured, if only for a moment. */
    boolean isMeasured() {
        return rounds > 0;
    }

    /** Takes note of how its answers differ from the baseline's. */
    void compared(AnswerComparison comparison) {
        this.comparison = comparison;
    }

    /** Returns how its answers differ from the baseline's, or null. */
    AnswerComparison comparison() {
        return comparison;
    }

    /** Returns how many windows were measured. */
    int rounds() {
        return rounds;
    }

    /** Returns what the load gave; after the replay was finished, and only if it was measured. */
    LoadResult load() {
        return replay.result();
    }

    /** Returns what it cost while it was measured; its peak memory is that of the whole launch, after {@link #stop}. */
    Costs costs() {
        if (meter == null) {
            return metrics == null ? Costs.NONE : metrics.measured();
        }
        OptionalLong peak = process.memoryPeakBytes();
        Costs measured = meter.measured();
        return peak.isPresent() ? measured.with(Cost.MEMORY_PEAK, peak.getAsLong()) : measured;
    }

    /**
     * Returns that it was moved from the processors that Lockstep gave it to others while it ran, as a clause; absent
     * where it was not.
     */
    Optional<String> moved() {
        return Optional.ofNullable(meter).filter(any -> process.isPinned()).flatMap(CostMeter::moved);
    }

    /** Returns which of its costs are not known, and why, a line each. */
    List<String> unknownCosts() {
        if (meter == null) {
            return process.isServedElsewhere() ? List.of(SERVED_ELSEWHERE) : List.of();
        }
        List<String> lines = new ArrayList<>(meter.problems());
        if (!process.whyNoGcLog().isEmpty()) {
            lines.add("no figures of garbage collections: " + process.whyNoGcLog());
        }
        return lines;
    }

    /** Returns how it ended, if it did so by itself; after {@link #stop}. */
    Optional<TargetExit> exit() {
        if (startFailure != null) {
            return startFailure.exit().map(exit -> exit(exit, START));
        }
        return process == null
                ? Optional.empty()
                : process.exit().filter(exit -> !exit.isStopped()).map(exit -> exit(exit, endPhase.join()));
    }

    /** Returns how long it took to start; absent where it never was ready, or ran already. */
    Optional<Startup> startup() {
        return process == null || process.firstAnswerNs().isEmpty()
                ? Optional.empty()
                : Optional.of(Startup.of(process.jvmReadyNs(), process.portOpenNs(), process.firstAnswerNs()));
    }

    /** Returns what this launch gave; after the replay was finished and {@link #stop}. */
    LaunchResult.Builder launchResult() {
        LaunchResult.Builder result = LaunchResult.builder(launch, position);
        if (process != null) {
            process.cpus().ifPresent(cpus -> result.cpus(cpus.toString()));
        }
        startup().ifPresent(result::startup);
        exit().ifPresent(result::exit);
        if (startFailure != null) {
            result.note(startFailure.getMessage());
        }
        if (isMeasured()) {
            result.load(load()).costs(costs());
        }
        return result;
    }

    private TargetExit exit(ProcessExit exit, String phase) {
        return TargetExit.builder()
                .exitCode(exit.exitCode())
                .phase(launch == 1 ? phase : phase + " of launch " + launch)
                .atMs(endedAtMs == 0 ? OptionalLong.empty() : OptionalLong.of(endedAtMs))
                .oomKilled(exit.isOomKilled())
                .kernelMessage(exit.kernelLine().orElse(null))
                .lastLogLines(exit.lastLogLines())
                .build();
    }
}
