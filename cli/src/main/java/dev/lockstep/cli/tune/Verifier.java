package dev.lockstep.cli.tune;

import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.Spoilers;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.replay.ReportCommand;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.report.Report;
import dev.lockstep.report.ReportFormat;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.directory.RunDirectoryReader;
import dev.lockstep.results.directory.RunDirectoryWriter;
import dev.lockstep.run.Cancellation;
import dev.lockstep.run.ReplayRun;
import dev.lockstep.run.RunConfig;
import dev.lockstep.run.RunException;
import dev.lockstep.run.RunListener;
import dev.lockstep.run.RunOutcome;
import dev.lockstep.search.Best;
import dev.lockstep.search.Control;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.Verification;
import dev.lockstep.tuner.Configuration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares a search's best configuration with the default, afresh and by the rules of {@code --verdict}: what the
 * search itself saw of it was chosen among many for being good. Used by one thread.
 */
final class Verifier {
    /** How sure the verification is to be. */
    enum Effort {
        VERDICT("verdict", 6, 12),
        QUICK("quick", 3, 3),
        NONE("none", 0, 0);

        private final String key;
        private final int launches;
        private final int most;

        Effort(String key, int launches, int most) {
            this.key = key;
            this.launches = launches;
            this.most = most;
        }

        String key() {
            return key;
        }

        /** Returns whether a verification was at least as sure as this one. */
        boolean isReachedBy(Verification found) {
            return Arrays.stream(values())
                    .anyMatch(one -> found.effort().equals(Optional.of(one.key)) && one.launches >= launches);
        }
    }

    private static final String NO_VERDICT = "no verdict";
    private static final Set<String> OPEN = Set.of(
            Verdict.Finding.NOT_STEADY.key(),
            Verdict.Finding.INCONCLUSIVE.key(),
            Verdict.Finding.BETTER.key(),
            NO_VERDICT);

    private static final int FRONT_MEMBERS = 3;
    /** An interval whose end is more than so many times its beginning says no more than that it is wide. */
    private static final double MOST_TIMES = 100;

    private final JvmSearch search;
    private final Effort effort;
    private final Path directory;

    /** @param directory of the search */
    Verifier(JvmSearch search, Effort effort, Path directory) {
        this.search = search;
        this.effort = effort;
        this.directory = directory.resolve("verification");
    }

    RunPlan plan(Configuration best) {
        Map<String, Configuration> tuned = new LinkedHashMap<>();
        if (search.second().isPresent()) {
            // Both ends of a front, and one between.
            for (int i = 1; i <= FRONT_MEMBERS; i++) {
                tuned.put(JvmSearch.TUNED + i, best);
            }
        } else {
            tuned.put(JvmSearch.TUNED, best);
        }
        return search.verification(search.verified(tuned), effort.launches, effort.most);
    }

    /**
     * Carries it out. Of all that can be wished, only an interruption ends it.
     *
     * @return absent where it was interrupted
     */
    Optional<RunResult> run(Configuration best, List<RunListener> listeners, Control control) {
        return run(Map.of(JvmSearch.TUNED, best), listeners, control);
    }

