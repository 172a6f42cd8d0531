package dev.lockstep.cli.tune;

import dev.lockstep.analysis.EarlyStop;
import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.PairedParts;
import dev.lockstep.analysis.Spoilers;
import dev.lockstep.launcher.FlagCheck;
import dev.lockstep.launcher.ProgramReplacedException;
import dev.lockstep.launcher.TargetFailedException;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.directory.RunDirectoryWriter;
import dev.lockstep.run.Cancellation;
import dev.lockstep.run.ReadyTarget;
import dev.lockstep.run.ReplayRun;
import dev.lockstep.run.RunConfig;
import dev.lockstep.run.RunException;
import dev.lockstep.run.RunListener;
import dev.lockstep.run.RunOutcome;
import dev.lockstep.search.Control;
import dev.lockstep.search.Evaluation;
import dev.lockstep.search.Evaluator;
import dev.lockstep.search.SearchException;
import dev.lockstep.search.Told;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.StudyState;
import dev.lockstep.tuner.Trial;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Evaluates a configuration by a run of a candidate beside its control on the same requests: the value is log(candidate
 * / control) of the objective. Before that the JVM is asked what it makes of the flags, so that those that cannot work
 * cost no run. Used by one thread.
 */
final class JvmEvaluator implements Evaluator {
    private static final String GOES_ON = "; the same command goes on with it";
    private static final String NO_FIGURE = "one of the two has no figure";
    private static final String NOT_STEADY = "not known to be steady";
    /** How sure it must be that the best known keeps all constraints, to stop others because of it. */
    private static final double FEASIBLE = 0.95;

    private final JvmSearch search;
    private final Path directory;
    private final List<RunListener> listeners;
    /** The first trial of all that came to the same flags, by their fingerprint. */
    private final Map<String, Told> known = new HashMap<>();
    /** What JVMs warned of, each told once. */
    private final Set<String> warnings = new HashSet<>();

    private Trial begun;
    private Supplier<Optional<StudyState>> state = Optional::empty;

    /**
     * @param directory of the search
     * @param earlier what was evaluated before
     * @param listeners hear how runs go
     */
    JvmEvaluator(JvmSearch search, Path directory, List<Told> earlier, List<RunListener> listeners) {
        this.search = search;
        this.directory = directory;
        this.listeners = listeners;
        earlier.forEach(this::remember);
    }

    private void remember(Told told) {
        // What was not evaluated to its end does not stand for others.
        if (told.observation().skipped().isEmpty()) {
            told.evaluation().fingerprint().ifPresent(print -> known.putIfAbsent(print, told));
        }
        warnings.addAll(told.evaluation().notes());
    }

    @Override
    public void begin(Trial trial) {
        begin(trial, Optional::empty);
    }

    @Override
    public void begin(Trial trial, Supplier<Optional<StudyState>> known) {
        begun = trial;
        state = known;
    }

    @Override
    public Optional<Told> next(Control control) {
        Optional<Told> told;
        try {
            told = evaluate(begun, control).map(evaluation -> Told.of(begun, evaluation));
        } catch (ProgramReplacedException e) {
            throw new SearchException("evaluation " + begun.number() + ": " + e.getMessage());
        }
        told.ifPresent(this::remember);
        return told;
    }

    @Override
    public void giveUp(Trial trial) {
        // It is over already: next has returned.
    }

