package dev.lockstep.run;

import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetProcess;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.replayer.comparison.AnswerComparer;
import dev.lockstep.results.RunPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * One launch of all targets: they are started, warmed up, measured and stopped. All of it on the thread that calls
 * {@link #run}.
 *
 * <p>Targets are started one after the other, in an order that changes from launch to launch ({@link LaunchOrder}).
 * Those that share processors take turns, in this order, then in the opposite one and so on, so that a slow drift of
 * the machine meets them alike. A target that waits for its turn is frozen.
 *
 * <p>Between two turns all of them are frozen: what a target does by itself, such as compiling or collecting at the
 * same time as it serves, it does within its turns, and its costs are those of all the time in which it could.
 */
final class LaunchRound {
    /** After so many times its length full load in turns is over, however many turns are left. */
    private static final long MOST_FULL_LOAD = 3;

    private final RunConfig config;
    private final RunPlan plan;
    private final LaunchSettings settings;
    private final MonitoredIntervals intervals;
    private final LoadSeries series;
    private final RunListener listener;
    private final Cancellation cancellation;
    private final SoakWatch soak;
    private final int launch;
    private final List<Duration> readyTimeouts;
    private final List<TargetRun> targets = new ArrayList<>();
    /** The same in the order of this launch. */
    private final List<TargetRun> order = new ArrayList<>();

    /** Those whose end was told. */
    private final Set<TargetRun> dead = new HashSet<>();

    /** Whether a server that runs already tells what it costs. */
    private final boolean tellsCost;

    private boolean interrupted;
    private long phaseStartedNs;

    /**
     * @param settings what all targets have in common; the processors are chosen here
     * @param readyTimeouts how long each target is waited for, in the order of the plan
     * @param intervals gets the replayer's intervals, and what each target costs in them from here
     * @param series gets the same intervals, and says when a target is warm
     * @param soak knows how a soak run stands; null for another run
     * @param metrics what servers that run already tell of their cost, by the names of targets
     * @param launch which launch it is, counted from 1
     * @param indexes of the targets, in the order of this launch
     */
    LaunchRound(
            RunConfig config,
            LaunchSettings settings,
            List<Duration> readyTimeouts,
            MonitoredIntervals intervals,
            LoadSeries series,
            RunListener listener,
            Cancellation cancellation,
            SoakWatch soak,
            Map<String, ServerMetrics> metrics,
            int launch,
            List<Integer> indexes) {
        this.config = config;
        this.plan = config.plan();
        this.settings = settings;
        this.readyTimeouts = readyTimeouts;
        this.intervals = intervals;
        this.series = series;
        this.listener = listener;
        this.cancellation = cancellation;
        this.soak = soak;
        this.launch = launch;
        tellsCost = !metrics.isEmpty();
        List<TargetSpec> specs = config.specs();
        for (int i = 0; i < specs.size(); i++) {
            TargetSpec spec = specs.get(i);
            targets.add(new TargetRun(spec, launch, indexes.indexOf(i) + 1, metrics.get(spec.name())));
        }
        indexes.forEach(index -> order.add(targets.get(index)));
    }

    /**
     * Runs it. No target runs when this returns, whatever happens, and the replayer's launch is finished.
     *
     * @param comparison has the answers of this launch compared, or null
     * @param begun is called when all targets are ready, before they get any load
     * @throws dev.lockstep.launcher.TargetFailedException when a target does not get ready in the first launch and its
     *     exit is not known, as of one that is not ready in time
     */
    void run(TargetLauncher launcher, Replayer replayer, RunComparison comparison, Runnable begun) {
        try {
            launchAll(launcher);
            cancellation.onCancel(replayer::stop);
            for (TargetRun target : order) {
                if (target.isAlive()) {
                    intervals.follow(target.name(), target.meter());
                    target.attach(
                            replayer.addTarget(target.name(), target.process().address(), config.tls(target.spec())));
                }
            }
            begun.run();
            if (comparison != null) {
                comparison.begin(replayer, alive());
            }
            warmUp(replayer);
            tellDead();
            if (comparison != null) {
                learnNoise(replayer, comparison);
            }
            startMetrics(replayer);
            measure(replayer);
            endMetrics();
            tellDead();
            replayer.endMeasured();
            loadFully(replayer);
            tellDead();
            listener.phaseEnded();
            interrupted |= replayer.isStopped();
            replayer.finish();
        } finally {
            listener.phaseEnded();
            cancellation.onCancel(() -> {});
            try {
                TargetProcess.closeAll(targets.stream()
                        .map(TargetRun::process)
                        .filter(Objects::nonNull)
                        .collect(Collectors.toList()));
            } finally {
                targets.forEach(TargetRun::stop);
            }
        }
    }

    /** Returns the targets in the order of the plan. */
    List<TargetRun> targets() {
        return targets;
    }

    int launch() {
        return launch;
    }

    /** Whether it was cancelled before its end. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** Whether a target was measured, if only for a moment. */
    boolean isMeasured() {
        return targets.stream().anyMatch(TargetRun::isMeasured);
    }

    private boolean alternates() {
        return config.alternates();
    }

    // ---- the phases ---------------------------------------------------------------------------------------------

    private void launchAll(TargetLauncher launcher) {
        try {
            cancellation.interrupting(() -> {
                for (TargetRun target : order) {
                    launch(target, launcher);
                }
                return null;
            });
        } catch (InterruptedException e) {
            interrupted = true;
        }
        targets.forEach(alternates() ? TargetRun::freeze : TargetRun::thaw);
    }

    private void launch(TargetRun target, TargetLauncher launcher) throws InterruptedException {
        order.forEach(TargetRun::freeze);
        int index = targets.indexOf(target);
        Duration readyTimeout = readyTimeouts.get(index);
        listener.phase(RunPhase.builder(
                        RunPhase.Kind.START, prefix() + target.name() + ": " + awaited(target.spec(), readyTimeout))
                .target(target.name())
                .build());
        target.launch(
                launcher,
                settings.toBuilder()
                        .cpus(config.cpus(index, launch))
                        .launch(launch)
                        .readyTimeout(readyTimeout)
                        .onWaiting(seen -> listener.note(prefix() + target.name() + ": not there yet (" + seen
                                + "); waiting for it to answer, " + atMost(readyTimeout)))
                        .build());
        if (target.startFailure() != null) {
            listener.targetFailed(
                    target.name(), prefix() + target.startFailure().getMessage());
        } else {
            target.ready(prefix()).ifPresent(listener::targetReady);
        }
    }

    /**
     * Returns what goes on until a target answers. A server that runs already may not be there, which takes a while.
     */
    private String awaited(TargetSpec spec, Duration readyTimeout) {
        return spec.attachAddress()
                .map(address -> "waiting for " + Addresses.print(address) + " to answer, " + atMost(readyTimeout))
                .orElse("starting");
    }

    private String atMost(Duration readyTimeout) {
        return "for " + Quantities.duration(readyTimeout.toNanos()) + " at most"
                + (readyTimeout.equals(config.readyTimeout())
                        ? " (--ready-timeout)"
                        : ", since it did not in the " + plan.unit() + " before");
    }

    private void warmUp(Replayer replayer) {
        if (!plan.warmsUp()) {
            return;
        }
        alive().forEach(target -> target.enter("warm-up"));
        if (alternates()) {
            for (TargetRun target : alive()) {
                if (goesOn(replayer)) {
                    begin(RunPhase.builder(RunPhase.Kind.WARM_UP, prefix() + target.name() + ": warm-up")
                            .target(target.name())
                            .lengthNs(warmUpNs())
                            .build());
                    warmUp(replayer, List.of(target));
                }
            }
        } else if (goesOn(replayer) && !alive().isEmpty()) {
            begin(RunPhase.builder(RunPhase.Kind.WARM_UP, prefix() + "warm-up")
                    .lengthNs(warmUpNs())
                    .build());
            warmUp(replayer, alive());
        }
    }

    /** Returns how long the warm-up takes; absent where it takes until the targets are steady. */
    private OptionalLong warmUpNs() {
        return plan.warmupLimit().isPresent()
                ? OptionalLong.empty()
                : OptionalLong.of(plan.warmup().toNanos());
    }

    private void warmUp(Replayer replayer, List<TargetRun> warmed) {
        warmed.forEach(TargetRun::startWarmUp);
        if (plan.warmupLimit().isPresent()) {
            WarmUpWatch watch = new WarmUpWatch(
                    series, launch, plan.launches(), plan.warmupLimit().get().toNanos(), config.heats());
            List<String> names = warmed.stream().map(TargetRun::name).collect(Collectors.toList());
            replayer.warmUp(replays(warmed), watch, letRun(warmed, () -> listener.status(watch.line(names))));
        } else {
            replayer.warmUp(replays(warmed), plan.warmup().toNanos(), letRun(warmed));
        }
        warmed.forEach(TargetRun::endWindow);
    }

    /** Has the replayer learn what varies in the baseline's answers; all targets get the same requests for it. */
    private void learnNoise(Replayer replayer, RunComparison comparison) {
        Optional<AnswerComparer> learner = comparison.learner();
        if (learner.isEmpty()) {
            return;
        }
        List<List<TargetRun>> turns =
                alternates() ? alive().stream().map(List::of).collect(Collectors.toList()) : List.of(alive());
        for (List<TargetRun> turn : turns) {
            if (!goesOn(replayer) || turn.isEmpty()) {
                return;
            }
            String whose = alternates() ? turn.get(0).name() + ": " : "";
            begin(RunPhase.builder(RunPhase.Kind.LEARNING, prefix() + whose + "learning which answers vary")
                    .build());
            replayer.learnNoise(learner.get(), replays(turn), letRun(turn));
        }
    }

    private void startMetrics(Replayer replayer) {
        if (!tellsCost) {
            return;
        }
        try {
            cancellation.interrupting(() -> {
                for (TargetRun target : order) {
                    if (target.isAlive()) {
                        target.startMetrics();
                    }
                }
                return null;
            });
        } catch (InterruptedException e) {
            interrupted = true;
        }
        cancellation.onCancel(replayer::stop);
    }

    /** Of a block that was cut as well, for which a server has the seconds that it always has. */
    private void endMetrics() {
        try {
            for (TargetRun target : order) {
                if (tellsCost && target.isAlive()) {
                    target.endMetrics();
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
    }

    private void measure(Replayer replayer) {
        alive().forEach(target -> target.enter("measurement"));
        OptionalLong lengthNs = RunPlanner.lengthNs(plan);
        if (alternates()) {
            inTurns(
                    replayer,
                    RunPhase.Kind.MEASUREMENT,
                    "round",
                    plan.rounds().getAsInt(),
                    lengthNs,
                    () -> false,
                    (measured, round, rounds) -> measure(replayer, measured, round, rounds));
        } else if (goesOn(replayer) && !alive().isEmpty()) {
            begin(RunPhase.builder(RunPhase.Kind.MEASUREMENT, prefix() + "measuring")
                    .lengthNs(lengthNs)
                    .build());
            measure(replayer, alive(), 0, 1);
        }
    }

    /** A round of load, of these targets. */
    private interface Load {
        void send(List<TargetRun> targets, int round, int rounds);
    }

    /** @param enough tells before each two rounds whether that is all */
    private void inTurns(
            Replayer replayer,
            RunPhase.Kind kind,
            String what,
            int rounds,
            OptionalLong lengthNs,
            BooleanSupplier enough,
            Load load) {
        OptionalLong turnNs =
                lengthNs.isPresent() ? OptionalLong.of(lengthNs.getAsLong() / rounds) : OptionalLong.empty();
        for (int round = 0; round < rounds && !(round % 2 == 0 && enough.getAsBoolean()); round++) {
            for (int place = 0; place < order.size(); place++) {
                TargetRun target = order.get(round % 2 == 0 ? place : order.size() - 1 - place);
                if (goesOn(replayer) && takesPart(target)) {
                    String title = prefix() + target.name() + ": " + what + " " + (round + 1) + " of " + rounds;
                    begin(RunPhase.builder(kind, title)
                            .target(target.name())
                            .lengthNs(turnNs)
                            .turn(ImmutableTurn.of((long) round * order.size() + place, order.size(), rounds))
                            .build());
                    load.send(List.of(target), round, rounds);
                }
            }
        }
    }

    private void measure(Replayer replayer, List<TargetRun> measured, int round, int rounds) {
        measured.forEach(TargetRun::startWindow);
        replayer.measure(replays(measured), round, rounds, letRun(measured));
        measured.forEach(TargetRun::endWindow);
    }

    /** Gives targets all the load that they can answer. It comes last, so that nothing measured follows it. */
    private void loadFully(Replayer replayer) {
        if (!config.loadsFully() || alive().isEmpty()) {
            return;
        }
        alive().forEach(target -> target.enter("full load"));
        long lengthNs = plan.fullLoad().orElseThrow().toNanos();
        Load load = (loaded, round, rounds) -> {
            // What it costs is in its intervals, as in a warm-up.
            loaded.forEach(TargetRun::startWarmUp);
            replayer.loadFully(replays(loaded), round, rounds, lengthNs, letRun(loaded));
            loaded.forEach(TargetRun::endWindow);
        };
        if (alternates()) {
            int rounds = RunPlanner.fullLoadRounds(plan);
            long untilNs = System.nanoTime() + MOST_FULL_LOAD * order.size() * lengthNs;
            // Each turn awaits the answers under way, which of a slow target may take longer than the turn.
            BooleanSupplier enough = () -> System.nanoTime() - untilNs > 0;
            inTurns(replayer, RunPhase.Kind.FULL_LOAD, "full load", rounds, OptionalLong.of(lengthNs), enough, load);
        } else if (goesOn(replayer)) {
            begin(RunPhase.builder(RunPhase.Kind.FULL_LOAD, prefix() + "full load")
                    .lengthNs(lengthNs)
                    .build());
            load.send(alive(), 0, 1);
        }
    }

    /** Tells once of each target that is no more. */
    private void tellDead() {
        for (TargetRun target : order) {
            if (target.replay() != null && !target.isAlive() && dead.add(target)) {
                listener.note(prefix() + target.name() + ": ended by itself during " + target.endPhase()
                        + "; the run goes on without it");
            }
        }
    }

    private boolean goesOn(Replayer replayer) {
        return !interrupted && !replayer.isStopped();
    }

    /** Lets targets run for the load that follows at once; those that take turns only until it has ended. */
    private Replayer.Progress letRun(List<TargetRun> running) {
        return letRun(running, () -> tick(running));
    }

    private Replayer.Progress letRun(List<TargetRun> running, Runnable tick) {
        running.forEach(TargetRun::thaw);
        return new Replayer.Progress() {
            @Override
            public void tick() {
                tick.run();
            }

            @Override
            public void ended() {
                if (alternates()) {
                    running.forEach(TargetRun::freeze);
                }
            }
        };
    }

    /** Returns those that live, in the order of this launch. */
    private List<TargetRun> alive() {
        return order.stream().filter(LaunchRound::takesPart).collect(Collectors.toList());
    }

    private static boolean takesPart(TargetRun target) {
        return target.replay() != null && target.isAlive();
    }

    private static List<TargetReplay> replays(List<TargetRun> targets) {
        return targets.stream().map(TargetRun::replay).collect(Collectors.toList());
    }

    private String prefix() {
        return plan.launches() == 1 ? "" : plan.unit() + " " + launch + " of " + plan.launchCount() + ": ";
    }

    private void begin(RunPhase phase) {
        phaseStartedNs = System.nanoTime();
        listener.phase(phase);
    }

    private void tick(List<TargetRun> running) {
        String status = soak == null ? null : soak.line();
        if (status != null) {
            listener.status(status);
            return;
        }
        Map<String, Long> answers = new LinkedHashMap<>();
        running.forEach(target -> answers.put(target.name(), target.replay().answeredSoFar()));
        listener.progress(System.nanoTime() - phaseStartedNs, answers);
    }
}
