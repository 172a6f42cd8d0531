package dev.lockstep.cli.tune;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.terminal.Progress;
import dev.lockstep.cli.terminal.RunPrinter;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.results.RunResult;
import dev.lockstep.run.RunListener;
import dev.lockstep.search.Best;
import dev.lockstep.search.Journal;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SearchResult;
import dev.lockstep.search.Verification;
import dev.lockstep.tuner.Configuration;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Tunes by JVMs under load, and verifies by fresh launches of them. Used by one thread. */
final class JvmTuning {
    /** The one target that a verification without a front is about. */
    static final List<String> TUNED_ONLY = List.of(JvmSearch.TUNED);

    private final SearchSession session;
    private final Verifier.Effort effort;
    private final boolean again;

    /** @param again whether a verification that decided nothing is made once more */
    JvmTuning(SearchSession session, Verifier.Effort effort, boolean again) {
        this.session = session;
        this.effort = effort;
        this.again = again;
    }

    /** What came of a search. Immutable. */
    static final class Ended {
        final SearchResult result;
        final int exitCode;

        Ended(SearchResult result, int exitCode) {
            this.result = result;
            this.exitCode = exitCode;
        }

        static Ended of(SearchResult result) {
            return new Ended(result, result.interrupted() ? ExitCode.FAILED : ExitCode.DONE);
        }
    }

    /**
     * @param folder of the search
     * @param force begins anew where the folder has another search
     */
    Ended run(JvmSearch search, Path folder, boolean force) {
        Verifier verifier = new Verifier(search, effort, folder);
        SearchPlan plan = search.plan();
        PrintWriter err = session.err();
        SearchPrinter printer = new SearchPrinter(err, Scale.RATIO, true, System::nanoTime);
        // What runs say, a person sees on a terminal; a log would be full of it.
        List<RunListener> listeners = Terminal.isWatched() ? List.of(quiet()) : List.of();
        try (Journal journal = Journal.open(folder, plan, session.how(search.identity()), force);
                SearchPages pages = new SearchPages(folder, Scale.RATIO, printer, System::nanoTime)
                        .measuring(
                                search.objective().label() + ", candidate over control",
                                search.second()
                                        .map(metric -> metric.label() + ", candidate over control")
                                        .orElse(""))
                        .fact("Searched", search.describe())
                        // Targets are started once the page is there: it costs no measured processor anything.
                        .showingAll()
                        .flags(configuration -> SearchSession.shell(search.options(configuration)))) {
            SearchResult result = session.search(
                    plan, journal, pages, evaluations -> new JvmEvaluator(search, folder, journal.told(), listeners));
            Ended ended = plan.hasTwoObjectives()
                    ? verifyFront(result, verifier, journal, pages)
                    : verify(result, search, verifier, journal, pages);
            SearchSession.close(journal, ended.result);
            return ended;
        }
    }

    private boolean isEnough(Verification found) {
        return effort.isReachedBy(found) && !(again && Verifier.isOpen(found));
    }

    private Ended verify(SearchResult result, JvmSearch search, Verifier verifier, Journal journal, SearchPages pages) {
        if (result.interrupted()
                || effort == Verifier.Effort.NONE
                || result.best().isEmpty()) {
            Optional<Verification> earlier = result.best()
                    .flatMap(best -> journal.verified(best.configuration()))
                    .filter(effort::isReachedBy);
            session.print(
                    earlier.map(result::verified).orElse(result),
                    pages,
                    earlier.map(Verification::sentence).orElse(null),
                    null);
            return Ended.of(result);
        }
        Best best = result.best().get();
        if (search.plan().space().defaults().equals(Optional.of(best.configuration()))) {
            session.print(result, pages, SearchSession.NOTHING_BETTER, null);
            return Ended.of(result);
        }
        Optional<Verification> earlier = journal.verified(best.configuration());
        Optional<Verification> known = earlier.filter(found -> isEnough(found) && verifier.hasBaselines(found));
        Optional<RunResult> run;
        if (known.isPresent()) {
            run = verifier.read(best.configuration());
            if (run.isEmpty()) {
                pages.note(known.get().directory().orElse("the verification")
                        + ": has no run of it any more; what is known of it is in the journal");
                session.print(result.verified(known.get()), pages, known.get().sentence(), null);
                return Ended.of(result.verified(known.get()));
            }
        } else {
            Optional<String> needless = afresh(result, pages, () -> search.whyNoVerification(best.configuration()));
            if (needless.isPresent()) {
                session.print(result, pages, needless.get(), null);
                return Ended.of(result);
            }
            pages.verifying(result, "the best", SearchPlan.print(best.configuration()));
            run = afresh(
                    result, pages, () -> verifier.run(best.configuration(), List.of(quiet()), session.control(pages)));
        }
        if (run.isEmpty()) {
            session.print(result, pages, "NOT VERIFIED: interrupted; the same command goes on", null);
            return Ended.of(result.cutShort());
        }
        Optional<String> invalid = known.isPresent() ? Optional.empty() : Verifier.whyNothing(run.get(), TUNED_ONLY);
        if (invalid.isPresent()) {
            return notVerified(result, invalid.get(), pages, run.get());
        }
        Verification found = known.orElseGet(() -> verifier.judge(best, run.get(), earlier));
        if (known.isEmpty()) {
            journal.verify(found);
        }
        SearchResult whole = result.verified(found);
        session.print(whole, pages, found.sentence(), run.get());
        return Ended.of(whole);
    }

