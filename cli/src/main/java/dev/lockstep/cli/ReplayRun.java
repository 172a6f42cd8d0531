package dev.lockstep.cli;

import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.CpuList;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Environment;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.RunDirectoryWriter;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.measurement.TargetSchedule;
import dev.lockstep.measurement.Warmup;
import dev.lockstep.net.ThreadPlacement;
import dev.lockstep.net.Transport;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.Rewrites;
import dev.lockstep.replayer.TargetTls;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * A run from the start of its first target to its result: one {@link LaunchRound launch} of all targets after the other,
 * with one replayer, which stays warm and watches itself over all of them. All of it on the thread that calls {@link #run}.
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
    private final List<TargetLaunches> targets = new ArrayList<>();
    private final List<TargetSpec> specs;
    private final Transport transport = Transport.best();
    private final List<String> warnings = new ArrayList<>();
    private final ReplayerCores replayerCores;
    private final RunComparison comparison;
    private final RunNotes notes;
    private final MonitoredIntervals intervals;
    private final LoadSeries series;
    private final List<String> launchNotes = new ArrayList<>();
    private OffsetDateTime startedAt;
    private boolean interrupted;
    private int wholeLaunches;
    private Throwable failure;
    private BiConsumer<String, String> ready = (target, address) -> {};

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
        notes = new RunNotes(plan, capture, content, specs, cores);
        comparison = new RunComparison(compare, plan, capture);
        series = new LoadSeries(directory.intervals());
        intervals = new MonitoredIntervals(series);
        for (TargetSpec spec : specs) {
            targets.add(new TargetLaunches(spec));
        }
        boolean elsewhere = specs.stream().allMatch(spec -> spec.attachAddress().isPresent());
        replayerCores = ReplayerCores.of(cores, alternates() ? 1 : targets.size(), elsewhere);
    }

    /** Has someone told, before each launch gets its load, the name of each target and the address where it listens. */
    void onReady(BiConsumer<String, String> watcher) {
        ready = watcher;
    }

    /**
     * Runs it. Nothing of the targets is left when this returns, whatever happens. Where Lockstep fails once a launch is
     * done, the result is that of the launches done, and {@link #failure} tells.
     *
     * @throws CliException when it was interrupted before anything was measured
     * @throws dev.lockstep.launcher.TargetFailedException when a target cannot be started on this machine
     */
    RunResult run(JvmInventory inventory) {
        startedAt = OffsetDateTime.now();
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
            int launches = 0;
            try {
                while (launches < plan.launches() && !interrupted && !interruption.isRequested()) {
                    launch(++launches, launcher, replayer, result);
                }
            } finally {
                if (!targets.get(0).results().isEmpty()) {
                    describe(replayer, result);
                }
            }
            interrupted |= launches < plan.launches();
            if (interrupted && targets.get(0).results().isEmpty()) {
                throw new CliException(NOTHING_MEASURED);
            }
        } catch (RuntimeException | Error e) {
            if (wholeLaunches == 0) {
                throw e;
            }
            failure = e;
            keepWholeLaunches(result);
        } finally {
            cores.unpinThisProcess();
        }
        result.interrupted(interrupted);
        warnings.addAll(placement.warnings());
        for (TargetLaunches target : targets) {
            result.target(target.result(directory.intervalsLost(target.name()), failure == null ? intervals : null));
        }
        directory.intervalLosses().forEach(result::note);
        comparison.notes().forEach(result::note);
        notes.ofCapture().forEach(result::note);
        notes.schedule(targets).forEach(result::note);
        notes.ofDirectory(directory.directory()).ifPresent(result::note);
        launchNotes.forEach(result::note);
        targets.forEach(target -> unsteady(target).ifPresent(result::note));
        if (interrupted && plan.launches() > 1) {
            result.launchesDone(wholeLaunches);
            result.note(
                    notes.ofInterruption(wholeLaunches, targets.get(0).results().size()));
        }
        RunResult measured = result.finishedAt(OffsetDateTime.now())
                .environment(environment())
                .build();
        return withVerdicts(measured);
    }

    private RunResult withVerdicts(RunResult measured) {
        try {
            return measured.withVerdicts(LaunchVerdicts.of(measured, wholeLaunches, series));
        } catch (RuntimeException e) {
            failure = failure == null ? e : failure;
            return measured.withInvalid("Lockstep failed while it made the verdicts: " + oneLine(e));
        }
    }

    /** Returns why Lockstep failed, though there is a result; absent where it did not. After {@link #run}. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    private void describe(Replayer replayer, RunResult.Builder result) {
        plan.maxLag()
                .ifPresent(maxLag -> replayer.invalidReasons(maxLag.toNanos()).forEach(result::invalid));
        replayer.skew().ifPresent(result::skew);
        result.self(replayer.self());
    }

    /** Makes of a failure a result that holds the launches done, and nothing of the one that failed. */
    private void keepWholeLaunches(RunResult.Builder result) {
        result.invalid("Lockstep failed with " + wholeLaunches + " of " + plan.launches() + " launches done: "
                + oneLine(failure) + "; the figures are those of the launches done");
        plan.profileDuration()
                .ifPresent(duration -> result.note("the targets were not profiled, since the run failed"));
        try {
            directory.keepLaunches(targets.get(0).results().size());
        } catch (MeasurementException e) {
            result.note("the interval files hold more than the figures: " + e.getMessage());
        }
    }

    private static String oneLine(Throwable failure) {
        String message = ExpectedFailure.isExpected(failure) ? failure.getMessage() : failure.toString();
        return message.replaceAll("\\s*\\R\\s*", " ");
    }

    /** Returns what of a target was measured before it was steady. */
    private Optional<String> unsteady(TargetLaunches target) {
        Map<Integer, Warmup> warmups = new TreeMap<>();
        target.results().forEach(launch -> launch.warmup().ifPresent(warmup -> warmups.put(launch.launch(), warmup)));
        return series.unsteady(target.name(), warmups);
    }

    /** Runs one launch of all targets and takes over what it gave. */
    private void launch(int number, TargetLauncher launcher, Replayer replayer, RunResult.Builder result) {
        LaunchRound round =
                new LaunchRound(plan, specs, cores, settings, tls, intervals, progress, interruption, number);
        round.run(launcher, replayer, number == 1 ? comparison : null, () -> keep(round));
        interrupted |= round.isInterrupted();
        if (round.isInterrupted() && !round.isMeasured()) {
            return;
        }
        if (number == 1) {
            comparison.finish();
        }
        // Of all targets or of none, whatever fails here.
        List<TargetLaunches> taken = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            TargetRun launched = round.targets().get(i);
            TargetLaunches target = targets.get(i).copy();
            target.add(
                    launched,
                    series.warmup(launched.name(), number, plan.warmup().isZero()));
            taken.add(target);
        }
        targets.clear();
        targets.addAll(taken);
        round.targets().forEach(launched -> checkStream(launched, result));
        if (!round.isInterrupted()) {
            wholeLaunches = number;
            notes.ofLaunch(round).ifPresent(launchNotes::add);
        }
    }

    /** Tells and keeps what is known of the targets before they are measured, for the case that this process is killed. */
    private void keep(LaunchRound round) {
        for (TargetRun target : round.targets()) {
            if (target.process() != null) {
                ready.accept(target.name(), Addresses.print(target.process().address()));
            }
        }
        RunResult.Builder begun = RunResult.builder(plan).startedAt(startedAt).finishedAt(OffsetDateTime.now());
        for (int i = 0; i < specs.size(); i++) {
            begun.target(targets.get(i).begun(round.targets().get(i), intervals));
        }
        notes.ofCapture().forEach(begun::note);
        try {
            directory.begun(begun.environment(environment()).build());
        } catch (MeasurementException e) {
            // A full disk must not cost the launches before; the file is for a run that is killed.
            progress.line(e.getMessage());
        }
    }

    private String heading() {
        StringBuilder line = new StringBuilder(capture.path().toString()).append(": ");
        line.append(content.heading(plan.connections().isPresent()));
        line.append("; pace ").append(plan.pace());
        plan.connections().ifPresent(count -> line.append(" over ").append(Quantities.count(count, "connection")));
        plan.rounds().ifPresent(rounds -> line.append("; targets in turns, ")
                .append(Quantities.count(rounds, "round"))
                .append(" each"));
        if (plan.launches() > 1) {
            line.append("; ").append(plan.launches()).append(" launches of each target");
        }
        RunPlanner.runNs(plan)
                .ifPresent(ns ->
                        line.append("; about ").append(Quantities.duration(ns)).append(" in all"));
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
                .intervals(intervals);
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

    private void checkStream(TargetRun target, RunResult.Builder result) {
        if (!target.isMeasured()) {
            return;
        }
        String where = plan.launches() == 1 ? target.name() : "launch " + target.launch() + ": " + target.name();
        StreamDigest sent = target.replay().result().streamDigest();
        if (sent.sha256() != null && !sent.sha256().equals(capture.streamSha256())) {
            result.invalid(where + ": the bytes sent (SHA-256 " + sent.sha256() + ") are not those of the capture ("
                    + capture.streamSha256() + "); this is a defect of Lockstep, please report it");
        }
    }

    /** Writes what the comparison of answers found; after {@link #run}. */
    void writeDifferences() {
        comparison.writeDifferences(directory);
    }

    private Environment environment() {
        Environment.Builder environment =
                Environment.ofThisMachine().lockstepVersion(Main.version()).transport(transport.describe());
        warnings.forEach(environment::warning);
        return environment.build();
    }
}