    private Optional<Evaluation> evaluate(Trial trial, Control control) {
        search.whyNoCapture().ifPresent(why -> {
            throw new SearchException("evaluation " + trial.number() + ": " + why);
        });
        TargetSpec candidate = search.candidate(trial.configuration());
        FlagCheck check = search.check(candidate);
        List<String> notes = new ArrayList<>();
        check.warnings().stream()
                .map(warning -> "the JVM says: " + warning)
                .filter(warnings::add)
                .forEach(notes::add);
        Optional<String> refused = search.whyRefused(check, "evaluation " + trial.number());
        if (refused.isPresent()) {
            return Optional.of(Evaluation.builder(Observation.failed("the JVM does not start: " + refused.get()))
                    .notes(notes)
                    .build());
        }
        FlagsInEffect flags = search.inEffect(trial.configuration(), check);
        notes.addAll(flags.notes());
        Told same = known.get(flags.fingerprint());
        // That very configuration may be asked for again: noise makes one value too little to go by.
        if (same != null && !isOf(trial.configuration(), same)) {
            String as = "it comes to the same flags as evaluation " + same.number();
            Observation observation = same.observation()
                    .failed()
                    .map(why -> Observation.failed(as + ": " + why))
                    .orElseGet(() -> Observation.skipped(as));
            return Optional.of(Evaluation.builder(observation).notes(notes).build());
        }
        return run(trial, candidate, control).map(evaluation -> {
            evaluation.addAllNotes(notes).fingerprint(flags.fingerprint());
            if (!flags.configuration().equals(trial.configuration())) {
                evaluation.inEffect(flags.configuration());
            }
            return evaluation.build();
        });
    }

    /** Whether a trial had this configuration, as it was asked for or as it came to. */
    private static boolean isOf(Configuration configuration, Told told) {
        return configuration.equals(told.trial().configuration()) || configuration.equals(told.configuration());
    }

