package dev.lockstep.run;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.replayer.comparison.AnswerComparer;
import dev.lockstep.results.AnswerPair;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The comparison of the targets' answers within a run, where it was asked for: of the first launch only, since JVMs
 * that are started again answer the same requests again. Used by the run's thread.
 */
final class RunComparison {
    private final RunConfig config;
    private final RunPlan plan;
    private final Capture capture;
    private final List<TargetRun> others = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private AnswerComparer comparer;

    RunComparison(RunConfig config) {
        this.config = config;
        plan = config.plan();
        capture = config.capture();
    }

    /** Has the answers of these targets noted, which are alive and attached; before the measured phase. */
    void begin(Replayer replayer, List<TargetRun> targets) {
        if (!plan.compare()) {
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
            comparer = replayer.compareAnswers(compared, config.ignoredHeaders(), config.keepsBodies());
            if (config.learnsNoise()) {
                plan.sameAsBaseline().ifPresent(comparer::sameAs);
            }
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
        return config.learnsNoise() ? Optional.ofNullable(comparer) : Optional.empty();
    }

    /** Tells every target how its answers differ; after the replay was finished. */
    void finish() {
        if (comparer != null) {
            others.forEach(target -> target.compared(comparer.compare(target.name())));
        }
    }

    /** Returns what was not compared and why, a line each. */
    List<String> notes() {
        return notes;
    }

    /** Writes the requests that were answered differently, and what was kept of the answers to the examples. */
    void writeDifferences(RunDirectoryWriter directory) {
        if (comparer != null) {
            AnswerBodies bodies = new AnswerBodies();
            for (TargetRun target : others) {
                directory.differences(target.name(), out -> comparer.writeDifferences(target.name(), out));
                List<AnswerPair> pairs =
                        comparer.pairs(target.name()).stream().map(bodies::of).collect(Collectors.toList());
                if (!pairs.isEmpty()) {
                    directory.answers(target.name(), pairs);
                }
            }
        }
    }
}
