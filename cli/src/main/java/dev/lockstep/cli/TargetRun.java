package dev.lockstep.cli;

import dev.lockstep.launcher.Jvm;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.Profile;
import dev.lockstep.launcher.TargetFailedException;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetProcess;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.TargetExit;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.monitor.ProcessSample;
import dev.lockstep.monitor.ProcessSampler;
import dev.lockstep.replayer.TargetReplay;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * One target within a run: its process, its replay, and what it used while it was measured. Used by the run's thread;
 * only the end of the process is noticed on another.
 */
final class TargetRun {
    private static final String START = "start";

    private final TargetSpec spec;
    private final List<ProcessSample> windows = new ArrayList<>();

    private TargetProcess process;
    private TargetFailedException startFailure;
    private TargetReplay replay;
    private ProcessSampler sampler;
    private ProcessSample windowStart;
    private int rounds;
    private AnswerComparison comparison;
    private volatile String phase = START;
    private CompletableFuture<String> endPhase;

    TargetRun(TargetSpec spec) {
        this.spec = spec;
    }

    String name() {
        return spec.name();
    }

    boolean speaksTls() {
        return spec.tls();
    }

    /**
     * Starts the target and waits until it answers. One that was started and failed is kept as a result.
     *
     * @throws TargetFailedException when it could not even be started
     */
    void launch(TargetLauncher launcher, LaunchSettings settings) throws InterruptedException {
        try {
            process = launcher.launch(spec, settings);
        } catch (TargetFailedException e) {
            if (e.exit().isEmpty()) {
                throw e;
            }
            startFailure = e;
            return;
        }
        endPhase = process.onExit().thenApply(exit -> phase);
        if (process.pid().isPresent()) {
            sampler = new ProcessSampler(process.pid().getAsLong(), process.controlGroups());
        }
    }

    /** Returns why it did not start, or null. */
    TargetFailedException startFailure() {
        return startFailure;
    }

    /** Returns the process, once it was launched. */
    TargetProcess process() {
        return process;
    }

    /** Tells whether requests can be sent to it. */
    boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Connects it with its replay, which ends when the process does. */
    void attach(TargetReplay replay) {
        this.replay = replay;
        process.onExit().thenRun(replay::abort);
    }

    TargetReplay replay() {
        return replay;
    }

    /** Says what goes on, for the case that the target dies in it. */
    void enter(String phase) {
        this.phase = phase;
    }

    void freeze() {
        if (process != null && process.canFreeze()) {
            process.freeze();
        }
    }

    void thaw() {
        if (process != null && process.canFreeze()) {
            process.thaw();
        }
    }

    /** Begins a window in which what the target uses counts. */
    void startWindow() {
        rounds++;
        if (sampler != null) {
            windowStart = sampler.sample();
        }
    }

    void endWindow() {
        if (sampler != null) {
            windows.add(sampler.sample().since(windowStart));
        }
    }

    /** Tells whether it was measured, if only for a moment. */
    boolean isMeasured() {
        return rounds > 0;
    }

    /** Takes note of how its answers differ from the baseline's. */
    void compared(AnswerComparison comparison) {
        this.comparison = comparison;
    }

    /**
     * Returns what came of it; after the replay was finished and the process was closed.
     *
     * @param intervalsLost how many of its intervals the run directory lacks
     */
    TargetResult result(long intervalsLost) {
        TargetResult.Builder result = TargetResult.builder(spec.name());
        spec.profile().map(Profile::id).ifPresent(result::profile);
        spec.attachAddress().map(Addresses::print).ifPresent(result::address);
        if (startFailure != null) {
            result.exit(exit(startFailure.exit().get(), START));
            result.note(startFailure.getMessage());
        }
        if (process != null) {
            describeProcess(result);
        }
        if (isMeasured()) {
            LoadResult load = replay.result();
            result.load(load).rounds(rounds).comparison(comparison);
            replay.notes().forEach(result::note);
            result.rewrites(replay.rewrites());
            if (intervalsLost > 0) {
                result.intervalsLost(intervalsLost);
            }
            sum(windows, ProcessSample::userCpuNs).ifPresent(ns -> result.cost(Cost.USER_CPU, ns));
            sum(windows, ProcessSample::systemCpuNs).ifPresent(ns -> result.cost(Cost.SYSTEM_CPU, ns));
            if (!windows.isEmpty()) {
                windows.get(windows.size() - 1).rssBytes().ifPresent(bytes -> result.cost(Cost.RSS, bytes));
            }
        }
        return result.build();
    }

    private void describeProcess(TargetResult.Builder result) {
        if (process.pid().isEmpty()) {
            return;
        }
        result.jit(process.jit())
                .jitProof(String.join("; ", process.jitProof()))
                .command(process.commandLine())
                .jvmOptions(process.effectiveFlags())
                .isolation(process.isolation());
        process.jvm().map(TargetRun::describe).ifPresent(result::jvm);
        process.cpus().ifPresent(cpus -> result.cpus(cpus.toString()));
        process.memoryLimitBytes().ifPresent(result::memoryLimitBytes);
        process.memoryPeakBytes().ifPresent(result::memoryPeakBytes);
        process.firstAnswerNs().ifPresent(result::startupNs);
        process.exit().filter(exit -> !exit.isStopped()).ifPresent(exit -> result.exit(exit(exit, endPhase.join())));
    }

    private static String describe(Jvm jvm) {
        String name = jvm.vmName().isEmpty() ? jvm.kind().toString() : jvm.vmName();
        return name + " " + jvm.version() + (jvm.vendor().isEmpty() ? "" : " (" + jvm.vendor() + ")");
    }

    private static TargetExit exit(dev.lockstep.launcher.TargetExit exit, String phase) {
        return TargetExit.builder()
                .exitCode(exit.exitCode())
                .phase(phase)
                .oomKilled(exit.isOomKilled())
                .kernelMessage(exit.kernelLine().orElse(null))
                .lastLogLines(exit.lastLogLines())
                .build();
    }

    private interface Used {
        OptionalLong of(ProcessSample window);
    }

    /** Returns the sum over all windows; absent where it is absent in one. */
    private static OptionalLong sum(List<ProcessSample> windows, Used used) {
        long total = 0;
        for (ProcessSample window : windows) {
            OptionalLong value = used.of(window);
            if (value.isEmpty()) {
                return OptionalLong.empty();
            }
            total += value.getAsLong();
        }
        return windows.isEmpty() ? OptionalLong.empty() : OptionalLong.of(total);
    }
}
