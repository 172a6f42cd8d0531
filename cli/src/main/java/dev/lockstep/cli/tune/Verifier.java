package dev.lockstep.cli.tune;

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
import dev.lockstep.search.Control;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.Verification;
import dev.lockstep.tuner.Configuration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

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

        /** Returns whether a verification was at least as sure as this one; of old journals nobody knows. */
        boolean isReachedBy(Verification found) {
            return Arrays.stream(values())
                    .anyMatch(one -> found.effort().equals(Optional.of(one.key)) && one.launches >= launches);
        }
    }

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
        List<TargetSpec> specs = search.verified(best);
        return search.verification(specs, effort.launches, effort.most);
    }

    /**
     * Carries it out. Of all that can be wished, only an interruption ends it.
     *
     * @return absent where it was interrupted
     */
    Optional<RunResult> run(Configuration best, List<RunListener> listeners, Control control) {
        List<TargetSpec> specs = search.verified(best);
        RunConfig config = search.config(plan(best), specs)
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

    /** Returns the result of an earlier verification; absent where its directory was removed. */
    Optional<RunResult> read() {
        return Files.exists(directory) ? Optional.of(RunDirectoryReader.read(directory)) : Optional.empty();
    }

    /** @param expected the logarithm of the ratio that the search expected; not a number for none */
    Verification judge(Configuration best, RunResult result, double expected) {
        Optional<Verdict> verdict = result.verdicts().stream()
                .filter(one -> one.primary() && one.target().equals(JvmSearch.TUNED))
                .findFirst();
        boolean holds =
                verdict.filter(one -> one.finding() == Verdict.Finding.BETTER).isPresent()
                        // What Lockstep's lateness spoils, the verdict itself says.
                        && result.latenessReasons().containsAll(result.statusReasons());
        Verification.Builder found = Verification.builder(SearchPlan.print(best))
                .parameters(best)
                .effort(effort.key)
                .holds(holds)
                .finding(verdict.map(one -> one.finding().key()).orElse("no verdict"))
                .directory(directory.toString())
                .sentence(sentence(verdict, holds, expected));
        verdict.ifPresent(one -> {
            found.ratio(one.ratio());
            Optional.ofNullable(one.interval95())
                    .ifPresent(interval -> found.low(interval.low()).high(interval.high()));
        });
        return found.build();
    }

    private String sentence(Optional<Verdict> verdict, boolean holds, double expected) {
        StringBuilder text = new StringBuilder(holds ? "VERIFIED: " : "NOT CONFIRMED: ");
        text.append("afresh, ").append(search.objective().label()).append(" of the best is ");
        if (verdict.isEmpty() || verdict.get().ratio().isEmpty()) {
            return text.append("not known").toString();
        }
        Verdict found = verdict.get();
        text.append(ratio(found.ratio().getAsDouble())).append(" of the default's (");
        Optional.ofNullable(found.interval95()).ifPresent(interval -> text.append("95 % interval ")
                .append(ratio(interval.low()))
                .append(" to ")
                .append(ratio(interval.high()))
                .append(", "));
        text.append(found.launches())
                .append(found.launches() == 1 ? " launch): " : " launches): ")
                .append(found.finding().key())
                .append(found.indicative() ? " (indicative)" : "");
        return Double.isNaN(expected)
                ? text.toString()
                : text.append("; the search expected ")
                        .append(ratio(Math.exp(expected)))
                        .toString();
    }

    private static String ratio(double ratio) {
        return String.format(Locale.ROOT, "%.3f", ratio);
    }
}
