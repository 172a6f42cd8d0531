package dev.lockstep.cli.tune;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.launcher.ProcessStarter;
import dev.lockstep.search.Best;
import dev.lockstep.search.Evaluator;
import dev.lockstep.search.FreshPairs;
import dev.lockstep.search.Journal;
import dev.lockstep.search.ProgramEvaluator;
import dev.lockstep.search.SearchException;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SearchResult;
import dev.lockstep.search.Verification;
import dev.lockstep.tuner.Configuration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Tunes by what a program answers, and verifies by fresh evaluations of it. Used by one thread. */
final class ProgramTuning {
    private final SearchSession session;
    private final String command;
    private final Optional<Duration> limit;
    private final int pairs;

    /**
     * @param command is started once, and handed each configuration
     * @param limit how long an evaluation may take
     * @param pairs how many evaluations of the best and of the default verify it; 0 for none
     */
    ProgramTuning(SearchSession session, String command, Optional<Duration> limit, int pairs) {
        this.session = session;
        this.command = command;
        this.limit = limit;
        this.pairs = pairs;
    }

    /**
     * @param folder of the search
     * @param force begins anew where the folder has another search
     * @return the exit code
     */
    int run(SearchPlan plan, Path folder, boolean force) {
        try (Journal journal = Journal.open(
                        folder, plan, session.how(Map.of("evaluate", SearchSession.identity(command))), force);
                SearchPages pages = new SearchPages(
                                folder,
                                Scale.PLAIN,
                                new SearchPrinter(session.err(), Scale.PLAIN, false, System::nanoTime),
                                System::nanoTime)
                        .measuring(
                                plan.secondObjective()
                                        .flatMap(second -> plan.objective())
                                        .orElse("value"),
                                plan.secondObjective().orElse(""))
                        .fact("Evaluated by", SearchSession.firstWord(command))
                        .flags(SearchPlan::printWhole)) {
            Supplier<Evaluator> evaluator =
                    () -> ProgramEvaluator.start(command, plan.space(), folder, ProcessStarter::restoreLocale)
                            .within(limit);
            SearchResult result = session.search(plan, journal, pages, evaluations -> evaluator.get());
            return verify(result, journal, pages, evaluator);
        }
    }

    private int verify(SearchResult result, Journal journal, SearchPages pages, Supplier<Evaluator> evaluator) {
        Optional<Best> best = pairs == 0 || result.interrupted() ? Optional.empty() : result.best();
        boolean isDefault = result.plan().space().defaults().equals(best.map(Best::configuration)) && best.isPresent();
        if (best.isEmpty() || isDefault) {
            session.print(result, pages, isDefault ? SearchSession.NOTHING_BETTER : null, null);
            SearchSession.close(journal, result);
            return result.interrupted() ? ExitCode.FAILED : ExitCode.DONE;
        }
        Configuration found = best.get().configuration();
        pages.verifying(result, "the best", SearchPlan.print(found));
        Optional<FreshPairs> fresh;
        try {
            fresh = FreshPairs.evaluate(result.plan(), journal, session.control(pages), found, pairs, evaluator);
        } catch (SearchException e) {
            session.print(result, pages, "NOT VERIFIED: " + e.kept(), null);
            throw e;
        }
        if (fresh.isEmpty()) {
            session.print(result, pages, "NOT VERIFIED: interrupted; the same command goes on", null);
            return ExitCode.FAILED;
        }
        Verification judged = ProgramVerifier.judge(result.plan(), best.get(), fresh.get());
        SearchResult whole = result.verified(judged);
        session.print(whole, pages, judged.sentence(), null);
        SearchSession.close(journal, whole);
        return ExitCode.DONE;
    }
}
