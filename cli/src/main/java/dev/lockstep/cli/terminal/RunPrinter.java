package dev.lockstep.cli.terminal;

import dev.lockstep.report.Paint;
import dev.lockstep.results.RunResult;
import dev.lockstep.run.ReadyTarget;
import dev.lockstep.run.RunPhase;
import java.io.PrintWriter;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints how a run goes to standard error, and its result to standard output. Used by one thread. */
public final class RunPrinter implements RunDisplay {
    private final Progress progress;
    private final ResultPrinter results;
    /** The last phase; null before the first. */
    private RunPhase.Kind kind;

    /** @param json whether the result is printed as JSON, once and complete */
    public RunPrinter(Progress progress, PrintWriter out, boolean json, Paint paint) {
        this.progress = progress;
        results = new ResultPrinter(out, json, paint);
    }

    @Override
    public void note(String sentence) {
        progress.line(sentence);
    }

    @Override
    public void targetFailed(String target, String why) {
        progress.line(why);
    }

    @Override
    public void targetReady(ReadyTarget target) {
        progress.line(target.sentence());
    }

    @Override
    public void phase(RunPhase phase) {
        if (kind == RunPhase.Kind.WARM_UP) {
            // What a warm-up awaited is over.
            progress.status(null);
        }
        if (phase.kind() != kind) {
            // Turns of another kind are a bar of their own.
            progress.end();
        }
        kind = phase.kind();
        long lengthNs = phase.lengthNs().orElse(Long.MAX_VALUE);
        if (phase.turn().isPresent()) {
            RunPhase.Turn turn = phase.turn().get();
            String bar = kind == RunPhase.Kind.FULL_LOAD ? "full load" : "measuring";
            progress.turn(bar, phase.title(), turn.number(), turn.targets(), turn.rounds(), lengthNs);
        } else {
            progress.begin(phase.title(), lengthNs);
        }
    }

    @Override
    public void progress(long elapsedNs, Map<String, Long> answers) {
        progress.at(
                elapsedNs,
                answers.entrySet().stream()
                        .map(target -> (answers.size() > 1 ? target.getKey() + " " : "") + target.getValue())
                        .collect(Collectors.joining(", ", "", " answers")));
    }

    @Override
    public void status(String line) {
        progress.status(line);
    }

    @Override
    public void phaseEnded() {
        progress.end();
    }

    @Override
    public void measured(RunResult result, boolean last) {
        // What follows is no part of a soak run, whose status ends here.
        progress.status(null);
        results.measured(result, last);
    }

    @Override
    public void profiled(RunResult result) {
        results.profiled(result);
    }

    @Override
    public void close() {
        progress.end();
    }
}
