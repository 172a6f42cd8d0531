package dev.lockstep.cli;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.RunDirectoryWriter;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.replayer.AnswerComparer;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.TargetReplay;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The comparison of the targets' answers within a run, where it was asked for: of the first launch only, since JVMs that
 * are started again answer the same requests again. Used by the run's thread.
 */
final class RunComparison {
    private final CompareOptions options;
    private final RunPlan plan;
    private final Capture capture;
    private final List<TargetRun> others = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private AnswerComparer comparer;

    RunComparison(CompareOptions options, RunPlan plan, Capture capture) {
        this.options = options;
        this.plan = plan;
        this.capture = capture;
    }

    /** Has the answers of these targets noted, which are alive and attached; before the measured phase. */
    void begin(Replayer replayer, List<TargetRun> targets) {
        if (!options.isOn()) {
            return;
        }
        List<TargetReplay> compared = new ArrayList<>();
        for (TargetRun target : targets) {
            if (target.name().equals(plan.baseline())) {
                compared.add(0, target.replay());
            } else {
                compared.add(target.replay());
                others.add(target);
            }
        }
        if (capture.requestCount() == 0) {
            notes.add("answers not compared: the capture holds no requests whose answers are told apart");
        } else if (others.size() == compared.size()) {
            notes.add("answers not compared: " + plan.baseline() + ", with which the others are compared, got no load");
        } else if (others.isEmpty()) {
            notes.add("answers not compared: no target but " + plan.baseline() + " got load");
        } else {
            comparer = replayer.compareAnswers(compared, options.ignoredHeaders());
            if (hasHttp2(capture)) {
                notes.add("answers of HTTP/2 are not compared");
            }
        }
    }

    private static boolean hasHttp2(Capture capture) {
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            if (capture.protocol(connection) == Protocol.HTTP2) {
                return true;
            }
        }
        return false;
    }

    /** Returns what is to learn what varies in the answers, if anything is. */
    Optional<AnswerComparer> learner() {
        return options.learnsNoise() ? Optional.ofNullable(comparer) : Optional.empty();
    }

    /** Tells every target how its answers differ; after the replay was finished. */
    void finish() {
        if (comparer != null) {
            others.forEach(target -> target.compared(comparer.compare(target.replay())));
        }
    }

    /** Returns what was not compared and why, a line each. */
    List<String> notes() {
        return notes;
    }

    /** Writes the requests that were answered differently, a file for each target but the baseline. */
    void writeDifferences(RunDirectoryWriter directory) {
        if (comparer != null) {
            for (TargetRun target : others) {
                directory.differences(target.name(), out -> comparer.writeDifferences(target.replay(), out));
            }
        }
    }
}
