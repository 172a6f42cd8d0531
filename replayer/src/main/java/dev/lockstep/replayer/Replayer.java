package dev.lockstep.replayer;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.measurement.Skew;
import dev.lockstep.replayer.comparison.AnswerComparer;
import dev.lockstep.replayer.comparison.AnswerLog;
import dev.lockstep.replayer.engine.ConnectionDemand;
import dev.lockstep.replayer.engine.ConnectionLimits;
import dev.lockstep.replayer.engine.ReplayLoop;
import dev.lockstep.replayer.engine.ReplayWorker;
import dev.lockstep.replayer.meters.SelfWatch;
import dev.lockstep.replayer.meters.SendTimes;
import dev.lockstep.replayer.meters.SkewMeter;
import dev.lockstep.replayer.requests.Endpoints;
import dev.lockstep.replayer.requests.SentStream;
import dev.lockstep.replayer.tls.TargetTls;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Replays a capture to targets, which share as many event loops as there are cores for them
 * ({@link ReplayConfig#loops}); a stalled target delays no other.
 *
 * <p>A launch is: {@link #addTarget} for each target, {@link #warmUp}, one or more calls of {@link #measure},
 * {@link #finish}, then {@link TargetReplay#result} of each. A run is one launch or several, one after the other, on
 * one clock; {@link #skew}, {@link #self}, {@link #invalidReasons} and {@link #lateReasons} are those of all of them.
 * One thread makes these calls; {@link #stop} may come from any. Targets measured in one call start at the same
 * instant: request i has one intended time for all of them.
 */
public final class Replayer implements AutoCloseable {
    /** Told about once a second, and at the end of a phase, on the thread that called. */
    public interface Progress {
        /** The phase goes on. */
        void tick();

        /**
         * All that this call was to send is sent and answered, or given up. The last interval of the target that ended
         * last is taken and handed on when this returns: a target that is frozen in here does nothing meanwhile.
         */
        default void ended() {}

        /** Takes no notice. */
        Progress NONE = () -> {};
    }

    private final ReplayConfig config;
    private final Endpoints endpoints;
    /** Those of the launch. The digester reads it too. */
    private final List<TargetReplay> targets = new CopyOnWriteArrayList<>();
    /** Those of them whose measured phase has begun. */
    private final List<TargetReplay> begun = new ArrayList<>();
    /** Those of them that got full load. */
    private final List<TargetReplay> fullyLoaded = new ArrayList<>();

    private final List<ReplayLoop> loops = new ArrayList<>();
    private final Rounds rounds;
    private final ConnectionLimits limits = ConnectionLimits.ofThisProcess();
    private final int connectionsToEach;
    private final SelfWatch selfWatch;
    private final OwnFaults faults = new OwnFaults();

    private int launch = 1;
    /** Runs while the launch has targets; else null. */
    private Digester digester;
    /** Whether the threads are placed in this launch, and whether others give way to them. */
    private boolean placed;

    private boolean lowered;
    /** Whether the results of the launch stand. */
    private boolean concluded;
    /** Null where no targets of the launch run together. */
    private volatile SkewMeter skewMeter;

    private Skew skew;

    /** @param endpoints of the capture's requests */
    Replayer(ReplayConfig config, Endpoints endpoints) {
        this.config = config;
        this.endpoints = endpoints;
        rounds = new Rounds(config, targets);
        connectionsToEach = ConnectionDemand.mostOpen(config);
        selfWatch = new SelfWatch(config.pace().closedLoop(), config.placement().hasLoopProcessors());
    }

    /**
     * Makes a replayer, which the caller closes, after it has warmed its own code up for as long as
     * {@link ReplayConfig#selfWarmUpNs} says.
     */
    public static Replayer launch(ReplayConfig config) {
        Endpoints endpoints = Endpoints.of(config.capture());
        if (config.selfWarmUpNs() > 0) {
            SelfWarmUp.run(config, endpoints, config.selfWarmUpNs());
        }
        return new Replayer(config, endpoints);
    }

    /** Makes a replayer without a warm-up, where no time matters; the caller closes it. */
    public static Replayer launchCold(ReplayConfig config) {
        return new Replayer(config, Endpoints.of(config.capture()));
    }

    // ---- targets --------------------------------------------------------------------------------------------------

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
        limits.check(targets.size() + 1, (int) sameAddress + 1, connectionsToEach, config.connections() == 0);
        ReplayLoop loop = loop(targets.size() % config.loops());
        ReplayWorker worker = new ReplayWorker(config, endpoints, address, tls, loop.eventLoop());
        TargetReplay target = new TargetReplay(name, launch, address, worker, loop.eventLoop(), loop.use());
        targets.add(target);
        loop.attach(worker);
        if (digester == null) {
            digester = new Digester(this::digest);
        }
        return target;
    }

    private ReplayLoop loop(int index) {
        if (index == loops.size()) {
            ReplayLoop added = new ReplayLoop(config.transport(), index, config.spinNs());
            loops.add(added);
            selfWatch.add(added.use());
        }
        return loops.get(index);
    }

    /** Reads what the event loops have left to others; on the digester's thread. */
    private void digest() {
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

    // ---- phases ---------------------------------------------------------------------------------------------------

    /**
     * Replays the capture, over and over, on the same schedule as the measured phase. Its intervals are handed on and
     * are no part of the result; their times are from the start of the launch's first warm-up.
     *
     * @param warmed those to warm up, at the same time
     * @param durationNs how long
     */
    public void warmUp(List<TargetReplay> warmed, long durationNs, Progress progress) {
        begin(warmed, false, Long.MAX_VALUE, durationNs);
        rounds.run(warmed, 0, 1, Rounds.Kind.WARM_UP, progress);
        Rounds.forEachLoop(warmed, ReplayWorker::endPhase);
    }

    /**
     * Warms targets up at the same time, each for as long as is decided for it while it goes on. Intervals are those of
     * {@link #warmUp}. Where the capture cannot be sent as fast as targets answer ({@link ReplayConfig#whyNotHeated}),
     * no step is asked for that {@linkplain WarmUpSteps.Step#heats heats}.
     *
     * @throws ReplayException where our own code failed
     */
    public void warmUp(List<TargetReplay> warmed, WarmUpSteps steps, Progress progress) {
        place();
        new SteppedWarmUp(config, rounds, steps).run(warmed, progress);
    }

    /**
     * Has the answers in the first pass of the measured phase compared; before that begins.
     *
     * @param compared those to compare, of different names; the first is the one that the others are compared with
     * @param ignoredHeaders names of headers that do not matter, beside those that never do
     * @param bodies whether the first bodies are kept in memory
     */
    public AnswerComparer compareAnswers(
            List<TargetReplay> compared, Collection<String> ignoredHeaders, boolean bodies) {
        AnswerComparer comparer = new AnswerComparer(
                config.capture(),
                Math.min(config.capture().requestCount(), config.requestLimit()),
                compared.stream().map(TargetReplay::name).collect(Collectors.toList()),
                ignoredHeaders,
                bodies);
        for (TargetReplay target : compared) {
            AnswerLog log = comparer.log(target.name());
            ReplayLoop.await(target.loop().submit(() -> target.worker().compareInto(log)));
        }
        return comparer;
    }

    /**
     * Sends the first requests of the capture twice more, as fast as answers come and for 5 s each time at most, so
     * that the comparer learns what varies in the baseline's answers; before the measured phase. All targets get them,
     * so that what requests change is changed alike; only the baseline's answers are looked at.
     *
     * @param learning those that get them now, at the same time
     */
    public void learnNoise(AnswerComparer comparer, List<TargetReplay> learning, Progress progress) {
        new LearningPasses(config, rounds).run(comparer, learning, progress);
    }

    /**
     * Runs a round of the measured phase. Each target takes part in all rounds in order; the clock of its schedule
     * stands still between them.
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
            this.rounds.run(measured, round, rounds, Rounds.Kind.MEASURED, progress);
        } finally {
            selfWatch.stop();
            loops.forEach(ReplayLoop::stopWatch);
        }
    }

    /**
     * Runs a round of full load: the capture's requests over and over, as fast as answers come. After
     * {@link #endMeasured}, and only where the capture can be sent so ({@link ReplayConfig#whyNotHeated}). Its
     * intervals are handed on and are no part of the result; their times are from the start of the launch's warm-up.
     *
     * @param loaded those to load, starting at the same instant
     * @param round from 0
     * @param rounds how many rounds each target gets
     * @param lengthNs how long all of them take together
     * @throws ReplayException where our own code failed
     */
    public void loadFully(List<TargetReplay> loaded, int round, int rounds, long lengthNs, Progress progress) {
        List<TargetReplay> fresh = new ArrayList<>(loaded);
        fresh.removeAll(fullyLoaded);
        fullyLoaded.addAll(fresh);
        Rounds.forEachLoop(fresh, worker -> worker.startHeating(config.heatingConnections(), lengthNs));
        this.rounds.awaitConnections(fresh);
        this.rounds.run(loaded, round, rounds, Rounds.Kind.FULL_LOAD, progress);
    }

    private void begin(List<TargetReplay> starting, boolean measured, long requests, long endNs) {
        place();
        Rounds.forEachLoop(starting, worker -> worker.startPhase(measured, requests, endNs));
        rounds.awaitConnections(starting);
    }

    /** Places the threads, once: not before, so that targets that were started do not inherit the places. */
    private void place() {
        if (!placed) {
            placed = true;
            for (int i = 0; i < loops.size(); i++) {
                int index = i;
                ReplayLoop.await(
                        loops.get(i).eventLoop().submit(() -> config.placement().placeLoop(index)));
            }
            config.placement().placeOthers();
        }
    }

    /** Not in a closed loop, where every target has a time of its own for each request, and its own order of them. */
    private void measureSkew(List<TargetReplay> together) {
        SkewMeter meter = new SkewMeter();
        for (TargetReplay target : together) {
            SendTimes times = meter.newTarget();
            ReplayLoop.await(target.loop().submit(() -> target.worker().noteSendTimes(times)));
        }
        skewMeter = meter;
    }

    // ---- the end --------------------------------------------------------------------------------------------------

    /** Ends the measured phase of all targets: their results stand from then on, empty where it did not begin. */
    public void endMeasured() {
        if (concluded) {
            return;
        }
        concluded = true;
        rounds.endMeasured(begun);
        List<LoadResult.Builder> results = Rounds.onLoops(
                begun, worker -> worker.result(rounds.measuredClock().startNs()));
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
                faults.add(launch, target);
                LoadCounts counts = target.result().counts();
                selfWatch.served(
                        target.name(), launch, target.takeLoopUtilisation(), counts.completed + counts.unanswered);
            }
        }
    }

    /**
     * Ends this launch of all targets, and its measured phase if that goes on. Their connections are closed. Targets
     * added later are those of the next launch; threads have their places and priorities back until it begins, since
     * processes that are started inherit them.
     */
    public void finish() {
        endMeasured();
        Rounds.forEachLoop(fullyLoaded, ReplayWorker::endHeating);
        for (TargetReplay target : fullyLoaded) {
            // In its rests it has nothing to do, however quick the target is.
            double utilisation = Math.min(1, target.takeLoopUtilisation() / ReplayWorker.SENDING_SHARE);
            selfWatch.loadedFully(target.name(), launch, utilisation, target.completedUnmeasured());
        }
        endLaunch();
        lowered = false;
        concluded = false;
        rounds.endLaunch();
        launch++;
    }

    private void endLaunch() {
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
        fullyLoaded.clear();
        config.placement().close();
        placed = false;
    }

    private void stopDigester() {
        if (digester != null) {
            digester.stop();
            digester = null;
        }
    }

    /** Ends the running round early, and each later one at once; answers under way are awaited for 2 s. Any thread. */
    public void stop() {
        rounds.stop();
    }

    /** Tells whether {@link #stop} was called; any thread. */
    public boolean isStopped() {
        return rounds.isStopped();
    }

    @Override
    public void close() {
        // The digester reads buffers that are released next.
        stopDigester();
        endLaunch();
        loops.forEach(ReplayLoop::shutDown);
        loops.forEach(ReplayLoop::awaitEnd);
    }

    // ---- what came of it ------------------------------------------------------------------------------------------

    /**
     * How far apart requests were sent to targets that ran together; absent where none did, and in a closed loop, where
     * each target has times of its own. After {@link #finish}.
     */
    public Optional<Skew> skew() {
        return Optional.ofNullable(skew);
    }

    /** What the replayer itself did while it measured; after {@link #finish}. */
    public SelfReport self() {
        return selfWatch.report();
    }

    /**
     * Says in a line each why no figure of the launches can be trusted: this process met a limit of its own. None where
     * it did not. After {@link #finish}.
     *
     * @param unit what to call a launch
     */
    public List<String> invalidReasons(String unit) {
        return faults.limits(unit);
    }

    /**
     * Says in a line each why latencies and rates of the launches cannot be trusted: this side was late, and whose
     * doing that was. What the targets' CPU and memory cost stands. After {@link #finish}.
     *
     * @param maxLagNs how late, at the 99th percentile, this side may have sent what no target held up
     * @param units what to call so many launches
     */
    public List<String> lateReasons(long maxLagNs, IntFunction<String> units) {
        return selfWatch.reasons(faults.late(maxLagNs, units), maxLagNs);
    }
}
