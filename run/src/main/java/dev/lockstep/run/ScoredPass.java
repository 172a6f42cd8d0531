package dev.lockstep.run;

import dev.lockstep.analysis.AnswerMix;
import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.analysis.SteadyBeside;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.ProgramReplacedException;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.monitor.MachineLoad;
import dev.lockstep.net.ThreadPlacement;
import dev.lockstep.net.Transport;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.results.Environment;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Warmup;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The part of a run whose figures count, from the start of the first target to the verdicts: one {@link LaunchRound
 * launch} of all targets after the other, with one replayer, which stays warm and watches itself over all of them. All
 * of it on the thread that calls {@link #run}, once.
 */
final class ScoredPass {
    private static final String NOTHING_MEASURED = "ended before anything was measured";

    private static final String INSECURE =
            "TLS WITHOUT TRUST (--tls-insecure): no certificate is checked, anybody may be"
                    + " behind the targets' addresses and read all that is sent";

    private final RunConfig config;
    private final RunPlan plan;
    private final Cores cores;
    private final RunDirectoryWriter directory;
    private final RunListener listener;
    private final Cancellation cancellation;
    private final List<TargetLaunches> targets = new ArrayList<>();
    /** What servers that run already tell of their cost, by the names of targets. */
    private final Map<String, ServerMetrics> metrics = new LinkedHashMap<>();

    private final Transport transport = Transport.best();
    private final List<String> warnings = new ArrayList<>();
    private final ReplayerCores replayerCores;
    private final RunComparison comparison;
    private final RunNotes notes;
    private final MonitoredIntervals intervals;
    private final LoadSeries series;
    private final AnswerMix mix;
    private final SoakWatch soak;
    private final List<String> launchNotes = new ArrayList<>();
    /** Where bytes were sent that are not the capture's, or a target was moved. */
    private final List<String> spoiled = new ArrayList<>();

    private boolean captureChanged;

    private final LaunchGoal goal;

    private OffsetDateTime startedAt;
    private boolean interrupted;
    private int wholeLaunches;
    /** In which launches full load was no faster than Lockstep. */
    private List<SelfReport.Bottleneck> pacedByLockstep = List.of();

    private Throwable failure;

    /** @param directory takes the intervals as they come */
    ScoredPass(RunConfig config, RunDirectoryWriter directory, RunListener listener, Cancellation cancellation) {
        this.config = config;
        this.plan = config.plan();
        this.cores = config.cores();
        this.directory = directory;
        this.listener = listener;
        this.cancellation = cancellation;
        goal = new LaunchGoal(plan);
        notes = new RunNotes(config);
        comparison = new RunComparison(config);
        soak = plan.soak() ? SoakWatch.of(plan, config.statusWindow(), listener::trends) : null;
        if (soak != null) {
            directory.durable();
            directory.alsoTo(soak);
        }
        mix = new AnswerMix(directory.intervals());
        series = new LoadSeries(mix);
        intervals = new MonitoredIntervals(series);
        List<TargetSpec> specs = config.specs();
        for (TargetSpec spec : specs) {
            targets.add(new TargetLaunches(spec));
            config.endpoint(spec)
                    .ifPresent(endpoint ->
                            metrics.put(spec.name(), new ServerMetrics(spec.name(), endpoint, plan.primaryMetric())));
        }
        boolean elsewhere = specs.stream().allMatch(spec -> spec.attachAddress().isPresent());
        replayerCores = ReplayerCores.of(cores, config.alternates() ? 1 : targets.size(), elsewhere);
    }

    /**
     * Runs it. Nothing of the targets is left when this returns, whatever happens. Where Lockstep fails once a launch
     * is done, the result is that of the launches done, and {@link #failure} tells.
     *
     * @throws RunException when it was cancelled before anything was measured
     * @throws dev.lockstep.launcher.TargetFailedException when a target does not get ready in the first launch and its
     *     exit is not known, as of one that is not ready in time
     */
    RunResult run() {
        startedAt = OffsetDateTime.now();
        listener.note(notes.heading());
        if (config.trustsAnybody()) {
            listener.note(INSECURE);
            warnings.add(INSECURE);
        }
        Optional<String> jdks = config.inventory().differentJdks(config.specs());
        jdks.ifPresent(listener::note);
        SoakFindings.tooShort(plan).ifPresent(listener::note);
        // Not before the heading: the first document takes a while, for the JSON library has to be loaded.
        directory.plan(plan);
        warnings.addAll(cores.warnings());
        cores.pinThisProcess().ifPresent(warnings::add);
        RunResult.Builder result = begin();
        jdks.ifPresent(result::note);
        ThreadPlacement placement =
                replayerCores.placement(cores.targets(), plan.pace().closedLoop());
        // The replayer first: it warms its own code up, which must not disturb a target.
        List<Integer> processors = cores.wholeCores().toList();
        MachineLoad.Look before = MachineLoad.Look.take(processors);
        try (Replayer replayer = Replayer.launch(replay(placement));
                TargetLauncher launcher = TargetLauncher.open(config.inventory())) {
            MachineLoad.between(before, MachineLoad.Look.take(processors))
                    .flatMap(RunNotes::ofOthers)
                    .ifPresent(note -> {
                        listener.note(note);
                        warnings.add(note);
                    });
            int launches = 0;
            try {
                while (!interrupted
                        && !cancellation.isCancelled()
                        && goal.goesOn(
                                launches,
                                () -> LaunchVerdicts.whyHopeless(soFar(replayer), wholeLaunches),
                                () -> verdictsSoFar(replayer),
                                () -> needed(replayer))) {
                    launch(++launches, launcher, replayer);
                    launchDone(replayer);
                }
            } finally {
                if (!targets.get(0).results().isEmpty()) {
                    describe(replayer, result);
                }
            }
            // Between two launches too, of which an undecided run would have had more.
            interrupted = interrupted
                    || cancellation.isCancelled()
                            && !goal.isConcluded()
                            && goal.lacks(launches, () -> LaunchVerdicts.of(soFar(replayer), wholeLaunches, series));
            if (interrupted && targets.get(0).results().isEmpty()) {
                throw new RunException(NOTHING_MEASURED);
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
        warnings.addAll(placement.warnings());
        return result(result.interrupted(interrupted));
    }

    /** Returns the result of the launches that were made, with what is to be said of them. */
    private RunResult result(RunResult.Builder result) {
        List<TargetResult> each = new ArrayList<>();
        for (TargetLaunches target : targets) {
            each.add(target.result(
                    directory.intervalsLost(target.name()), failure == null ? intervals : null, wholeLaunches));
        }
        SteadyBeside beside = SteadyBeside.of(each, plan.baseline(), wholeLaunches, series, pacedByLockstep);
        beside.targets().forEach(result::target);
        directory.intervalLosses().forEach(result::note);
        comparison.notes().forEach(result::note);
        notes.ofCapture().forEach(result::note);
        notes.schedule(targets).forEach(result::note);
        notes.ofDirectory(directory.directory()).ifPresent(result::note);
        notes.ofBlocks().ifPresent(result::note);
        launchNotes.forEach(result::note);
        metrics.values().forEach(server -> server.notes().forEach(result::note));
        notes.ofWarmUp().ifPresent(result::note);
        // The only one counts, cut or not.
        int counted = plan.launches() == 1 ? 1 : wholeLaunches;
        mix.shifts(config.heats(), counted * config.capture().requestCount()).forEach(result::note);
        beside.targets().forEach(target -> series.unsteady(target.name(), isSteady(target), counted)
                .ifPresent(result::note));
        beside.notes().forEach(result::note);
        targets.forEach(target -> series.overloaded(target.name(), counted).ifPresent(result::note));
        targets.forEach(
                target -> series.idle(target.name(), counted, pacedByLockstep).ifPresent(result::note));
        beside.targets().forEach(target -> series.compiling(target.name(), isSteady(target), counted)
                .ifPresent(result::note));
        notes.ofFullLoad().ifPresent(result::note);
        each.forEach(target -> RunNotes.ofMemory(target).ifPresent(result::note));
        if (interrupted && plan.launches() > 1
                || plan.maxLaunches().isPresent()
                || goal.hopeless().isPresent()
                || goal.isConcluded()) {
            result.launchesDone(wholeLaunches);
        }
        goal.hopeless().ifPresent(why -> result.note(notes.ofHopelessness(why, wholeLaunches)));
        if (goal.isConcluded()) {
            result.note(notes.ofConclusion(wholeLaunches));
        }
        if (interrupted && plan.launches() > 1) {
            result.note(
                    notes.ofInterruption(wholeLaunches, targets.get(0).results().size()));
        }
        RunResult measured = result.finishedAt(OffsetDateTime.now())
                .environment(environment())
                .build();
        return withVerdicts(measured);
    }

    private RunResult.Builder begin() {
        return RunResult.builder(plan)
                .startedAt(startedAt)
                .directory(directory.directory().toString());
    }

    /** Looks at the launches done, between two of them. */
    private List<Verdict> verdictsSoFar(Replayer replayer) {
        List<Verdict> verdicts = LaunchVerdicts.of(soFar(replayer), wholeLaunches, series);
        if (!cancellation.isConcluded() && LaunchVerdicts.isOpen(plan, verdicts)) {
            listener.note("inconclusive after " + plan.units(wholeLaunches) + ", so there are more, "
                    + plan.mostLaunches() + " at most");
        }
        return verdicts;
    }

    /**
     * Tells what the launches done came to, where others may follow, and makes them the last where that was asked for.
     */
    private void launchDone(Replayer replayer) {
        if (interrupted || plan.mostLaunches() == 1) {
            return;
        }
        listener.launchDone(wholeLaunches, soFar(replayer));
        if (cancellation.isConcluded()) {
            goal.conclude();
        }
    }

    private RunResult soFar(Replayer replayer) {
        // There may be more launches than the plan asks for, and all of them count.
        RunResult.Builder look = begin().launchesDone(wholeLaunches)
                .finishedAt(OffsetDateTime.now())
                .environment(environment());
        describe(replayer, look);
        besideSoFar().targets().forEach(look::target);
        return look.build();
    }

    private SteadyBeside besideSoFar() {
        List<TargetResult> each = targets.stream()
                .map(target -> target.result(0, null, wholeLaunches))
                .collect(Collectors.toList());
        return SteadyBeside.of(each, plan.baseline(), wholeLaunches, series, pacedByLockstep);
    }

    /**
     * Returns how many launches it takes for as many as were planned to count, and to tell of targets on which there is
     * no verdict since nobody knows whether they are steady; as many as a look has that is planned.
     */
    private int needed(Replayer replayer) {
        RunResult look = soFar(replayer);
        Set<String> untold = LaunchVerdicts.of(look, wholeLaunches, series).stream()
                .filter(verdict -> verdict.primary()
                        && verdict.finding() == Verdict.Finding.NOT_STEADY
                        && !plan.isSameAsBaseline(verdict.target()))
                .map(Verdict::target)
                .collect(Collectors.toSet());
        int toTell = besideSoFar().needed(untold, plan.mostLaunches());
        int launches = Math.max(
                LaunchVerdicts.needed(look, wholeLaunches),
                plan.looks().stream()
                        .filter(count -> toTell > 0 && count >= toTell)
                        .findFirst()
                        .orElse(0));
        if (toTell > 0 && launches > wholeLaunches) {
            listener.note("cannot be told after " + plan.units(wholeLaunches)
                    + " whether targets are steady, so there are more; " + launches + " may tell");
        }
        return launches;
    }

    private RunResult withVerdicts(RunResult measured) {
        try {
            return measured.withVerdicts(LaunchVerdicts.of(measured, wholeLaunches, series));
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            failure = failure == null ? e : failure;
            return measured.withInvalid("Lockstep failed while it made the verdicts: " + ExpectedFailure.oneLine(e));
        }
    }

    /** Returns why Lockstep failed, though there is a result; null where it did not. After {@link #run}. */
    Throwable failure() {
        return failure;
    }

    /** Says why the launches so far are INVALID. */
    private void distrust(Replayer replayer, RunResult.Builder result) {
        spoiled.forEach(result::invalid);
        replayer.invalidReasons(plan.unit()).forEach(result::invalid);
        plan.maxLag().ifPresent(limit -> replayer.lateReasons(limit.toNanos(), plan::units)
                .forEach(result::late));
    }

    private void describe(Replayer replayer, RunResult.Builder result) {
        distrust(replayer, result);
        replayer.skew().ifPresent(result::skew);
        SelfReport self = replayer.self();
        pacedByLockstep = self.fullLoadBottlenecks();
        result.self(self);
    }

    /** Makes of a failure a result that holds the launches done, and nothing of the one that failed. */
    private void keepWholeLaunches(RunResult.Builder result) {
        String done = plan.runsInBlocks() ? "blocks done" : "launches done";
        result.invalid((failure instanceof ProgramReplacedException ? "the run ended with " : "Lockstep failed with ")
                + wholeLaunches + " of " + plan.launchCount() + " " + done + ": " + ExpectedFailure.oneLine(failure)
                + "; the figures are those of the " + done);
        plan.profileDuration()
                .ifPresent(duration -> result.note("the targets were not profiled, since the run failed"));
        try {
            directory.keepLaunches(targets.get(0).results().size());
        } catch (MeasurementException e) {
            result.note("the interval files hold more than the figures: " + e.getMessage());
        }
    }

    /** Runs one launch of all targets and takes over what it gave. */
    private void launch(int number, TargetLauncher launcher, Replayer replayer) {
        LaunchRound round = new LaunchRound(
                config,
                config.launchSettings(directory.directory()),
                targets.stream()
                        .map(target -> target.readyTimeout(config.readyTimeout()))
                        .collect(Collectors.toList()),
                intervals,
                series,
                listener,
                cancellation,
                soak,
                metrics,
                number,
                order(number));
        round.run(launcher, replayer, number == 1 ? comparison : null, () -> keep(round, replayer));
        interrupted |= round.isInterrupted();
        if (round.isInterrupted() && !round.isMeasured()) {
            return;
        }
        if (number == 1) {
            comparison.finish();
        }
        // All targets get the launch or none, whatever fails here.
        List<TargetLaunches> taken = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            TargetRun launched = round.targets().get(i);
            taken.add(targets.get(i).with(launched, series, plan.warmsUp()));
        }
        targets.clear();
        targets.addAll(taken);
        checkCapture(number);
        round.targets().forEach(this::checkStream);
        round.targets().forEach(target -> target.moved()
                .ifPresent(how -> spoiled.add(where(number) + target.name() + " was " + how
                        + " while it ran, not by Lockstep: it had not the processors that it was to have")));
        if (!round.isInterrupted()) {
            wholeLaunches = number;
            notes.ofLaunch(round).ifPresent(launchNotes::add);
        }
    }

    private List<Integer> order(int launch) {
        return plan.orderSeed().isPresent()
                ? LaunchOrder.atRandom(targets.size(), launch, plan.orderSeed().getAsLong())
                : LaunchOrder.of(targets.size(), launch);
    }

    /**
     * Tells and keeps what is known of the targets before they are measured, for the case that this process is killed.
     */
    private void keep(LaunchRound round, Replayer replayer) {
        listener.launched(round.targets().stream()
                .map(target -> target.ready(""))
                .flatMap(Optional::stream)
                .collect(Collectors.toList()));
        RunResult.Builder begun = begin().finishedAt(OffsetDateTime.now());
        distrust(replayer, begun);
        for (int i = 0; i < targets.size(); i++) {
            begun.target(targets.get(i).begun(round.targets().get(i), intervals));
        }
        notes.ofCapture().forEach(begun::note);
        try {
            directory.begun(begun.environment(environment()).build());
        } catch (MeasurementException e) {
            // A full disk must not cost the launches before; the file is for a run that is killed.
            listener.note(e.getMessage());
        }
    }

    private ReplayConfig replay(ThreadPlacement placement) {
        ReplayConfig.Builder replay = RunPlanner.load(plan, config.capture())
                .transport(transport)
                .rewrites(config.rewrites())
                .loops(replayerCores.loops().size())
                .placement(placement)
                .intervals(intervals);
        replayerCores.spinNs().ifPresent(replay::spinNs);
        return replay.build();
    }

    private String where(int launch) {
        return plan.launches() == 1 ? "" : plan.unit() + " " + launch + ": ";
    }

    /** The file is mapped: what is written over it is sent. */
    private void checkCapture(int launch) {
        if (!captureChanged && !config.capture().isUnchanged()) {
            captureChanged = true;
            spoiled.add(where(launch) + config.capture().path()
                    + " was written over while it was replayed, so that other bytes were sent");
        }
    }

    private void checkStream(TargetRun target) {
        if (!target.isMeasured() || captureChanged) {
            return;
        }
        String where = where(target.launch()) + target.name();
        StreamDigest sent = target.replay().result().streamDigest();
        if (sent.sha256() != null && !sent.sha256().equals(config.capture().streamSha256())) {
            spoiled.add(where + ": the bytes sent (SHA-256 " + sent.sha256() + ") are not those of the capture ("
                    + config.capture().streamSha256() + "); this is a defect of Lockstep, please report it");
        }
    }

    /** Writes what the comparison of answers found; after {@link #run}. */
    void writeDifferences() {
        comparison.writeDifferences(directory);
    }

    private Environment environment() {
        Environment.Builder environment =
                Environment.ofThisMachine().lockstepVersion(config.version()).transport(transport.describe());
        warnings.forEach(environment::warning);
        long selfWarmUpMs = ReplayConfig.usualSelfWarmUpMs();
        if (selfWarmUpMs < ReplayConfig.SELF_WARM_UP_MS) {
            environment.warning(
                    "Lockstep warmed its own code up for " + selfWarmUpMs + " ms only (lockstep.selfWarmUpMs)");
        }
        return environment.build();
    }

    private static boolean isSteady(TargetResult target) {
        return target.warmup().filter(Warmup::isSteady).isPresent();
    }
}
