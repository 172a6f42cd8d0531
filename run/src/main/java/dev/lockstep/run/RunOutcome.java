package dev.lockstep.run;

import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import java.util.List;
import java.util.Optional;

/** The end of a run: its result, and what failed on our side although there is one. Immutable. */
public final class RunOutcome {
    private final RunResult result;
    private final Throwable failure;
    private final List<Throwable> listenerFailures;

    RunOutcome(RunResult result, Throwable failure, List<Throwable> listenerFailures) {
        this.result = result;
        this.failure = failure;
        this.listenerFailures = List.copyOf(listenerFailures);
    }

    /** As it stands in the run directory. */
    public RunResult result() {
        return result;
    }

    /**
     * Why Lockstep failed, where it did after at least one whole launch: the result is INVALID then and holds the
     * launches before. Where it failed only to write a file beside {@code run.json}, the result is whole and has a
     * note.
     */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** The first that each listener threw; it changed nothing about the result. */
    public List<Throwable> listenerFailures() {
        return listenerFailures;
    }

    /**
     * Why a target lacks figures, or has less than all of them, in a line for people: it did not start, died, or got no
     * load before the run was cancelled. Absent where all is well.
     *
     * @throws IllegalArgumentException where the run has no such target
     */
    public Optional<String> whyFailed(String target) {
        TargetResult found = result.target(target)
                .orElseThrow(() -> new IllegalArgumentException("the run has no target " + target));
        if (found.exit().isPresent()) {
            return Optional.of(died(found.exit().get(), found.notes()));
        }
        if (found.counts().isPresent()) {
            return Optional.empty();
        }
        return Optional.of(found.notes().isEmpty() ? "it got no load" : String.join("; ", found.notes()));
    }

    private static String died(TargetExit exit, List<String> notes) {
        StringBuilder text =
                new StringBuilder("it ended during ").append(exit.phase().orElse("the run"));
        exit.exitCode().ifPresent(code -> text.append(" with exit code ").append(code));
        if (exit.oomKilled()) {
            text.append(", killed for lack of memory");
        }
        notes.forEach(note -> text.append("; ").append(note));
        return text.toString();
    }
}
