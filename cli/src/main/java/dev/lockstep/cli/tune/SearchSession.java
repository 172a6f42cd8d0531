package dev.lockstep.cli.tune;

import dev.lockstep.cli.command.CommandNames;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.replay.LiveOptions;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.launcher.ProcessStarter;
import dev.lockstep.report.Report;
import dev.lockstep.report.ReportFormat;
import dev.lockstep.results.Output;
import dev.lockstep.results.RunResult;
import dev.lockstep.search.Control;
import dev.lockstep.search.Engine;
import dev.lockstep.search.Evaluator;
import dev.lockstep.search.Journal;
import dev.lockstep.search.ProgramEngine;
import dev.lockstep.search.Search;
import dev.lockstep.search.SearchException;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SearchResult;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/**
 * How the command line carries a search out: chooses and evaluates, prints what came of it, and says by which command
 * it goes on. One for all searches of a command; used by one thread.
 */
final class SearchSession {
    static final String NOTHING_BETTER = "NOTHING BETTER than the default was found";

    private final CommandSpec spec;
    private final Interruption interruption;
    private final LiveOptions live;
    private final boolean json;
    private final int parallel;
    private final int more;
    private final String engine;
    /** Whether it was said which keys there are. */
    private boolean saidKeys;

    /**
     * @param parallel evaluations at a time
     * @param more evaluations, added to a search that is finished
     * @param engine the command that chooses; null for Lockstep's own optimiser
     */
    SearchSession(
            CommandSpec spec,
            Interruption interruption,
            LiveOptions live,
            boolean json,
            int parallel,
            int more,
            String engine) {
        this.spec = spec;
        this.interruption = interruption;
        this.live = live;
        this.json = json;
        this.parallel = parallel;
        this.more = more;
        this.engine = engine;
    }

    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Returns what people wish of the search of a page. */
    Control control(SearchPages pages) {
        return Control.of(pages.directory(), interruption::isRequested);
    }

    /** @param evaluator is made when the first evaluation is due */
    SearchResult search(SearchPlan plan, Journal journal, SearchPages pages, IntFunction<Evaluator> evaluator) {
        interruption.onRequest(() -> {});
        Control wishes = control(pages);
        // Before evaluations are added, for an engine may refuse so many.
        try (Engine chosen = engine(plan, Search.evaluations(plan, journal, more), pages);
                SearchKeys keys = new SearchKeys(wishes, err())) {
            Search search = new Search(plan, journal, wishes, pages, parallel, more);
            pages.showOn(live.launch(
                    pages.page(search.before(), Optional.empty()),
                    Arrays.stream(Control.Wish.values())
                            .map(Control.Wish::label)
                            .collect(Collectors.toList()),
                    word -> Control.Wish.of(word).ifPresent(wish -> wish(wishes, wish, pages)),
                    spec.commandLine().getErr()));
            if (!search.before().finished()) {
                saidKeys |= keys.takeFromTerminal(!saidKeys);
            }
            try {
                return pages.scale().of(search.run(chosen, evaluator));
            } catch (RuntimeException e) {
                // Whatever failed, its page must not say for good that it goes on.
                print(pages.scale().of(search.until(chosen, e)), pages, null, null);
                throw e;
            }
        }
    }

    /** As of a page that was not told yet that a verification began. */
    private static void wish(Control wishes, Control.Wish wish, SearchPages pages) {
        try {
            wishes.wish(wish);
        } catch (SearchException e) {
            pages.note(e.getMessage());
        }
    }

    private Engine engine(SearchPlan plan, int count, SearchPages pages) {
        return engine == null
                ? Search.engine(plan, count)
                : ProgramEngine.start(
                        engine,
                        plan,
                        count,
                        pages.directory(),
                        ProcessStarter::restoreLocale,
                        interruption::isRequested);
    }

    /** Returns what evaluates and what chooses, for the journal. */
    Map<String, String> how(Map<String, String> evaluates) {
        Map<String, String> how = new LinkedHashMap<>(evaluates);
        if (engine != null) {
            how.put("engine", identity(engine));
        }
        return how;
    }

    /** Returns a command for the journal, which is to tell it from others and not to hold its secrets. */
    static String identity(String command) {
        return firstWord(command) + ", sha256 " + Journal.digest(command);
    }

    /** Returns the program of a command, for people: what follows, or is set before, can be secret. */
    static String firstWord(String command) {
        String word = command.trim().split("\\s+", 2)[0];
        return word.matches("[A-Za-z0-9_./@%+:,-]+") ? word : "a shell command";
    }

    /** Keeps that a search is finished, unless it was interrupted. */
    static void close(Journal journal, SearchResult shown) {
        if (!shown.interrupted()) {
            journal.finish(shown);
        }
    }

    /**
     * @param headline stands in place of the search's own; null for that
     * @param verification is printed below; null for none
     */
    void print(SearchResult result, SearchPages pages, String headline, RunResult verification) {
        pages.show(result, Optional.ofNullable(headline));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            PrintWriter utf8 = OutputWriter.utf8(out);
            utf8.print(result.toJson());
            utf8.flush();
            return;
        }
        new SearchScreen(result, pages.scale())
                .lines(
                        Optional.ofNullable(headline),
                        "Page: " + pages.directory().resolve(SearchPages.NAME) + ". Next, "
                                + (result.finished() ? "more of it:" : "the same to its end:"),
                        command(result.finished() ? List.of("--add-evaluations", "10") : List.of()))
                .forEach(out::println);
        if (verification != null) {
            out.println();
            out.print(Report.of(verification)
                    .with(Output.SHORT)
                    .painted(Terminal.paint())
                    .within(Terminal.outputColumns())
                    .as(ReportFormat.TEXT));
        }
        out.flush();
    }

    /** Returns the words of this command, with more of them, as a shell takes them. */
    private String command(List<String> more) {
        List<String> all = new ArrayList<>(List.of(CommandNames.program()));
        boolean isValue = false;
        for (String word : spec.commandLine().getParseResult().originalArgs()) {
            boolean isLeftOut = word.equals("--force") || word.equals("--json") || word.equals("--add-evaluations");
            if (!isLeftOut && !isValue && !word.startsWith("--add-evaluations=")) {
                all.add(word);
            }
            isValue = word.equals("--add-evaluations");
        }
        all.addAll(more);
        return shell(all);
    }

    /** Returns words as a shell takes them. */
    static String shell(List<String> words) {
        return words.stream()
                .map(word -> word.matches("[A-Za-z0-9_@%+=:,./^-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }
}
