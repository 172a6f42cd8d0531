package dev.lockstep.run;

import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** A run from its plan to its result: the launches that count, what their intervals show, and the profiles. */
public final class ReplayRun {
    /** Whether this process carries out a run: a second one would pin the same threads elsewhere. */
    private static final AtomicBoolean RUNNING = new AtomicBoolean();

    private final RunConfig config;
    private final RunDirectoryWriter directory;
    private final Listeners listeners;
    private final Cancellation cancellation;
    /** Why Lockstep failed first, though there is a result; else null. */
    private Throwable failure;

    private ReplayRun(RunConfig config, RunDirectoryWriter directory, Listeners listeners, Cancellation cancellation) {
        this.config = config;
        this.directory = directory;
        this.listeners = listeners;
        this.cancellation = cancellation;
    }

    /**
     * Carries out a run, on the calling thread. When it returns or throws, no process, thread, control group or pinned
     * processor of it is left.
     *
     * @param directory takes the plan, the intervals as they come, and the result; the caller closes it
     * @param listeners hear how it goes, each on a thread of its own
     * @param cancellation ends it early, with the result of what was measured
     * @throws RunException where it was cancelled before anything was measured
     * @throws dev.lockstep.launcher.TargetFailedException where a target does not get ready in the first launch and its
     *     exit is not known: it is not ready in time, runs another JIT than was asked for, or cannot be started
     * @throws dev.lockstep.measurement.MeasurementException where the result cannot be written; the listeners have it
     *     by then
     * @throws IllegalStateException where another run goes on in this process
     */
    public static RunOutcome run(
            RunConfig config, RunDirectoryWriter directory, List<RunListener> listeners, Cancellation cancellation) {
        if (!RUNNING.compareAndSet(false, true)) {
            throw new IllegalStateException("another run goes on in this process; wait for its end");
        }
        try {
            return run(config, directory, new Listeners(listeners, config.listenerGrace()), cancellation);
        } finally {
            cancellation.onCancel(() -> {});
            RUNNING.set(false);
        }
    }

    private static RunOutcome run(
            RunConfig config, RunDirectoryWriter directory, Listeners told, Cancellation cancellation) {
        try {
            ReplayRun run = new ReplayRun(config, directory, told, cancellation);
            RunResult result = run.run();
            told.close();
            return new RunOutcome(result, run.failure, told.failures());
        } catch (RuntimeException | Error e) {
            told.close();
            told.failures().forEach(e::addSuppressed);
            directory.removeIfNothingBegan();
            throw e;
        }
    }

    private RunResult run() {
        config.watchers().forEach(directory::alsoTo);
        directory.alsoTo((target, interval) -> listeners.interval(target, IntervalFigures.of(interval)));
        ScoredPass scored = new ScoredPass(config, directory, listeners, cancellation);
        RunResult measured = concluded(scored.run());
        failure = scored.failure();
        RunResult result =
                after(measured, SoakFindings.FAILED, () -> SoakFindings.add(measured, directory.directory()));
        boolean profiled = config.plan().profileDuration().isPresent() && failure == null;
        // To the listeners first: a full disk must not cost the figures of a long run.
        listeners.measured(result, !profiled);
        RunResult told = result;
        if (config.summary().isPresent()) {
            result = beside(
                    result,
                    "summary.csv",
                    () -> directory.summary(config.summary().get().apply(told)));
        }
        result = beside(result, "the differences of answers", scored::writeDifferences);
        directory.result(result);
        // Not before: a listener may wait for a reader, such as a pager, for as long as it likes.
        listeners.settle();
        if (profiled) {
            result = new ProfilePass(config, directory, listeners, cancellation).run(result);
            listeners.profiled(result);
            listeners.settle();
            directory.amend(result);
        }
        return result;
    }

    /** Writes what stands beside run.json. */
    private RunResult beside(RunResult result, String what, Runnable writing) {
        return after(result, what + " could not be written", () -> {
            writing.run();
            return result;
        });
    }

    /**
     * Takes a step after which the result is another one; it is worth more: where that fails, it goes on with a note.
     */
    private RunResult after(RunResult result, String failed, Supplier<RunResult> step) {
        try {
            return step.get();
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            // An Error too: one whose jars were replaced meanwhile no longer finds classes that it did not need so far.
            failure = failure == null ? e : failure;
            return result.withNote(failed + ": " + ExpectedFailure.oneLine(e));
        }
    }

    private RunResult concluded(RunResult result) {
        RunResult concluded = result;
        if (!config.conditions().isEmpty()) {
            concluded = concluded.withAssertions(config.conditions().outcomes(result));
        }
        return config.fleet().isPresent()
                ? concluded.withFleetCost(config.fleet().get().worth(result))
                : concluded;
    }
}
