package dev.lockstep.replayer;

import dev.lockstep.measurement.Interval;
import dev.lockstep.replayer.engine.ReplayLoop;
import dev.lockstep.replayer.engine.ReplayWorker;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Runs phases and rounds on the event loops and waits for them, interval by interval. One thread; {@link #stop} may
 * come from any.
 */
final class Rounds {
    /** What a round is part of. */
    enum Kind {
        WARM_UP,
        /** Its intervals are handed to nobody. */
        LEARNING,
        MEASURED,
        FULL_LOAD
    }

    private static final long LONGEST_CONNECT_NS = 20_000_000_000L;
    static final long LEAD_NS = 20_000_000;
    /**
     * Within it a target that takes turns runs and gets nothing: a time that no request sees, and that lies outside of
     * its stalls, since a turn does not end in one.
     */
    private static final long TURN_LEAD_NS = 5_000_000;

    private static final long STOP_DRAIN_NS = 2_000_000_000;

    private final ReplayConfig config;
    private final List<TargetReplay> targets;
    private volatile boolean stopped;
    /** Set when the first measured round of the run starts. */
    private RunClock measuredClock;
    /** Set when the first warm-up of the launch starts. */
    private RunClock warmUpClock;

    /** @param targets those of the launch, which the caller changes */
    Rounds(ReplayConfig config, List<TargetReplay> targets) {
        this.config = config;
        this.targets = targets;
    }

    /** Ends the running round early, and each later one at once. */
    void stop() {
        stopped = true;
        for (TargetReplay target : targets) {
            target.loop().execute(() -> target.worker().stop(STOP_DRAIN_NS));
        }
    }

    boolean isStopped() {
        return stopped;
    }

    /** When the first measured round started, on both clocks. */
    RunClock measuredClock() {
        return measuredClock;
    }

    void endLaunch() {
        warmUpClock = null;
    }

    /** Waits until the connections stand that the first requests need, or failed. */
    void awaitConnections(List<TargetReplay> starting) {
        // Connections come about within the time-out, or fail; the phase copes with those that take longer.
        long untilNs = System.nanoTime() + Math.min(config.timeoutNs(), LONGEST_CONNECT_NS);
        while (!stopped
                && System.nanoTime() - untilNs < 0
                && !onLoops(starting, ReplayWorker::isReady).stream().allMatch(Boolean::booleanValue)) {
            sleep(1);
        }
    }

    /**
     * Runs a round of all these targets, which start at the same instant.
     *
     * @throws ReplayException where our own code failed
     */
    void run(List<TargetReplay> running, int round, int rounds, Kind kind, Replayer.Progress progress) {
        long startNs = System.nanoTime() + (round > 0 && running.size() == 1 ? TURN_LEAD_NS : LEAD_NS);
        RunClock clock = clock(kind, startNs);
        running.forEach(target -> target.handOn(phase(kind), round == 0));
        boolean counted = kind == Kind.MEASURED || kind == Kind.FULL_LOAD;
        if (counted) {
            countLoops(running, target -> target.startCounting(startNs));
        }
        Semaphore ended = new Semaphore(0);
        Map<TargetReplay, CompletableFuture<Void>> going = new LinkedHashMap<>();
        List<CompletableFuture<Void>> ends = onLoops(running, worker -> worker.startRound(round, rounds, startNs));
        for (int i = 0; i < ends.size(); i++) {
            going.put(running.get(i), ends.get(i));
            ends.get(i).whenComplete((none, failure) -> ended.release());
        }
        List<TargetReplay> done = List.of();
        long intervalEndNs = startNs + config.intervalNs();
        while (!going.isEmpty()) {
            boolean full = false;
            try {
                full = !ended.tryAcquire(Math.max(0, intervalEndNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                stop();
            }
            // An event loop ends early only when something broke it.
            boolean broken = running.stream().anyMatch(target -> target.loop().isShuttingDown());
            done = going.keySet().stream()
                    .filter(target -> broken || going.get(target).isDone())
                    .collect(Collectors.toList());
            going.keySet().removeAll(done);
            if (counted && !broken) {
                countLoops(done, target -> target.stopCounting(System.nanoTime()));
            }
            if (going.isEmpty()) {
                progress.ended();
            } else if (clock != null) {
                // What a target does while it waits for others is no part of what its load costs.
                takeIntervals(done, clock, true, true);
                if (full) {
                    takeIntervals(List.copyOf(going.keySet()), clock, false, true);
                }
            }
            while (full && intervalEndNs - System.nanoTime() < 0) {
                intervalEndNs += config.intervalNs();
            }
            progress.tick();
        }
        requireSound(running);
        if (clock != null) {
            // The last one too, even if empty: with it goes what the target cost since the one before.
            takeIntervals(done, clock, true, true);
        }
    }

    /** @throws ReplayException where our own code failed */
    static void requireSound(List<TargetReplay> running) {
        for (TargetReplay target : running) {
            Throwable failure = target.worker().failure();
            if (failure != null) {
                throw new ReplayException(
                        "the replay to " + target.name() + " failed within Lockstep: " + failure, failure);
            }
        }
    }

    private static Interval.Phase phase(Kind kind) {
        return kind == Kind.WARM_UP
                ? Interval.Phase.WARM_UP
                : kind == Kind.FULL_LOAD ? Interval.Phase.FULL_LOAD : Interval.Phase.MEASURED;
    }

    private static void countLoops(List<TargetReplay> targets, Consumer<TargetReplay> step) {
        List<Future<?>> taken = new ArrayList<>();
        targets.forEach(target -> taken.add(target.loop().submit(() -> step.accept(target))));
        taken.forEach(ReplayLoop::await);
    }

    /** Returns the clock of the intervals of a round that starts then; null where they are not handed on. */
    RunClock clock(Kind kind, long startNs) {
        switch (kind) {
            case WARM_UP:
            case FULL_LOAD:
                return warmUpClock = warmUpClock != null ? warmUpClock : clockFrom(startNs);
            case MEASURED:
                return measuredClock = measuredClock != null ? measuredClock : clockFrom(startNs);
            default:
                return null;
        }
    }

    private static RunClock clockFrom(long startNs) {
        long leadNs = Math.max(0, startNs - System.nanoTime());
        return new RunClock(startNs, System.currentTimeMillis() + TimeUnit.NANOSECONDS.toMillis(leadNs));
    }

    /** Ends the phase that is measured and hands its last intervals on. */
    void endMeasured(List<TargetReplay> measured) {
        forEachLoop(measured, ReplayWorker::endPhase);
        takeIntervals(measured, measuredClock, false, false);
    }

    /**
     * Ends an interval of each target, all at about the same time, and hands them on.
     *
     * @param last whether it is the last one of a round
     * @param evenIfEmpty whether an interval in which nothing happened is handed on
     */
    void takeIntervals(List<TargetReplay> ending, RunClock clock, boolean last, boolean evenIfEmpty) {
        List<Future<?>> taken = new ArrayList<>();
        for (TargetReplay target : ending) {
            Interval empty = target.emptyInterval();
            taken.add(target.loop().submit(() -> target.worker().takeInterval(empty, last)));
        }
        for (int i = 0; i < taken.size(); i++) {
            ReplayLoop.await(taken.get(i));
            ending.get(i).interval(clock, config.intervals(), evenIfEmpty);
        }
    }

    /** Runs a step on the loop of each target and returns the outcomes, in order. */
    static <T> List<T> onLoops(List<TargetReplay> targets, Function<ReplayWorker, T> step) {
        List<Future<T>> outcomes = new ArrayList<>();
        for (TargetReplay target : targets) {
            Callable<T> task = () -> step.apply(target.worker());
            outcomes.add(target.loop().submit(task));
        }
        List<T> values = new ArrayList<>();
        for (Future<T> outcome : outcomes) {
            values.add(ReplayLoop.await(outcome));
        }
        return values;
    }

    /** Runs a step on the loop of each target and waits for all of them. */
    static void forEachLoop(List<TargetReplay> targets, Consumer<ReplayWorker> step) {
        onLoops(targets, worker -> {
            step.accept(worker);
            return null;
        });
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
