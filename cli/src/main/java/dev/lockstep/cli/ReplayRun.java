package dev.lockstep.cli;

import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.CpuList;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Environment;
import dev.lockstep.measurement.RunDirectoryWriter;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.measurement.TargetSchedule;
import dev.lockstep.net.ThreadPlacement;
import dev.lockstep.net.Transport;
import dev.lockstep.replayer.AnswerComparer;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.Rewrites;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.replayer.TargetTls;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A run from the start of its first target to its result. The one place where launcher, replayer and monitor meet; all
 * of it on the thread that calls {@link #run}.
 *
 * <p>Targets that share processors take turns, in the order A B, B A, A B and so on, so that a slow drift of the machine
 * meets them alike; whoever has not its turn is frozen. They are started one after the other in the same way.
 */
final class ReplayRun {
    /**
     * With a core of its own a loop need not sleep between sends, since a halted virtual core wakes up late; only where
     * sends are further apart than this it does.
     */
    private static final long OWN_CORE_SPIN_NS = 20_000_000;

    private static final String NOTHING_MEASURED = "ended by a signal before anything was measured";

    private static final String INSECURE =
            "TLS WITHOUT TRUST (--tls-insecure): no certificate is checked, anybody may be"
                    + " behind the targets' addresses and read all that is sent";

    private final RunPlan plan;
    private final Capture capture;
    private final CaptureContent content;
    private final Cores cores;
    private final LaunchSettings settings;
    private final RunDirectoryWriter directory;
    private final TargetTls tls;
    private final Rewrites rewrites;
    private final Progress progress;
    private final Interruption interruption;
    private final List<TargetRun> targets = new ArrayList<>();
    private final List<TargetSpec> specs;
    private final Transport transport = Transport.best();
    private final List<String> warnings = new ArrayList<>();
    private final ReplayerCores replayerCores;
    private final RunComparison comparison;

    private long phaseStartedNs;

    /**
     * @param specs the plan's targets, in its order
     * @param settings what all targets have in common; the processors are chosen here
     * @param directory takes the intervals as they come
     * @param tls how TLS is spoken to the targets that do, or null where none does
     * @param rewrites what is changed in requests, or null
     */
    ReplayRun(
            RunPlan plan,
            Capture capture,
            List<TargetSpec> specs,
            Cores cores,
            LaunchSettings settings,
            RunDirectoryWriter directory,
            TargetTls tls,
            Rewrites rewrites,
            Progress progress,
            Interruption interruption,
            CompareOptions compare) {
        this.plan = plan;
        this.capture = capture;
        this.content = new CaptureContent(capture);
        this.specs = specs;
        this.cores = cores;
        this.settings = settings;
        this.directory = directory;
        this.tls = tls;
        this.rewrites = rewrites;
        this.progress = progress;
        this.interruption = interruption;
        comparison = new RunComparison(compare);
        for (TargetSpec spec : specs) {
            targets.add(new TargetRun(spec));
        }
        boolean elsewhere = specs.stream().allMatch(spec -> spec.attachAddress().isPresent());
        replayerCores = ReplayerCores.of(cores, alternates() ? 1 : targets.size(), elsewhere);
    }

    /**
     * Runs it. Nothing of the targets is left when this returns, whatever happens.
     *
     * @throws CliException when it was interrupted before anything was measured
     * @throws dev.lockstep.launcher.TargetFailedException when a target cannot be started on this machine
     */
    RunResult run(JvmInventory inventory) {
        OffsetDateTime startedAt = OffsetDateTime.now();
        progress.line(heading());
        if (tls != null && tls.isInsecure()) {
            progress.line(INSECURE);
            warnings.add(INSECURE);
        }
        warnings.addAll(cores.warnings());
        cores.pinThisProcess().ifPresent(warnings::add);
        RunResult.Builder result = RunResult.builder(plan).startedAt(startedAt);
        ThreadPlacement placement = placement();
        // The replayer first: it warms its own code up, which must not disturb a target.
        try (Replayer replayer = Replayer.launch(config(placement));
                TargetLauncher launcher = TargetLauncher.open(inventory)) {
            launchAll(launcher);
            interruption.onRequest(replayer::stop);
            for (TargetRun target : alive()) {
                target.attach(
                        replayer.addTarget(target.name(), target.process().address(), target.speaksTls() ? tls : null));
            }
            comparison.begin(plan, capture, replayer, alive());
            warmUp(replayer);
            learnNoise(replayer);
            measure(replayer);
            progress.end();
            if (replayer.isStopped() && targets.stream().noneMatch(TargetRun::isMeasured)) {
                throw new CliException(NOTHING_MEASURED);
            }
            replayer.finish();
            comparison.finish();
            plan.maxLag().ifPresent(maxLag -> replayer.invalidReasons(maxLag.toNanos())
                    .forEach(result::invalid));
            replayer.skew().ifPresent(result::skew);
            result.self(replayer.self());
            result.interrupted(replayer.isStopped());
        } finally {
            progress.end();
            interruption.onRequest(() -> {});
        }
        warnings.addAll(placement.warnings());
        // The launcher has stopped the targets: only now their exit and their peak memory are final.
        for (TargetRun target : targets) {
            result.target(target.result(directory.intervalsLost(target.name())));
            checkStream(target, result);
        }
        directory.intervalLosses().forEach(result::note);
        comparison.notes().forEach(result::note);
        captureNotes().forEach(result::note);
        scheduleNotes().forEach(result::note);
        return result.finishedAt(OffsetDateTime.now())
                .environment(environment())
                .build();
    }

    private String heading() {
        StringBuilder line = new StringBuilder(capture.path().toString()).append(": ");
        line.append(content.heading(plan.connections().isPresent()));
        line.append("; pace ").append(plan.pace());
        plan.connections().ifPresent(count -> line.append(" over ").append(Quantities.count(count, "connection")));
        plan.rounds().ifPresent(rounds -> line.append("; targets in turns, ")
                .append(Quantities.count(rounds, "round"))
                .append(" each"));
        return line.toString();
    }

    /** Returns what of the plan concerns the load itself. */
    static ReplayConfig.Builder load(RunPlan plan, Capture capture) {
        ReplayConfig.Builder config =
                ReplayConfig.builder(capture).pace(plan.pace()).speed(plan.speed());
        plan.connections().ifPresent(config::connections);
        plan.maxRequests().ifPresent(config::requestLimit);
        plan.duration().ifPresent(duration -> config.durationNs(duration.toNanos()));
        return config.timeoutNs(plan.timeout().map(Duration::toNanos).orElse(0L));
    }

    private ReplayConfig config(ThreadPlacement placement) {
        ReplayConfig.Builder config = load(plan, capture)
                .transport(transport)
                .rewrites(rewrites)
                .loops(replayerCores.loops().size())
                .placement(placement)
                .intervals(directory.intervals());
        if (!replayerCores.own()) {
            config.spinNs(0);
        } else if (!replayerCores.others().isEmpty()) {
            config.spinNs(OWN_CORE_SPIN_NS);
        }
        return config.build();
    }

    /** Who lowers threads that share a processor with a loop that never sleeps, as in a closed loop, starves the compiler. */
    private ThreadPlacement placement() {
        if (!replayerCores.own()) {
            return ThreadPlacement.none();
        }
        CpuList others = replayerCores.others();
        boolean lower = others.isEmpty()
                ? !plan.pace().closedLoop()
                : !others.and(cores.targets()).isEmpty();
        return ThreadPlacement.of(replayerCores.loops().toList(), others.toList(), lower);
    }

    private boolean alternates() {
        return plan.schedule() == TargetSchedule.ALTERNATE;
    }

    // ---- the phases ---------------------------------------------------------------------------------------------

    private void launchAll(TargetLauncher launcher) {
        if (interruption.isRequested()) {
            throw new CliException(NOTHING_MEASURED);
        }
        Thread launching = Thread.currentThread();
        interruption.onRequest(launching::interrupt);
        try {
            for (int i = 0; i < targets.size(); i++) {
                TargetRun target = targets.get(i);
                targets.forEach(TargetRun::freeze);
                progress.begin(target.name() + ": starting", Long.MAX_VALUE);
                target.launch(launcher, settings.toBuilder().cpus(cpus(i)).build());
                tellStart(target);
            }
        } catch (InterruptedException e) {
            throw new CliException(NOTHING_MEASURED);
        } finally {
            interruption.onRequest(() -> {});
            // The signal may have come in the last moment; nothing that follows expects an interrupt.
            Thread.interrupted();
        }
        if (!alternates()) {
            targets.forEach(TargetRun::thaw);
        }
    }

    private CpuList cpus(int target) {
        return !alternates() && cores.canRunTogether() ? cores.together(target, 0) : cores.targets();
    }

    private void tellStart(TargetRun target) {
        if (target.startFailure() != null) {
            progress.line(target.startFailure().getMessage());
            return;
        }
        StringBuilder line = new StringBuilder(target.name()).append(": ready");
        target.process().firstAnswerNs().ifPresent(ns -> line.append(" in ").append(Quantities.duration(ns)));
        line.append(" at ").append(Addresses.print(target.process().address()));
        if (target.process().pid().isPresent()) {
            line.append(", JIT ").append(target.process().jit());
        }
        target.process().jvm().ifPresent(jvm -> line.append(", JDK ").append(jvm.version()));
        progress.line(line.toString());
    }

    private void warmUp(Replayer replayer) {
        long warmupNs = plan.warmup().toNanos();
        if (warmupNs == 0) {
            return;
        }
        alive().forEach(target -> target.enter("warm-up"));
        if (alternates()) {
            for (TargetRun target : alive()) {
                if (!replayer.isStopped()) {
                    giveTurnTo(target);
                    begin(target.name() + ": warm-up", warmupNs);
                    replayer.warmUp(List.of(target.replay()), warmupNs, () -> tick(List.of(target)));
                }
            }
        } else if (!replayer.isStopped() && !alive().isEmpty()) {
            List<TargetRun> warmed = alive();
            begin("warm-up", warmupNs);
            replayer.warmUp(replays(warmed), warmupNs, () -> tick(warmed));
        }
    }

    /** Has the replayer learn what varies in the baseline's answers; all targets get the same requests for it. */
    private void learnNoise(Replayer replayer) {
        Optional<AnswerComparer> learner = comparison.learner();
        if (learner.isEmpty()) {
            return;
        }
        List<List<TargetRun>> turns =
                alternates() ? alive().stream().map(List::of).collect(Collectors.toList()) : List.of(alive());
        for (List<TargetRun> turn : turns) {
            if (replayer.isStopped() || turn.isEmpty()) {
                return;
            }
            if (alternates()) {
                giveTurnTo(turn.get(0));
            }
            begin((alternates() ? turn.get(0).name() + ": " : "") + "learning which answers vary", Long.MAX_VALUE);
            replayer.learnNoise(learner.get(), replays(turn), () -> tick(turn));
        }
    }

    /** Writes what the comparison of answers found; after {@link #run}. */
    void writeDifferences() {
        comparison.writeDifferences(directory);
    }

    private void measure(Replayer replayer) {
        alive().forEach(target -> target.enter("measurement"));
        long lengthNs = RunPlanner.lengthNs(plan).orElse(Long.MAX_VALUE);
        if (!alternates()) {
            measure(replayer, alive(), 0, 1, "measuring", lengthNs);
            return;
        }
        int rounds = plan.rounds().getAsInt();
        long roundNs = lengthNs == Long.MAX_VALUE ? lengthNs : lengthNs / rounds;
        for (int round = 0; round < rounds; round++) {
            List<TargetRun> order = new ArrayList<>(targets);
            if (round % 2 == 1) {
                Collections.reverse(order);
            }
            for (TargetRun target : order) {
                if (target.isAlive()) {
                    giveTurnTo(target);
                    String name = target.name() + ": round " + (round + 1) + " of " + rounds;
                    measure(replayer, List.of(target), round, rounds, name, roundNs);
                }
            }
        }
    }

    private void measure(
            Replayer replayer, List<TargetRun> measured, int round, int rounds, String name, long lengthNs) {
        if (replayer.isStopped() || measured.isEmpty()) {
            return;
        }
        begin(name, lengthNs);
        measured.forEach(TargetRun::startWindow);
        replayer.measure(replays(measured), round, rounds, () -> tick(measured));
        measured.forEach(TargetRun::endWindow);
    }

    private void giveTurnTo(TargetRun turn) {
        for (TargetRun target : targets) {
            if (target != turn) {
                target.freeze();
            }
        }
        turn.thaw();
    }

    private List<TargetRun> alive() {
        return filter(TargetRun::isAlive);
    }

    private List<TargetRun> filter(Predicate<TargetRun> condition) {
        return targets.stream().filter(condition).collect(Collectors.toList());
    }

    private static List<TargetReplay> replays(List<TargetRun> targets) {
        return targets.stream().map(TargetRun::replay).collect(Collectors.toList());
    }

    private void begin(String phase, long lengthNs) {
        phaseStartedNs = System.nanoTime();
        progress.begin(phase, lengthNs);
    }

    private void tick(List<TargetRun> running) {
        progress.at(
                System.nanoTime() - phaseStartedNs,
                running.stream()
                        .map(target -> (running.size() > 1 ? target.name() + " " : "")
                                + target.replay().answeredSoFar())
                        .collect(Collectors.joining(", ", "", " answers")));
    }

    // ---- what the reader must know ------------------------------------------------------------------------------

    private void checkStream(TargetRun target, RunResult.Builder result) {
        if (!target.isMeasured()) {
            return;
        }
        StreamDigest sent = target.replay().result().streamDigest();
        if (sent.sha256() != null && !sent.sha256().equals(capture.streamSha256())) {
            result.invalid(
                    target.name() + ": the bytes sent (SHA-256 " + sent.sha256() + ") are not those of the capture ("
                            + capture.streamSha256() + "); this is a defect of Lockstep, please report it");
        }
    }

    private List<String> captureNotes() {
        List<String> notes = new ArrayList<>();
        if (capture.info().redactedValues() > 0) {
            notes.add(Quantities.count(capture.info().redactedValues(), "value")
                    + " of the capture redacted: a target that checks them refuses such requests");
        }
        if (!capture.info().closedProperly()) {
            notes.add("the capture was cut short: "
                    + (capture.info().cutBytes() > 0
                            ? Quantities.bytes(capture.info().cutBytes()) + " at its end could not be used"
                            : "its recorder did not finish it"));
        }
        if (capture.info().endedEarly() != null) {
            notes.add("the capture ends early: " + capture.info().endedEarly());
        }
        if (capture.info().lostRequests() > 0 || capture.info().lostBytes() > 0) {
            notes.add("the recorder missed " + Quantities.count(capture.info().lostRequests(), "request") + " ("
                    + Quantities.bytes(capture.info().lostBytes()) + ") of "
                    + Quantities.count(capture.info().lostConnections(), "connection"));
        }
        notes.addAll(content.notes(plan.connections().isPresent()));
        return notes;
    }

    private List<String> scheduleNotes() {
        List<String> notes = new ArrayList<>();
        for (TargetRun target : targets) {
            if (target.process() != null
                    && target.process().pid().isPresent()
                    && !target.process().isolation().startsWith("cgroup")) {
                notes.add(target.name() + ": not in control groups, kept apart by "
                        + target.process().isolation());
            }
        }
        boolean capped = plan.targets().stream()
                .anyMatch(target -> target.memoryLimitBytes().isPresent());
        for (TargetSpec spec : specs) {
            if (capped && spec.attachAddress().isPresent()) {
                notes.add(spec.name() + ": runs already, and so without the memory cap of the others");
            }
        }
        boolean launched = targets.stream()
                .anyMatch(target -> target.process() != null && target.process().canFreeze());
        if (alternates()) {
            notes.add("targets took turns in " + Quantities.count(plan.rounds().getAsInt(), "round")
                    + (launched ? ", the others frozen" : "") + " (" + cores.describe() + ")");
        } else if (targets.size() > 1 && launched && !cores.canRunTogether()) {
            notes.add("targets ran at the same time on the same processors " + cores.targets()
                    + " and slowed each other down (" + cores.describe() + "); use --schedule alternate");
        }
        return notes;
    }

    private Environment environment() {
        Environment.Builder environment =
                Environment.ofThisMachine().lockstepVersion(Main.version()).transport(transport.describe());
        warnings.forEach(environment::warning);
        return environment.build();
    }
}