    /**
     * As {@link #run(Configuration, List, Control)}, of several at once.
     *
     * @param tuned configurations by the names of their targets
     */
    Optional<RunResult> run(Map<String, Configuration> tuned, List<RunListener> listeners, Control control) {
        control.refuse(Control.Wish.PAUSE, Control.Wish.SKIP, Control.Wish.CONCLUDE);
        List<TargetSpec> specs = search.verified(tuned);
        RunPlan plan = search.verification(specs, effort.launches, effort.most);
        RunConfig config = search.config(plan, specs)
                .conditions(search.limits().conditions(plan, List.copyOf(tuned.keySet()), JvmSearch.DEFAULT))
                .summary(result -> Report.of(result).as(ReportFormat.CSV))
                .build();
        Cancellation cancellation = new Cancellation();
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, true);
                GivingUp watch = GivingUp.watch(control::isInterrupted, cancellation)) {
            RunOutcome outcome = ReplayRun.run(config, writer, listeners, cancellation);
            outcome.failure().ifPresent(failure -> {
                throw new CliException("the verification failed: " + failure.getMessage());
            });
            if (watch.gaveUp()) {
                return Optional.empty();
            }
            writer.page(ReportCommand.page(outcome.result(), directory));
            return Optional.of(outcome.result());
        } catch (RunException e) {
            if (control.isInterrupted()) {
                // Before anything was measured.
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Returns the result of an earlier verification of a configuration; absent where that was removed, or replaced by
     * another one's or one that tells nothing.
     */
    Optional<RunResult> read(Configuration best) {
        return Optional.of(directory)
                .filter(one -> Files.exists(one.resolve("run.json")))
                .map(RunDirectoryReader::read)
                .filter(result -> isOf(best, result.plan())
                        && !result.interrupted()
                        && whyNothing(result, JvmTuning.TUNED_ONLY).isEmpty());
    }

    /** Whether an earlier verification was against all baselines that are asked for by now. */
    boolean hasBaselines(Verification found) {
        return found.baselines().containsAll(search.baselineNames());
    }

    private boolean isOf(Configuration best, RunPlan found) {
        List<String> options =
                search.verified(Map.of(JvmSearch.TUNED, best)).get(1).jvmOptions();
        return found.targets().stream()
                .anyMatch(target -> target.name().equals(JvmSearch.TUNED)
                        && target.jvmOptions().equals(options));
    }

    /**
     * Returns why a verification tells nothing, a clause for people; absent where it tells something of one target at
     * least. A target that does no work in a launch tells that it does not hold.
     *
     * @param tuned the targets that it is about, without baselines
     */
    static Optional<String> whyNothing(RunResult result, Collection<String> tuned) {
        Spoilers spoilers = new Spoilers(result);
        List<Optional<String>> spoiled = tuned.stream()
                .flatMap(target -> primary(result, target).stream())
                .map(one -> spoilers.why(one.metric(), List.of(one.target(), one.baseline())))
                .collect(Collectors.toList());
        return spoiled.stream().allMatch(Optional::isPresent)
                ? spoiled.stream().flatMap(Optional::stream).findFirst().or(spoilers::invalid)
                : Optional.empty();
    }

    /** Whether a verification decided nothing, so that another one may. */
    static boolean isOpen(Verification found) {
        return !found.holds()
                && found.violated().isEmpty()
                // Where it is better, a constraint was not measured.
                && Stream.of(Optional.of(found.finding()), found.secondFinding())
                        .flatMap(Optional::stream)
                        .anyMatch(OPEN::contains);
    }

    /** @param earlier what another verification of it found */
    Verification judge(Best best, RunResult result, Optional<Verification> earlier) {
        return judge(best.configuration(), result, best.predicted().orElse(Double.NaN), onceMore(earlier));
    }

    private static String onceMore(Optional<Verification> earlier) {
        return earlier.map(one -> "; verified once more, the one before was " + one.finding())
                .orElse("");
    }

    /** As {@link #judge(Best, RunResult, Optional)}, of one that was found by another search. */
    Verification judge(Configuration best, RunResult result) {
        return judge(best, result, Double.NaN, "");
    }

    /**
     * @param expected the logarithm of the ratio that the search expected; not a number for none
     * @param more is said behind that
     */
    private Verification judge(Configuration best, RunResult result, double expected, String more) {
        Optional<Verdict> verdict = primary(result, JvmSearch.TUNED);
        List<String> violated = search.limits().violated(result, JvmSearch.TUNED, JvmSearch.DEFAULT);
        List<String> unknown = search.limits().unmeasured(result, JvmSearch.TUNED, JvmSearch.DEFAULT);
        boolean holds = isBetter(verdict, search.objective()) && violated.isEmpty() && unknown.isEmpty();
        return found(best, verdict, violated)
                .holds(holds)
                .sentence(sentence(verdict, holds, expected) + violates(violated, unknown) + more)
                .build();
    }

    private Verification.Builder found(Configuration tuned, Optional<Verdict> verdict, List<String> violated) {
        Verification.Builder found = Verification.builder(SearchPlan.print(tuned))
                .parameters(tuned)
                .effort(effort.key)
                .finding(finding(verdict))
                .violated(violated)
                .baselines(search.baselineNames())
                .directory(directory.toString());
        verdict.ifPresent(one -> {
            found.ratio(one.ratio());
            Optional.ofNullable(one.interval95())
                    .ifPresent(interval -> found.low(interval.low()).high(interval.high()));
        });
        return found;
    }

    /** Returns which constraints do not hold, and which nobody knows of, as clauses; empty where all hold. */
    static String violates(List<String> violated, List<String> unknown) {
        return (violated.isEmpty() ? "" : "; it violates " + String.join(", ", violated))
                + (unknown.isEmpty() ? "" : "; nobody knows whether it keeps " + String.join(", ", unknown));
    }

    /**
     * Judges a member of a front: it holds if it is better than the default by one of the two objectives at least.
     *
     * @param role which is the name of its target, too
     * @param earlier what another verification of it found
     */
    Verification judge(String role, Configuration member, RunResult result, Optional<Verification> earlier) {
        Optional<Verdict> first = primary(result, role);
        Optional<Verdict> second = verdict(result, role, search.second().orElseThrow());
        List<String> violated = search.limits().violated(result, role, JvmSearch.DEFAULT);
        List<String> unknown = search.limits().unmeasured(result, role, JvmSearch.DEFAULT);
        Verification.Builder found = found(member, first, violated)
                .role(role)
                .holds((isBetter(first, search.objective())
                                || isBetter(second, search.second().orElseThrow()))
                        && violated.isEmpty()
                        && unknown.isEmpty())
                .secondFinding(finding(second))
                .sentence(role + ": " + compared(search.objective(), first) + "; "
                        + compared(search.second().get(), second) + violates(violated, unknown) + onceMore(earlier));
        second.ifPresent(one -> {
            found.secondRatio(one.ratio());
            Optional.ofNullable(one.interval95())
                    .ifPresent(interval -> found.secondLow(interval.low()).secondHigh(interval.high()));
        });
        return found.build();
    }

    /** Returns the verdict that decides: where the objective was not measured it is on another metric. */
    static Optional<Verdict> primary(RunResult result, String target) {
        return result.verdicts().stream()
                .filter(one -> one.primary() && one.target().equals(target))
                .findFirst();
    }

    private static Optional<Verdict> verdict(RunResult result, String target, Metric metric) {
        return result.verdicts().stream()
                .filter(one -> one.target().equals(target) && one.metric().equals(metric.key()))
                .findFirst();
    }

    /** Whether it is better by what was sought: a verdict on another metric, in its place, confirms nothing. */
    static boolean isBetter(Optional<Verdict> verdict, Metric objective) {
        return verdict.filter(one ->
                        one.finding() == Verdict.Finding.BETTER && one.metric().equals(objective.key()))
                .isPresent();
    }

    private static String finding(Optional<Verdict> verdict) {
        return verdict.map(one -> one.finding().key()).orElse(NO_VERDICT);
    }

    /** @param metric in place of which the verdict may be on another */
    static String compared(Metric metric, Optional<Verdict> verdict) {
        Metric judged = verdict.flatMap(one -> Metric.of(one.metric())).orElse(metric);
        StringBuilder text = new StringBuilder(judged.label()).append(' ');
        Optional<Verdict> known = verdict.filter(one -> one.ratio().isPresent());
        if (known.isEmpty()) {
            return text.append("not known").append(because(verdict)).toString();
        }
        return text.append(ratio(known.get().ratio().getAsDouble()))
                .append(" of the default's, ")
                .append(finding(known))
                .append(because(known))
                .toString();
    }

    private static String because(Optional<Verdict> verdict) {
        return verdict.flatMap(Verdict::whyNot).map(why -> ", because " + why).orElse("");
    }

    /**
     * Returns what the verification of a front came to, a sentence for people.
     *
     * @param members that were compared with the default
     * @param defaults the roles of those that are the default
     */
    static String sentence(List<Verification> members, List<String> defaults) {
        long held = members.stream().filter(Verification::holds).count();
        return (held == members.size() ? "VERIFIED: " : held > 0 ? "PARTLY CONFIRMED: " : "NOT CONFIRMED: ")
                + held + " of " + members.size()
                + " members of the front, compared afresh, are better than the default by an objective ("
                + members.stream().map(Verification::sentence).collect(Collectors.joining("; ")) + ")"
                + defaults.stream().map(role -> "; " + role + " is the default").collect(Collectors.joining());
    }

    private String sentence(Optional<Verdict> verdict, boolean holds, double expected) {
        StringBuilder text = new StringBuilder(holds ? "VERIFIED: " : "NOT CONFIRMED: ");
        Metric judged = verdict.flatMap(one -> Metric.of(one.metric())).orElse(search.objective());
        text.append("afresh, ").append(judged.label()).append(" of the best is ");
        if (verdict.isEmpty() || verdict.get().ratio().isEmpty()) {
            return text.append("not known").append(because(verdict)).toString();
        }
        Verdict found = verdict.get();
        text.append(ratio(found.ratio().getAsDouble())).append(" of the default's (");
        // Two launches that differ give one over many powers of ten.
        Optional.ofNullable(found.interval95()).ifPresent(interval -> text.append(level(found))
                .append(" interval ")
                .append(
                        interval.high() > MOST_TIMES * interval.low()
                                ? "too wide"
                                : ratio(interval.low()) + " to " + ratio(interval.high()))
                .append(", "));
        text.append(found.launches())
                .append(found.launches() == 1 ? " launch): " : " launches): ")
                .append(found.finding().key())
                .append(found.indicative() ? " (indicative)" : "")
                .append(because(verdict));
        if (judged != search.objective()) {
            return text.append("; ")
                    .append(search.objective().label())
                    .append(", which was sought, is not known of all targets")
                    .toString();
        }
        return Double.isNaN(expected)
                ? text.toString()
                : text.append("; the search expected ")
                        .append(ratio(Math.exp(expected)))
                        .toString();
    }

    private static String level(Verdict verdict) {
        return String.format(
                                Locale.ROOT,
                                "%.1f",
                                100 * verdict.interval95Level().orElse(0.95))
                        .replace(".0", "")
                + " %";
    }

    private static String ratio(double ratio) {
        return String.format(Locale.ROOT, "%.3f", ratio);
    }
}
