package dev.lockstep.cli;

import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.CpuList;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.TargetSchedule;
import dev.lockstep.replayer.AnswerComparer;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.replayer.TargetTls;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One launch of all targets: they are started, warmed up, measured and stopped. All of it on the thread that calls {@link
 * #run}.
 *
 * <p>Targets are started one after the other, in an order that changes from launch to launch ({@link LaunchOrder}). Those
 * that share processors take turns, in this order, then in the opposite one and so on, so that a slow drift of the machine
 * meets them alike; whoever has not its turn is frozen.
 *
 * <p>Between two turns all of them are frozen: what a target does by itself, such as compiling or collecting at the same
 * time as it serves, it does within its turns, and its costs are those of all the time in which it could.
 */
final class LaunchRound {
    private final RunPlan plan;
    private final Cores cores;
    private final LaunchSettings settings;
    private final TargetTls tls;
    private final MonitoredIntervals intervals;
    private final Progress progress;
    private final Interruption interruption;
    private final int launch;
    private final List<TargetRun> targets = new ArrayList<>();
    /** The same in the order of this launch. */
    private final List<TargetRun> order = new ArrayList<>();

    private boolean interrupted;
    private long phaseStartedNs;

    /**
     * @param specs the plan's targets, in its order
     * @param settings what all targets have in common; the processors are chosen here
     * @param tls how TLS is spoken to the targets that do, or null where none does
     * @param intervals gets the replayer's intervals, and what each target costs in them from here
     * @param launch which launch it is, counted from 1
     */
    LaunchRound(
            RunPlan plan,
            List<TargetSpec> specs,
            Cores cores,
            LaunchSettings settings,
            TargetTls tls,
            MonitoredIntervals intervals,
            Progress progress,
            Interruption interruption,
            int launch) {
        this.plan = plan;
        this.cores = cores;
        this.settings = settings;
        this.tls = tls;
        this.intervals = intervals;
        this.progress = progress;
        this.interruption = interruption;
        this.launch = launch;
        List<Integer> indexes = LaunchOrder.of(specs.size(), launch);
        for (int i = 0; i < specs.size(); i++) {
            targets.add(new TargetRun(specs.get(i), launch, indexes.indexOf(i) + 1));
        }
        indexes.forEach(index -> order.add(targets.get(index)));
    }

    /**
     * Runs it. No target runs when this returns, whatever happens, and the replayer's launch is finished.
     *
     * @param comparison has the answers of this launch compared, or null
     * @param begun is called when all targets are ready, before they get any load
     * @throws dev.lockstep.launcher.TargetFailedException when a target cannot be started on this machine, in the first
     *     launch
     */
    void run(TargetLauncher launcher, Replayer replayer, RunComparison comparison, Runnable begun) {
        try {
            launchAll(launcher);
            interruption.onRequest(replayer::stop);
            for (TargetRun target : order) {
                if (target.isAlive()) {
                    intervals.follow(target.name(), target.meter());
                    target.attach(replayer.addTarget(
                            target.name(), target.process().address(), target.speaksTls() ? tls : null));
                }
            }
            begun.run();
            if (comparison != null) {
                comparison.begin(replayer, alive());
            }
            warmUp(replayer);
            if (comparison != null) {
                learnNoise(replayer, comparison);
            }
            measure(replayer);
            progress.end();
            interrupted |= replayer.isStopped();
            replayer.finish();
        } finally {
            progress.end();
            interruption.onRequest(() -> {});
            // At the same time: each may take its grace time.
            targets.parallelStream().forEach(TargetRun::stop);
        }
    }

    /** Returns the targets in the order of the plan. */
    List<TargetRun> targets() {
        return targets;
    }

    int launch() {
        return launch;
    }

    /** Tells whether a signal ended it before its time. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** Tells whether a target was measured, if only for a moment. */
    boolean isMeasured() {
        return targets.stream().anyMatch(TargetRun::isMeasured);
    }

    private boolean alternates() {
        return plan.schedule() == TargetSchedule.ALTERNATE;
    }

    // ---- the phases ---------------------------------------------------------------------------------------------

    private void launchAll(TargetLauncher launcher) {
        Thread launching = Thread.currentThread();
        interruption.onRequest(launching::interrupt);
        try {
            for (TargetRun target : order) {
                order.forEach(TargetRun::freeze);
                progress.begin(prefix() + target.name() + ": starting", Long.MAX_VALUE);
                CpuList cpus = cpus(targets.indexOf(target));
                target.launch(
                        launcher, settings.toBuilder().cpus(cpus).launch(launch).build());
                tellStart(target);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            interruption.onRequest(() -> {});
            // The signal may have come in the last moment; nothing that follows expects an interrupt.
            Thread.interrupted();
        }
        targets.forEach(alternates() ? TargetRun::freeze : TargetRun::thaw);
    }

    private CpuList cpus(int target) {
        return !alternates() && cores.canRunTogether() ? cores.together(target, launch - 1) : cores.targets();
    }

    private void tellStart(TargetRun target) {
        if (target.startFailure() != null) {
            progress.line(prefix() + target.startFailure().getMessage());
            return;
        }
        StringBuilder line = new StringBuilder(target.name()).append(": ready");
        target.process().firstAnswerNs().ifPresent(ns -> line.append(" in ").append(Quantities.duration(ns)));
        line.append(" at ").append(Addresses.print(target.process().address()));
        if (target.process().pid().isPresent()) {
            line.append(", JIT ").append(target.process().jit());
        }
        target.process().jvm().ifPresent(jvm -> line.append(", JDK ").append(jvm.version()));
        progress.line(prefix() + line);
    }

    private void warmUp(Replayer replayer) {
        long warmupNs = plan.warmup().toNanos();
        if (warmupNs == 0) {
            return;
        }
        alive().forEach(target -> target.enter("warm-up"));
        if (alternates()) {
            for (TargetRun target : alive()) {
                if (goesOn(replayer)) {
                    begin(target.name() + ": warm-up", warmupNs);
                    warmUp(replayer, List.of(target), warmupNs);
                }
            }
        } else if (goesOn(replayer) && !alive().isEmpty()) {
            begin("warm-up", warmupNs);
            warmUp(replayer, alive(), warmupNs);
        }
    }

    private void warmUp(Replayer replayer, List<TargetRun> warmed, long warmupNs) {
        warmed.forEach(TargetRun::startWarmUp);
        replayer.warmUp(replays(warmed), warmupNs, letRun(warmed));
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
            begin((alternates() ? turn.get(0).name() + ": " : "") + "learning which answers vary", Long.MAX_VALUE);
            replayer.learnNoise(learner.get(), replays(turn), letRun(turn));
        }
    }

    private void measure(Replayer replayer) {
        alive().forEach(target -> target.enter("measurement"));
        long lengthNs = RunPlanner.lengthNs(plan).orElse(Long.MAX_VALUE);
        if (alternates()) {
            measureInTurns(replayer, lengthNs);
        } else if (goesOn(replayer) && !alive().isEmpty()) {
            begin("measuring", lengthNs);
            measure(replayer, alive(), 0, 1);
        }
    }

    private void measureInTurns(Replayer replayer, long lengthNs) {
        int rounds = plan.rounds().getAsInt();
        long turnNs = lengthNs == Long.MAX_VALUE ? lengthNs : lengthNs / rounds;
        for (int round = 0; round < rounds; round++) {
            for (int place = 0; place < order.size(); place++) {
                TargetRun target = order.get(round % 2 == 0 ? place : order.size() - 1 - place);
                if (goesOn(replayer) && takesPart(target)) {
                    phaseStartedNs = System.nanoTime();
                    String name = target.name() + ": round " + (round + 1) + " of " + rounds;
                    long turn = (long) round * order.size() + place;
                    progress.turn(prefix() + name, turn, order.size(), rounds, turnNs);
                    measure(replayer, List.of(target), round, rounds);
                }
            }
        }
    }

    private void measure(Replayer replayer, List<TargetRun> measured, int round, int rounds) {
        measured.forEach(TargetRun::startWindow);
        replayer.measure(replays(measured), round, rounds, letRun(measured));
        measured.forEach(TargetRun::endWindow);
    }

    private boolean goesOn(Replayer replayer) {
        return !interrupted && !replayer.isStopped();
    }

    /** Lets targets run for the load that follows at once; those that take turns only until it has ended. */
    private Replayer.Progress letRun(List<TargetRun> running) {
        running.forEach(TargetRun::thaw);
        return new Replayer.Progress() {
            @Override
            public void tick() {
                LaunchRound.this.tick(running);
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
        return plan.launches() == 1 ? "" : "launch " + launch + " of " + plan.launches() + ": ";
    }

    private void begin(String phase, long lengthNs) {
        phaseStartedNs = System.nanoTime();
        progress.begin(prefix() + phase, lengthNs);
    }

    private void tick(List<TargetRun> running) {
        progress.at(
                System.nanoTime() - phaseStartedNs,
                running.stream()
                        .map(target -> (running.size() > 1 ? target.name() + " " : "")
                                + target.replay().answeredSoFar())
                        .collect(Collectors.joining(", ", "", " answers")));
    }
}