    private Optional<Evaluation.Builder> run(Trial trial, TargetSpec candidate, Control control) {
        List<TargetSpec> specs = search.pair(candidate, trial.number());
        RunPlan plan = search.evaluation(specs);
        PairedParts parts = new PairedParts(search.objective(), JvmSearch.CANDIDATE, JvmSearch.CONTROL);
        Optional<PairedParts> secondParts =
                search.second().map(second -> new PairedParts(second, JvmSearch.CANDIDATE, JvmSearch.CONTROL));
        Optional<EarlyStop> stop = earlyStop(trial, plan, parts);
        Cancellation cancellation = new Cancellation();
        Starts starts = new Starts(cancellation);
        List<RunListener> all = new ArrayList<>(listeners);
        all.add(starts);
        Path folder = directory.resolve("evaluations").resolve(String.format("%03d", trial.number()));
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(folder, true);
                GivingUp watch = GivingUp.watch(() -> control.givesUp() || isHopeless(stop), cancellation)) {
            RunConfig.Builder config = search.config(plan, specs)
                    .conditions(search.conditions(plan))
                    .watcher(stop.isPresent() ? stop.get() : parts);
            secondParts.ifPresent(config::watcher);
            RunOutcome outcome = ReplayRun.run(config.build(), writer, all, cancellation);
            if (control.givesUp() || watch.gaveUp() && !isHopeless(stop)) {
                return Optional.empty();
            }
            Optional<String> unstarted = starts.candidateFailed(trial);
            if (unstarted.isPresent()) {
                return unstarted.map(why -> Evaluation.builder(failed(why)));
            }
            outcome.failure().ifPresent(failure -> {
                throw new SearchException(
                        "evaluation " + trial.number() + " failed: " + failure.getMessage() + GOES_ON);
            });
            return Optional.of(evaluation(
                    outcome,
                    parts,
                    secondParts,
                    stop.filter(one -> one.isHopeless() && outcome.result().interrupted())));
        } catch (TargetFailedException e) {
            if (e.isOfMachine() || !e.getMessage().contains("target " + JvmSearch.CANDIDATE)) {
                throw new SearchException("evaluation " + trial.number() + ": " + e.getMessage() + GOES_ON);
            }
            return Optional.of(Evaluation.builder(failed(e.getMessage())));
        } catch (RunException e) {
            // Cancelled before anything was measured.
            Optional<String> unstarted = starts.candidateFailed(trial);
            if (unstarted.isPresent()) {
                return unstarted.map(why -> Evaluation.builder(failed(why)));
            }
            if (control.givesUp()) {
                return Optional.empty();
            }
            throw new SearchException("evaluation " + trial.number() + ": " + e.getMessage() + GOES_ON);
        }
    }

    /**
     * Ends an evaluation whose candidate did not start, but not before it is known whether the control does: what no
     * target survives, as an application that is being built or a database that is down, is nothing that flags did.
     */
    private static final class Starts implements RunListener {
        private final Cancellation cancellation;
        private volatile String candidate;
        private volatile String control;
        private volatile boolean controlIsKnown;

        Starts(Cancellation cancellation) {
            this.cancellation = cancellation;
        }

        @Override
        public void targetFailed(String target, String why) {
            if (target.equals(JvmSearch.CANDIDATE)) {
                candidate = why;
            } else {
                control = why;
                controlIsKnown = true;
            }
            end();
        }

        @Override
        public void targetReady(ReadyTarget target) {
            controlIsKnown |= target.name().equals(JvmSearch.CONTROL);
            end();
        }

        private void end() {
            if (candidate != null && controlIsKnown) {
                // The control alone says nothing.
                cancellation.cancel();
            }
        }

        /**
         * Returns why the candidate did not start; absent where it did.
         *
         * @throws SearchException where the control did not either
         */
        Optional<String> candidateFailed(Trial trial) {
            if (candidate != null && control != null) {
                throw new SearchException("evaluation " + trial.number() + ": neither candidate nor control starts: "
                        + control.replaceFirst("^target " + JvmSearch.CONTROL + ": ", "") + GOES_ON);
            }
            return Optional.ofNullable(candidate);
        }
    }

    private static boolean isHopeless(Optional<EarlyStop> stop) {
        return stop.filter(EarlyStop::isHopeless).isPresent();
    }

    /** Candidates that fail alike are to have one reason: where the log is, the number of the evaluation tells. */
    private static Observation failed(String why) {
        return Observation.failed(why.replaceFirst("^target " + JvmSearch.CANDIDATE + ": ", "")
                .replaceFirst("; all output is in .*", ""));
    }

    /**
     * Returns what may end an evaluation early: not that of the default, which shows by how much equals differ, and not
     * as long as there is no model. Of two objectives, what is worse by one may be better by the other.
     */
    private Optional<EarlyStop> earlyStop(Trial trial, RunPlan plan, PairedParts parts) {
        boolean isDefault = search.plan().space().defaults().equals(Optional.of(trial.configuration()));
        OptionalLong lengthNs = search.objectiveNs(plan);
        if (!search.plan().stopEarly() || search.second().isPresent() || isDefault || lengthNs.isEmpty()) {
            return Optional.empty();
        }
        Optional<StudyState> held = state.get().filter(known -> known.noiseSd().isPresent());
        return held.flatMap(StudyState::best)
                // What must not be used is no measure of what may.
                .filter(best -> best.probabilityFeasible() >= FEASIBLE)
                .map(best -> new EarlyStop(
                        parts,
                        best.predicted(),
                        best.predictedSd(),
                        held.get().noiseSd().getAsDouble(),
                        lengthNs.getAsLong()));
    }

    /**
     * @param secondParts of the second objective; absent where there is one
     * @param stopped what ended it, since the candidate was surely worse than the best known; absent where it is whole
     */
    private Evaluation.Builder evaluation(
            RunOutcome outcome, PairedParts parts, Optional<PairedParts> secondParts, Optional<EarlyStop> stopped) {
        RunResult result = outcome.result();
        Optional<String> controlFailed = outcome.whyFailed(JvmSearch.CONTROL);
        if (controlFailed.isPresent()) {
            throw new SearchException("the control failed, without which no candidate can be judged: "
                    + controlFailed.get() + "; the same command goes on with this evaluation");
        }
        Optional<String> failed = outcome.whyFailed(JvmSearch.CANDIDATE);
        if (failed.isPresent()) {
            return Evaluation.builder(Observation.failed(failed.get()));
        }
        Optional<String> invalid = result.reasonsBesideLateness().stream().findFirst();
        if (invalid.isPresent()) {
            return Evaluation.builder(Observation.skipped("the run is INVALID: " + invalid.get()));
        }
        TargetResult candidate = result.target(JvmSearch.CANDIDATE).orElseThrow();
        TargetResult control = result.target(JvmSearch.CONTROL).orElseThrow();
        if (isMute(candidate) && !isMute(control)) {
            return Evaluation.builder(Observation.failed("it answered no request well, which the control did"));
        }
        Observation.Builder observation = Observation.builder()
                .putAllConstraints(search.limits().measured(result, JvmSearch.CANDIDATE, JvmSearch.CONTROL));
        if (stopped.isPresent()) {
            Optional<String> spoiled = spoiled(search.objective().key(), result);
            if (spoiled.isPresent()) {
                return noRatio(search.objective(), spoiled.get());
            }
            // Its verdict is none, since the launch is not whole: the parts are what was seen of it.
            Evaluation.Builder evaluation = Evaluation.builder(observation
                            .value(stopped.get().logRatio())
                            .variance(stopped.get().variance())
                            .build())
                    .stoppedEarly(true);
            if (!search.objective().isSteady(candidate) || !search.objective().isSteady(control)) {
                evaluation.note(NOT_STEADY);
            }
            return evaluation;
        }
        parts.variance().ifPresent(observation::variance);
        Optional<Verdict> verdict =
                result.verdicts().stream().filter(Verdict::primary).findFirst();
        boolean isByOther = verdict.filter(
                        found -> !found.metric().equals(search.objective().key()))
                .isPresent();
        if (isByOther && refuses(candidate) && !refuses(control)) {
            return Evaluation.builder(Observation.failed("it refused requests at full load"));
        }
        // Not the verdict's own reason, which is why nothing is claimed: a model needs the figure whoever looks better.
        Optional<String> spoiled = verdict.flatMap(found -> spoiled(found.metric(), result));
        double value =
                Math.log(verdict.map(found -> found.ratio().orElse(Double.NaN)).orElse(Double.NaN));
        if (spoiled.isPresent() || !Double.isFinite(value)) {
            return noRatio(search.objective(), spoiled.orElse(NO_FIGURE));
        }
        if (search.second().isPresent()) {
            Optional<String> second = spoiled(search.second().get().key(), result);
            if (second.isPresent()) {
                return noRatio(search.second().get(), second.get());
            }
            double ratio = ratio(search.second().get(), candidate, control);
            if (!Double.isFinite(ratio)) {
                return noRatio(search.second().get(), NO_FIGURE);
            }
            observation.secondValue(ratio);
            secondParts.orElseThrow().variance().ifPresent(observation::secondVariance);
        }
        Evaluation.Builder evaluation =
                Evaluation.builder(observation.value(value).build());
        if (verdict.get().finding() == Verdict.Finding.NOT_STEADY) {
            evaluation.note(NOT_STEADY);
        }
        List<String> unmeasured = search.limits().unmeasured(result, JvmSearch.CANDIDATE, JvmSearch.CONTROL);
        if (!unmeasured.isEmpty()) {
            evaluation.note("not measured: " + String.join(", ", unmeasured));
        }
        if (isByOther) {
            evaluation.note("by " + verdict.get().metric() + ", since " + search.objective() + " was not measured");
        }
        return evaluation;
    }

    private static Evaluation.Builder noRatio(Metric metric, String why) {
        return Evaluation.builder(Observation.skipped("no ratio of " + metric + ": " + why));
    }

    /** Returns why a figure is not the targets' own, as where Lockstep set their pace. */
    private static Optional<String> spoiled(String metric, RunResult result) {
        return new Spoilers(result).why(metric, List.of(JvmSearch.CANDIDATE, JvmSearch.CONTROL));
    }

    private static boolean isMute(TargetResult target) {
        return target.counts()
                .filter(counts -> counts.due() > 0 && counts.successful() == 0)
                .isPresent();
    }

    private static boolean refuses(TargetResult target) {
        return target.launches().stream().anyMatch(Metric.FULL_LOAD_CPU_PER_REQUEST::isRefused);
    }

    /** Returns log(candidate / control); no finite number where there is none. */
    private static double ratio(Metric metric, TargetResult candidate, TargetResult control) {
        return Math.log(
                metric.of(candidate).orElse(Double.NaN) / metric.of(control).orElse(Double.NaN));
    }

    @Override
    public void close() {}
}
