package dev.lockstep.replayer;

import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.measurement.Skew;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Replays a capture to targets, which share as many event loops as there are cores for them ({@link
 * ReplayConfig.Builder#loops}); a stalled target delays no other.
 *
 * <p>A launch is: {@link #addTarget} for each target, {@link #warmUp}, one or more calls of {@link #measure}, {@link
 * #finish}, then {@link TargetReplay#result} of each. A run is one launch or several, one after the other, on one clock;
 * {@link #skew}, {@link #self} and {@link #invalidReasons} are those of all of them. One thread makes these calls; {@link
 * #stop} may come from any. Targets measured in one call start at the same instant: request i has one intended time for
 * all of them.
 */
public final class Replayer implements AutoCloseable {
    /** Told about once a second, and at the end of a phase, on the thread that called. */
    public interface Progress {
        /** The phase goes on. */
        void tick();

        /**
         * All that this call was to send is sent and answered, or given up. The last interval is taken and handed on when
         * this returns: a target that is frozen in here does nothing meanwhile.
         */
        default void ended() {}

        /** Takes no notice. */
        Progress NONE = () -> {};
    }

    private static final long SELF_WARM_UP_NS = 1_000_000_000;
    private static final long LONGEST_CONNECT_NS = 20_000_000_000L;
    private static final long LEAD_NS = 20_000_000;
    /** How long a learning pass may take. */
    private static final long LEARNING_NS = 5_000_000_000L;
    /** So far apart are two answers to a request at least, so that a time stamp of whole seconds shows. */
    private static final long LEARNING_APART_NS = 1_100_000_000;
    /** Recorded connections are learned from at this rate, or so many times as fast as they are replayed. */
    private static final double LEARNING_RATE_PER_SEC = 200;

    private static final double LEARNING_SPEED_UP = 10;
    private static final long STOP_DRAIN_NS = 2_000_000_000;

    /** What this side did wrong to one launch of a target. */
    private static final class OwnDoing {
        final int launch;
        final String name;
        final String limit;
        final long lagNs;

        /**
         * @param limit which limit of this process was met, or null
         * @param lagNs how late sends were at the 99th percentile, 0 where there was none
         */
        OwnDoing(int launch, String name, String limit, long lagNs) {
            this.launch = launch;
            this.name = name;
            this.limit = limit;
            this.lagNs = lagNs;
        }
    }

    private final ReplayConfig config;
    private final List<TargetReplay> targets = new CopyOnWriteArrayList<>();
    private final List<TargetReplay> begun = new ArrayList<>();
    private final List<ReplayLoop> loops = new ArrayList<>();
    private final ConnectionLimits limits = ConnectionLimits.ofThisProcess();
    /** So many are open to each target at the same time. */
    private final int connections;

    private final SelfWatch selfWatch;
    /** Set when the first measured round starts. */
    private RunClock clock;
    /** Set when the first warm-up of the launch starts. */
    private RunClock warmUpClock;

    private final List<OwnDoing> ownDoings = new ArrayList<>();
    private int launch = 1;
    private Thread digester;
    private boolean placed;
    private boolean lowered;
    private volatile SkewMeter skewMeter;
    private Skew skew;
    private volatile boolean stopped;
    private volatile boolean digesting;

    private Replayer(ReplayConfig config) {
        this.config = config;
        connections = config.connections() > 0 ? config.connections() : RecordedConnections.mostOpen(config);
        selfWatch = new SelfWatch(config.pace().closedLoop());
    }

    /** Makes a replayer, which the caller closes; takes a second to warm its own code up. */
    public static Replayer launch(ReplayConfig config) {
        SelfWarmUp.run(config, SELF_WARM_UP_NS);
        return launchCold(config);
    }

    /** Makes a replayer without that, for whom no time matters; the caller closes it. */
    public static Replayer launchCold(ReplayConfig config) {
        return new Replayer(config);
    }

    /**
     * Adds a target. Nothing is sent yet.
     *
     * @param address resolved
     */
    public TargetReplay addTarget(String name, InetSocketAddress address) {
        return addTarget(name, address, null);
    }

    /**
     * Adds a target to which TLS is spoken. Nothing is sent yet.
     *
     * @param address resolved; its host string is the name asked for
     * @param tls or null for none
     * @throws ReplayException where this process cannot hold the connections to it and to those added before
     */
    public TargetReplay addTarget(String name, InetSocketAddress address, TargetTls tls) {
        if (address.isUnresolved()) {
            throw new ReplayException("target " + name + ": host " + address.getHostString()
                    + " cannot be resolved; give a known host or an IP address");
        }
        long sameAddress = targets.stream()
                .filter(other -> other.address().equals(address))
                .count();
        limits.check(targets.size() + 1, (int) sameAddress + 1, connections, config.connections() == 0);
        int index = targets.size() % config.loops();
        if (index == loops.size()) {
            ReplayLoop added = new ReplayLoop(config.transport(), index, config.spinNs());
            loops.add(added);
            selfWatch.add(added.use());
        }
        ReplayLoop loop = loops.get(index);
        ReplayWorker worker = new ReplayWorker(config, address, tls, loop.eventLoop());
        TargetReplay target = new TargetReplay(name, launch, address, worker, loop.eventLoop());
        targets.add(target);
        loop.attach(worker);
        startDigester();
        return target;
    }

    /**
     * Replays the capture, over and over, on the same schedule as the measured phase. Its intervals are handed on and are no
     * part of the result; their times are from the start of the launch's first warm-up.
     *
     * @param warmed those to warm up, at the same time
     * @param durationNs how long
     */
    public void warmUp(List<TargetReplay> warmed, long durationNs, Progress progress) {
        begin(warmed, false, Long.MAX_VALUE, durationNs);
        runRound(warmed, 0, 1, RoundKind.WARM_UP, progress);
        onLoops(warmed, worker -> {
            worker.endPhase();
            return null;
        });
    }

    /**
     * Has the answers in the first pass of the measured phase compared; before that begins.
     *
     * @param targets those to compare; the first is the one that the others are compared with
     * @param ignoredHeaders names of headers that do not matter, beside those that never do
     */
    public AnswerComparer compareAnswers(List<TargetReplay> targets, Collection<String> ignoredHeaders) {
        long pass = Math.min(config.capture().requestCount(), config.requestLimit());
        AnswerComparer comparer = new AnswerComparer(config.capture(), pass, targets, ignoredHeaders);
        for (TargetReplay target : targets) {
            AnswerLog log = comparer.log(target);
            await(target.loop().submit(() -> target.worker().compareInto(log)));
        }
        return comparer;
    }

    /**
     * Sends the first requests of the capture twice more, as fast as answers come and for 5 s each time at most, so that
     * the comparer learns what varies in the baseline's answers; before the measured phase. All targets get them, so that
     * what requests change is changed alike; only the baseline's answers are looked at.
     *
     * @param learning those that get them now, at the same time
     */
    public void learnNoise(AnswerComparer comparer, List<TargetReplay> learning, Progress progress) {
        int requests = comparer.learningRequests();
        double speed = learningSpeed(requests);
        for (int pass = 0; pass < 2 && !stopped; pass++) {
            long startedNs = System.nanoTime();
            for (TargetReplay target : learning) {
                AnswerLog answers = comparer.learningPass(target, pass);
                await(target.loop().submit(() -> target.worker().startLearning(answers, requests, speed, LEARNING_NS)));
            }
            awaitConnections(learning);
            // The second pass wants the targets too.
            runRound(learning, 0, 1, RoundKind.LEARNING, progress::tick);
            onLoops(learning, worker -> {
                worker.endLearning();
                return null;
            });
            while (!stopped && System.nanoTime() - startedNs < LEARNING_APART_NS) {
                sleep(10);
            }
        }
        progress.ended();
    }

    /** Returns the speed at which recorded connections get these requests in a learning pass, if that is not too fast. */
    private double learningSpeed(int requests) {
        double recordedNs =
                config.capture().timeNs(requests - 1) - config.capture().timeNs(0);
        double wanted = recordedNs / (LEARNING_NS * 0.8);
        double most =
                Math.max(config.speed() * LEARNING_SPEED_UP, LEARNING_RATE_PER_SEC * recordedNs / (requests * 1e9));
        return Math.max(config.speed(), Math.min(wanted, most));
    }

    /**
     * Runs a round of the measured phase. Each target takes part in all rounds in order; the clock of its schedule stands
     * still between them.
     *
     * @param measured those to replay to, starting at the same instant
     * @param round from 0
     * @param rounds how many rounds the measured phase is cut into
     * @throws ReplayException where our own code failed
     */
    public void measure(List<TargetReplay> measured, int round, int rounds, Progress progress) {
        List<TargetReplay> fresh = new ArrayList<>(measured);
        fresh.removeAll(begun);
        begun.addAll(fresh);
        begin(fresh, true, config.requestLimit(), config.durationNs());
        if (measured.size() > 1 && skewMeter == null && !config.pace().closedLoop()) {
            measureSkew(measured);
        }
        if (!lowered) {
            lowered = true;
            config.placement().lowerOthers();
        }
        loops.forEach(ReplayLoop::startWatch);
        selfWatch.start();
        try {
            runRound(measured, round, rounds, RoundKind.MEASURED, progress);
        } finally {
            selfWatch.stop();
            loops.forEach(ReplayLoop::stopWatch);
        }
    }

    /**
     * Ends this launch of all targets: their results stand from then on, empty where the measured phase did not begin, and
     * their connections are closed. Targets added later are those of the next launch; threads have their places and
     * priorities back until it begins, since processes that are started inherit them.
     */
    public void finish() {
        onLoops(begun, worker -> {
            worker.endPhase();
            return null;
        });
        takeIntervals(begun, clock, false);
        List<LoadResult.Builder> results = onLoops(begun, worker -> worker.result(clock.startNs()));
        stopDigester();
        if (skewMeter != null) {
            Skew spread = skewMeter.finish();
            skew = skew == null ? spread : skew.merge(spread);
            skewMeter = null;
        }
        for (TargetReplay target : targets) {
            int index = begun.indexOf(target);
            target.finish(index < 0 ? null : results.get(index));
            if (index >= 0) {
                long lagNs = target.result().ownLag().getValueAtPercentile(99);
                ownDoings.add(
                        new OwnDoing(launch, target.name(), target.worker().ownLimit(), lagNs));
            }
        }
        closeTargets();
        config.placement().close();
        placed = false;
        lowered = false;
        warmUpClock = null;
        launch++;
    }

    private void closeTargets() {
        for (TargetReplay target : targets) {
            for (ReplayLoop loop : loops) {
                if (loop.eventLoop() == target.loop()) {
                    loop.detach(target.worker());
                }
            }
            SentStream sentStream = target.worker().sentStream();
            if (sentStream != null) {
                sentStream.release();
            }
        }
        targets.clear();
        begun.clear();
    }

    /** Ends the running round early, and each later one at once; answers under way are awaited for 2 s. Any thread. */
    public void stop() {
        stopped = true;
        for (TargetReplay target : targets) {
            target.loop().execute(() -> target.worker().stop(STOP_DRAIN_NS));
        }
    }

    /** Tells whether {@link #stop} was called. */
    public boolean isStopped() {
        return stopped;
    }

    /**
     * Returns how far apart requests were sent to targets that ran together; absent where none did, and in a closed loop,
     * where each target has times of its own. After {@link #finish}.
     */
    public Optional<Skew> skew() {
        return Optional.ofNullable(skew);
    }

    /** Returns what the replayer itself did while it measured; after {@link #finish}. */
    public SelfReport self() {
        return selfWatch.report();
    }

    /**
     * Returns why the results of the launches cannot be trusted, a line each; none where they can. After {@link #finish}.
     *
     * @param maxLagNs how late, at the 99th percentile, this side may have sent what no target held up
     */
    public List<String> invalidReasons(long maxLagNs) {
        List<String> reasons = new ArrayList<>();
        boolean several = ownDoings.stream().anyMatch(doing -> doing.launch > 1);
        for (OwnDoing doing : ownDoings) {
            String name = several ? "launch " + doing.launch + ": " + doing.name : doing.name;
            if (doing.limit != null) {
                reasons.add(name + ": " + doing.limit);
            }
            if (doing.lagNs > maxLagNs) {
                reasons.add(String.format(
                        Locale.ROOT,
                        "%s: Lockstep sent 1 %% of the requests more than %.1f ms late by its own doing (limit %.1f ms, --max-lag);"
                                + " give it a core of its own or a lower rate",
                        name,
                        doing.lagNs / 1e6,
                        maxLagNs / 1e6));
            }
        }
        reasons.addAll(selfWatch.reasons(maxLagNs));
        return reasons;
    }

    @Override
    public void close() {
        // Who digests the buffers must not do so when they are released.
        stopDigester();
        closeTargets();
        config.placement().close();
        loops.forEach(ReplayLoop::shutDown);
        loops.forEach(ReplayLoop::awaitEnd);
    }

    /** In a closed loop every target has a time of its own for each request, and its own order of them. */
    private void measureSkew(List<TargetReplay> together) {
        SkewMeter meter = new SkewMeter();
        for (TargetReplay target : together) {
            SendTimes times = meter.newTarget();
            await(target.loop().submit(() -> target.worker().noteSendTimes(times)));
        }
        skewMeter = meter;
    }

    /** Places the threads, once: not before, so that targets that were started do not inherit the places. */
    private void place() {
        if (!placed) {
            placed = true;
            for (int i = 0; i < loops.size(); i++) {
                int index = i;
                await(loops.get(i).eventLoop().submit(() -> config.placement().placeLoop(index)));
            }
            config.placement().placeOthers();
        }
    }

    private void begin(List<TargetReplay> starting, boolean measured, long requests, long endNs) {
        place();
        onLoops(starting, worker -> {
            worker.startPhase(measured, requests, endNs);
            return null;
        });
        awaitConnections(starting);
    }

    private void awaitConnections(List<TargetReplay> starting) {
        // Connections come about within the time-out, or fail; the phase copes with those that take longer.
        long untilNs = System.nanoTime() + Math.min(config.timeoutNs(), LONGEST_CONNECT_NS);
        while (!stopped
                && System.nanoTime() - untilNs < 0
                && !onLoops(starting, ReplayWorker::isReady).stream().allMatch(Boolean::booleanValue)) {
            sleep(1);
        }
    }

    private enum RoundKind {
        WARM_UP,
        /** Its intervals are handed to nobody. */
        LEARNING,
        MEASURED
    }

    private void runRound(List<TargetReplay> running, int round, int rounds, RoundKind kind, Progress progress) {
        long startNs = System.nanoTime() + LEAD_NS;
        RunClock intervalClock = clock(kind, startNs);
        running.forEach(target -> target.handOnWarmUp(kind == RoundKind.WARM_UP));
        List<CompletableFuture<Void>> ends = onLoops(running, worker -> worker.startRound(round, rounds, startNs));
        CompletableFuture<Void> all = CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
        boolean done = false;
        long intervalEndNs = startNs + config.intervalNs();
        while (!done) {
            try {
                all.get(Math.max(0, intervalEndNs - System.nanoTime()), TimeUnit.NANOSECONDS);
                done = true;
            } catch (TimeoutException e) {
                // An event loop ends early only when something broke it.
                done = running.stream().anyMatch(target -> target.loop().isShuttingDown());
                if (intervalClock != null && !done) {
                    takeIntervals(running, intervalClock, true);
                }
                do {
                    intervalEndNs += config.intervalNs();
                } while (intervalEndNs - System.nanoTime() < 0);
            } catch (InterruptedException e) {
                stop();
            } catch (ExecutionException e) {
                throw new ReplayException("the replay failed: " + e.getCause(), e.getCause());
            }
            if (done) {
                progress.ended();
            }
            progress.tick();
        }
        for (TargetReplay target : running) {
            Throwable failure = target.worker().failure();
            if (failure != null) {
                throw new ReplayException(
                        "the replay to " + target.name() + " failed within Lockstep: " + failure, failure);
            }
        }
        if (intervalClock != null) {
            // The last one too, even if empty: with it goes what the target cost since the one before.
            takeIntervals(running, intervalClock, true);
        }
    }

    /** Returns the clock of the intervals of a round that starts then; null where they are not handed on. */
    private RunClock clock(RoundKind kind, long startNs) {
        if (kind == RoundKind.LEARNING) {
            return null;
        }
        boolean measured = kind == RoundKind.MEASURED;
        RunClock running = measured ? clock : warmUpClock;
        if (running != null) {
            return running;
        }
        long leadNs = startNs - System.nanoTime();
        RunClock started =
                new RunClock(startNs, System.currentTimeMillis() + TimeUnit.NANOSECONDS.toMillis(Math.max(0, leadNs)));
        if (measured) {
            clock = started;
        } else {
            warmUpClock = started;
        }
        return started;
    }

    /** Ends an interval of each target, all at about the same time, and hands them on. */
    private void takeIntervals(List<TargetReplay> ending, RunClock intervalClock, boolean evenIfEmpty) {
        List<Future<?>> taken = new ArrayList<>();
        for (TargetReplay target : ending) {
            Interval empty = target.emptyInterval();
            taken.add(target.loop().submit(() -> target.worker().takeInterval(empty)));
        }
        for (int i = 0; i < taken.size(); i++) {
            await(taken.get(i));
            ending.get(i).interval(intervalClock, config.intervals(), evenIfEmpty);
        }
    }

    private interface Step<T> {
        T run(ReplayWorker worker);
    }

    /** Runs a step on the loop of each target and returns the outcomes, in order. */
    private static <T> List<T> onLoops(List<TargetReplay> targets, Step<T> step) {
        List<Future<T>> outcomes = new ArrayList<>();
        for (TargetReplay target : targets) {
            Callable<T> task = () -> step.run(target.worker());
            outcomes.add(target.loop().submit(task));
        }
        List<T> values = new ArrayList<>();
        for (Future<T> outcome : outcomes) {
            values.add(await(outcome));
        }
        return values;
    }

    static <T> T await(Future<T> future) {
        future.awaitUninterruptibly();
        if (!future.isSuccess()) {
            throw new ReplayException("the replay failed within Lockstep: " + future.cause(), future.cause());
        }
        return future.getNow();
    }

    private void startDigester() {
        if (digester == null) {
            digesting = true;
            digester = new Thread(this::digest, "lockstep-digest");
            digester.setDaemon(true);
            digester.start();
        }
    }

    private void digest() {
        while (digesting) {
            digestArrived();
            sleep(20);
        }
        digestArrived();
    }

    private void digestArrived() {
        for (TargetReplay target : targets) {
            SentStream sentStream = target.worker().sentStream();
            if (sentStream != null) {
                sentStream.digestArrived();
            }
        }
        selfWatch.poll();
        SkewMeter meter = skewMeter;
        if (meter != null) {
            meter.read();
        }
    }

    private void stopDigester() {
        digesting = false;
        boolean interrupted = false;
        while (digester != null && digester.isAlive()) {
            try {
                digester.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        digester = null;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