    /** Carries a verification out. Where that cannot be done, what was searched for is told all the same. */
    private <T> Optional<T> afresh(SearchResult result, SearchPages pages, Supplier<Optional<T>> verification) {
        try {
            return verification.get();
        } catch (RuntimeException e) {
            // Why it failed goes to standard error, and may hold what a page must not.
            session.print(
                    result,
                    pages,
                    "NOT VERIFIED: the verification could not be carried out; the same command does it again",
                    null);
            throw e;
        }
    }

    /** Tells of a verification that tells nothing: it is not kept, so that the same command makes another one. */
    private Ended notVerified(SearchResult result, String why, SearchPages pages, RunResult run) {
        session.print(result, pages, "NOT VERIFIED: " + why + "; the same command verifies once more", run);
        return new Ended(result.cutShort(), ExitCode.INVALID);
    }

    /**
     * Compares both ends of a front, and the member between that bulges most, with the default; but not the default
     * with itself.
     */
    private Ended verifyFront(SearchResult result, Verifier verifier, Journal journal, SearchPages pages) {
        Map<String, Configuration> members = new LinkedHashMap<>();
        List<String> defaults = new ArrayList<>();
        result.frontMembers().forEach((role, one) -> {
            if (result.plan().space().defaults().equals(Optional.of(one.configuration()))) {
                defaults.add(role);
            } else {
                members.put(role, one.configuration());
            }
        });
        List<Verification> known = new ArrayList<>();
        members.forEach((role, one) -> journal.verified(Optional.of(role), one)
                .filter(found -> isEnough(found) && verifier.hasBaselines(found))
                .ifPresent(known::add));
        boolean isKnown = !known.isEmpty() && known.size() == members.size();
        if (isKnown || result.interrupted() || effort == Verifier.Effort.NONE || members.isEmpty()) {
            SearchResult whole = isKnown ? result.verified(known) : result;
            boolean isDefault =
                    members.isEmpty() && !defaults.isEmpty() && !result.interrupted() && effort != Verifier.Effort.NONE;
            session.print(
                    whole,
                    pages,
                    isKnown ? Verifier.sentence(known, defaults) : isDefault ? SearchSession.NOTHING_BETTER : null,
                    null);
            return Ended.of(whole);
        }
        pages.verifying(result, "the front", String.join(", ", members.keySet()));
        Optional<RunResult> run =
                afresh(result, pages, () -> verifier.run(members, List.of(quiet()), session.control(pages)));
        if (run.isEmpty()) {
            session.print(result, pages, "NOT VERIFIED: interrupted; the same command goes on", null);
            return Ended.of(result.cutShort());
        }
        Optional<String> invalid = Verifier.whyNothing(run.get(), members.keySet());
        if (invalid.isPresent()) {
            return notVerified(result, invalid.get(), pages, run.get());
        }
        List<Verification> found = new ArrayList<>();
        members.forEach((role, one) ->
                found.add(verifier.judge(role, one, run.get(), journal.verified(Optional.of(role), one))));
        found.forEach(journal::verify);
        SearchResult whole = result.verified(found);
        session.print(whole, pages, Verifier.sentence(found, defaults), run.get());
        return Ended.of(whole);
    }

    /** Returns a listener that shows how a run goes, and not its result. */
    RunListener quiet() {
        return new RunPrinter(
                new Progress(session.err(), Terminal.isWatched()),
                new PrintWriter(Writer.nullWriter()),
                false,
                Terminal.paint());
    }
}
