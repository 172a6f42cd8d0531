package dev.lockstep.replayer;

import dev.lockstep.replayer.comparison.AnswerComparer;
import dev.lockstep.replayer.comparison.AnswerLog;
import dev.lockstep.replayer.engine.ReplayLoop;
import dev.lockstep.replayer.engine.ReplayWorker;
import java.util.List;

/** Sends the first requests of the capture twice more, so that it shows what varies in the answers. One thread. */
final class LearningPasses {
    private static final int PASSES = 2;
    /** Recorded connections are learned from at this rate, or so many times as fast as they are replayed. */
    private static final double RATE_PER_SEC = 200;

    private static final double SPEED_UP = 10;

    private final ReplayConfig config;
    private final Rounds rounds;

    LearningPasses(ReplayConfig config, Rounds rounds) {
        this.config = config;
        this.rounds = rounds;
    }

    void run(AnswerComparer comparer, List<TargetReplay> learning, Replayer.Progress progress) {
        int requests = comparer.learningRequests();
        double speed = speed(requests);
        for (int pass = 0; pass < PASSES && !rounds.isStopped(); pass++) {
            long startedNs = System.nanoTime();
            for (TargetReplay target : learning) {
                AnswerLog answers = comparer.learningPass(target.name(), pass);
                ReplayLoop.await(target.loop().submit(() -> target.worker()
                        .startLearning(answers, requests, speed, config.longestLearningNs())));
            }
            rounds.awaitConnections(learning);
            // The second pass wants the targets too, so that this one does not end the progress.
            rounds.run(learning, 0, 1, Rounds.Kind.LEARNING, progress::tick);
            Rounds.forEachLoop(learning, ReplayWorker::endLearning);
            while (!rounds.isStopped() && System.nanoTime() - startedNs < config.learningApartNs()) {
                Rounds.sleep(10);
            }
        }
        progress.ended();
    }

    /**
     * Returns the speed at which recorded connections get these requests: so that the pass ends in time, if that is not
     * too fast.
     */
    private double speed(int requests) {
        double recordedNs =
                config.capture().timeNs(requests - 1) - config.capture().timeNs(0);
        double wanted = recordedNs / (config.longestLearningNs() * 0.8);
        double most = Math.max(config.speed() * SPEED_UP, RATE_PER_SEC * recordedNs / (requests * 1e9));
        return Math.max(config.speed(), Math.min(wanted, most));
    }
}
