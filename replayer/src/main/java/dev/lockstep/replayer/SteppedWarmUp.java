package dev.lockstep.replayer;

import dev.lockstep.measurement.Interval;
import dev.lockstep.replayer.WarmUpSteps.Step;
import dev.lockstep.replayer.engine.ReplayWorker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Warms targets up until all are warm, each by steps of its own: one may still be heated while another already gets the
 * load that will be measured. A step ends when its requests are answered, and the next begins with connections of its
 * own; the other targets notice nothing. One thread.
 */
final class SteppedWarmUp {
    private static final long NEVER = Long.MAX_VALUE;
    /** How often it is looked whether a step has ended that is to end. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ReplayConfig config;
    private final Rounds rounds;
    private final WarmUpSteps steps;

    /** One target, and the step that it is in. */
    private final class Lane {
        final List<TargetReplay> target;
        Step step;
        /** Complete when the step's requests are answered, or the target was given up. */
        CompletableFuture<Void> end;
        /** Whether its step was told to end. */
        boolean ending;

        Lane(TargetReplay target) {
            this.target = List.of(target);
            step = steps.next(target);
            begin();
        }

        private void begin() {
            steps.begins(replay(), step);
            if (step.heats()) {
                Rounds.forEachLoop(target, worker -> {
                    worker.startHeating(config.heatingConnections(), NEVER);
                    worker.letCompile(step == Step.COMPILE);
                });
            } else {
                Rounds.forEachLoop(target, worker -> worker.startPhase(false, NEVER, NEVER));
            }
            rounds.awaitConnections(target);
        }

        void start(long startNs) {
            ending = false;
            replay().handOn(Interval.Phase.WARM_UP, true);
            end = Rounds.onLoops(target, worker -> worker.startRound(0, 1, startNs))
                    .get(0);
        }

        TargetReplay replay() {
            return target.get(0);
        }

        boolean isRunning() {
            return !end.isDone();
        }

        boolean isDone() {
            return step == Step.DONE || !isRunning() && !ending;
        }

        /** Asks for the next step, and has this one end where the load is to be another. */
        void look() {
            if (ending || !isRunning() || step == Step.DONE) {
                return;
            }
            Step next = steps.next(replay());
            if (step.heats() && !next.heats()) {
                endSending();
            } else if (step != next) {
                step = next;
                if (step == Step.HEAT) {
                    steps.begins(replay(), step);
                    Rounds.forEachLoop(target, worker -> worker.letCompile(false));
                }
            }
        }

        void endSending() {
            ending = true;
            Rounds.forEachLoop(target, ReplayWorker::endSending);
        }

        /** Goes over from heating to the load that will be measured, once the last answer is there. */
        void turn() {
            if (!step.heats() || !ending || isRunning()) {
                return;
            }
            rounds.takeIntervals(target, clock, true, true);
            endPhase();
            step = Step.PACE;
            begin();
            start(System.nanoTime() + Rounds.LEAD_NS);
        }

        void endPhase() {
            Rounds.forEachLoop(target, step.heats() ? ReplayWorker::endHeating : ReplayWorker::endPhase);
        }
    }

    private RunClock clock;

    /** @param steps decides what each target gets */
    SteppedWarmUp(ReplayConfig config, Rounds rounds, WarmUpSteps steps) {
        this.config = config;
        this.rounds = rounds;
        this.steps = steps;
    }

    /** @throws ReplayException where our own code failed */
    void run(List<TargetReplay> warmed, Replayer.Progress progress) {
        List<Lane> lanes = warmed.stream().map(Lane::new).collect(Collectors.toList());
        long startNs = System.nanoTime() + Rounds.LEAD_NS;
        clock = rounds.clock(Rounds.Kind.WARM_UP, startNs);
        lanes.forEach(lane -> lane.start(startNs));
        long intervalEndNs = startNs + config.intervalNs();
        while (!rounds.isStopped() && !lanes.stream().allMatch(Lane::isDone)) {
            awaitInterval(lanes, intervalEndNs);
            lanes.forEach(Lane::turn);
            if (System.nanoTime() - intervalEndNs >= 0) {
                takeIntervals(lanes, false);
                progress.tick();
                lanes.forEach(Lane::look);
                do {
                    intervalEndNs += config.intervalNs();
                } while (intervalEndNs - System.nanoTime() < 0);
            }
        }
        lanes.stream().filter(Lane::isRunning).forEach(Lane::endSending);
        lanes.forEach(this::awaitEnd);
        progress.ended();
        progress.tick();
        Rounds.requireSound(warmed);
        takeIntervals(lanes, true);
        lanes.forEach(Lane::endPhase);
    }

    /** Waits for the end of the interval, or of a step that was told to end. */
    private void awaitInterval(List<Lane> lanes, long intervalEndNs) {
        long leftNs;
        while ((leftNs = intervalEndNs - System.nanoTime()) > 0
                && !rounds.isStopped()
                && lanes.stream().noneMatch(lane -> lane.ending && !lane.isRunning())) {
            boolean soon = lanes.stream().anyMatch(lane -> lane.ending);
            sleep(soon ? Math.min(LOOK_NS, leftNs) : leftNs);
        }
    }

    private void awaitEnd(Lane lane) {
        // An event loop ends early only when something broke it.
        while (lane.isRunning() && !lane.replay().loop().isShuttingDown()) {
            sleep(LOOK_NS);
        }
    }

    private void sleep(long ns) {
        try {
            TimeUnit.NANOSECONDS.sleep(ns);
        } catch (InterruptedException e) {
            rounds.stop();
        }
    }

    /** Takes those of the targets whose step goes on; at the end, of all. */
    private void takeIntervals(List<Lane> lanes, boolean last) {
        List<TargetReplay> taken = new ArrayList<>();
        for (Lane lane : lanes) {
            if (last || lane.isRunning()) {
                taken.addAll(lane.target);
            }
        }
        rounds.takeIntervals(taken, clock, last, true);
    }
}
